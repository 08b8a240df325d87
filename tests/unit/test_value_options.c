/* host/value_options.c: how values are written, as options and as variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/value_options.c" /* the library has no tools in it */

static void test_limit(void **state)
{
    static const char *const wrong[] = {"",   "0",  "11", "x",  "5x",
                                        " 5", "+5", "-5", "5 ", "99999999999999999999"};
    (void)state;
    assert_int_equal(value_limit_read("1", 1, 10), 1);
    assert_int_equal(value_limit_read("010", 1, 10), 10);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(value_limit_read(wrong[i], 1, 10), 0);
    }
}

static void test_settings(void **state)
{
    struct value_options options = {.no_redact = false};
    struct value_settings settings;
    (void)state;
    assert_false(value_option(&options, OPTION_RULES, "x"));
    assert_int_equal(value_options_check(&options, NULL), EXIT_DONE);
    assert_true(value_option(&options, OPTION_DEPTH, "5"));
    assert_true(value_option(&options, OPTION_WIDTH, "16000"));
    assert_true(value_option(&options, OPTION_REDACT, "card"));
    assert_true(value_option(&options, OPTION_NO_REDACT, NULL));
    assert_int_equal(value_settings_read(&settings, &options, "zip,type:A", NULL), EXIT_DONE);
    assert_int_equal(settings.limits.depth, 5);
    assert_int_equal(settings.limits.elements, VALUE_ELEMENTS);
    assert_int_equal(settings.limits.text, VALUE_TEXT);
    assert_int_equal(settings.limits.width, 16000);
    assert_int_equal(redaction_of_name(settings.redaction, "Zip", 3), SECRECY_ALL);
    assert_int_equal(redaction_of_name(settings.redaction, "Card", 4), SECRECY_ALL);
    assert_int_equal(redaction_of_name(settings.redaction, "Token", 5), SECRECY_NONE);
    assert_true(redaction_of_type(settings.redaction, "A"));
    value_settings_close(&settings);
    free(options.redact.items);
}

static void check_wrong(enum option_id option, const char *value)
{
    struct value_options options = {.no_redact = false};
    assert_true(value_option(&options, option, value));
    if (value_options_check(&options, "run") != EXIT_USAGE) {
        fail_msg("%s is right", value);
    }
    free(options.redact.items);
}

static void test_wrong(void **state)
{
    int standard_error = dup(STDERR_FILENO);
    (void)state;
    assert_true(standard_error >= 0 && freopen("/dev/null", "w", stderr));
    check_wrong(OPTION_REDACT, "a*b");
    check_wrong(OPTION_DEPTH, "11");
    check_wrong(OPTION_DEPTH, "x");
    check_wrong(OPTION_ELEMENTS, "0");
    check_wrong(OPTION_TEXT, "4001");
    check_wrong(OPTION_WIDTH, "39");
    assert_true(dup2(standard_error, STDERR_FILENO) >= 0);
    close(standard_error);
}

static void test_redact_text(void **state)
{
    struct value_options options = {.no_redact = false};
    (void)state;
    assert_true(value_option(&options, OPTION_REDACT, "card"));
    assert_true(value_option(&options, OPTION_REDACT, "zip,type:A"));
    char *text = value_options_redact(&options, NULL);
    assert_string_equal(text, "card,zip,type:A");
    free(text);
    text = value_options_redact(&options, "pin");
    assert_string_equal(text, "pin,card,zip,type:A");
    free(text);
    free(options.redact.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_redact_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
