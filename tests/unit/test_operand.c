/* src/values/operand.c: conditions on values in memory, as the profiler has them. */
#include "metadata_test.h"

#include "tests/unit/shape_field.h"

#include "values/kinds.h"
#include "values/operand.h"

static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape byte = {.kind = SHAPE_UNSIGNED, .size = 1, .name = "System.Byte"};
static const struct shape flag = {.kind = SHAPE_BOOLEAN, .size = 1, .name = "System.Boolean"};
static const struct shape letter = {.kind = SHAPE_CHAR, .size = 2, .name = "System.Char"};
static const struct shape real = {.kind = SHAPE_DOUBLE, .size = 8, .name = "System.Double"};
static const struct shape single = {.kind = SHAPE_SINGLE, .size = 4, .name = "System.Single"};
static const struct shape native = {.kind = SHAPE_ADDRESS, .size = 8, .name = "System.IntPtr"};
static const struct shape decimal = {.kind = SHAPE_DECIMAL, .size = 16, .name = "System.Decimal"};
static const struct shape span = {.kind = SHAPE_TIME_SPAN, .size = 8, .name = "System.TimeSpan"};
static const struct shape date = {.kind = SHAPE_DATE_TIME, .size = 8, .name = "System.DateTime"};
static const struct shape guid = {.kind = SHAPE_GUID, .size = 16, .name = "System.Guid"};
static const struct shape string = {
    .kind = SHAPE_STRING, .size = 8, .references = true, .name = "System.String"};
static const struct shape array = {
    .kind = SHAPE_ARRAY, .size = 8, .references = true, .name = "System.Int32[]"};
static const struct shape object = {
    .kind = SHAPE_OBJECT, .size = 8, .references = true, .name = "Shop.Order"};
static const struct shape bytes = {.kind = SHAPE_BYTES, .size = 4, .name = "!!0"};

/* How strings lie in memory: a pointer to the type, the length, the characters. */
struct string_object {
    const void *type;
    int32_t length;
    uint16_t chars[8];
};
static const struct string_object text = {NULL, 3, {'a', 'b', 'c'}};

struct array_object {
    const void *type;
    int32_t length;
    int32_t padding;
    int32_t elements[2];
};
static const struct array_object two = {NULL, 2, 0, {7, 8}};

struct pair {
    int32_t id;
    uint8_t small;
    const void *name;
};
static const struct shape_field pair_fields[] = {
    FIELD("Id", offsetof(struct pair, id), &int32),
    FIELD("Small", offsetof(struct pair, small), &byte),
    FIELD("Name", offsetof(struct pair, name), &string)};
static const struct shape pair = {.kind = SHAPE_STRUCT,
                                  .size = sizeof(struct pair),
                                  .references = true,
                                  .field_count = 3,
                                  .fields = pair_fields,
                                  .name = "Shop.Pair"};
static const struct shape deep_pair = {
    .kind = SHAPE_STRUCT, .size = sizeof(struct pair), .deep = true, .name = "Shop.Pair"};

struct nullable {
    uint8_t has_value;
    int32_t value;
};
static const struct shape_field nullable_fields[] = {
    FIELD("hasValue", offsetof(struct nullable, has_value), &flag),
    FIELD("value", offsetof(struct nullable, value), &int32)};
static const struct shape nullable = {.kind = SHAPE_NULLABLE,
                                      .size = sizeof(struct nullable),
                                      .field_count = 2,
                                      .fields = nullable_fields,
                                      .name = "System.Int32"};
static const struct shape reference = {
    .kind = SHAPE_BYREF, .size = 8, .inner = &int32, .name = "System.Int32"};
static const struct shape reference_to_pair = {
    .kind = SHAPE_BYREF, .size = 8, .inner = &pair, .name = "Shop.Pair"};

/* What objects are by their own types: the first word of each of ours is its shape. */
static const struct shape *own_shape(void *user, const void *at)
{
    const struct shape *own;
    (void)user;
    memcpy(&own, at, sizeof own);
    return own;
}
static const struct object_types own_types = {.of = own_shape};
static const struct object_types *types_in_use; /* NULL: they are not known */
static enum call_end ended;                     /* how the call did that has the value */

