/* src/condition: what conditions find of a call, with their three outcomes. */
#include "metadata_test.h"

#include "tests/unit/condition_source.h"

#define MET         ILPI_CONDITION_MET
#define NOT_MET     ILPI_CONDITION_NOT_MET
#define NO_VALUE    ILPI_CONDITION_NO_VALUE
#define NO_MEMBER   ILPI_CONDITION_NO_MEMBER
#define UNREADABLE  ILPI_CONDITION_UNREADABLE
#define OTHER_KIND  ILPI_CONDITION_OTHER_KIND
#define NO_NAME     ILPI_CONDITION_NO_NAME
#define TEXT_LENGTH ILPI_CONDITION_TEXT_LENGTH
#define MATCH_STEPS ILPI_CONDITION_MATCH_STEPS

static struct ilp_bytes bytes_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

static struct ilpi_condition *open_condition(const char *text,
                                             const struct ilp_allocator *allocator)
{
    struct ilpi_condition *condition;
    struct ilp_error error;
    struct ilp_bytes copy = exact(text, strlen(text));
    if (ilpi_condition_open(&condition, copy, allocator, &error) != ILP_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    drop(copy);
    return condition;
}

static struct ilpi_condition_result result_of(const char *text, const struct thing_call *call)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_condition *condition = open_condition(text, &allocator);
    struct ilpi_condition_scratch *scratch = NULL;
    if (ilpi_condition_needs_scratch(condition)) {
        assert_int_equal(ilpi_condition_scratch_open(&scratch, condition, &allocator, NULL),
                         ILP_OK);
    }
    size_t calls = memory.calls;
    struct ilpi_condition_result result = ilpi_condition_test(condition, &call->source, scratch);
    struct ilpi_condition_result again = ilpi_condition_test(condition, &call->source, scratch);
    if (ilpi_condition_mixed(condition) == 0) {
        struct thing_parts parts = thing_test_parts(condition, call, scratch);
        assert_int_equal(parts.all.outcome, result.outcome);
        assert_int_equal(parts.all.column, result.column);
        assert_true(parts.entry.outcome > MET || parts.entry.outcome == result.outcome);
    }
    assert_int_equal(memory.calls, calls); /* testing takes none */
    assert_int_equal(result.outcome, again.outcome);
    assert_int_equal(result.column, again.column);
    assert_int_equal(result.column == 0, result.outcome <= MET);
    ilpi_condition_scratch_close(scratch);
    ilpi_condition_close(condition);
    memory_is_empty(&memory);
    return result;
}

struct condition_case {
    const char *text;
    enum ilpi_condition_outcome outcome;
    unsigned column; /* of what is not known */
};

static void check(const struct condition_case *cases, size_t count, const struct thing_call *call)
{
    for (size_t i = 0; i < count; i++) {
        struct ilpi_condition_result result = result_of(cases[i].text, call);
        if (result.outcome != cases[i].outcome || result.column != cases[i].column) {
            fail_msg("%s: %s (column %u)", cases[i].text,
                     ilpi_condition_outcome_text(result.outcome), result.column);
        }
    }
}

static void check_order(const struct condition_case *cases, size_t count)
{
    struct thing_call call = thing_order_call();
    check(cases, count, &call);
}

/* ---- an integer ---- */

