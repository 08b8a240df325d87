/* Finds the ends of an interval by bisection, with the comparison itself: so they cannot disagree
 * with it.
 *
 * "Past the number" is false for all integers up to some rank, and true from there on, because the
 * order is total (no literal is NaN). 64 comparisons find the rank, once for a condition; testing a
 * value then is a subtraction and a comparison (ilpi_condition_interval_meets()). */
#include "condition/interval.h"

#define SIGN ((uint64_t)1 << 63)

/* Integers by their rank: 0 is the least. Flipping the sign bit orders signed integers like
 * unsigned ones. Ranks exist only here: an interval has the integers' own bits. */
static struct ilpi_scalar integer_at(uint64_t rank, bool is_signed)
{
    return is_signed ? ilpi_scalar_signed((int64_t)(rank ^ SIGN)) : ilpi_scalar_unsigned(rank);
}

/* Whether the integer is equal to the number or above it; or only above it. */
static bool is_past(uint64_t rank, bool is_signed, const struct ilpi_scalar *number, bool above)
{
    struct ilpi_scalar integer = integer_at(rank, is_signed);
    enum ilpi_scalar_order order = ilpi_scalar_compare(&integer, number);
    return order == ILPI_ORDER_GREATER || (order == ILPI_ORDER_EQUAL && !above);
}

/* The first rank that is past the number; false: none is. */
static bool find_first(const struct ilpi_scalar *number, bool is_signed, bool above, uint64_t *rank)
{
    uint64_t low = 0;
    uint64_t high = UINT64_MAX;
    if (!is_past(high, is_signed, number, above)) {
        return false;
    }
    /* Invariant: `high` is past the number, and every rank below `low` is not. */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_past(middle, is_signed, number, above)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *rank = low;
    return true;
}

/* The ranks between the first that is past `from` and the last that is not past `to`, each of which
 * may be NULL; false: there are none. */
static bool find_ranks(const struct ilpi_scalar *from, bool above_from,
                       const struct ilpi_scalar *to, bool above_to, bool is_signed,
                       uint64_t ranks[2])
{
    uint64_t end;
    ranks[0] = 0;
    ranks[1] = UINT64_MAX;
    if (from && !find_first(from, is_signed, above_from, &ranks[0])) {
        return false;
    }
    if (to && find_first(to, is_signed, above_to, &end)) {
        if (end == 0) {
            return false;
        }
        ranks[1] = end - 1;
    }
    return ranks[0] <= ranks[1];
}

/* The flags: from the first rank at the literal (false) or above it (true), to the last below it
 * (false) or at it (true). Equality is the interval from the literal to itself. */
static bool find(const struct ilpi_condition_test *test, bool is_signed, uint64_t ranks[2])
{
    const struct ilpi_scalar *right = test->right ? &test->right->literal : NULL;
    const struct ilpi_scalar *high = test->high ? &test->high->literal : NULL;
    switch (test->comparison) {
    case ILPI_COMPARE_LT: return find_ranks(NULL, false, right, false, is_signed, ranks);
    case ILPI_COMPARE_LE: return find_ranks(NULL, false, right, true, is_signed, ranks);
    case ILPI_COMPARE_GT: return find_ranks(right, true, NULL, false, is_signed, ranks);
    case ILPI_COMPARE_GE: return find_ranks(right, false, NULL, false, is_signed, ranks);
    case ILPI_COMPARE_IN: return find_ranks(right, false, high, true, is_signed, ranks);
    default: return find_ranks(right, false, right, true, is_signed, ranks);
    }
}

static bool is_number(const struct ilpi_condition_operand *operand)
{
    return !operand ||
           (operand->form == ILPI_OPERAND_LITERAL && ilpi_scalar_is_number(&operand->literal));
}

/* An interval has at least one integer: without any it is "all others" of the full interval. */
static struct ilpi_condition_interval interval_of(const struct ilpi_condition_test *test,
                                                  bool is_signed)
{
    uint64_t ranks[2];
    if (!find(test, is_signed, ranks)) {
        return (struct ilpi_condition_interval){0, UINT64_MAX, !test->negated};
    }
    return (struct ilpi_condition_interval){is_signed ? ranks[0] ^ SIGN : ranks[0],
                                            ranks[1] - ranks[0], test->negated};
}

void ilpi_intervals_set(struct ilpi_condition_test *test)
{
    test->has_interval = test->comparison <= ILPI_COMPARE_IN && is_number(test->right) &&
                         is_number(test->high);
    if (test->has_interval) {
        test->intervals[0] = interval_of(test, true);
        test->intervals[1] = interval_of(test, false);
    }
}
