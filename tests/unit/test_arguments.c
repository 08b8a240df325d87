/* host/arguments.c: a command line as one text, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/arguments.c" /* the library has no tools in it */

static void any_arguments_come_back(void **state)
{
    static const char *const given[] = {
        "--rules", "/a folder/r.xml", "back\\slash", " ", "\\ \\", "tab\tand 'quotes'", "x"};
    enum { COUNT = sizeof given / sizeof given[0] };
    struct arguments line = {NULL};
    int count;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        arguments_add(&line, given[i]);
    }
    char **split = arguments_split(line.text, (char *)(uintptr_t) "name", &count);
    assert_int_equal(count, COUNT + 1);
    assert_string_equal(split[0], "name");
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_equal(split[i + 1], given[i]);
    }
    assert_null(split[count]);
    free(split);
    free(line.text);
}

static void text_written_by_hand(void **state)
{
    char text[] = "  --where  a\\ b   c\\";
    int count;
    (void)state;
    char **split = arguments_split(text, text, &count);
    assert_int_equal(count, 4);
    assert_string_equal(split[1], "--where");
    assert_string_equal(split[2], "a b");
    assert_string_equal(split[3], "c\\");
    free(split);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_arguments_come_back),
        cmocka_unit_test(text_written_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