static void test_integer(void **state)
{
    static const struct {
        const char *text;
        int64_t met[3], not_met[3];
    } cases[] = {
        {"value > 104", {105, 1000, INT64_MAX}, {104, 0, INT64_MIN}},
        {"value gt 104", {105, 1000, INT64_MAX}, {104, 0, INT64_MIN}},
        {"104 < value", {105, 1000, INT64_MAX}, {104, 0, INT64_MIN}},
        {"value >= 104", {105, 104, INT64_MAX}, {103, 0, INT64_MIN}},
        {"104 <= value", {105, 104, INT64_MAX}, {103, 0, INT64_MIN}},
        {"value < 104", {103, 0, INT64_MIN}, {104, 105, INT64_MAX}},
        {"104 > value", {103, 0, INT64_MIN}, {104, 105, INT64_MAX}},
        {"104 >= value", {104, 0, INT64_MIN}, {105, 106, INT64_MAX}},
        {"value le 104", {103, 104, INT64_MIN}, {105, 106, INT64_MAX}},
        {"value == 104", {104, 104, 104}, {105, 103, INT64_MIN}},
        {"104 == value", {104, 104, 104}, {105, 103, INT64_MIN}},
        {"value ne 104", {105, 103, INT64_MIN}, {104, 104, 104}},
        {"not value != 104", {104, 104, 104}, {105, 103, INT64_MIN}},
        {"value == 104.0", {104, 104, 104}, {105, 103, INT64_MIN}},
        {"value == 104.5", {0}, {0}},
        {"value > 104.5", {105, 106, 107}, {104, 103, -105}},
        {"value < -104.5", {-105, -106, INT64_MIN}, {-104, 0, 105}},
        {"value < 1e30", {INT64_MAX, 0, INT64_MIN}, {0}},
        {"value > 1e30", {0}, {INT64_MAX, 0, INT64_MIN}},
        {"value > -1e30", {INT64_MAX, 0, INT64_MIN}, {0}},
        {"value == -9223372036854775808", {INT64_MIN, INT64_MIN, INT64_MIN}, {0, 1, INT64_MAX}},
        {"value <= 9223372036854775807", {INT64_MAX, 0, INT64_MIN}, {0}},
        {"value > 9223372036854775807", {0}, {INT64_MAX, 0, INT64_MIN}},
        {"value in 1..5", {1, 3, 5}, {0, 6, INT64_MIN}},
        {"value in 5..5", {5, 5, 5}, {4, 6, INT64_MIN}},
        {"value in 5..", {5, 6, INT64_MAX}, {4, 0, INT64_MIN}},
        {"value in ..5", {5, 4, INT64_MIN}, {6, 7, INT64_MAX}},
        {"value in ..-5", {-5, -6, INT64_MIN}, {-4, 7, INT64_MAX}},
        {"value in 0.5..1.5", {1, 1, 1}, {0, 2, INT64_MIN}},
        {"value in 1.25..1.5", {0}, {1, 2, INT64_MIN}},
        {"value not in 1..5", {0, 6, INT64_MIN}, {1, 3, 5}},
        {"not value in 1..5", {0, 6, INT64_MIN}, {1, 3, 5}},
        {"value in (1, 3, 7..9, 20..)", {3, 8, 21}, {2, 10, 19}},
        {"value not in (1, 3, 7..9, 20..)", {2, 10, 19}, {3, 8, 21}},
        {"value == 0xFF", {255, 255, 255}, {254, 0, -1}},
        {"value == 0b1000_0001", {129, 129, 129}, {0, 1, 2}},
        {"value == 1_000_000", {1000000, 1000000, 1000000}, {0, 1, 2}},
        {"value == 0x7fff_ffff_ffff_ffff", {INT64_MAX, INT64_MAX, INT64_MAX}, {0, 1, -1}},
        {"value == 'x'", {'x', 'x', 'x'}, {0, 'y', 'w'}},
        {"value == '\\n'", {'\n', '\n', '\n'}, {0, 'y', 'n'}},
        {"value has 5", {5, 7, -1}, {4, 1, 0}},
        {"value != null", {1, 2, 3}, {0}},
        {"value == args.limit", {12, 12, 12}, {0, 1, 2}},
        {"value > args[2]", {-4, 0, 12}, {-5, -6, -7}},
        {"value in args.low..args.limit", {-5, 0, 12}, {-6, 13, INT64_MAX}},
        {"value in args.low..3", {-5, 0, 3}, {-6, 4, INT64_MAX}},
        {"value > 104 or value < -104", {105, -105, INT64_MIN}, {104, 0, -104}},
        {"value > 104 && value < 106", {105, 105, 105}, {104, 0, 106}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t j = 0; j < 3; j++) {
            bool first = j == 0 || cases[i].met[j] != 0 || cases[i].met[0] != 0;
            struct thing met = THING_INT(NULL, cases[i].met[j]);
            struct thing not_met = THING_INT(NULL, cases[i].not_met[j]);
            struct thing_call call = thing_call(&met);
            call.arguments = thing_arguments;
            call.argument_count = COUNT(thing_arguments);
            bool any = cases[i].met[0] != 0 || cases[i].met[1] != 0;
            if (first && any && result_of(cases[i].text, &call).outcome != MET) {
                fail_msg("%s of %lld", cases[i].text, (long long)cases[i].met[j]);
            }
            call.source.value = thing_value(&not_met);
            any = cases[i].not_met[0] != 0 || cases[i].not_met[1] != 0;
            if (any && result_of(cases[i].text, &call).outcome != NOT_MET) {
                fail_msg("%s of %lld, not", cases[i].text, (long long)cases[i].not_met[j]);
            }
        }
    }
}

