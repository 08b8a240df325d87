/* Text from bytes that may be anything. See text_out.h. */
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
