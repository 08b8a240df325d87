/* Differences as JSON (data/diff.schema.json): begin, any number of methods, end. */
#ifndef DIFF_JSON_H
#define DIFF_JSON_H

#include "base/json.h"
#include "tools/diff/method_diff.h"
#include "tools/diff/method_pairs.h"

/* Of methods that both files have, except `only_old` and `only_new`. */
struct diff_counts {
    size_t differ;
    size_t same;
    size_t only_old;
    size_t only_new;
    size_t skipped; /* beyond the limit for shared bodies */
};

/* To standard output. */
void diff_json_begin(struct ilpi_json *json, const char *old_file, const char *new_file);

/* `diff` has just compared the pair, with this result: not METHOD_TOO_MUCH, which is only counted.
 * `text` is the method's full name. All lines are written, also those that are the same. */
void diff_json_method(struct ilpi_json *json, const struct method_pair *pair, const char *text,
                      enum method_difference result, const struct method_diff *diff);

void diff_json_end(struct ilpi_json *json, const struct diff_counts *counts);

#endif