/* The intervals say what comparing says, of signed and of unsigned integers. */
static void test_interval(void **state)
{
    static const char *const texts[] = {
        "value > 104",
        "value >= 104",
        "value < 104",
        "value <= 104.5",
        "value == 104",
        "value != 104",
        "value == 104.5",
        "value != 104.5",
        "value > -1",
        "value < 0",
        "value in 103..105",
        "value not in 103..105",
        "value in 104..",
        "value in ..104",
        "value < 1e300",
        "value > 1e300",
        "value > -1e300",
        "value == 18446744073709551615",
        "value > 9223372036854775807",
        "value <= 0x8000000000000000",
        "value == 79228162514264337593543950335",
    };
    static const uint64_t values[] = {0,
                                      1,
                                      103,
                                      104,
                                      105,
                                      106,
                                      INT64_MAX,
                                      1ull << 63,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      (uint64_t)-104};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct ilpi_condition *condition = open_condition(texts[i], NULL);
        const struct ilpi_condition_interval *intervals = ilpi_condition_intervals(condition);
        assert_non_null(intervals);
        for (size_t j = 0; j < COUNT(values); j++) {
            struct thing a = THING_INT(NULL, (int64_t)values[j]);
            struct thing b = THING_KIND(NULL, UNSIGNED, .as.natural = values[j]);
            /* as decimals they are compared one by one */
            struct thing c = {.scalar = ilpi_scalar_duration((int64_t)values[j], 0)};
            struct thing d = c;
            c.scalar.kind = d.scalar.kind = ILPI_SCALAR_DECIMAL;
            d.scalar.negative = false;
            d.scalar.as.words[0] = (uint32_t)values[j];
            d.scalar.as.words[1] = (uint32_t)(values[j] >> 32);
            const struct thing *things[] = {&a, &b, &c, &d};
            bool met[4];
            for (size_t k = 0; k < 4; k++) {
                struct thing_call call = thing_call(things[k]);
                met[k] = ilpi_condition_test(condition, &call.source, NULL).outcome == MET;
            }
            if (met[0] != met[2] || met[1] != met[3]) {
                fail_msg("%s of %llx", texts[i], (unsigned long long)values[j]);
            }
            assert_int_equal(ilpi_condition_interval_meets(&intervals[0], values[j]), met[0]);
            assert_int_equal(ilpi_condition_interval_meets(&intervals[1], values[j]), met[1]);
        }
        ilpi_condition_close(condition);
    }
    static const char *const others[] = {"value.Count > 1", "args.0 > 1",  "value > 1 and true",
                                         "value == null",   "value",       "true",
                                         "value > args.0",  "value has 1", "value == \"x\""};
    for (size_t i = 0; i < COUNT(others); i++) {
        struct ilpi_condition *condition = open_condition(others[i], NULL);
        assert_null(ilpi_condition_intervals(condition));
        ilpi_condition_close(condition);
    }
}

/* ---- all kinds ---- */

