/* Objects as text, by their own types, which a runtime of this file's own knows: what is within
 * each other, and what comes back to itself. */
#include "tests/unit/value_size_test.h"

#include "tests/unit/own_shapes.h"

/* An object begins with its shape. */
struct node {
    const struct shape *type;
    const void *next;
    int32_t number;
};

static const struct shape number = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape_field node_fields[] = {
    FIELD("Next", offsetof(struct node, next), &any),
    FIELD("Number", offsetof(struct node, number), &number),
};
static const struct shape node = {.kind = SHAPE_CLASS,
                                  .size = sizeof(struct node),
                                  .fields = node_fields,
                                  .field_count = 2,
                                  .name = "N.Node",
                                  .short_name = "Node"};

static const char *shown(const void *object)
{
    static char text[1000];
    struct line line;
    const struct shaped_value shaped = {
        .shape = &any, .types = &own_types, .value = &object, .size = sizeof object};
    line_begin(&line, text, sizeof text - 1);
    shape_put(&line, &shaped);
    shape_put_type(&line, &shaped);
    text[line.size] = '\0';
    return text;
}

static void test_classes(void **state)
{
    static const struct shape empty = {
        .kind = SHAPE_CLASS, .name = "N.Empty", .short_name = "Empty"};
    static const struct shape root = {.kind = SHAPE_ROOT, .name = "System.Object"};
    const struct shape *nothing = &empty, *plain = &root, *unknown = NULL;
    struct node second = {&node, &nothing, 2}, first = {&node, &second, 1};
    (void)state;
    assert_string_equal(shown(&first), "{Next=Node {Next=Empty {}, Number=2}, Number=1} (N.Node)");
    second.next = &plain;
    assert_string_equal(shown(&second), "{Next=object, Number=2} (N.Node)");
    second.next = &unknown;
    assert_string_equal(shown(&second), "{Next={...}, Number=2} (N.Node)");
    assert_string_equal(shown(&nothing), "{} (N.Empty)");
    assert_string_equal(shown(&plain), "object (System.Object)");
    assert_string_equal(shown(&unknown), "{...} (System.Object)");
    assert_string_equal(shown(NULL), "null");
}

/* What a string is need not be looked up. */
static void test_text(void **state)
{
    static const struct shape hidden = {.kind = SHAPE_HIDDEN, .is_class = true};
    static const struct {
        const void *type;
        int32_t length;
        uint16_t chars[3];
    } word = {&hidden, 2, {'o', 'k'}};
    struct object_types types = {.of = own_types.of};
    const void *object = &word;
    const struct shaped_value shaped = {
        .shape = &any, .types = &types, .value = &object, .size = sizeof object};
    char text[32];
    (void)state;
    atomic_store(&types.text, (uintptr_t)&hidden);
    size_t size = shape_write(&shaped, text, sizeof text);
    assert_int_equal(size, 4);
    assert_memory_equal(text, "\"ok\"", 4);
    atomic_store(&types.text, 0);
    size = shape_write(&shaped, text, sizeof text);
    assert_int_equal(size, 5);
    assert_memory_equal(text, "{...}", 5);
}

static void test_depth(void **state)
{
    struct node fourth = {&node, NULL, 4}, third = {&node, &fourth, 3}, second = {&node, &third, 2},
                first = {&node, &second, 1};
    (void)state;
    assert_string_equal(shown(&first), "{Next=Node {Next=Node {Next=Node {...}, Number=3}, "
                                       "Number=2}, Number=1} (N.Node)");
    third.next = &first;
    assert_string_equal(shown(&first), "{Next=Node {Next=Node {Next=Node {cycle}, Number=3}, "
                                       "Number=2}, Number=1} (N.Node)");
    first.next = &first;
    assert_string_equal(shown(&first), "{Next=Node {cycle}, Number=1} (N.Node)");
}

struct array {
    const struct shape *type;
    int32_t length, padding;
    const void *elements[10];
};

