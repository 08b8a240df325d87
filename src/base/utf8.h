/* UTF-8 (RFC 3629), and bytes that are not. Names in an assembly are UTF-8 only by convention. */
#ifndef ILPI_UTF8_H
#define ILPI_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The sequence length by its first byte: 1 to 4, or 0 for a byte that begins none: a continuation
 * byte, and those from F8 on. */
static inline unsigned ilpi_utf8_length(uint8_t first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xE0) {
        return first < 0xC0 ? 0 : 2;
    }
    if (first < 0xF0) {
        return 3;
    }
    return first < 0xF8 ? 4 : 0;
}

/* The length of the sequence at `text`, 1 to 4, and its code point; 0 if it is not a sequence or
 * `left` bytes cut it.
 *
 *   0xxxxxxx                               to U+007F
 *   110xxxxx 10xxxxxx                      to U+07FF
 *   1110xxxx 10xxxxxx 10xxxxxx             to U+FFFF
 *   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx    to U+10FFFF */
static inline unsigned ilpi_utf8_read(const uint8_t *text, size_t left, uint32_t *code)
{
    /* by length: smaller code points would be overlong */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = text[0];
    unsigned length = ilpi_utf8_length(first);
    *code = length <= 1 ? first : first & (0x7Fu >> length);
    if (length > left) {
        return 0;
    }
    for (unsigned i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (text[i] & 0x3Fu);
    }
    return *code >= least[length] && *code <= 0x10FFFF ? length : 0;
}

/* The code point at *at, which is advanced. A byte that is not UTF-8 gives U+FFFD. Surrogates pass:
 * a name may hold one, and UTF-16 can represent it. */
static inline uint32_t ilpi_utf8_next(const uint8_t *text, size_t size, size_t *at)
{
    uint32_t code;
    unsigned length = ilpi_utf8_read(text + *at, size - *at, &code);
    *at += length != 0 ? length : 1;
    return length != 0 ? code : 0xFFFD;
}

/* Writes a code point as UTF-8, up to four bytes; returns their number. Surrogates are written as
 * they are: callers that want none filter them first. */
static inline unsigned ilpi_utf8_write(uint8_t *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (uint8_t)code;
        return 1;
    }
    unsigned more = 1u + (code >= 0x800) + (code >= 0x10000);
    /* the shift leaves as many ones at the top as the sequence has bytes, then a zero */
    to[0] = (uint8_t)(0xFF00u >> (more + 1) | code >> (6 * more));
    for (unsigned i = 1; i <= more; i++) {
        to[i] = (uint8_t)(0x80 | (code >> (6 * (more - i)) & 0x3F));
    }
    return more + 1;
}

/* A code point above U+FFFF as the two units of UTF-16. D7C0 is D800 less 10000h >> 10. */
static inline uint16_t ilpi_utf16_high(uint32_t code)
{
    return (uint16_t)(0xD7C0 + (code >> 10));
}

static inline uint16_t ilpi_utf16_low(uint32_t code)
{
    return (uint16_t)(0xDC00 | (code & 0x3FF));
}

/* C0, DEL and C1: control characters of terminals. */
static inline int ilpi_utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/* Bidirectional controls (UAX 9), which reorder the text around them: marks, embeddings, overrides,
 * isolates. */
static inline int ilpi_utf8_is_bidi_control(uint32_t code)
{
    return code == 0x61C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/* Surrogates are code points of UTF-16 only. */
static inline int ilpi_utf8_is_surrogate(uint32_t code)
{
    return code >= 0xD800 && code < 0xE000;
}

/* ilpi_utf8_read() for output: 0 for a surrogate as well. */
static inline unsigned ilpi_utf8_character(const uint8_t *text, size_t left, uint32_t *code)
{
    unsigned length = ilpi_utf8_read(text, left, code);
    return ilpi_utf8_is_surrogate(*code) ? 0 : length;
}

#endif
