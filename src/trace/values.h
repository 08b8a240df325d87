/* The values a method returned, counted: the most frequent ones, and for numbers minimum, maximum
 * and mean. Bounded: beyond ILPI_KEPT_VALUES different values the rarest is replaced, and its count
 * becomes the uncertainty of the new one (Metwally's "space saving": a value with more than a 64th
 * of all occurrences is never missing). If the memory limit allows fewer, the same holds for those;
 * if none, values are only counted. */
#ifndef ILPI_VALUES_H
#define ILPI_VALUES_H

#include "base/list.h"

#define ILPI_KEPT_VALUES 64u
#define ILPI_VALUE_TEXT  128u /* longer texts are distinguished by this many bytes */

/* One of the most frequent texts. When one replaces another it takes over its count, which may so
 * be too high, by `over` at most. */
struct ilpi_kept_value {
    struct ilp_bytes text; /* borrowed */
    bool cut;              /* it is the start of a longer text */
    uint64_t hash;
    uint64_t count; /* number of occurrences */
    uint64_t over;  /* by which `count` may be too high */
};

/* Zero-initialised it is empty. */
struct ilpi_values {
    ILPI_LIST(struct ilpi_kept_value) kept;
    uint64_t total;
    uint64_t numbers; /* number of numbers, and their statistics */
    double least;
    double greatest;
    double sum;
};

ilp_status ilpi_values_add(struct ilpi_values *values, struct ilpi_alloc *alloc,
                           struct ilp_bytes text, struct ilp_error *error);

/* The identity of a value. */
struct ilpi_value_key {
    struct ilp_bytes text; /* borrowed; the start of a longer text */
    bool cut;              /* if this is set */
    uint64_t hash;
};

struct ilpi_value_key ilpi_value_key(struct ilp_bytes text);

/* The same without statistics of numbers, for callers that have their own. *evicted: another value
 * was replaced. */
ilp_status ilpi_values_count(struct ilpi_values *values, struct ilpi_alloc *alloc,
                             const struct ilpi_value_key *key, bool *evicted,
                             struct ilp_error *error);

/* Sorts by falling count. */
void ilpi_values_sort(struct ilpi_values *values);

void ilpi_values_free(struct ilpi_values *values, struct ilpi_alloc *alloc);

#endif
