/* src/values/write_known.c and write_text.c: values of the framework's own types (known.def) as
 * text, as docs/VALUES.md has it. A runtime of this file's own knows what objects are: each begins
 * with its shape. */
#include "metadata_test.h"

#include "tests/unit/any_room.h"
#include "tests/unit/own_shapes.h"

/* ---- objects ---- */

/* Any object, and any struct: its fields are those of the shape. */
struct thing {
    const struct shape *type;
    const void *a, *b;
    int32_t x, y, z, w;
    int64_t l, m;
};

static const struct shape pointer = {
    .kind = SHAPE_POINTER, .size = sizeof(void *), .name = "System.Byte&"};
static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape int64 = {.kind = SHAPE_SIGNED, .size = 8, .name = "System.Int64"};
static const struct shape int16 = {.kind = SHAPE_UNSIGNED, .size = 2, .name = "System.UInt16"};
static const struct shape letter = {.kind = SHAPE_CHAR, .size = 2, .name = "System.Char"};

#define REFERENCE(member, name_) FIELD(name_, offsetof(struct thing, member), &any)
#define INT(member, name_)       FIELD(name_, offsetof(struct thing, member), &int32)
#define LONG(member, name_)      FIELD(name_, offsetof(struct thing, member), &int64)

#define FRAMEWORK(known_, fields_, class_)                                                \
    {                                                                                     \
        .kind = SHAPE_FRAMEWORK, .known = KNOWN_##known_, .is_class = (class_),           \
        .size = sizeof(struct thing), .fields = (fields_), .field_count = COUNT(fields_), \
        .name = "N." #known_, .short_name = #known_                                       \
    }

/* A handle is the address of its shape. */
static const struct shape *meant(void *user, uintptr_t handle)
{
    (void)user;
    return (const struct shape *)handle;
}

/* Code is the address of its method's name. */
static const char *method_at(void *user, uintptr_t code)
{
    (void)user;
    return (const char *)code;
}

static const uint64_t virtual_method; /* in place of a MethodDesc */

static const char *described(void *user, uintptr_t method)
{
    (void)user;
    assert_true(method == (uintptr_t)&virtual_method);
    return "N.C::V";
}

static const struct object_types types = {
    .of = shape_of, .meant = meant, .method = method_at, .described = described};

static const char *text_of(const struct shape *shape, const void *value, size_t size)
{
    static char text[1000];
    struct line line;
    const struct shaped_value shaped = {
        .shape = shape, .types = &types, .value = value, .size = size};
    line_begin(&line, text, sizeof text - 1);
    fits_any_room(&shaped);
    shape_put(&line, &shaped);
    text[line.size] = '\0';
    return text;
}

static const char *shown(const void *object)
{
    return text_of(&any, &object, sizeof object);
}

static const char *shown_value(const struct shape *shape, const struct thing *value)
{
    return text_of(shape, value, sizeof *value);
}

/* Within three objects, where nothing more is shown. */
static const struct shape_field holder_fields[] = {REFERENCE(a, "In")};
static const struct shape holder = {.kind = SHAPE_CLASS,
                                    .is_class = true,
                                    .size = sizeof(struct thing),
                                    .fields = holder_fields,
                                    .field_count = 1,
                                    .name = "N.Box",
                                    .short_name = "Box"};

static const char *shown_deep(const void *object)
{
    struct thing third = {.type = &holder, .a = object}, second = {.type = &holder, .a = &third},
                 first = {.type = &holder, .a = &second};
    const char *text = shown(&first);
    static const char before[] = "{In=Box {In=Box {In=";
    assert_int_equal(strncmp(text, before, sizeof before - 1), 0);
    return text + sizeof before - 1;
}

/* ---- arrays ---- */

struct ints {
    const struct shape *type;
    int32_t length, padding;
    int32_t items[10];
};
static const struct shape int_array = {.kind = SHAPE_ELEMENTS,
                                       .references = true,
                                       .inner = &int32,
                                       .data = offsetof(struct ints, items),
                                       .name = "System.Int32[]"};
static const struct ints ten = {&int_array, 10, 0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};

struct objects {
    const struct shape *type;
    int32_t length, padding;
    const void *items[2];
};
static const struct shape object_array = {.kind = SHAPE_ELEMENTS,
                                          .references = true,
                                          .inner = &any,
                                          .data = offsetof(struct objects, items),
                                          .name = "System.Object[]"};

