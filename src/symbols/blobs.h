/* Blobs of a Portable PDB that hold offsets in IL: read, and written with the offsets as they are
 * now. What is no offset is copied byte for byte. A blob that is not whole is ILP_E_BAD_SYMBOLS;
 * `origin` is its place in the PDB. */
#ifndef ILPI_BLOBS_H
#define ILPI_BLOBS_H

#include "base/buf.h"
#include "base/cursor.h"
#include "symbols/moves.h"

/* Sequence points ("Sequence Points Blob"). `locals` is the StandAloneSig of the method's locals
 * now; `document` whether the row names one, else the blob does. */
ilp_status ilpi_points_move(struct ilp_bytes blob, uint64_t origin, const struct ilpi_moves *moves,
                            bool document, ilp_rid locals, struct ilpi_buf *to,
                            struct ilp_error *error);

/* All methods, since a blob may refer to another one's code. */
struct ilpi_moved_methods {
    struct ilpi_moves *of; /* by rid; [0] is not used */
    ilp_rid count;
};

/* Custom debug information whose blobs hold offsets, by the GUID of its kind; false for all
 * others. */
bool ilpi_custom_find(struct ilp_bytes guid, unsigned *kind);

/* Moves such a blob of a method. */
ilp_status ilpi_custom_move(unsigned kind, struct ilp_bytes blob, uint64_t origin,
                            const struct ilpi_moved_methods *methods, ilp_rid method,
                            struct ilpi_buf *to, struct ilp_error *error);

/* A scope that ends behind what code can be is ILP_E_BAD_SYMBOLS. */
ilp_status ilpi_scope_move(const struct ilpi_moves *moves, uint32_t *start, uint32_t *length,
                           uint64_t origin, struct ilp_error *error);

#endif
