/* From what a runtime says of a type to the shape of its values: what src/values/known.c knows of
 * the framework's types, boxed values, enums, structs and arrays. Classes of the program are in
 * test_object_build.c. */
#include "tests/unit/object_test.h"

/* ---- types of the framework ---- */

static void test_collections(void **state)
{
    struct chain chain;
    (void)state;
    const struct shape *shape = built(GENERIC "List`1 System.Object");
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_LIST);
    has_fields(shape, "_items@0 _size@16");
    assert_string_equal(shape->fields[0].shape->name, "System.Int32[]");
    assert_string_equal(shape->name, "System.Collections.Generic.List`1[System.Int32]");
    shape = built("N.AppList " GENERIC "List`1 System.Object");
    assert_int_equal(shape->known, KNOWN_LIST); /* what is derived from it is shown alike */
    has_fields(shape, "_items@0 _size@16");
    assert_string_equal(shape->short_name, "AppList");
    shape = built(GENERIC "Queue`1 System.Object"); /* as the writer takes them */
    assert_int_equal(shape->known, KNOWN_QUEUE);
    has_fields(shape, "_array@0 _size@48 _head@16");
    is_hidden(built(GENERIC "Stack`1 System.Object"));   /* _size is static */
    is_hidden(built(GENERIC "HashSet`1 System.Object")); /* _entries is no reference */
    assert_int_equal(built(GENERIC "Queue`2 System.Object")->kind, SHAPE_CLASS);
    say(&chain, GENERIC "List`1 System.Object", "08", "0E");
    chain.places[0][1].offset = chain.size;
    is_hidden(build(&chain));
}

static void test_tuples(void **state)
{
    struct chain chain;
    (void)state;
    const struct shape *shape = built("System.Tuple`2 System.Object");
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_TUPLE);
    has_fields(shape, "m_Item1@0 m_Item2@16");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_SIGNED);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_STRING);
    say(&chain, "System.Tuple`2 System.Object", "08", "0E");
    chain.classes[0].field_count = 1;
    is_hidden(build(&chain));
}

/* A state machine that is a task is a task to a reader. */
static void test_tasks(void **state)
{
    (void)state;
    const struct shape *shape = built(TASKS "Task System.Object");
    assert_int_equal(shape->known, KNOWN_TASK);
    has_fields(shape, "m_stateFlags@0 m_contingentProperties@32");
    shape = built("N.MyTask " TASKS "Task`1 " TASKS "Task System.Object");
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_TASK);
    has_fields(shape, "m_stateFlags@0 m_contingentProperties@32 m_result@48");
    assert_string_equal(shape->short_name, "Task");
    assert_string_equal(shape->name, "N.MyTask");
}

/* Under other names, and without the fields that say nothing; or like other classes, where a
 * runtime has other fields. */
static void test_chosen_fields(void **state)
{
    (void)state;
    const struct shape *shape = built("System.Text.RegularExpressions.Regex System.Object");
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_FIELDS);
    has_fields(shape, "Pattern@32 Options@0");
    shape = built("System.Net.Http.HttpMethod System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "verb@0");
}

/* In the form that a runtime has. */
static void test_older_fields(void **state)
{
    static const char name[] = "System.Threading.AsyncLocalValueMap+TwoElementAsyncLocalValueMap";
    (void)state;
    const struct framework_type *type = known_find(find(name));
    assert_string_equal(type->fields, "*_item0 *_item1");
    type = known_older(type);
    assert_string_equal(type->fields, "r_key1 r_value1 r_key2 r_value2");
    assert_null(known_older(type));
    const struct shape *shape = built(text_of("%s System.Object", name));
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_OPAQUE);
    has_fields(shape, "_key1@0 _value1@32 _key2@16 _value2@48");
}

