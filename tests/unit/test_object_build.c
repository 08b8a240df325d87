/* From what a runtime says of a class to the shape of its objects: classes and exceptions of the
 * program, and memory that runs out (src/values/object.c). Framework types and values are in
 * test_object_values.c, what shapes look like as text is in test_shape_objects.c. */
#include "tests/unit/object_test.h"

#include "base/alloc.h"

/* ---- classes ---- */

static void test_classes(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Student N.Person System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    assert_true(shape->is_class && shape->references && !shape->more);
    assert_int_equal(shape->size, FIRST + 3 * STEP);
    has_fields(shape, "Name@0 _age@16 Grade@32");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_STRING);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_SIGNED);
    assert_int_equal(shape->fields[2].shape->kind, SHAPE_DOUBLE);
    assert_string_equal(shape->name, "N.Student");
    assert_string_equal(shape->short_name, "Student");
    assert_int_equal(shape->base_count, 2);
    assert_string_equal(shape->bases[0], "N.Person");
    assert_string_equal(shape->bases[1], "System.Object");
    shape = built("N.Empty System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "");
}

/* By their names, and those of the type and of what it is derived from. */
static void test_secrets(void **state)
{
    struct redaction *redaction;
    (void)state;
    assert_int_equal(redaction_open(&redaction, false, NULL, NULL), ILP_OK);
    assert_int_equal(redaction_add(redaction, "age,type:N.Student", NULL), ILP_OK);
    world.redaction = redaction;
    const struct shape *shape = built("N.Student N.Person System.Object");
    assert_true(shape->secret);
    assert_int_equal(shape->fields[0].secrecy, SECRECY_NONE);
    assert_int_equal(shape->fields[1].secrecy, SECRECY_ALL);
    assert_false(built("N.Person System.Object")->secret);
    assert_int_equal(redaction_add(redaction, "message,type:N.Person", NULL), ILP_OK);
    assert_true(built("N.Student N.Person System.Object")->secret);
    assert_int_equal(built("System.Exception System.Object")->fields[0].secrecy, SECRECY_ALL);
    world.redaction = NULL;
    redaction_close(redaction);
}

static void test_generic_classes(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Box`1 System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "held@0");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_SIGNED);
    assert_string_equal(shape->name, "N.Box`1[System.Int32]");
    assert_string_equal(shape->short_name, "Box");
    shape = built("<>f__AnonymousType0`1 System.Object");
    has_fields(shape, "Id@0");
    assert_string_equal(shape->short_name, "");
}

/* "Fields that classes of the core library have are left out", and objects of these are hidden. */
static void test_core_classes(void **state)
{
    (void)state;
    const struct shape *shape = built("System.Object");
    assert_int_equal(shape->kind, SHAPE_ROOT);
    assert_int_equal(shape->base_count, 0);
    assert_int_equal(built("System.String System.Object")->kind, SHAPE_CLASS); /* the program's */
    shape = built("N.MyArgs System.EventArgs System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "Line@16");
    shape = built("System.Threading.Thread System.Object");
    is_hidden(shape);
    assert_string_equal(shape->short_name, "Thread");
    shape = built("System.Func`1 System.Delegate System.Object");
    is_hidden(shape);
    assert_string_equal(shape->short_name, "Func");
    is_hidden(built("N.Callback System.Func`1 System.Delegate System.Object"));
    is_hidden(built("System.Threading.Thread")); /* derived from nothing that is known */
}

static void test_string(void **state)
{
    struct chain chain;
    (void)state;
    say(&chain, "System.Threading.Thread System.Object", "08", "0E");
    chain.classes[0].def.rid = ilpi_find_type(world.core, 0, "System", "String");
    assert_int_equal(build(&chain)->kind, SHAPE_STRING);
}

static void test_many_fields(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Sixteen System.Object");
    assert_int_equal(shape->field_count, 16);
    assert_false(shape->more);
    shape = built("N.Seventeen System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    assert_int_equal(shape->field_count, 16);
    assert_true(shape->more);
    assert_string_equal(shape->fields[15].name, "f15");
    assert_int_equal(shape->further_count, 1); /* for conditions */
    assert_string_equal(shape->fields[16].name, "f16");
    assert_false(shape->partial);
}

/* Fail closed: one field that is not where an object has its fields, and nothing is shown. */
static void test_misplaced_fields(void **state)
{
    static const char *const student = "N.Student N.Person System.Object";
    struct chain chain;
    (void)state;
    say(&chain, student, "08", "0E");
    chain.places[0][0].offset = chain.size - 8; /* just fits */
    assert_int_equal(build(&chain)->kind, SHAPE_CLASS);
    chain.places[0][0].offset++;
    is_hidden(build(&chain));
    chain.places[0][0].offset = chain.size + 1;
    is_hidden(build(&chain));
    chain.places[0][0].offset = 0xFFFFFFFF;
    is_hidden(build(&chain));
    chain.places[0][0].offset = FIRST - 1; /* upon the object's type */
    is_hidden(build(&chain));
    say(&chain, student, "08", "0E");
    chain.classes[1].field_count--; /* without a place */
    is_hidden(build(&chain));
    is_hidden(built("N.Broken System.Object"));
}

/* How long a field is that cannot be found is not known; the others are shown. */
static void test_unknown_field(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Strange System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "unknown@0 known@16");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_HIDDEN);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_SIGNED);
}

