/* A summary of what a method returned, within bounds: the kinds of values, how many differ, the
 * most frequent ones, the distribution of numbers, and all that over time.
 *
 * At most 300 KB a method, for any number of values: 64 texts, 2,048 buckets of numbers, and
 * ILPI_TIME_SLOTS with 64 buckets each. All of it grows on demand and within the memory limit:
 * beyond that fewer texts are kept, buckets get wider, and values are in no slot. */
#ifndef ILPI_VALUE_SUMMARY_H
#define ILPI_VALUE_SUMMARY_H

#include "trace/distinct.h"
#include "trace/distribution.h"
#include "trace/value_number.h"
#include "trace/values.h"

enum ilpi_value_kind {
#define KIND(name, json, text) VALUE_##name,
#include "trace/value_kinds.def"
#undef KIND
    VALUE_KIND_COUNT
};

/* The kind by the text. *number is set for VALUE_NUMBER and VALUE_CLOCK. */
enum ilpi_value_kind ilpi_value_kind(struct ilp_bytes text, double *number);

/* The maximum number of slots that the time of a report is divided into. */
#define ILPI_TIME_SLOTS 60u

/* A part of the time, with the numbers that were returned in it. */
struct ilpi_time_slot {
    uint32_t index;
    uint64_t returns;
    struct ilpi_distribution numbers;
};

/* Zero-initialised it is empty. */
struct ilpi_value_summary {
    struct ilpi_values values; /* without its numbers */
    uint64_t kinds[VALUE_KIND_COUNT];
    struct ilpi_distinct *distinct; /* owned; NULL until `values` is full */
    bool evicted;                   /* from `values`: there were more */
    /* VALUE_NUMBER or VALUE_CLOCK, whichever came first; a generic method may return both, and the
     * other one is only counted by its kind */
    enum ilpi_value_kind unit;
    struct ilpi_distribution numbers;
    struct ilp_bytes least_text;    /* of the minimum and the maximum: they may have more digits */
    struct ilp_bytes greatest_text; /* than a double. Borrowed */
    ILPI_LIST(struct ilpi_time_slot) slots; /* with values, by index */
};

/* Adds a value that was returned in this slot of time. */
ilp_status ilpi_value_summary_add(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc,
                                  struct ilp_bytes text, uint32_t slot, struct ilp_error *error);

/* The number of different values; *exact is whether it is a count or an estimate. Values longer
 * than ILPI_VALUE_TEXT differ by their first bytes. */
uint64_t ilpi_value_summary_distinct(const struct ilpi_value_summary *summary, bool *exact);

/* The count of the slot with the most values. */
uint64_t ilpi_value_summary_busiest(const struct ilpi_value_summary *summary);

void ilpi_value_summary_free(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc);

#endif
