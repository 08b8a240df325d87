/* Sequences (src/values/write_sequence.c) that are not as they should be. What real ones look like
 * is in tests/inspector/cases.txt. */
#include "metadata_test.h"

#include "tests/unit/own_shapes.h"

struct ints {
    const struct shape *type;
    int32_t length, padding;
    int32_t items[4];
};

struct text {
    const struct shape *type;
    int32_t length;
    uint16_t items[6];
};

struct segment {
    const struct shape *type;
    const void *object; /* of a ReadOnlyMemory: object, index, length */
    int32_t index, count;
    const void *next;
    int64_t running;
};

struct sequence {
    const void *start_object, *end_object;
    int32_t start, end;
};

enum { MARK = INT32_MIN }; /* the highest bit */

static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape int64 = {.kind = SHAPE_SIGNED, .size = 8, .name = "System.Int64"};
static const struct shape letter = {.kind = SHAPE_CHAR, .size = 2, .name = "System.Char"};
static const struct shape string = {.kind = SHAPE_STRING, .size = 8, .name = "System.String"};
static const struct shape int_array = {
    .kind = SHAPE_ELEMENTS, .inner = &int32, .data = offsetof(struct ints, items)};
static const struct shape char_array = {
    .kind = SHAPE_ELEMENTS, .inner = &letter, .data = offsetof(struct text, items)};
static const struct ints four = {&int_array, 4, 0, {1, 2, 3, 4}};
static const struct text word = {&string, 5, {'h', 'e', 'l', 'l', 'o'}};
static const struct text letters = {&char_array, 5, {'w', 'o', 'r', 'l', 'd'}};
static const struct ints owner = {&int32, 3, 0, {0}}; /* neither */

#define MEMORY_AT(member) offsetof(struct segment, member) - offsetof(struct segment, object)
static const struct shape_field memory_fields[] = {FIELD("_object", MEMORY_AT(object), &any),
                                                   FIELD("_length", MEMORY_AT(count), &int32),
                                                   FIELD("_index", MEMORY_AT(index), &int32)};
#define MEMORY(inner_)                                                               \
    {                                                                                \
        .kind = SHAPE_FRAMEWORK, .known = KNOWN_MEMORY, .size = 16, .inner = inner_, \
        .fields = memory_fields, .field_count = COUNT(memory_fields)                 \
    }
static const struct shape int_memory = MEMORY(&int32), char_memory = MEMORY(&letter);

#define SEGMENT_FIELDS(memory)                                               \
    {                                                                        \
        FIELD("Memory", offsetof(struct segment, object), memory),           \
            FIELD("Next", offsetof(struct segment, next), &any),             \
            FIELD("RunningIndex", offsetof(struct segment, running), &int64) \
    }
static const struct shape_field int_segment_fields[] = SEGMENT_FIELDS(&int_memory);
static const struct shape_field char_segment_fields[] = SEGMENT_FIELDS(&char_memory);
static const struct shape_field other_segment_fields[] = SEGMENT_FIELDS(&int64);
#define SEGMENT(fields_)                                                            \
    {                                                                               \
        .kind = SHAPE_FRAMEWORK, .known = KNOWN_SEQUENCE_SEGMENT, .is_class = true, \
        .size = sizeof(struct segment), .fields = fields_, .field_count = 3         \
    }
static const struct shape int_segment = SEGMENT(int_segment_fields);
static const struct shape char_segment = SEGMENT(char_segment_fields);
static const struct shape other_segment = SEGMENT(other_segment_fields);

static const struct shape_field sequence_fields[] = {
    FIELD("_startObject", offsetof(struct sequence, start_object), &any),
    FIELD("_endObject", offsetof(struct sequence, end_object), &any),
    FIELD("_startInteger", offsetof(struct sequence, start), &int32),
    FIELD("_endInteger", offsetof(struct sequence, end), &int32)};
#define SEQUENCE(inner_)                                                             \
    {                                                                                \
        .kind = SHAPE_FRAMEWORK, .known = KNOWN_SEQUENCE, .inner = inner_,           \
        .size = sizeof(struct sequence), .fields = sequence_fields, .field_count = 4 \
    }
static const struct shape of_ints = SEQUENCE(&int32), of_chars = SEQUENCE(&letter);

