/* The JSON writer. See json.h.
 *
 * Pieces are collected in a buffer inside the writer and go to the sink when it is full. Each open
 * object or array is one level: its layout, its closing bracket, and the indent of the line that it
 * began on. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The first failure stays; after it nothing is sent. */
static void send(struct ilpi_json *json, const void *bytes, size_t size)
{
    if (json->status == ILP_OK && size != 0) {
        json->status = json->sink.write(json->sink.user, bytes, size);
    }
}

ilp_status ilpi_json_flush(struct ilpi_json *json)
{
    send(json, json->pieces, json->held);
    json->held = 0;
    return json->status;
}

/* The pieces collected so far are still flushed. */
static void fail(struct ilpi_json *json, ilp_status status)
{
    ilpi_json_flush(json);
    json->status = json->status == ILP_OK ? status : json->status;
}

/* Whether `pieces` has room for `size` bytes, flushing them if needed. After a failure pieces are
 * still collected, and dropped at the flush: callers need no second path. */
static inline bool make_room(struct ilpi_json *json, size_t size)
{
    if (size > sizeof json->pieces - json->held) {
        ilpi_json_flush(json);
    }
    return size <= sizeof json->pieces - json->held;
}

/* For small pieces, of which there are many. A piece larger than the whole buffer goes to the sink
 * by itself: make_room() has flushed what precedes it. */
static inline void append(struct ilpi_json *json, const void *bytes, size_t size)
{
    if (!make_room(json, size)) {
        send(json, bytes, size);
    } else if (size != 0) {
        memcpy(json->pieces + json->held, bytes, size);
        json->held += size;
    }
}

/* What was collected before belongs to the sink before. */
void ilpi_json_redirect(struct ilpi_json *json, struct ilp_sink sink)
{
    ilpi_json_flush(json);
    json->sink = sink;
}

/* All but `pieces`, which is large and is written before it is read. */
void ilpi_json_begin(struct ilpi_json *json, struct ilp_sink sink, enum ilpi_json_style style)
{
    memset(json, 0, offsetof(struct ilpi_json, pieces));
    json->sink = sink;
    json->style = style;
}

/* One level without a bracket: elements are separated as those of an array whose begin and end are
 * written elsewhere. It cannot be ended (ilpi_json_end()). */
void ilpi_json_begin_part(struct ilpi_json *json, struct ilp_sink sink, enum ilpi_json_style style,
                          unsigned indent)
{
    ilpi_json_begin(json, sink, style);
    json->depth = 1;
    json->levels[0] = (struct ilpi_json_level){.layout = ILPI_JSON_LINES,
                                               .indent = (uint16_t)indent};
}

void ilpi_json_text_open(struct ilpi_json_text *text, enum ilpi_json_style style)
{
    ilpi_alloc_init(&text->alloc, NULL);
    text->buf = (struct ilpi_buf){.alloc = &text->alloc};
    ilpi_json_begin(&text->json, ilpi_buf_sink(&text->buf), style);
}

struct ilp_bytes ilpi_json_text_bytes(struct ilpi_json_text *text)
{
    ilpi_json_flush(&text->json);
    return ilpi_buf_bytes(&text->buf);
}

void ilpi_json_text_close(struct ilpi_json_text *text)
{
    ilpi_buf_free(&text->buf);
}

/* A document is one value, complete: without one, or with a level open, it is the caller's
 * mistake. */
ilp_status ilpi_json_finish(struct ilpi_json *json)
{
    if (json->depth != 0 || !json->any) {
        fail(json, ILP_E_MISUSE);
    }
    append(json, "\n", 1);
    json->any = false;
    json->indent = 0;
    return ilpi_json_flush(json);
}

/* ---- layout ---- */

/* A line end and its blanks in one piece for the usual indents, and more pieces for deeper ones. */
static void begin_line(struct ilpi_json *json, unsigned indent)
{
    static const char blanks[] = "\n                ";
    size_t some = indent < sizeof blanks - 2 ? indent : sizeof blanks - 2;
    append(json, blanks, 1 + some);
    for (size_t left = indent - some; left != 0; left -= some) {
        some = left < sizeof blanks - 2 ? left : sizeof blanks - 2;
        append(json, blanks + 1, some);
    }
    json->indent = (uint16_t)indent;
    json->breaks = false;
}

void ilpi_json_line(struct ilpi_json *json, unsigned indent)
{
    json->breaks = true;
    json->next = (uint16_t)indent;
}

/* Writes the comma, space or line break between a value and the previous one, or the bracket. */
static void separate(struct ilpi_json *json, struct ilpi_json_level *level)
{
    unsigned step = json->style == ILPI_JSON_SPACED ? 2 : 0;
    if (level->any) {
        append(json, ",", 1);
    }
    if (json->breaks) {
        begin_line(json, json->next);
    } else if (level->layout != ILPI_JSON_INLINE) {
        begin_line(json, level->indent + step);
    } else if (level->any && json->style == ILPI_JSON_SPACED) {
        append(json, " ", 1);
    }
    level->any = true;
}

