/* Writes a line. See line.h. Escapes and surrogate pairs are written completely or not at all, so
 * that the line is always UTF-8.
 *
 * Each function has two ways: if all of it fits, which is usual, bytes are copied without another
 * check; else the slow one writes piece by piece, until one does not fit. */
#include "values/line.h"

#include "base/utf8.h"
#include "values/plain.h"

enum { PIECE = 8 }; /* the longest form of one unit or pair: \u2028 */

/* One unit, or a pair, as text. */
struct piece {
    char bytes[PIECE];
    uint8_t size;
    uint8_t units;
};

/* Of `size` one-byte characters those that fit. */
static size_t left_for(const struct line *line, size_t size)
{
    size_t room = line_left(line);
    return size < room ? size : room;
}

/* Ignores the part's limit. */
static void put_raw(struct line *line, const char *bytes, size_t size, uint32_t units)
{
    if (size + line->reserve <= line->room - line->size) {
        memcpy(line->to + line->size, bytes, size);
        line->size += size;
        line->units += units;
    } else {
        line->full = true;
    }
}

/* The last piece that does not fit in the part's limit becomes "...": it may exceed the limit by
 * its three units, as in Text.cs, but not the room. */
static void append(struct line *line, const char *bytes, size_t size, uint32_t units)
{
    if (line->full) {
        return;
    }
    if (line->units > line->limit || units > line->limit - line->units) {
        put_raw(line, "...", 3, 3);
        line->full = true;
        return;
    }
    put_raw(line, bytes, size, units);
}

/* For text that was made before (a name, a literal): its parts were checked then. */
void line_put_made(struct line *line, const char *text, size_t size, uint32_t units)
{
    put_raw(line, text, size, units);
}

/* Not inlined: the copy of any length would otherwise be expanded at each place that writes a short
 * text. */
__attribute__((noinline)) void line_copy(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
}

void line_put_last(struct line *line, const char *text, size_t size)
{
    append(line, text, size, (uint32_t)size);
}

/* Character by character, so that the part that fits is written, and "..." after it. */
void line_put_some(struct line *line, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        line_put_sized(line, text + i, 1);
    }
}

/* ---- numbers ---- */

const uint64_t plain_powers[PLAIN_DIGITS] = {1,
                                             10,
                                             100,
                                             1000,
                                             10000,
                                             100000,
                                             1000000,
                                             10000000,
                                             100000000,
                                             1000000000,
                                             10000000000,
                                             100000000000,
                                             1000000000000,
                                             10000000000000,
                                             100000000000000,
                                             1000000000000000,
                                             10000000000000000,
                                             100000000000000000,
                                             1000000000000000000,
                                             10000000000000000000u};

/* Writes digits in place: copying bytes that were just written one by one stalls the processor. */
static void put_integer(struct line *line, uint64_t magnitude, bool negative)
{
    size_t size = plain_digit_count(magnitude) + negative;
    if (line_has_room(line, size)) {
        char *to = line->to + line->size;
        to[0] = '-';
        plain_digits(to + size, magnitude);
        line->size += size;
        line->units += (uint32_t)size;
        return;
    }
    char digits[1 + PLAIN_DIGITS] = "-";
    plain_digits(digits + size, magnitude);
    line_put_some(line, digits, size);
}

void line_put_unsigned(struct line *line, uint64_t value)
{
    put_integer(line, value, false);
}

void line_put_padded(struct line *line, uint64_t value, unsigned digits)
{
    if (line_has_room(line, digits)) {
        plain_padded(line->to + line->size, value, digits);
        line->size += digits;
        line->units += digits;
        return;
    }
    char text[PLAIN_DIGITS];
    plain_padded(text, value, digits);
    line_put_some(line, text, digits);
}

void line_put_signed(struct line *line, int64_t value)
{
    put_integer(line, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void line_put_hex(struct line *line, uint64_t value)
{
    char digits[18];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value % 16];
        value /= 16;
    } while (value != 0);
    digits[--at] = 'x';
    digits[--at] = '0';
    line_put_sized(line, digits + at, sizeof digits - at);
}

/* ---- text ---- */

/* By ranges, as in Text.cs: control characters, line and paragraph separators, bidirectional
 * controls, lone surrogates (not UTF-8). */
static bool is_hidden(uint32_t c)
{
    return c < ' ' || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || (c >= 0xD800 && c <= 0xDFFF);
}

static struct piece escape(char letter)
{
    return (struct piece){{'\\', letter}, 2, 2};
}