static const char *shown(const struct shape *shape, struct sequence sequence)
{
    static char text[1000];
    const struct shaped_value shaped = {
        .shape = shape, .types = &own_types, .value = &sequence, .size = sizeof sequence};
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

#define SHOWN(shape, ...) shown(&(shape), (struct sequence){__VA_ARGS__})

static void test_one(void **state)
{
    (void)state;
    assert_string_equal(SHOWN(of_ints, &four, &four, 1, MARK | 3), "[2: 2, 3]");
    assert_string_equal(SHOWN(of_ints, &four, &four, 1, MARK | 1), "[0]");
    assert_string_equal(SHOWN(of_ints, &four, &four, 3, MARK | 1), "{...}");
    assert_string_equal(SHOWN(of_ints, &four, &four, 2, MARK | 9), "[7: 3, 4, ...]");
    assert_string_equal(SHOWN(of_ints, &four, &four, 9, MARK | 10), "[1: ...]");
    assert_string_equal(SHOWN(of_ints, &word, &word, MARK, MARK | 5), "{...}");
    assert_string_equal(SHOWN(of_ints, &owner, &owner, MARK, 3), "{...}");
    assert_string_equal(SHOWN(of_ints, NULL, &four, 0, MARK | 3), "[0]");
    assert_string_equal(SHOWN(of_chars, &word, &word, MARK | 1, MARK | 3), "\"el\"");
    assert_string_equal(SHOWN(of_chars, &letters, &letters, 3, MARK | 5), "\"ld\"");
    assert_string_equal(SHOWN(of_chars, &letters, &letters, 3, MARK | 6), "{...}");
    assert_string_equal(SHOWN(of_chars, &four, &four, 0, MARK | 2), "{...}");
    assert_string_equal(SHOWN(of_chars, NULL, NULL, 0, 0), "\"\"");
}

static void test_segments(void **state)
{
    struct segment last = {&int_segment, &four, 2, 2, NULL, 4};
    struct segment empty = {&int_segment, NULL, 0, 0, &last, 4};
    struct segment first = {&int_segment, &four, 0, 4, &empty, 0};
    (void)state;
    assert_string_equal(SHOWN(of_ints, &first, &last, 1, 1), "[4: 2, 3, 4, 3]");
    assert_string_equal(SHOWN(of_ints, &first, &first, 1, 3), "[2: 2, 3]");
    assert_string_equal(SHOWN(of_ints, &first, &empty, 4, 0), "[0]");
    assert_string_equal(SHOWN(of_ints, &last, &first, 0, 1), "{...}");
    assert_string_equal(SHOWN(of_ints, &first, NULL, 0, 1), "{...}");
    assert_string_equal(SHOWN(of_ints, &first, &four, 0, 1), "{...}");
    assert_string_equal(SHOWN(of_ints, &four, &first, 0, 1), "{...}");
    assert_string_equal(SHOWN(of_ints, &first, &last, 0, INT32_MAX),
                        "[2147483647+: 1, 2, 3, 4, 3, 4, ...]");
    first.next = &four; /* no segment */
    assert_string_equal(SHOWN(of_ints, &first, &last, 1, 1), "[4: 2, 3, 4, ...]");
    first.next = NULL;
    assert_string_equal(SHOWN(of_ints, &first, &last, 1, 1), "[4: 2, 3, 4, ...]");
    first.next = &empty;
    empty.type = &other_segment;
    assert_string_equal(SHOWN(of_ints, &first, &last, 1, 1), "[4: 2, 3, 4, ...]");
    empty.type = &int_segment;
    empty.next = &empty; /* for ever */
    assert_string_equal(SHOWN(of_ints, &first, &last, 1, 1), "[4: 2, 3, 4, ...]");
    last.index = INT32_MAX;
    last.count = INT32_MAX;
    empty.next = &last;
    assert_string_equal(SHOWN(of_ints, &first, &last, 1, 1), "[4: 2, 3, 4, ...]");
    last.running = INT64_MAX;
    assert_string_equal(SHOWN(of_ints, &first, &last, 0, 1), "{...}");
    first.object = &word;
    assert_string_equal(SHOWN(of_ints, &first, &first, 0, 1), "{...}");
}

static void test_segments_of_chars(void **state)
{
    struct segment last = {&char_segment, &letters, 1, 4, NULL, 5};
    struct segment first = {&char_segment, &word, 0, 5, &last, 0};
    (void)state;
    assert_string_equal(SHOWN(of_chars, &first, &last, 4, 3), "\"oorl\"");
    last.running = 6;
    assert_string_equal(SHOWN(of_chars, &first, &last, 4, 4), "{...}");
    first.object = &four;
    assert_string_equal(SHOWN(of_chars, &first, &last, 4, 3), "{...}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_segments_of_chars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
