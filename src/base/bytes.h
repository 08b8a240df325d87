/* Spans of bytes, compared. An empty span may have no address, which memcmp() does not take. */
#ifndef ILPI_BYTES_H
#define ILPI_BYTES_H

#include <string.h>

#include "ilpatch.h"

static inline bool ilpi_bytes_equal(struct ilp_bytes left, struct ilp_bytes right)
{
    return left.size == right.size &&
           (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

#endif