static struct piece in_utf8(uint32_t c)
{
    struct piece piece = {.units = c >= 0x10000 ? 2 : 1};
    piece.size = (uint8_t)ilpi_utf8_write((uint8_t *)piece.bytes, c);
    return piece;
}

/* As JSON and C# have it. Only units below 0x10000 are hidden (is_hidden()), so four digits are
 * enough. */
static struct piece coded(uint32_t c)
{
    struct piece piece = {{'\\', 'u'}, 6, 6};
    for (unsigned i = 0; i < 4; i++) {
        piece.bytes[2 + i] = "0123456789abcdef"[c >> (12 - 4 * i) & 0xF];
    }
    return piece;
}

/* A lone surrogate becomes U+FFFD: readers refuse it, though JSON has an escape. */
static struct piece json_piece_of(uint32_t c)
{
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (c < sizeof letters && letters[c] != '\0') {
        return escape(letters[c]);
    }
    if (c == '"' || c == '\\') {
        return escape((char)c);
    }
    c = c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c;
    return is_hidden(c) ? coded(c) : in_utf8(c);
}

/* A character between these quotes; 0: none. */
static struct piece piece_of(const struct line *line, uint32_t c, char quote)
{
    if (line->json) {
        return json_piece_of(c);
    }
    static const char letters[] = {['\0'] = '0', ['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't',
                                   ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};
    if (c < sizeof letters && letters[c] != '\0') {
        return escape(letters[c]);
    }
    if (quote != '\0' && (c == (unsigned char)quote || c == '\\')) {
        return escape((char)c);
    }
    if (!is_hidden(c)) {
        return in_utf8(c);
    }
    return coded(c);
}

static void put_piece(struct line *line, struct piece piece)
{
    append(line, piece.bytes, piece.size, piece.units);
}

static bool are_plain_at(const char *utf8)
{
    uint64_t bytes;
    memcpy(&bytes, utf8, sizeof bytes);
    return plain_are(bytes);
}

/* Eight bytes at a time. The last, incomplete word is tested together with bytes before it, which
 * are plain already. */
static size_t count_plain(const char *utf8, size_t size)
{
    size_t count = 0;
    while (size - count >= 8 && are_plain_at(utf8 + count)) {
        count += 8;
    }
    if (size >= 8 && size - count < 8 && are_plain_at(utf8 + size - 8)) {
        return size;
    }
    while (count < size && plain_is((unsigned char)utf8[count])) {
        count++;
    }
    return count;
}

bool line_is_plain(const char *utf8, size_t size)
{
    return count_plain(utf8, size) == size;
}

/* Writes the leading characters that need no escape and fit: most of most names. */
static size_t put_plain_bytes(struct line *line, const char *utf8, size_t size)
{
    size_t count = count_plain(utf8, left_for(line, size));
    line_append(line, utf8, count);
    return count;
}

void line_put_name(struct line *line, const char *utf8)
{
    size_t size = strlen(utf8);
    for (size_t at = 0; !line->full;) {
        at += put_plain_bytes(line, utf8 + at, size - at);
        if (at == size) {
            break;
        }
        put_piece(line, piece_of(line, ilpi_utf8_next((const uint8_t *)utf8, size, &at), '\0'));
    }
}

static uint16_t unit_at(const uint8_t *utf16, int32_t index)
{
    uint16_t unit;
    memcpy(&unit, utf16 + 2 * (size_t)index, sizeof unit);
    return unit;
}

void line_put_char(struct line *line, uint16_t unit)
{
    struct piece piece = piece_of(line, unit, '\'');
    if (line->json) {
        put_piece(line, piece);
        return;
    }
    char quoted[PIECE + 2] = {'\''};
    memcpy(quoted + 1, piece.bytes, piece.size);
    quoted[1 + piece.size] = '\'';
    append(line, quoted, piece.size + 2u, piece.units + 2u);
}

/* The character at *index, which advances, between these quotes; 0: none. A surrogate without its
 * other half is a character of its own, which piece_of() escapes. A high surrogate as the last of
 * `length` is one, too: the unit after it is not read. */
static struct piece next_piece(const struct line *line, const uint8_t *utf16, int32_t length,
                               int32_t *index, char quote)
{
    uint32_t c = unit_at(utf16, (*index)++);
    if (c >= 0xD800 && c < 0xDC00 && *index < length) {
        uint32_t low = unit_at(utf16, *index);
        if (low >= 0xDC00 && low < 0xE000) {
            ++*index;
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return piece_of(line, c, quote);
}

/* Writes units from `index` on, before `end`, that are plain and fit. Returns the index after
 * them. */
static int32_t put_plain_run(struct line *line, const uint8_t *utf16, int32_t index, uint32_t end)
{
    size_t most = left_for(line, (uint32_t)index < end ? end - (uint32_t)index : 0);
    size_t count = plain_copy(line->to + line->size, utf16 + 2 * (size_t)index, most);
    line->size += count;
    line->units += (uint32_t)count;
    return index + (int32_t)count;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The way for most strings: all of it is ASCII without escapes and fits. If not, plain_string()
 * gives 0, what it wrote does not count, and the caller begins again. */
static bool put_plain_string(struct line *line, const uint8_t *utf16, size_t length)
{
    size_t size = length <= line->longest
                      ? plain_string(line->to + line->size, line_left(line), utf16, length)
                      : 0;
    line->size += size;
    line->units += (uint32_t)size;
    return size != 0;
}

/* Either all of it, or a prefix with its length: `"abc"... (9 chars)`. Room for the closing is kept
 * free from the start (PLAIN_STRING_CLOSE), and so it is never cut itself. */
void line_put_string(struct line *line, const uint8_t *utf16, int32_t length, bool at_least)
{
    if (length >= 0 && put_plain_string(line, utf16, (size_t)length)) {
        return;
    }
    if (line->full) {
        return;
    }
    if (line->units + PLAIN_STRING_CLOSE >= line->limit) {
        put_raw(line, "...", 3, 3);
        line->full = true;
        return;
    }
    /* Pieces end before this length, so the closing quote and the count are within the limit. */
    uint32_t end = line->limit - PLAIN_STRING_CLOSE;
    int32_t index = 0;
    put_raw(line, "\"", 1, 1);
    for (;;) {
        uint32_t fits = end > line->units ? end - line->units : 0;
        uint32_t last = least_of((uint32_t)index + fits, line->longest);
        index = put_plain_run(line, utf16, index, least_of(last, (uint32_t)length));
        if (index == length) {
            break;
        }
        /* A piece is taken whole: `start` is where the text is cut if it does not fit. */
        int32_t start = index;
        struct piece piece = next_piece(line, utf16, length, &index, '"');
        if ((uint32_t)index > line->longest || piece.units > end - line->units) {
            index = start;
            break;
        }
        put_raw(line, piece.bytes, piece.size, piece.units);
    }
    put_raw(line, "\"", 1, 1);
    if (index < length) {
        line_put(line, "... (");
        line_put_unsigned(line, (uint64_t)length);
        line_put(line, at_least ? "+ chars)" : " chars)");
    }
}

/* Cut at `longest` units without a quote or a length: for text that is part of another notation. */
void line_put_plain(struct line *line, const uint8_t *utf16, int32_t length)
{
    int32_t end = length > 0 && (uint32_t)length > line->longest ? (int32_t)line->longest : length;
    for (int32_t index = 0; index < end && !line->full;) {
        index = put_plain_run(line, utf16, index, (uint32_t)end);
        if (index < end) {
            put_piece(line, next_piece(line, utf16, length, &index, '\0'));
        }
    }
    line_put(line, length > end ? "..." : "");
}

/* ---- JSON ---- */

/* Into the reserve, without the part's limit. What does not fit even there is dropped as a
 * whole. */
void line_put_anyway(struct line *line, const char *text, size_t size)
{
    if (size <= line->room - line->size) {
        memcpy(line->to + line->size, text, size);
        line->size += size;
    }
}

/* The number is made in a line of its own, so that it is written completely or not at all. */
void line_put_count_anyway(struct line *line, int32_t count)
{
    char digits[12];
    struct line own;
    line_begin(&own, digits, sizeof digits);
    line_part(&own, sizeof digits);
    line_put_signed(&own, count);
    line_put_anyway(line, digits, own.size);
}

/* The closing quote uses the reserve, so that JSON is complete even if the line is full. A piece
 * that did not fit is not counted: `index` returns to its start. */
bool line_put_json_string(struct line *line, const uint8_t *utf16, int32_t length)
{
    int32_t index = 0;
    line_put_anyway(line, "\"", 1);
    while (!line->full) {
        index = put_plain_run(line, utf16, index, least_of(line->longest, (uint32_t)length));
        if (index >= length) {
            break;
        }
        int32_t start = index;
        struct piece piece = next_piece(line, utf16, length, &index, '"');
        if ((uint32_t)index > line->longest) {
            index = start;
            break;
        }
        put_piece(line, piece);
        index = line->full ? start : index;
    }
    line_put_anyway(line, "\"", 1);
    return index == length;
}