static struct ilpi_condition_result test(const char *condition, const struct shape *shape,
                                         const void *value, size_t size)
{
    struct ilpi_condition *opened;
    struct ilpi_condition_scratch *scratch = NULL;
    struct ilp_error error;
    struct ilp_bytes source_text = {(const uint8_t *)condition, strlen(condition)};
    assert_int_equal(ilpi_condition_open(&opened, source_text, NULL, &error), ILP_OK);
    if (ilpi_condition_needs_scratch(opened)) {
        assert_int_equal(ilpi_condition_scratch_open(&scratch, opened, NULL, NULL), ILP_OK);
    }
    const struct shaped_value shaped = {
        .shape = shape, .types = types_in_use, .value = value, .size = size};
    struct operand_call call = operand_call(ended, &shaped);
    struct ilpi_condition_result result = ilpi_condition_test(opened, &call.source, scratch);
    ilpi_condition_scratch_close(scratch);
    ilpi_condition_close(opened);
    return result;
}

#define OUTCOME_OF(condition, shape, value) \
    (test((condition), &(shape), (value), (shape).size).outcome)
#define MEETS(condition, shape, value) \
    assert_int_equal(OUTCOME_OF(condition, shape, value), ILPI_CONDITION_MET)
#define MEETS_NOT(condition, shape, value) \
    assert_int_equal(OUTCOME_OF(condition, shape, value), ILPI_CONDITION_NOT_MET)
