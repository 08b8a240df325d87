/* src/values/activity.c: the activity of a thread, among objects in memory whose shapes are as a
 * runtime's. */
#include "metadata_test.h"

#include "tests/unit/own_shapes.h"

#include "values/activity.h"
#include "values/kinds.h"

static const struct shape string = {
    .kind = SHAPE_STRING, .size = 8, .references = true, .name = "System.String"};
static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};

struct text {
    const struct shape *type;
    int32_t length;
    uint16_t chars[1100];
};

static struct text *text_of(struct text *text, const char *ascii)
{
    *text = (struct text){.type = &string, .length = (int32_t)strlen(ascii)};
    for (int32_t i = 0; i < text->length; i++) {
        text->chars[i] = (unsigned char)ascii[i];
    }
    return text;
}

/* ---- what a runtime has ---- */

#define CLASS(text, list)                                                               \
    {                                                                                   \
        .kind = SHAPE_FRAMEWORK, .known = KNOWN_OPAQUE, .is_class = true, .name = text, \
        .field_count = COUNT(list), .fields = list                                      \
    }

struct thread {
    const struct shape *type;
    const void *number, *context;
};
static const struct shape_field thread_fields[] = {
    FIELD("_executionContext", offsetof(struct thread, context), &any)};
static const struct shape thread_shape = CLASS("System.Threading.Thread", thread_fields);

struct context {
    const struct shape *type;
    const void *map;
};
static const struct shape_field context_fields[] = {
    FIELD("m_localValues", offsetof(struct context, map), &any)};
static const struct shape context_shape = CLASS("System.Threading.ExecutionContext",
                                                context_fields);

struct local {
    const struct shape *type;
};
static const struct shape activity_local = {
    .kind = SHAPE_HIDDEN,
    .is_class = true,
    .activity_local = true,
    .name = "System.Threading.AsyncLocal`1[System.Diagnostics.Activity]"};
static const struct shape other_local = {
    .kind = SHAPE_HIDDEN, .is_class = true, .name = "System.Threading.AsyncLocal`1[System.Object]"};
static const struct local current = {&activity_local}, second = {&activity_local},
                          own = {&activity_local}, other = {&other_local};

struct activity_object {
    const struct shape *type;
    const void *id, *trace, *span;
};
static const struct shape_field activity_fields[] = {
    FIELD("_id", offsetof(struct activity_object, id), &string),
    FIELD("_traceId", offsetof(struct activity_object, trace), &string),
    FIELD("_spanId", offsetof(struct activity_object, span), &string)};
static const struct shape activity_shape = {.kind = SHAPE_CLASS,
                                            .is_class = true,
                                            .name = "System.Diagnostics.Activity",
                                            .field_count = COUNT(activity_fields),
                                            .fields = activity_fields};

/* ---- maps ---- */

struct pair {
    const void *key, *value;
};

enum { MOST = 1100 };

static const struct shape_field pair_fields[] = {
    FIELD("key", offsetof(struct pair, key), &any),
    FIELD("value", offsetof(struct pair, value), &any)};
static const struct shape pair_shape = {.kind = SHAPE_FRAMEWORK,
                                        .known = KNOWN_PAIR,
                                        .size = sizeof(struct pair),
                                        .field_count = 2,
                                        .fields = pair_fields};

struct entry {
    uint32_t hash;
    int32_t next;
    const void *key, *value;
};
static const struct shape_field entry_fields[] = {
    FIELD("hashCode", offsetof(struct entry, hash), &int32),
    FIELD("next", offsetof(struct entry, next), &int32),
    FIELD("key", offsetof(struct entry, key), &any),
    FIELD("value", offsetof(struct entry, value), &any)};
static const struct shape entry_shape = {.kind = SHAPE_STRUCT,
                                         .size = sizeof(struct entry),
                                         .field_count = COUNT(entry_fields),
                                         .fields = entry_fields};

/* An array's elements begin after the length. */
struct array {
    const struct shape *type;
    int32_t length;
    union {
        struct pair pairs[MOST];
        struct entry entries[MOST];
    };
};
static const struct shape pairs_shape = {.kind = SHAPE_ELEMENTS,
                                         .is_class = true,
                                         .inner = &pair_shape,
                                         .data = offsetof(struct array, pairs)};
static const struct shape entries_shape = {.kind = SHAPE_ELEMENTS,
                                           .is_class = true,
                                           .inner = &entry_shape,
                                           .data = offsetof(struct array, entries)};

