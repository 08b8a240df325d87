/* src/values/notation.c: values as JSON, which another reader parses; whole however little room
 * there is. A runtime of this file's own knows what objects are: each begins with its shape. */
#include "metadata_test.h"

#include <jansson.h>
#include <math.h>

#include "tests/unit/own_shapes.h"
#include "values/notation.h"

struct thing {
    const struct shape *type;
    const void *next;
    int64_t number;
};

static const struct shape text = {.kind = SHAPE_STRING, .size = 8, .name = "System.String"};
static const struct shape int64 = {.kind = SHAPE_SIGNED, .size = 8, .name = "System.Int64"};
static const struct shape real = {.kind = SHAPE_DOUBLE, .size = 8, .name = "System.Double"};
static const struct shape outcome = {.kind = SHAPE_BOOLEAN, .size = 1, .name = "System.Boolean"};
static const struct shape root = {.kind = SHAPE_ROOT, .is_class = true, .name = "System.Object"};
static const struct shape_field fields[] = {
    FIELD("Next", offsetof(struct thing, next), &any),
    FIELD("Number", offsetof(struct thing, number), &int64)};
static const struct shape class = {.kind = SHAPE_CLASS,
                                   .size = sizeof(struct thing),
                                   .fields = fields,
                                   .field_count = COUNT(fields),
                                   .is_class = true,
                                   .name = "N.Thing",
                                   .short_name = "Thing"};

struct array {
    const struct shape *type;
    int32_t length;
    int32_t bounds[2];
    const void *elements[20];
};
static const struct shape objects = {.kind = SHAPE_ELEMENTS,
                                     .is_class = true,
                                     .inner = &any,
                                     .data = offsetof(struct array, elements),
                                     .name = "System.Object[]"};

struct string {
    const struct shape *type;
    int32_t length;
    uint16_t units[300];
};

static const char *in_room(const struct shape *shape, const void *value, size_t size, size_t room)
{
    static char json[8192];
    struct line line;
    const struct shaped_value shaped = {
        .shape = shape, .types = &own_types, .value = value, .size = size};
    memset(json, 'X', sizeof json);
    line_begin(&line, json, room);
    shape_put_json(&line, &shaped);
    assert_true(line.size <= room);
    json[line.size] = '\0';
    return json;
}

static const char *json_of(const struct shape *shape, const void *value, size_t size)
{
    return in_room(shape, value, size, 8000);
}

#define JSON(shape, value) json_of(shape, &(value), sizeof(value))

static void test_numbers(void **state)
{
    const int64_t exact = -999999999999999, other = 9007199254740993;
    const double numbers[] = {0.1, -0.0, 1e17, 5e-324}, none = NAN;
    static const char *const texts[] = {"0.1", "-0", "1E+17", "5E-324"};
    const uint8_t yes = 1;
    (void)state;
    assert_string_equal(JSON(&int64, exact), "-999999999999999");
    assert_string_equal(JSON(&int64, other), "\"9007199254740993\"");
    for (size_t i = 0; i < COUNT(numbers); i++) {
        assert_string_equal(JSON(&real, numbers[i]), texts[i]);
    }
    assert_string_equal(JSON(&real, none), "\"NaN\"");
    assert_string_equal(JSON(&outcome, yes), "true");
    assert_string_equal(json_of(&real, &none, 3), "\"bytes 000000\"");
    assert_string_equal(json_of(&any, NULL, 0), "null");
}

static void test_strings(void **state)
{
    struct string string = {&text, 7, {'"', '\\', '\n', 1, 0x20AC, 0xD800, '\''}};
    const void *object = &string;
    (void)state;
    assert_string_equal(JSON(&any, object), "\"\\\"\\\\\\n\\u0001\xE2\x82\xAC\xEF\xBF\xBD'\"");
    string.length = 300;
    const char *json = JSON(&any, object);
    json_error_t error;
    string.units[5] = 'x';
    json = JSON(&any, object);
    json_t *parsed = json_loads(json, JSON_ALLOW_NUL, &error);
    assert_int_equal(json_integer_value(json_object_get(parsed, "$length")), 300);
    assert_int_equal(json_string_length(json_object_get(parsed, "$text")), 202);
    json_decref(parsed);
}

