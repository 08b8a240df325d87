/* Framework values with a short text of their own, as ToString() gives it under the invariant
 * culture; dates in the format "o". */
#include "values/notation.h"
#include "values/write_known.h"

#include "base/utf8.h"

static const char unknown[] = "{...}";

#define UNUSED_DEPTH (void)depth

void known_put_uri(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                   unsigned depth)
{
    bool original = known_reference(shape, 0, base) != NULL;
    write_value(writer, shape->fields[original ? 0 : 1].shape,
                known_field(shape, original ? 0 : 1, base), depth);
}

/* Missing parts are -1. */
void known_put_version(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    UNUSED_DEPTH;
    for (unsigned i = 0; i < 4 && (i < 2 || known_number(shape, i, base) >= 0); i++) {
        line_put(writer->line, i == 0 ? "" : ".");
        line_put_signed(writer->line, known_number(shape, i, base));
    }
}

/* ---- StringBuilder: chunks, from the last to the first ---- */

/* The chunks of a StringBuilder:
 *
 *   builder (the last chunk) -> m_ChunkPrevious -> m_ChunkPrevious -> null
 *   m_ChunkOffset: the characters before it; m_ChunkLength: its own, in m_ChunkChars */
enum { MAX_CHUNKS = 4096 };
enum { CHUNK_CHARS, CHUNK_PREVIOUS, CHUNK_LENGTH, CHUNK_OFFSET };

/* Copies a chunk's share of the first `count` characters; false: it is inconsistent. */
static bool copy_chunk(const struct value_writer *writer, const struct shape *shape,
                       const uint8_t *chunk, uint8_t *chars, int32_t count)
{
    const uint8_t *array = known_reference(shape, CHUNK_CHARS, chunk);
    const struct shape *own = own_shape(writer, array);
    int32_t offset = known_number(shape, CHUNK_OFFSET, chunk);
    int32_t length = known_number(shape, CHUNK_LENGTH, chunk);
    if (!own || own->kind != SHAPE_ELEMENTS || own->inner->size != 2 || offset < 0 || length < 0) {
        return false;
    }
    int32_t most = read_length(array + LENGTH_OFFSET);
    length = length < most ? length : most;
    if (offset < count) {
        length = length < count - offset ? length : count - offset;
        memcpy(chars + 2 * (size_t)offset, array + own->data, 2 * (size_t)length);
    }
    return true;
}

/* The length is known from the last chunk alone: its offset and its own length. Chunks are copied
 * from the last to the first, to where each belongs. The text must be complete before it is
 * written, because escapes and the limit work from its start. */
void known_put_builder(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    uint8_t chars[2 * MOST_CHARS];
    const uint8_t *chunk = base;
    /* In 64 bits: both numbers may be anything while another thread writes them. */
    int64_t length = (int64_t)known_number(shape, CHUNK_OFFSET, base) +
                     known_number(shape, CHUNK_LENGTH, base);
    bool known = writer->shaped->types && length >= 0 && length <= INT32_MAX;
    int32_t count = known_clamp((int32_t)length, known_chars_read(writer));
    UNUSED_DEPTH;
    memset(chars, 0, 2 * (size_t)count); /* for parts that no chunk has while another thread changes
                                            them */
    for (unsigned i = 0; known && chunk; i++) {
        known = i < MAX_CHUNKS && own_shape(writer, chunk) == shape &&
                copy_chunk(writer, shape, chunk, chars, count);
        chunk = known_reference(shape, CHUNK_PREVIOUS, chunk);
    }
    if (known) {
        put_text(writer, chars, (int32_t)length);
    } else {
        put_mark(writer, "...");
    }
}

void known_put_type(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    const struct object_types *types = writer->shaped->types;
    const struct shape *meant = types && types->meant
                                    ? types->meant(types->user,
                                                   (uintptr_t)known_reference(shape, 0, base))
                                    : NULL;
    UNUSED_DEPTH;
    line_put(writer->line, "typeof(");
    line_put_name(writer->line, meant && meant->name ? meant->name : "...");
    line_put(writer->line, ")");
}

/* ---- Index and Range ---- */

/* An index from the end is stored as its complement. */
void known_put_index(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    int32_t index = known_number(shape, 0, base);
    UNUSED_DEPTH;
    line_put(writer->line, index < 0 ? "^" : "");
    line_put_signed(writer->line, index < 0 ? ~index : index);
}

void known_put_range(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    write_value(writer, shape->fields[0].shape, known_field(shape, 0, base), depth);
    line_put(writer->line, "..");
    write_value(writer, shape->fields[1].shape, known_field(shape, 1, base), depth);
}

/* ---- dates and characters ---- */

void known_put_date_only(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *base, unsigned depth)
{
    UNUSED_DEPTH;
    if (!shape_put_days(writer->line, known_number(shape, 0, base))) {
        line_put(writer->line, unknown);
    }
}

