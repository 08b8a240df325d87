/* host/text_list.c: a list of texts as one text, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/text_list.c" /* the library has no tools in it */

static void any_items_come_back(void **state)
{
    static const char *const given[] = {"--rules", "/a folder/r.xml",    "back\\slash", " ",
                                        "\\ \\",   "tab\tand 'quotes';", ";:\\:",       "x"};
    static const char separators[] = {' ', ';', ':'};
    (void)state;
    for (size_t i = 0; i < sizeof separators; i++) {
        char *list = NULL;
        for (size_t j = 0; j < sizeof given / sizeof given[0]; j++) {
            assert_true(text_list_add(&list, separators[i], given[j]));
        }
        char *rest = list;
        for (size_t j = 0; j < sizeof given / sizeof given[0]; j++) {
            assert_string_equal(text_list_next(&rest, separators[i]), given[j]);
        }
        assert_null(text_list_next(&rest, separators[i]));
        free(list);
    }
}

static void a_list_written_by_hand(void **state)
{
    char text[] = "  --where  a\\ b   c\\";
    char *rest = text;
    (void)state;
    assert_string_equal(text_list_next(&rest, ' '), "--where");
    assert_string_equal(text_list_next(&rest, ' '), "a b");
    assert_string_equal(text_list_next(&rest, ' '), "c\\");
    assert_null(text_list_next(&rest, ' '));
    assert_null(text_list_next(&rest, ' '));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_items_come_back),
        cmocka_unit_test(a_list_written_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