struct chars {
    const struct shape *type;
    int32_t length;
    uint16_t items[12];
};
static const struct shape string = {
    .kind = SHAPE_STRING, .size = 8, .references = true, .name = "System.String"};
static const struct shape char_array = {.kind = SHAPE_ELEMENTS,
                                        .references = true,
                                        .inner = &letter,
                                        .data = offsetof(struct chars, items),
                                        .name = "System.Char[]"};
static const struct chars word = {&string, 5, {'h', 'e', 'l', 'l', 'o'}};
static const struct chars letters = {&char_array, 5, {'w', 'o', 'r', 'l', 'd'}};
static const struct thing other = {.type = &holder};

/* ---- lists ---- */

static const struct shape_field list_fields[] = {REFERENCE(a, "_items"), INT(x, "_size")};
static const struct shape list = FRAMEWORK(LIST, list_fields, true);

static void test_lists(void **state)
{
    (void)state;
    struct thing three = {.type = &list, .a = &ten, .x = 3};
    assert_string_equal(shown(&three), "[3: 0, 1, 2]");
    three.x = 10;
    assert_string_equal(shown(&three), "[10: 0, 1, 2, 3, 4, 5, 6, 7, ...]");
    three.x = 11; /* another thread is changing it */
    assert_string_equal(shown(&three), "[10: 0, 1, 2, 3, 4, 5, 6, 7, ...]");
    three.x = -1;
    assert_string_equal(shown(&three), "[0]");
    three = (struct thing){.type = &list, .x = 3};
    assert_string_equal(shown(&three), "[0]");
    three.a = &other;
    assert_string_equal(shown(&three), "{...}");
    three = (struct thing){.type = &list, .a = &ten, .x = 3};
    assert_string_equal(shown_deep(&three), "[3: ...]}}}");
    three.x = 0;
    assert_string_equal(shown_deep(&three), "[0]}}}");
    struct objects self = {&object_array, 1, 0, {NULL}};
    struct thing cycle = {.type = &list, .a = &self, .x = 1};
    self.items[0] = &cycle;
    assert_string_equal(shown(&cycle), "[1: [cycle]]");
}

static void test_rings_and_parts(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "_array"), INT(x, "_size"),
                                                INT(y, "_head")};
    static const struct shape queue = FRAMEWORK(QUEUE, fields, true);
    static const struct shape segment = FRAMEWORK(SEGMENT, fields, false);
    static const struct shape whole = FRAMEWORK(WHOLE, fields, false);
    (void)state;
    struct thing part = {.type = &queue, .a = &ten, .x = 4, .y = 8};
    assert_string_equal(shown(&part), "[4: 8, 9, 0, 1]");
    assert_string_equal(shown_value(&segment, &part), "[2: 8, 9]");
    part.y = 11;
    assert_string_equal(shown_value(&segment, &part), "[0]");
    assert_string_equal(shown_value(&whole, &part), "[10: 0, 1, 2, 3, 4, 5, 6, 7, ...]");
    part.a = NULL;
    assert_string_equal(shown_value(&whole, &part), "null");
    assert_string_equal(shown_value(&segment, &part), "[0]");
    part.a = &word;
    assert_string_equal(shown_value(&whole, &part), "{...}");
}

static void test_memory(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "_object"), INT(x, "_length"),
                                                INT(y, "_index")};
    struct shape memory = FRAMEWORK(MEMORY, fields, false);
    (void)state;
    struct thing part = {.a = &ten, .x = 2, .y = 3};
    memory.inner = &int32;
    assert_string_equal(shown_value(&memory, &part), "[2: 3, 4]");
    part.a = NULL;
    assert_string_equal(shown_value(&memory, &part), "[0]");
    part.a = &word;
    assert_string_equal(shown_value(&memory, &part), "{...}");
    memory.inner = &letter;
    assert_string_equal(shown_value(&memory, &part), "\"lo\"");
    part.a = &letters;
    part.x = 100;
    part.y = (int32_t)0x80000001; /* it is pinned */
    assert_string_equal(shown_value(&memory, &part), "\"orld\"");
    part.a = &ten;
    assert_string_equal(shown_value(&memory, &part), "{...}");
    part.a = NULL;
    assert_string_equal(shown_value(&memory, &part), "\"\"");
}

