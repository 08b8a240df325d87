/* host/resolve/version.c: which texts are versions, and their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/resolve/version.c" /* the library has no tools in it */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct version parsed(const char *text)
{
    struct version version;
    if (!version_parse(&version, text)) {
        fail_msg("%s is no version", text);
    }
    return version;
}

/* Each one is lower than the next: the first lines are the example of Semantic Versioning 2.0, 11.
 */
static void test_order(void **state)
{
    (void)state;
    static const char *const rising[] = {
        "0.0.0-0",
        "0.0.0",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1",
        "1.2.0",
        "1.10.0",
        "2.0.0-99999999999999999999.1",
        "2.0.0-100000000000000000000",
        "2.0.0",
        "10.0.0-rc.1.25451.107",
        "10.0.0-rc.2",
        "10.0.0",
        "2147483647.0.0",
    };
    for (size_t i = 0; i < COUNT(rising); i++) {
        struct version left = parsed(rising[i]);
        for (size_t j = 0; j < COUNT(rising); j++) {
            struct version right = parsed(rising[j]);
            int order = version_compare(&left, &right);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
        assert_int_equal(version_is_preview(&left), strchr(rising[i], '-') != NULL);
    }
    struct version plain = parsed("1.2.3-rc.1");
    struct version built = parsed("1.2.3-rc.1+sha.5114f85");
    assert_int_equal(version_compare(&plain, &built), 0);
}

static void test_no_versions(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "1",
        "1.",
        "1.2",
        "1.2.",
        "1.2.3.",
        "1.2.3.4",
        "1.2.3-",
        "1.2.3-+x",
        "1.2.3-a..b.",
        "1.2.3 ",
        " 1.2.3",
        "1.2.x",
        "-1.2.3",
        "+1.2.3",
        "01.2.3",
        "1.02.3",
        "1.2.3-\xC3\xA4",
        "1.2.3-a/b",
        "v1.2.3",
        "2147483648.0.0",
        "99999999999999999999.0.0",
    };
    struct version version;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (version_parse(&version, wrong[i])) {
            fail_msg("%s is taken for a version", wrong[i]);
        }
    }
    char text[300];
    snprintf(text, sizeof text, "1.2.3-%0250d", 1); /* longer than there is room for */
    assert_false(version_parse(&version, text));
}

static void test_four_numbers(void **state)
{
    (void)state;
    static const char *const rising[] = {"",      "0.0.0.1", "1",    "1.0.0.1",        "1.2",
                                         "1.2.3", "1.2.3.4", "1.10", "10.0.1226.42308"};
    for (size_t i = 0; i < COUNT(rising); i++) {
        for (size_t j = 0; j < COUNT(rising); j++) {
            struct version4 left = version4_parse(rising[i]);
            struct version4 right = version4_parse(rising[j]);
            assert_int_equal(version4_compare(&left, &right), (i > j) - (i < j));
        }
    }
    assert_int_equal(version4_parse(NULL).part[0], 0);
    assert_int_equal(version4_parse("1.2.x").part[1], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_versions),
        cmocka_unit_test(test_four_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
