/* Writes pages for a browser. See page.h.
 *
 *   report.html:   ... @STYLE@ ... @TRACE@ ... @CHARTS@ ...
 *                  page_begin()    data    page_end()
 *
 * The pages are part of the program as byte arrays. Their style and charts are files of their own,
 * which both pages use; they are inserted when a page is written. */
#include "tools/export/page.h"

#include "base/utf8.h"

extern const char html_page[];
extern const uint32_t html_page_size;
extern const char values_page[];
extern const uint32_t values_page_size;
extern const char page_style[];
extern const uint32_t page_style_size;
extern const char page_charts[];
extern const uint32_t page_charts_size;

static const char content_mark[] = "@TRACE@";

/* What replaces each mark in a page. */
static const struct {
    const char *mark;
    const char *text;
    const uint32_t *size;
} inserts[] = {
    {"@STYLE@", page_style, &page_style_size},
    {"@CHARTS@", page_charts, &page_charts_size},
};

struct ilp_bytes page_of_calls(void)
{
    return (struct ilp_bytes){(const uint8_t *)html_page, html_page_size};
}

struct ilp_bytes page_of_values(void)
{
    return (struct ilp_bytes){(const uint8_t *)values_page, values_page_size};
}

/* The offset of a mark; the size of the page if there is none. */
static size_t find_mark(struct ilp_bytes page, const char *mark)
{
    const uint8_t *found = memmem(page.data, page.size, mark, strlen(mark));
    return found ? (size_t)(found - page.data) : page.size;
}

/* A part of a page, with each mark at most once, in the order of the table. */
static void write_part(FILE *out, struct ilp_bytes part)
{
    for (size_t i = 0; i < sizeof inserts / sizeof *inserts; i++) {
        size_t mark = find_mark(part, inserts[i].mark);
        if (mark != part.size) {
            size_t rest = mark + strlen(inserts[i].mark);
            fwrite(part.data, 1, mark, out);
            fwrite(inserts[i].text, 1, *inserts[i].size, out);
            part = (struct ilp_bytes){part.data + rest, part.size - rest};
        }
    }
    fwrite(part.data, 1, part.size, out);
}

void page_begin(FILE *out, struct ilp_bytes page)
{
    write_part(out, (struct ilp_bytes){page.data, find_mark(page, content_mark)});
}

void page_end(FILE *out, struct ilp_bytes page)
{
    size_t rest = find_mark(page, content_mark) + sizeof content_mark - 1;
    write_part(out, (struct ilp_bytes){page.data + rest, page.size - rest});
}

/* ---- texts ---- */

/* The characters that mean something in text, or in an attribute with quotes of either kind. */
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

/* Zero-width characters and Unicode line ends, besides control characters. */
static bool is_unseen(uint32_t code)
{
    return ilpi_utf8_is_control(code) || ilpi_utf8_is_bidi_control(code) ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x2029) ||
           (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF;
}

/* As text of an element or attribute. What is not a character, or not visible, is shown as an
 * escape, so that two texts that look alike are alike. */
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
