/* A rule file as its elements, without XML: a file that one process has parsed need not be parsed
 * again by another, which then does without libxml2. These bytes are as untrusted as a file.
 *
 *   parsed    magic (8 bytes), element
 *   element   1, line (4 bytes), count of attributes (1 byte), name, (name, value)...,
 *             element..., 0
 *
 * Names and values are UTF-8 ended by a NUL, which XML does not allow inside. Numbers are
 * little-endian. */
#ifndef ILPI_RULES_PARSED_H
#define ILPI_RULES_PARSED_H

#include "rules/build.h"

/* Appends the magic, then the start and end of an element. */
void ilpi_parsed_begin(struct ilpi_buf *parsed);
void ilpi_parsed_start(struct ilpi_buf *parsed, const char *name, size_t name_size,
                       const struct ilpi_attribute_text *attributes, unsigned count, uint32_t line);
void ilpi_parsed_end(struct ilpi_buf *parsed);

/* ilpi_rules_add_parsed() (rules.h) reads it. */

#endif