struct map {
    const struct shape *type;
    union {
        struct pair pairs[4];
        struct {
            const void *array;
            int32_t count;
        };
    };
};
#define PAIR_AT(i) offsetof(struct map, pairs) + (i) * sizeof(struct pair)

/* A form of map, and how many locals it has. */
struct form {
    const char *name;
    const struct shape_field *fields;
    uint32_t field_count;
    bool table;
    int32_t locals;
};

static const struct shape_field item_fields[] = {
    FIELD("_item0", PAIR_AT(0), &pair_shape), FIELD("_item1", PAIR_AT(1), &pair_shape),
    FIELD("_item2", PAIR_AT(2), &pair_shape), FIELD("_item3", PAIR_AT(3), &pair_shape)};
static const struct shape_field half_fields[] = {
    FIELD("_key1", PAIR_AT(0), &any), FIELD("_value1", PAIR_AT(0) + sizeof(void *), &any),
    FIELD("_key2", PAIR_AT(1), &any), FIELD("_value2", PAIR_AT(1) + sizeof(void *), &any),
    FIELD("_key3", PAIR_AT(2), &any), FIELD("_value3", PAIR_AT(2) + sizeof(void *), &any)};
static const struct shape_field array_fields[] = {
    FIELD("_keyValues", offsetof(struct map, array), &any)};
static const struct shape_field table_fields[] = {
    FIELD("_entries", offsetof(struct map, array), &any),
    FIELD("_count", offsetof(struct map, count), &int32)};

#define MAPS "System.Threading.AsyncLocalValueMap+"
static const struct form forms[] = {
    {MAPS "OneElementAsyncLocalValueMap", item_fields, 1, false, 1},
    {MAPS "TwoElementAsyncLocalValueMap", item_fields, 2, false, 2},
    {MAPS "ThreeElementAsyncLocalValueMap", item_fields, 3, false, 3},
    {MAPS "FourElementAsyncLocalValueMap", item_fields, 4, false, 4},
    {MAPS "OneElementAsyncLocalValueMap", half_fields, 2, false, 1},
    {MAPS "TwoElementAsyncLocalValueMap", half_fields, 4, false, 2},
    {MAPS "ThreeElementAsyncLocalValueMap", half_fields, 6, false, 3},
    {MAPS "MultiElementAsyncLocalValueMap", array_fields, 1, false, 5},
    {MAPS "MultiElementAsyncLocalValueMap", array_fields, 1, false, 16},
    {MAPS "ManyElementAsyncLocalValueMap", table_fields, 2, true, 17},
    {MAPS "ManyElementAsyncLocalValueMap", table_fields, 2, true, 1000},
};

/* ---- a thread with all of it ---- */

static struct {
    struct thread thread;
    struct context context;
    struct map map;
    struct shape map_shape;
    struct array array;
    struct activity_object activity, another;
    struct text id, trace, span;
} world;

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN  "00f067aa0ba902b7"

static void begin(const struct form *form)
{
    memset(&world, 0, sizeof world);
    world.map_shape = (struct shape){.kind = SHAPE_FRAMEWORK,
                                     .known = form->table ? KNOWN_TABLE : KNOWN_OPAQUE,
                                     .is_class = true,
                                     .name = form->name,
                                     .field_count = form->field_count,
                                     .fields = form->fields};
    world.thread = (struct thread){.type = &thread_shape, .context = &world.context};
    world.context = (struct context){&context_shape, &world.map};
    world.map.type = &world.map_shape;
    if (form->fields == array_fields || form->table) {
        world.map.array = &world.array;
        world.map.count = form->locals;
        world.array.type = form->table ? &entries_shape : &pairs_shape;
        world.array.length = form->locals + (form->table ? 3 : 0);
    }
    world.activity = (struct activity_object){&activity_shape, NULL, text_of(&world.trace, TRACE),
                                              text_of(&world.span, SPAN)};
    world.another = world.activity;
}

static void put(const struct form *form, int32_t at, const struct local *key, const void *value)
{
    if (form->table) {
        world.array.entries[at] = (struct entry){.next = -1, .key = key, .value = value};
    } else if (form->fields == array_fields) {
        world.array.pairs[at] = (struct pair){key, value};
    } else {
        world.map.pairs[at] = (struct pair){key, value};
    }
}

static enum ilp_tristate second_is; /* what is said of the local of this name */

