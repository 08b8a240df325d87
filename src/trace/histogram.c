/* Chooses the rows of a histogram. See histogram.h.
 *
 *   few different numbers    one row each
 *   else                     rows of equal width, or powers of two: the more informative ones
 *
 * A row is informative if numbers are spread over many (spread()). Buckets are counted as a whole
 * at their middle. */
#include "trace/histogram.h"

#include <math.h> /* frexp() and ldexp() are in the C library itself */

#define MAX_VALUES   12u /* different numbers with a row each */
#define LINEAR_ROWS  20.0
#define MOST_STEPS   1e12 /* between 0 and a number */
#define LEAST_WIDTH  1e-280
#define MAX_EXPONENT 1023

/* ---- edges ---- */

/* Row i is from edge i to edge i + 1. */
struct edges {
    size_t count;
    double at[ILPI_HISTOGRAM_ROWS + 1];
};

static void add_edge(struct edges *edges, double at)
{
    edges->at[edges->count++] = at + 0.0; /* -0 is 0 */
}

/* A step as a decimal number, so that edges are the doubles nearest to short numbers. */
struct step {
    double digit; /* 1, 2 or 5 */
    double scale; /* a power of ten, */
    bool divides; /* the digit is divided by it instead of multiplied */
};

static double times_step(double count, const struct step *step)
{
    double digits = count * step->digit;
    return step->divides ? digits / step->scale : digits * step->scale;
}

/* The smallest nice step that is at least `least`. */
static struct step nice_step(double least)
{
    static const double digits[] = {1, 2, 5};
    struct step step = {.digit = 1, .scale = 1, .divides = least < 1};
    while (step.divides && 1 / step.scale > least) {
        step.scale *= 10;
    }
    for (;;) {
        for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++) {
            step.digit = digits[i];
            if (times_step(1, &step) >= least) {
                return step;
            }
        }
        step.scale = step.divides ? step.scale / 10 : step.scale * 10;
    }
}

/* False if doubles cannot distinguish the edges. */
static bool linear_edges(struct edges *edges, double least, double greatest)
{
    double width = (greatest - least) / LINEAR_ROWS;
    double most = greatest > -least ? greatest : -least;
    if (!(width > most / MOST_STEPS) || width < LEAST_WIDTH) {
        return false;
    }
    struct step step = nice_step(width);
    /* start early, since the quotient may be off by one near an integer */
    double at = (double)(int64_t)(least / times_step(1, &step)) - 2;
    edges->count = 0;
    while (edges->count == 0 || edges->at[edges->count - 1] <= greatest) {
        double edge = times_step(at, &step);
        at++;
        if (times_step(at, &step) > least) {
            add_edge(edges, edge);
        }
    }
    return true;
}

/* The exponent of the row of a number other than 0: [2^n, 2^(n+1)) or [-2^(n+1), -2^n). */
static int exponent_of(double number)
{
    int exponent;
    bool power = frexp(number, &exponent) == -0.5;
    return power ? exponent - 2 : exponent - 1;
}

static int round_down(int exponent, int step)
{
    int rest = exponent % step;
    return exponent - (rest < 0 ? rest + step : rest);
}

static double power(int exponent)
{
    return ldexp(1, exponent < MAX_EXPONENT ? exponent : MAX_EXPONENT);
}

/* The range of the numbers. */
struct extent {
    int nearest; /* exponents: of the number nearest to 0, of the minimum, of the maximum */
    int negative;
    int positive;
    bool has_negative;
    bool has_zero;
    bool has_positive;
};

/* The exponents that the edges need: the greatest negative and positive ones, and the nearest to
 * zero. Buckets are in ascending order. */
static struct extent extent_of(const struct ilpi_distribution *numbers)
{
    struct extent extent = {.nearest = MAX_EXPONENT};
    for (size_t i = 0; i < numbers->buckets.count; i++) {
        const struct ilpi_bucket *bucket = &numbers->buckets.items[i];
        const double ends[] = {bucket->least, bucket->greatest};
        for (size_t k = 0; k < 2; k++) {
            if (ends[k] == 0) {
                extent.has_zero = true;
                continue;
            }
            int exponent = exponent_of(ends[k]);
            extent.nearest = exponent < extent.nearest ? exponent : extent.nearest;
            if (ends[k] > 0) {
                extent.positive = exponent; /* they are visited in ascending order */
                extent.has_positive = true;
            } else if (!extent.has_negative) {
                extent.negative = exponent;
                extent.has_negative = true;
            }
        }
    }
    return extent;
}

static size_t rows_of(const struct extent *extent, int step)
{
    int nearest = round_down(extent->nearest, step);
    int rows = 0;
    rows += extent->has_negative ? (round_down(extent->negative, step) - nearest) / step + 1 : 0;
    rows += extent->has_positive ? (round_down(extent->positive, step) - nearest) / step + 1 : 0;
    return (size_t)rows + 1;
}

