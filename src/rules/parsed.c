/* Writes and reads rule files in their parsed form. See parsed.h.
 *
 * xml.c calls the writer for each event that it passes to the builder. The reader passes the same
 * to the same builder (build.c), so it checks nothing but that the bytes have this form. */
#include "rules/parsed.h"

#include <string.h>

#include "base/cursor.h"

static const uint8_t magic[8] = {'i', 'l', 'p', 'r', 'u', 'l', 'e', 1};

enum { ELEMENT_END, ELEMENT_START };

/* ---- writing ---- */

void ilpi_parsed_begin(struct ilpi_buf *parsed)
{
    ilpi_buf_bytes_add(parsed, magic, sizeof magic);
}

static void put_text(struct ilpi_buf *parsed, const char *text, size_t size)
{
    ilpi_buf_bytes_add(parsed, text, size);
    ilpi_buf_u8(parsed, 0);
}

void ilpi_parsed_start(struct ilpi_buf *parsed, const char *name, size_t name_size,
                       const struct ilpi_attribute_text *attributes, unsigned count, uint32_t line)
{
    ilpi_buf_u8(parsed, ELEMENT_START);
    ilpi_buf_u32(parsed, line);
    ilpi_buf_u8(parsed, (uint8_t)count);
    put_text(parsed, name, name_size);
    for (unsigned i = 0; i < count; i++) {
        put_text(parsed, attributes[i].name, attributes[i].name_size);
        put_text(parsed, attributes[i].value, attributes[i].value_size);
    }
}

void ilpi_parsed_end(struct ilpi_buf *parsed)
{
    ilpi_buf_u8(parsed, ELEMENT_END);
}

/* ---- reading ---- */

/* A text ends with a zero byte, which is part of the file: it is used in place, without a copy. */
static const char *read_text(struct ilpi_cursor *cursor, size_t *size)
{
    const char *text = (const char *)cursor->at;
    const void *end = memchr(cursor->at, 0, ilpi_cursor_left(cursor));
    *size = end ? (size_t)((const uint8_t *)end - cursor->at) : 0;
    if (!end) {
        ilpi_cursor_fail(cursor, ILP_E_BAD_RULES, "a text does not end");
        return "";
    }
    cursor->at += *size + 1;
    return text;
}

/* The form of an element:
 *
 *   01 | line u32 | count u8 | name | count times: name, value       begin of an element
 *   00                                                               its end
 *
 * Texts end with a NUL. Values are not parsed yet: ilpi_build_start() reads them as it does for
 * XML, so mistakes and their messages are the same. */
static ilp_status read_start(struct ilpi_builder *builder, struct ilpi_cursor *cursor)
{
    /* As many as a byte can count, so the count needs no check. */
    struct ilpi_attribute_text attributes[UINT8_MAX];
    size_t name_size;
    uint32_t line = ilpi_read_u32(cursor);
    unsigned count = ilpi_read_u8(cursor);
    const char *name = read_text(cursor, &name_size);
    for (unsigned i = 0; i < count; i++) {
        attributes[i].name = read_text(cursor, &attributes[i].name_size);
        attributes[i].value = read_text(cursor, &attributes[i].value_size);
    }
    ILPI_TRY(cursor->status);
    ilp_status status = ilpi_build_start(builder, name, name_size, attributes, count, line,
                                         cursor->error);
    if (status == ILP_E_BAD_RULES && cursor->error) {
        cursor->error->line = line;
    }
    return status;
}

/* A count of open elements is enough, as names are not repeated at the end. */
static ilp_status read_elements(struct ilpi_builder *builder, struct ilpi_cursor *cursor)
{
    do {
        uint8_t kind = ilpi_read_u8(cursor);
        ILPI_TRY(cursor->status);
        if (kind > ELEMENT_START) {
            return ilpi_cursor_fail(cursor, ILP_E_BAD_RULES, "neither begin nor end of an element");
        }
        if (kind == ELEMENT_END && builder->depth == 0) {
            return ilpi_cursor_fail(cursor, ILP_E_BAD_RULES, "an element ends that has not begun");
        }
        ILPI_TRY(kind == ELEMENT_START ? read_start(builder, cursor)
                                       : ilpi_build_end(builder, cursor->error));
    } while (builder->depth != 0);
    return ilpi_cursor_left(cursor) == 0
               ? ILP_OK
               : ilpi_cursor_fail(cursor, ILP_E_BAD_RULES, "there is more after the last element");
}

/* The builder is the same as for XML (build.c), so parsed rules are checked as a file is. */
ilp_status ilpi_rules_replay(struct ilp_rules *rules, struct ilp_bytes parsed, const char *file,
                             struct ilp_error *error)
{
    struct ilpi_cursor cursor = ilpi_cursor_over(parsed, 0, "parsed rules", error);
    struct ilpi_builder builder = {.rules = rules};
    cursor.failure = ILP_E_BAD_RULES;
    builder.file = ilpi_arena_copy(&rules->arena, file, strlen(file) + 1);
    if (!builder.file) {
        return ilpi_fail_memory(error, strlen(file) + 1);
    }
    if (ilpi_cursor_left(&cursor) < sizeof magic || memcmp(cursor.at, magic, sizeof magic) != 0) {
        return ilpi_cursor_fail(&cursor, ILP_E_BAD_RULES, "they do not begin as such");
    }
    cursor.at += sizeof magic;
    ILPI_TRY(read_elements(&builder, &cursor));
    rules->rules.count += builder.pending;
    return ILP_OK;
}
