/* How much of an image is read, all methods together. Many rows can share one large body or
 * signature: in a file made by a compiler they hardly do, in one that was made to waste time they
 * do. */
#ifndef ILPI_BUDGET_H
#define ILPI_BUDGET_H

#include "base/error.h"

/* So many times the image, and something for small ones. */
#define ILPI_BUDGET_TIMES 4u
#define ILPI_BUDGET_BYTES ((uint64_t)4 << 20)

/* The memory that one method may take while it is rewritten: so much, and as much as the image. One
 * of half a megabyte takes 8 MB. */
#define ILPI_METHOD_MEMORY ((size_t)10 << 20)

/* Of that, what stays allocated for the next method: more is given back. */
#define ILPI_METHOD_KEPT ((size_t)1 << 20)

struct ilpi_budget {
    uint64_t left;
};

static inline struct ilpi_budget ilpi_budget_of(size_t image_size)
{
    return (struct ilpi_budget){ILPI_BUDGET_BYTES + (uint64_t)image_size * ILPI_BUDGET_TIMES};
}

static inline ilp_status ilpi_spend(struct ilpi_budget *budget, size_t bytes,
                                    struct ilp_error *error)
{
    if (bytes > budget->left) {
        return ilpi_fail(
            error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
            "methods share bodies, signatures or symbols of more than %u times the file",
            ILPI_BUDGET_TIMES);
    }
    budget->left -= bytes;
    return ILP_OK;
}

#endif
