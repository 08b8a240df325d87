/* Images of files that may be something else. */
#ifndef FILE_IMAGE_H
#define FILE_IMAGE_H

#include "ilpatch.h"

/* NULL: these bytes are not an image. Without memory that is unknown, and memory_failed() is
 * called. `name` is borrowed, as in ilp_image_open(). */
struct ilp_image *file_image_open(struct ilp_bytes bytes, const char *name);

/* The MVID of its module (II.22.30); empty if there is none. Borrowed. */
struct ilp_bytes image_mvid(const struct ilp_image *image);

#endif