static void test_spans(void **state)
{
    static const struct shape_field fields[] = {
        FIELD("_reference", offsetof(struct thing, a), &pointer), INT(x, "_length")};
    struct shape span = FRAMEWORK(SPAN, fields, false);
    (void)state;
    struct thing part = {.a = ten.items + 2, .x = 2};
    span.inner = &int32;
    assert_string_equal(shown_value(&span, &part), "[2: 2, 3]");
    part.x = -1;
    assert_string_equal(shown_value(&span, &part), "{...}");
    part = (struct thing){.a = NULL, .x = 0};
    assert_string_equal(shown_value(&span, &part), "[0]");
    part.x = 1;
    assert_string_equal(shown_value(&span, &part), "{...}");
    part = (struct thing){.a = word.items, .x = 4};
    span.inner = &letter;
    assert_string_equal(shown_value(&span, &part), "\"hell\"");
    span.inner = NULL;
    assert_string_equal(shown_value(&span, &part), "{...}");
}

/* ---- tables ---- */

struct entry {
    int32_t next, key, value;
};
enum { ENTRIES = 300 };
struct entries {
    const struct shape *type;
    int32_t length, padding;
    struct entry items[ENTRIES];
};
static const struct shape_field entry_fields[] = {
    FIELD("next", offsetof(struct entry, next), &int32),
    FIELD("key", offsetof(struct entry, key), &int32),
    FIELD("value", offsetof(struct entry, value), &int32)};
static const struct shape entry = {.kind = SHAPE_STRUCT,
                                   .size = sizeof(struct entry),
                                   .fields = entry_fields,
                                   .field_count = 3,
                                   .name = "Entry"};
static const struct shape_field item_fields[] = {
    FIELD("Next", offsetof(struct entry, next), &int32),
    FIELD("Value", offsetof(struct entry, value), &int32)};
static const struct shape item = {.kind = SHAPE_STRUCT,
                                  .size = sizeof(struct entry),
                                  .fields = item_fields,
                                  .field_count = 2,
                                  .name = "Entry"};

static void test_tables(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "_entries"), INT(x, "_count"),
                                                INT(y, "_freeCount")};
    static const struct shape table = FRAMEWORK(TABLE, fields, true);
    struct shape array = {.kind = SHAPE_ELEMENTS,
                          .inner = &entry,
                          .data = offsetof(struct entries, items),
                          .name = "Entry[]"};
    static struct entries all;
    (void)state;
    all = (struct entries){&array, ENTRIES, 0, {{-1, 1, 10}, {-3, 2, 20}, {0, 3, 30}}};
    struct thing of = {.type = &table, .a = &all, .x = 3, .y = 1};
    assert_string_equal(shown(&of), "[2: 1=10, 3=30]");
    array.inner = &item;
    assert_string_equal(shown(&of), "[2: 10, 30]");
    assert_string_equal(shown_deep(&of), "[2: ...]}}}");
    of.x = 12; /* the others are 0, so used */
    of.y = 1;
    assert_string_equal(shown(&of), "[11: 10, 30, 0, 0, 0, 0, 0, 0, ...]");
    for (int i = 0; i < ENTRIES; i++) {
        all.items[i].next = -3;
    }
    of = (struct thing){.type = &table, .a = &all, .x = ENTRIES, .y = ENTRIES - 1};
    assert_string_equal(shown(&of), "[1: ...]");
    all.items[2].next = -1;
    of.y = ENTRIES - 2;
    assert_string_equal(shown(&of), "[2: 30, ...]");
    of.y = ENTRIES + 1;
    assert_string_equal(shown(&of), "[0]");
    of.a = NULL;
    assert_string_equal(shown(&of), "[0]");
    of.a = &ten; /* whose elements are no entries */
    assert_string_equal(shown(&of), "{...}");
    of.a = &word;
    assert_string_equal(shown(&of), "{...}");
}

/* Before .NET 5 free slots say so by their hash code. */
static void test_slots(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "_slots"), INT(x, "_lastIndex"),
                                                INT(y, "_count")};
    static const struct shape_field slot_fields[] = {
        FIELD("hashCode", offsetof(struct entry, key), &int32),
        FIELD("next", offsetof(struct entry, next), &int32),
        FIELD("value", offsetof(struct entry, value), &int32)};
    static const struct shape set = FRAMEWORK(SLOT_TABLE, fields, true);
    struct shape slot = entry;
    slot.fields = slot_fields;
    struct shape array = {.kind = SHAPE_ELEMENTS,
                          .inner = &slot,
                          .data = offsetof(struct entries, items),
                          .name = "Slot[]"};
    static struct entries all;
    (void)state;
    all = (struct entries){&array, ENTRIES, 0, {{-1, 0, 10}, {-1, -1, 20}, {0, 3, 30}}};
    struct thing of = {.type = &set, .a = &all, .x = 3, .y = 2};
    assert_string_equal(shown(&of), "[2: 10, 30]");
    assert_string_equal(shown_deep(&of), "[2: ...]}}}");
    of.y = 5; /* more than there can be */
    assert_string_equal(shown(&of), "[3: 10, 30, ...]");
    of = (struct thing){.type = &set, .a = NULL};
    assert_string_equal(shown(&of), "[0]");
    of.a = &all;
    array.inner = &entry; /* which has no hash code */
    assert_string_equal(shown(&of), "{...}");
    of.a = &word;
    assert_string_equal(shown(&of), "{...}");
}

