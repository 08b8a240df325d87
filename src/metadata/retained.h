/* What of an image's contents rows lead to, and so has to stay when the file is laid out anew:
 * method bodies and the data of fields, as spans that do not overlap. Whatever shares bytes is one
 * span, and stays together. */
#ifndef ILPI_KEPT_H
#define ILPI_KEPT_H

#include "metadata/edit.h"
#include "pe/compact.h"

struct ilpi_kept {
    struct ilpi_moved_span *spans; /* by rising RVAs; in the arena */
    size_t count;
};

/* ILP_E_CANNOT_COMPACT when a row leads to what is not understood. What the edit gives new contents
 * is left out. */
ilp_status ilpi_kept_find(struct ilpi_kept *kept, const struct ilp_edit *edit,
                          struct ilp_arena *arena, struct ilp_error *error);

/* How long the data of a FieldRVA row is, by the signature of its field (II.23.2.4); 0: not known
 * here. */
uint32_t ilpi_kept_data_size(const struct ilp_edit *edit, ilp_rid rid);

/* retained_check.c: ILP_E_BAD_PE when a row leads to bytes that the plan writes differently, in a
 * file whose contents stay where they are. */
ilp_status ilpi_kept_check(const struct ilp_edit *edit, const struct ilpi_pe_plan *plan,
                           struct ilp_error *error);

/* The new RVA of what a row leads to. `near`: 0 at first, for the next row, whose RVA often comes
 * next. */
uint32_t ilpi_kept_rva(const struct ilpi_kept *kept, uint32_t rva, size_t *near);

#endif
