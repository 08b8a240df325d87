/* Quantiles against those of all numbers, sorted; rows of histograms against a count of all
 * numbers; different values against how many there are. */
#include "metadata_test.h"

#include <float.h>

#include "base/hash.h"
#include "trace/distinct.h"
#include "trace/histogram.h"

#define MANY 20000u

static uint64_t state_of_random;

static uint64_t next_random(void)
{
    return ilpi_hash_number(state_of_random++);
}

static double unit(void)
{
    return (double)(next_random() >> 11) / 9007199254740992.0;
}

static double scaled(double number, int powers)
{
    for (; powers > 0; powers--) {
        number *= 2;
    }
    for (; powers < 0; powers++) {
        number /= 2;
    }
    return number;
}

static double few(unsigned i)
{
    return (double)(i % 7) - 3;
}

static double integers(unsigned i)
{
    (void)i;
    return (double)(next_random() % 100000);
}

static double both_signs(unsigned i)
{
    (void)i;
    return (unit() - 0.5) * 1e6;
}

/* As ticks of a DateTime: all alike but for their last digits. */
static double moments(unsigned i)
{
    return 638000000000000000.0 + (double)i * 10000000.0;
}

static double wide(unsigned i)
{
    return scaled(unit() - 0.5, (int)(next_random() % 1800) - 900) * (i % 50 != 0);
}

static double skewed(unsigned i)
{
    (void)i;
    return 1 / (1.0 / 1048576 + unit() * unit());
}

static double same_number(unsigned i)
{
    (void)i;
    return -0.0;
}

static double (*const families[])(unsigned) = {few,  integers, both_signs, moments,
                                               wide, skewed,   same_number};
#define FAMILIES (sizeof families / sizeof families[0])

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

struct numbers {
    struct ilpi_alloc alloc;
    struct ilpi_distribution counted;
    double *sorted;
    size_t count;
};

static void draw(struct numbers *numbers, size_t family, size_t count, size_t limit)
{
    *numbers = (struct numbers){.sorted = calloc(count, sizeof(double)), .count = count};
    ilpi_alloc_init(&numbers->alloc, NULL);
    state_of_random = family;
    for (unsigned i = 0; i < count; i++) {
        numbers->sorted[i] = families[family](i);
        assert_int_equal(ilpi_distribution_add(&numbers->counted, &numbers->alloc, limit,
                                               numbers->sorted[i], NULL),
                         ILP_OK);
    }
    assert_true(numbers->counted.buckets.count <= limit);
    qsort(numbers->sorted, count, sizeof(double), compare);
}

static void forget(struct numbers *numbers)
{
    ilpi_distribution_free(&numbers->counted, &numbers->alloc);
    assert_int_equal(numbers->alloc.used, 0);
    free(numbers->sorted);
}

static void quantiles_are_within_their_error(void **state)
{
    static const double parts[] = {0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};
    static const size_t limits[] = {2, 64, 2048};
    static const size_t counts[] = {1, 2, 3, 100, MANY};
    (void)state;
    for (size_t f = 0; f < FAMILIES * 3 * 5; f++) {
        struct numbers numbers;
        draw(&numbers, f % FAMILIES, counts[f / FAMILIES % 5], limits[f / FAMILIES / 5]);
        const struct ilpi_distribution *counted = &numbers.counted;
        double error = ilpi_distribution_error(counted);
        assert_int_equal(counted->count, numbers.count);
        assert_true(ilpi_distribution_least(counted) == numbers.sorted[0]);
        assert_true(ilpi_distribution_greatest(counted) == numbers.sorted[numbers.count - 1]);
        if (counted->dropped <= 52) {
            assert_true(error <= scaled(1, (int)counted->dropped - 53));
        }
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
            size_t rank = 1;
            while ((double)rank < parts[p] * (double)numbers.count) {
                rank++;
            }
            double exact = numbers.sorted[rank - 1];
            double found = ilpi_distribution_quantile(counted, parts[p]);
            /* with two buckets all but the signs may be lost */
            assert_true(error > 1 ||
                        size_of(found - exact) <= (error + DBL_EPSILON) * size_of(exact));
        }
        forget(&numbers);
    }
}

/* Up to the limit nothing is lost, and 2,048 buckets are enough for 0.4 % of any usual numbers. */
static void few_numbers_are_exact(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++) {
        struct numbers numbers;
        draw(&numbers, f, 2048, 2048);
        assert_int_equal(numbers.counted.dropped, 0);
        assert_true(ilpi_distribution_error(&numbers.counted) == 0);
        forget(&numbers);
        draw(&numbers, f, MANY, 2048);
        assert_true(families[f] == wide || ilpi_distribution_error(&numbers.counted) < 0.004);
        forget(&numbers);
    }
}

