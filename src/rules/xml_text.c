/* Scans rule files as text, before and beside the XML parser. See xml_text.h.
 *
 * Before: size, encoding, and the number of attributes of each tag, in linear time. Beside: from
 * the parser's position back to the line, column and attribute that a message names. */
#include "rules/xml_text.h"

#include <string.h>

#include "base/utf8.h"

#define MAX_RULE_FILE ((size_t)64 << 20)

/* Includes namespace declarations. libxml2 before 2.12 compares all pairs. */
#define MAX_ATTRIBUTES 256u

bool ilpi_xml_starts_with(const struct ilpi_xml_text *text, size_t at, const char *wanted)
{
    size_t size = strlen(wanted);
    return text->size - at >= size && memcmp(text->text + at, wanted, size) == 0;
}

/* A byte order mark is invisible: it has no column. */
void ilpi_xml_place(const struct ilpi_xml_text *text, size_t offset, struct ilp_error *error)
{
    uint32_t line = 1;
    uint32_t column = 1;
    offset = offset < text->size ? offset : text->size;
    for (size_t i = ilpi_xml_starts_with(text, 0, "\xEF\xBB\xBF") ? 3 : 0; i < offset; i++) {
        uint8_t byte = (uint8_t)text->text[i];
        if (byte == '\n') {
            line++;
            column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            column++;
        }
    }
    if (error) {
        error->line = line;
        error->column = column;
    }
}

size_t ilpi_xml_tag_start(const struct ilpi_xml_text *text, size_t position)
{
    while (position != 0 && text->text[--position] != '<') {
    }
    return position;
}

/* Tags arrive in rising order, so lines are counted once over the whole file. `line` is that of
 * `line_offset`, from which the next call continues. */
uint32_t ilpi_xml_line(struct ilpi_xml_text *text, size_t offset)
{
    for (; text->line_offset < offset; text->line_offset++) {
        text->line += text->text[text->line_offset] == '\n';
    }
    return text->line;
}

bool ilpi_xml_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Only used for a tag that libxml2 has accepted, so the attribute is there; at the end of the text
 * both offsets are that of the tag. */
void ilpi_xml_find_attribute(const struct ilpi_xml_text *text, size_t at,
                             const struct ilpi_attribute_text *attribute, size_t *name_offset,
                             size_t *value_offset)
{
    const char *bytes = text->text;
    *name_offset = *value_offset = at;
    while (at < text->size && !ilpi_xml_is_space(bytes[at]) && bytes[at] != '>') {
        at++;
    }
    for (;;) {
        while (at < text->size && ilpi_xml_is_space(bytes[at])) {
            at++;
        }
        size_t start = at;
        while (at < text->size && bytes[at] != '=' && !ilpi_xml_is_space(bytes[at])) {
            at++;
        }
        size_t found_size = at - start;
        while (at < text->size && bytes[at] != '"' && bytes[at] != '\'') {
            at++;
        }
        if (at >= text->size) {
            return;
        }
        char quote = bytes[at++];
        if (found_size == attribute->name_size &&
            memcmp(bytes + start, attribute->name, attribute->name_size) == 0) {
            *name_offset = start;
            *value_offset = at;
            return;
        }
        while (at < text->size && bytes[at] != quote) {
            at++;
        }
        at++;
    }
}

/* The value is the one that the parser passed, with references replaced: a reference counts as one
 * character in it, and as all its bytes in the text; a line end may be two bytes there. */
size_t ilpi_xml_find_in_value(const struct ilpi_xml_text *text, size_t at,
                              const struct ilpi_attribute_text *value, size_t wanted)
{
    size_t read = 0;
    while (read < wanted && at < text->size) {
        uint32_t code;
        unsigned length = ilpi_utf8_read((const uint8_t *)value->value + read,
                                         value->value_size - read, &code);
        const char *here = text->text + at;
        const char *end = *here == '&' ? memchr(here, ';', text->size - at) : NULL;
        if (end) {
            at += (size_t)(end - here) + 1;
        } else {
            at += ilpi_xml_starts_with(text, at, "\r\n") ? 2 : length;
        }
        read += length;
    }
    return at;
}

