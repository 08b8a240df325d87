/* A line under construction, in a fixed-size buffer: the notation of the stock inspector
 * (data/inspector/Text.cs), including its limits, which count UTF-16 units. It does not allocate,
 * lock or call the runtime.
 *
 *   to                      size                   room - reserve      room
 *   | earlier parts | part   |                            |             |
 *   bytes                                                  line_put_anyway() only
 *
 *   limit: where the part must end, in UTF-16 units from the line's start */
#ifndef ILPI_LINE_H
#define ILPI_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "values/limits.h"

/* A line of fixed size. Nothing is allocated while it is written: what does not fit is cut. */
struct line {
    char *to;
    size_t room;
    size_t size;      /* bytes written; never above `room` */
    uint32_t units;   /* its length in UTF-16 units */
    uint32_t limit;   /* of the part, in units from the start of the line */
    size_t reserve;   /* room that only line_put_anyway() uses */
    bool json;        /* escapes are those of JSON */
    uint32_t longest; /* of a string, in units */
    bool full;        /* the part ended in "..." */
};

static inline void line_begin(struct line *line, char *to, size_t room)
{
    *line = (struct line){.to = to, .room = room, .longest = VALUE_TEXT};
}

/* Starts a part of the line with a limit of units; beyond it, it ends in "...". */
static inline void line_part(struct line *line, uint32_t units)
{
    line->limit = line->units + units;
    line->full = false;
}

/* Appends text that was made as a line before, with its number of units; all of it. */
void line_put_made(struct line *line, const char *text, size_t size, uint32_t units);

/* Ignores the part's limit and the reserve: for closing brackets of JSON. */
void line_put_anyway(struct line *line, const char *text, size_t size);
void line_put_count_anyway(struct line *line, int32_t count);

/* A string of JSON; false: it was truncated. */
bool line_put_json_string(struct line *line, const uint8_t *utf16, int32_t length);

/* Whether that many one-byte characters fit. */
static inline bool line_has_room(const struct line *line, size_t size)
{
    return !line->full && size + line->reserve <= line->room - line->size &&
           size + line->units <= line->limit;
}

/* The number of them that fit. */
static inline size_t line_left(const struct line *line)
{
    size_t used = line->size + line->reserve;
    size_t room = used < line->room && !line->full ? line->room - used : 0;
    size_t limit = line->units < line->limit ? line->limit - line->units : 0;
    return room < limit ? room : limit;
}

/* For text that fits. */
void line_copy(char *to, const char *text, size_t size); /* memcpy() of what is long */
static inline void line_append(struct line *line, const char *text, size_t size)
{
    if (size <= ILPI_SHORT) {
        ilpi_copy_short(line->to + line->size, text, size);
    } else {
        line_copy(line->to + line->size, text, size);
    }
    line->size += size;
    line->units += (uint32_t)size;
}

/* All of the text (ASCII) or nothing of it. */
void line_put_last(struct line *line, const char *text, size_t size); /* of what may not fit */
static inline void line_put_sized(struct line *line, const char *text, size_t size)
{
    if (line_has_room(line, size)) {
        line_append(line, text, size);
    } else {
        line_put_last(line, text, size);
    }
}

/* Inline, so that the length of constant texts is known at compile time. */
static inline void line_put(struct line *line, const char *text)
{
    line_put_sized(line, text, strlen(text));
}

/* Character by character. */
void line_put_some(struct line *line, const char *text, size_t size); /* of what may not fit */
static inline void line_put_chars(struct line *line, const char *text, size_t size)
{
    if (line_has_room(line, size)) {
        line_append(line, text, size);
    } else {
        line_put_some(line, text, size);
    }
}
void line_put_unsigned(struct line *line, uint64_t value);
void line_put_padded(struct line *line, uint64_t value, unsigned digits); /* "007": the last ones */
void line_put_signed(struct line *line, int64_t value);

/* "0x1f", or nothing at all. */
void line_put_hex(struct line *line, uint64_t value);

/* A name from metadata, UTF-8; invisible characters are escaped. A plain name has none of these,
 * and may be written by line_put_chars() instead. */
void line_put_name(struct line *line, const char *utf8);
bool line_is_plain(const char *utf8, size_t size);

/* A char and a string literal of C#, from UTF-16 in memory (of any alignment). `at_least`: the
 * string is longer than that. */
void line_put_char(struct line *line, uint16_t unit);
void line_put_string(struct line *line, const uint8_t *utf16, int32_t length, bool at_least);

/* A string without quotes. */
void line_put_plain(struct line *line, const uint8_t *utf16, int32_t length);

#endif
