/* Converts between UTF-8 and UTF-16, in which the runtime's interfaces have their texts. See
 * wide.h. Bytes that are not UTF-8 become U+FFFD; lone surrogates are kept. */
#include "profiler/clr/wide.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

WCHAR *wide_of(struct ilp_bytes utf8, ULONG *count)
{
    /* a byte gives at most one unit */
    WCHAR *wide = malloc((utf8.size + 1) * sizeof *wide);
    ULONG units = 0;
    if (!wide) {
        return NULL;
    }
    for (size_t at = 0; at < utf8.size;) {
        uint32_t code = ilpi_utf8_next(utf8.data, utf8.size, &at);
        bool pair = code > 0xFFFF;
        wide[units++] = pair ? ilpi_utf16_high(code) : (WCHAR)code;
        if (pair) {
            wide[units++] = ilpi_utf16_low(code);
        }
    }
    wide[units] = 0;
    if (count) {
        *count = units;
    }
    return wide;
}

/* A lone surrogate is encoded in three bytes, and decoded to itself. */
static unsigned utf8_length(uint32_t code)
{
    if (code < 0x800) {
        return code < 0x80 ? 1 : 2;
    }
    return code < 0x10000 ? 3 : 4;
}

static char *put(char *to, uint32_t code)
{
    unsigned length = utf8_length(code);
    static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (unsigned i = length - 1; i > 0; i--) {
        to[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    to[0] = (char)(first[length] | code);
    return to + length;
}

static WCHAR unit_at(const uint8_t *utf16, size_t i)
{
    WCHAR unit;
    memcpy(&unit, utf16 + i * sizeof unit, sizeof unit);
    return unit;
}

/* Whole characters only, as many as there is room for, and a NUL. */
void narrow_into(char *to, size_t size, const uint8_t *utf16, size_t units)
{
    char *end = to + size - 1;
    for (size_t i = 0; i < units; i++) {
        uint32_t code = unit_at(utf16, i);
        if ((code & 0xFC00) == 0xD800 && i + 1 < units &&
            (unit_at(utf16, i + 1) & 0xFC00) == 0xDC00) {
            code = 0x10000 + ((code & 0x3FF) << 10) + (unit_at(utf16, ++i) & 0x3FFu);
        }
        if (utf8_length(code) > (size_t)(end - to)) {
            break;
        }
        to = put(to, code);
    }
    *to = '\0';
}

/* Owned by the caller; NULL: no memory. */
char *narrow_of(const WCHAR *text)
{
    size_t units = 0;
    while (text[units] != 0) {
        units++;
    }
    size_t size = units * 3 + 1; /* a pair has four bytes for two units */
    char *narrow = malloc(size);
    if (narrow) {
        narrow_into(narrow, size, (const uint8_t *)text, units);
    }
    return narrow;
}
