/* Text and JSON strings from bytes that may be anything. See text_out.h. */
#include "text_out.h"

/* The length of the UTF-8 sequence at `text` (RFC 3629), 0 where there is none. */
static unsigned utf8_length(const unsigned char *text)
{
    unsigned length = text[0] < 0x80                        ? 1
                      : text[0] >= 0xC2 && text[0] < 0xE0 ? 2
                      : text[0] >= 0xE0 && text[0] < 0xF0 ? 3
                      : text[0] >= 0xF0 && text[0] < 0xF5 ? 4
                                                          : 0;
    for (unsigned i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xED && text[1] >= 0xA0;
    bool beyond = text[0] == 0xF4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/* C0, DEL and C1, which some terminals obey. */
static bool is_control(const unsigned char *text)
{
    return text[0] < 0x20 || text[0] == 0x7F || (text[0] == 0xC2 && text[1] < 0xA0);
}

void text_out(FILE *out, const char *text, bool lines)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        unsigned length = utf8_length(at);
        if (length == 0 || (is_control(at) && !(lines && *at == '\n'))) {
            fprintf(out, "\\x%02X", *at++);
        } else {
            fwrite(at, 1, length, out);
            at += length;
        }
    }
}

void json_out_string(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', out);
    while (*at) {
        unsigned length = utf8_length(at);
        if (length == 0) {
            fputs("\\ufffd", out);
            at++;
        } else if (length == 1 && (*at == '"' || *at == '\\')) {
            fprintf(out, "\\%c", *at++);
        } else if (length == 1 && *at < 0x20) {
            fprintf(out, "\\u%04x", *at++);
        } else {
            fwrite(at, 1, length, out);
            at += length;
        }
    }
    fputc('"', out);
}