/* The state counts from 0, before .NET 6 from 1. */
static void test_cancellation(void **state)
{
    static const struct shape_field fields[] = {INT(x, "_state")};
    static const struct shape_field token_fields[] = {REFERENCE(a, "_source")};
    static const struct shape source = FRAMEWORK(CANCELLATION, fields, true);
    static const struct shape old = FRAMEWORK(OLD_CANCELLATION, fields, true);
    static const struct shape token = FRAMEWORK(CANCELLATION, token_fields, false);
    static const char yes[] = "{IsCancellationRequested=true}";
    static const char no[] = "{IsCancellationRequested=false}";
    (void)state;
    for (int32_t x = 0; x < 4; x++) {
        struct thing of = {.type = &source, .x = x}, of_old = {.type = &old, .x = x};
        struct thing its = {.a = &of}, its_old = {.a = &of_old};
        assert_string_equal(shown(&of), x > 0 ? yes : no);
        assert_string_equal(shown(&of_old), x > 1 ? yes : no);
        assert_string_equal(shown_value(&token, &its), x > 0 ? yes : no);
        assert_string_equal(shown_value(&token, &its_old), x > 1 ? yes : no);
    }
    struct thing none = {.a = NULL}, of_text = {.a = &word};
    assert_string_equal(shown_value(&token, &none), no);
    assert_string_equal(shown_value(&token, &of_text), "{...}");
}

static void test_wrappers(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "items")};
    static const struct shape wrapper = FRAMEWORK(WRAPPER, fields, true);
    struct thing inner = {.type = &list, .a = &ten, .x = 2};
    struct thing wrappers[5];
    (void)state;
    for (size_t i = 0; i < COUNT(wrappers); i++) {
        wrappers[i] = (struct thing){.type = &wrapper};
        wrappers[i].a = i == 0 ? &inner : &wrappers[i - 1];
    }
    assert_string_equal(shown(&wrappers[0]), "[2: 0, 1]");
    assert_string_equal(shown(&wrappers[3]), "[2: 0, 1]");
    assert_string_equal(shown(&wrappers[4]), "{...}");
    wrappers[0].a = NULL;
    assert_string_equal(shown(&wrappers[1]), "null");
}

/* ---- delegates ---- */

static const char *json_of(const void *object)
{
    static char text[4000];
    struct line line;
    const struct shaped_value shaped = {
        .shape = &any, .types = &types, .value = &object, .size = sizeof object};
    line_begin(&line, text, sizeof text - 1);
    shape_put_json(&line, &shaped);
    text[line.size] = '\0';
    return text;
}

static const struct shape native = {.kind = SHAPE_ADDRESS, .size = 8, .name = "System.IntPtr"};

#define NATIVE(member, name_) FIELD(name_, offsetof(struct thing, member), &native)

