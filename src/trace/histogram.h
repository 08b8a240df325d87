/* Rows of a histogram over a distribution: all as wide as each other, or each twice as wide as the
 * one before, whichever shows more. */
#ifndef ILPI_HISTOGRAM_H
#define ILPI_HISTOGRAM_H

#include "trace/distribution.h"

enum ilpi_scale {
    SCALE_VALUES, /* a row for each number: there are few */
    SCALE_LINEAR,
    SCALE_POWERS /* [2^n, 2^(n+1)), the same below 0, and a row for what is nearest to 0 */
};

#define ILPI_HISTOGRAM_ROWS 24u

struct ilpi_histogram_row {
    double from; /* within */
    double to;   /* not within; the same as `from` with SCALE_VALUES */
    uint64_t count;
};

struct ilpi_histogram {
    enum ilpi_scale scale;
    size_t count;
    struct ilpi_histogram_row rows[ILPI_HISTOGRAM_ROWS]; /* ascending, without a hole */
};

/* Of a distribution that is not empty. Rows are without error where no bucket is in two of them; a
 * bucket that is counts for the row of its middle. */
void ilpi_histogram_make(struct ilpi_histogram *histogram, const struct ilpi_distribution *numbers);

/* The count of the row with the most. */
uint64_t ilpi_histogram_most(const struct ilpi_histogram *histogram);

/* Where a number is between the first edge and the last, from 0 to 1: rows are as high as each
 * other, so with SCALE_POWERS it is a logarithmic place. */
double ilpi_histogram_place(const struct ilpi_histogram *histogram, double number);

#endif
