/* Prints text that may contain any bytes. See text_out.h.
 *
 * Names in assemblies are bytes that their maker chose: escape sequences could move the cursor or
 * set the terminal's title, and controls of direction could show a name in another order. Both are
 * printed as \xXX, and so is what is not UTF-8; everything else stays readable. */
#include "host/text_out.h"

#include "base/utf8.h"

void text_out(FILE *out, const char *text, bool lines)
{
    text_out_bytes(out, bytes_of(text), lines);
}

/* How many bytes of a character are printed unchanged; 0: none. */
static unsigned shown_length(struct ilp_bytes text, size_t at, bool lines)
{
    uint32_t code;
    uint8_t first = text.data[at];
    if (first >= 0x20 && first < 0x7F) {
        return 1;
    }
    unsigned length = ilpi_utf8_character(text.data + at, text.size - at, &code);
    bool obeyed = (ilpi_utf8_is_control(code) && !(lines && code == '\n')) ||
                  ilpi_utf8_is_bidi_control(code);
    return obeyed ? 0 : length;
}

/* Runs that need no escape are written at once. */
void text_out_bytes(FILE *out, struct ilp_bytes text, bool lines)
{
    for (size_t at = 0; at < text.size;) {
        size_t end = at;
        unsigned length;
        while (end < text.size && (length = shown_length(text, end, lines)) != 0) {
            end += length;
        }
        fwrite(text.data + at, 1, end - at, out);
        if (end < text.size) {
            fprintf(out, "\\x%02X", text.data[end++]);
        }
        at = end;
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
