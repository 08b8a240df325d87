/* Text and JSON strings from bytes that may be anything. See text_out.h. */
#include "host/text_out.h"

#include "base/utf8.h"

void text_out(FILE *out, const char *text, bool lines)
{
    text_out_bytes(out, bytes_of(text), lines);
}

void text_out_bytes(FILE *out, struct ilp_bytes text, bool lines)
{
    for (size_t at = 0; at < text.size;) {
        uint32_t code;
        unsigned length = ilpi_utf8_character(text.data + at, text.size - at, &code);
        if (length == 0 || (ilpi_utf8_is_control(code) && !(lines && code == '\n'))) {
            fprintf(out, "\\x%02X", text.data[at++]);
        } else {
            fwrite(text.data + at, 1, length, out);
            at += length;
        }
    }
}

static ilp_status write_to_file(void *user, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size ? ILP_OK : ILP_E_CALLBACK;
}

struct ilp_sink text_out_sink(FILE *out)
{
    return (struct ilp_sink){out, write_to_file};
}

void json_out_string(FILE *out, const char *text)
{
    json_out_bytes(out, bytes_of(text));
}

/* How many bytes from `at` on stand in a JSON string as they are: printable ASCII, which most names are of. */
static size_t plain_length(struct ilp_bytes text, size_t at)
{
    size_t end = at;
    while (end < text.size && text.data[end] >= 0x20 && text.data[end] < 0x7F && text.data[end] != '"' &&
           text.data[end] != '\\') {
        end++;
    }
    return end - at;
}

void json_out_bytes(FILE *out, struct ilp_bytes text)
{
    fputc('"', out);
    for (size_t at = 0; at < text.size;) {
        uint32_t code;
        size_t plain = plain_length(text, at);
        if (plain != 0) {
            fwrite(text.data + at, 1, plain, out);
            at += plain;
            continue;
        }
        unsigned length = ilpi_utf8_character(text.data + at, text.size - at, &code);
        if (length == 0) {
            fputs("\\ufffd", out);
        } else if (code == '"' || code == '\\') {
            fprintf(out, "\\%c", (int)code);
        } else if (ilpi_utf8_is_control(code) || code == 0x2028 || code == 0x2029) { /* some readers end lines at these two */
            fprintf(out, "\\u%04x", code);
        } else {
            fwrite(text.data + at, 1, length, out);
        }
        at += length != 0 ? length : 1;
    }
    fputc('"', out);
}
