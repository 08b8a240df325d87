/* Values summed up: their kinds, how many differ, and when they were returned; each part of it
 * within its bound. */
#include "metadata_test.h"

#include "trace/value_summary.h"

static struct ilp_bytes bytes_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

static void kind_is(const char *text, enum ilpi_value_kind kind, double number)
{
    double found = 0;
    assert_int_equal(ilpi_value_kind(bytes_of(text), &found), kind);
    if (kind == VALUE_NUMBER || kind == VALUE_CLOCK) {
        assert_true(found == number);
    }
}

static void numbers_have_notations(void **state)
{
    (void)state;
    kind_is("0", VALUE_NUMBER, 0);
    kind_is("-5", VALUE_NUMBER, -5);
    kind_is("+5", VALUE_NUMBER, 5);
    kind_is("1.10", VALUE_NUMBER, 1.1);
    kind_is(".5", VALUE_NUMBER, 0.5);
    kind_is("5.", VALUE_NUMBER, 5);
    kind_is("0.30000000000000004", VALUE_NUMBER, 0.1 + 0.2);
    kind_is("123456789012345", VALUE_NUMBER, 123456789012345.0);
    kind_is("0.123456789012345", VALUE_NUMBER, 0.123456789012345);
    kind_is("9007199254740993", VALUE_NUMBER, 9007199254740992.0);
    kind_is("79228162514264337593543950335", VALUE_NUMBER, 79228162514264337593543950335.0);
    kind_is("-170141183460469231731687303715884105728", VALUE_NUMBER, -0x1p127);
    kind_is("1E+17", VALUE_NUMBER, 1e17);
    kind_is("4.9e-324", VALUE_NUMBER, 4.9e-324);
    kind_is("0x1f", VALUE_NUMBER, 31);
    kind_is("0xffffffffffffffff", VALUE_NUMBER, 0x1p64);
    kind_is("00:00:01.5000000", VALUE_CLOCK, 1.5);
    kind_is("-1.02:03:04", VALUE_CLOCK, -(86400 + 7384.0));
    kind_is("23:59:59", VALUE_CLOCK, 86399);
    kind_is("10675199.02:48:05.4775807", VALUE_CLOCK, 922337203685.4775807);
}

static void what_is_almost_a_number_is_a_word(void **state)
{
    static const char *const words[] = {"",
                                        "-",
                                        ".",
                                        "+",
                                        "1e",
                                        "1e308",
                                        "1 2",
                                        "0x",
                                        "0x1F",
                                        "0xg",
                                        "1-2",
                                        "24:00:00",
                                        "0:00:00",
                                        "00:60:00",
                                        "00:00:00.",
                                        "00:00:60",
                                        "1.2.3",
                                        "1:2",
                                        "0x1.8p3",
                                        "00:00:00.123",
                                        "--1",
                                        "2024-02-29",
                                        "Gold",
                                        "Red, 0x8",
                                        "nan",
                                        "inf",
                                        "0x10000000000000000",
                                        "00:00:00.1234567x",
                                        "System.Int32[2,3]",
                                        "9999999999999999999.00:00:00"};
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        kind_is(words[i], VALUE_WORD, 0);
    }
    char digits[64];
    memset(digits, '1', sizeof digits);
    double number;
    assert_int_equal(ilpi_value_kind((struct ilp_bytes){(uint8_t *)digits, sizeof digits}, &number),
                     VALUE_WORD);
}

static void other_kinds_have_beginnings(void **state)
{
    (void)state;
    kind_is("null", VALUE_NULL_VALUE, 0);
    kind_is("nullable", VALUE_WORD, 0);
    kind_is("true", VALUE_TRUE_VALUE, 0);
    kind_is("false", VALUE_FALSE_VALUE, 0);
    kind_is("True", VALUE_WORD, 0);
    kind_is("\"\"", VALUE_EMPTY, 0);
    kind_is("\"a\"", VALUE_STRING, 0);
    kind_is("\"1\"", VALUE_STRING, 0);
    kind_is("'a'", VALUE_CHARACTER, 0);
    kind_is("{X=1}", VALUE_STRUCTURE, 0);
    kind_is("[0]", VALUE_EMPTY_COLLECTION, 0);
    kind_is("[3: 1, 2, 3]", VALUE_COLLECTION, 0);
    kind_is("[2,3: 1, 2]", VALUE_COLLECTION, 0);
    kind_is("(1, \"b\")", VALUE_TUPLE, 0);
    kind_is("object", VALUE_OBJECT, 0);
    kind_is("object (Shop.Line)", VALUE_OBJECT, 0);
    kind_is("objective", VALUE_WORD, 0);
    kind_is("threw System.Exception", VALUE_UNREADABLE, 0);
    kind_is("{redacted}", VALUE_REDACTED, 0);
    kind_is("{redacted=1}", VALUE_STRUCTURE, 0);
    kind_is("unknown (explicit tail calls)", VALUE_UNKNOWN, 0);
    kind_is("NaN", VALUE_NOT_A_NUMBER, 0);
    kind_is("-Infinity", VALUE_INFINITE, 0);
}

static void add(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc, const char *text,
                uint32_t slot)
{
    assert_int_equal(ilpi_value_summary_add(summary, alloc, bytes_of(text), slot, NULL), ILP_OK);
}

/* Texts are borrowed, so they have to stay. */
static char texts[5000][12];

