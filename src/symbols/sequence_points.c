/* The sequence points of a method: which offset is which place in the source (Portable PDB format,
 * "Sequence Points Blob").
 *
 *   LocalSignature (Document)  ( dOffset dLines dColumns (dLine dColumn) | 0 Document )*
 *
 * The first offset is the offset itself, all others are distances from the one before. dLines and
 * dColumns of 0 make a hidden point, which has no place; a distance of 0 is no point, but the next
 * document. */
#include "symbols/blobs.h"

/* A compressed number as it stands. */
static uint32_t copy_packed(struct ilpi_cursor *from, struct ilpi_buf *to)
{
    const uint8_t *start = from->at;
    uint32_t value = ilpi_read_packed(from);
    if (from->status == ILP_OK) {
        ilpi_buf_bytes_add(to, start, (size_t)(from->at - start));
    }
    return value;
}

/* Lines and columns. A signed number is as long as the unsigned one of the same bytes. */
static void copy_place(struct ilpi_cursor *from, struct ilpi_buf *to)
{
    uint32_t lines = copy_packed(from, to);
    uint32_t columns = copy_packed(from, to);
    if (lines != 0 || columns != 0) {
        copy_packed(from, to);
        copy_packed(from, to);
    }
}

ilp_status ilpi_points_move(struct ilp_bytes blob, uint64_t origin, const struct ilpi_moves *moves,
                            bool document, ilp_rid locals, struct ilpi_buf *to,
                            struct ilp_error *error)
{
    struct ilpi_cursor from = ilpi_cursor_over(blob, origin, "sequence points", error);
    from.failure = ILP_E_BAD_SYMBOLS;
    ilpi_read_packed(&from);
    ilpi_buf_packed(to, locals);
    if (!document) {
        copy_packed(&from, to);
    }
    uint32_t old_offset = 0;
    uint32_t new_offset = 0;
    for (bool first = true; ilpi_cursor_left(&from) != 0; first = false) {
        uint32_t distance = ilpi_read_packed(&from);
        if (distance == 0 && !first) {
            ilpi_buf_packed(to, 0);
            copy_packed(&from, to);
            continue;
        }
        old_offset += distance;
        uint32_t moved = ilpi_moved(moves, old_offset);
        if (old_offset >= 1u << 29 || moved >= 1u << 29) { /* where compressed numbers end */
            return ilpi_cursor_fail(&from, ILP_E_BAD_SYMBOLS,
                                    "an offset is larger than code can be");
        }
        ilpi_buf_packed(to, moved - new_offset);
        new_offset = moved;
        copy_place(&from, to);
    }
    ILPI_TRY(from.status);
    return to->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, blob.size);
}
