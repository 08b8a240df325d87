/* What a method returned, counted: the values met most often, and for numbers the least, the
 * greatest and the mean. Bounded: among more than ILPI_KEPT_VALUES different ones the rarest makes
 * room, and its count is told as uncertainty (Metwally's "space saving": what is met more often
 * than a 64th of all is never missing). Where the limit of the memory refuses more, the same goes
 * for those that are kept then; without any, values are counted alone. */
#ifndef ILPI_VALUES_H
#define ILPI_VALUES_H

#include "base/list.h"

#define ILPI_KEPT_VALUES 64u
#define ILPI_VALUE_TEXT  128u /* longer texts are told apart by so many bytes of them */

struct ilpi_kept_value {
    struct ilp_bytes text; /* borrowed */
    bool cut;              /* it is the beginning of a longer one */
    uint64_t hash;
    uint64_t count; /* so many times, */
    uint64_t over;  /* or up to so many less */
};

/* Zero-initialised it is empty. */
struct ilpi_values {
    ILPI_LIST(struct ilpi_kept_value) kept;
    uint64_t total;
    uint64_t numbers; /* of them, and what they say */
    double least;
    double greatest;
    double sum;
};

ilp_status ilpi_values_add(struct ilpi_values *values, struct ilpi_alloc *alloc,
                           struct ilp_bytes text, struct ilp_error *error);

/* What tells a value from others. */
struct ilpi_value_key {
    struct ilp_bytes text; /* borrowed; the beginning of a longer one, */
    bool cut;              /* if this is set */
    uint64_t hash;
};

struct ilpi_value_key ilpi_value_key(struct ilp_bytes text);

/* The same without numbers, for those who count these themselves. *evicted: another value made room
 * for it. */
ilp_status ilpi_values_count(struct ilpi_values *values, struct ilpi_alloc *alloc,
                             const struct ilpi_value_key *key, bool *evicted,
                             struct ilp_error *error);

/* Those met most often first. */
void ilpi_values_sort(struct ilpi_values *values);

void ilpi_values_free(struct ilpi_values *values, struct ilpi_alloc *alloc);

#endif
