/* Core libraries: they refer to nothing, an inspector is embedded into them with their own
 * TypeDefs, and some of their methods are never inspected. */
#include "tests/unit/embed_inspector.h"

/* After those of gi_core(). */
enum { OBJECT = 2, INT32 = 10, HELPERS, CACHE, UNSAFE, RUNTIME_HELPERS, OWN, CORE_TYPES = OWN };
enum { TO_STRING = 2, CAST = 5, KEY, AS, RAW, KNOWN, TEXT, NUMBER, CORE_METHODS = NUMBER };

static ilp_token returning(struct ib_image *b, const char *name, const char *signature)
{
    ilp_token method = ii_method(b, name, signature);
    ii_body(b, method, "0A 14 2A");
    return method;
}

static void core_with_methods(struct ib_image *b)
{
    gi_core(b, "mscorlib");
    ii_type(b, "System", "Int32", ILP_TOKEN(ILP_TypeDef, 3));
    ii_type(b, "System.Runtime.CompilerServices", "CastHelpers", ILP_TOKEN(ILP_TypeDef, OBJECT));
    returning(b, "Cast", "00 00 1C");
    ii_type(b, "", "Cache", ILP_TOKEN(ILP_TypeDef, OBJECT));
    returning(b, "Key", "00 00 08");
    IB_ROW(b, NestedClass, CACHE, HELPERS);
    ii_type(b, "Someones", "Unsafe", ILP_TOKEN(ILP_TypeDef, OBJECT));
    returning(b, "As", "00 00 1C");
    ii_type(b, "System.Runtime.CompilerServices", "RuntimeHelpers", ILP_TOKEN(ILP_TypeDef, OBJECT));
    returning(b, "GetObjectValue", "00 00 1C");
    returning(b, "IsKnownConstant", "00 00 02");
    ii_type(b, "N", "C", ILP_TOKEN(ILP_TypeDef, OBJECT));
    returning(b, "Text", "00 00 0E");
    ii_body(b, returning(b, "Number", "00 00 08"), "0A 16 2A");
}

static void begin_core(struct world *world)
{
    struct ib_image inspector;
    struct ib_image module;
    *world = (struct world){0};
    gi_inspector(&inspector);
    core_with_methods(&module);
    open_world(world, &inspector, &module);
}

struct answers {
    enum ilp_reason reasons[CORE_METHODS + 1];
    char details[CORE_METHODS + 1][240];
};

static ilp_status take(void *user, ilp_token method, const struct ilp_method_result *result,
                       struct ilp_error *error)
{
    struct answers *answers = user;
    (void)error;
    answers->reasons[ILP_TOKEN_RID(method)] = result->reason;
    memcpy(answers->details[ILP_TOKEN_RID(method)], result->detail, sizeof result->detail);
    return ILP_OK;
}