/* ---- strings ---- */

#define WORD             8u
#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Whether 8 bytes of text can be copied into a JSON string: printable ASCII except the quote and
 * the backslash, as most text is. Each term sets bit 7 of a byte that is not: above 0x7F, 0x7F,
 * below 0x20, quote, backslash. A carry from such a byte into the next one does no harm, since the
 * word is rejected anyway. */
static inline bool is_plain(const uint8_t *text)
{
    uint64_t word;
    memcpy(&word, text, WORD);
    uint64_t found = word | (word + EACH_BYTE(1)) | (word - EACH_BYTE(0x20)) |
                     ((word ^ EACH_BYTE('"')) - EACH_BYTE(1)) |
                     ((word ^ EACH_BYTE('\\')) - EACH_BYTE(1));
    return (found & EACH_BYTE(0x80)) == 0;
}

/* The whole string, if it is short and all of it is plain. It is checked where it was copied to,
 * since blanks can follow it there up to a full word: so the loop needs no case for the last bytes.
 * Nothing is kept (`held`) if it is not plain. */
static bool put_plain_string(struct ilpi_json *json, struct ilp_bytes text)
{
    if (text.size > sizeof json->pieces || !make_room(json, 1 + text.size + WORD)) {
        return false;
    }
    uint8_t *to = json->pieces + json->held;
    *to++ = '"';
    if (text.size != 0) {
        memcpy(to, text.data, text.size);
    }
    memset(to + text.size, ' ', WORD);
    for (size_t at = 0; at < text.size; at += WORD) {
        if (!is_plain(to + at)) {
            return false;
        }
    }
    to[text.size] = '"';
    json->held += text.size + 2;
    return true;
}

/* The number of plain bytes from `at` on. */
static size_t plain_length(struct ilp_bytes text, size_t at)
{
    const uint8_t *from = text.data + at;
    const uint8_t *end = text.data + text.size;
    const uint8_t *next = from;
    while ((size_t)(end - next) >= WORD && is_plain(next)) {
        next += WORD;
    }
    while (next != end && *next >= 0x20 && *next < 0x7F && *next != '"' && *next != '\\') {
        next++;
    }
    return (size_t)(next - from);
}

/* Writes the character at `at`, which is not plain; returns its length in bytes. */
static size_t write_character(struct ilpi_json *json, struct ilp_bytes text, size_t at)
{
    uint32_t code;
    char escape[8];
    unsigned length = ilpi_utf8_character(text.data + at, text.size - at, &code);
    if (length == 0) {
        append(json, "\\ufffd", 6);
        return 1;
    }
    if (code == '"' || code == '\\') {
        escape[0] = '\\';
        escape[1] = (char)code;
        append(json, escape, 2);
    } else if (ilpi_utf8_is_control(code) || code == 0x2028 || code == 0x2029) {
        append(json, escape,
               (size_t)snprintf(escape, sizeof escape, "\\u%04" PRIx32, code & 0xFFFF));
    } else {
        append(json, text.data + at, length);
    }
    return length;
}

static void write_string(struct ilpi_json *json, struct ilp_bytes text)
{
    if (put_plain_string(json, text)) {
        return;
    }
    append(json, "\"", 1);
    for (size_t at = 0; at < text.size;) {
        size_t plain = plain_length(text, at);
        if (plain != 0) {
            append(json, text.data + at, plain);
            at += plain;
        } else {
            at += write_character(json, text, at);
        }
    }
    append(json, "\"", 1);
}

static struct ilp_bytes bytes_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

/* ---- values ---- */

/* Writes what precedes a value: separator and name.
 *
 *   in           name     else ILP_E_MISUSE
 *   object       some
 *   array        NULL
 *   a part       NULL     its level has no closing bracket (ilpi_json_begin_part())
 *   nothing      NULL     and no value since the last line end */
static void begin_value(struct ilpi_json *json, const char *name)
{
    struct ilpi_json_level *level = json->depth != 0 ? &json->levels[json->depth - 1] : NULL;
    bool in_object = level && level->closing == '}';
    if (in_object != (name != NULL) || (!level && json->any)) {
        fail(json, ILP_E_MISUSE);
    }
    if (level) {
        separate(json, level);
    } else {
        json->any = true;
    }
    if (name) {
        write_string(json, bytes_of(name));
        append(json, ": ", json->style == ILPI_JSON_SPACED ? 2 : 1);
    }
}

/* After a failure no level is opened, and ilpi_json_end() closes none: callers need not know. */
static void begin_level(struct ilpi_json *json, const char *name, enum ilpi_json_layout layout,
                        const char *brackets)
{
    begin_value(json, name);
    if (json->depth == ILPI_JSON_DEPTH) {
        fail(json, ILP_E_TOO_DEEP);
    }
    if (json->status != ILP_OK) {
        return;
    }
    append(json, brackets, 1);
    json->levels[json->depth++] = (struct ilpi_json_level){
        .closing = brackets[1], .layout = (uint8_t)layout, .indent = json->indent};
}

