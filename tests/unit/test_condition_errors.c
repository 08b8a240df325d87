/* src/condition: what is wrong with a condition, and where. */
#include "metadata_test.h"

#include "condition/condition.h"

struct error_case {
    const char *text;
    unsigned column;
    const char *message; /* what it begins with, after the column */
};

static void check(struct ilp_bytes text, unsigned column, const char *message)
{
    struct ilpi_condition *condition;
    struct ilp_error error = {0};
    char expected[300];
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilp_bytes copy = exact(text.data, text.size);
    ilp_status status = ilpi_condition_open(&condition, copy, &allocator, &error);
    snprintf(expected, sizeof expected, "column %u: %s", column, message);
    if (status != ILP_E_BAD_RULES || error.column != column ||
        strncmp(error.message, expected, strlen(expected)) != 0) {
        fail_msg("%.*s: status %d, column %u, %s", (int)text.size, (const char *)text.data, status,
                 error.column, error.message);
    }
    assert_null(condition);
    assert_int_equal(ilpi_condition_open(&condition, copy, NULL, NULL), ILP_E_BAD_RULES);
    memory_is_empty(&memory);
    drop(copy);
}

static void test_errors(void **state)
{
    static const struct error_case cases[] = {
        {"", 1, "expected a value, found the end"},
        {"  ", 3, "expected a value, found the end"},
        {"value >", 8, "expected a value, found the end"},
        {"value > )", 9, "expected a value, found )"},
        {"value >> 5", 8, "expected a value, found >"},
        {"value > 5 5", 11, "expected 'and', 'or' or the end of the condition, found 5"},
        {"1 < value < 5", 11, "expected 'and', 'or' or the end of the condition, found <"},
        {"(value > 5", 11, "expected 'and', 'or' or ')', found the end"},
        {"value > 5)", 10, "expected 'and', 'or' or the end of the condition, found )"},
        {"value > 5 and", 14, "expected a value, found the end"},
        {"value = 5", 7, "'=' is not an operator. Write == to compare"},
        {"value > 5 & true", 11, "'&' is not an operator"},
        {"value > 5 | true", 11, "'|' is not an operator"},
        {"value > #5", 9, "'#' does not belong to any condition"},
        {"value > \x01", 9, "'?' does not belong to any condition"},
        {"!value > 5", 1, "'!' before a comparison. Write !(a == b), or not a == b"},
        {"true or !value in (5)", 9, "'!' before a comparison"},
        {"not !value is null", 5, "'!' before a comparison"},
        /* paths */
        {"valu.Total > 5", 1, "'valu' does not begin a path: expected value, args, exception"},
        {"value.State == State.Open", 16, "'State' does not begin a path"},
        {"x[0] == 1", 1, "'x' does not begin a path"},
        {"Total > 5", 1, "this is not a value of the call"},
        {"5 > 4", 1, "this is not a value of the call"},
        {"\"x\" =~ \"y\"", 1, "this is not a value of the call"},
        {"5 in 1..6", 1, "this is not a value of the call"},
        {"true is null", 1, "this is not a value of the call"},
        {"true == false", 1, "this is not a value of the call"},
        {"5 is null", 1, "this is not a value of the call"},
        {"5 has value", 1, "this is not a value of the call"},
        {"Open", 1, "this is not a value of the call"},
        {"5", 1, "this is not a value of the call"},
        {"null", 1, "this is not a value of the call"},
        {"args > 5", 5, "expected an argument: args.0 or args.name"},
        {"args..1 == 5", 5, "expected an argument: args.0 or args.name"},
        {"args. == 5", 6, "expected the name of a member"},
        {"value. == 5", 7, "expected the name of a member"},
        {"value.0 == 5", 7, "an element is written [0], not .0"},
        {"args.0.1 == 5", 8, "an element is written [0], not .0"},
        {"value[] == 5", 7, "expected the number of an element: [0]"},
        {"value[1 == 5", 7, "expected the number of an element: [0]"},
        {"value[-1] == 5", 7, "expected the number of an element: [0]"},
        {"value[2147483648] == 5", 7, "no array has so many elements"},
        {"args.99999999999 == 5", 6, "no array has so many elements"},
        /* numbers and durations */
        {"value == 99999999999999999999999999999", 10, "the number is too large"},
        {"value == 1e400", 10, "the number is beyond those of a double"},
        {"value == 1e-400", 10, "the number is beyond those of a double"},
        {"value == 79228162514264337593543950336e-400", 10,
         "the number is beyond those of a double"},
        {"value == 1e99999999999", 10, "the number is beyond those of a double"},
        {"value == 0x", 12, "expected the digits of a number"},
        {"value == 0b2", 12, "expected the digits of a number"},
        {"value == 0x@", 12, "expected the digits of a number"},
        {"value == 5x", 11, "'x' is not a unit: expected ns, us, ms, s, min, h or d"},
        {"value == 5m", 11, "'m' is not a unit"},
        {"value == 5_", 11, "'_' is not a unit"},
        {"value == 1e", 11, "'e' is not a unit"},
        {"value == 99999999999999999999999999999s", 10, "the duration has too many digits"},
        {"value == 0.00000000000000000001ns", 10, "the duration has too many digits"},
        {"elapsed > 5", 11, "elapsed is compared with a duration, such as 5ms"},
        {"5 < elapsed", 1, "elapsed is compared with a duration, such as 5ms"},
        {"elapsed == Open", 12, "elapsed is compared with a duration, such as 5ms"},
        {"elapsed in 1..5", 12, "elapsed is compared with a duration, such as 5ms"},
        {"elapsed", 8, "expected a comparison with a duration, such as > 5ms, found the end"},
        /* texts */
        {"value == \"x", 10, "the text does not end"},
        {"value == 'x", 10, "the text does not end"},
        {"value == \"x\\", 12, "this is not an escape of C#"},
        {"value == \"\\d\"", 11, "this is not an escape of C#. Write \\\\ for a backslash"},
        {"value == \"\\x\"", 11, "\\x is followed by the digits of a character"},
        {"value == \"\\u12\"", 11, "\\u is followed by the digits of a character"},
        {"value == \"\\U00110000\"", 11, "\\U is followed by the digits of a character"},
        {"value == 'EUR'", 10, "a char is one UTF-16 unit. Write a text as \"...\""},
        {"value == ''", 10, "a char is one UTF-16 unit"},
        {"value == '\xF0\x9F\x98\x80'", 10, "a char is one UTF-16 unit"},
        /* operators and what they take */
        {"value < null", 9, "true, false and null have no order. Compare by == or !="},
        {"true >= value", 1, "true, false and null have no order"},
        {"value in null..5", 10, "true, false and null have no order"},
        {"value has \"x\"", 11, "'has' takes flags: a name or an integer"},
        {"value has 1.5", 11, "'has' takes flags"},
        {"value has null", 11, "'has' takes flags"},
        {"value =~ 5", 10, "expected a regular expression in quotes, found 5"},
        {"value =~ args.0", 10, "expected a regular expression in quotes, found args"},
        {"value =~ \"a(b\"", 14, "cannot read the regular expression: missing closing"},
        {"value =~ @\"a)\"", 13, "cannot read the regular expression: unmatched closing"},
        {"value =~ \"\\u0061)\"", 10, "cannot read the regular expression: unmatched closing"},
        {"value =~ \"a\" \"", 14, "the text does not end"},
        {"value in 5", 11, "expected '..', as in 1..5; a list is in parentheses, found the end"},
        {"value in ..", 12, "expected the end of the range, found the end"},
        {"value in ()", 11, "expected a value, found )"},
        {"value in (1 2)", 13, "expected ',' or ')', found 2"},
        {"value in (1, 2", 15, "expected ',' or ')', found the end"},
        {"value in 5..1", 10, "the range is empty: its first end is above its last"},
        {"value in \"b\"..\"a\"", 10, "the range is empty"},
        {"value in 5ms..1us", 10, "the range is empty"},
        {"value in 1..\"b\"", 13, "both ends of a range are of one kind"},
        {"value not 5", 11, "expected 'in', found 5"},
        {"value is 5", 10, "expected the name of a type, or null, found 5"},
        {"value is not", 13, "expected the name of a type, or null, found the end"},
        {"value is A.", 12, "expected the rest of a type's name"},
        /* columns count characters */
        {"value == \"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\" x", 16, "expected 'and', 'or'"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        check((struct ilp_bytes){(const uint8_t *)cases[i].text, strlen(cases[i].text)},
              cases[i].column, cases[i].message);
    }
    check((struct ilp_bytes){(const uint8_t *)"value\xFF", 6}, 6, "the condition is not UTF-8");
    check((struct ilp_bytes){(const uint8_t *)"value == \"\xED\xA0\x80\"", 14}, 11,
          "the condition is not UTF-8");
    check((struct ilp_bytes){(const uint8_t *)"true\0", 5}, 5, "'?' does not belong");
}

/* ---- limits ---- */

static char *repeated(const char *piece, size_t count, const char *end)
{
    size_t size = strlen(piece);
    char *text = malloc(count * size + strlen(end) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + i * size, piece, size);
    }
    strcpy(text + count * size, end);
    return text;
}