static void test_known_types(void **state)
{
    static const struct {
        const char *type;
        enum known_kind kind;
    } known[] = {{GENERIC "List`1", KNOWN_LIST},    {GENERIC "Queue`1", KNOWN_QUEUE},
                 {GENERIC "Stack`1", KNOWN_LIST},   {TASKS "Task`1", KNOWN_TASK},
                 {"System.Tuple`2", KNOWN_TUPLE},   {"System.ValueTuple`2", KNOWN_TUPLE},
                 {"System.Span`1", KNOWN_SPAN},     {"System.ArraySegment`1", KNOWN_SEGMENT},
                 {GENERIC "HashSet`1", KNOWN_TABLE}};
    static const char *const unknown[] = {"System.Object", "System.Exception", "N.Person",
                                          "N.AppList", "System.Collections.Generic.Queue`2"};
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        const struct framework_type *type = known_find(find(known[i].type));
        assert_non_null(type);
        assert_int_equal(type->kind, known[i].kind);
    }
    for (size_t i = 0; i < COUNT(unknown); i++) {
        assert_null(known_find(find(unknown[i])));
    }
    /* a nested type by what it is in */
    struct ilpi_type_def own = {world.core, find(TASKS "Task").rid};
    own.rid = ilpi_find_type(world.core, own.rid, "", "ContingentProperties");
    assert_int_equal(known_find(own)->kind, KNOWN_LINK);
    assert_null(known_find(find("ContingentProperties")));
}

static void test_known_fields(void **state)
{
    struct known_field field;
    const char *rest = "r_items ix=Number *tree@";
    (void)state;
    rest = known_next_field(rest, &field);
    assert_int_equal(field.what, 'r');
    assert_string_equal(field.name, "_items");
    assert_int_equal(field.shown_size, 0);
    assert_true(known_has_name(&field, "_items"));
    assert_false(known_has_name(&field, "_items2"));
    rest = known_next_field(rest, &field);
    assert_int_equal(field.what, 'i');
    assert_string_equal(field.name, "x");
    assert_int_equal(field.shown_size, 6);
    assert_memory_equal(field.shown, "Number", 6);
    rest = known_next_field(rest, &field);
    assert_string_equal(field.name, "tree@");
    assert_true(known_has_name(&field, "tree@690"));
    assert_false(known_has_name(&field, "tree"));
    assert_null(known_next_field(rest, &field));
    assert_null(known_next_field("r", &field));
    assert_null(known_next_field("r=Name", &field));
    char name[sizeof field.name + 2] = "r";
    memset(name + 1, 'n', sizeof field.name - 1);
    assert_non_null(known_next_field(name, &field));
    assert_string_equal(field.name, name + 1);
    name[sizeof field.name] = 'n';
    assert_null(known_next_field(name, &field));
}

