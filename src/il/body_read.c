/* A method body's bytes -> struct ilp_body (II.25.4).
 *
 *   tiny      u8 code size << 2 | 2,  code
 *   fat       u16 header dwords << 12 | flags | 3,  u16 MaxStack,  u32 code size,
 *             u32 LocalVarSigTok,  code,  sections if flags has MoreSects
 *   section   u8 kind,  u8 DataSize,  u16 0,  data           at a multiple of 4 from the header;
 *             u8 kind | 0x40,  u24 DataSize,  data           with kind | 0x80 one more follows
 *   EH data   n times: flags, offset and length of try, the same of the handler, token or filter
 *               small  u16     u16        u8                 u16         u8      u32
 *               fat    u32     u32        u32                u32         u32     u32
 *
 * Accepted is what CoreCLR runs (PEDecoder::CheckILMethod and the JIT's checks), which is more than
 * the specification allows:
 *   - a fat header of more than 3 dwords; the code begins after all of them (Mono always reads 3);
 *   - an EH section whose DataSize is not 4 + n * clause: Visual Basic and Managed C++ wrote
 *     n * clause. n is the quotient, and gives the end of the section;
 *   - padding of any value.
 * Several EH sections are legal, and read as one list in their order. (CoreCLR obeys the first
 * section only, Mono the last; no compiler is known to write two.) */
#include "il/body.h"

#include <string.h>

/* Both members are below 2^32; the subtraction cannot wrap after the first test. */
static bool fits(uint32_t offset, uint32_t length, size_t code_size)
{
    return offset <= code_size && length <= code_size - offset;
}

/* flags is an enumeration, although its name says otherwise (II.25.4.6): no two bits may be set.
 * The end of a block may be the end of the code. */
static ilp_status check_clause(const struct ilp_eh_clause *clause, size_t code_size,
                               const struct ilpi_cursor *cursor)
{
    bool one_kind = clause->flags == ILPI_EH_CATCH || clause->flags == ILPI_EH_FILTER ||
                    clause->flags == ILPI_EH_FINALLY || clause->flags == ILPI_EH_FAULT;
    if (!one_kind) {
        return ilpi_fail(cursor->error, ILP_E_BAD_BODY, ilpi_cursor_offset(cursor), 0,
                         "EH clause: flags %X name no kind of clause", clause->flags);
    }
    if (!fits(clause->try_offset, clause->try_length, code_size) ||
        !fits(clause->handler_offset, clause->handler_length, code_size) ||
        (clause->flags == ILPI_EH_FILTER && !fits(clause->token_or_filter, 0, code_size))) {
        return ilpi_fail(cursor->error, ILP_E_BAD_BODY, ilpi_cursor_offset(cursor), 0,
                         "EH clause: a block passes the end of the code");
    }
    return ILP_OK;
}

/* Small and fat clauses have the same fields in other widths (II.25.4.6). Each is checked against
 * the code's size, by subtraction, before anything uses it. */
static ilp_status read_clauses(const struct ilpi_body_section *section, size_t code_size,
                               struct ilp_eh_clause *clauses, struct ilp_error *error)
{
    struct ilpi_cursor cursor = ilpi_cursor_over(section->bytes, section->offset, "EH clause",
                                                 error);
    bool fat = section->clause_bytes == ILPI_EH_FAT_BYTES;
    ilpi_skip(&cursor, ILPI_SECT_HEADER_BYTES);
    for (size_t i = 0; i < section->clause_count; i++) {
        struct ilpi_cursor at = cursor;
        struct ilp_eh_clause *clause = &clauses[i];
        clause->flags = fat ? ilpi_read_u32(&cursor) : ilpi_read_u16(&cursor);
        clause->try_offset = fat ? ilpi_read_u32(&cursor) : ilpi_read_u16(&cursor);
        clause->try_length = fat ? ilpi_read_u32(&cursor) : ilpi_read_u8(&cursor);
        clause->handler_offset = fat ? ilpi_read_u32(&cursor) : ilpi_read_u16(&cursor);
        clause->handler_length = fat ? ilpi_read_u32(&cursor) : ilpi_read_u8(&cursor);
        clause->token_or_filter = ilpi_read_u32(&cursor);
        ILPI_TRY(check_clause(clause, code_size, &at));
    }
    return cursor.status;
}

/* Copies a section that is not an EH table after the others, at a multiple of 4 from the first. All
 * but the last get MoreSects, whatever followed them in the file. */
static void keep_section(uint8_t *other, size_t *size, size_t *last,
                         const struct ilpi_body_section *section)
{
    if (*size > 0) {
        other[*last] |= ILPI_SECT_MORE;
    }
    *last = (*size + 3) & ~(size_t)3;
    memcpy(other + *last, section->bytes.data, section->bytes.size);
    other[*last] &= (uint8_t)~ILPI_SECT_MORE;
    *size = *last + section->bytes.size;
}

