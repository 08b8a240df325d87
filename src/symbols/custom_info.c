/* Custom debug information that holds IL offsets: that of state machines (Portable PDB format,
 * "State Machine Hoisted Local Scopes" and "Async Method Stepping Information"). Edit-and-continue
 * maps hold offsets of the source's syntax: they are copied, as is every other kind. */
#include "symbols/blobs.h"

/* The end is moved as a label, not the length: code inserted at the end of a scope is then outside
 * of it, and code inside lengthens it. */
ilp_status ilpi_scope_move(const struct ilpi_moves *moves, uint32_t *start, uint32_t *length,
                           uint64_t origin, struct ilp_error *error)
{
    if (*start > ILPI_MAX_OFFSET || *length > ILPI_MAX_OFFSET - *start) {
        return ilpi_fail(error, ILP_E_BAD_SYMBOLS, origin, 0,
                         "a scope ends beyond the maximal size of code");
    }
    uint32_t end = ilpi_moved(moves, *start + *length);
    *start = ilpi_moved(moves, *start);
    *length = end - *start;
    return ILP_OK;
}

/* u32 start, u32 length for each hoisted local. Compilers write 0, 0 for one that has no scope. */
static ilp_status move_hoisted_scopes(struct ilpi_cursor *blob,
                                      const struct ilpi_moved_methods *methods, ilp_rid method,
                                      struct ilpi_buf *to)
{
    while (ilpi_cursor_left(blob) != 0) {
        uint64_t origin = ilpi_cursor_offset(blob);
        uint32_t start = ilpi_read_u32(blob);
        uint32_t length = ilpi_read_u32(blob);
        ILPI_TRY(blob->status);
        if (start != 0 || length != 0) {
            ILPI_TRY(ilpi_scope_move(&methods->of[method], &start, &length, origin, blob->error));
        }
        ilpi_buf_u32(to, start);
        ilpi_buf_u32(to, length);
    }
    return ILP_OK;
}

/* The method may be another one than that of the row: `resumed` is the MoveNext method of a state
 * machine. One that did not move has no shifts, and keeps its offset. */
static uint32_t moved_in(const struct ilpi_moved_methods *methods, ilp_rid method, uint32_t offset,
                         struct ilpi_cursor *blob)
{
    if (method == 0 || method > methods->count || offset > ILPI_MAX_OFFSET) {
        ilpi_cursor_fail(blob, ILP_E_BAD_SYMBOLS,
                         "a method does not exist, or an offset exceeds the maximal size of code");
        return 0;
    }
    return ilpi_moved(&methods->of[method], offset);
}

/* u32 the handler that catches what the method does not, plus one, or 0; then for each await: u32
 * yield offset, u32 resume offset, and the compressed rid of the method of the latter. After a
 * failure `to` has numbers that mean nothing: the caller drops it. */
static ilp_status move_async_steps(struct ilpi_cursor *blob,
                                   const struct ilpi_moved_methods *methods, ilp_rid method,
                                   struct ilpi_buf *to)
{
    uint32_t handler = ilpi_read_u32(blob);
    ilpi_buf_u32(to, handler != 0 ? moved_in(methods, method, handler - 1, blob) + 1 : 0);
    while (blob->status == ILP_OK && ilpi_cursor_left(blob) != 0) {
        uint32_t yields = ilpi_read_u32(blob);
        uint32_t resumes = ilpi_read_u32(blob);
        uint32_t resumed = ilpi_read_packed(blob);
        ilpi_buf_u32(to, moved_in(methods, method, yields, blob));
        ilpi_buf_u32(to, moved_in(methods, resumed, resumes, blob));
        ilpi_buf_packed(to, resumed);
    }
    return blob->status;
}

/* GUIDs as stored in #GUID. The first three fields of a GUID are little-endian there, so its first
 * eight bytes are in another order than in its text. */
static const struct {
    uint8_t guid[16];
    const char *place; /* in messages (struct ilpi_cursor) */
    ilp_status (*move)(struct ilpi_cursor *blob, const struct ilpi_moved_methods *methods,
                       ilp_rid method, struct ilpi_buf *to);
} kinds[] = {
    {{0x1E, 0xA6, 0xA9, 0x6D, 0xC7, 0xF8, 0x74, 0x48, 0xBE, 0x62, 0x68, 0xBC, 0x56, 0x30, 0xDF,
      0x71},
     "hoisted local scopes",
     move_hoisted_scopes}, /* 6DA9A61E-F8C7-4874-BE62-68BC5630DF71 */
    {{0xC5, 0x2A, 0xFD, 0x54, 0x25, 0xE9, 0x1A, 0x40, 0x9C, 0x2A, 0xF9, 0x4F, 0x17, 0x10, 0x72,
      0xF8},
     "async method stepping information",
     move_async_steps}, /* 54FD2AC5-E925-401A-9C2A-F94F171072F8 */
};

bool ilpi_custom_find(struct ilp_bytes guid, unsigned *kind)
{
    for (*kind = 0; *kind < sizeof kinds / sizeof kinds[0]; ++*kind) {
        if (guid.size == 16 && memcmp(guid.data, kinds[*kind].guid, 16) == 0) {
            return true;
        }
    }
    return false;
}

ilp_status ilpi_custom_move(unsigned kind, struct ilp_bytes blob, uint64_t origin,
                            const struct ilpi_moved_methods *methods, ilp_rid method,
                            struct ilpi_buf *to, struct ilp_error *error)
{
    struct ilpi_cursor from = ilpi_cursor_over(blob, origin, kinds[kind].place, error);
    from.failure = ILP_E_BAD_SYMBOLS;
    ILPI_TRY(kinds[kind].move(&from, methods, method, to));
    return to->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, blob.size);
}
