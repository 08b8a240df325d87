/* The main job with another block size, for tests. */
#ifndef ILPI_APPLY_H
#define ILPI_APPLY_H

#include "base/error.h"

/* As ilp_inspect_returns(); each thread takes `block_methods` at a time, 1 to
 * ILPI_BLOCK_METHODS. */
ilp_status ilpi_inspect_in_blocks(struct ilp_image *image, struct ilp_edit *edit,
                                  const struct ilp_request *request,
                                  const struct ilp_report *report, uint32_t block_methods,
                                  struct ilp_error *error);

#endif
