/* The sequence points of a method, which map IL offsets to source locations (Portable PDB format,
 * "Sequence Points Blob").
 *
 *   LocalSignature (Document)  ( dOffset dLines dColumns (dLine dColumn) | 0 Document )*
 *
 * The first offset is absolute, all others are relative to the one before. dLines and dColumns of 0
 * mean a hidden point, which has no location; an offset of 0 introduces the next document. */
#include "symbols/blobs.h"

/* Skips lines and columns. A compressed signed number has the length of the unsigned one with the
 * same bytes. */
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

/* Bytes between changed offsets are copied in one piece. Offsets are differences, so a shift
 * changes only the record after it: mostly one record for each insertion is encoded again, and its
 * new difference may have another length. */
ilp_status ilpi_points_move(struct ilp_bytes blob, uint64_t origin, const struct ilpi_moves *moves,
                            bool document, ilp_rid locals, struct ilpi_buf *to,
                            struct ilp_error *error)
{
    struct ilpi_cursor from = ilpi_cursor_over(blob, origin, "sequence points", error);
    from.failure = ILP_E_BAD_SYMBOLS;
    ilpi_read_packed(&from);
    ilpi_buf_packed(to, locals);
    /* Invariant: `to` has the new form of all bytes before `copied`, and the bytes from there to
     * `from.at` stay as they are. A document at the start of the blob is among these. */
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
        /* Both are below 2^29 (II.23.2), so the sum does not wrap. */
        old_offset += distance;
        uint32_t moved = ilpi_moved(moves, old_offset);
        if (old_offset >= 1u << 29 || moved >= 1u << 29) { /* beyond compressed integers */
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
