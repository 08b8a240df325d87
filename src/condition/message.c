/* Messages about conditions: the column, and the text around it. */
#include "condition/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "condition/condition.h"

uint32_t ilpi_condition_column(struct ilp_bytes text, size_t offset)
{
    uint32_t column = 1;
    for (size_t at = 0; at < offset && at < text.size; column++) {
        ilpi_utf8_next(text.data, text.size, &at);
    }
    return column;
}

ilp_status ilpi_condition_fail(struct ilp_error *error, struct ilp_bytes text, size_t offset,
                               const char *format, ...)
{
    if (error) {
        char message[sizeof error->message];
        uint32_t column = ilpi_condition_column(text, offset);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "column %u: %s", column, message);
        error->column = column;
    }
    return ILP_E_BAD_RULES;
}

/* ---- the excerpt ---- */

enum { BEFORE = 40, AFTER = 30 }; /* characters around the column */

/* The offset of a column; that of the end for those after it. */
static size_t offset_of(struct ilp_bytes text, uint32_t column)
{
    size_t at = 0;
    for (uint32_t i = 1; i < column && at < text.size; i++) {
        ilpi_utf8_next(text.data, text.size, &at);
    }
    return at;
}

/* What does not fit is left out as a whole: a character is never cut. */
static void append(char **to, const char *end, const void *bytes, size_t size)
{
    if (size <= (size_t)(end - *to)) {
        memcpy(*to, bytes, size);
        *to += size;
    }
}

/* The excerpt is cut at characters, not bytes, and each takes one column; wide characters may move
 * the caret. Bytes that are not UTF-8 become question marks. */
void ilpi_condition_excerpt(struct ilp_bytes text, uint32_t column, char *to, size_t size)
{
    if (size == 0) {
        return;
    }
    const char *end = to + size - 1; /* the NUL's */
    uint32_t first = column > BEFORE ? column - BEFORE : 1;
    size_t last = offset_of(text, column + AFTER);
    append(&to, end, "    ", 4);
    for (size_t at = offset_of(text, first); at < last;) {
        uint32_t code;
        unsigned length = ilpi_utf8_character(text.data + at, text.size - at, &code);
        bool shown = length != 0 && !ilpi_utf8_is_control(code);
        append(&to, end, shown ? (const void *)(text.data + at) : "?", shown ? length : 1);
        at += length != 0 ? length : 1;
    }
    append(&to, end, "\n    ", 5);
    for (uint32_t i = first; i < column; i++) {
        append(&to, end, " ", 1);
    }
    append(&to, end, "^", 1);
    *to = '\0';
}