void known_put_time_only(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *base, unsigned depth)
{
    UNUSED_DEPTH;
    if (!shape_put_time_of_day(writer->line, read_unsigned(known_field(shape, 0, base), 8))) {
        line_put(writer->line, unknown);
    }
}

/* The time is stored as UTC; the local time is shown. */
void known_put_date_time_offset(struct value_writer *writer, const struct shape *shape,
                                const uint8_t *base, unsigned depth)
{
    const int64_t minute = 600000000, day = 24 * 60 * minute;
    struct line *line = writer->line;
    int64_t ticks = (int64_t)read_ticks(known_field(shape, 0, base));
    int32_t offset = (int32_t)read_signed(known_field(shape, 1, base), /* in minutes */
                                          shape->fields[1].shape->size);
    UNUSED_DEPTH;
    ticks += (offset > -1440 && offset < 1440 ? offset : 0) * minute;
    if (ticks < 0 || !shape_put_days(line, ticks / day)) {
        line_put(line, unknown);
        return;
    }
    line_put(line, "T");
    shape_put_time_of_day(line, (uint64_t)(ticks % day));
    line_put(line, offset < 0 ? "-" : "+");
    unsigned minutes = (unsigned)(offset < 0 ? -offset : offset);
    line_put_padded(line, minutes / 60, 2);
    line_put(line, ":");
    line_put_padded(line, minutes % 60, 2);
}

/* A Rune is a scalar value (Unicode), so at most U+10FFFF; other bits are damage. */
void known_put_rune(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    uint32_t code = (uint32_t)known_number(shape, 0, base);
    char text[8] = "";
    UNUSED_DEPTH;
    if (code > 0x10FFFF) {
        line_put(writer->line, unknown);
        return;
    }
    if (code != 0) {
        text[ilpi_utf8_write((uint8_t *)text, code)] = '\0';
    }
    line_put_name(writer->line, code == 0 ? "\\0" : text);
}

/* ---- numbers ---- */

enum { MAX_WORDS = 64, NATURAL_DIGITS = 640 };

/* Words of 32 bits, the lowest first; they become 0. 64 words have at most 617 digits. */
static void put_natural(struct line *line, uint32_t *words, unsigned count)
{
    char text[NATURAL_DIGITS];
    size_t at = sizeof text;
    while (count != 0 && words[count - 1] == 0) {
        count--;
    }
    do {
        text[--at] = (char)('0' + words_divide(words, count));
        while (count != 0 && words[count - 1] == 0) {
            count--;
        }
    } while (count != 0);
    line_put_chars(line, text + at, sizeof text - at);
}

/* Two's complement of 128 bits, in two words: the low word is negated, the high one inverted, plus
 * the carry that only a low word of 0 makes. */
static void put_wide(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     bool is_signed)
{
    uint64_t low = read_unsigned(known_field(shape, 0, base), 8);
    uint64_t high = read_unsigned(known_field(shape, 1, base), 8);
    if (is_signed && high >> 63 != 0) {
        line_put(writer->line, "-");
        high = ~high + (low == 0);
        low = -low;
    }
    uint32_t words[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                         (uint32_t)(high >> 32)};
    put_natural(writer->line, words, 4);
}

void known_put_wide_signed(struct value_writer *writer, const struct shape *shape,
                           const uint8_t *base, unsigned depth)
{
    UNUSED_DEPTH;
    put_wide(writer, shape, base, true);
}

void known_put_wide_unsigned(struct value_writer *writer, const struct shape *shape,
                             const uint8_t *base, unsigned depth)
{
    UNUSED_DEPTH;
    put_wide(writer, shape, base, false);
}

void known_put_half(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    UNUSED_DEPTH;
    float_put_half(writer->line, (uint16_t)read_unsigned(known_field(shape, 0, base), 2));
}

/* A small number is stored in the sign field. Of others `sign` has only the sign, and the magnitude
 * is in an array, the lowest word first. */
void known_put_big_integer(struct value_writer *writer, const struct shape *shape,
                           const uint8_t *base, unsigned depth)
{
    struct line *line = writer->line;
    int32_t sign = known_number(shape, 0, base);
    const uint8_t *bits = known_reference(shape, 1, base);
    const struct shape *own = own_shape(writer, bits);
    uint32_t words[MAX_WORDS];
    UNUSED_DEPTH;
    if (!bits) {
        line_put_signed(line, sign);
        return;
    }
    int32_t count = read_length(bits + LENGTH_OFFSET);
    if (!own || own->kind != SHAPE_ELEMENTS || own->inner->size != 4 || count > MAX_WORDS ||
        count < 0) {
        line_put(line, unknown);
        return;
    }
    memcpy(words, bits + own->data, 4 * (size_t)count);
    line_put(line, sign < 0 ? "-" : "");
    put_natural(line, words, (unsigned)count);
}