static void test_kinds(void **state)
{
    static const struct condition_case cases[] = {
        {"value.Total >= 10 and args.0 == \"EUR\"", MET, 0},
        {"value.Total == 12.5", MET, 0},
        {"value.Total == 12.50", MET, 0},
        {"value.Total > 12.49 and value.Total < 12.51", MET, 0},
        {"value.Total == 12", NOT_MET, 0},
        {"value.Total in 1..5", NOT_MET, 0},
        {"value.Count in 1..5", MET, 0},
        {"value.Lines.Count == 3", MET, 0},
        {"value.Lines[1] == 20", MET, 0},
        {"value.Lines[1]==20&&value.Lines[0]<20", MET, 0},
        {"value.Big == 18446744073709551615", MET, 0},
        {"value.Big == -1", NOT_MET, 0},
        {"value.Big > 9223372036854775807", MET, 0},
        {"value.Letter == 'x'", MET, 0},
        {"value.Letter == '\\x78' and value.Letter == '\\u0078'", MET, 0},
        {"value.Letter == 120", MET, 0},
        /* a literal has the precision of what it is compared with */
        {"value.Small == 0.1", MET, 0},
        {"value.Small > 0.1", NOT_MET, 0},
        {"value.Ratio == 0.1", MET, 0},
        {"value.Ratio == value.Small", NOT_MET, 0},
        {"value.Small > value.Ratio", MET, 0},
        {"value.Ratio < value.Total", MET, 0},
        {"value.Ratio in 0.1..0.2", MET, 0},
        {"value.NaN == value.NaN", NOT_MET, 0},
        {"value.NaN != value.NaN", MET, 0},
        {"value.NaN < 1", NOT_MET, 0},
        {"value.NaN >= 1", NOT_MET, 0},
        {"value.NaN in ..1e300", NOT_MET, 0},
        {"value.NaN == 0.0", NOT_MET, 0},
        /* bool */
        {"value.IsOpen", MET, 0},
        {"value.IsShut", NOT_MET, 0},
        {"!value.IsShut", MET, 0},
        {"not value.IsOpen", NOT_MET, 0},
        {"value.IsOpen == true and value.IsShut != true", MET, 0},
        {"true == value.IsOpen and false != value.IsOpen", MET, 0},
        {"value.IsOpen == value.IsShut", NOT_MET, 0},
        {"value.IsOpen < value.IsShut", OTHER_KIND, 1},
        {"value.IsOpen == 1", OTHER_KIND, 1},
        {"value.Count", OTHER_KIND, 1},
        {"value", OTHER_KIND, 1},
        /* enums */
        {"value.State == Open", MET, 0},
        {"value.State != Open", NOT_MET, 0},
        {"value.State == Held", NOT_MET, 0},
        {"value.State < Held", MET, 0},
        {"value.State in New..Open", MET, 0},
        {"value.State in (New, Held)", NOT_MET, 0},
        {"Open == value.State", MET, 0},
        {"value.State == @Open", MET, 0},
        {"value.State == 1", MET, 0},
        {"value.Lost == Lost and value.Lost == -1", MET, 0},
        {"not (value.State == Open or value.State == Held)", NOT_MET, 0},
        {"value.State == Opne", NO_NAME, 16},
        {"value.State == value.Access", OTHER_KIND, 1},
        {"value.State == value.Count", NOT_MET, 0},
        {"value.Count == Open", OTHER_KIND, 16},
        {"value.Name == alpha", OTHER_KIND, 15},
        {"value.Customer == Open", NOT_MET, 0},
        {"value.Access has Read and value.Access has Both and value.Access has 2", MET, 0},
        {"value.Access has 4", NOT_MET, 0},
        {"value.State has Held", NOT_MET, 0},
        {"value.Total has 1", OTHER_KIND, 1},
        {"value.Name has Read", OTHER_KIND, 16},
        {"value.Customer has 1", NOT_MET, 0},
        /* texts */
        {"value.Name == \"alpha\"", MET, 0},
        {"value.Name == @\"alpha\"", MET, 0},
        {"value.Name == \"\\x61l\\u0070\\U00000068a\"", MET, 0},
        {"value.Name == \"alphb\"", NOT_MET, 0},
        {"value.Name == \"alpha2\"", NOT_MET, 0},
        {"value.Name != \"alpha2\"", MET, 0},
        {"value.Name < \"alphb\" and value.Name > \"alph\"", MET, 0},
        {"value.Name in \"a\"..\"b\"", MET, 0},
        {"value.Name == args.other", MET, 0},
        {"value.Name <= args.currency", NOT_MET, 0},
        {"value.Empty == \"\" and value.Empty == @\"\"", MET, 0},
        {"value.Empty < \"a\"", MET, 0},
        {"value.Name == 5", OTHER_KIND, 1},
        {"value.Count == \"3\"", OTHER_KIND, 1},
        /* regular expressions */
        {"value.Name =~ \"^al\"", MET, 0},
        {"value.Name =~ @\"\\w+a$\"", MET, 0},
        {"value.Name =~ \"(?i)^ALPHA$\"", MET, 0},
        {"value.Name !~ \"^al\"", NOT_MET, 0},
        {"value.Name !~ \"z\"", MET, 0},
        {"value.Empty =~ \"^$\"", MET, 0},
        {"value.Customer =~ \"x\"", NOT_MET, 0},
        {"value.Customer !~ \"x\"", MET, 0},
        {"value.Count =~ \"3\"", OTHER_KIND, 1},
        /* time */
        {"value.Wait == 5ms", MET, 0},
        {"value.Wait == 0.005s and value.Wait == 5000us and value.Wait == 5_000_000ns", MET, 0},
        {"value.Wait < 1min and value.Wait < 1h and value.Wait < 1d and value.Wait > -1s", MET, 0},
        {"value.Wait in 5ms..6ms", MET, 0},
        {"value.Wait == 5000\xC2\xB5s", MET, 0},
        {"value.Wait == 5", OTHER_KIND, 1},
        {"elapsed > 5ms", MET, 0},
        {"elapsed > 5.000001ms", NOT_MET, 0},
        {"5ms < elapsed", MET, 0},
        {"elapsed > value.Wait", MET, 0},
        {"value.Created == \"2026-01-31T10:00:00.5\"", MET, 0},
        {"value.Created == \"2026-01-31 10:00:00.5000000Z\"", MET, 0},
        {"value.Created > \"2026-01-31\" and value.Created < \"2026-02-01\"", MET, 0},
        {"value.Created in \"2026-01-31T10:00\"..\"2026-01-31T10:01\"", MET, 0},
        {"value.Created > \"2026-02-30\"", OTHER_KIND, 1},
        {"value.Created == value.Created", MET, 0},
        {"value.Id == \"00112233-4455-6677-8899-aabbccddeeff\"", MET, 0},
        {"value.Id == \"{00112233-4455-6677-8899-AABBCCDDEEFF}\"", MET, 0},
        {"value.Id == \"00112233-4455-6677-8899-aabbccddeefe\"", NOT_MET, 0},
        {"value.Id == \"00112233\"", OTHER_KIND, 1},
        {"value.Id < \"00112233-4455-6677-8899-aabbccddeeff\"", OTHER_KIND, 1},
        {"value.Created == null or value.Id == null or value.Ratio == null or value.Small == null",
         NOT_MET, 0},
    };
    (void)state;
    check_order(cases, COUNT(cases));
}