/* What each letter of known.def means. */
static void test_right_fields(void **state)
{
    static const struct {
        enum shape_kind kind;
        uint32_t size;
        const char *right;
    } fields[] = {
        {SHAPE_STRING, sizeof(void *), "r"},
        {SHAPE_OBJECT, sizeof(void *), "r"},
        {SHAPE_ARRAY, sizeof(void *), "r"},
        {SHAPE_POINTER, sizeof(void *), "p"},
        {SHAPE_SIGNED, 4, "i"},
        {SHAPE_UNSIGNED, 4, "i"},
        {SHAPE_SIGNED, 2, "s"},
        {SHAPE_UNSIGNED, 2, "s"},
        {SHAPE_SIGNED, 8, "l"},
        {SHAPE_UNSIGNED, 8, "l"},
        {SHAPE_DATE_TIME, 8, "l"},
        {SHAPE_ADDRESS, 8, "l"},
        {SHAPE_ADDRESS, 4, ""},
        {SHAPE_SINGLE, 4, ""},
        {SHAPE_DOUBLE, 8, ""},
        {SHAPE_BYTES, 4, ""},
        {SHAPE_SIGNED, 1, ""},
        {SHAPE_CHAR, 2, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct shape shape = {.kind = fields[i].kind, .size = fields[i].size};
        for (const char *what = "rpisl"; *what; what++) {
            bool right = strchr(fields[i].right, *what) != NULL;
            if (known_is_right(&shape, *what) != right) {
                fail_msg("kind %d of %u bytes, %c", fields[i].kind, fields[i].size, *what);
            }
        }
        assert_true(known_is_right(&shape, '*'));
    }
}

/* ---- boxed values ---- */

static const struct shape *boxed(const char *type, uint32_t size)
{
    struct chain chain;
    say(&chain, type, "08", "0E");
    chain.size = FIRST + size;
    return build(&chain);
}

static void test_boxed(void **state)
{
    (void)state;
    const struct shape *shape = boxed("N.Point", 8);
    assert_int_equal(shape->kind, SHAPE_STRUCT);
    assert_int_equal(shape->size, 8);
    assert_false(shape->is_class);
    assert_int_equal(shape->field_count, 2);
    assert_string_equal(shape->fields[1].name, "Y");
    assert_int_equal(shape->fields[1].offset, 4); /* from the value's beginning */
    assert_string_equal(shape->name, "N.Point");
    assert_int_equal(boxed("N.Point", 16)->kind, SHAPE_STRUCT); /* rounded up */
    assert_int_equal(boxed("System.Guid", 16)->kind, SHAPE_GUID);
    is_hidden(boxed("N.Point", 7));
    shape = boxed("N.Odd", 64);
    is_hidden(shape);
    assert_false(shape->is_class);
    assert_string_equal(shape->short_name, "");
    assert_string_equal(shape->name, "N.Odd");
}

static void test_boxed_known(void **state)
{
    (void)state;
    const struct shape *shape = boxed("System.ValueTuple`2", 2 * sizeof(void *));
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_TUPLE);
    assert_int_equal(shape->field_count, 2);
    shape = boxed("System.ArraySegment`1", sizeof(void *) + 8);
    assert_int_equal(shape->known, KNOWN_SEGMENT);
    assert_int_equal(shape->field_count, 3); /* as the writer takes them */
    assert_string_equal(shape->fields[0].name, "_array");
    assert_string_equal(shape->fields[1].name, "_count");
    assert_int_equal(shape->fields[1].offset, sizeof(void *) + 4);
    assert_string_equal(shape->fields[2].name, "_offset");
    assert_int_equal(boxed("System.Index", 8)->kind, SHAPE_HIDDEN); /* not of 4 bytes */
}

static const char *member(const struct shape *shape, uint64_t bits)
{
    static char text[100];
    struct line line;
    line_begin(&line, text, sizeof text - 1);
    line_part(&line, sizeof text);
    bool put = enum_put(&line, shape->members, bits);
    text[line.size] = '\0';
    assert_true(put || line.size == 0);
    return put ? text : NULL;
}

static void test_enums(void **state)
{
    uint64_t bits = 7;
    (void)state;
    const struct shape *shape = boxed("N.Color", 1);
    assert_int_equal(shape->kind, SHAPE_ENUM);
    assert_int_equal(shape->inner->kind, SHAPE_SIGNED);
    assert_string_equal(shape->name, "N.Color");
    assert_string_equal(member(shape, 1), "Red");
    assert_string_equal(member(shape, UINT64_MAX), "Green"); /* -1 */
    assert_null(member(shape, 3));
    assert_null(member(shape, 0xFF));
    assert_true(enum_find(shape->members, "Green", &bits));
    assert_true(bits == UINT64_MAX);
    assert_false(enum_find(shape->members, "Fixed", &bits));
    assert_false(enum_find(shape->members, "Private", &bits));
    assert_false(enum_find(shape->members, "value__", &bits));
}

static void test_flags(void **state)
{
    uint64_t bits = 7;
    (void)state;
    const struct shape *shape = boxed("N.Rights", 4);
    assert_string_equal(member(shape, 0), "None");
    assert_string_equal(member(shape, 3), "Both");
    assert_string_equal(member(shape, 0x80000000), "All"); /* unsigned */
    assert_string_equal(member(shape, 0x80000001), "Read, All");
    assert_string_equal(member(shape, 9), "Read, 0x8");
    assert_null(member(shape, 8));
    assert_true(enum_find(shape->members, "Cut", &bits));
    assert_int_equal(bits, 0);
}

/* ---- values ---- */

static const struct shape *value_of(struct ilp_image *image, const char *type)
{
    const struct shape *shape;
    const struct shape_source source = {.image = image,
                                        .type = type_of_text(type),
                                        .resolver = &world.resolver,
                                        .arena = world.arena};
    assert_int_equal(shape_build(&shape, &source, NULL), ILP_OK);
    return shape;
}

