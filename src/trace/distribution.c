/* Counts numbers in buckets. See distribution.h.
 *
 * A bucket is all numbers with the same upper bits. At the limit one more bit is dropped
 * (coarsen()), which merges neighbours, so precision adapts to the numbers, and the relative error
 * of a bucket is bounded by its bits.
 *
 *   ordered bits    s eeeeeeeeeee ffff.....f      64 - dropped bits are the key */
#include "trace/distribution.h"

#include <string.h>

#define SIGN (UINT64_C(1) << 63)

/* The bits of a double, mapped so that they sort like the numbers. */
static uint64_t ordered_bits(double number)
{
    uint64_t bits;
    number += 0.0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

/* The first bucket whose key is not less. */
static size_t find(const struct ilpi_distribution *numbers, uint64_t key)
{
    size_t from = 0;
    size_t to = numbers->buckets.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (numbers->buckets.items[middle].key < key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static bool has_key(const struct ilpi_distribution *numbers, size_t at, uint64_t key)
{
    return at < numbers->buckets.count && numbers->buckets.items[at].key == key;
}

/* Drops one more bit: buckets whose keys differ only in it are merged. */
static void coarsen(struct ilpi_distribution *numbers)
{
    struct ilpi_bucket *buckets = numbers->buckets.items;
    size_t kept = 0;
    for (size_t i = 0; i < numbers->buckets.count; i++) {
        struct ilpi_bucket bucket = buckets[i];
        bucket.key >>= 1;
        if (kept != 0 && buckets[kept - 1].key == bucket.key) {
            buckets[kept - 1].count += bucket.count;
            buckets[kept - 1].greatest = bucket.greatest;
        } else {
            buckets[kept++] = bucket;
        }
    }
    numbers->buckets.count = kept;
    numbers->dropped++;
}

static ilp_status insert(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc, size_t at,
                         struct ilpi_bucket bucket, struct ilp_error *error)
{
    ILPI_TRY(ILPI_LIST_ADD(alloc, &numbers->buckets, bucket, error));
    struct ilpi_bucket *place = &numbers->buckets.items[at];
    memmove(place + 1, place, (numbers->buckets.count - 1 - at) * sizeof *place);
    *place = bucket;
    return ILP_OK;
}

/* The bucket of a number, found or added: NULL if the memory limit allows none. */
static ilp_status find_bucket(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc,
                              size_t limit, double number, struct ilpi_bucket **found,
                              struct ilp_error *error)
{
    const struct ilpi_bucket added = {.least = number, .greatest = number};
    uint64_t bits = ordered_bits(number);
    uint64_t key = bits >> numbers->dropped;
    size_t at = has_key(numbers, numbers->recent, key) ? numbers->recent : find(numbers, key);
    while (!has_key(numbers, at, key)) {
        struct ilpi_bucket bucket = added;
        bucket.key = key;
        ilp_status status = numbers->buckets.count < limit
                                ? insert(numbers, alloc, at, bucket, error)
                                : ILP_OK;
        if (status != ILP_OK && !alloc->full) {
            return status;
        }
        if (status != ILP_OK && numbers->buckets.count < 2) {
            *found = NULL;
            return ILP_OK;
        }
        limit = status != ILP_OK ? numbers->buckets.count : limit;
        if (numbers->buckets.count >= limit && !has_key(numbers, at, key)) {
            coarsen(numbers);
            key = bits >> numbers->dropped;
            at = find(numbers, key);
        }
    }
    numbers->recent = at;
    *found = &numbers->buckets.items[at];
    return ILP_OK;
}

/* The sum and the extremes are exact, whatever buckets are merged; quantiles have the width of a
 * bucket as their error. */
ilp_status ilpi_distribution_add(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc,
                                 size_t limit, double number, struct ilp_error *error)
{
    struct ilpi_bucket *bucket;
    ILPI_TRY(find_bucket(numbers, alloc, limit, number, &bucket, error));
    if (!bucket) {
        return ILP_OK;
    }
    bucket->least = number < bucket->least ? number : bucket->least;
    bucket->greatest = number > bucket->greatest ? number : bucket->greatest;
    bucket->count++;
    numbers->count++;
    numbers->sum += number;
    return ILP_OK;
}

double ilpi_distribution_least(const struct ilpi_distribution *numbers)
{
    return numbers->buckets.items[0].least;
}

double ilpi_distribution_greatest(const struct ilpi_distribution *numbers)
{
    return numbers->buckets.items[numbers->buckets.count - 1].greatest;
}

/* The middle of the bucket that has this part of the numbers: the error is at most half a bucket
 * (ilpi_distribution_error()). */
double ilpi_distribution_quantile(const struct ilpi_distribution *numbers, double part)
{
    double place = part * (double)numbers->count;
    uint64_t below = 0;
    size_t at = 0;
    while (at < numbers->buckets.count - 1 &&
           (double)(below + numbers->buckets.items[at].count) < place) {
        below += numbers->buckets.items[at++].count;
    }
    const struct ilpi_bucket *bucket = &numbers->buckets.items[at];
    return bucket->least + (bucket->greatest - bucket->least) / 2;
}

static double magnitude(double number)
{
    return number < 0 ? -number : number;
}

double ilpi_distribution_error(const struct ilpi_distribution *numbers)
{
    double most = 0;
    for (size_t i = 0; i < numbers->buckets.count; i++) {
        const struct ilpi_bucket *bucket = &numbers->buckets.items[i];
        double least = magnitude(bucket->least);
        double greatest = magnitude(bucket->greatest);
        double part = (bucket->greatest - bucket->least) / 2 /
                      (least < greatest ? least : greatest);
        most = part > most ? part : most; /* except in a bucket of 0 alone: its number is exact */
    }
    return most;
}

void ilpi_distribution_free(struct ilpi_distribution *numbers, struct ilpi_alloc *alloc)
{
    ILPI_LIST_FREE(alloc, &numbers->buckets);
    *numbers = (struct ilpi_distribution){.count = 0};
}