static void test_delegates(void **state)
{
    static const struct shape_field fields[] = {
        REFERENCE(a, "_invocationList"), NATIVE(l, "_invocationCount"), NATIVE(b, "_methodPtr"),
        NATIVE(m, "_methodPtrAux")};
    static const struct shape delegate = FRAMEWORK(DELEGATE, fields, true);
    struct thing one = {.type = &delegate, .b = "N.C::A"}, none = {.type = &delegate};
    struct objects two = {&object_array, 2, 0, {&one, &one}};
    struct thing several = {.type = &delegate, .a = &two, .l = 2, .b = "thunk", .m = 1};
    (void)state;
    assert_string_equal(shown(&one), "{N.C::A}");
    assert_string_equal(json_of(&one), "{\"$methods\":[\"N.C::A\"]}");
    assert_string_equal(shown_deep(&one), "DELEGATE {N.C::A}}}}");
    assert_string_equal(shown(&none), "{...}");
    assert_string_equal(json_of(&none), "{\"$\":\"...\"}");
    assert_string_equal(shown(&several), "{2: N.C::A, N.C::A}");
    assert_string_equal(json_of(&several), "{\"$methods\":[\"N.C::A\",\"N.C::A\"]}");
    two.items[1] = &none;
    assert_string_equal(shown(&several), "{2: N.C::A, {...}}");
    assert_string_equal(json_of(&several), "{\"$methods\":[\"N.C::A\",{\"$\":\"...\"}]}");
    two.items[1] = &word; /* no delegate */
    assert_string_equal(shown(&several), "{2: N.C::A, {...}}");
    two.items[1] = NULL;
    assert_string_equal(shown(&several), "{2: N.C::A, {...}}");
    several.l = 1;
    assert_string_equal(shown(&several), "{N.C::A}");
    several.l = INT64_MAX; /* no more than there are */
    assert_string_equal(shown(&several), "{2: N.C::A, {...}}");
    several.a = &ten;
    assert_string_equal(shown(&several), "{...}");
    several.a = &word; /* what keeps its assembly */
    assert_string_equal(shown(&several), "{...}");
    several.l = -1;
    assert_string_equal(shown(&several), "{...}");
    /* that of a static method */
    one.b = "thunk";
    one.m = (int64_t)(uintptr_t) "N.C::S";
    assert_string_equal(shown(&one), "{N.C::S}");
    one.l = -1; /* of native code */
    assert_string_equal(shown(&one), "{...}");
    /* of a virtual method that each call looks up */
    one.l = (int64_t)(uintptr_t)&virtual_method;
    assert_string_equal(shown(&one), "{N.C::V}");
    several.a = &two;
    several.l = 1;
    assert_string_equal(shown(&several), "{N.C::V}");
    one.l |= 4; /* no address of a method */
    assert_string_equal(shown(&one), "{...}");
    one.l = 64;
    assert_string_equal(shown(&one), "{...}");
    one.l = (int64_t)(uintptr_t)&virtual_method;
    one.m = 0; /* what is called is not a stub for it */
    assert_string_equal(shown(&one), "{...}");
}

/* ---- weak references, one of two ---- */

static void test_weak(void **state)
{
    static const struct shape_field fields[] = {NATIVE(l, "_taggedHandle")};
    static const struct shape weak = FRAMEWORK(WEAK, fields, true);
    static const void *place = &word; /* where the handle leads to */
    struct thing of = {.type = &weak, .l = (int64_t)(uintptr_t)&place};
    (void)state;
    assert_string_equal(shown(&of), "{Target=\"hello\"}");
    assert_string_equal(json_of(&of), "{\"Target\":\"hello\"}");
    assert_string_equal(shown_deep(&of), "WEAK {...}}}}");
    of.l |= 1; /* it tracks resurrection */
    assert_string_equal(shown(&of), "{Target=\"hello\"}");
    of.l |= 2; /* of COM */
    assert_string_equal(shown(&of), "{...}");
    place = &of;
    of.l = (int64_t)(uintptr_t)&place;
    assert_string_equal(shown(&of), "{Target=WEAK {cycle}}");
    place = NULL;
    assert_string_equal(shown(&of), "{Target=null}");
    of.l = 1;
    assert_string_equal(shown(&of), "{Target=null}");
    of.l = 0x100;
    assert_string_equal(shown(&of), "{...}");
}

static void test_either(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "hashtable"), REFERENCE(b, "list")};
    static const struct shape either = FRAMEWORK(EITHER, fields, true);
    struct thing of = {.type = &either, .a = &ten, .b = &word};
    (void)state;
    assert_string_equal(shown(&of), "[10: 0, 1, 2, 3, 4, 5, 6, 7, ...]");
    of.a = NULL;
    assert_string_equal(shown(&of), "\"hello\"");
    of.b = NULL;
    assert_string_equal(shown(&of), "[0]");
}

/* ---- pairs and tuples ---- */

