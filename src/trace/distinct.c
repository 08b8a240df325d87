/* Estimates the number of different values. See distinct.h.
 *
 *   hash    |-- BITS: the register --|-- rest: leading zeroes + 1 is the rank --|
 *
 * HyperLogLog: a register keeps the highest rank, and many different hashes make high ranks likely.
 * Equal values have equal hashes, so repeats change nothing. */
#include "trace/distinct.h"

#include <math.h> /* INFINITY */

#define REGISTERS (1u << ILPI_DISTINCT_BITS)
#define LOG_2     0.69314718055994530942
#define HASH_BITS (64 - ILPI_DISTINCT_BITS) /* number of bits in which leading zeroes are counted */

/* A register holds the greatest rank of its hashes: the number of leading zeroes, plus one, of the
 * bits that do not select the register. */
void ilpi_distinct_add(struct ilpi_distinct *distinct, uint64_t hash)
{
    uint64_t rest = hash << ILPI_DISTINCT_BITS;
    uint8_t rank = HASH_BITS + 1;
    if (rest != 0) {
        rank = (uint8_t)(__builtin_clzll(rest) + 1);
    }
    uint8_t *place = &distinct->registers[hash >> HASH_BITS];
    *place = rank > *place ? rank : *place;
}

/* The correction for registers that are still 0. */
static double sigma(double part)
{
    double sum = part;
    double factor = 1;
    double before;
    if (part == 1) {
        return INFINITY;
    }
    do {
        part *= part;
        before = sum;
        sum += part * factor;
        factor += factor;
    } while (sum != before);
    return sum;
}

/* Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", algorithm 6, without the
 * correction for saturated registers: reaching that takes 2^53 hashes. */
double ilpi_distinct_estimate(const struct ilpi_distinct *distinct)
{
    const double registers = REGISTERS;
    uint32_t counts[HASH_BITS + 2] = {0};
    for (uint32_t i = 0; i < REGISTERS; i++) {
        counts[distinct->registers[i]]++;
    }
    double sum = 0;
    for (unsigned rank = HASH_BITS; rank >= 1; rank--) {
        sum = (sum + counts[rank]) / 2;
    }
    sum += registers * sigma(counts[0] / registers);
    return registers * registers / (2 * LOG_2 * sum);
}
