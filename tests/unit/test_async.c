/* src/inspect/async/async.c: where the builder of an async method is, and which calls set the
 * result or the exception. That all of it runs is for tests/runtime/programs/async. */
#include "tests/unit/inspect_image.h"

#include "il/body.h"
#include "il/stack.h"
#include "inspect/async/async.h"

struct at_work {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
};

static void begin(struct at_work *work)
{
    ilpi_alloc_init(&work->alloc, NULL);
    work->arena = (struct ilp_arena){.alloc = &work->alloc};
}

static void end(struct at_work *work)
{
    ilpi_arena_free(&work->arena);
    assert_int_equal(work->alloc.used, 0);
}

#define MACHINE 3u /* its TypeDef row */

/* ---- the builder ---- */

/* Fields 1 to 4 of the machine are state, builder, source and a class's builder; field 5 is of
 * another type. MemberRef 1 is Start, MethodSpec 1 its instance; MemberRef 2 names field 2 of an
 * instance of the machine. */
#define FIELD(n) "0" #n " 00 00 04 "
#define START    "28 01 00 00 2B "

static const struct {
    const char *name;
    const char *code;
    ilp_rid builder;
} kickoffs[] = {
    {"address", "12 00 7C " FIELD(2) "12 00 " START "2A", 2},
    {"address, by callvirt", "12 00 7B " FIELD(4) "12 00 6F 01 00 00 2B 2A", 4},
    {"copy", "06 7B " FIELD(2) "0B 12 01 12 00 " START "2A", 2},
    {"other fields first", "12 00 7B " FIELD(1) "26 12 00 7C " FIELD(2) "12 00 " START "2A", 2},
    {"of an instance", "12 00 7C 02 00 00 0A 12 00 " START "2A", 2},
    {"stored is not loaded", "12 00 7C " FIELD(2) "12 00 06 7D " FIELD(1) "12 00 " START "2A", 2},
    {"no Start", "12 00 7C " FIELD(2) "2A", 0},
    {"not generic", "12 00 7C " FIELD(2) "12 00 28 01 00 00 0A 2A", 0},
    {"another name", "12 00 7C " FIELD(2) "12 00 28 02 00 00 2B 2A", 0},
    {"no field", "12 00 " START "2A", 0},
    {"of another type", "12 00 7C " FIELD(5) "12 00 " START "2A", 0},
    {"no such field", "12 00 7C " FIELD(9) "12 00 " START "2A", 0},
    {"no IL", "24 24", 0},
};

/* Calls in MoveNext, and the type that they set; NULL: none. */
#define CALL(member) "28 0" #member " 00 00 0A"
static const struct {
    const char *name;
    const char *code;
    ilp_rid builder;
    const char *type;
} results[] = {
    {"the builder's", CALL(3), 2, "08"},
    {"by callvirt", "6F 03 00 00 0A", 2, "08"},
    {"of a source with the same argument", CALL(4), 2, NULL},
    {"of the source, if it were the builder", CALL(4), 3, "08"},
    {"without a result", CALL(5), 2, NULL},
    {"SetException", CALL(6), 2, NULL},
    {"not generic", CALL(7), 4, "0E"},
    {"not generic, another's", CALL(7), 2, NULL},
    {"static", CALL(8), 2, NULL},
    {"newobj", "73 03 00 00 0A", 2, NULL},
    {"no such row", CALL(F), 2, NULL},
    {"a field that is no builder", CALL(3), 1, NULL},
};

/* The same for exceptions. */
static const struct {
    const char *name;
    const char *code;
    ilp_rid field;
    const char *type;
} exceptions[] = {
    {"the builder's", CALL(9), 2, "12 1D"},
    {"by callvirt", "6F 09 00 00 0A", 2, "12 1D"},
    {"of a source with the same argument", CALL(A), 2, NULL},
    {"of the source, if it were the builder", CALL(A), 3, "12 1D"},
    {"not generic", CALL(B), 4, "12 1D"},
    {"not generic, another's", CALL(B), 2, NULL},
    {"of another class", CALL(C), 2, NULL},
    {"of a type parameter", CALL(6), 2, NULL},
    {"static", CALL(D), 2, NULL},
    {"SetResult", CALL(3), 2, NULL},
    {"no such row", CALL(F), 2, NULL},
};

