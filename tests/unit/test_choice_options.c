/* host/choice_options.c: what --when, --sample, --rate, --limit and --for take. */
#include "metadata_test.h"

#include "host/choice_options.h"

#define SECOND 1000000000u

static enum exit_code read(struct choice_settings *settings, struct choice_options options)
{
    enum exit_code code = choice_read(settings, &options, NULL);
    choice_settings_close(settings);
    return code;
}

static void test_given(void **state)
{
    (void)state;
    struct choice_options options = {.when = NULL};
    struct choice_settings settings;
    assert_null(choice_given(&options));
    assert_true(choice_option(&options, OPTION_LIMIT, "5"));
    assert_true(choice_option(&options, OPTION_TIME, NULL));
    assert_false(choice_option(&options, OPTION_RULES, "a.xml"));
    assert_string_equal(choice_given(&options), "limit");
    assert_int_equal(read(&settings, options), EXIT_DONE);
    assert_true(settings.limit == 5 && settings.time && !settings.thread);
    assert_true(settings.sample == 1 && settings.rate == 0 && settings.duration == 0);
}

static void test_numbers(void **state)
{
    (void)state;
    struct choice_settings settings;
    assert_int_equal(read(&settings, (struct choice_options){.sample = "1/100"}), EXIT_DONE);
    assert_int_equal(settings.sample, 100);
    assert_int_equal(read(&settings, (struct choice_options){.rate = "100/s"}), EXIT_DONE);
    assert_true(settings.rate == 100 && settings.period == SECOND);
    assert_int_equal(read(&settings, (struct choice_options){.rate = "6/min"}), EXIT_DONE);
    assert_true(settings.rate == 6 && settings.period == (uint64_t)60 * SECOND);
    assert_int_equal(read(&settings, (struct choice_options){.duration = "5ms"}), EXIT_DONE);
    assert_true(settings.duration == 5000000);
    assert_int_equal(read(&settings, (struct choice_options){.duration = "2d"}), EXIT_DONE);
    assert_true(settings.duration == (uint64_t)2 * 86400 * SECOND);
}

static void test_wrong(void **state)
{
    static const struct choice_options wrong[] = {{.sample = "100"},
                                                  {.sample = "1/0"},
                                                  {.sample = "1/"},
                                                  {.sample = "1/5x"},
                                                  {.sample = "2/5"},
                                                  {.sample = ""},
                                                  {.sample = "1/-5"},
                                                  {.sample = "1/4294967296"},
                                                  {.rate = "100"},
                                                  {.rate = "/s"},
                                                  {.rate = "0/s"},
                                                  {.rate = "5/"},
                                                  {.rate = "5/week"},
                                                  {.rate = "5/s "},
                                                  {.limit = "0"},
                                                  {.limit = "1k"},
                                                  {.limit = ""},
                                                  {.limit = "-1"},
                                                  {.duration = "30"},
                                                  {.duration = "s"},
                                                  {.duration = "0s"},
                                                  {.duration = "1 s"},
                                                  {.duration = "1.5s"},
                                                  {.duration = "4294967295d"},
                                                  {.when = "value ="},
                                                  {.when = ""},
                                                  {.when = "value > args.0"},
                                                  {.when = "this.A == args.0"}};
    struct choice_settings settings;
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(read(&settings, wrong[i]), EXIT_USAGE);
    }
}

static void test_condition(void **state)
{
    (void)state;
    struct choice_settings settings;
    struct choice_options options = {.when = "value > 5"};
    assert_int_equal(choice_read(&settings, &options, NULL), EXIT_DONE);
    assert_non_null(settings.when);
    assert_non_null(ilpi_condition_intervals(settings.when));
    choice_settings_close(&settings);
    assert_null(settings.when);
    options.when = "exception is System.IO.IOException or value > 5";
    assert_int_equal(choice_read(&settings, &options, NULL), EXIT_DONE);
    choice_settings_close(&settings);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