/* Walks the chain twice: to measure, and, once memory is allocated, to read. A section has at least
 * its header, so the chain advances, and is at most as long as the file. `+ 3` leaves room for the
 * padding between sections. */
static ilp_status read_sections(struct ilp_body *body, struct ilpi_cursor *cursor,
                                struct ilp_arena *arena)
{
    struct ilpi_cursor again = *cursor;
    struct ilpi_body_section section;
    size_t other_room = 0;
    do {
        ILPI_TRY(ilpi_body_section_read(cursor, &section));
        body->clause_count += section.clause_count;
        other_room += ilpi_body_section_is_eh(&section) ? 0 : section.bytes.size + 3;
    } while ((section.kind & ILPI_SECT_MORE) != 0);

    body->clauses = ilpi_arena_array(arena, body->clause_count, sizeof *body->clauses);
    uint8_t *other = ilpi_arena_alloc(arena, other_room);
    if (!body->clauses || !other) {
        return ilpi_fail_memory(cursor->error, other_room);
    }
    struct ilp_eh_clause *clauses = body->clauses;
    size_t other_size = 0;
    size_t last = 0;
    do {
        ILPI_TRY(ilpi_body_section_read(&again, &section));
        if (ilpi_body_section_is_eh(&section)) {
            ILPI_TRY(read_clauses(&section, body->code.size, clauses, cursor->error));
            clauses += section.clause_count;
        } else {
            keep_section(other, &other_size, &last, &section);
        }
    } while ((section.kind & ILPI_SECT_MORE) != 0);
    body->other = (struct ilp_bytes){other, other_size};
    return ILP_OK;
}

/* `locals` is checked here, because a token of another table would be taken for a row of
 * StandAloneSig later. */
static ilp_status read_fat(struct ilp_body *body, struct ilpi_cursor *cursor,
                           struct ilp_arena *arena)
{
    struct ilpi_cursor start = *cursor;
    uint16_t flags = ilpi_read_u16(cursor);
    size_t header_bytes = (size_t)(flags >> 12) * 4;
    body->fat = true;
    body->init_locals = (flags & ILPI_BODY_INIT_LOCALS) != 0;
    body->max_stack = ilpi_read_u16(cursor);
    uint32_t code_size = ilpi_read_u32(cursor);
    body->locals = ilpi_read_u32(cursor);
    if (cursor->status == ILP_OK && header_bytes < ILPI_FAT_HEADER_BYTES) {
        return ilpi_cursor_fail(&start, ILP_E_BAD_BODY, "the header says it is shorter than it is");
    }
    if (body->locals != 0 &&
        (ILP_TOKEN_TABLE(body->locals) != ILP_StandAloneSig || ILP_TOKEN_RID(body->locals) == 0)) {
        return ilpi_cursor_fail(&start, ILP_E_BAD_BODY, "LocalVarSigTok is not a StandAloneSig");
    }
    if (cursor->status == ILP_OK) {
        ilpi_skip(cursor, header_bytes - ILPI_FAT_HEADER_BYTES);
    }
    cursor->place = "method code";
    body->code_offset = ilpi_cursor_offset(cursor);
    body->code = ilpi_read_bytes(cursor, code_size);
    if (cursor->status == ILP_OK && (flags & ILPI_BODY_MORE_SECTS) != 0) {
        cursor->place = "method data section";
        ILPI_TRY(read_sections(body, cursor, arena));
    }
    return cursor->status;
}

ilp_status ilp_body_read(struct ilp_body *body, struct ilp_bytes bytes, uint64_t origin,
                         struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilpi_cursor cursor = ilpi_cursor_over(bytes, origin, "method header", error);
    *body = (struct ilp_body){0};
    if (!ilpi_cursor_need(&cursor, 1)) {
        return cursor.status;
    }
    /* A fat header is recognised by three bits, a tiny one by two: its third is the lowest of the
     * code size. */
    if ((bytes.data[0] & 0x3) == ILPI_BODY_TINY) {
        size_t code_size = ilpi_read_u8(&cursor) >> 2;
        body->max_stack = ILPI_TINY_MAX_STACK;
        body->code_offset = ilpi_cursor_offset(&cursor);
        body->code = ilpi_read_bytes(&cursor, code_size);
    } else if ((bytes.data[0] & 0x7) == ILPI_BODY_FAT) {
        ILPI_TRY(read_fat(body, &cursor, arena));
    } else {
        return ilpi_cursor_fail(&cursor, ILP_E_BAD_BODY, "neither tiny nor fat (II.25.4.1)");
    }
    body->size = (size_t)(cursor.at - cursor.start);
    return cursor.status;
}
