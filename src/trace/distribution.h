/* How numbers are distributed, in a fixed amount of memory: count, least, greatest, sum, quantiles,
 * and how many are within a range.
 *
 * Numbers are counted in buckets, and a bucket is what is left of a double when low bits are
 * dropped from it. No bits are dropped until there are more different numbers than buckets; then
 * one more, which merges neighbours, until they fit. So up to `limit` different numbers are counted
 * exactly. Two numbers of a bucket differ by less than 2^(dropped-52) of the one nearer to zero,
 * wherever on the line they are. docs/TRACE.md has what follows from that. */
#ifndef ILPI_DISTRIBUTION_H
#define ILPI_DISTRIBUTION_H

#include "base/list.h"

struct ilpi_bucket {
    uint64_t key;
    uint64_t count;
    double least;
    double greatest;
};

/* Zero-initialised it is empty. */
struct ilpi_distribution {
    ILPI_LIST(struct ilpi_bucket) buckets; /* by number */
    size_t recent;                         /* bucket of the number that was added last */
    unsigned dropped;                      /* low bits */
    uint64_t count;
    double sum;
};

/* `number` is finite. `limit`, of buckets, is the same at each call, and 2 at least; what the limit
 * of the memory leaves may be less, and if that is nothing, the number is not counted. */
ilp_status ilpi_distribution_add(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc,
                                 size_t limit, double number, struct ilp_error *error);

/* The rest is about one that is not empty. */
double ilpi_distribution_least(const struct ilpi_distribution *numbers);
double ilpi_distribution_greatest(const struct ilpi_distribution *numbers);

/* The number of rank ceil(part * count), counted from 1 in ascending order, so 0.5 is the lower
 * median: exact where its bucket has one number, else the middle of the bucket. */
double ilpi_distribution_quantile(const struct ilpi_distribution *numbers, double part);

/* How far a quantile may be from the true one, as a part of that; 0: all are exact. */
double ilpi_distribution_error(const struct ilpi_distribution *numbers);

void ilpi_distribution_free(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc);

#endif