static size_t after(const struct ilpi_xml_text *text, size_t at, const char *end)
{
    const char *found = memmem(text->text + at, text->size - at, end, strlen(end));
    return found ? (size_t)(found - text->text) + strlen(end) : text->size;
}

/* The first character of an element's content, after comments, instructions and CDATA marks, for
 * messages about text where none belongs. */
size_t ilpi_xml_find_content(const struct ilpi_xml_text *text, size_t at)
{
    for (;;) {
        bool comment = ilpi_xml_starts_with(text, at, "<!--");
        if (comment || ilpi_xml_starts_with(text, at, "<?")) {
            const char *end = comment ? "-->" : "?>";
            at += comment ? 4 : 2;
            at = after(text, at, end);
        } else if (ilpi_xml_starts_with(text, at, "<![CDATA[")) {
            at += 9;
        } else if (ilpi_xml_starts_with(text, at, "]]>")) {
            at += 3;
        } else if (at < text->size && ilpi_xml_is_space(text->text[at])) {
            at++;
        } else {
            return at;
        }
    }
}

/* Counts the attributes of the tag at *at, which becomes its end: a tag contains no `<`. Each has
 * one `=` outside of quotes; a `>` in quotes does not end the tag. */
static unsigned count_attributes(const struct ilpi_xml_text *text, size_t *at)
{
    unsigned count = 0;
    /* The quote that a value is in; 0: outside of values. */
    char quote = '\0';
    size_t i = *at + 1;
    for (; i < text->size && text->text[i] != '<' && (quote || text->text[i] != '>'); i++) {
        char c = text->text[i];
        if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else {
            count += c == '=';
        }
    }
    *at = i;
    return count;
}

/* Whether the text is well-formed is left to the parser, which stops where it is not. */
static ilp_status check_tags(const struct ilpi_xml_text *text, struct ilp_error *error)
{
    size_t at = 0;
    for (;;) {
        const char *next = memchr(text->text + at, '<', text->size - at);
        if (!next) {
            return ILP_OK;
        }
        size_t tag = at = (size_t)(next - text->text);
        if (ilpi_xml_starts_with(text, at, "<!--")) {
            at = after(text, at + 4, "-->");
        } else if (ilpi_xml_starts_with(text, at, "<![CDATA[")) {
            at = after(text, at, "]]>");
        } else if (ilpi_xml_starts_with(text, at, "<?")) {
            at = after(text, at, "?>");
        } else if (count_attributes(text, &at) > MAX_ATTRIBUTES) {
            ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                      "an element with more than %u attributes", MAX_ATTRIBUTES);
            ilpi_xml_place(text, tag, error);
            return ILP_E_BAD_RULES;
        }
    }
}

/* XML allows other encodings; here a file is UTF-8, so that offsets, columns and names need no
 * conversion. */
ilp_status ilpi_xml_text_check(const struct ilpi_xml_text *text, struct ilp_error *error)
{
    size_t at = 0;
    if (text->size > MAX_RULE_FILE) {
        return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                         "a rule file has at most %zu MB", MAX_RULE_FILE >> 20);
    }
    if (text->size == 0) {
        ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "the file is empty");
        ilpi_xml_place(text, 0, error);
        return ILP_E_BAD_RULES;
    }
    while (at < text->size) {
        uint32_t code;
        unsigned length = ilpi_utf8_read((const uint8_t *)text->text + at, text->size - at, &code);
        bool nul = length != 0 && code == 0;
        if (length == 0 || ilpi_utf8_is_surrogate(code) || nul) {
            ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "%s",
                      nul ? "a NUL byte, which XML does not allow: save the file as UTF-8 text"
                          : "this is not UTF-8: save the file in that encoding");
            ilpi_xml_place(text, at, error);
            return ILP_E_BAD_RULES;
        }
        at += length;
    }
    return check_tags(text, error);
}