void ilpi_json_object(struct ilpi_json *json, const char *name, enum ilpi_json_layout layout)
{
    begin_level(json, name, layout, "{}");
}

void ilpi_json_array(struct ilpi_json *json, const char *name, enum ilpi_json_layout layout)
{
    begin_level(json, name, layout, "[]");
}

/* `breaks` was set by ilpi_json_line(): then the bracket is on the line that the caller wants. */
void ilpi_json_end(struct ilpi_json *json)
{
    const struct ilpi_json_level *level = json->depth != 0 ? &json->levels[json->depth - 1] : NULL;
    if (!level || level->closing == '\0') {
        fail(json, ILP_E_MISUSE);
    }
    if (json->status != ILP_OK) {
        return;
    }
    if (json->breaks) {
        begin_line(json, json->next);
    } else if (level->layout == ILPI_JSON_LINES_ALWAYS ||
               (level->layout == ILPI_JSON_LINES && level->any)) {
        begin_line(json, level->indent);
    }
    append(json, &level->closing, 1);
    json->depth--;
}

void ilpi_json_bytes(struct ilpi_json *json, const char *name, struct ilp_bytes text)
{
    begin_value(json, name);
    write_string(json, text);
}

void ilpi_json_string(struct ilpi_json *json, const char *name, const char *text)
{
    ilpi_json_bytes(json, name, bytes_of(text));
}

void ilpi_json_format(struct ilpi_json *json, const char *name, const char *format, ...)
{
    char text[ILPI_JSON_FORMATTED + 1];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        fail(json, ILP_E_TOO_LARGE);
        return;
    }
    ilpi_json_bytes(json, name, (struct ilp_bytes){(const uint8_t *)text, (size_t)length});
}

void ilpi_json_token(struct ilpi_json *json, const char *name, ilp_token token)
{
    ilpi_json_format(json, name, "0x%08" PRIX32, token);
}

/* Digits are made from the last to the first, with the quotes around them, in one piece. */
static void write_number(struct ilpi_json *json, const char *name, bool negative,
                         uint64_t magnitude, bool quoted)
{
    char digits[23]; /* 20 of the largest uint64_t, a sign, two quotes */
    size_t at = sizeof digits;
    if (quoted) {
        digits[--at] = '"';
    }
    do {
        digits[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    if (negative) {
        digits[--at] = '-';
    }
    if (quoted) {
        digits[--at] = '"';
    }
    begin_value(json, name);
    append(json, digits + at, sizeof digits - at);
}

void ilpi_json_unsigned(struct ilpi_json *json, const char *name, uint64_t value)
{
    write_number(json, name, false, value, false);
}

void ilpi_json_unsigned_text(struct ilpi_json *json, const char *name, uint64_t value)
{
    write_number(json, name, false, value, true);
}

void ilpi_json_signed(struct ilpi_json *json, const char *name, int64_t value)
{
    write_number(json, name, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, false);
}

void ilpi_json_signed_text(struct ilpi_json *json, const char *name, int64_t value)
{
    write_number(json, name, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, true);
}

void ilpi_json_hex(struct ilpi_json *json, const char *name, uint64_t value)
{
    char digits[16];
    for (unsigned i = 0; i < sizeof digits; i++) {
        digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    }
    ilpi_json_bytes(json, name, (struct ilp_bytes){(const uint8_t *)digits, sizeof digits});
}

/* 17 digits give the same double when read. JSON has no infinities and no NaN. */
void ilpi_json_double(struct ilpi_json *json, const char *name, double value)
{
    char text[32];
    if (!isfinite(value)) {
        ilpi_json_null(json, name);
        return;
    }
    snprintf(text, sizeof text, "%.17g", value);
    ilpi_json_raw(json, name, bytes_of(text));
}

void ilpi_json_bool(struct ilpi_json *json, const char *name, bool value)
{
    ilpi_json_raw(json, name, bytes_of(value ? "true" : "false"));
}

void ilpi_json_null(struct ilpi_json *json, const char *name)
{
    ilpi_json_raw(json, name, bytes_of("null"));
}

void ilpi_json_raw(struct ilpi_json *json, const char *name, struct ilp_bytes value)
{
    begin_value(json, name);
    append(json, value.data, value.size);
}

/* The part has its own separators, but none before its first element. */
void ilpi_json_add_part(struct ilpi_json *json, struct ilp_bytes elements)
{
    struct ilpi_json_level *level = json->depth != 0 ? &json->levels[json->depth - 1] : NULL;
    if (!level || level->closing == '}') {
        fail(json, ILP_E_MISUSE);
    } else if (elements.size != 0) {
        append(json, ",", level->any);
        append(json, elements.data, elements.size);
        level->any = true;
    }
}

void ilpi_json_replay(struct ilpi_json *json, struct ilp_bytes written)
{
    append(json, written.data, written.size);
}