#define IS(outcome_name, condition, shape, value) \
    assert_int_equal(OUTCOME_OF(condition, shape, value), ILPI_CONDITION_##outcome_name)

static void test_numbers(void **state)
{
    (void)state;
    MEETS("value > 104", int32, &(int32_t){105});
    MEETS_NOT("value > 104", int32, &(int32_t){104});
    MEETS("value == -1", int32, &(int32_t){-1});
    MEETS("value == 255", byte, &(uint8_t){255});
    MEETS("value", flag, &(uint8_t){1});
    MEETS("not value", flag, &(uint8_t){0});
    MEETS("value == 'x'", letter, &(uint16_t){'x'});
    MEETS("value in 0.25..0.75", real, &(double){0.5});
    MEETS("value == 0.1", single, &(float){0.1f});
    MEETS("value < 0", native, &(intptr_t){-1});
    /* flags with the scale, the high word, the two low ones: 15.00 */
    MEETS("value == 15", decimal, ((const uint32_t[]){2u << 16, 0, 1500, 0}));
    MEETS("value < -1.4", decimal, ((const uint32_t[]){1u << 31 | 1u << 16, 0, 15, 0}));
    IS(UNREADABLE, "value == 0", decimal, ((const uint32_t[]){29u << 16, 0, 0, 0}));
    MEETS("value > 4ms", span, &(int64_t){50000});
    /* 2000-01-01, in UTC */
    MEETS("value == \"2000-01-01\"", date, &(uint64_t){630822816000000000u | (uint64_t)1 << 62});
    MEETS("value == \"04030201-0605-0807-090a-0b0c0d0e0f10\"", guid,
          ((const uint8_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
    IS(UNREADABLE, "value == 0", bytes, &(uint32_t){0});
}

static void test_references(void **state)
{
    (void)state;
    const void *to_text = &text, *to_two = &two, *none = NULL;
    MEETS("value == \"abc\"", string, &to_text);
    MEETS("value =~ \"^a.c$\"", string, &to_text);
    MEETS("value.Length == 3", string, &to_text);
    MEETS("value == null", string, &none);
    MEETS("value.Length == null", string, &none);
    MEETS("value != null and value.Length == 2", array, &to_two);
    IS(UNREADABLE, "value[0] == 7", array, &to_two);
    MEETS("value is not null", object, &to_two);
    IS(UNREADABLE, "value.Total > 1", object, &to_two);
    IS(UNREADABLE, "value is Order", object, &to_two);
    MEETS("value is null", object, NULL);
}

static void test_structs(void **state)
{
    (void)state;
    struct pair full = {5, 200, &text}, without = {-5, 0, NULL};
    MEETS("value.Id == 5 and value.Small > 100 and value.Name == \"abc\"", pair, &full);
    MEETS("value.Name == null and value.Name.Length == null", pair, &without);
    MEETS("value is Pair and value is Shop.Pair and value is not Order", pair, &full);
    IS(NO_MEMBER, "value.Identity == 5", pair, &full);
    IS(OTHER_KIND, "value == 5", pair, &full);
    IS(UNREADABLE, "value.Id == 5", deep_pair, &full);
    assert_int_equal(test("value.Id == 5", &pair, &full, sizeof full - 1).outcome,
                     ILPI_CONDITION_UNREADABLE);
}

/* Those that no line shows are found as well, unless they are not known. */
static void test_further_members(void **state)
{
    struct pair full = {5, 200, &text};
    struct shape wide = pair;
    (void)state;
    wide.field_count = 1;
    wide.further_count = 2;
    wide.more = true;
    MEETS("value.Id == 5 and value.Small == 200 and value.Name == \"abc\"", wide, &full);
    IS(NO_MEMBER, "value.Identity == 5", wide, &full);
    wide.further_count = 1;
    wide.partial = true;
    MEETS("value.Small == 200", wide, &full);
    IS(UNREADABLE, "value.Name == null", wide, &full);
}

static void test_wrapped(void **state)
{
    (void)state;
    int32_t number = 7;
    struct pair full = {5, 200, &text};
    const void *to_number = &number, *to_pair = &full, *none = NULL, *odd = (void *)(uintptr_t)3;
    MEETS("value == 7", nullable, (&(struct nullable){1, 7}));
    MEETS("value == null", nullable, (&(struct nullable){0, 7}));
    MEETS("value == 7", reference, &to_number);
    MEETS("value == null", reference, &none);
    IS(UNREADABLE, "value == 7", reference, &odd);
    /* where it leads may be no object yet */
    IS(UNREADABLE, "value.Id == 5", reference_to_pair, &to_pair);
}

static void test_only_a_value(void **state)
{
    (void)state;
    MEETS("exception == null", int32, &(int32_t){1});
    MEETS_NOT("exception", int32, &(int32_t){1});
    IS(NO_VALUE, "args.0 == 1", int32, &(int32_t){1});
    IS(NO_VALUE, "elapsed > 1s", int32, &(int32_t){1});
}

static struct ilpi_condition *opened_condition(const char *text_of)
{
    struct ilpi_condition *condition;
    const struct ilp_bytes bytes_of = {(const uint8_t *)text_of, strlen(text_of)};
    assert_int_equal(ilpi_condition_open(&condition, bytes_of, NULL, NULL), ILP_OK);
    return condition;
}

/* When a call begins there is an argument, and later what that came to, and the time. */
static void test_entry(void **state)
{
    (void)state;
    struct pair full = {5, 200, &text};
    const struct shaped_value argument = {.shape = &pair, .value = &full, .size = sizeof full};
    const struct shaped_value value = {.shape = &int32, .value = &(int32_t){1}, .size = 4};
    struct ilpi_condition *condition =
        opened_condition("args.a.Name == \"abc\" and elapsed == 5001ns and value == 1");
    struct operand_call call = operand_argument(&argument);
    struct ilpi_condition_result outcome = ilpi_condition_test_argument(condition, 0, &call.source,
                                                                        NULL);
    assert_int_equal(outcome.outcome, ILPI_CONDITION_MET);
    call = operand_argument(NULL);
    assert_int_equal(ilpi_condition_test_argument(condition, 0, &call.source, NULL).outcome,
                     ILPI_CONDITION_UNREADABLE);
    call = operand_entry(&outcome);
    assert_int_equal(ilpi_condition_test(condition, &call.source, NULL).outcome,
                     ILPI_CONDITION_NO_VALUE);
    call = operand_call(END_RETURNED, &value);
    call.source.arguments = &outcome;
    call.elapsed = 5001;
    assert_int_equal(ilpi_condition_test(condition, &call.source, NULL).outcome,
                     ILPI_CONDITION_NO_VALUE);
    call.has_elapsed = true;
    assert_int_equal(ilpi_condition_test(condition, &call.source, NULL).outcome,
                     ILPI_CONDITION_MET);
    call.elapsed = 5000;
    assert_int_equal(ilpi_condition_test(condition, &call.source, NULL).outcome,
                     ILPI_CONDITION_NOT_MET);
    ilpi_condition_close(condition);
}

/* Of a call that returned nothing. */
static void test_nothing(void **state)
{
    (void)state;
    ended = END_VOID;
    IS(NO_VALUE, "value == 1", int32, &(int32_t){1});
    MEETS("exception is null", int32, &(int32_t){1});
    ended = END_RETURNED;
}

/* ---- objects by their own types ---- */

struct order_object {
    const struct shape *type;
    const void *name;
    int32_t total;
};
static const struct shape_field order_fields[] = {
    FIELD("Name", offsetof(struct order_object, name), &string),
    FIELD("Total", offsetof(struct order_object, total), &int32)};
static const char *const order_bases[] = {"Shop.Base`1[System.Int32]", "System.Object"};
static const struct shape order = {.kind = SHAPE_CLASS,
                                   .size = sizeof(struct order_object),
                                   .references = true,
                                   .is_class = true,
                                   .field_count = 2,
                                   .fields = order_fields,
                                   .bases = order_bases,
                                   .base_count = 2,
                                   .name = "Shop.Outer+Order"};
static const struct shape own_string = {
    .kind = SHAPE_STRING, .size = 8, .references = true, .name = "System.String"};
static const struct shape elements = {.kind = SHAPE_ELEMENTS,
                                      .references = true,
                                      .data = offsetof(struct array_object, elements),
                                      .inner = &int32,
                                      .name = "System.Int32[]"};
static const struct shape hidden = {.kind = SHAPE_HIDDEN, .is_class = true, .name = "Thread"};
static const struct shape own_root = {.kind = SHAPE_ROOT, .name = "System.Object"};

struct list_object {
    const struct shape *type;
    const void *items;
    int32_t count;
};
static const struct shape_field list_fields[] = {
    FIELD("_items", offsetof(struct list_object, items), &array),
    FIELD("_size", offsetof(struct list_object, count), &int32)};
static const struct shape list = {.kind = SHAPE_FRAMEWORK,
                                  .known = KNOWN_LIST,
                                  .is_class = true,
                                  .field_count = 2,
                                  .fields = list_fields,
                                  .name = "System.Collections.Generic.List`1[System.Int32]"};

static void test_objects(void **state)
{
    (void)state;
    types_in_use = &own_types;
    struct string_object name = {&own_string, 3, {'a', 'b', 'c'}};
    struct order_object one = {&order, &name, 12};
    const void *to_one = &one, *to_name = &name;
    MEETS("value.Total == 12 and value.Name =~ \"^abc$\"", object, &to_one);
    MEETS("value.Name.Length == 3 and value != null", object, &to_one);
    MEETS("value is Order and value is Outer.Order and value is Shop.Outer.Order and value is Base "
          "and value is Object",
          object, &to_one);
    MEETS_NOT("value is rder", object, &to_one);
    IS(NO_MEMBER, "value.Totl == 12", object, &to_one);
    IS(NO_MEMBER, "value[0] == 12", object, &to_one);
    MEETS("value == \"abc\" and value.Length == 3", object, &to_name);
    struct {
        const struct shape *type;
        int32_t number;
    } boxed = {&int32, -7};
    const void *to_boxed = &boxed;
    MEETS("value == -7", object, &to_boxed);
    types_in_use = NULL;
}

/* What `is` finds of a name: the simple one, with namespace and enclosing types, of which each may
 * have an arity. */
static void test_type_names(void **state)
{
    static const struct {
        const char *name, *fits[6], *misses[8];
    } types[] = {
        {"Box", {"Box"}, {"ox", "Bo", "S.Box", "Boxes"}},
        {"S.Box`1[System.Int32]",
         {"Box", "S.Box"},
         {"Int32", "S+Box", "S", "T.Box", "T.S.Box", "System.Int32"}},
        {"S.Box`1[S.Pair`2[S.A[],S.B[,]]]", {"Box", "S.Box"}, {"Pair", "A", "B", "S.B"}},
        {"S.Plain+Nest",
         {"Nest", "Plain+Nest", "Plain.Nest", "S.Plain+Nest", "S.Plain.Nest"},
         {"Plain", "S.Plain", "S+Plain+Nest", "lain.Nest", "Plain.Nes", "T.Nest"}},
        {"S.Box`1+Side[System.Int32]",
         {"Side", "Box+Side", "Box.Side", "S.Box+Side", "S.Box.Side"},
         {"Box", "S.Box", "S.Side", "Int32", "S.Box+Sid"}},
        {"S.A`1+B+C`12[S.X,S.Y]",
         {"C", "B+C", "A+B+C", "A.B+C", "A.B.C", "S.A.B.C"},
         {"A", "B", "A+B", "A+C", "A.C"}},
        {"S.Box`[S.X]", {NULL}, {"Box", "S.Box", "X"}}, /* no arity, but part of the name */
        {"S.Box`1", {"Box", "S.Box"}, {"S"}},
        {"S.N1+M22", {"N1.M22", "M22"}, {"N", "M", "N.M22"}},
        {"System.Int32[]", {NULL}, {"Int32", "System.Int32"}},
        {"S.Plain[,]", {NULL}, {"Plain", "S.Plain"}},
        {"S.Plain[*]", {NULL}, {"Plain", "S.Plain"}},
        {"S.Box`1[System.Int32][]", {NULL}, {"Box", "S.Box", "Int32"}},
        {"S.Box`1[System.Int32[]][,][]", {NULL}, {"Box", "S.Box", "Int32"}},
        {"S.Box`1[System.Int32]*", {NULL}, {"Box", "S.Box", "Int32"}},
        {"System.Int32*", {NULL}, {"Int32", "System.Int32"}},
        {"S.Box`1[", {NULL}, {"X"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct shape named = {.kind = SHAPE_SIGNED, .size = 4, .name = types[i].name};
        char condition[64];
        for (size_t k = 0; k < 6 && types[i].fits[k]; k++) {
            snprintf(condition, sizeof condition, "value is %s", types[i].fits[k]);
            print_message("%s: %s\n", types[i].name, condition);
            MEETS(condition, named, &(int32_t){1});
        }
        for (size_t k = 0; k < 8 && types[i].misses[k]; k++) {
            snprintf(condition, sizeof condition, "value is %s", types[i].misses[k]);
            print_message("%s: not %s\n", types[i].name, condition);
            MEETS_NOT(condition, named, &(int32_t){1});
        }
    }
}

/* Base classes that no shape lists. */
static void test_bases_of_kinds(void **state)
{
    static const struct shape level = {
        .kind = SHAPE_ENUM, .size = 4, .inner = &int32, .name = "Shop.Level"};
    static const struct shape place = {.kind = SHAPE_POINTER, .size = 8, .name = "System.Int32*"};
    struct {
        const struct shape *type;
        const void *array;
        int32_t numbers[2];
    } boxed = {&int32, NULL, {1, 2}};
    struct array_object array_of_two = {&elements, 2, 0, {7, 8}};
    const void *to_text = &text, *to_boxed = &boxed, *to_array = &array_of_two;
    (void)state;
    MEETS("value is Object and value is ValueType and value is System.ValueType", int32,
          &(int32_t){1});
    MEETS_NOT("value is Enum or value is Array", int32, &(int32_t){1});
    MEETS("value is Object and value is ValueType and value is Enum", level, &(int32_t){1});
    MEETS("value is Object", string, &to_text);
    MEETS_NOT("value is ValueType or value is Array", string, &to_text);
    MEETS_NOT("value is Object or value is ValueType", place, &to_text);
    types_in_use = &own_types;
    MEETS("value is Object and value is ValueType and value is Int32", object, &to_boxed);
    MEETS("value is Object and value is Array", object, &to_array);
    MEETS_NOT("value is ValueType or value is Int32", object, &to_array);
    types_in_use = NULL;
}

static void test_exception(void **state)
{
    (void)state;
    types_in_use = &own_types;
    ended = END_THREW;
    struct string_object name = {&own_string, 3, {'a', 'b', 'c'}};
    struct order_object thrown = {&order, &name, 42};
    const void *to_thrown = &thrown;
    MEETS("exception", object, &to_thrown);
    MEETS("exception is Outer.Order and exception.Name =~ \"^a\"", object, &to_thrown);
    MEETS("exception.Total > 41", object, &to_thrown);
    MEETS_NOT("exception is null", object, &to_thrown);
    IS(NO_MEMBER, "exception.Message == null", object, &to_thrown);
    IS(NO_VALUE, "value != null", object, &to_thrown);
    MEETS("value == 1 or exception", object, &to_thrown);
    ended = END_RETURNED;
    types_in_use = NULL;
}

static void test_collections(void **state)
{
    (void)state;
    types_in_use = &own_types;
    struct array_object numbers = {&elements, 2, 0, {7, 8}};
    struct list_object full = {&list, &numbers, 1}, torn = {&list, &numbers, 3},
                       empty = {&list, NULL, 1};
    const void *to_numbers = &numbers, *to_full = &full, *to_torn = &torn, *to_empty = &empty;
    MEETS("value.Length == 2 and value[1] == 8", array, &to_numbers);
    IS(NO_MEMBER, "value[2] == 8", array, &to_numbers);
    MEETS("value.Count == 1 and value[0] == 7", object, &to_full);
    IS(NO_MEMBER, "value[1] == 8", object, &to_full);
    MEETS("value[1] == 8", object, &to_torn);
    IS(NO_MEMBER, "value[2] == 8", object, &to_torn);
    IS(NO_MEMBER, "value[0] == 7", object, &to_empty);
    struct {
        const struct shape *type;
    } thread = {&hidden}, plain = {&own_root}, none = {NULL};
    const void *to_thread = &thread, *to_plain = &plain, *to_none = &none;
    IS(UNREADABLE, "value.Name == null", object, &to_thread);
    MEETS("value != null and value is Thread", object, &to_thread);
    IS(NO_MEMBER, "value.Name == null", object, &to_plain);
    IS(UNREADABLE, "value.Name == null", object, &to_none);
    types_in_use = NULL;
}

#define SEVEN                                                                               \
    FIELD("Item1", 0, &int32), FIELD("Item2", 4, &int32), FIELD("Item3", 8, &int32),        \
        FIELD("Item4", 12, &int32), FIELD("Item5", 16, &int32), FIELD("Item6", 20, &int32), \
        FIELD("Item7", 24, &int32)
#define TUPLE(bytes, count, items)                                                              \
    {                                                                                           \
        .kind = SHAPE_FRAMEWORK, .known = KNOWN_TUPLE, .size = (bytes), .field_count = (count), \
        .fields = (items), .name = "System.ValueTuple`8"                                        \
    }

/* Items after the seventh are in the tuple in the eighth field, or in the one it refers to. */
static void test_long_tuples(void **state)
{
    static const struct shape_field last_fields[] = {FIELD("Item1", 0, &int32),
                                                     FIELD("m_Item2", 4, &int32)};
    static const struct shape last = TUPLE(8, 2, last_fields);
    static const struct shape_field middle_fields[] = {SEVEN, FIELD("Rest", 28, &last)};
    static const struct shape middle = TUPLE(36, 8, middle_fields);
    static const struct shape_field first_fields[] = {SEVEN, FIELD("Rest", 28, &middle)};
    static const struct shape first = TUPLE(64, 8, first_fields);
    static const struct shape_field plain_fields[] = {SEVEN, FIELD("Rest", 28, &int32)};
    static const struct shape plain = TUPLE(32, 8, plain_fields);
    static const struct shape_field to_class[] = {SEVEN, FIELD("m_Rest", 32, &object)};
    static const struct shape refers = TUPLE(40, 8, to_class);
    int32_t numbers[16];
    (void)state;
    for (int32_t i = 0; i < 16; i++) {
        numbers[i] = 101 + i;
    }
    MEETS("value.Item7 == 107 and value.Item8 == 108 and value.Item14 == 114", first, numbers);
    MEETS("value.Item15 == 115 and value.Item16 == 116", first, numbers);
    MEETS("value.Rest.Item1 == 108 and value.Rest.Rest.Item2 == 116", first, numbers);
    IS(NO_MEMBER, "value.Item17 == 117", first, numbers);
    IS(NO_MEMBER, "value.Item22 == 117", first, numbers);
    IS(NO_MEMBER, "value.Item0 == 101", first, numbers);
    IS(NO_MEMBER, "value.Item08 == 108", first, numbers);
    IS(NO_MEMBER, "value.Item == 108", first, numbers);
    IS(NO_MEMBER, "value.Item4294967304 == 108", first, numbers);
    IS(NO_MEMBER, "value.Item8 == 108", plain, numbers);

    static const struct shape_field own_fields[] = {FIELD("m_Item1", 8, &int32)};
    static const struct shape boxed_rest = {.kind = SHAPE_FRAMEWORK,
                                            .known = KNOWN_TUPLE,
                                            .is_class = true,
                                            .field_count = 1,
                                            .fields = own_fields,
                                            .name = "System.Tuple`1"};
    struct {
        const struct shape *type;
        int32_t item;
    } rest = {&boxed_rest, 108};
    struct {
        int32_t items[8];
        const void *rest;
    } tuple = {.rest = &rest}, without = {.rest = NULL};
    types_in_use = &own_types;
    MEETS("value.Item8 == 108 and value.m_Rest.Item1 == 108", refers, &tuple);
    IS(NO_MEMBER, "value.Item9 == 109", refers, &tuple);
    MEETS("value.Item8 == null", refers, &without);
    types_in_use = NULL;
}

static void test_framework_values(void **state)
{
    static const struct shape_field pair_of_fields[] = {FIELD("key", 0, &int32),
                                                        FIELD("value", 4, &int32)};
    static const struct shape key_value = {.kind = SHAPE_FRAMEWORK,
                                           .known = KNOWN_PAIR,
                                           .size = 8,
                                           .field_count = 2,
                                           .fields = pair_of_fields,
                                           .name = "KeyValuePair"};
    static const struct shape_field tuple_fields[] = {FIELD("Item1", 0, &int32),
                                                      FIELD("m_Item2", 4, &int32)};
    static const struct shape tuple = {.kind = SHAPE_FRAMEWORK,
                                       .known = KNOWN_TUPLE,
                                       .size = 8,
                                       .field_count = 2,
                                       .fields = tuple_fields,
                                       .name = "System.ValueTuple`2"};
    static const struct shape_field day_field = FIELD("_dayNumber", 0, &int32);
    static const struct shape date_only = {.kind = SHAPE_FRAMEWORK,
                                           .known = KNOWN_DATE_ONLY,
                                           .size = 4,
                                           .field_count = 1,
                                           .fields = &day_field,
                                           .name = "System.DateOnly"};
    static const struct shape element = {.kind = SHAPE_FRAMEWORK,
                                         .known = KNOWN_JSON_ELEMENT,
                                         .size = 16,
                                         .name = "System.Text.Json.JsonElement"};
    (void)state;
    MEETS("value.Key == 5 and value.Value == 6", key_value, ((const int32_t[]){5, 6}));
    IS(NO_MEMBER, "value.Keys == 5", key_value, ((const int32_t[]){5, 6}));
    MEETS("value.Item1 == 5 and value.Item2 == 6", tuple, ((const int32_t[]){5, 6}));
    MEETS("value == \"2000-01-01\"", date_only, &(int32_t){730119});
    IS(CLOSED, "value.Day == 1", date_only, &(int32_t){730119});
    IS(CLOSED, "value.name == null", element, ((const uint64_t[]){0, 0}));
    IS(CLOSED, "value[0] == 1", element, ((const uint64_t[]){0, 0}));
}

static void test_integers(void **state)
{
    bool is_signed;
    uint64_t bits;
    (void)state;
    assert_true(
        operand_integer(&(struct shaped_value){.shape = &int32, .value = &(int32_t){-2}, .size = 4},
                        &is_signed, &bits));
    assert_true(is_signed && bits == (uint64_t)-2);
    assert_true(
        operand_integer(&(struct shaped_value){.shape = &byte, .value = &(uint8_t){254}, .size = 1},
                        &is_signed, &bits));
    assert_true(!is_signed && bits == 254);
    assert_false(
        operand_integer(&(struct shaped_value){.shape = &int32, .value = &(int32_t){-2}, .size = 8},
                        &is_signed, &bits));
    assert_false(
        operand_integer(&(struct shaped_value){.shape = &int32, .size = 4}, &is_signed, &bits));
    assert_false(
        operand_integer(&(struct shaped_value){.shape = &real, .value = &(double){1}, .size = 8},
                        &is_signed, &bits));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),        cmocka_unit_test(test_references),
        cmocka_unit_test(test_structs),        cmocka_unit_test(test_further_members),
        cmocka_unit_test(test_wrapped),        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_collections),    cmocka_unit_test(test_framework_values),
        cmocka_unit_test(test_only_a_value),   cmocka_unit_test(test_entry),
        cmocka_unit_test(test_nothing),        cmocka_unit_test(test_exception),
        cmocka_unit_test(test_integers),       cmocka_unit_test(test_type_names),
        cmocka_unit_test(test_bases_of_kinds), cmocka_unit_test(test_long_tuples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
