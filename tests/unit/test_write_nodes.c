/* Collections of src/values/write_table.c, write_segments.c and write_trees.c that are not as they
 * should be, or lead back to themselves. What real ones look like is in tests/inspector/cases.txt
 * and fsharp.txt. */
#include "metadata_test.h"

#include "tests/unit/any_room.h"
#include "tests/unit/own_shapes.h"

/* Any object: its fields are those of its shape. */
struct thing {
    const struct shape *type;
    const void *a, *b;
    int32_t x, y;
};

struct bytes {
    const struct shape *type;
    int32_t length, padding;
    uint8_t items[4];
};

struct references {
    const struct shape *type;
    int32_t length, padding;
    const void *items[4];
};

static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape byte = {.kind = SHAPE_UNSIGNED, .size = 1, .name = "System.Byte"};
static const struct shape byte_array = {
    .kind = SHAPE_ELEMENTS, .inner = &byte, .data = offsetof(struct bytes, items)};
static const struct shape int_array = {
    .kind = SHAPE_ELEMENTS, .inner = &int32, .data = offsetof(struct bytes, items)};
static const struct shape object_array = {
    .kind = SHAPE_ELEMENTS, .inner = &any, .data = offsetof(struct references, items)};

#define REFERENCE(member, name) FIELD(name, offsetof(struct thing, member), &any)
#define INT(member, name)       FIELD(name, offsetof(struct thing, member), &int32)
#define KNOWN_CLASS(known_, list)                                                   \
    {                                                                               \
        .kind = SHAPE_FRAMEWORK, .known = KNOWN_##known_, .is_class = true,         \
        .size = sizeof(struct thing), .fields = (list), .field_count = COUNT(list), \
        .name = "N." #known_, .short_name = #known_                                 \
    }
#define CLASS(list)                                                                            \
    {                                                                                          \
        .kind = SHAPE_CLASS, .is_class = true, .size = sizeof(struct thing), .fields = (list), \
        .field_count = COUNT(list), .name = "N.C", .short_name = "C"                           \
    }

static const struct shape_field in_a[] = {REFERENCE(a, "a")};
static const struct shape_field in_a_x[] = {REFERENCE(a, "a"), INT(x, "x")};
static const struct shape_field in_a_b[] = {REFERENCE(a, "a"), REFERENCE(b, "b")};

