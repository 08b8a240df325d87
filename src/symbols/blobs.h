/* Blobs of a Portable PDB that hold IL offsets: read, and written with the new offsets. Everything
 * else is copied byte for byte. A truncated blob is ILP_E_BAD_SYMBOLS; `origin` is its offset in
 * the PDB. */
#ifndef ILPI_BLOBS_H
#define ILPI_BLOBS_H

#include "base/buf.h"
#include "base/cursor.h"
#include "symbols/moves.h"

/* Sequence points ("Sequence Points Blob"). `locals` is the new StandAloneSig of the method's
 * locals; `document` is whether the row names one, else the blob does. */
ilp_status ilpi_points_move(struct ilp_bytes blob, uint64_t origin, const struct ilpi_moves *moves,
                            bool document, ilp_rid locals, struct ilpi_buf *to,
                            struct ilp_error *error);

/* All methods, since a blob may refer to another method's code. */
struct ilpi_moved_methods {
    struct ilpi_moves *of; /* by rid; [0] is not used */
    ilp_rid count;
};

/* Kinds of custom debug information whose blobs hold IL offsets, by GUID; false for all others. */
bool ilpi_custom_find(struct ilp_bytes guid, unsigned *kind);

/* Rewrites such a blob of a method. */
ilp_status ilpi_custom_move(unsigned kind, struct ilp_bytes blob, uint64_t origin,
                            const struct ilpi_moved_methods *methods, ilp_rid method,
                            struct ilpi_buf *to, struct ilp_error *error);

/* A scope that ends after the largest possible offset is ILP_E_BAD_SYMBOLS. */
ilp_status ilpi_scope_move(const struct ilpi_moves *moves, uint32_t *start, uint32_t *length,
                           uint64_t origin, struct ilp_error *error);

#endif
