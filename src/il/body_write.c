/* Writes struct ilp_body as a method body (II.25.4), the inverse of body_read.c, which draws the
 * format.
 *
 * Fat headers are written with 3 dwords and padding as zeros, whatever the original had: both are
 * equal to readers. */
#include "il/body.h"

#include "il/code.h"

#define SMALL_MAX_DATA 0xFFu
#define FAT_MAX_DATA   0xFFFFFFu

bool ilpi_body_is_tiny(const struct ilp_body *body)
{
    return !body->fat && !body->init_locals && body->locals == 0 && body->clause_count == 0 &&
           body->other.size == 0 && body->max_stack <= ILPI_TINY_MAX_STACK &&
           body->code.size <= ILPI_TINY_MAX_CODE;
}

/* The small form has 16 bits for an offset, 8 for a length; a filter's offset has 32 in both
 * (II.25.4.6). One clause that does not fit makes the whole section fat, since a section has one
 * form. */
static bool is_small(const struct ilp_eh_clause *clause)
{
    return clause->try_offset <= UINT16_MAX && clause->try_length <= UINT8_MAX &&
           clause->handler_offset <= UINT16_MAX && clause->handler_length <= UINT8_MAX;
}

/* DataSize of a small section has one byte, so 20 clauses fit. */
static bool all_small(const struct ilp_body *body)
{
    if (body->clause_count > (SMALL_MAX_DATA - ILPI_SECT_HEADER_BYTES) / ILPI_EH_SMALL_BYTES) {
        return false;
    }
    for (size_t i = 0; i < body->clause_count; i++) {
        if (!is_small(&body->clauses[i])) {
            return false;
        }
    }
    return true;
}

/* II.25.4.5 and II.25.4.6: a small section, for offsets below 64 KB and lengths below 256. */
static void write_small(struct ilpi_buf *buf, const struct ilp_body *body, uint8_t kind)
{
    size_t size = ILPI_SECT_HEADER_BYTES + body->clause_count * ILPI_EH_SMALL_BYTES;
    ilpi_buf_u8(buf, kind);
    ilpi_buf_u8(buf, (uint8_t)size);
    ilpi_buf_u16(buf, 0);
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        ilpi_buf_u16(buf, (uint16_t)clause->flags);
        ilpi_buf_u16(buf, (uint16_t)clause->try_offset);
        ilpi_buf_u8(buf, (uint8_t)clause->try_length);
        ilpi_buf_u16(buf, (uint16_t)clause->handler_offset);
        ilpi_buf_u8(buf, (uint8_t)clause->handler_length);
        ilpi_buf_u32(buf, clause->token_or_filter);
    }
}

/* Kind and flags are the first byte, the size the next three. */
static void write_fat(struct ilpi_buf *buf, const struct ilp_body *body, uint8_t kind)
{
    size_t size = ILPI_SECT_HEADER_BYTES + body->clause_count * ILPI_EH_FAT_BYTES;
    ilpi_buf_u32(buf, (uint32_t)size << 8 | ILPI_SECT_FAT | kind);
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        ilpi_buf_u32(buf, clause->flags);
        ilpi_buf_u32(buf, clause->try_offset);
        ilpi_buf_u32(buf, clause->try_length);
        ilpi_buf_u32(buf, clause->handler_offset);
        ilpi_buf_u32(buf, clause->handler_length);
        ilpi_buf_u32(buf, clause->token_or_filter);
    }
}

/* Sections are at multiples of 4 from the start of the body, which the caller aligns
 * (II.25.4.5). */
static void pad(struct ilpi_buf *buf, size_t start)
{
    ilpi_buf_zeros(buf, (0 - (buf->size - start)) & 3);
}

/* The two forms of a body:
 *
 *   tiny   size << 2 | 2               no locals, no sections, stack of at most 8, below 64 bytes
 *   fat    flags | 3 << 12, max stack, code size, locals; code; padding to 4; sections
 *
 * II.25.4. The smaller form is chosen if it is possible, as compilers do. */
ilp_status ilpi_body_write(struct ilpi_buf *buf, const struct ilp_body *body,
                           struct ilp_error *error)
{
    size_t start = buf->size;
    if (body->code.size > ILPI_MAX_CODE ||
        body->clause_count > (FAT_MAX_DATA - ILPI_SECT_HEADER_BYTES) / ILPI_EH_FAT_BYTES) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "a method body of %zu bytes and %zu EH clauses has no room in its header",
                         body->code.size, body->clause_count);
    }
    if (ilpi_body_is_tiny(body)) {
        ilpi_buf_u8(buf, (uint8_t)(body->code.size << 2 | ILPI_BODY_TINY));
        ilpi_buf_bytes_add(buf, body->code.data, body->code.size);
    } else {
        bool sections = body->clause_count != 0 || body->other.size != 0;
        ilpi_buf_u16(buf, (uint16_t)(ILPI_FAT_HEADER_BYTES / 4 << 12 | ILPI_BODY_FAT |
                                     (body->init_locals ? ILPI_BODY_INIT_LOCALS : 0) |
                                     (sections ? ILPI_BODY_MORE_SECTS : 0)));
        ilpi_buf_u16(buf, body->max_stack);
        ilpi_buf_u32(buf, (uint32_t)body->code.size);
        ilpi_buf_u32(buf, body->locals);
        ilpi_buf_bytes_add(buf, body->code.data, body->code.size);
    }
    if (body->clause_count != 0) { /* first: CoreCLR searches only the first section for EH */
        uint8_t kind = ILPI_SECT_EH | (body->other.size != 0 ? ILPI_SECT_MORE : 0);
        pad(buf, start);
        (all_small(body) ? write_small : write_fat)(buf, body, kind);
    }
    if (body->other.size != 0) {
        pad(buf, start);
        ilpi_buf_bytes_add(buf, body->other.data, body->other.size);
    }
    return buf->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, buf->size - start);
}
