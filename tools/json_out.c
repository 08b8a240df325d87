/* JSON strings (RFC 8259, 7). See json_out.h. */
#include "json_out.h"

unsigned utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    unsigned length = c[0] < 0x80 ? 1 : c[0] >= 0xF0 && c[0] < 0xF5 ? 4 : c[0] >= 0xE0 && c[0] < 0xF0 ? 3 : c[0] >= 0xC2 && c[0] < 0xE0 ? 2 : 0;
    for (unsigned i = 1; i < length; i++) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    /* Surrogates and overlong forms are no UTF-8 either. */
    if ((c[0] == 0xED && c[1] >= 0xA0) || (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90) ||
        (c[0] == 0xF4 && c[1] >= 0x90)) {
        return 0;
    }
    return length;
}

void json_out_string(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        unsigned length = utf8_length(text);
        if (length == 0) {
            fputs("\\ufffd", out);
            text++;
        } else if (length > 1) {
            fwrite(text, 1, length, out);
            text += length;
        } else {
            unsigned char c = (unsigned char)*text++;
            if (c == '"' || c == '\\') {
                fprintf(out, "\\%c", c);
            } else if (c < 0x20) {
                fprintf(out, "\\u%04x", c);
            } else {
                fputc(c, out);
            }
        }
    }
    fputc('"', out);
}
