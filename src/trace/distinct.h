/* Estimates how many different values there are from their hashes, in fixed memory: a HyperLogLog
 * of 2,048 registers, whose standard error is 1.04 / sqrt(2048) = 2.3 % at any count (Flajolet and
 * others, 2007; the estimator without correction tables is Ertl's, 2017). */
#ifndef ILPI_DISTINCT_H
#define ILPI_DISTINCT_H

#include <stdint.h>

#define ILPI_DISTINCT_BITS 11u

/* Zero-initialised it is empty. */
struct ilpi_distinct {
    uint8_t registers[1u << ILPI_DISTINCT_BITS];
};

/* All bits of the hash are used: it must be a good one. */
void ilpi_distinct_add(struct ilpi_distinct *distinct, uint64_t hash);

double ilpi_distinct_estimate(const struct ilpi_distinct *distinct);

#endif
