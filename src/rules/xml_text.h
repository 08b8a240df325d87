/* A rule file as text: whether its bytes may be one, and where in it something stands. Knows tags
 * and quotes, but leaves it to a parser whether the text is XML. */
#ifndef ILPI_RULES_XML_TEXT_H
#define ILPI_RULES_XML_TEXT_H

#include "rules/build.h"

struct ilpi_xml_text {
    const char *text;
    size_t size;
    size_t line_offset; /* the line of this offset is `line`; both rise. Begin with 0 and 1 */
    uint32_t line;
};

/* Offsets and columns, and patterns, go by UTF-8: ILP_E_BAD_RULES for other bytes, for none, and
 * for too many; also for a tag of more attributes than a parser should compare with each other. */
ilp_status ilpi_xml_text_check(const struct ilpi_xml_text *text, struct ilp_error *error);

/* Line and column of an offset, into an error that may be NULL. */
void ilpi_xml_place(const struct ilpi_xml_text *text, size_t offset, struct ilp_error *error);

/* The line alone, of offsets that rise from call to call. */
uint32_t ilpi_xml_line(struct ilpi_xml_text *text, size_t offset);

bool ilpi_xml_starts_with(const struct ilpi_xml_text *text, size_t at, const char *wanted);
bool ilpi_xml_is_space(char c);

/* Where the tag begins that is read up to `position`: no `<` stands within one (XML 1.0, 2.3). */
size_t ilpi_xml_tag_start(const struct ilpi_xml_text *text, size_t position);

/* The offsets of an attribute's name and value in the tag at `at`, which is well-formed; `at` where
 * it has no such one. */
void ilpi_xml_find_attribute(const struct ilpi_xml_text *text, size_t at,
                             const struct ilpi_attribute_text *attribute, size_t *name_offset,
                             size_t *value_offset);

/* The offset of one byte of a value that begins at `at`: references and line ends may be longer in
 * the file. */
size_t ilpi_xml_find_in_value(const struct ilpi_xml_text *text, size_t at,
                              const struct ilpi_attribute_text *value, size_t wanted);

/* Where characters begin behind spaces, comments and processing instructions. */
size_t ilpi_xml_find_content(const struct ilpi_xml_text *text, size_t at);

#endif