/* Powers of two, or of 4, 16 ... if there would be too many rows. */
static void power_edges(struct edges *edges, const struct ilpi_distribution *numbers)
{
    struct extent extent = extent_of(numbers);
    int step = 1;
    while (rows_of(&extent, step) > ILPI_HISTOGRAM_ROWS) {
        step *= 2;
    }
    int nearest = round_down(extent.nearest, step);
    edges->count = 0;
    if (extent.has_negative) {
        for (int at = round_down(extent.negative, step) + step; at >= nearest; at -= step) {
            add_edge(edges, -power(at));
        }
    } else if (extent.has_zero) {
        add_edge(edges, 0);
    }
    if (extent.has_positive) {
        for (int at = nearest; at <= round_down(extent.positive, step) + step; at += step) {
            add_edge(edges, power(at));
        }
    } else if (extent.has_zero) {
        add_edge(edges, power(extent.has_negative ? nearest : 0));
    }
}

/* ---- rows ---- */

/* A bucket counts where its middle is; both are ascending, so each row is visited once. */
static void count_rows(struct ilpi_histogram *histogram, const struct edges *edges,
                       const struct ilpi_distribution *numbers, enum ilpi_scale scale)
{
    size_t row = 0;
    histogram->scale = scale;
    histogram->count = edges->count - 1;
    for (size_t i = 0; i < histogram->count; i++) {
        histogram->rows[i] = (struct ilpi_histogram_row){edges->at[i], edges->at[i + 1], 0};
    }
    for (size_t i = 0; i < numbers->buckets.count; i++) {
        const struct ilpi_bucket *bucket = &numbers->buckets.items[i];
        double middle = bucket->least + (bucket->greatest - bucket->least) / 2;
        while (row < histogram->count - 1 && middle >= histogram->rows[row].to) {
            row++;
        }
        histogram->rows[row].count += bucket->count;
    }
}

/* Few different numbers: each is a row of its own, exactly. */
static void count_values(struct ilpi_histogram *histogram, const struct ilpi_distribution *numbers)
{
    histogram->scale = SCALE_VALUES;
    histogram->count = numbers->buckets.count;
    for (size_t i = 0; i < histogram->count; i++) {
        const struct ilpi_bucket *bucket = &numbers->buckets.items[i];
        histogram->rows[i] = (struct ilpi_histogram_row){bucket->least, bucket->least,
                                                         bucket->count};
    }
}

/* How informative the rows are: the probability that two numbers are in different ones. */
static double spread(const struct ilpi_histogram *histogram, uint64_t total)
{
    double same = 0;
    for (size_t i = 0; i < histogram->count; i++) {
        double part = (double)histogram->rows[i].count / (double)total;
        same += part * part;
    }
    return 1 - same;
}

/* A few different values get a row each. Else that scale is taken which spreads the numbers over
 * more rows. */
void ilpi_histogram_make(struct ilpi_histogram *histogram, const struct ilpi_distribution *numbers)
{
    struct edges edges;
    struct ilpi_histogram linear;
    if (numbers->dropped == 0 && numbers->buckets.count <= MAX_VALUES) {
        count_values(histogram, numbers);
        return;
    }
    power_edges(&edges, numbers);
    count_rows(histogram, &edges, numbers, SCALE_POWERS);
    if (linear_edges(&edges, ilpi_distribution_least(numbers),
                     ilpi_distribution_greatest(numbers))) {
        count_rows(&linear, &edges, numbers, SCALE_LINEAR);
        if (spread(&linear, numbers->count) > spread(histogram, numbers->count)) {
            *histogram = linear;
        }
    }
}

uint64_t ilpi_histogram_most(const struct ilpi_histogram *histogram)
{
    uint64_t most = 0;
    for (size_t i = 0; i < histogram->count; i++) {
        most = histogram->rows[i].count > most ? histogram->rows[i].count : most;
    }
    return most;
}

static double part_of(double number, double from, double to)
{
    double part = to > from ? (number - from) / (to - from) : 0.5;
    part = part > 0 ? part : 0;
    return part < 1 ? part : 1;
}

/* 0 to 1 along the axis. Rows have equal heights, so within one the place is proportional. */
double ilpi_histogram_place(const struct ilpi_histogram *histogram, double number)
{
    const struct ilpi_histogram_row *rows = histogram->rows;
    size_t row = 0;
    if (histogram->scale == SCALE_VALUES) {
        return part_of(number, rows[0].from, rows[histogram->count - 1].from);
    }
    while (row < histogram->count - 1 && number >= rows[row].to) {
        row++;
    }
    return ((double)row + part_of(number, rows[row].from, rows[row].to)) / (double)histogram->count;
}