static const char *shown(const void *object)
{
    static char text[400];
    const struct shaped_value shaped = {
        .shape = &any, .types = &own_types, .value = &object, .size = sizeof object};
    fits_any_room(&shaped);
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

/* ---- bits ---- */

static void test_bits(void **state)
{
    static const struct shape bits = KNOWN_CLASS(BITS, in_a_x);
    const struct bytes five = {.type = &byte_array, .length = 1, .items = {0x15}};
    struct thing own = {&bits, &five, NULL, 5, 0};
    (void)state;
    assert_string_equal(shown(&own), "[5: true, false, true, false, true]");
    own.x = 100; /* there are no more than the array has */
    assert_string_equal(shown(&own), "[8: true, false, true, false, true, false, false, false]");
    own.x = -1;
    assert_string_equal(shown(&own), "[0]");
    const struct bytes word = {.type = &int_array, .length = 1, .items = {0x21}};
    own = (struct thing){&bits, &word, NULL, 100, 0};
    assert_string_equal(shown(&own),
                        "[32: true, false, false, false, false, true, false, false, ...]");
    own.a = NULL;
    assert_string_equal(shown(&own), "{...}");
    const struct references others = {.type = &object_array, .length = 1};
    own.a = &others;
    assert_string_equal(shown(&own), "{...}");
}

/* ---- bags ---- */

static void test_bags(void **state)
{
    static const struct shape bag = KNOWN_CLASS(SEGMENTS, in_a);
    static const struct shape_field queue_fields[] = {REFERENCE(b, "next"), REFERENCE(a, "array"),
                                                      INT(x, "head"), INT(y, "tail")};
    static const struct shape queue = KNOWN_CLASS(THREAD_SLOTS, queue_fields);
    const struct bytes four = {.type = &byte_array, .length = 4, .items = {1, 2, 3, 4}};
    struct thing first = {&queue, &four, NULL, 3, 5}, own = {&bag, &first, NULL, 0, 0};
    (void)state;
    assert_string_equal(shown(&own), "[2: 4, 1]");
    first.y = 100; /* while another thread adds */
    assert_string_equal(shown(&own), "[4: 4, 1, 2, 3]");
    first.y = 2;
    assert_string_equal(shown(&own), "[0]");
    first.y = 4;
    first.b = &first; /* a ring: so many are counted */
    assert_string_equal(shown(&own), "[64+: 4, 4, 4, 4, 4, 4, 4, 4, ...]");
    first.b = &own;
    assert_string_equal(shown(&own), "{...}");
    own.a = NULL;
    assert_string_equal(shown(&own), "[0]");
}

/* ---- immutable queues ---- */

static void test_queues(void **state)
{
    static const struct shape_field chain_fields[] = {INT(x, "_head"), REFERENCE(a, "_tail")};
    static const struct shape chain = KNOWN_CLASS(CHAIN, chain_fields);
    static const struct shape two = KNOWN_CLASS(TWO_CHAINS, in_a_b);
    const struct thing end = {&chain, NULL, NULL, 0, 0};
    struct thing one = {&chain, &end, NULL, 1, 0};
    struct thing two_of = {&chain, &one, NULL, 2, 0};
    struct thing own = {&two, &one, &two_of, 0, 0};
    (void)state;
    assert_string_equal(shown(&own), "[3: 1, 1, 2]");
    own.a = &end;
    assert_string_equal(shown(&own), "[2: 1, 2]");
    one.a = &two_of; /* a ring: the oldest one is not found */
    assert_string_equal(shown(&own), "[256+: ...]");
    own.b = &own;
    assert_string_equal(shown(&own), "{...}");
    own.b = NULL;
    assert_string_equal(shown(&own), "{...}");
}

/* ---- maps and sets of F# ---- */

static void test_trees(void **state)
{
    static const struct shape_field leaf_fields[] = {INT(x, "k"), INT(y, "v")};
    static const struct shape_field node_fields[] = {INT(x, "k"), INT(y, "v"),
                                                     REFERENCE(b, "right"), REFERENCE(a, "left")};
    static const struct shape_field odd_fields[] = {INT(x, "k"), REFERENCE(a, "left")};
    static const struct shape leaf = CLASS(leaf_fields), node = CLASS(node_fields),
                              odd = CLASS(odd_fields);
    static const struct shape map = KNOWN_CLASS(TREE_OF_PAIRS_WITH_LEAVES, in_a);
    static const struct shape set = KNOWN_CLASS(TREE_WITH_LEAVES, in_a);
    struct thing one = {&leaf, NULL, NULL, 1, 10}, three = {&leaf, NULL, NULL, 3, 30};
    struct thing root = {&node, &one, &three, 2, 20}, own = {&map, &root, NULL, 0, 0};
    (void)state;
    assert_string_equal(shown(&own), "[3: 1=10, 2=20, 3=30]");
    own.type = &set;
    assert_string_equal(shown(&own), "[3: 1, 2, 3]");
    root.a = NULL;
    assert_string_equal(shown(&own), "[2: 2, 3]");
    root.a = &root; /* without end */
    assert_string_equal(shown(&own), "{...}");
    root.a = NULL;
    root.b = &root;
    assert_string_equal(shown(&own), "[256+: 2, 2, 2, 2, 2, 2, 2, 2, ...]");
    root.b = &own;
    assert_string_equal(shown(&own), "{...}");
    three.type = &odd;
    root.b = &three;
    assert_string_equal(shown(&own), "{...}");
    own.a = NULL;
    assert_string_equal(shown(&own), "[0]");
}

/* ---- groups ---- */

static void test_lookups(void **state)
{
    static const struct shape_field group_fields[] = {INT(x, "_key"), REFERENCE(a, "_elements"),
                                                      INT(y, "_count"), REFERENCE(b, "_next")};
    static const struct shape group = KNOWN_CLASS(GROUP, group_fields);
    static const struct shape lookup = KNOWN_CLASS(LOOKUP, in_a_x);
    const struct bytes four = {.type = &byte_array, .length = 4, .items = {1, 2, 3, 4}};
    struct thing last = {&group, &four, NULL, 2, 3}, first = {&group, &four, &last, 1, 1};
    struct thing own = {&lookup, &last, NULL, 2, 0};
    (void)state;
    last.b = &first;
    assert_string_equal(shown(&own), "[2: 1=[1: 1], 2=[3: 1, 2, 3]]");
    first.y = 100;
    assert_string_equal(shown(&own), "[2: 1=[4: 1, 2, 3, 4], 2=[3: 1, 2, 3]]");
    last.b = NULL;
    assert_string_equal(shown(&own), "[2: {...}, ...]");
    own.a = &own;
    assert_string_equal(shown(&own), "{...}");
    own.a = NULL;
    assert_string_equal(shown(&own), "[0]");
}

/* ---- Hashtable, and lists of pairs ---- */

static void test_old_tables(void **state)
{
    struct bucket {
        const void *key, *value;
    };
    static const struct shape_field bucket_fields[] = {
        FIELD("key", offsetof(struct bucket, key), &any),
        FIELD("val", offsetof(struct bucket, value), &any)};
    static const struct shape bucket = {.kind = SHAPE_STRUCT,
                                        .size = sizeof(struct bucket),
                                        .fields = bucket_fields,
                                        .field_count = 2,
                                        .name = "bucket"};
    struct buckets {
        const struct shape *type;
        int32_t length, padding;
        struct bucket items[3];
    } buckets;
    const struct shape array = {
        .kind = SHAPE_ELEMENTS, .inner = &bucket, .data = offsetof(struct buckets, items)};
    static const struct shape table = KNOWN_CLASS(OLD_TABLE, in_a_x);
    const struct {
        const struct shape *type;
        int32_t number;
    } five = {&int32, 5};
    struct thing own = {&table, &buckets, NULL, 1, 0};
    (void)state;
    buckets = (struct buckets){&array, 3, 0, {{&buckets, NULL}, {NULL, NULL}, {&five, &five}}};
    assert_string_equal(shown(&own), "[1: 5=5]");
    own.x = 2;
    assert_string_equal(shown(&own), "[2: 5=5, ...]");
    own.x = 0;
    assert_string_equal(shown(&own), "[0]");
    own.a = NULL;
    assert_string_equal(shown(&own), "{...}");
}

static void test_entries(void **state)
{
    static const struct shape list = KNOWN_CLASS(LIST, in_a_x);
    static const struct shape entries = KNOWN_CLASS(ENTRIES, in_a);
    static const struct shape_field pair_fields[] = {INT(x, "Key"), INT(y, "Value")};
    static const struct shape pair = KNOWN_CLASS(PAIR, pair_fields);
    const struct thing one = {&pair, NULL, NULL, 1, 2};
    struct references array = {&object_array, 3, 0, {&one, NULL, &one}};
    struct thing items = {&list, &array, NULL, 2, 0}, own = {&entries, &items, NULL, 0, 0};
    (void)state;
    assert_string_equal(shown(&own), "[2: 1=2, {...}]");
    items.x = 100;
    assert_string_equal(shown(&own), "[3: 1=2, {...}, 1=2]");
    own.a = &own;
    assert_string_equal(shown(&own), "{...}");
    own.a = NULL;
    assert_string_equal(shown(&own), "[0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),    cmocka_unit_test(test_bags),
        cmocka_unit_test(test_queues),  cmocka_unit_test(test_trees),
        cmocka_unit_test(test_lookups), cmocka_unit_test(test_old_tables),
        cmocka_unit_test(test_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