/* ---- null, members that are not there, and what follows of that ---- */

static void test_not_known(void **state)
{
    static const struct condition_case cases[] = {
        /* null is a value; a member of null is null */
        {"value == null", NOT_MET, 0},
        {"value != null", MET, 0},
        {"value is not null", MET, 0},
        {"value is null", NOT_MET, 0},
        {"null == value.Customer", MET, 0},
        {"value.Customer is null", MET, 0},
        {"value.Customer.Name == null", MET, 0},
        {"value.Customer.Name.Length == null", MET, 0},
        {"value.Customer.Name == \"x\"", NOT_MET, 0},
        {"value.Customer.Name != \"x\"", MET, 0},
        {"value.Customer == 5", NOT_MET, 0},
        {"value.Customer < 5", NOT_MET, 0},
        {"value.Customer >= 5", NOT_MET, 0},
        {"value.Customer in 1..5", NOT_MET, 0},
        {"value.Customer not in 1..5", MET, 0},
        {"value.Customer == args.none", MET, 0},
        {"value.Customer", NOT_MET, 0},
        {"not value.Customer", MET, 0},
        /* what is not there, cannot be read, has no value */
        {"value.Totl > 10", NO_MEMBER, 7},
        {"value.Totl == null", NO_MEMBER, 7},
        {"not value.Totl > 10", NO_MEMBER, 11},
        {"value.Lines[7] == 1", NO_MEMBER, 13},
        {"args.9 == 1", NO_MEMBER, 6},
        {"args.nme == 1", NO_MEMBER, 6},
        {"value.Secret == 1", UNREADABLE, 1},
        {"value.Secret.X == 1", UNREADABLE, 14},
        {"value == value", OTHER_KIND, 1},
        {"value > 1", OTHER_KIND, 1},
        {"value.Lines == \"x\"", OTHER_KIND, 1},
        /* the other side may decide */
        {"value.Totl > 10 or value.Total > 10", MET, 0},
        {"value.Total > 10 or value.Totl > 10", MET, 0},
        {"value.Totl > 10 or value.Total < 10", NO_MEMBER, 7},
        {"value.Total < 10 or value.Totl > 10", NO_MEMBER, 27},
        {"value.Totl > 10 and value.Total < 10", NOT_MET, 0},
        {"value.Total < 10 and value.Totl > 10", NOT_MET, 0},
        {"value.Totl > 10 and value.Total > 10", NO_MEMBER, 7},
        {"value.Total > 10 and value.Totl > 10", NO_MEMBER, 28},
        {"value.A == 1 and value.B == 1", NO_MEMBER, 7},
        {"value.A == 1 or value.B == 1", NO_MEMBER, 7},
        {"not (value.A == 1 or true)", NOT_MET, 0},
        {"value.Count in (value.A, 3)", MET, 0},
        {"value.Count in value.A..5", NO_MEMBER, 22},
        {"value.Count in value.A..2", NOT_MET, 0},
        {"value.Count in 4..value.A", NOT_MET, 0},
        {"value.Count in 3..value.A", NO_MEMBER, 25},
        /* types */
        {"value is Order", MET, 0},
        {"value is Shop.Order", MET, 0},
        {"value is not Shop.Order", NOT_MET, 0},
        {"value is Invoice", NOT_MET, 0},
        {"value is Shop.Order+Line", NOT_MET, 0},
        {"value.Customer is Order", NOT_MET, 0},
        {"value.Count is Int32", UNREADABLE, 1},
        {"value.X is Order", NO_MEMBER, 7},
        {"value is Invoice and value.Amount > 5", NOT_MET, 0},
        {"this is Order and this.Count == 3", MET, 0},
        {"true", MET, 0},
        {"false or !true", NOT_MET, 0},
        {"(((value.Count == 3)))", MET, 0},
        {"! ( value.Count == 3 )", NOT_MET, 0},
        {"not not value.IsOpen", MET, 0},
        {"!!value.IsOpen and not !value.IsOpen", MET, 0},
        /* `and` before `or` */
        {"true or false and false", MET, 0},
        {"(true or false) and false", NOT_MET, 0},
        {"\tvalue.Count\r\n==3 ", MET, 0},
    };
    (void)state;
    check_order(cases, COUNT(cases));
}

