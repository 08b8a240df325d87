/* src/condition/scalar.c: numbers of all kinds, compared exactly; at their edges, and beside
 * Python's fractions (scalar_pairs.py). */
#include "metadata_test.h"

#include <math.h>

#include "condition/scalar.h"

static struct ilpi_scalar decimal(uint32_t high, uint32_t middle, uint32_t low, unsigned scale)
{
    return ilpi_scalar_decimal((const uint32_t[]){low, middle, high}, scale, false);
}

static struct ilpi_scalar negative(struct ilpi_scalar scalar)
{
    scalar.negative = true;
    return scalar;
}

/* ---- edges ---- */

/* Each list rises, but for those that are equal. */
static void test_rising(void **state)
{
    const double two53 = 9007199254740992.0, two63 = 9223372036854775808.0,
                 two64 = 18446744073709551616.0, two96 = 79228162514264337593543950336.0;
    const struct ilpi_scalar rising[] = {
        ilpi_scalar_double(-INFINITY),
        ilpi_scalar_double(-1e300),
        ilpi_scalar_double(-two96),
        negative(decimal(UINT32_MAX, UINT32_MAX, UINT32_MAX, 0)),
        ilpi_scalar_double(-0x1.0000000000001p63),
        ilpi_scalar_signed(INT64_MIN),
        ilpi_scalar_signed(INT64_MIN + 1),
        ilpi_scalar_signed(-1),
        ilpi_scalar_double(-5e-324),
        ilpi_scalar_signed(0),
        ilpi_scalar_double(5e-324),
        ilpi_scalar_double(1e-29),
        decimal(0, 0, 1, 28),
        ilpi_scalar_double(1.0000001e-28),
        decimal(0, 0, 1, 27),
        decimal(0, 0, 1, 1), /* the double 0.1 is above it, the float more so */
        ilpi_scalar_double(0.1),
        ilpi_scalar_single(0.1f),
        decimal(0, 0, 10, 1),
        ilpi_scalar_signed(9007199254740991),
        ilpi_scalar_double(two53),
        ilpi_scalar_signed(9007199254740993),
        ilpi_scalar_double(0x1.0000000000001p53),
        ilpi_scalar_unsigned(9007199254740995),
        ilpi_scalar_signed(INT64_MAX),
        ilpi_scalar_double(two63),
        ilpi_scalar_unsigned(((uint64_t)1 << 63) + 1),
        ilpi_scalar_double(0x1.fffffffffffffp63),
        ilpi_scalar_unsigned(UINT64_MAX),
        ilpi_scalar_double(two64),
        decimal(1, 0, 1, 0),
        ilpi_scalar_double(0x1.fffffffffffffp95),
        decimal(UINT32_MAX, UINT32_MAX, UINT32_MAX, 0),
        ilpi_scalar_double(two96),
        ilpi_scalar_single(3.4e38f),
        ilpi_scalar_double(INFINITY),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rising); i++) {
        for (size_t j = 0; j < COUNT(rising); j++) {
            int expected = (i > j) - (i < j);
            int order = ilpi_scalar_compare(&rising[i], &rising[j]);
            if (order != expected) {
                fail_msg("%zu beside %zu: %d", i, j, order);
            }
        }
    }
}

static void test_equal(void **state)
{
    const struct ilpi_scalar ones[] = {
        ilpi_scalar_signed(1),
        ilpi_scalar_unsigned(1),
        ilpi_scalar_double(1),
        ilpi_scalar_single(1),
        decimal(0, 0, 1, 0),
        decimal(0, 0, 10, 1),
        decimal(0x204FCE5E, 0x3E250261, 0x10000000, 28),
    };
    const struct ilpi_scalar zeros[] = {
        ilpi_scalar_signed(0),         ilpi_scalar_unsigned(0),   ilpi_scalar_double(0.0),
        ilpi_scalar_double(-0.0),      ilpi_scalar_single(-0.0f), decimal(0, 0, 0, 28),
        negative(decimal(0, 0, 0, 3)),
    };
    const struct ilpi_scalar nan = ilpi_scalar_double(NAN);
    (void)state;
    for (size_t i = 0; i < COUNT(ones); i++) {
        for (size_t j = 0; j < COUNT(ones); j++) {
            assert_int_equal(ilpi_scalar_compare(&ones[i], &ones[j]), ILPI_ORDER_EQUAL);
            assert_int_equal(ilpi_scalar_compare(&zeros[i], &zeros[j]), ILPI_ORDER_EQUAL);
            assert_int_equal(ilpi_scalar_compare(&zeros[i], &ones[j]), ILPI_ORDER_LESS);
        }
        assert_int_equal(ilpi_scalar_compare(&nan, &ones[i]), ILPI_ORDER_NONE);
        assert_int_equal(ilpi_scalar_compare(&ones[i], &nan), ILPI_ORDER_NONE);
    }
    assert_int_equal(ilpi_scalar_compare(&nan, &nan), ILPI_ORDER_NONE);
}

