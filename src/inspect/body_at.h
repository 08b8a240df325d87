/* The body of a method of an image, as its metadata refers to it. */
#ifndef ILPI_BODY_AT_H
#define ILPI_BODY_AT_H

#include "base/budget.h"
#include "il/body.h"
#include "metadata/image.h"

/* Its clauses are in the arena, and are read within the budget. */
static inline ilp_status ilpi_body_at(const struct ilp_image *image, uint32_t rva,
                                      struct ilp_arena *arena, struct ilpi_budget *budget,
                                      struct ilp_body *body, struct ilp_error *error)
{
    uint64_t offset = 0;
    struct ilp_bytes bytes = ilp_image_rva(image, rva, &offset);
    ILPI_TRY(ilp_body_read(body, bytes, offset, arena, error));
    return ilpi_spend(budget, body->size, error);
}

#endif
