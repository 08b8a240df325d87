/* Fuzzes conditions: the text is one, or one thing is wrong with it, at a column of the text. One
 * that opens is tested on calls with values of all kinds; what is joined with it by `not`, `and`
 * and `or` says what it says, or decides alone; and so it is in two parts, where arguments are
 * tested before the rest.
 *
 *   the whole input is the text */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/check.h"
#include "tests/fuzz/memory.h"
#include "tests/unit/condition_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The condition within two other texts; NULL: that is not one, nor is the condition alone, or it is
 * too long or deep by now. */
static struct ilpi_condition *condition_within(const char *before, struct ilp_bytes text,
                                               const char *after)
{
    size_t size = strlen(before) + text.size + strlen(after);
    uint8_t *joined = malloc(size);
    struct ilpi_condition *condition;
    FUZZ_CHECK(joined);
    memcpy(joined, before, strlen(before));
    memcpy(joined + strlen(before), text.data, text.size);
    memcpy(joined + strlen(before) + text.size, after, strlen(after));
    struct ilp_error error;
    ilp_status status = ilpi_condition_open(&condition, (struct ilp_bytes){joined, size}, NULL,
                                            &error);
    FUZZ_CHECK(status == ILP_OK || strstr(error.message, "nested too deep") ||
               strstr(error.message, "has more than"));
    free(joined);
    return condition;
}

static uint16_t condition_outcome(const struct ilpi_condition *condition,
                                  const struct thing_call *call,
                                  struct ilpi_condition_scratch *scratch)
{
    struct ilpi_condition_result result = ilpi_condition_test(condition, &call->source, scratch);
    FUZZ_CHECK(result.outcome < ILPI_CONDITION_OUTCOMES);
    FUZZ_CHECK((result.outcome <= ILPI_CONDITION_MET) == (result.column == 0));
    FUZZ_CHECK(ilpi_condition_outcome_text(result.outcome)[0] != '\0');
    if (ilpi_condition_mixed(condition) == 0) {
        struct thing_parts parts = thing_test_parts(condition, call, scratch);
        FUZZ_CHECK(parts.all.outcome == result.outcome && parts.all.column == result.column);
        FUZZ_CHECK(parts.entry.outcome > ILPI_CONDITION_MET ||
                   parts.entry.outcome == result.outcome);
    }
    return result.outcome;
}

/* What a condition within others has to be, by what it is alone. */
static const struct {
    const char *before, *after;
    bool flips, decides, met;
} condition_forms[] = {
    {"(", ")", false, false, false},          {"not (", ")", true, false, false},
    {"!(!(", "))", false, false, false},      {"(", ") and true", false, false, false},
    {"(", ") or false", false, false, false}, {"false or (", ")", false, false, false},
    {"true and (", ")", false, false, false}, {"(", ") and false", false, true, false},
    {"(", ") or true", false, true, true},    {"value.NoSuch or true or (", ")", false, true, true},
};

#define CONDITION_FORMS (sizeof condition_forms / sizeof condition_forms[0])

static void condition_check_forms(struct ilp_bytes text, const struct thing_call *calls,
                                  const uint16_t *outcomes, size_t count,
                                  struct ilpi_condition_scratch *scratch)
{
    for (size_t i = 0; i < CONDITION_FORMS; i++) {
        struct ilpi_condition *within = condition_within(condition_forms[i].before, text,
                                                         condition_forms[i].after);
        for (size_t j = 0; j < count && within; j++) {
            uint16_t expected = outcomes[j];
            if (condition_forms[i].decides) {
                expected = condition_forms[i].met;
            } else if (condition_forms[i].flips && expected <= ILPI_CONDITION_MET) {
                expected ^= 1;
            }
            FUZZ_CHECK(condition_outcome(within, &calls[j], scratch) == expected);
        }
        ilpi_condition_close(within);
    }
}

/* Integers at edges: the interval says what the test says of a decimal, which has none. */
static void condition_check_intervals(const struct ilpi_condition *condition)
{
    static const int64_t edges[] = {INT64_MIN, -105, -1, 0, 1, 104, 105, INT64_MAX};
    const struct ilpi_condition_interval *intervals = ilpi_condition_intervals(condition);
    for (size_t i = 0; i < sizeof edges / sizeof edges[0] && intervals; i++) {
        struct thing thing = {.scalar = ilpi_scalar_duration(edges[i], 0)};
        struct thing_call call = thing_call(&thing);
        thing.scalar.kind = ILPI_SCALAR_DECIMAL;
        uint16_t outcome = condition_outcome(condition, &call, NULL);
        FUZZ_CHECK(ilpi_condition_interval_meets(&intervals[0], (uint64_t)edges[i]) ==
                   (outcome == ILPI_CONDITION_MET));
    }
}

static void condition_check(const struct ilpi_condition *condition, struct ilp_bytes text)
{
    static const struct thing number = THING_INT(NULL, 104);
    static const struct thing string = THING_STRING(NULL, "xyz");
    struct thing_call calls[5] = {thing_order_call(), thing_call(&number), thing_call(&string),
                                  thing_call(NULL), thing_order_call()};
    uint16_t outcomes[5];
    struct ilpi_condition_scratch *scratch = NULL;
    calls[3].exception = &thing_exception;
    calls[4].source.value = thing_value(&thing_order[3]); /* null */
    if (ilpi_condition_needs_scratch(condition)) {
        FUZZ_CHECK(ilpi_condition_scratch_open(&scratch, condition, NULL, NULL) == ILP_OK);
    }
    for (size_t i = 0; i < 5; i++) {
        outcomes[i] = condition_outcome(condition, &calls[i], scratch);
        FUZZ_CHECK(condition_outcome(condition, &calls[i], scratch) == outcomes[i]);
    }
    condition_check_forms(text, calls, outcomes, 5, scratch);
    condition_check_intervals(condition);
    ilpi_condition_scratch_close(scratch);
}

static void condition_check_error(struct ilp_bytes text, const struct ilp_error *error)
{
    char excerpt[600];
    char column[40];
    FUZZ_CHECK(error->status == ILP_E_BAD_RULES);
    FUZZ_CHECK(error->column >= 1 && error->column <= text.size + 1);
    snprintf(column, sizeof column, "column %u: ", error->column);
    FUZZ_CHECK(strncmp(error->message, column, strlen(column)) == 0);
    ilpi_condition_excerpt(text, error->column, excerpt, sizeof excerpt);
    FUZZ_CHECK(strlen(excerpt) != 0 && excerpt[strlen(excerpt) - 1] == '^');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ilp_bytes text = {data, size};
    struct fuzz_memory memory = {0};
    struct ilp_allocator allocator = {.resize = fuzz_resize, .user = &memory};
    struct ilpi_condition *condition;
    struct ilp_error error = {0};
    if (ilpi_condition_open(&condition, text, &allocator, &error) == ILP_OK) {
        condition_check(condition, text);
        ilpi_condition_close(condition);
    } else {
        FUZZ_CHECK(!condition);
        condition_check_error(text, &error);
    }
    FUZZ_CHECK(memory.out == 0);
    FUZZ_CHECK(memory.most <= (32u << 20)); /* regular expressions grow most */
    /* memory that ends is reported */
    memory = (struct fuzz_memory){.fails_at = 1 + size % 16};
    ilp_status status = ilpi_condition_open(&condition, text, &allocator, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_NO_MEMORY || status == ILP_E_BAD_RULES);
    ilpi_condition_close(condition);
    FUZZ_CHECK(memory.out == 0);
    return 0;
}