static void check_repeated(const char *piece, size_t count, const char *end, const char *message)
{
    struct ilpi_condition *condition = NULL;
    struct ilp_error error = {0};
    char *text = repeated(piece, count, end);
    ilp_status status = ilpi_condition_open(
        &condition, (struct ilp_bytes){(const uint8_t *)text, strlen(text)}, NULL, &error);
    if (message) {
        assert_int_equal(status, ILP_E_BAD_RULES);
        assert_non_null(strstr(error.message, message));
    } else {
        if (status != ILP_OK) {
            fail_msg("%zu times %s: %s", count, piece, error.message);
        }
    }
    ilpi_condition_close(condition);
    free(text);
}

static void test_limits(void **state)
{
    (void)state;
    check_repeated(" ", 4092, "true", NULL);
    check_repeated(" ", 4093, "true", "column 1: the condition has more than 4096 bytes");
    check_repeated("not ", 1023, "true", NULL);
    check_repeated("true or ", 511, "true", NULL);
    check_repeated("(true or true and ", 32, "value in (1, 2)))))))))))))))))))))))))))))))))",
                   NULL);
    check_repeated("(", 33, "true", "column 33: nested too deep");
    check_repeated("value=='x'or ", 314, "true", NULL);
    /* digits and a long name in a message */
    check_repeated("1", 28, ".5 < value", NULL);
    check_repeated("1", 198, ".5 < value", "column 1: the number has too many digits");
    check_repeated("x", 4000, ".y", "does not begin a path");
    check_repeated("x", 4000, " x", "this is not a value of the call");
}