static void rows_have_all_numbers(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES * 4; f++) {
        struct numbers numbers;
        struct ilpi_histogram histogram;
        static const size_t counts[] = {1, 30, 2000, MANY};
        draw(&numbers, f % FAMILIES, counts[f / FAMILIES], 2048);
        ilpi_histogram_make(&histogram, &numbers.counted);
        assert_in_range(histogram.count, 1, ILPI_HISTOGRAM_ROWS);
        size_t below = 0;
        uint64_t counted = 0;
        for (size_t i = 0; i < histogram.count; i++) {
            const struct ilpi_histogram_row *row = &histogram.rows[i];
            bool values = histogram.scale == SCALE_VALUES;
            assert_true(values ? row->from == row->to : row->from < row->to);
            assert_true(i == 0 || values || row->from == row[-1].to);
            size_t end = below;
            while (end < numbers.count &&
                   (values ? numbers.sorted[end] == row->from : numbers.sorted[end] < row->to)) {
                end++;
            }
            if (numbers.counted.dropped == 0) { /* else a bucket may be in two rows */
                assert_int_equal(row->count, end - below);
            }
            counted += row->count;
            below = end;
        }
        assert_int_equal(counted, numbers.count);
        assert_int_equal(below, numbers.count);
        forget(&numbers);
    }
}

static void scale_is(enum ilpi_scale scale, size_t rows, double from, double to,
                     const double *numbers, size_t count)
{
    struct ilpi_distribution counted = {.count = 0};
    struct ilpi_histogram histogram;
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ilpi_distribution_add(&counted, &alloc, 2048, numbers[i], NULL), ILP_OK);
    }
    ilpi_histogram_make(&histogram, &counted);
    assert_int_equal(histogram.scale, scale);
    assert_int_equal(histogram.count, rows);
    assert_true(histogram.rows[0].from == from && histogram.rows[rows - 1].to == to);
    ilpi_distribution_free(&counted, &alloc);
}

static void scales_follow_the_numbers(void **state)
{
    double numbers[200];
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        numbers[i] = i % 3;
    }
    scale_is(SCALE_VALUES, 3, 0, 2, numbers, 200);
    for (unsigned i = 0; i < 200; i++) {
        numbers[i] = i;
    }
    scale_is(SCALE_LINEAR, 20, 0, 200, numbers, 200);
    for (unsigned i = 0; i < 200; i++) {
        numbers[i] = i / 1000.0;
    }
    scale_is(SCALE_LINEAR, 20, 0, 0.2, numbers, 200);
    for (unsigned i = 0; i < 200; i++) {
        numbers[i] = scaled(1, (int)(i % 20));
    }
    scale_is(SCALE_POWERS, 20, 1, 1048576, numbers, 200);
    for (unsigned i = 0; i < 200; i++) {
        numbers[i] = i % 20 == 0 ? 0 : scaled(i % 2 ? -1 : 1, (int)(i % 20));
    }
    scale_is(SCALE_POWERS, 21, -1048576, 1048576, numbers, 200); /* by fours */
    for (unsigned i = 0; i < 200; i++) {
        numbers[i] = i % 2 ? DBL_MIN : 1e280 / (i + 1);
    }
    scale_is(SCALE_POWERS, 16, scaled(1, -1024), scaled(1, 1023), numbers, 200);
}

static void different_values_are_estimated(void **state)
{
    (void)state;
    for (uint64_t count = 1; count <= 3000000; count *= 3) {
        static struct ilpi_distinct distinct;
        distinct = (struct ilpi_distinct){.registers = {0}};
        for (uint64_t i = 0; i < count; i++) {
            ilpi_distinct_add(&distinct, ilpi_hash_number(i));
            ilpi_distinct_add(&distinct, ilpi_hash_number(i / 2));
        }
        double part = ilpi_distinct_estimate(&distinct) / (double)count;
        assert_true(part > 0.93 && part < 1.07); /* three times the standard error */
    }
}

/* Fewer buckets than the limit of them, where there is memory for no more. */
static void buckets_are_wider_where_memory_ends(void **state)
{
    (void)state;
    for (size_t room = 0; room < 100; room++) {
        struct ilpi_alloc outer;
        struct ilpi_alloc alloc;
        struct ilpi_distribution counted = {.count = 0};
        ilpi_alloc_init(&outer, NULL);
        ilpi_alloc_init_within(&alloc, &outer, room * sizeof(struct ilpi_bucket) + 1);
        for (int i = 0; i < 200; i++) {
            double number = i % 2 == 0 ? i : -i;
            assert_int_equal(ilpi_distribution_add(&counted, &alloc, 64, number, NULL), ILP_OK);
        }
        assert_true(counted.buckets.count <= room && counted.buckets.count <= 64);
        assert_int_equal(counted.count, room < 2 ? 0 : 200);
        if (counted.count != 0) {
            assert_true(ilpi_distribution_least(&counted) == -199);
            assert_true(ilpi_distribution_greatest(&counted) == 198);
        }
        ilpi_distribution_free(&counted, &alloc);
        assert_int_equal(outer.used, 0);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilpi_distribution counted = {.count = 0};
        struct ilpi_alloc alloc;
        ilpi_alloc_init(&alloc, &allocator);
        status = ILP_OK;
        for (unsigned i = 0; i < 100 && status == ILP_OK; i++) {
            status = ilpi_distribution_add(&counted, &alloc, 64, (double)i, NULL);
        }
        ilpi_distribution_free(&counted, &alloc);
        memory_is_empty(&memory);
        assert_true(n < 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_within_their_error),
        cmocka_unit_test(few_numbers_are_exact),
        cmocka_unit_test(rows_have_all_numbers),
        cmocka_unit_test(scales_follow_the_numbers),
        cmocka_unit_test(different_values_are_estimated),
        cmocka_unit_test(buckets_are_wider_where_memory_ends),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