static void test_pairs_and_tuples(void **state)
{
    static const struct shape_field pair_fields[] = {INT(x, "key"), REFERENCE(a, "value")};
    static const struct shape pair = FRAMEWORK(PAIR, pair_fields, true);
    static const struct shape_field two_fields[] = {INT(x, "Item1"), REFERENCE(a, "Item2")};
    static const struct shape two = FRAMEWORK(TUPLE, two_fields, true);
    static const struct shape_field eight_fields[] = {
        INT(x, "Item1"), INT(y, "Item2"), INT(z, "Item3"), INT(w, "Item4"),
        INT(x, "Item5"), INT(y, "Item6"), INT(z, "Item7"), REFERENCE(b, "Rest")};
    static const struct shape eight = FRAMEWORK(TUPLE, eight_fields, true);
    static const struct shape none = {.kind = SHAPE_FRAMEWORK,
                                      .known = KNOWN_TUPLE,
                                      .is_class = true,
                                      .name = "System.ValueTuple"};
    struct thing one = {.type = &pair, .a = &word, .x = 5};
    struct thing last = {.type = &two, .a = &word, .x = 9};
    struct thing long_one = {.type = &eight, .b = &last, .x = 1, .y = 2, .z = 3, .w = 4};
    (void)state;
    assert_string_equal(shown(&one), "5=\"hello\"");
    assert_string_equal(shown(&last), "(9, \"hello\")");
    assert_string_equal(shown_deep(&last), "{...}}}}");
    assert_string_equal(shown(&long_one), "(1, 2, 3, 4, 1, 2, 3, 9, \"hello\")");
    long_one.b = &word; /* which is no tuple, so an item */
    assert_string_equal(shown(&long_one), "(1, 2, 3, 4, 1, 2, 3, \"hello\")");
    struct thing middle = long_one, first = long_one;
    middle.b = &long_one;
    first.b = &middle;
    assert_string_equal(shown(&first), "(1, 2, 3, 4, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 1, 2, ...)");
    const struct shape *empty = &none;
    assert_string_equal(shown(&empty), "()");
    struct thing third = {.type = &holder, .a = &one}, second = {.type = &holder, .a = &third},
                 top = {.type = &holder, .a = &second};
    assert_string_equal(shown(&top), "{In=Box {In=Box {In={...}}}}");
}

/* ---- tasks ---- */

static const struct shape_field task_fields[] = {
    INT(x, "m_stateFlags"), REFERENCE(a, "m_contingentProperties"), INT(y, "m_result")};
static const struct shape task = FRAMEWORK(TASK, task_fields, true);

static void test_states_of_tasks(void **state)
{
    static const struct {
        int32_t flags;
        const char *text;
    } cases[] = {{0, "{Status=Created}"},
                 {0x2000000, "{Status=WaitingForActivation}"},
                 {0x10000, "{Status=WaitingToRun}"},
                 {0x30000, "{Status=Running}"},
                 {0x820000, "{Status=WaitingForChildrenToComplete}"},
                 {0x1030000, "{Status=RanToCompletion, Result=7}"},
                 {0x1400000, "{Status=Canceled}"},
                 {0x1200000, "{Status=Faulted}"}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct thing one = {.type = &task, .x = cases[i].flags, .y = 7};
        assert_string_equal(shown(&one), cases[i].text);
    }
    struct thing done = {.type = &task, .x = 0x1000000, .y = 7};
    assert_string_equal(shown_deep(&done), "TASK {...}}}}");
    static const struct shape_field nothing_fields[] = {INT(x, "m_stateFlags"),
                                                        REFERENCE(a, "m_contingentProperties")};
    static const struct shape nothing = FRAMEWORK(TASK, nothing_fields, true);
    done.type = &nothing;
    assert_string_equal(shown(&done), "{Status=RanToCompletion}");
}

static void test_faults_of_tasks(void **state)
{
    static const struct shape_field link_fields[] = {REFERENCE(a, "next")};
    static const struct shape link = FRAMEWORK(LINK, link_fields, true);
    struct thing error = {.type = &holder};
    struct thing info = {.type = &link, .a = &error};
    struct objects infos = {&object_array, 2, 0, {&info}};
    struct thing faults = {.type = &list, .a = &infos, .x = 1};
    struct thing holds = {.type = &link, .a = &faults}, properties = {.type = &link, .a = &holds};
    struct thing faulted = {.type = &task, .a = &properties, .x = 0x200000};
    (void)state;
    assert_string_equal(shown(&faulted), "{Status=Faulted, Exception=Box {In=null}}");
    infos.items[0] = &word;
    assert_string_equal(shown(&faulted), "{Status=Faulted}");
    faults.a = &ten;
    assert_string_equal(shown(&faulted), "{Status=Faulted}");
    holds.a = &word;
    assert_string_equal(shown(&faulted), "{Status=Faulted}");
    properties.a = NULL;
    assert_string_equal(shown(&faulted), "{Status=Faulted}");
    assert_string_equal(shown(&info), "{...}");
}