static const char *core_instance(const char *type, unsigned count, const char *arguments)
{
    return instance(ILP_TOKEN(ILP_TypeDef, find(type).rid), count, arguments);
}

static void test_values(void **state)
{
    (void)state;
    const struct shape *shape = value_of(world.core, core_instance("System.Span`1", 1, "03"));
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_SPAN);
    assert_int_equal(shape->inner->kind, SHAPE_CHAR);
    shape = value_of(world.core, core_instance("System.Nullable`1", 1, "08"));
    assert_int_equal(shape->kind, SHAPE_NULLABLE);
    assert_string_equal(shape->name, "System.Int32");
    assert_int_equal(shape_size(shape), 8);
    assert_false(shape_has_references(shape));
    shape = value_of(world.core, "10 08");
    assert_int_equal(shape->kind, SHAPE_BYREF);
    assert_int_equal(shape->inner->kind, SHAPE_SIGNED);
    assert_true(shape_has_references(value_of(world.core, "0E")));
    assert_true(shape_has_references(value_of(world.app, world.gone))); /* for all we know */
}

/* Which of the references is there only the program knows: nothing that they lead to is read. */
static void test_overlaid(void **state)
{
    (void)state;
    const struct shape *shape = value_of(world.app, world.overlaid);
    assert_int_equal(shape->kind, SHAPE_STRUCT);
    assert_int_equal(shape->field_count, 3);
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_OBJECT);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_OBJECT);
    assert_int_equal(shape->fields[2].shape->kind, SHAPE_SIGNED);
    shape = value_of(world.app, world.both);
    assert_int_equal(shape->kind, SHAPE_STRUCT);
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_OBJECT);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_BYTES);
}

/* ---- arrays ---- */

static const struct shape *array(const char *element, uint32_t size)
{
    const struct shape *shape;
    assert_int_equal(try_array(text_of("1D %s", element), element, size, 0, world.arena, &shape),
                     ILP_OK);
    assert_int_equal(shape->kind, SHAPE_ELEMENTS);
    assert_true(shape->is_class && shape->references);
    assert_int_equal(shape->inner->size, size); /* whatever they are, they are counted by that */
    return shape;
}

static void test_arrays(void **state)
{
    (void)state;
    const struct shape *shape = array("08", 4);
    assert_int_equal(shape->inner->kind, SHAPE_SIGNED);
    assert_int_equal(shape->rank, 0);
    assert_int_equal(shape->data, 2 * sizeof(void *));
    assert_string_equal(shape->name, "System.Int32[]");
    assert_int_equal(array("0E", sizeof(void *))->inner->kind, SHAPE_STRING);
    assert_int_equal(try_array("14 08 02 00 00", "08", 4, 2, world.arena, &shape), ILP_OK);
    assert_int_equal(shape->rank, 2);
    assert_int_equal(shape->data, 2 * sizeof(void *) + 16);
    assert_string_equal(shape->name, "System.Int32[,]");
    assert_int_equal(array("08", 8)->inner->kind, SHAPE_HIDDEN); /* the runtime says otherwise */
    shape = array(world.gone, 24);
    assert_int_equal(shape->inner->kind, SHAPE_HIDDEN);
    assert_string_equal(shape->name, "G.Gone[]");
    shape = array("0F 01", sizeof(void *));
    assert_int_equal(shape->inner->kind, SHAPE_POINTER);
    assert_null(shape->name); /* to what is not known */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collections),  cmocka_unit_test(test_tuples),
        cmocka_unit_test(test_tasks),        cmocka_unit_test(test_older_fields),
        cmocka_unit_test(test_known_types),  cmocka_unit_test(test_chosen_fields),
        cmocka_unit_test(test_known_fields), cmocka_unit_test(test_right_fields),
        cmocka_unit_test(test_boxed),        cmocka_unit_test(test_boxed_known),
        cmocka_unit_test(test_enums),        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_values),       cmocka_unit_test(test_overlaid),
        cmocka_unit_test(test_arrays),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
