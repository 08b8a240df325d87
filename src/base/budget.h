/* How much of an image is read, for all methods together. Many rows can share one large body or
 * signature: a compiler's file hardly does that, one made to waste time does. */
#ifndef ILPI_BUDGET_H
#define ILPI_BUDGET_H

#include "base/error.h"

/* The budget: this many times the image, plus a constant for small images. */
#define ILPI_BUDGET_TIMES 4u
#define ILPI_BUDGET_BYTES ((uint64_t)4 << 20)

/* The memory that one method may take while it is rewritten: this constant plus the size of the
 * image. A method of half a megabyte takes 8 MB. */
#define ILPI_METHOD_MEMORY ((size_t)10 << 20)

/* Of that, what stays allocated for the next method; the rest is freed. */
#define ILPI_METHOD_KEPT ((size_t)1 << 20)

/* Bytes that may still be read or made. What costs more than its file should is refused with an
 * error, not with time. */
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
