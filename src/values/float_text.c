/* Shortest digits that read back as the same float (Steele and White's free-format printing, exact
 * arithmetic), in the layout of .NET 10's "R". The same as data/inspector/Float.cs, without
 * allocations.
 *
 *        low neighbour        value         high neighbour
 *   ----------|-------(---------|---------)-------|--------
 *                     low/s         high/s               digits so far + r/s x 10^-count = value
 *
 * Any decimal number between the parentheses, which are halfway to the neighbours, reads back as
 * the value. Digits are made one by one, until what they say is inside; `within` says whether the
 * bounds themselves count. The numbers r, s, low and high are integers of up to 1,130 bits, so
 * nothing is ever rounded. */
#include <string.h>

#include "values/kinds.h"

/* A natural number with room for printing any double: 2^53 * 10^324 has 1,130 bits. */
struct natural {
    uint32_t words[40]; /* the lowest first; those from `length` on mean nothing */
    unsigned length;    /* words in use, the highest not 0 */
};

static struct natural natural_of(uint64_t value)
{
    struct natural n = {{(uint32_t)value, (uint32_t)(value >> 32)}, value >> 32 != 0 ? 2 : 1};
    return n;
}

static void multiply(struct natural *n, uint32_t factor)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < n->length; i++) {
        carry += (uint64_t)n->words[i] * factor;
        n->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        n->words[n->length++] = (uint32_t)carry;
    }
}

static void shift_left(struct natural *n, unsigned bits)
{
    unsigned whole = bits / 32;
    memmove(n->words + whole, n->words, n->length * sizeof *n->words);
    memset(n->words, 0, whole * sizeof *n->words);
    n->length += whole;
    multiply(n, 1u << (bits % 32));
}

/* Requires that `other` is not greater. The result loses its leading zero words, so that lengths
 * can be compared. */
