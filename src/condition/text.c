/* Compares and matches texts, and holds the memory that matching needs. See text.h.
 *
 * Both are limited, because conditions are tested where nothing may take long: a comparison to
 * 65,536 units, a match to the first 1,024. If the limit matters, the outcome is unknown and not
 * false: for a match the part that was read may decide it (ilpi_pattern_match_start()). */
#include "condition/text.h"

#include <string.h>

#include "base/utf8.h"

/* By UTF-16 units: as in C#, and unlike UTF-8 order, surrogates are below U+E000. */
enum ilpi_scalar_order ilpi_text_compare(const struct ilpi_scalar *a, const struct ilpi_scalar *b)
{
    uint32_t common = a->length < b->length ? a->length : b->length;
    uint32_t end = common < ILPI_CONDITION_COMPARED_UNITS ? common : ILPI_CONDITION_COMPARED_UNITS;
    for (uint32_t i = 0; i < end; i++) {
        uint16_t left, right;
        memcpy(&left, a->as.bytes + 2 * (size_t)i, sizeof left);
        memcpy(&right, b->as.bytes + 2 * (size_t)i, sizeof right);
        if (left != right) {
            return left < right ? ILPI_ORDER_LESS : ILPI_ORDER_GREATER;
        }
    }
    if (end < common) {
        return ILPI_ORDER_NONE;
    }
    return (enum ilpi_scalar_order)((a->length > b->length) - (a->length < b->length));
}

/* Regular expressions are matched in UTF-8, like those of rules, with one library for both. */
size_t ilpi_text_to_utf8(const uint8_t *utf16, uint32_t units, uint8_t *to)
{
    size_t size = 0;
    for (uint32_t i = 0; i < units; i++) {
        uint16_t unit, low;
        uint32_t c;
        memcpy(&unit, utf16 + 2 * (size_t)i, sizeof unit);
        c = unit;
        if (unit >= 0xD800 && unit < 0xE000) {
            c = 0xFFFD;
            if (unit < 0xDC00 && i + 1 < units) {
                memcpy(&low, utf16 + 2 * (size_t)i + 2, sizeof low);
                if (low >= 0xDC00 && low < 0xE000) {
                    c = 0x10000 + ((unit - 0xD800u) << 10) + (low - 0xDC00u);
                    i++;
                }
            }
        }
        size += ilpi_utf8_write(to + size, c);
    }
    return size;
}

/* A scratch is opened for one expression, and works for all others. There is one: callers look at
 * needs_scratch. */
static const struct ilpi_pattern *first_regex(const struct ilpi_condition *condition)
{
    const struct ilpi_condition_test *test = condition->tests.items;
    while (test->comparison != ILPI_COMPARE_MATCH) {
        test++;
    }
    return &test->pattern;
}

ilp_status ilpi_condition_scratch_open(struct ilpi_condition_scratch **out,
                                       const struct ilpi_condition *condition,
                                       const struct ilp_allocator *allocator,
                                       struct ilp_error *error)
{
    *out = NULL;
    struct ilpi_condition_scratch *scratch = ilpi_object_open(sizeof *scratch, allocator, error);
    if (!scratch) {
        return ILP_E_NO_MEMORY;
    }
    ilp_status status = ilpi_pattern_matcher_open_fixed(&scratch->matcher, &scratch->alloc,
                                                        first_regex(condition), error);
    if (status != ILP_OK) {
        ilpi_condition_scratch_close(scratch);
        return status;
    }
    *out = scratch;
    return ILP_OK;
}

void ilpi_condition_scratch_close(struct ilpi_condition_scratch *scratch)
{
    if (scratch) {
        ilpi_pattern_matcher_close(scratch->matcher);
        ilpi_object_close(&scratch->alloc, sizeof *scratch);
    }
}

/* A surrogate pair that the limit would split is left out. */
static uint32_t first_units(const struct ilpi_scalar *text)
{
    uint16_t last;
    memcpy(&last, text->as.bytes + 2 * (ILPI_CONDITION_MATCHED_UNITS - 1), sizeof last);
    /* A high surrogate at the end: its other half is beyond the limit. */
    bool is_cut = last >= 0xD800 && last < 0xDC00;
    return is_cut ? ILPI_CONDITION_MATCHED_UNITS - 1 : ILPI_CONDITION_MATCHED_UNITS;
}

/* A text that is too long is matched by its beginning only: ilpi_pattern_match_start() answers
 * UNKNOWN where the rest could decide. */
enum ilpi_condition_outcome ilpi_text_match(const struct ilpi_pattern *pattern,
                                            const struct ilpi_scalar *text,
                                            struct ilpi_condition_scratch *scratch)
{
    bool whole = text->length <= ILPI_CONDITION_MATCHED_UNITS;
    uint32_t units = whole ? text->length : first_units(text);
    struct ilp_bytes subject = {scratch->text,
                                ilpi_text_to_utf8(text->as.bytes, units, scratch->text)};
    enum ilp_tristate truth = whole ? ilpi_pattern_match(pattern, scratch->matcher, subject)
                                    : ilpi_pattern_match_start(pattern, scratch->matcher, subject);
    if (truth == ILP_UNKNOWN) {
        return whole ? ILPI_CONDITION_MATCH_STEPS : ILPI_CONDITION_TEXT_LENGTH;
    }
    return truth == ILP_YES ? ILPI_CONDITION_MET : ILPI_CONDITION_NOT_MET;
}