static void test_durations(void **state)
{
    struct ilpi_scalar ticks = ilpi_scalar_duration(50000, 7);
    struct ilpi_scalar nanoseconds = ilpi_scalar_duration(5000000, 9);
    struct ilpi_scalar least = ilpi_scalar_duration(INT64_MIN, 7);
    struct ilpi_scalar most = ilpi_scalar_duration(INT64_MAX, 7);
    (void)state;
    assert_int_equal(ticks.kind, ILPI_SCALAR_DURATION);
    assert_int_equal(ilpi_scalar_compare(&ticks, &nanoseconds), ILPI_ORDER_EQUAL);
    assert_int_equal(ilpi_scalar_compare(&least, &ticks), ILPI_ORDER_LESS);
    assert_int_equal(ilpi_scalar_compare(&most, &ticks), ILPI_ORDER_GREATER);
    assert_int_equal(ilpi_scalar_duration(1, 29).kind, ILPI_SCALAR_UNREADABLE);
    assert_int_equal(decimal(0, 0, 1, 29).kind, ILPI_SCALAR_UNREADABLE);
}

/* ---- beside Python ---- */

static struct ilpi_scalar scalar_of(char kind, const char *hex)
{
    char digits[33] = "";
    uint64_t bits = strtoull(hex, NULL, 16);
    double real;
    float single;
    uint32_t low = (uint32_t)bits;
    switch (kind) {
    case 's': return ilpi_scalar_signed((int64_t)bits);
    case 'u': return ilpi_scalar_unsigned(bits);
    case 'd': memcpy(&real, &bits, sizeof real); return ilpi_scalar_double(real);
    case 'f': memcpy(&single, &low, sizeof single); return ilpi_scalar_single(single);
    default: break;
    }
    assert_int_equal(kind, 'm');
    size_t missing = 32 - strlen(hex);
    memset(digits, '0', missing);
    memcpy(digits + missing, hex, 32 - missing);
    unsigned parts[5]; /* the sign; 96 bits, the highest first; the scale */
    assert_int_equal(
        sscanf(digits, "%6x%8x%8x%8x%2x", &parts[0], &parts[1], &parts[2], &parts[3], &parts[4]),
        5);
    return ilpi_scalar_decimal((const uint32_t[]){parts[3], parts[2], parts[1]}, parts[4],
                               parts[0] != 0);
}

static void test_pairs(void **state)
{
    enum { PAIRS = 20000 };
    FILE *pairs = popen("python3 tests/unit/scalar_pairs.py 1 20000", "r");
    char kinds[2];
    char hex[2][33];
    int expected;
    size_t count = 0;
    (void)state;
    assert_non_null(pairs);
    while (fscanf(pairs, " %c %32s %c %32s %d", &kinds[0], hex[0], &kinds[1], hex[1], &expected) ==
           5) {
        struct ilpi_scalar a = scalar_of(kinds[0], hex[0]);
        struct ilpi_scalar b = scalar_of(kinds[1], hex[1]);
        int order = ilpi_scalar_compare(&a, &b);
        if (order != expected) {
            fail_msg("%c %s beside %c %s: %d, expected %d", kinds[0], hex[0], kinds[1], hex[1],
                     order, expected);
        }
        count++;
    }
    assert_int_equal(pclose(pairs), 0);
    assert_int_equal(count, PAIRS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rising),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
