/* src/values/leaf.c: what is put at once reads like what is put in pieces, wherever the line
 * ends. */
#include "own_shapes.h"

#include "metadata_test.h"

#include "values/kinds.h"

static const struct shape text = {
    .kind = SHAPE_STRING, .size = 8, .references = true, .name = "System.String"};
static const struct shape numbers[] = {
    {.kind = SHAPE_SIGNED, .size = 1},   {.kind = SHAPE_SIGNED, .size = 2},
    {.kind = SHAPE_SIGNED, .size = 4},   {.kind = SHAPE_SIGNED, .size = 8},
    {.kind = SHAPE_UNSIGNED, .size = 1}, {.kind = SHAPE_UNSIGNED, .size = 4},
    {.kind = SHAPE_UNSIGNED, .size = 8}, {.kind = SHAPE_BOOLEAN, .size = 1}};
static const struct shape decimal = {.kind = SHAPE_DECIMAL, .size = 16};
static const struct shape letter = {.kind = SHAPE_CHAR, .size = 2};

/* An object begins with its shape. */
struct string_object {
    const struct shape *shape;
    int32_t length;
    uint16_t chars[40];
};

struct thing {
    int64_t number;
    uint32_t decimal[4];
    const struct string_object *name, *none;
    uint16_t letter;
};

static struct string_object name_of(const char *chars)
{
    struct string_object object = {&text, 0, {0}};
    for (; chars[object.length] != '\0'; object.length++) {
        object.chars[object.length] = (unsigned char)chars[object.length];
    }
    return object;
}

/* In pieces: without labels, and where it is not known what a string is. */
static void in_pieces(struct shape *shape, struct shape_field *fields, struct object_types *types)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        fields[i].label_size = 0;
    }
    shape->fields = fields;
    types->text = 0;
}

static size_t write_thing(const struct shape *shape, const struct object_types *types,
                          const struct thing *thing, struct value_limits limits, char *to,
                          size_t room)
{
    const struct shaped_value shaped = {
        .shape = shape, .types = types, .value = thing, .size = sizeof *thing, .limits = &limits};
    return shape_write(&shaped, to, room);
}

static void both_read_the_same(const struct thing *thing, const struct shape *number)
{
    struct object_types known = {.of = shape_of, .text = (uintptr_t)&text}, unknown = known;
    struct shape_field fields[] = {
        FIELD("", offsetof(struct thing, number), number),
        FIELD("", offsetof(struct thing, decimal), &decimal),
        FIELD("", offsetof(struct thing, letter), &letter),
        FIELD("", offsetof(struct thing, name), &text),
        FIELD("", offsetof(struct thing, none), &text),
        FIELD("", offsetof(struct thing, number), number),
    };
    static const char *const names[COUNT(fields)] = {"Number", "D",
                                                     "Letter", "a_name_of_28_characters_here",
                                                     "none",   "one_more_than_a_label_can_hold"};
    struct shape_field slow_fields[COUNT(fields)];
    for (size_t i = 0; i < COUNT(fields); i++) {
        shape_set_field_name(&fields[i], names[i], NULL);
    }
    memcpy(slow_fields, fields, sizeof fields);
    const struct shape quick = {.kind = SHAPE_STRUCT,
                                .size = sizeof *thing,
                                .field_count = COUNT(fields),
                                .fields = fields};
    struct shape slow = quick;
    in_pieces(&slow, slow_fields, &unknown);
    for (uint32_t width = 0; width < 260; width++) {
        for (size_t room = width % 7; room < 260; room += 7) {
            const struct value_limits limits = {
                .depth = 3, .elements = 8, .text = width % 50, .width = width};
            char one[260], other[260];
            size_t size = write_thing(&quick, &known, thing, limits, one, room);
            assert_int_equal(write_thing(&slow, &unknown, thing, limits, other, room), size);
            assert_memory_equal(one, other, size);
        }
    }
}

static void fields_read_the_same(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, 9, 10, -1, -10, 99, 100, 12345678, INT64_MIN, INT64_MAX};
    static const char *const strings[] = {"",
                                          "a",
                                          "plain text",
                                          "it's",
                                          "a \"quoted\" one",
                                          "back\\slash",
                                          "of 30 characters, all of them."};
    for (size_t i = 0; i < COUNT(values) * COUNT(numbers); i++) {
        struct string_object name = name_of(strings[i % COUNT(strings)]);
        const uint32_t flags = (uint32_t)(i % 29) << 16 | (uint32_t)(i % 2) << 31;
        const struct thing thing = {
            .number = values[i % COUNT(values)],
            .decimal = {flags, i % 5 == 0, (uint32_t)(i * 12345), i % 3 == 0},
            .name = &name,
            .letter = 'x'};
        both_read_the_same(&thing, &numbers[i % COUNT(numbers)]);
    }
}