static void test_excerpt(void **state)
{
    static const struct {
        const char *text;
        uint32_t column;
        const char *excerpt;
    } cases[] = {
        {"value >> 5", 8, "    value >> 5\n           ^"},
        {"", 1, "    \n    ^"},
        {"x", 2, "    x\n     ^"},
        {"\xC3\xA4 \x1B\xFF x", 5, "    \xC3\xA4 ?? x\n        ^"},
        {"1234567890123456789012345678901234567890-----x-----1234567890123456789012345678901", 46,
         "    78901234567890123456789012345678 90"},
    };
    char to[400];
    (void)state;
    for (size_t i = 0; i < COUNT(cases) - 1; i++) {
        struct ilp_bytes text = {(const uint8_t *)cases[i].text, strlen(cases[i].text)};
        ilpi_condition_excerpt(text, cases[i].column, to, sizeof to);
        assert_string_equal(to, cases[i].excerpt);
    }
    /* what is far from the column is left out, and the caret is below the `x` */
    struct ilp_bytes text = {(const uint8_t *)cases[4].text, strlen(cases[4].text)};
    ilpi_condition_excerpt(text, 46, to, sizeof to);
    const char *second = strchr(to, '\n');
    assert_non_null(second);
    assert_int_equal(to[strlen(second + 1) - 1], 'x');
    assert_int_equal(second - to, 4 + 40 + 30);
    /* any room is enough */
    for (size_t size = 0; size < 60; size++) {
        uint8_t *room = malloc(size != 0 ? size : 1);
        assert_non_null(room);
        ilpi_condition_excerpt(text, 46, (char *)room, size);
        assert_true(size == 0 || memchr(room, 0, size));
        free(room);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_excerpt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
