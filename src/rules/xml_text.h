/* A rule file as text: whether its bytes are acceptable, and where something is in it. Knows tags
 * and quotes; a parser decides whether the text is XML. */
#ifndef ILPI_RULES_XML_TEXT_H
#define ILPI_RULES_XML_TEXT_H

#include "rules/build.h"

/* The text of a rule file, with a place from which lines are counted: places that rise cost no
 * second pass. */
struct ilpi_xml_text {
    const char *text;
    size_t size;
    size_t line_offset; /* the line of this offset; both rise. Begin with 0 and 1 */
    uint32_t line;
};

/* Offsets, columns and patterns are in UTF-8: ILP_E_BAD_RULES for other bytes, for an empty text,
 * and for too many bytes; also for a tag with more attributes than a parser should compare
 * pairwise. */
ilp_status ilpi_xml_text_check(const struct ilpi_xml_text *text, struct ilp_error *error);

/* Line and column of an offset, into an error that may be NULL. */
void ilpi_xml_place(const struct ilpi_xml_text *text, size_t offset, struct ilp_error *error);

/* The line of an offset; offsets must rise from call to call. */
uint32_t ilpi_xml_line(struct ilpi_xml_text *text, size_t offset);

bool ilpi_xml_starts_with(const struct ilpi_xml_text *text, size_t at, const char *wanted);
bool ilpi_xml_is_space(char c);

/* The start of the tag that is read up to `position`: a tag contains no `<` (XML 1.0, 2.3). */
size_t ilpi_xml_tag_start(const struct ilpi_xml_text *text, size_t position);

/* The offsets of an attribute's name and value in the well-formed tag at `at`; `at` if it has
 * none. */
void ilpi_xml_find_attribute(const struct ilpi_xml_text *text, size_t at,
                             const struct ilpi_attribute_text *attribute, size_t *name_offset,
                             size_t *value_offset);

/* The offset of one byte of a value that begins at `at`: references and line ends may be longer in
 * the file. */
size_t ilpi_xml_find_in_value(const struct ilpi_xml_text *text, size_t at,
                              const struct ilpi_attribute_text *value, size_t wanted);

/* Where characters begin after spaces, comments and processing instructions. */
size_t ilpi_xml_find_content(const struct ilpi_xml_text *text, size_t at);

#endif