/* The last call is on the field or not. */
static const struct {
    const char *name;
    const char *code;
    bool on;
} on_field[] = {
    {"its address", "02 7C " FIELD(2) "06 " CALL(9), true},
    {"its value", "02 7B " FIELD(2) "06 " CALL(9), true},
    {"of an instance", "02 7C 02 00 00 0A 06 " CALL(9), true},
    {"another one", "02 7C " FIELD(1) "06 " CALL(9), false},
    {"of another type", "02 7C " FIELD(5) "06 " CALL(9), false},
    {"a local", "12 00 06 06 " CALL(9), false},
    {"a load that takes what is there", "02 7C " FIELD(2) "25 " CALL(9), false},
    {"a branch to the load", "2B 06 02 7C " FIELD(2) "06 " CALL(9), false},
    {"a branch to the call", "2B 07 02 7C " FIELD(2) "06 " CALL(9), false},
    {"nothing before", "06 " CALL(9), false},
};

static void add_field(struct ib_image *b, const char *name, const char *signature)
{
    IB_ROW(b, Field, 1, ib_string(b, name), ii_blob(b, signature));
}

static void add_members(struct ib_image *b)
{
    uint32_t set = ib_string(b, "SetResult");
    uint32_t takes_var = ii_blob(b, "20 01 01 13 00");
    ilp_token builder = ILP_TOKEN(
        ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 11 11 01 08"))); /* TypeRef 4<int> */
    ilp_token source = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 12 15 01 08")));
    ilp_token machine = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 11 0C 01 1C")));
    IB_ROW(b, MemberRef, builder, ib_string(b, "Start"), ii_blob(b, "30 01 01 01 10 1E 00"));
    IB_ROW(b, MemberRef, machine, ib_string(b, "builder"), ii_blob(b, "06 15 11 11 01 08"));
    IB_ROW(b, MemberRef, builder, set, takes_var);
    IB_ROW(b, MemberRef, source, set, takes_var);
    IB_ROW(b, MemberRef, builder, set, ii_blob(b, "20 00 01"));
    IB_ROW(b, MemberRef, builder, ib_string(b, "SetException"), takes_var);
    IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeRef, 6), set, ii_blob(b, "20 01 01 0E"));
    IB_ROW(b, MemberRef, builder, set, ii_blob(b, "00 01 01 13 00"));
    uint32_t throws = ib_string(b, "SetException");
    uint32_t takes_exception = ii_blob(b, "20 01 01 12 1D");
    IB_ROW(b, MemberRef, builder, throws, takes_exception);
    IB_ROW(b, MemberRef, source, throws, takes_exception);
    IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeRef, 6), throws, takes_exception);
    IB_ROW(b, MemberRef, builder, throws, ii_blob(b, "20 01 01 12 21"));
    IB_ROW(b, MemberRef, builder, throws, ii_blob(b, "00 01 01 12 1D"));
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MemberRef, 1), ii_blob(b, "0A 01 11 0C"));
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MemberRef, 3), ii_blob(b, "0A 01 11 0C"));
}

static struct ilp_image *machine_with(const char *kickoff)
{
    struct ib_image b;
    struct ii_hex code = ii_hex(kickoff);
    memmove(code.data + 1, code.data, code.size);
    code.data[0] = (uint8_t)(code.size << 2 | ILPI_BODY_TINY);
    ii_begin(&b, "App");
    ii_type_ref(&b, II_MSCORLIB, "N", "Builder`1"); /* TypeRef 4 */
    ii_type_ref(&b, II_MSCORLIB, "N", "Source`1");
    ii_type_ref(&b, II_MSCORLIB, "N", "Builder");
    ii_type_ref(&b, II_MSCORLIB, "System", "Exception");
    ii_type_ref(&b, II_MSCORLIB, "N", "Exception");
    ii_type(&b, "N", "Outer", II_OBJECT);
    ilp_token method = ii_method(&b, "M", "00 00 01");
    ib_data(&b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_RVA, code.data, code.size + 1);
    ii_type(&b, "", "Machine`1", II_VALUE_TYPE);
    add_field(&b, "state", "06 08");
    add_field(&b, "builder", "06 15 11 11 01 08");
    add_field(&b, "source", "06 15 12 15 01 08");
    add_field(&b, "class", "06 12 19");
    ii_type(&b, "", "Other", II_OBJECT);
    add_field(&b, "builder", "06 15 11 11 01 08");
    add_members(&b);
    return built_pe(&b, (struct ib_pe){0});
}

