/* Text and JSON strings from bytes that may be anything. See text_out.h. */
#include "text_out.h"

#include <string.h>

#include "utf8.h"

/* The length of the sequence at `text`, 0 where there is none that may be shown. */
static unsigned shown_length(const unsigned char *text, uint32_t *code)
{
    size_t left = strnlen((const char *)text, 4);
    unsigned length = ilpi_utf8_read(text, left, code);
    return ilpi_utf8_is_surrogate(*code) ? 0 : length;
}

void text_out(FILE *out, const char *text, bool lines)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        uint32_t code;
        unsigned length = shown_length(at, &code);
        if (length == 0 || (ilpi_utf8_is_control(code) && !(lines && *at == '\n'))) {
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
        uint32_t code;
        unsigned length = shown_length(at, &code);
        if (length == 0) {
            fputs("\\ufffd", out);
            at++;
        } else if (length == 1 && (*at == '"' || *at == '\\')) {
            fprintf(out, "\\%c", *at++);
        } else if (ilpi_utf8_is_control(code)) {
            fprintf(out, "\\u%04x", code);
            at += length;
        } else {
            fwrite(at, 1, length, out);
            at += length;
        }
    }
    fputc('"', out);
}