static void test_exception(void **state)
{
    static const struct condition_case thrown[] = {
        {"exception", MET, 0},
        {"not exception", NOT_MET, 0},
        {"exception != null", MET, 0},
        {"exception is System.IO.IOException", MET, 0},
        {"exception is System.Exception", MET, 0},
        {"exception is not System.Exception", NOT_MET, 0},
        {"exception.Message =~ \"not found\"", MET, 0},
        {"value == null", NO_VALUE, 1},
        {"value.X == 1", NO_VALUE, 1},
        {"value > 104 or exception", MET, 0},
        {"value > 104 and exception", NO_VALUE, 1},
        {"this.X == 1", NO_VALUE, 1},
        {"value is Order", NO_VALUE, 1},
        {"elapsed > 1s", NO_VALUE, 1},
        {"value =~ \"x\"", NO_VALUE, 1},
    };
    static const struct condition_case returned[] = {
        {"exception", NOT_MET, 0},
        {"exception == null", MET, 0},
        {"exception is System.Exception", NOT_MET, 0},
        {"exception.Message =~ \"x\"", NOT_MET, 0},
        {"exception.Message == null", MET, 0},
        {"not exception and value.Count == 3", MET, 0},
    };
    struct thing_call call = thing_call(NULL);
    (void)state;
    call.exception = &thing_exception;
    check(thrown, COUNT(thrown), &call);
    check_order(returned, COUNT(returned));
}

/* ---- texts that are long ---- */

static void fill(uint16_t *units, size_t count, uint16_t unit)
{
    for (size_t i = 0; i < count; i++) {
        units[i] = unit;
    }
}

static void test_long_text(void **state)
{
    enum { UNITS = 70000 };
    static uint16_t units[2][UNITS];
    static const struct condition_case long_cases[] = {
        {"value =~ \"a\"", MET, 0},
        {"value =~ \"^aa\"", MET, 0},
        {"value =~ \"^b\"", NOT_MET, 0},
        {"value !~ \"^b\"", MET, 0},
        {"value =~ \"b\"", TEXT_LENGTH, 1},
        {"value =~ \"a$\"", TEXT_LENGTH, 1},
        {"value =~ \"^a+$\"", TEXT_LENGTH, 1},
        {"value =~ \"^a*?b\"", TEXT_LENGTH, 1},
        {"value == args.0", TEXT_LENGTH, 1},
        {"value < args.0", TEXT_LENGTH, 1},
        {"value == \"aa\"", NOT_MET, 0},
        {"value > \"aa\"", MET, 0},
        {"value < \"b\"", MET, 0},
    };
    (void)state;
    fill(units[0], UNITS, 'a');
    fill(units[1], UNITS, 'a');
    struct thing value = {.scalar = ilpi_scalar_string(units[0], UNITS)};
    struct thing argument = {.scalar = ilpi_scalar_string(units[1], UNITS)};
    struct thing_call call = thing_call(&value);
    call.arguments = &argument;
    call.argument_count = 1;
    check(long_cases, COUNT(long_cases), &call);
    /* a difference within what is compared */
    units[1][65535] = 'b';
    assert_int_equal(result_of("value < args.0", &call).outcome, MET);
    /* the longest that is matched as a whole, and one more */
    value.scalar.length = 1024;
    assert_int_equal(result_of("value =~ \"^a+$\"", &call).outcome, MET);
    value.scalar.length = 1025;
    assert_int_equal(result_of("value =~ \"^a+$\"", &call).outcome, TEXT_LENGTH);
    /* a pair that the end would cut in two, and lone halves */
    units[0][1023] = 0xD83D;
    units[0][1024] = 0xDE00;
    assert_int_equal(result_of("value =~ \"^a+b\"", &call).outcome, TEXT_LENGTH);
    units[0][0] = 0xDE00;
    units[0][1] = 0xD83D;
    units[0][2] = 0xD83D;
    units[0][3] = 0xDE00;
    value.scalar.length = 4;
    assert_int_equal(result_of("value =~ \"^\\uFFFD\\uFFFD\\U0001F600$\"", &call).outcome, MET);
    value.scalar.length = 3;
    assert_int_equal(result_of("value =~ \"^\\uFFFD{3}$\"", &call).outcome, MET);
    /* three bytes for each unit fill the room */
    fill(units[0], 1024, 0x20AC);
    value.scalar.length = 1024;
    assert_int_equal(result_of("value =~ \"^\xE2\x82\xAC+$\"", &call).outcome, MET);
}

/* Expressions that would take for ever, at addresses that are not aligned. */
static void test_match_steps(void **state)
{
    static uint8_t bytes[2 * 64 + 1];
    (void)state;
    for (size_t i = 0; i < 64; i++) {
        bytes[2 * i + 1] = 'a';
    }
    struct thing value = {.scalar = ilpi_scalar_string(bytes + 1, 64)};
    struct thing_call call = thing_call(&value);
    assert_int_equal(result_of("value =~ \"^(a+)+[bc]\"", &call).outcome, MATCH_STEPS);
    assert_int_equal(result_of("value =~ \"(*NO_JIT)^(a+)+[bc]\"", &call).outcome, MATCH_STEPS);
    assert_int_equal(result_of("value =~ \"^(a|a)*$\"", &call).outcome, MET);
    assert_int_equal(result_of("value !~ \"^(a+)+[bc]\"", &call).outcome, MATCH_STEPS);
    assert_int_equal(result_of("value =~ \"^(a+)+[bc]\" or true", &call).outcome, MET);
    /* without memory for it */
    struct ilpi_condition *condition = open_condition("value =~ \"a\"", NULL);
    assert_true(ilpi_condition_needs_scratch(condition));
    assert_int_equal(ilpi_condition_test(condition, &call.source, NULL).outcome,
                     ILPI_CONDITION_NO_MEMORY);
    ilpi_condition_close(condition);
}