/* Whether a name has a label or is too long for one. */
static void names_of_any_length_are_whole(void **state)
{
    enum { LONGEST = 2 * SHAPE_LABEL };
    (void)state;
    for (int length = 1; length <= LONGEST; length++) {
        char name[LONGEST + 1] = "", expected[3 * LONGEST], line[3 * LONGEST];
        const int8_t value = 7;
        memset(name, 'n', (size_t)length);
        struct shape_field fields[] = {FIELD("", 0, &numbers[0]), FIELD("", 0, &numbers[0])};
        shape_set_field_name(&fields[0], name, NULL);
        shape_set_field_name(&fields[1], name, NULL);
        const struct shape shape = {
            .kind = SHAPE_STRUCT, .size = 1, .field_count = 2, .fields = fields};
        const struct shaped_value shaped = {.shape = &shape, .value = &value, .size = 1};
        int size = snprintf(expected, sizeof expected, "{%s=7, %s=7}", name, name);
        assert_int_equal(shape_write(&shaped, line, sizeof line), size);
        assert_memory_equal(line, expected, (size_t)size);
    }
}

/* What the line is about, and the same within something else, which is put in pieces. */
static void leaves_read_the_same(const struct shape *shape, const void *value)
{
    char one[64 + 40], other[64 + 40];
    struct object_types known = {.of = shape_of, .text = (uintptr_t)&text};
    const struct shaped_value shaped = {
        .shape = shape, .types = &known, .value = value, .size = shape->size};
    struct line line;
    size_t size = shape_write(&shaped, one, sizeof one);
    line_begin(&line, other, sizeof other);
    line_part(&line, VALUE_WIDTH);
    shape_put_within(&line, &shaped);
    assert_int_equal(line.size, size);
    assert_memory_equal(one, other, size);
    assert_true(size != 0);
}

static void any_leaf_reads_the_same(void **state)
{
    (void)state;
    for (unsigned digits = 0; digits < 20; digits++) {
        for (int step = -1; step <= 1; step++) {
            uint64_t value = 1;
            for (unsigned i = 0; i < digits; i++) {
                value *= 10;
            }
            value += (uint64_t)(int64_t)step;
            for (size_t i = 0; i < COUNT(numbers); i++) {
                leaves_read_the_same(&numbers[i], &value);
            }
            for (uint32_t scale = 0; scale <= 30; scale++) {
                for (uint32_t negative = 0; negative < 2; negative++) {
                    uint32_t words[4] = {scale << 16 | negative << 31, scale == 9, (uint32_t)value,
                                         (uint32_t)(value >> 32)};
                    leaves_read_the_same(&decimal, words);
                }
            }
        }
    }
}

/* A type or a name that says so hides a leaf, too. */
static void secrets_are_no_leaves(void **state)
{
    (void)state;
    struct shape hidden = numbers[2];
    hidden.secret = true;
    int64_t value = 42;
    char line[100];
    struct shaped_value shaped = {.shape = &hidden, .value = &value, .size = 4};
    assert_memory_equal(line, "{redacted}", shape_write(&shaped, line, sizeof line));
    struct shape_field field = FIELD("Pin", 0, &hidden);
    shape_set_field_name(&field, "Pin", NULL);
    const struct shape holder = {
        .kind = SHAPE_STRUCT, .size = 8, .field_count = 1, .fields = &field};
    shaped = (struct shaped_value){.shape = &holder, .value = &value, .size = 8};
    assert_memory_equal(line, "{Pin={redacted}}", shape_write(&shaped, line, sizeof line));
    field.shape = &text;
    field.secrecy = SECRECY_CONTENT;
    struct string_object name = name_of("secret");
    const struct string_object *reference = &name;
    struct object_types known = {.of = shape_of, .text = (uintptr_t)&text};
    shaped.types = &known;
    shaped.value = &reference;
    assert_memory_equal(line, "{Pin={redacted}}", shape_write(&shaped, line, sizeof line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_read_the_same),
        cmocka_unit_test(names_of_any_length_are_whole),
        cmocka_unit_test(any_leaf_reads_the_same),
        cmocka_unit_test(secrets_are_no_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
