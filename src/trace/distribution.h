/* A distribution of numbers in fixed memory: count, minimum, maximum, sum, quantiles, and how many
 * are within a range.
 *
 * Numbers are counted in buckets; a bucket's key is a double without its low bits. No bits are
 * dropped until there are more different numbers than buckets; then one more bit at a time, which
 * merges neighbours, until they fit. So up to `limit` different numbers are counted exactly. Two
 * numbers of a bucket differ by less than 2^(dropped-52) of the one nearer to zero, whatever their
 * magnitude. docs/TRACE.md has the consequences. */
#ifndef ILPI_DISTRIBUTION_H
#define ILPI_DISTRIBUTION_H

#include "base/list.h"

/* Numbers whose upper bits are `key`; the least and the greatest of them are exact. */
struct ilpi_bucket {
    uint64_t key;
    uint64_t count;
    double least;
    double greatest;
};

/* Zero-initialised it is empty. */
struct ilpi_distribution {
    ILPI_LIST(struct ilpi_bucket) buckets; /* by number */
    size_t recent;                         /* bucket of the last number */
    unsigned dropped;                      /* low bits */
    uint64_t count;
    double sum;
};

/* `number` must be finite. `limit`, in buckets, must be the same at each call, and at least 2; the
 * memory limit may allow fewer, and if it allows none, the number is not counted. */
ilp_status ilpi_distribution_add(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc,
                                 size_t limit, double number, struct ilp_error *error);

/* The functions below need a distribution that is not empty. */
double ilpi_distribution_least(const struct ilpi_distribution *numbers);
double ilpi_distribution_greatest(const struct ilpi_distribution *numbers);

/* The number of rank ceil(part * count), counted from 1 in ascending order, so 0.5 is the lower
 * median: exact if its bucket has one number, else the middle of the bucket. */
double ilpi_distribution_quantile(const struct ilpi_distribution *numbers, double part);

/* The maximum relative error of a quantile; 0: all are exact. */
double ilpi_distribution_error(const struct ilpi_distribution *numbers);

void ilpi_distribution_free(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc);

#endif