static void test_arrays(void **state)
{
    static const struct shape objects = {.kind = SHAPE_ELEMENTS,
                                         .inner = &any,
                                         .data = offsetof(struct array, elements),
                                         .name = "System.Object[]"};
    struct array inner = {&objects, 2, 0, {NULL}}, empty = {&objects, 0, 0, {NULL}};
    struct array all = {&objects, 3, 0, {&inner, &empty}};
    (void)state;
    all.elements[2] = &all;
    assert_string_equal(shown(&all), "[3: [2: null, null], [0], [cycle]] (System.Object[])");
    inner.elements[0] = &(struct node){&node, &empty, 1};
    inner.elements[1] = &(struct node){&node, &inner, 2};
    assert_string_equal(shown(&all), "[3: [2: Node {Next=[0], Number=1}, Node {Next=[cycle], "
                                     "Number=2}], [0], [cycle]] (System.Object[])");
    inner.length = 10;
    assert_string_equal(shown(&inner), "[10: Node {Next=[0], Number=1}, Node {Next=[cycle], "
                                       "Number=2}, null, null, null, null, null, null, ...] "
                                       "(System.Object[])");
}

static void test_ranks(void **state)
{
    static const struct shape grid = {
        .kind = SHAPE_ELEMENTS, .rank = 2, .inner = &number, .data = 32, .name = "System.Int32[,]"};
    struct {
        const struct shape *type;
        int32_t length, padding;
        int32_t bounds[4];
        int32_t elements[6];
    } array = {&grid, 6, 0, {2, 3}, {1, 2, 3, 4, 5, 6}};
    struct node deep = {&node, &array, 3}, second = {&node, &deep, 2}, first = {&node, &second, 1};
    (void)state;
    assert_string_equal(shown(&array), "[2,3: 1, 2, 3, 4, 5, 6] (System.Int32[,])");
    assert_string_equal(shown(&first),
                        "{Next=Node {Next=Node {Next=[2,3: ...], Number=3}, Number=2}, Number=1} "
                        "(N.Node)");
}

static void test_boxed(void **state)
{
    struct {
        const struct shape *type;
        int32_t value;
    } boxed = {&number, 42};
    const struct node holder = {&node, &boxed, 1};
    (void)state;
    assert_string_equal(shown(&boxed), "42 (System.Int32)");
    assert_string_equal(shown(&holder), "{Next=42, Number=1} (N.Node)");
}

struct exception {
    const struct shape *type;
    const void *message, *inner;
    int32_t code;
};

static void test_exceptions(void **state)
{
    static const struct shape text = {.kind = SHAPE_STRING, .name = "System.String"};
    static const struct shape_field fields[] = {
        FIELD("Message", offsetof(struct exception, message), &any),
        FIELD("InnerException", offsetof(struct exception, inner), &any),
        FIELD("Code", offsetof(struct exception, code), &number),
    };
    static const struct shape bad = {.kind = SHAPE_EXCEPTION,
                                     .fields = fields,
                                     .field_count = 3,
                                     .name = "N.Bad",
                                     .short_name = "Bad"};
    static const struct {
        const struct shape *type;
        int32_t length;
        uint16_t chars[2];
    } message = {&text, 2, {'n', 'o'}};
    struct exception inner = {&bad, NULL, NULL, 1}, outer = {&bad, &message, &inner, 5};
    (void)state;
    assert_string_equal(shown(&outer), "{Message=\"no\", InnerException=Bad {Code=1}, Code=5} "
                                       "(N.Bad)");
    inner.inner = &outer;
    assert_string_equal(shown(&inner), "{InnerException=Bad {Message=\"no\", "
                                       "InnerException=Bad {cycle}, Code=5}, Code=1} (N.Bad)");
}

/* ---- collections ---- */

struct list {
    const struct shape *type;
    const void *items;
    int32_t size, head;
};

static const struct shape_field list_fields[] = {
    FIELD("_items", offsetof(struct list, items), &any),
    FIELD("_size", offsetof(struct list, size), &number),
    FIELD("_head", offsetof(struct list, head), &number),
};

struct numbers {
    const struct shape *type;
    int32_t length, padding;
    int32_t elements[4];
};

static const struct shape int_array = {.kind = SHAPE_ELEMENTS,
                                       .is_class = true,
                                       .inner = &number,
                                       .data = offsetof(struct numbers, elements),
                                       .name = "System.Int32[]"};

