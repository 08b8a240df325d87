/* Compares numbers of any two kinds exactly: a / 10^s and b * 2^e are scaled to integers of up to
 * 242 bits.
 *
 *   decimal   96 bits / 10^(0 to 28): 10^-28 is the smallest above 0, 2^96 exceeds all
 *   double    53 bits * 2^e; outside of 2^-94 to 2^96 its exponent alone decides
 *   together  e >= -94 - 52: the decimal is shifted by up to 146 bits, 96 + 146 = 242, and the
 *             double has at most 96 bits before it is multiplied by 10^28, of 94
 *
 * Converting one kind to the other, as C does, would round: 9007199254740993 would equal
 * 9007199254740992.0. */
#include "condition/scalar.h"

#include <math.h>
#include <string.h>

enum {
    WORDS = 8,
    LARGEST_SCALE = 28,
    REAL_BITS = 53,
    LOW_EXPONENT = -94, /* 2^-94 < 10^-28 */
    HIGH_EXPONENT = 96
};

/* Invalid decimals exist: System.Decimal's scale is a byte of an object, which may hold
 * anything. */
struct ilpi_scalar ilpi_scalar_decimal(const uint32_t words[3], unsigned scale, bool negative)
{
    struct ilpi_scalar decimal = {
        .kind = ILPI_SCALAR_DECIMAL, .scale = (uint8_t)scale, .negative = negative};
    if (scale > LARGEST_SCALE) {
        return ilpi_scalar_of(ILPI_SCALAR_UNREADABLE);
    }
    memcpy(decimal.as.words, words, sizeof decimal.as.words);
    return decimal;
}

struct ilpi_scalar ilpi_scalar_duration(int64_t count, unsigned digits)
{
    uint64_t size = count < 0 ? -(uint64_t)count : (uint64_t)count;
    struct ilpi_scalar duration = ilpi_scalar_decimal(
        (const uint32_t[3]){(uint32_t)size, (uint32_t)(size >> 32), 0}, digits, count < 0);
    if (duration.kind == ILPI_SCALAR_DECIMAL) {
        duration.kind = ILPI_SCALAR_DURATION;
    }
    return duration;
}

/* A number without its sign: words * 2^exponent / 10^scale. */
struct magnitude {
    uint32_t words[WORDS];
    int exponent;
    unsigned scale;
};

static void multiply(struct magnitude *m, uint32_t factor)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        carry += (uint64_t)m->words[i] * factor;
        m->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void shift_left(struct magnitude *m, unsigned bits)
{
    unsigned whole = bits / 32;
    memmove(m->words + whole, m->words, (WORDS - whole) * sizeof *m->words);
    memset(m->words, 0, whole * sizeof *m->words);
    multiply(m, 1u << bits % 32);
}

static void scale_up(struct magnitude *m, unsigned digits)
{
    for (; digits >= 9; digits -= 9) {
        multiply(m, 1000000000u);
    }
    for (; digits != 0; digits--) {
        multiply(m, 10);
    }
}

static enum ilpi_scalar_order compare_words(const struct magnitude *a, const struct magnitude *b)
{
    for (unsigned i = WORDS; i-- > 0;) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i] ? ILPI_ORDER_LESS : ILPI_ORDER_GREATER;
        }
    }
    return ILPI_ORDER_EQUAL;
}

/* Compares after both got the same factors: the smaller exponent, the larger scale. At the top of
 * this file is why 8 words are enough. */
static enum ilpi_scalar_order compare_magnitudes(struct magnitude *a, struct magnitude *b)
{
    int least = a->exponent < b->exponent ? a->exponent : b->exponent;
    unsigned scale = a->scale > b->scale ? a->scale : b->scale;
    shift_left(a, (unsigned)(a->exponent - least));
    shift_left(b, (unsigned)(b->exponent - least));
    scale_up(a, scale - a->scale);
    scale_up(b, scale - b->scale);
    return compare_words(a, b);
}

static void set_natural(struct magnitude *m, uint64_t value)
{
    m->words[0] = (uint32_t)value;
    m->words[1] = (uint32_t)(value >> 32);
}

/* Splits a number into its sign (-1, 0, 1) and magnitude. A double must be finite. Of a double
 * (IEEE 754) the fraction has 52 bits and a hidden one, and 1075 is the bias, 1023, plus 52.
 * Subnormal numbers have no hidden bit, and the power of exponent 1. */
