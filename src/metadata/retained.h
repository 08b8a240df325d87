/* The parts of an image that rows refer to, which the compact layout must keep: method bodies and
 * field data, as spans that do not overlap. Structures that share bytes are one span, and move
 * together. */
#ifndef ILPI_KEPT_H
#define ILPI_KEPT_H

#include "metadata/edit.h"
#include "pe/compact.h"

/* The spans of bodies and data that move when a file is compacted. */
struct ilpi_kept {
    struct ilpi_moved_span *spans; /* by rising RVAs; in the arena */
    size_t count;
};

/* ILP_E_CANNOT_COMPACT when a row refers to something that is not understood. Rows with new
 * contents in the edit are left out. */
ilp_status ilpi_kept_find(struct ilpi_kept *kept, const struct ilp_edit *edit,
                          struct ilp_arena *arena, struct ilp_error *error);

/* The length of a FieldRVA row's data, by the signature of its field (II.23.2.4); 0: not known
 * here. */
uint32_t ilpi_kept_data_size(const struct ilp_edit *edit, ilp_rid rid);

/* retained_check.c: ILP_E_BAD_PE when a row refers to bytes that the plan changes, for a file whose
 * contents do not move. */
ilp_status ilpi_kept_check(const struct ilp_edit *edit, const struct ilpi_pe_plan *plan,
                           struct ilp_error *error);

/* The new RVA of a row's contents. `near`: 0 at first; passed back for the next row, whose RVA
 * often follows. */
uint32_t ilpi_kept_rva(const struct ilpi_kept *kept, uint32_t rva, size_t *near);

#endif
