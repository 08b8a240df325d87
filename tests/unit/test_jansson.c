/* host/jansson.c: jansson's functions by their own names, loaded at the first document. */
#include "metadata_test.h"

#include <jansson.h>
#include <stdlib.h>

/* In a process that has loaded nothing yet. */
static void test_nothing(void **state)
{
    (void)state;
    json_delete(NULL);
    assert_null(json_object_get(NULL, "a"));
    assert_null(json_string_value(NULL));
    assert_null(json_object_iter(NULL));
    assert_null(json_object_iter_next(NULL, NULL));
    assert_null(json_object_iter_key(NULL));
    assert_null(json_object_iter_value(NULL));
    assert_null(json_object_key_to_iter(NULL));
    assert_null(json_array_get(NULL, 0));
    assert_null(json_dumps(NULL, 0));
    assert_int_equal(json_array_size(NULL), 0);
    assert_int_equal(json_object_size(NULL), 0);
    assert_int_equal(json_integer_value(NULL), 0);
    assert_int_equal(json_equal(NULL, NULL), 0);
}

static void test_read(void **state)
{
    static const char text[] = "{\"a\": [1, \"two\"], \"b\": 3} and more";
    json_error_t error;
    const char *key;
    json_t *value;
    size_t index;
    unsigned members = 0, items = 0;
    (void)state;
    json_t *root = json_loadb(text, sizeof text - 1, JSON_DISABLE_EOF_CHECK, &error);
    assert_non_null(root);
    assert_int_equal(json_object_size(root), 2);
    json_object_foreach(root, key, value)
    {
        assert_ptr_equal(json_object_get(root, key), value);
        members++;
    }
    json_array_foreach(json_object_get(root, "a"), index, value)
    {
        items++;
    }
    assert_int_equal(members, 2);
    assert_int_equal(items, 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "a"), 1)), "two");
    assert_int_equal(json_integer_value(json_object_get(root, "b")), 3);
    json_decref(root);
    assert_null(json_loads("{\"a\": 1, }", 0, &error));
    assert_int_equal(error.line, 1);
    assert_int_equal(json_error_code(&error), json_error_invalid_syntax);
}

static void test_made(void **state)
{
    (void)state;
    json_t *object = json_object(), *same = json_loads("{\"a\": \"x\"}", 0, NULL);
    assert_int_equal(json_object_set_new(object, "a", json_string("x")), 0);
    assert_int_equal(json_equal(object, same), 1);
    char *text = json_dumps(object, JSON_COMPACT);
    assert_string_equal(text, "{\"a\":\"x\"}");
    free(text);
    json_decref(object);
    json_decref(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
