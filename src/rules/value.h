/* Parses attribute values of rule files. */
#ifndef ILPI_RULES_VALUE_H
#define ILPI_RULES_VALUE_H

#include "rules/rules.h"

/* Parses a value of value->attribute (text copied into the arena of the rules). ILP_E_BAD_RULES:
 * *offset is that of the mistake. */
ilp_status ilpi_value_read(struct ilp_rules *rules, struct ilpi_rule_value *value, const char *text,
                           size_t size, size_t *offset, struct ilp_error *error);

bool ilpi_versions_hold(const struct ilpi_versions *versions, const uint16_t version[4]);

#endif
