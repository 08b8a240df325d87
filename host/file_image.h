/* Images of files that may be none. */
#ifndef FILE_IMAGE_H
#define FILE_IMAGE_H

#include "ilpatch.h"

/* NULL: these bytes are no image. Without memory that is not known, and memory_failed() is called.
 * `name` is borrowed, as with ilp_image_open(). */
struct ilp_image *file_image_open(struct ilp_bytes bytes, const char *name);

/* The MVID of its module (II.22.30); empty where it has none. Borrowed. */
struct ilp_bytes image_mvid(const struct ilp_image *image);

#endif