static void embedded_in_itself(void **state)
{
    struct world world;
    struct ilp_error error;
    struct ilp_arena *arena;
    struct ilp_body body;
    uint64_t offset;
    (void)state;
    begin_core(&world);
    struct ilp_edit *edit = open_edit(world.to);
    if (inspect(&world, world.to, edit, true, NULL, &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
    struct ilp_image *after = rewritten(edit, NULL);
    ilp_edit_close(edit);
    assert_int_equal(ilp_row_count(after, ILP_AssemblyRef), 0);
    assert_int_equal(ilp_row_count(after, ILP_TypeRef), 0);
    assert_int_equal(ilp_row_count(after, ILP_MemberRef), 2); /* of List<int32> and Show<int32> */
    assert_int_equal(ilp_cell(after, ILP_TypeDef, CORE_TYPES + 1, ILP_TypeDef_Extends),
                     ILP_TOKEN(ILP_TypeDef, OBJECT));
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    uint32_t rva = ilp_cell(after, ILP_MethodDef, CORE_METHODS + GI_MY_NAME, ILP_MethodDef_RVA);
    assert_int_equal(ilp_body_read(&body, ilp_image_rva(after, rva, &offset), offset, arena, NULL),
                     ILP_OK);
    assert_int_equal(ilpi_load_u32(body.code.data + 14), ILP_TOKEN(ILP_MethodDef, TO_STRING));
    /* System.Exception */
    assert_int_equal(body.clauses[0].token_or_filter, ILP_TOKEN(ILP_TypeDef, 5));
    rva = ilp_cell(after, ILP_MethodDef, NUMBER, ILP_MethodDef_RVA);
    assert_int_equal(ilp_body_read(&body, ilp_image_rva(after, rva, &offset), offset, arena, NULL),
                     ILP_OK);
    assert_int_equal(ilpi_load_u32(body.code.data + 3), ILP_TOKEN(ILP_TypeDef, INT32));
    ilp_arena_close(arena);
    close_built(after);
    close_world(&world);
}

static void never_inspected(void **state)
{
    static const enum ilp_reason expected[CORE_METHODS + 1] = {
        [CAST] = ILP_REASON_NEVER,      [KEY] = ILP_REASON_NEVER,   [AS] = ILP_REASON_INSPECTED,
        [RAW] = ILP_REASON_INSPECTED,   [KNOWN] = ILP_REASON_NEVER, [TEXT] = ILP_REASON_INSPECTED,
        [NUMBER] = ILP_REASON_INSPECTED};
    struct world world;
    struct answers answers;
    struct ilp_report report = {&answers, take};
    (void)state;
    begin_core(&world);
    assert_int_equal(inspect(&world, world.to, NULL, true, &report, NULL), ILP_OK);
    for (ilp_rid method = CAST; method <= CORE_METHODS; method++) {
        if (answers.reasons[method] != expected[method]) {
            fail_msg("method %u: %s", method, ilp_reason_code(answers.reasons[method]));
        }
        assert_int_equal(answers.details[method][0] != '\0', expected[method] == ILP_REASON_NEVER);
    }
    close_world(&world);
}

/* To query what would be inspected needs no place for the inspector; to do it does. */
static void without_embedding(void **state)
{
    struct world world;
    struct ilp_error error;
    (void)state;
    begin_core(&world);
    struct ilp_edit *edit = open_edit(world.to);
    assert_int_equal(inspect(&world, world.to, edit, false, NULL, &error), ILP_E_CORE_LIBRARY);
    assert_non_null(strstr(error.message, "--embed"));
    assert_true(ilp_edit_is_empty(edit));
    ilp_edit_close(edit);
    assert_int_equal(inspect(&world, world.to, NULL, false, NULL, &error), ILP_OK);
    close_world(&world);
}

/* A core library that lacks what the inspector needs, or a type to box by. */
static void missing(void **state)
{
    struct world world = {0};
    struct ib_image inspector;
    struct ib_image module;
    struct ilp_error error;
    struct answers answers;
    struct ilp_report report = {&answers, take};
    (void)state;
    gi_inspector(&inspector);
    core_with_methods(&module);
    ib_set(&module, ILP_TypeDef, 7, ILP_TypeDef_TypeName, ib_string(&module, "Surroundings"));
    open_world(&world, &inspector, &module);
    assert_int_equal(inspect(&world, world.to, NULL, true, NULL, &error), ILP_E_CANNOT_EMBED);
    assert_non_null(strstr(error.message, "does not offer System.Environment"));
    close_world(&world);

    world = (struct world){0};
    gi_inspector(&inspector);
    core_with_methods(&module);
    ib_set(&module, ILP_TypeDef, INT32, ILP_TypeDef_TypeName, ib_string(&module, "Int33"));
    open_world(&world, &inspector, &module);
    struct ilp_edit *edit = open_edit(world.to);
    assert_int_equal(inspect(&world, world.to, edit, true, &report, NULL), ILP_OK);
    assert_int_equal(answers.reasons[NUMBER], ILP_REASON_BAD_BODY);
    assert_non_null(strstr(answers.details[NUMBER], "System.Int32"));
    assert_int_equal(answers.reasons[TEXT], ILP_REASON_INSPECTED);
    ilp_edit_close(edit);
    close_world(&world);
}

static void each_allocation_fails(void **state)
{
    struct world world;
    (void)state;
    begin_core(&world);
    fail_each_allocation(&world);
    close_world(&world);
}

/* Elsewhere a class may have any name. */
static void other_libraries(void **state)
{
    struct world world;
    struct ib_image b;
    struct answers answers = {{0}, {{0}}};
    struct ilp_report report = {&answers, take};
    (void)state;
    begin(&world);
    ii_begin(&b, "Lib");
    ii_type(&b, "System.Runtime.CompilerServices", "Unsafe", II_OBJECT);
    returning(&b, "As", "00 00 1C");
    struct ilp_image *library = built_pe(&b, (struct ib_pe){0});
    assert_int_equal(inspect(&world, library, NULL, false, &report, NULL), ILP_OK);
    assert_int_equal(answers.reasons[1], ILP_REASON_INSPECTED);
    close_built(library);
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_in_itself),    cmocka_unit_test(never_inspected),
        cmocka_unit_test(without_embedding),     cmocka_unit_test(missing),
        cmocka_unit_test(each_allocation_fails), cmocka_unit_test(other_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
