/* The sequence points of a method: which offset is which place in the source (Portable PDB format,
 * "Sequence Points Blob").
 *
 *   LocalSignature (Document)  ( dOffset dLines dColumns (dLine dColumn) | 0 Document )*
 *
 * The first offset is the offset itself, all others are distances from the one before. dLines and
 * dColumns of 0 make a hidden point, which has no place; a distance of 0 is no point, but the next
 * document. */
#include "symbols/blobs.h"

/* Lines and columns. A signed number is as long as the unsigned one of the same bytes. */
static void skip_place(struct ilpi_cursor *from)
{
    uint32_t lines = ilpi_read_packed(from);
    uint32_t columns = ilpi_read_packed(from);
    if (lines != 0 || columns != 0) {
        ilpi_read_packed(from);
        ilpi_read_packed(from);
    }
}

static void copy(struct ilpi_buf *to, const uint8_t *start, const uint8_t *end)
{
    ilpi_buf_bytes_add(to, start, (size_t)(end - start));
}

/* Between the distances that change all is copied at once. */
ilp_status ilpi_points_move(struct ilp_bytes blob, uint64_t origin, const struct ilpi_moves *moves,
                            bool document, ilp_rid locals, struct ilpi_buf *to,
                            struct ilp_error *error)
{
    struct ilpi_cursor from = ilpi_cursor_over(blob, origin, "sequence points", error);
    from.failure = ILP_E_BAD_SYMBOLS;
    ilpi_read_packed(&from);
    ilpi_buf_packed(to, locals);
    const uint8_t *copied = from.at;
    if (!document) {
        ilpi_read_packed(&from);
    }
    uint32_t old_offset = 0;
    uint32_t new_offset = 0;
    for (bool first = true; ilpi_cursor_left(&from) != 0; first = false) {
        const uint8_t *start = from.at;
        uint32_t distance = ilpi_read_packed(&from);
        if (distance == 0 && !first) {
            ilpi_read_packed(&from);
            continue;
        }
        old_offset += distance;
        uint32_t moved = ilpi_moved(moves, old_offset);
        if (old_offset >= 1u << 29 || moved >= 1u << 29) { /* where compressed numbers end */
            return ilpi_cursor_fail(&from, ILP_E_BAD_SYMBOLS,
                                    "an offset is larger than code can be");
        }
        if (moved - new_offset != distance) {
            copy(to, copied, start);
            ilpi_buf_packed(to, moved - new_offset);
            copied = from.at;
        }
        new_offset = moved;
        skip_place(&from);
    }
    ILPI_TRY(from.status);
    copy(to, copied, from.at);
    return to->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, blob.size);
}