/* ---- exceptions ---- */

static void test_exceptions(void **state)
{
    static const char *const classes =
        "N.AppException System.SystemException System.Exception System.Object";
    struct chain chain;
    (void)state;
    const struct shape *shape = built(classes);
    assert_int_equal(shape->kind, SHAPE_EXCEPTION);
    has_fields(shape, "Message@16 InnerException@32 Code@80");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_STRING);
    assert_string_equal(shape->short_name, "AppException");
    shape = built("System.Exception System.Object");
    assert_int_equal(shape->kind, SHAPE_EXCEPTION);
    has_fields(shape, "Message@16 InnerException@32");
    for (uint32_t missing = 1; missing < 3; missing++) {
        say(&chain, classes, "08", "0E");
        chain.places[2][missing].field = 0;
        is_hidden(build(&chain));
    }
    say(&chain, classes, "08", "0E");
    chain.places[0][0].offset = 0;
    is_hidden(build(&chain));
}

/* ---- memory ---- */

enum { CHUNK = 16 * 1024, MOST = 2048 };

/* With `left` bytes in the arena's first chunk, or about, and the n-th allocation failing. */
static ilp_status build_short(const struct chain *chain, size_t left, size_t n)
{
    struct memory memory = {.fail_at = 0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilp_arena *arena;
    const struct shape *shape;
    assert_int_equal(ilp_arena_open(&arena, &allocator, NULL), ILP_OK);
    assert_non_null(ilpi_arena_alloc(arena, CHUNK - left));
    memory.fail_at = memory.calls + n;
    ilp_status status = chain ? try_build(chain, arena, &shape)
                              : try_array("1D 08", "08", 8, 0, arena, &shape);
    ilp_arena_close(arena);
    memory_is_empty(&memory);
    return status;
}

/* What cannot be had is an error, wherever the arena's chunk ends. */
static unsigned count_failures(const struct chain *chain)
{
    unsigned failures = 0;
    for (size_t left = 0; left < MOST; left += 16) {
        ilp_status status;
        for (size_t n = 1; (status = build_short(chain, left, n)) != ILP_OK; n++) {
            assert_int_equal(ilp_status_class(status), ILP_CLASS_MEMORY);
            assert_true(n < 100);
            failures++;
        }
    }
    return failures;
}

static void test_memory(void **state)
{
    static const char *const classes[] = {"N.Student N.Person System.Object",
                                          "N.AppException System.Exception System.Object",
                                          "System.Collections.Generic.List`1 System.Object",
                                          "System.Tuple`2 System.Object", "N.Rights"};
    (void)state;
    for (size_t i = 0; i < COUNT(classes); i++) {
        struct chain chain;
        say(&chain, classes[i], "08", "0E");
        assert_true(count_failures(&chain) >= MOST / 16); /* a name at least, each time */
    }
    assert_true(count_failures(NULL) >= MOST / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),          cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_generic_classes),  cmocka_unit_test(test_core_classes),
        cmocka_unit_test(test_string),           cmocka_unit_test(test_many_fields),
        cmocka_unit_test(test_misplaced_fields), cmocka_unit_test(test_unknown_field),
        cmocka_unit_test(test_exceptions),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