static enum ilp_tristate is_current(void *user, const void *local)
{
    (void)user;
    return local == &current ? ILP_YES : local == &second ? second_is : ILP_NO;
}

static struct activity found(void)
{
    const struct activity_source source = {&own_types, is_current, NULL};
    return activity_of(&source, &world.thread);
}

static void has_ids(struct activity activity)
{
    assert_null(activity.unknown);
    assert_ptr_equal(activity.trace, (const uint8_t *)world.trace.chars);
    assert_ptr_equal(activity.span, (const uint8_t *)world.span.chars);
    assert_null(activity.id);
}

static void has_none(struct activity activity)
{
    assert_null(activity.unknown);
    assert_null(activity.trace);
    assert_null(activity.span);
    assert_null(activity.id);
}

static void is_unknown(struct activity activity, const char *why)
{
    assert_non_null(activity.unknown);
    assert_non_null(strstr(activity.unknown, why));
    assert_null(activity.trace);
    assert_null(activity.span);
    assert_null(activity.id);
}

/* ---- tests ---- */

/* In all forms, at each place, among others. */
static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct form *form = &forms[i];
        int32_t step = form->locals > 20 ? 333 : 1;
        for (int32_t at = 0; at < form->locals; at += step) {
            begin(form);
            for (int32_t j = 0; j < form->locals; j++) {
                put(form, j, j % 2 == 0 ? &other : &own, &world.another);
            }
            has_none(found());
            put(form, at, &current, &world.activity);
            has_ids(found());
            put(form, at, &current, NULL);
            has_none(found());
        }
    }
}

/* Entries that are free, and those after the last one. */
static void test_free_entries(void **state)
{
    const struct form *form = &forms[COUNT(forms) - 2];
    (void)state;
    begin(form);
    put(form, 3, &current, &world.activity);
    world.array.entries[3].next = -2;
    put(form, form->locals, &current, &world.activity);
    has_none(found());
    world.array.entries[3].next = 5;
    has_ids(found());
    world.map.count = 1 << 30; /* not past the array */
    world.array.length = 5;
    has_ids(found());
}

static void test_none(void **state)
{
    static const struct form empty = {MAPS "EmptyAsyncLocalValueMap", NULL, 0, false, 0};
    const struct activity_source source = {&own_types, is_current, NULL};
    (void)state;
    has_none(activity_of(&source, NULL));
    begin(&forms[0]);
    world.thread.context = NULL;
    has_none(found());
    begin(&forms[0]);
    world.context.map = NULL;
    has_none(found());
    begin(&empty);
    has_none(found());
}

/* Of two assemblies; the same in both is one. */
static void test_two(void **state)
{
    (void)state;
    begin(&forms[1]);
    put(&forms[1], 0, &current, &world.activity);
    put(&forms[1], 1, &second, &world.another);
    second_is = ILP_NO;
    has_ids(found());
    second_is = ILP_YES;
    is_unknown(found(), "two assemblies");
    put(&forms[1], 1, &second, &world.activity);
    has_ids(found());
    second_is = ILP_UNKNOWN;
    is_unknown(found(), "which async local");
    second_is = ILP_NO;
}

static void test_ids(void **state)
{
    static const struct {
        const char *id, *trace, *span;
        bool has_ids, has_id;
    } rounds[] = {
        {NULL, TRACE, SPAN, true, false},
        {"00-" TRACE "-" SPAN "-01", TRACE, SPAN, true, false},
        {"|a.1.", NULL, NULL, false, true},
        {"|a.1.", TRACE, NULL, false, true}, /* a child of such a parent may know its trace */
        {NULL, TRACE, NULL, false, false},
        {"", NULL, NULL, false, false},
        {NULL, NULL, SPAN, false, false},
        {"|a.1.", "4bf92f3577b34da6a3ce929d0e0e473", SPAN, false, false},
        {NULL, "4bf92f3577b34da6a3ce929d0e0e47366", SPAN, false, false},
        {NULL, "4BF92f3577b34da6a3ce929d0e0e4736", SPAN, false, false},
        {NULL, "4bf92f3577b34da6a3ce929d0e0e473g", SPAN, false, false},
        {NULL, TRACE, "00f067aa0ba902b", false, false},
        {NULL, TRACE, "00f067aa0ba902b\"", false, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rounds); i++) {
        begin(&forms[0]);
        put(&forms[0], 0, &current, &world.activity);
        world.activity.id = rounds[i].id ? text_of(&world.id, rounds[i].id) : NULL;
        world.activity.trace = rounds[i].trace ? text_of(&world.trace, rounds[i].trace) : NULL;
        world.activity.span = rounds[i].span ? text_of(&world.span, rounds[i].span) : NULL;
        struct activity activity = found();
        if (rounds[i].has_ids) {
            has_ids(activity);
        } else if (rounds[i].has_id) {
            assert_null(activity.unknown);
            assert_ptr_equal(activity.id, (const uint8_t *)world.id.chars);
            assert_int_equal(activity.id_length, strlen(rounds[i].id));
        } else {
            has_none(activity);
        }
    }
    begin(&forms[0]);
    put(&forms[0], 0, &current, &world.activity);
    world.trace.chars[4] = 0x130; /* whose low byte is a digit */
    has_none(found());
}

