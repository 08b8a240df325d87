/* UTF-8 to UTF-16 and back. See wide.h. */
#include "profiler/wide.h"

#include <stdlib.h>

#include "utf8.h"

WCHAR *wide_of(struct ilp_bytes utf8, ULONG *count)
{
    WCHAR *wide = malloc((utf8.size + 1) * sizeof *wide); /* a byte never makes more than one unit */
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

/* Half a pair stands for itself, in three bytes, and comes back as it was. */
static char *put(char *to, uint32_t code)
{
    unsigned length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (unsigned i = length - 1; i > 0; i--) {
        to[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    to[0] = (char)(first[length] | code);
    return to + length;
}

char *narrow_of(const WCHAR *text)
{
    size_t units = 0;
    while (text[units] != 0) {
        units++;
    }
    char *narrow = malloc(units * 3 + 1);
    char *to = narrow;
    for (size_t i = 0; i < units && narrow; i++) {
        uint32_t code = text[i];
        if ((code & 0xFC00) == 0xD800 && (text[i + 1] & 0xFC00) == 0xDC00) {
            code = 0x10000 + ((code & 0x3FF) << 10) + (text[++i] & 0x3FF);
        }
        to = put(to, code);
    }
    if (narrow) {
        *to = '\0';
    }
    return narrow;
}
