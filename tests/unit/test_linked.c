/* Collections of nodes as text (src/values/write_linked.c): trees, lists and tables that are not as
 * they should be, or lead back to themselves. What real ones look like is in
 * tests/inspector/cases.txt. */
#include "tests/unit/value_size_test.h"

#include "tests/unit/any_room.h"
#include "tests/unit/own_shapes.h"

/* Objects begin with their shape. */
struct node {
    const struct shape *type;
    const void *left, *right;
    int32_t key, count;
};

struct holder {
    const struct shape *type;
    const void *first;
    int32_t count;
};

static const struct shape number = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};

static const char *shown(const struct holder *holder)
{
    static char text[500];
    const struct shaped_value shaped = {
        .shape = &any, .types = &own_types, .value = &holder, .size = sizeof holder};
    fits_any_room(&shaped);
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

#define CLASS(list)                                                                           \
    {                                                                                         \
        .kind = SHAPE_CLASS, .size = sizeof(struct node), .is_class = true, .fields = (list), \
        .field_count = sizeof(list) / sizeof *(list), .name = "N.Node", .short_name = "Node"  \
    }

static const struct shape_field holder_fields[] = {
    FIELD("root", offsetof(struct holder, first), &any),
    FIELD("count", offsetof(struct holder, count), &number),
};

static struct shape known(enum known_kind kind, uint32_t fields)
{
    return (struct shape){.kind = SHAPE_FRAMEWORK,
                          .known = kind,
                          .size = sizeof(struct holder),
                          .is_class = true,
                          .fields = holder_fields,
                          .field_count = fields,
                          .name = "N.Holder"};
}

/* ---- trees ---- */

static const struct shape_field sorted_fields[] = {
    FIELD("Item", offsetof(struct node, key), &number),
    FIELD("Left", offsetof(struct node, left), &any),
    FIELD("Right", offsetof(struct node, right), &any),
};
static const struct shape sorted = CLASS(sorted_fields);

static const struct shape_field immutable_fields[] = {
    FIELD("_key", offsetof(struct node, key), &number),
    FIELD("_left", offsetof(struct node, left), &any),
    FIELD("_right", offsetof(struct node, right), &any),
    FIELD("_count", offsetof(struct node, count), &number),
};
static const struct shape immutable = CLASS(immutable_fields);

static void test_trees(void **state)
{
    const struct shape tree = known(KNOWN_TREE, 2);
    struct node nodes[] = {{&sorted, NULL, NULL, 1, 0},
                           {&sorted, &nodes[0], &nodes[2], 2, 0},
                           {&sorted, NULL, NULL, 3, 0}};
    struct holder holder = {&tree, &nodes[1], 3};
    (void)state;
    assert_string_equal(shown(&holder), "[3: 1, 2, 3]");
    holder.count = 2;
    assert_string_equal(shown(&holder), "[2: 1, 2, 3]"); /* as they are found */
    holder.count = 5;
    assert_string_equal(shown(&holder), "[5: 1, 2, 3, ...]");
    holder.count = -1;
    assert_string_equal(shown(&holder), "[0]");
    holder.count = 3;
    nodes[0].left = &nodes[1]; /* its own ancestor */
    assert_string_equal(shown(&holder), "[3: ...]");
    nodes[0].left = NULL;
    nodes[2].right = &nodes[1];
    holder.count = 100;
    assert_string_equal(shown(&holder), "[100: 1, 2, 3, 1, 2, 3, 1, 2, ...]");
    nodes[2].type = &number; /* no node */
    assert_string_equal(shown(&holder), "[100: 1, 2, ...]");
    nodes[1].type = &number;
    assert_string_equal(shown(&holder), "{...}");
    holder.first = NULL;
    assert_string_equal(shown(&holder), "[0]");
}

/* Empty nodes are where others have none; the root has the number of all. */
static void test_immutable_trees(void **state)
{
    const struct shape tree = known(KNOWN_TREE, 1), pairs = known(KNOWN_TREE_OF_PAIRS, 2),
                       buckets = known(KNOWN_TREE_OF_BUCKETS, 2);
    const struct node empty = {&immutable, NULL, NULL, 0, 0};
    struct node leaf = {&immutable, &empty, &empty, 1, 1}, root = {&immutable, &leaf, &empty, 2, 2};
    struct holder holder = {&tree, &root, 2};
    (void)state;
    assert_string_equal(shown(&holder), "[2: 1, 2]");
    holder.first = &empty;
    assert_string_equal(shown(&holder), "[0]");
    holder = (struct holder){&pairs, &root, 2};
    assert_string_equal(shown(&holder), "{...}"); /* without values */
    holder = (struct holder){&buckets, &root, 2};
    assert_string_equal(shown(&holder), "{...}");
    const struct node other = {&sorted, NULL, NULL, 1, 0};
    holder = (struct holder){&tree, &other, 1};
    assert_string_equal(shown(&holder), "{...}"); /* without a count */
}

/* ---- lists ---- */

static const struct shape_field list_fields[] = {
    FIELD("item", offsetof(struct node, key), &number),
    FIELD("next", offsetof(struct node, right), &any),
};
static const struct shape list_node = CLASS(list_fields);

static void test_lists(void **state)
{
    const struct shape ring = known(KNOWN_LINKED, 2), stack = known(KNOWN_LINKED, 1);
    struct node second = {&list_node, NULL, NULL, 2, 0}, first = {&list_node, NULL, &second, 1, 0};
    struct holder holder = {&ring, &first, 2};
    (void)state;
    second.right = &first;
    assert_string_equal(shown(&holder), "[2: 1, 2]");
    holder.count = 3;
    assert_string_equal(shown(&holder), "[3: 1, 2, ...]");
    holder.count = -1;
    assert_string_equal(shown(&holder), "[0]");
    holder.type = &stack; /* without end */
    assert_string_equal(shown(&holder), "[256+: 1, 2, 1, 2, 1, 2, 1, 2, ...]");
    second.right = NULL;
    assert_string_equal(shown(&holder), "[2: 1, 2]");
    second.type = &sorted;
    assert_string_equal(shown(&holder), "[1: 1]");
    first.type = &sorted;
    assert_string_equal(shown(&holder), "{...}");
    holder.first = NULL;
    assert_string_equal(shown(&holder), "[0]");
}

/* ---- tables and arrays ---- */

struct array {
    const struct shape *type;
    int32_t length, padding;
    int32_t numbers[4];
};

static const struct shape numbers = {.kind = SHAPE_ELEMENTS,
                                     .inner = &number,
                                     .data = offsetof(struct array, numbers),
                                     .name = "System.Int32[]"};

static void test_two_arrays(void **state)
{
    struct pair {
        const struct shape *type;
        const void *keys, *values;
        int32_t count;
    };
    static const struct shape_field fields[] = {
        FIELD("keys", offsetof(struct pair, keys), &any),
        FIELD("values", offsetof(struct pair, values), &any),
        FIELD("_size", offsetof(struct pair, count), &number)};
    struct shape list = {.kind = SHAPE_FRAMEWORK,
                         .known = KNOWN_TWO_ARRAYS,
                         .size = sizeof(struct pair),
                         .is_class = true,
                         .fields = fields,
                         .field_count = 3};
    struct array keys = {&numbers, 4, 0, {1, 2, 3, 4}}, values = {&numbers, 3, 0, {5, 6, 7}};
    struct pair pair = {&list, &keys, &values, 2};
    (void)state;
    assert_string_equal(shown((const struct holder *)&pair), "[2: 1=5, 2=6]");
    pair.count = 9;
    assert_string_equal(shown((const struct holder *)&pair), "[3: 1=5, 2=6, 3=7]");
    list.field_count = 2;
    pair.count = 0;
    assert_string_equal(shown((const struct holder *)&pair), "[3: 1=5, 2=6, 3=7]");
    pair.values = NULL;
    assert_string_equal(shown((const struct holder *)&pair), "[0]");
    pair.values = &pair;
    assert_string_equal(shown((const struct holder *)&pair), "{...}");
}

static void test_buckets(void **state)
{
    struct tables {
        const struct shape *type;
        const void *buckets, *counts;
    };
    struct slots {
        const struct shape *type;
        int32_t length, padding;
        const void *nodes[3];
    };
    static const struct shape_field node_fields[] = {
        FIELD("_key", offsetof(struct node, key), &number),
        FIELD("_value", offsetof(struct node, count), &number),
        FIELD("_next", offsetof(struct node, right), &any),
    };
    static const struct shape node = CLASS(node_fields);
    static const struct shape_field tables_fields[] = {
        FIELD("_buckets", offsetof(struct tables, buckets), &any),
        FIELD("_countPerLock", offsetof(struct tables, counts), &any),
    };
    static const struct shape tables_shape = CLASS(tables_fields);
    static const struct shape slots_shape = {
        .kind = SHAPE_ELEMENTS, .inner = &any, .data = offsetof(struct slots, nodes)};
    const struct shape dictionary = known(KNOWN_BUCKETS, 1);
    struct array counts = {&numbers, 2, 0, {1, 2}};
    struct node third = {&node, NULL, NULL, 3, 30}, second = {&node, NULL, &third, 2, 20},
                first = {&node, NULL, NULL, 1, 10};
    struct slots slots = {&slots_shape, 3, 0, {&first, NULL, &second}};
    struct tables tables = {&tables_shape, &slots, &counts};
    struct holder holder = {&dictionary, &tables, 0};
    (void)state;
    assert_string_equal(shown(&holder), "[3: 1=10, 2=20, 3=30]");
    slots.length = 2;
    assert_string_equal(shown(&holder), "[3: 1=10, ...]");
    first.right = &first; /* without end */
    assert_string_equal(shown(&holder), "[3: 1=10, 1=10, 1=10, 1=10, 1=10, 1=10, 1=10, 1=10, ...]");
    first.type = &number;
    assert_string_equal(shown(&holder), "[3: ...]");
    counts.numbers[1] = INT32_MAX; /* more than there can be */
    assert_string_equal(shown(&holder), "[0]");
    tables.counts = NULL;
    assert_string_equal(shown(&holder), "{...}");
    holder.first = NULL;
    assert_string_equal(shown(&holder), "{...}");
}

/* ---- rings in a row ---- */

struct ring {
    const struct shape *type;
    const void *next, *slots;
    int32_t head, tail;
};

static void test_segments(void **state)
{
    static const struct shape_field slot_fields[] = {FIELD("Item", 0, &number)};
    static const struct shape slot = {
        .kind = SHAPE_STRUCT, .size = 4, .fields = slot_fields, .field_count = 1};
    static const struct shape slots = {
        .kind = SHAPE_ELEMENTS, .inner = &slot, .data = offsetof(struct array, numbers)};
    static const struct shape_field place_fields[] = {FIELD("Head", 0, &number),
                                                      FIELD("Tail", 4, &number)};
    static const struct shape places = {
        .kind = SHAPE_STRUCT, .size = 8, .fields = place_fields, .field_count = 2};
    static const struct shape_field ring_fields[] = {
        FIELD("_nextSegment", offsetof(struct ring, next), &any),
        FIELD("_slots", offsetof(struct ring, slots), &any),
        FIELD("_headAndTail", offsetof(struct ring, head), &places),
    };
    static const struct shape segment = {.kind = SHAPE_FRAMEWORK,
                                         .known = KNOWN_SLOTS,
                                         .is_class = true,
                                         .fields = ring_fields,
                                         .field_count = 3,
                                         .name = "N.Segment",
                                         .short_name = "Segment"};
    const struct shape queue = known(KNOWN_SEGMENTS, 1);
    struct array numbers_of = {&slots, 4, 0, {1, 2, 3, 4}};
    struct ring second = {&segment, NULL, &numbers_of, 0, 1},
                first = {&segment, &second, &numbers_of, 3, 5};
    struct holder holder = {&queue, &first, 0};
    (void)state;
    assert_string_equal(shown(&holder), "[3: 4, 1, 1]");
    first.tail += 2 * 4; /* none is added any more */
    assert_string_equal(shown(&holder), "[3: 4, 1, 1]");
    first.tail = INT32_MIN + 3; /* after the head */
    assert_string_equal(shown(&holder), "[1: 1]");
    first.tail = 1000;
    assert_string_equal(shown(&holder), "[5: 4, 1, 2, 3, 1]");
    first.head = INT32_MAX;
    first.tail = INT32_MIN + 1; /* two later */
    assert_string_equal(shown(&holder), "[3: 4, 1, 1]");
    second.next = &second; /* without end */
    assert_string_equal(shown(&holder), "[65+: 4, 1, 1, 1, 1, 1, 1, 1, ...]");
    second.type = &number;
    assert_string_equal(shown(&holder), "{...}");
    second.type = &segment;
    second.slots = NULL;
    assert_string_equal(shown(&holder), "{...}");
    holder.first = NULL;
    assert_string_equal(shown(&holder), "[0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),   cmocka_unit_test(test_immutable_trees),
        cmocka_unit_test(test_lists),   cmocka_unit_test(test_two_arrays),
        cmocka_unit_test(test_buckets), cmocka_unit_test(test_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
