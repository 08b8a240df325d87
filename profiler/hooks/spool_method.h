/* The METHOD records of a spool. */
#ifndef ILPI_SPOOL_METHOD_H
#define ILPI_SPOOL_METHOD_H

#include "ilpatch.h"
#include "trace/spool_write.h"

/* Records the names of a method of the image, which is the file at `path`, before the first record
 * with this id. False: no memory. */
bool spool_put_method(struct ilpi_spool *spool, uint64_t id, struct ilp_image *image,
                      const char *path, ilp_token method);

#endif
