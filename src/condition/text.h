/* Texts of values: UTF-16 in memory, at any address. */
#ifndef ILPI_CONDITION_TEXT_H
#define ILPI_CONDITION_TEXT_H

#include "condition/program.h"

/* Memory for matching texts, one for each thread: no call of a condition allocates. */
struct ilpi_condition_scratch {
    struct ilpi_alloc alloc;
    struct ilpi_pattern_matcher *matcher;
    uint8_t text[3 * ILPI_CONDITION_MATCHED_UNITS]; /* a unit takes at most 3 bytes as UTF-8 */
};

/* By units, like String.CompareOrdinal(). ILPI_ORDER_NONE: equal up to the limit. */
enum ilpi_scalar_order ilpi_text_compare(const struct ilpi_scalar *a, const struct ilpi_scalar *b);

/* Converts `units` to UTF-8, up to three bytes each; returns the size. Lone surrogates become
 * U+FFFD. */
size_t ilpi_text_to_utf8(const uint8_t *utf16, uint32_t units, uint8_t *to);

/* Whether the pattern matches: MET, NOT_MET, TEXT_LENGTH, MATCH_STEPS. */
enum ilpi_condition_outcome ilpi_text_match(const struct ilpi_pattern *pattern,
                                            const struct ilpi_scalar *text,
                                            struct ilpi_condition_scratch *scratch);

#endif