/* The interpreter of PCRE2 has its frames in the memory that was taken before. */
static void test_match_memory(void **state)
{
    static uint16_t units[1000];
    (void)state;
    fill(units, COUNT(units), 'a');
    struct thing value = {.scalar = ilpi_scalar_string(units, 300)};
    struct thing_call call = thing_call(&value);
    assert_int_equal(result_of("value =~ \"(*NO_JIT)^(a|b)*$\"", &call).outcome, MET);
    value.scalar.length = COUNT(units);
    assert_int_equal(result_of("value =~ \"(*NO_JIT)^((((((a|b))))))*$\"", &call).outcome,
                     MATCH_STEPS);
    assert_int_equal(result_of("value =~ \"(*NO_JIT)^a\"", &call).outcome, MET);
}

/* ---- what a condition needs ---- */

static void test_needs(void **state)
{
    struct ilpi_condition *condition = open_condition(
        "value.A == Open and (args.0.B == 1 or args.name in 1..args.1) and this is Order", NULL);
    (void)state;
    assert_true(ilpi_condition_uses(condition, ILPI_ROOT_VALUE));
    assert_true(ilpi_condition_uses(condition, ILPI_ROOT_ARGUMENT));
    assert_true(ilpi_condition_uses(condition, ILPI_ROOT_THIS));
    assert_false(ilpi_condition_uses(condition, ILPI_ROOT_EXCEPTION));
    assert_false(ilpi_condition_uses(condition, ILPI_ROOT_ELAPSED));
    assert_int_equal(ilpi_condition_slots(condition), 7);
    assert_int_equal(ilpi_condition_argument_tests(condition), 2); /* one is mixed */
    struct ilpi_argument_test first = ilpi_condition_argument_test(condition, 0);
    assert_int_equal(first.root, ILPI_ROOT_ARGUMENT);
    assert_null(first.argument->text);
    assert_int_equal(first.argument->number, 0);
    assert_int_equal(first.column, 27);
    struct ilpi_argument_test second = ilpi_condition_argument_test(condition, 1);
    assert_int_equal(second.root, ILPI_ROOT_THIS);
    assert_null(second.argument);
    assert_int_equal(second.column, 67);
    assert_int_equal(ilpi_condition_mixed(condition), 39);
    assert_false(ilpi_condition_needs_scratch(condition));
    ilpi_condition_close(condition);
    ilpi_condition_close(NULL);
    ilpi_condition_scratch_close(NULL);
}

static uint16_t mixed_column(const char *text)
{
    struct ilpi_condition *condition = open_condition(text, NULL);
    uint16_t column = ilpi_condition_mixed(condition);
    ilpi_condition_close(condition);
    return column;
}

/* What an argument is compared with has to be there at the same time. */
static void test_mixed(void **state)
{
    (void)state;
    assert_int_equal(mixed_column("value == args.0"), 1);
    assert_int_equal(mixed_column("args.a == 1 and args.a == value"), 17);
    assert_int_equal(mixed_column("args.a in args.b..5"), 1);
    assert_int_equal(mixed_column("args.a in 1..this.Most"), 1);
    assert_int_equal(mixed_column("args.a in (1, args.b)"), 1);
    assert_int_equal(mixed_column("args.0 > args.1"), 1);
    assert_int_equal(mixed_column("args.a.X == args.a.Y and this.X != this.Y"), 0);
    assert_int_equal(mixed_column("args.0[1] == args.0[2] or args[0].Length in 1..args.0.Most"), 0);
    assert_int_equal(mixed_column("value.X == value.Y and args.0 == 5"), 0);
}