static void subtract(struct natural *n, const struct natural *other)
{
    int64_t borrow = 0;
    for (unsigned i = 0; i < n->length; i++) {
        borrow += (int64_t)n->words[i] - (i < other->length ? other->words[i] : 0);
        n->words[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    while (n->length > 1 && n->words[n->length - 1] == 0) {
        n->length--;
    }
}

static int64_t word(const struct natural *n, unsigned i)
{
    return n && i < n->length ? n->words[i] : 0;
}

/* The sign of a + b - c; b may be NULL for 0. `rest` is the difference of the words so far, in
 * units of the current one; usually the highest decide. */
static int compare_sum(const struct natural *a, const struct natural *b, const struct natural *c)
{
    int64_t rest = 0;
    unsigned top = a->length > c->length ? a->length : c->length;
    for (unsigned i = b && b->length > top ? b->length : top; i-- > 0;) {
        rest = rest * ((int64_t)1 << 32) + word(a, i) + word(b, i) - word(c, i);
        if (rest >= 1 || rest <= -2) {
            /* lower words add less than 2 in units of this word, and subtract less than 1 */
            return rest < 0 ? -1 : 1;
        }
    }
    return (rest > 0) - (rest < 0);
}

/* The remainder of value / s, and the distances to the midpoints between the value and its
 * neighbours. */
struct scaled {
    struct natural r, s, low, high;
};

static unsigned bit_length(uint64_t value)
{
    unsigned bits = 0;
    for (; value != 0; value >>= 1) {
        bits++;
    }
    return bits;
}

/* floor(log10(2^exponent)), or one less; exact for the exponents used here. */
static int decimal_exponent(int exponent)
{
    int64_t product = (int64_t)exponent * 30103;
    return (int)(product >= 0 ? product / 100000 : -((-product + 99999) / 100000));
}

/* value = mantissa * 2^power = 0.DIGITS * 10^point; returns point.
 *
 * All four numbers are multiplied by 2, or by 4 if the lower neighbour is at half the distance, so
 * that half a distance is an integer. The estimate of the point is too low by one to three; the
 * loop corrects it, and then r + high <= s. */
static int scale(struct scaled *to, uint64_t mantissa, int power, bool lower_is_nearer, int within)
{
    int point = decimal_exponent((int)bit_length(mantissa) - 1 + power);
    unsigned shift = lower_is_nearer ? 2 : 1;
    unsigned up = power > 0 ? (unsigned)power : 0;
    *to = (struct scaled){natural_of(mantissa), natural_of(1), natural_of(1), natural_of(1)};
    shift_left(&to->r, shift + up);
    shift_left(&to->s, shift + (power < 0 ? (unsigned)-power : 0));
    shift_left(&to->low, up);
    shift_left(&to->high, shift - 1 + up);
    for (int i = 0; i < point; i++) {
        multiply(&to->s, 10);
    }
    for (int i = point; i < 0; i++) {
        multiply(&to->r, 10);
        multiply(&to->low, 10);
        multiply(&to->high, 10);
    }
    while (compare_sum(&to->r, &to->high, &to->s) >= -within) {
        multiply(&to->s, 10);
        point++;
    }
    return point;
}

enum { MAX_DIGITS = 20 };

/* Before each digit r + high <= s, and < s if bounds count; so after the multiplication a digit is
 * at most 9, and if it is rounded up, it was at most 8. 17 digits are always enough for a double:
 * the limit is never reached. */
static unsigned make_digits(char digits[MAX_DIGITS], struct scaled *of, int within)
{
    for (unsigned count = 0;;) {
        unsigned digit = 0;
        multiply(&of->r, 10);
        multiply(&of->low, 10);
        multiply(&of->high, 10);
        while (compare_sum(&of->r, NULL, &of->s) >= 0) {
            subtract(&of->r, &of->s);
            digit++;
        }
        bool low_enough = compare_sum(&of->r, NULL, &of->low) <= within;
        bool high_enough = compare_sum(&of->r, &of->high, &of->s) >= -within;
        if (low_enough || high_enough || count == MAX_DIGITS - 1) {
            int half = compare_sum(&of->r, &of->r, &of->s);
            bool up = low_enough && high_enough ? half > 0 || (half == 0 && (digit & 1) != 0)
                                                : high_enough;
            digits[count++] = (char)('0' + digit + up);
            return count;
        }
        digits[count++] = (char)('0' + digit);
    }
}

static void put_zeros(struct line *line, int count)
{
    for (int i = 0; i < count; i++) {
        line_put(line, "0");
    }
}

/* `point` digits are before the decimal point; it is negative for zeros after it. */
static void put_layout(struct line *line, const char *digits, int count, int point, int longest)
{
    if (point > longest || point < -3) {
        int exponent = point > 0 ? point - 1 : 1 - point;
        line_put_sized(line, digits, 1);
        line_put(line, count > 1 ? "." : "");
        line_put_sized(line, digits + 1, (size_t)count - 1);
        line_put(line, point > 0 ? "E+" : "E-");
        line_put(line, exponent < 10 ? "0" : "");
        line_put_signed(line, exponent);
    } else if (point <= 0) {
        line_put(line, "0.");
        put_zeros(line, -point);
        line_put_sized(line, digits, (size_t)count);
    } else if (point >= count) {
        line_put_sized(line, digits, (size_t)count);
        put_zeros(line, point - count);
    } else {
        line_put_sized(line, digits, (size_t)point);
        line_put(line, ".");
        line_put_sized(line, digits + point, (size_t)(count - point));
    }
}

/* The formats of IEEE 754 by their fraction's bits:
 *
 *   bits  exponent  special  bias
 *   52    11        0x7FF    1023     double
 *   23    8         0xFF     127      float
 *   10    5         0x1F     15       Half
 *
 * `special` is the exponent with all bits set, which infinity and NaN have; half of it is the bias.
 * Subnormal numbers, of exponent 0, have the power of exponent 1, and no hidden bit. */
static void put(struct line *line, bool negative, int exponent, uint64_t fraction,
                int fraction_bits, int precision)
{
    int special = fraction_bits == 52 ? 0x7FF : fraction_bits == 23 ? 0xFF : 0x1F;
    char digits[MAX_DIGITS];
    struct scaled scaled;
    if (exponent == special && fraction != 0) {
        line_put(line, "NaN");
        return;
    }
    line_put(line, negative ? "-" : "");
    if (exponent == special || (exponent == 0 && fraction == 0)) {
        line_put(line, exponent == special ? "Infinity" : "0");
        return;
    }
    /* below a power of two the neighbour is at half the distance */
    bool lower_is_nearer = fraction == 0 && exponent > 1;
    uint64_t mantissa = exponent == 0 ? fraction : fraction | (uint64_t)1 << fraction_bits;
    int power = (exponent > 1 ? exponent : 1) - special / 2 - fraction_bits;
    /* a reader rounds a midpoint to the even mantissa: only then it reads back as this one */
    int within = (mantissa & 1) == 0 ? 0 : -1;
    int point = scale(&scaled, mantissa, power, lower_is_nearer, within);
    int count = (int)make_digits(digits, &scaled, within);
    put_layout(line, digits, count, point, count > precision ? count : precision);
}

/* Writes all of it or nothing. */
struct whole {
    struct line line;
    char text[40];
};

static struct line *begin(struct whole *whole)
{
    line_begin(&whole->line, whole->text, sizeof whole->text);
    line_part(&whole->line, sizeof whole->text);
    return &whole->line;
}

void float_put_double(struct line *line, double value)
{
    struct whole whole;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(begin(&whole), bits >> 63 != 0, (int)(bits >> 52 & 0x7FF), bits & 0xFFFFFFFFFFFFFu, 52, 17);
    line_put_sized(line, whole.text, whole.line.size);
}

void float_put_single(struct line *line, float value)
{
    struct whole whole;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(begin(&whole), bits >> 31 != 0, (int)(bits >> 23 & 0xFF), bits & 0x7FFFFF, 23, 9);
    line_put_sized(line, whole.text, whole.line.size);
}

void float_put_half(struct line *line, uint16_t bits)
{
    struct whole whole;
    put(begin(&whole), bits >> 15 != 0, bits >> 10 & 0x1F, bits & 0x3FFu, 10, 5);
    line_put_sized(line, whole.text, whole.line.size);
}