/* A shape with one field of another name, or another type. */
static struct shape changed(const struct shape *shape, struct shape_field *fields, uint32_t at,
                            const char *name, const struct shape *type)
{
    struct shape copy = *shape;
    memcpy(fields, shape->fields, shape->field_count * sizeof *fields);
    fields[at].name = name ? name : fields[at].name;
    fields[at].shape = type ? type : fields[at].shape;
    copy.fields = fields;
    return copy;
}

/* Whatever is called otherwise, or is something else, is said, and no id is shown. */
static void test_unknown(void **state)
{
    struct shape_field fields[8];
    struct shape shape;
    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        const char *name = kind == 0 ? "_renamed" : NULL;
        const struct shape *type = kind == 1 ? &int32 : NULL;
        begin(&forms[0]);
        put(&forms[0], 0, &current, &world.activity);
        shape = changed(&thread_shape, fields, 0, name, type);
        world.thread.type = &shape;
        is_unknown(found(), "_executionContext");
        world.thread.type = &thread_shape;
        shape = changed(&context_shape, fields, 0, name, type);
        world.context.type = &shape;
        is_unknown(found(), "m_localValues");
        world.context.type = &context_shape;
        for (uint32_t i = 0; i < COUNT(activity_fields); i++) {
            shape = changed(&activity_shape, fields, i, name, type);
            world.activity.type = &shape;
            is_unknown(found(), "_traceId");
        }
    }
    begin(&forms[0]);
    put(&forms[0], 0, &current, &world.activity);
    shape = changed(&activity_shape, fields, 0, NULL, &any); /* no string */
    world.activity.type = &shape;
    is_unknown(found(), "_traceId");
}

static void test_unknown_maps(void **state)
{
    static const struct form no_forms[] = {
        {"N.OneElementAsyncLocalValueMap", item_fields, 1, false, 1},
        {MAPS "OtherMap", activity_fields, 1, false, 1},
        {MAPS "OtherMap", half_fields, 3, false, 1},
        {MAPS "OtherMap", table_fields, 2, false, 5},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(no_forms); i++) {
        begin(&no_forms[i]);
        put(&forms[0], 0, &other, &world.activity);
        is_unknown(found(), "another form");
    }
    begin(&forms[0]);
    world.map_shape.kind = SHAPE_HIDDEN; /* not as known.def has it */
    is_unknown(found(), "another form");
    begin(&forms[7]);
    world.array.type = &entries_shape;
    is_unknown(found(), "another form");
    begin(&forms[9]);
    world.array.type = &pairs_shape;
    is_unknown(found(), "another form");
    world.map.array = NULL;
    is_unknown(found(), "another form");
    begin(&forms[9]);
    world.map.count = world.array.length = 1025;
    is_unknown(found(), "1,024");
    begin(&forms[7]);
    world.array.length = 1025;
    is_unknown(found(), "1,024");
}

/* A local of a type that is not known could be the one. */
static void test_unknown_local(void **state)
{
    static const struct shape nameless = {.kind = SHAPE_HIDDEN, .is_class = true};
    static const struct local local = {&nameless};
    (void)state;
    begin(&forms[1]);
    put(&forms[1], 0, &local, &world.another);
    put(&forms[1], 1, &current, &world.activity);
    is_unknown(found(), "a type");
    put(&forms[1], 0, &local, NULL);
    has_ids(found());
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),        cmocka_unit_test(test_free_entries),
        cmocka_unit_test(test_none),         cmocka_unit_test(test_two),
        cmocka_unit_test(test_ids),          cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_unknown_maps), cmocka_unit_test(test_unknown_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