static void different_values_are_counted_while_there_is_room(void **state)
{
    struct ilpi_value_summary summary = {.distinct = NULL};
    struct ilpi_alloc alloc;
    bool exact;
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    for (unsigned i = 0; i < COUNT(texts); i++) {
        snprintf(texts[i], sizeof texts[i], "\"%u\"", i);
        add(&summary, &alloc, texts[i], 0);
        add(&summary, &alloc, texts[i / 2], 0);
        uint64_t distinct = ilpi_value_summary_distinct(&summary, &exact);
        assert_int_equal(exact, i < ILPI_KEPT_VALUES);
        if (exact) {
            assert_int_equal(distinct, i + 1);
        } else {
            assert_in_range(distinct, ILPI_KEPT_VALUES + 1, 10000);
        }
    }
    assert_in_range(ilpi_value_summary_distinct(&summary, &exact), 4700, 5300);
    ilpi_value_summary_free(&summary, &alloc);
    assert_int_equal(alloc.used, 0);
}

/* Threads are read one after the other, so times go back. */
static void slots_are_in_order(void **state)
{
    static const uint32_t order[] = {5, 7, 5, 59, 0, 6, 59, 0, 58, 7};
    struct ilpi_value_summary summary = {.distinct = NULL};
    struct ilpi_alloc alloc;
    uint64_t returns = 0;
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    for (unsigned i = 0; i < COUNT(order); i++) {
        snprintf(texts[i], sizeof texts[i], "%u", order[i] * 10 + i);
        add(&summary, &alloc, texts[i], order[i]);
    }
    assert_int_equal(summary.slots.count, 6);
    for (size_t i = 0; i < summary.slots.count; i++) {
        const struct ilpi_time_slot *slot = &summary.slots.items[i];
        assert_true(i == 0 || slot->index > slot[-1].index);
        assert_int_equal(slot->returns, slot->numbers.count);
        assert_int_equal((unsigned)ilpi_distribution_least(&slot->numbers) / 10, slot->index);
        returns += slot->returns;
    }
    assert_int_equal(returns, COUNT(order));
    ilpi_value_summary_free(&summary, &alloc);
    assert_int_equal(alloc.used, 0);
}

/* Whichever unit came first is the distribution's, and the texts at its ends are kept. */
static void units_are_not_mixed(void **state)
{
    struct ilpi_value_summary summary = {.distinct = NULL};
    struct ilpi_alloc alloc;
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    add(&summary, &alloc, "null", 0);
    add(&summary, &alloc, "9007199254740993", 0);
    add(&summary, &alloc, "00:00:01", 0);
    add(&summary, &alloc, "-0", 0);
    assert_int_equal(summary.unit, VALUE_NUMBER);
    assert_int_equal(summary.numbers.count, 2);
    assert_int_equal(summary.kinds[VALUE_CLOCK], 1);
    assert_memory_equal(summary.least_text.data, "-0", 2);
    assert_memory_equal(summary.greatest_text.data, "9007199254740993", 16);
    ilpi_value_summary_free(&summary, &alloc);
}

static void memory_is_bounded(void **state)
{
    struct ilpi_value_summary summary = {.distinct = NULL};
    struct ilpi_alloc alloc;
    static char many[20000][24];
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(many[i], sizeof many[i], "%u.%ue%d", i * 2654435761u, i, (int)(i % 500) - 250);
        add(&summary, &alloc, many[i], i % ILPI_TIME_SLOTS);
    }
    assert_in_range(alloc.used, 1, 300 << 10);
    assert_true(summary.numbers.count == 20000);
    ilpi_value_summary_free(&summary, &alloc);
    assert_int_equal(alloc.used, 0);
}

/* All values are counted, whatever there is room for besides. */
static void less_is_kept_within_a_limit(void **state)
{
    (void)state;
    for (size_t limit = 1; limit < 40000; limit += 97) {
        struct ilpi_value_summary summary = {.distinct = NULL};
        struct ilpi_alloc outer;
        struct ilpi_alloc alloc;
        bool exact;
        ilpi_alloc_init(&outer, NULL);
        ilpi_alloc_init_within(&alloc, &outer, limit);
        for (unsigned i = 0; i < 200; i++) {
            snprintf(texts[i], sizeof texts[i], "%u", i);
            add(&summary, &alloc, texts[i], i % ILPI_TIME_SLOTS);
        }
        assert_int_equal(summary.values.total, 200);
        assert_int_equal(summary.kinds[VALUE_NUMBER], 200);
        assert_in_range(ilpi_value_summary_distinct(&summary, &exact), 1, 200);
        assert_false(exact);
        assert_true(ilpi_value_summary_busiest(&summary) <= 4);
        assert_true(alloc.used <= limit);
        ilpi_value_summary_free(&summary, &alloc);
        assert_int_equal(outer.used, 0);
    }
}

static void every_allocation_may_fail(void **state)
{
    ilp_status status = ILP_E_NO_MEMORY;
    (void)state;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilpi_value_summary summary = {.distinct = NULL};
        struct ilpi_alloc alloc;
        ilpi_alloc_init(&alloc, &allocator);
        status = ILP_OK;
        for (unsigned i = 0; i < 80 && status == ILP_OK; i++) {
            snprintf(texts[i], sizeof texts[i], "%u", i);
            status = ilpi_value_summary_add(&summary, &alloc, bytes_of(texts[i]), i % 3, NULL);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        ilpi_value_summary_free(&summary, &alloc);
        memory_is_empty(&memory);
        assert_true(n < 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_notations),
        cmocka_unit_test(what_is_almost_a_number_is_a_word),
        cmocka_unit_test(other_kinds_have_beginnings),
        cmocka_unit_test(different_values_are_counted_while_there_is_room),
        cmocka_unit_test(slots_are_in_order),
        cmocka_unit_test(units_are_not_mixed),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(less_is_kept_within_a_limit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
