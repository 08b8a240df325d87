/* Attribute values of rule files: from text to what it means. */
#ifndef ILPI_RULES_VALUE_H
#define ILPI_RULES_VALUE_H

#include "rules/rules.h"

/* Reads a value of value->attribute (text copied into the arena of the rules). ILP_E_BAD_RULES:
 * *offset is the place of the mistake in the text. */
ilp_status ilpi_value_read(struct ilp_rules *rules, struct ilpi_rule_value *value, const char *text,
                           size_t size, size_t *offset, struct ilp_error *error);

bool ilpi_versions_hold(const struct ilpi_versions *versions, const uint16_t version[4]);

#endif
