/* Rows of a histogram over a distribution: of equal width, or each twice as wide as the one before,
 * whichever is more informative. */
#ifndef ILPI_HISTOGRAM_H
#define ILPI_HISTOGRAM_H

#include "trace/distribution.h"

enum ilpi_scale {
    SCALE_VALUES, /* a row for each number, if there are few */
    SCALE_LINEAR,
    SCALE_POWERS /* [2^n, 2^(n+1)), the same below 0, and a row around 0 */
};

#define ILPI_HISTOGRAM_ROWS 24u

struct ilpi_histogram_row {
    double from; /* inclusive */
    double to;   /* exclusive; equal to `from` with SCALE_VALUES */
    uint64_t count;
};

/* A distribution in few rows, to be drawn. */
struct ilpi_histogram {
    enum ilpi_scale scale;
    size_t count;
    struct ilpi_histogram_row rows[ILPI_HISTOGRAM_ROWS]; /* ascending, without gaps */
};

/* Makes it from a distribution that is not empty. Rows are exact if no bucket spans two of them; a
 * bucket is counted in the row of its middle. */
void ilpi_histogram_make(struct ilpi_histogram *histogram, const struct ilpi_distribution *numbers);

/* The count of the row with the most. */
uint64_t ilpi_histogram_most(const struct ilpi_histogram *histogram);

/* The relative position of a number between the first and the last edge, from 0 to 1, if all rows
 * have the same height: logarithmic with SCALE_POWERS. */
double ilpi_histogram_place(const struct ilpi_histogram *histogram, double number);

#endif