static void test_builder(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kickoffs); i++) {
        struct at_work work;
        struct ilp_image *image = machine_with(kickoffs[i].code);
        struct ilpi_budget budget = {1000};
        ilp_rid builder;
        begin(&work);
        struct ilpi_machine_type machine = {image, MACHINE, &work.arena, &budget};
        assert_int_equal(ilpi_async_builder(&machine, 1, &builder, NULL), ILP_OK);
        if (builder != kickoffs[i].builder) {
            fail_msg("%s: field %u", kickoffs[i].name, builder);
        }
        budget.left = 1;
        assert_int_equal(ilpi_async_builder(&machine, 1, &builder, NULL), ILP_E_TOO_LARGE);
        assert_int_equal(builder, 0);
        end(&work);
        close_built(image);
    }
}

static void decode(struct at_work *work, const char *hex, struct ilpi_code *code)
{
    struct ii_hex bytes = ii_hex(hex);
    begin(work);
    uint8_t *copy = ilpi_arena_copy(&work->arena, bytes.data, bytes.size);
    struct ilp_body body = {.code = {copy, bytes.size}};
    *code = (struct ilpi_code){.alloc = &work->alloc};
    assert_int_equal(ilpi_code_decode(code, &body, NULL), ILP_OK);
}

static void expect_type(const char *name, struct ilp_bytes type, const char *expected)
{
    struct ii_hex wanted = ii_hex(expected ? expected : "");
    if (type.size != wanted.size ||
        (type.size != 0 && memcmp(type.data, wanted.data, type.size) != 0)) {
        fail_msg("%s: %zu bytes", name, type.size);
    }
}

static void test_result(void **state)
{
    (void)state;
    struct ilp_image *image = machine_with("2A");
    for (size_t i = 0; i < COUNT(results); i++) {
        struct at_work work;
        struct ilpi_code code;
        decode(&work, results[i].code, &code);
        struct ilpi_machine_type machine = {image, MACHINE, &work.arena, NULL};
        struct ilp_bytes type;
        assert_int_equal(
            ilpi_async_result_type(&machine, &code, code.insns, results[i].builder, &type, NULL),
            ILP_OK);
        expect_type(results[i].name, type, results[i].type);
        ilpi_code_free(&code);
        end(&work);
    }
    close_built(image);
}

static void test_exception(void **state)
{
    (void)state;
    struct ilp_image *image = machine_with("2A");
    for (size_t i = 0; i < COUNT(exceptions); i++) {
        struct at_work work;
        struct ilpi_code code;
        decode(&work, exceptions[i].code, &code);
        struct ilpi_machine_type machine = {image, MACHINE, &work.arena, NULL};
        struct ilp_bytes type;
        assert_int_equal(ilpi_async_exception_type(&machine, &code, code.insns, exceptions[i].field,
                                                   &type, NULL),
                         ILP_OK);
        expect_type(exceptions[i].name, type, exceptions[i].type);
        ilpi_code_free(&code);
        end(&work);
    }
    close_built(image);
}

static void test_on_field(void **state)
{
    (void)state;
    struct ilp_image *image = machine_with("2A");
    for (size_t i = 0; i < COUNT(on_field); i++) {
        struct at_work work;
        struct ilpi_code code;
        bool on;
        decode(&work, on_field[i].code, &code);
        struct ilpi_machine_type machine = {image, MACHINE, &work.arena, NULL};
        assert_int_equal(
            ilpi_async_is_on_field(&machine, &code, (uint32_t)code.count - 1, 2, &on, NULL),
            ILP_OK);
        if (on != on_field[i].on) {
            fail_msg("%s: %d", on_field[i].name, on);
        }
        ilpi_code_free(&code);
        end(&work);
    }
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_result),
        cmocka_unit_test(test_exception),
        cmocka_unit_test(test_on_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
