/* The bytes from which Mono is about to read an image, and their replacement.
 *
 * image_loading is reported when Mono has the file in memory and has read nothing of it. The
 * offsets of address and size in MonoImage are not part of Mono's interface, so they are found by
 * probing: an image is opened from bytes whose address and size are known. This works for the main
 * assembly, references, Assembly.LoadFrom and Load, in any version of Mono. */
#ifndef ILPI_MONO_IMAGE_BYTES_H
#define ILPI_MONO_IMAGE_BYTES_H

#include "ilpatch.h"
#include "profiler/mono/functions.h"

/* Of one process. Zero-initialise. */
struct image_bytes_place {
    bool is_probed; /* it was probed, successfully or not */
    bool probes;
    unsigned index; /* of the pointer, which the size follows; 0: unknown */
};

/* Probes. Called in the first image_loading, when Mono can open images; until it returns
 * image_bytes_note() gets the reported images. False: not found. */
bool image_bytes_find(struct image_bytes_place *place, const struct mono_functions *mono);

/* Whether it is the probing image. */
bool image_bytes_note(struct image_bytes_place *place, const mono_image *image);

struct ilp_bytes image_bytes(const struct image_bytes_place *place, const mono_image *image);

/* `bytes` must live as long as the image. Mono still frees the replaced ones. */
void image_bytes_replace(const struct image_bytes_place *place, mono_image *image,
                         struct ilp_bytes bytes);

#endif