static void test_value_tasks(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "_obj"), INT(x, "_result")};
    static const struct shape value_task = FRAMEWORK(VALUE_TASK, fields, false);
    struct thing held = {.type = &task, .x = 0x1000000, .y = 7};
    struct thing one = {.x = 5};
    (void)state;
    assert_string_equal(shown_value(&value_task, &one), "{Status=RanToCompletion, Result=5}");
    one.a = &held;
    assert_string_equal(shown_value(&value_task, &one), "{Status=RanToCompletion, Result=7}");
    one.a = &word;
    assert_string_equal(shown_value(&value_task, &one), "{...}");
}

/* ---- short texts ---- */

static void test_uri_version_type(void **state)
{
    static const struct shape_field uri_fields[] = {REFERENCE(a, "_original"),
                                                    REFERENCE(b, "_string")};
    static const struct shape uri = FRAMEWORK(URI, uri_fields, true);
    static const struct shape_field version_fields[] = {INT(x, "_Major"), INT(y, "_Minor"),
                                                        INT(z, "_Build"), INT(w, "_Revision")};
    static const struct shape version = FRAMEWORK(VERSION, version_fields, true);
    static const struct shape_field type_fields[] = {REFERENCE(a, "m_handle")};
    static const struct shape type = FRAMEWORK(TYPE, type_fields, true);
    struct thing one = {.type = &uri, .b = &word};
    (void)state;
    assert_string_equal(shown(&one), "\"hello\"");
    one.a = &(struct chars){&string, 1, {'x'}};
    assert_string_equal(shown(&one), "\"x\"");
    struct thing number = {.type = &version, .x = 1, .y = 2, .z = -1, .w = -1};
    assert_string_equal(shown(&number), "1.2");
    number.z = 3;
    number.w = 4;
    assert_string_equal(shown(&number), "1.2.3.4");
    struct thing of = {.type = &type, .a = &int32};
    assert_string_equal(shown(&of), "typeof(System.Int32)");
    of.a = NULL;
    assert_string_equal(shown(&of), "typeof(...)");
}

static void test_builders(void **state)
{
    static const struct shape_field fields[] = {REFERENCE(a, "m_ChunkChars"),
                                                REFERENCE(b, "m_ChunkPrevious"),
                                                INT(x, "m_ChunkLength"), INT(y, "m_ChunkOffset")};
    static const struct shape builder = FRAMEWORK(BUILDER, fields, true);
    struct thing first = {.type = &builder, .a = &letters, .x = 5};
    struct thing last = {.type = &builder, .a = &letters, .b = &first, .x = 3, .y = 5};
    (void)state;
    assert_string_equal(shown(&first), "\"world\"");
    assert_string_equal(shown(&last), "\"worldwor\"");
    last.y = 300; /* what is between is not there */
    assert_int_equal(strncmp(shown(&last), "\"world", 6), 0);
    assert_non_null(strstr(shown(&last), "... (303 chars)"));
    last.y = -5;
    assert_string_equal(shown(&last), "{...}");
    last = (struct thing){.type = &builder, .a = &ten, .x = 3};
    assert_string_equal(shown(&last), "{...}");
    last = (struct thing){.type = &builder, .a = &letters, .b = &word, .x = 3, .y = 5};
    assert_string_equal(shown(&last), "{...}");
}

static void test_index_and_range(void **state)
{
    static const struct shape_field index_fields[] = {FIELD("_value", 0, &int32)};
    struct shape index = FRAMEWORK(INDEX, index_fields, false);
    index.size = 4;
    const struct shape_field range_fields[] = {FIELD("Start", offsetof(struct thing, x), &index),
                                               FIELD("End", offsetof(struct thing, y), &index)};
    const struct shape range = FRAMEWORK(RANGE, range_fields, false);
    (void)state;
    assert_string_equal(text_of(&index, &(int32_t){~1}, 4), "^1");
    assert_string_equal(shown_value(&range, &(struct thing){.x = 1, .y = ~2}), "1..^2");
}

