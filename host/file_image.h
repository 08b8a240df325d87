/* Images of files that may be none. */
#ifndef FILE_IMAGE_H
#define FILE_IMAGE_H

#include "ilpatch.h"

/* NULL: these bytes are no image. Without memory that is not known, and memory_failed() is called.
 * `name` is borrowed, as with ilp_image_open(). */
struct ilp_image *file_image_open(struct ilp_bytes bytes, const char *name);

#endif