/* What another thread changes may not fit together: nothing outside of the array is read. */
static void test_lists(void **state)
{
    static const struct shape type = {.kind = SHAPE_FRAMEWORK,
                                      .known = KNOWN_LIST,
                                      .is_class = true,
                                      .fields = list_fields,
                                      .field_count = 2,
                                      .name = "L"};
    const struct numbers array = {&int_array, 4, 0, {1, 2, 3, 4}};
    struct list list = {&type, &array, 2, 0};
    (void)state;
    assert_string_equal(shown(&list), "[2: 1, 2] (L)");
    list.size = 5;
    assert_string_equal(shown(&list), "[4: 1, 2, 3, 4] (L)");
    list.size = -1;
    assert_string_equal(shown(&list), "[0] (L)");
    list.items = NULL;
    assert_string_equal(shown(&list), "[0] (L)");
    list.items = &list;
    assert_string_equal(shown(&list), "{...} (L)");
}

static void test_queues(void **state)
{
    static const struct shape type = {.kind = SHAPE_FRAMEWORK,
                                      .known = KNOWN_QUEUE,
                                      .is_class = true,
                                      .fields = list_fields,
                                      .field_count = 3,
                                      .name = "Q"};
    const struct numbers array = {&int_array, 4, 0, {1, 2, 3, 4}};
    struct list queue = {&type, &array, 3, 2};
    (void)state;
    assert_string_equal(shown(&queue), "[3: 3, 4, 1] (Q)");
    queue.head = 100;
    assert_string_equal(shown(&queue), "[3: 1, 2, 3] (Q)");
    queue.size = INT32_MAX;
    queue.head = INT32_MIN;
    assert_string_equal(shown(&queue), "[4: 1, 2, 3, 4] (Q)");
}

/* ---- enums ---- */

static const struct shape *enum_shape(bool flags)
{
    static struct ilp_arena *arena;
    static const struct {
        const char *name, *bits;
    } members[] = {{"None", "00 00"}, {"One", "01 00"},  {"Uno", "01 00"},
                   {"Two", "02 00"},  {"Both", "03 00"}, {"Last", "00 80"}};
    struct ib_image b;
    const struct shape *shape;
    ii_begin(&b, "App");
    ilp_token type = ii_type(&b, "N", "E", 0x01000003);
    IB_ROW(&b, Field, 0x606, ib_string(&b, "value__"), ii_blob(&b, "06 06"));
    for (size_t i = 0; i < COUNT(members); i++) {
        ilp_rid field = IB_ROW(&b, Field, 0x8056, ib_string(&b, members[i].name),
                               ii_blob(&b, text_of("06 %s", value(type))));
        IB_ROW(&b, Constant, ILP_ELEMENT_I2, ILP_TOKEN(ILP_Field, field),
               ii_blob(&b, members[i].bits));
    }
    if (flags) {
        ilp_token attribute = ii_type_ref(&b, II_MSCORLIB, "System", "FlagsAttribute");
        ilp_rid constructor = IB_ROW(&b, MemberRef, attribute, ib_string(&b, ".ctor"),
                                     ii_blob(&b, "20 00 01"));
        IB_ROW(&b, CustomAttribute, type, ILP_TOKEN(ILP_MemberRef, constructor),
               ii_blob(&b, "01 00 00 00"));
    }
    struct ilp_image *image = built_root(&b);
    if (arena) {
        ilp_arena_close(arena);
    }
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    const struct ilp_type own = {.element = ILP_ELEMENT_VALUETYPE, .token = type};
    const struct shape_source source = {.image = image, .type = &own, .arena = arena};
    assert_int_equal(shape_build(&shape, &source, NULL), ILP_OK);
    close_built(image);
    return shape;
}

static void check_enum(const struct shape *shape, int16_t bits, const char *expected)
{
    char text[100];
    const struct shaped_value shaped = {.shape = shape, .value = &bits, .size = sizeof bits};
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    assert_string_equal(text, expected);
}

static void test_enums(void **state)
{
    const struct shape *plain = enum_shape(false);
    (void)state;
    check_enum(plain, 0, "None");
    check_enum(plain, 1, "One");
    check_enum(plain, INT16_MIN, "Last");
    check_enum(plain, 6, "6");
    check_enum(plain, -1, "-1");
    const struct shape *flags = enum_shape(true);
    check_enum(flags, 0, "None");
    check_enum(flags, 3, "Both");
    check_enum(flags, 7, "Both, 0x4");
    check_enum(flags, INT16_MIN + 2, "Two, Last");
    check_enum(flags, 8, "8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),    cmocka_unit_test(test_text),
        cmocka_unit_test(test_depth),      cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_ranks),      cmocka_unit_test(test_boxed),
        cmocka_unit_test(test_exceptions), cmocka_unit_test(test_enums),
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
