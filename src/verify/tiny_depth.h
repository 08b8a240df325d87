/* How high the stack of a body with a tiny header gets (II.25.4.2), which does not say. */
#ifndef ILPI_TINY_DEPTH_H
#define ILPI_TINY_DEPTH_H

#include "il/body.h"
#include "metadata/image.h"

/* False where one pass cannot tell: code that only branches back lead to, or that is not right. */
bool ilpi_tiny_depth(const struct ilp_image *image, const struct ilp_body *body, uint32_t *depth);

#endif