static int take_apart(const struct ilpi_scalar *number, struct magnitude *to)
{
    *to = (struct magnitude){.exponent = 0};
    switch (number->kind) {
    case ILPI_SCALAR_SIGNED: {
        int64_t value = number->as.integer;
        set_natural(to, value < 0 ? -(uint64_t)value : (uint64_t)value);
        return (value > 0) - (value < 0);
    }
    case ILPI_SCALAR_SINGLE:
    case ILPI_SCALAR_DOUBLE: {
        uint64_t bits;
        memcpy(&bits, &number->as.real, sizeof bits);
        int exponent = (int)(bits >> 52 & 0x7FF);
        uint64_t fraction = bits & 0xFFFFFFFFFFFFFu;
        set_natural(to, exponent == 0 ? fraction : fraction | (uint64_t)1 << 52);
        to->exponent = (exponent == 0 ? 1 : exponent) - 1075;
        return (number->as.real > 0) - (number->as.real < 0);
    }
    case ILPI_SCALAR_UNSIGNED: set_natural(to, number->as.natural); return number->as.natural != 0;
    default:
        memcpy(to->words, number->as.words, sizeof number->as.words);
        to->scale = number->scale;
        if ((to->words[0] | to->words[1] | to->words[2]) == 0) {
            return 0;
        }
        return number->negative ? -1 : 1;
    }
}

static bool is_real(const struct ilpi_scalar *number)
{
    return number->kind == ILPI_SCALAR_DOUBLE || number->kind == ILPI_SCALAR_SINGLE;
}

static enum ilpi_scalar_order reversed(enum ilpi_scalar_order order)
{
    return order == ILPI_ORDER_NONE ? order : (enum ilpi_scalar_order) - order;
}

/* Compares a double with a number of another kind. NaN is not comparable, infinity is beyond all
 * decimals; then the sign, and the magnitude if signs are equal. */
static enum ilpi_scalar_order compare_real(const struct ilpi_scalar *real,
                                           const struct ilpi_scalar *other)
{
    struct magnitude a, b;
    if (isnan(real->as.real)) {
        return ILPI_ORDER_NONE;
    }
    if (isinf(real->as.real)) {
        return real->as.real < 0 ? ILPI_ORDER_LESS : ILPI_ORDER_GREATER;
    }
    int sign = take_apart(real, &a);
    int other_sign = take_apart(other, &b);
    if (sign != other_sign) {
        return sign < other_sign ? ILPI_ORDER_LESS : ILPI_ORDER_GREATER;
    }
    if (sign == 0) {
        return ILPI_ORDER_EQUAL;
    }
    enum ilpi_scalar_order order;
    /* The double is below 2^(exponent + 53), and, unless it is subnormal, not below half of
     * that. */
    if (a.exponent + REAL_BITS > HIGH_EXPONENT) {
        order = ILPI_ORDER_GREATER;
    } else if (a.exponent + REAL_BITS <= LOW_EXPONENT) {
        order = ILPI_ORDER_LESS;
    } else {
        order = compare_magnitudes(&a, &b);
    }
    return sign < 0 ? reversed(order) : order;
}

static enum ilpi_scalar_order order_of(int less, int greater)
{
    return (enum ilpi_scalar_order)(greater - less);
}

/* Integers and doubles among themselves directly; only mixed kinds and decimals need the exact
 * comparison. A float is stored as a double, which has every float exactly. */
enum ilpi_scalar_order ilpi_scalar_compare(const struct ilpi_scalar *a, const struct ilpi_scalar *b)
{
    struct magnitude left, right;
    if (a->kind == ILPI_SCALAR_SIGNED && b->kind == ILPI_SCALAR_SIGNED) {
        return order_of(a->as.integer<b->as.integer, a->as.integer> b->as.integer);
    }
    if (is_real(a) && is_real(b)) {
        return isunordered(a->as.real, b->as.real)
                   ? ILPI_ORDER_NONE
                   : order_of(a->as.real<b->as.real, a->as.real> b->as.real);
    }
    if (is_real(a)) {
        return compare_real(a, b);
    }
    if (is_real(b)) {
        return reversed(compare_real(b, a));
    }
    int sign = take_apart(a, &left);
    int other_sign = take_apart(b, &right);
    if (sign != other_sign) {
        return sign < other_sign ? ILPI_ORDER_LESS : ILPI_ORDER_GREATER;
    }
    enum ilpi_scalar_order order = compare_magnitudes(&left, &right);
    return sign < 0 ? reversed(order) : order;
}
