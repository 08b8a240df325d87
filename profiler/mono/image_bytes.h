/* The bytes that Mono is about to read an image from, and others in their place.
 *
 * image_loading is reported when Mono has the file in memory and has read nothing of it. Where a
 * MonoImage has the address and the size is no part of Mono's interface, so it is looked up in an
 * image that is opened for that, of bytes whose address and size are known. It holds for a main
 * assembly, for references, for Assembly.LoadFrom and Load, whatever Mono's version. */
#ifndef ILPI_MONO_IMAGE_BYTES_H
#define ILPI_MONO_IMAGE_BYTES_H

#include "ilpatch.h"
#include "profiler/mono/functions.h"

/* Of one process. Zero-initialise. */
struct image_bytes_place {
    bool is_probed; /* it is known, or known not to be found */
    bool probes;
    unsigned index; /* of the pointer, which the size follows; 0: not known */
};

/* Opens that image. Called in the first image_loading, when Mono can open images; until it returns
 * image_bytes_note() gets what is reported. False: the place is not known. */
bool image_bytes_find(struct image_bytes_place *place, const struct mono_functions *mono);

/* Whether it is the image that is opened for that. */
bool image_bytes_note(struct image_bytes_place *place, const mono_image *image);

struct ilp_bytes image_bytes(const struct image_bytes_place *place, const mono_image *image);

/* `bytes` have to stay as long as the image. What they replace is still freed by Mono. */
void image_bytes_replace(const struct image_bytes_place *place, mono_image *image,
                         struct ilp_bytes bytes);

#endif
