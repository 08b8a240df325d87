/* Pages for a browser. See page.h. */
#include "tools/export/page.h"

#include "base/utf8.h"

extern const char html_page[];
extern const uint32_t html_page_size;
extern const char values_page[];
extern const uint32_t values_page_size;
extern const char page_style[];
extern const uint32_t page_style_size;

static const char style_mark[] = "@STYLE@";
static const char content_mark[] = "@TRACE@";

struct ilp_bytes page_of_calls(void)
{
    return (struct ilp_bytes){(const uint8_t *)html_page, html_page_size};
}

struct ilp_bytes page_of_values(void)
{
    return (struct ilp_bytes){(const uint8_t *)values_page, values_page_size};
}

/* Where the first such mark begins; each page has one of each. */
static size_t find_mark(struct ilp_bytes page, const char *mark)
{
    const uint8_t *found = memmem(page.data, page.size, mark, strlen(mark));
    return (size_t)(found - page.data);
}

void page_begin(FILE *out, struct ilp_bytes page)
{
    size_t style = find_mark(page, style_mark);
    size_t rest = style + sizeof style_mark - 1;
    fwrite(page.data, 1, style, out);
    fwrite(page_style, 1, page_style_size, out);
    fwrite(page.data + rest, 1, find_mark(page, content_mark) - rest, out);
}

void page_end(FILE *out, struct ilp_bytes page)
{
    size_t rest = find_mark(page, content_mark) + sizeof content_mark - 1;
    fwrite(page.data + rest, 1, page.size - rest, out);
}

/* ---- texts ---- */

static const char *entity(uint32_t code)
{
    switch (code) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

/* Characters without width, and line ends of Unicode, beside what a terminal would obey. */
static bool is_unseen(uint32_t code)
{
    return ilpi_utf8_is_control(code) || ilpi_utf8_is_bidi_control(code) ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x2029) ||
           (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF;
}

void page_text(FILE *out, struct ilp_bytes text)
{
    size_t length;
    for (size_t at = 0; at < text.size; at += length) {
        uint32_t code;
        length = ilpi_utf8_character(text.data + at, text.size - at, &code);
        if (length == 0) {
            fprintf(out, "\\x%02X", text.data[at]);
            length = 1;
        } else if (entity(code)) {
            fputs(entity(code), out);
        } else if (is_unseen(code)) {
            fprintf(out, "\\u%04x", code);
        } else {
            fwrite(text.data + at, 1, length, out);
        }
    }
}