static void test_objects(void **state)
{
    const struct shape *nothing = &root, *unknown = NULL;
    struct thing inner = {&class, &unknown, 2}, thing = {&class, &inner, 1};
    struct array grid = {&objects, 0, {0, 0}, {NULL}}, array = {&objects, 9, {0, 0}, {&thing}};
    const void *object = &thing;
    (void)state;
    assert_string_equal(
        JSON(&any, object),
        "{\"Next\":{\"$type\":\"Thing\",\"Next\":{\"$\":\"...\"},\"Number\":2},\"Number\":1}");
    inner.next = &thing;
    assert_string_equal(JSON(&any, object), "{\"Next\":{\"$type\":\"Thing\",\"Next\":{\"$\":"
                                            "\"cycle\",\"$type\":\"Thing\"},\"Number\":2},"
                                            "\"Number\":1}");
    inner.next = &nothing;
    array.elements[0] = &grid;
    thing.next = &array;
    assert_string_equal(JSON(&any, object), "{\"Next\":{\"$count\":9,\"$items\":[[],null,null,null,"
                                            "null,null,null,null]},\"Number\":1}");
    object = &nothing;
    assert_string_equal(JSON(&any, object), "{\"$type\":\"object\"}");
}

/* Whatever the room is, what comes out can be read. */
static void test_little_room(void **state)
{
    struct string string = {&text, 40, {'a', 'b'}};
    struct array arrays[3] = {{&objects, 20, {0, 0}, {NULL}},
                              {&objects, 20, {0, 0}, {NULL}},
                              {&objects, 20, {0, 0}, {NULL}}};
    struct thing things[2] = {{&class, &arrays[1], 1}, {&class, &string, 2}};
    const void *object = &arrays[0];
    (void)state;
    for (size_t i = 0; i < 40; i++) {
        string.units[i] = i % 2 == 0 ? '"' : 0x20AC;
    }
    for (size_t i = 0; i < COUNT(arrays[0].elements); i++) {
        arrays[0].elements[i] = i % 3 == 0 ? (const void *)&things[0] : &arrays[1];
        arrays[1].elements[i] = i % 2 == 0 ? (const void *)&things[1] : &string;
    }
    for (size_t room = NOTATION_RESERVE - 300; room < 6000; room++) {
        const char *json = in_room(&any, &object, sizeof object, room);
        json_t *parsed = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
        if (!parsed) {
            fail_msg("%zu: %s", room, json);
        }
        json_decref(parsed);
    }
}

/* A base class may have fields of the same names; as text they stand as they are. */
static void test_same_names(void **state)
{
    const int64_t values[] = {1, 2, 3, 4};
    struct shape_field same[] = {FIELD("id", 0, &int64), FIELD("x", 8, &int64),
                                 FIELD("id", 16, &int64), FIELD("id", 24, &int64)};
    const struct shape shape = {.kind = SHAPE_STRUCT,
                                .size = sizeof values,
                                .fields = same,
                                .field_count = COUNT(same),
                                .name = "N.S"};
    const struct shaped_value shaped = {.shape = &shape, .value = values, .size = sizeof values};
    char line[64];
    (void)state;
    shape_count_names(same, COUNT(same));
    assert_string_equal(JSON(&shape, values), "{\"id\":1,\"x\":2,\"id$2\":3,\"id$3\":4}");
    line[shape_write(&shaped, line, sizeof line - 1)] = '\0';
    assert_string_equal(line, "{id=1, x=2, id=3, id=4}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_strings),
        cmocka_unit_test(test_objects),    cmocka_unit_test(test_little_room),
        cmocka_unit_test(test_same_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