static void test_dates(void **state)
{
    static const struct shape_field int_field[] = {INT(x, "_n")};
    static const struct shape_field long_field[] = {LONG(l, "_ticks")};
    static const struct shape_field both[] = {LONG(l, "_dateTime"), INT(x, "_offsetMinutes")};
    static const struct shape_field older[] = {
        LONG(l, "_dateTime"), FIELD("_offsetMinutes", offsetof(struct thing, x), &int16)};
    static const struct shape day = FRAMEWORK(DATE_ONLY, int_field, false);
    static const struct shape time = FRAMEWORK(TIME_ONLY, long_field, false);
    static const struct shape offset = FRAMEWORK(DATE_TIME_OFFSET, both, false);
    static const struct shape older_offset = FRAMEWORK(DATE_TIME_OFFSET, older, false);
    static const struct shape rune = FRAMEWORK(RUNE, int_field, false);
    const int64_t ticks = 630822816000000000; /* 2000-01-01 */
    (void)state;
    assert_string_equal(shown_value(&day, &(struct thing){.x = 730119}), "2000-01-01");
    assert_string_equal(shown_value(&day, &(struct thing){.x = -1}), "{...}");
    assert_string_equal(shown_value(&time, &(struct thing){.l = 36000000001}), "01:00:00.0000001");
    assert_string_equal(shown_value(&time, &(struct thing){.l = -1}), "{...}");
    assert_string_equal(shown_value(&offset, &(struct thing){.l = ticks, .x = 90}),
                        "2000-01-01T01:30:00.0000000+01:30");
    assert_string_equal(shown_value(&offset, &(struct thing){.l = ticks, .x = -630}),
                        "1999-12-31T13:30:00.0000000-10:30");
    assert_string_equal(shown_value(&offset, &(struct thing){.l = 5, .x = -60}), "{...}");
    assert_string_equal(shown_value(&older_offset, &(struct thing){.l = ticks, .x = 0x7700FD8A}),
                        "1999-12-31T13:30:00.0000000-10:30");
    assert_string_equal(shown_value(&rune, &(struct thing){.x = 'a'}), "a");
    assert_string_equal(shown_value(&rune, &(struct thing){.x = 0x1F600}), "\xF0\x9F\x98\x80");
    assert_string_equal(shown_value(&rune, &(struct thing){.x = 0}), "\\0");
    assert_string_equal(shown_value(&rune, &(struct thing){.x = 0x110000}), "{...}");
}

static void test_numbers(void **state)
{
    static const struct shape_field wide[] = {LONG(l, "_lower"), LONG(m, "_upper")};
    static const struct shape is_signed = FRAMEWORK(WIDE_SIGNED, wide, false);
    static const struct shape is_unsigned = FRAMEWORK(WIDE_UNSIGNED, wide, false);
    static const struct shape_field half_field[] = {
        FIELD("_value", offsetof(struct thing, x), &int16)};
    static const struct shape half = FRAMEWORK(HALF, half_field, false);
    static const struct shape_field big_fields[] = {INT(x, "_sign"), REFERENCE(a, "_bits")};
    static const struct shape big = FRAMEWORK(BIG_INTEGER, big_fields, false);
    (void)state;
    assert_string_equal(shown_value(&is_signed, &(struct thing){.l = -1, .m = -1}), "-1");
    assert_string_equal(shown_value(&is_signed, &(struct thing){.l = 0, .m = INT64_MIN}),
                        "-170141183460469231731687303715884105728");
    assert_string_equal(shown_value(&is_unsigned, &(struct thing){.l = -1, .m = -1}),
                        "340282366920938463463374607431768211455");
    assert_string_equal(shown_value(&is_unsigned, &(struct thing){.l = 0}), "0");
    assert_string_equal(shown_value(&half, &(struct thing){.x = 0x3E00}), "1.5");
    assert_string_equal(shown_value(&big, &(struct thing){.x = -5}), "-5");
    struct ints bits = {&int_array, 2, 0, {1, 1}};
    assert_string_equal(shown_value(&big, &(struct thing){.x = -1, .a = &bits}), "-4294967297");
    bits.length = 65;
    assert_string_equal(shown_value(&big, &(struct thing){.x = 1, .a = &bits}), "{...}");
    assert_string_equal(shown_value(&big, &(struct thing){.x = 1, .a = &word}), "{...}");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),           cmocka_unit_test(test_rings_and_parts),
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_spans),
        cmocka_unit_test(test_tables),          cmocka_unit_test(test_slots),
        cmocka_unit_test(test_cancellation),    cmocka_unit_test(test_wrappers),
        cmocka_unit_test(test_delegates),       cmocka_unit_test(test_weak),
        cmocka_unit_test(test_either),          cmocka_unit_test(test_pairs_and_tuples),
        cmocka_unit_test(test_states_of_tasks), cmocka_unit_test(test_faults_of_tasks),
        cmocka_unit_test(test_value_tasks),     cmocka_unit_test(test_uri_version_type),
        cmocka_unit_test(test_builders),        cmocka_unit_test(test_index_and_range),
        cmocka_unit_test(test_dates),           cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