/* At the entry of a call what arguments decide is known. */
static void test_entry(void **state)
{
    static const struct condition_case cases[] = {
        {"args.currency == \"EUR\" and value.Count == 3", NO_VALUE, 28},
        {"args.currency != \"EUR\" and value.Count == 3", NOT_MET, 0},
        {"value.Count == 3 and args.1 > 12", NOT_MET, 0},
        {"args.0 =~ \"^x\" or args.limit < 0", NOT_MET, 0},
        {"args.0 =~ \"^E\" or value == null", MET, 0},
        {"not (args.0 == \"EUR\" or value == null)", NOT_MET, 0},
        {"args.nothing > 5", NO_MEMBER, 6},
        {"args.nothing > 5 and value.Count == 3", NO_MEMBER, 6},
        {"this is Order and elapsed > 1s", NO_VALUE, 19},
        {"this is not Order and elapsed > 1s", NOT_MET, 0},
    };
    struct thing_call call = thing_order_call();
    struct ilpi_condition *regex = open_condition("value =~ \"a\"", NULL);
    struct ilpi_condition_scratch *scratch;
    (void)state;
    assert_int_equal(ilpi_condition_scratch_open(&scratch, regex, NULL, NULL), ILP_OK);
    ilpi_condition_close(regex);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilpi_condition *condition = open_condition(cases[i].text, NULL);
        struct thing_parts parts = thing_test_parts(condition, &call, scratch);
        if (parts.entry.outcome != cases[i].outcome || parts.entry.column != cases[i].column) {
            fail_msg("%s: %s (column %u)", cases[i].text,
                     ilpi_condition_outcome_text(parts.entry.outcome), parts.entry.column);
        }
        ilpi_condition_close(condition);
    }
    ilpi_condition_scratch_close(scratch);
}

/* Equal names have one address, and each place its own slot. */
static const struct ilpi_condition_name *seen[4];
static size_t seen_count;

static enum ilpi_reach note_member(const struct ilpi_condition_source *source,
                                   const struct ilpi_condition_value *of,
                                   const struct ilpi_condition_name *name,
                                   struct ilpi_condition_value *out)
{
    (void)source;
    seen[seen_count++ % COUNT(seen)] = name;
    *out = *of;
    return ILPI_REACH_FOUND;
}

static void test_slots(void **state)
{
    struct ilpi_condition_reader reader = thing_reader;
    struct thing value = THING_INT(NULL, 1);
    struct thing_call call = thing_call(&value);
    struct ilpi_condition *condition = open_condition("value.A.B == 1 and value.B.A == 1", NULL);
    (void)state;
    reader.member = note_member;
    call.source.reader = &reader;
    seen_count = 0;
    assert_int_equal(ilpi_condition_test(condition, &call.source, NULL).outcome, MET);
    assert_int_equal(seen_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(seen[i]->slot, i);
    }
    assert_ptr_equal(seen[0]->text, seen[3]->text);
    assert_ptr_equal(seen[1]->text, seen[2]->text);
    assert_string_equal(seen[0]->text, "A");
    ilpi_condition_close(condition);
}

/* What decides is all that is read. */
static void test_reads(void **state)
{
    static const struct {
        const char *text;
        unsigned reads;
    } cases[] = {
        {"value.Count == 3 or value.Total == 1", 1},
        {"value.Count == 3 and value.Total == 1", 2},
        {"value.Count == 4 and value.Total == 1", 1},
        {"value.Count in 1..5", 1},
        {"value.Count in (3, 4, 5)", 1},
        {"value.Count in (4, 5, 3)", 3},
        {"true or value.Count == 3", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct thing_call call = thing_order_call();
        struct ilpi_condition *condition = open_condition(cases[i].text, NULL);
        ilpi_condition_test(condition, &call.source, NULL);
        assert_int_equal(call.reads, cases[i].reads);
        ilpi_condition_close(condition);
    }
}

/* ---- memory that ends ---- */

static void test_memory(void **state)
{
    const char *text = "value.A.B == Open and args.0 =~ \"x\" and this is Order and args.x == "
                       "\"00112233-4455-6677-8899-aabbccddeeff\"";
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        struct ilpi_condition *condition;
        struct ilp_error error;
        memory = (struct memory){.fail_at = fail_at};
        ilp_status status = ilpi_condition_open(&condition, bytes_of(text), &allocator, &error);
        if (status == ILP_OK) {
            assert_true(fail_at > 8);
            ilpi_condition_close(condition);
            memory_is_empty(&memory);
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
        assert_int_equal(error.status, ILP_E_NO_MEMORY);
        assert_null(condition);
        memory_is_empty(&memory);
    }
    struct ilpi_condition *regex = open_condition(text, NULL);
    for (size_t fail_at = 1;; fail_at++) {
        struct ilpi_condition_scratch *scratch;
        memory = (struct memory){.fail_at = fail_at};
        ilp_status status = ilpi_condition_scratch_open(&scratch, regex, &allocator, NULL);
        if (status == ILP_OK) {
            assert_true(fail_at > 4);
            ilpi_condition_scratch_close(scratch);
            memory_is_empty(&memory);
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
        assert_null(scratch);
        memory_is_empty(&memory);
    }
    ilpi_condition_close(regex);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer),     cmocka_unit_test(test_interval),
        cmocka_unit_test(test_kinds),       cmocka_unit_test(test_not_known),
        cmocka_unit_test(test_exception),   cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_match_steps), cmocka_unit_test(test_match_memory),
        cmocka_unit_test(test_needs),       cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_entry),       cmocka_unit_test(test_slots),
        cmocka_unit_test(test_reads),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
