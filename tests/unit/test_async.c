/* src/inspect/async.c: which MoveNext belongs to which async method, where its builder is, and
 * which calls set the result. That all of it runs is for tests/runtime/programs/async. */
#include "tests/unit/inspect_image.h"

#include "il/body.h"
#include "inspect/async.h"

struct at_work {
    struct ilpi_heap heap;
    struct ilp_arena arena;
};

static void begin(struct at_work *work)
{
    ilpi_heap_init(&work->heap, NULL);
    work->arena = (struct ilp_arena){.heap = &work->heap};
}

static void end(struct at_work *work)
{
    ilpi_arena_free(&work->arena);
    assert_int_equal(work->heap.used, 0);
}

/* ---- which MoveNext ---- */

#define OUTER   2u /* TypeDef rows, in the order in which they are made */
#define MACHINE 3u

/* An attribute with this text on method 1, in a module where N.Outer has a nested type of that
 * name. */
static const struct {
    const char *text, *machine, *move_next, *attribute;
    bool found;
} names[] = {
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", true},
    {"N.Outer+<M>d__0, App, Version=1.0.0.0", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute",
     true},
    {"N.Outer+<M>d__0", "<M>d__0", "System.Runtime.IAsyncStateMachine.MoveNext",
     "AsyncStateMachineAttribute", true},
    {"N.Outer+<I<int\\[\\]\\,N-T>-M>d__0", "<I<int[],N-T>-M>d__0", "MoveNext",
     "AsyncStateMachineAttribute", true},
    {"N.Outer+a\\+b\\\\c", "a+b\\c", "MoveNext", "AsyncStateMachineAttribute", true},
    {"N.Outer+a.b", "a.b", "MoveNext", "AsyncStateMachineAttribute", true},
    {"N.Outer+M\\", "M\\", "MoveNext", "AsyncStateMachineAttribute", true}, /* marks nothing */
    {"N.Outer+a+b", "a+b", "MoveNext", "AsyncStateMachineAttribute", false},
    {"N.Outer+<M>d__1", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", false},
    {"<M>d__0", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", false},
    {"", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", false},
    {"N.Outer+", "<M>d__0", "MoveNext", "AsyncStateMachineAttribute", false},
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNextAsync", "AsyncStateMachineAttribute", false},
    {"N.Outer+<M>d__0", "<M>d__0", "MoveNext", "AsyncIteratorStateMachineAttribute", false},
};

static struct ilp_image *named_machine(const char *text, size_t cut, size_t i)
{
    struct ib_image b;
    uint8_t blob[5000] = {1, 0};
    struct ib_bytes packed = {.data = NULL};
    ii_begin(&b, "App");
    ilp_token attribute =
        ii_type_ref(&b, II_MSCORLIB, "System.Runtime.CompilerServices", names[i].attribute);
    ii_type(&b, "N", "Outer", II_OBJECT);
    ii_method(&b, "M", "00 00 01");
    ii_type(&b, "", names[i].machine, II_OBJECT);
    ii_method(&b, "Other", "20 00 01");
    ii_method(&b, names[i].move_next, "20 00 01");
    IB_ROW(&b, NestedClass, MACHINE, OUTER);
    ilp_rid constructor =
        IB_ROW(&b, MemberRef, attribute, ib_string(&b, ".ctor"), ii_blob(&b, "20 00 01"));
    ib_packed(&packed, (uint32_t)strlen(text));
    size_t size = 2 + packed.size + strlen(text) + 2;
    assert_true(size <= sizeof blob);
    memcpy(blob + 2, packed.data, packed.size);
    memcpy(blob + 2 + packed.size, text, strlen(text));
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_MethodDef, 1), ILP_TOKEN(ILP_MemberRef, constructor),
           ib_blob(&b, blob, cut < size ? cut : size));
    ib_free(&packed);
    return built_root(&b);
}

static bool finds(struct ilp_image *image)
{
    struct at_work work;
    struct ilpi_async async = {NULL, NULL};
    begin(&work);
    assert_int_equal(ilpi_async_find(image, &work.arena, &async, NULL), ILP_OK);
    bool found = async.kickoff_of[3] == 1;
    assert_int_equal(async.move_next_of[1], found ? 3 : 0);
    assert_int_equal(async.kickoff_of[1] + async.kickoff_of[2], 0);
    assert_int_equal(async.move_next_of[2] + async.move_next_of[3], 0);
    end(&work);
    return found;
}

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_image *image = named_machine(names[i].text, SIZE_MAX, i);
        if (finds(image) != names[i].found) {
            fail_msg("%s is%s found", names[i].text, names[i].found ? " not" : "");
        }
        close_built(image);
    }
}

/* A blob that ends early, and names that are longer than any. */
static void test_bad_names(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 2 + 1 + 15; cut++) {
        struct ilp_image *image = named_machine(names[0].text, cut, 0);
        assert_false(finds(image));
        close_built(image);
    }
    char text[4000];
    memset(text, 'x', sizeof text);
    memcpy(text, "N.Outer+", 8);
    for (size_t length = 2040; length < 2070; length++) {
        text[length] = '\0';
        struct ilp_image *image = named_machine(text, SIZE_MAX, 0);
        assert_false(finds(image));
        close_built(image);
        text[length] = 'x';
    }
}

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
    {"no such row", CALL(9), 2, NULL},
    {"a field that is no builder", CALL(3), 1, NULL},
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
        assert_int_equal(
            ilpi_async_builder(image, 1, MACHINE, &work.arena, &budget, &builder, NULL), ILP_OK);
        if (builder != kickoffs[i].builder) {
            fail_msg("%s: field %u", kickoffs[i].name, builder);
        }
        budget.left = 1;
        assert_int_equal(
            ilpi_async_builder(image, 1, MACHINE, &work.arena, &budget, &builder, NULL),
            ILP_E_TOO_LARGE);
        assert_int_equal(builder, 0);
        end(&work);
        close_built(image);
    }
}

static void test_result(void **state)
{
    (void)state;
    struct ilp_image *image = machine_with("2A");
    for (size_t i = 0; i < COUNT(results); i++) {
        struct at_work work;
        begin(&work);
        struct ilpi_code code = {.heap = &work.heap};
        struct ii_hex bytes = ii_hex(results[i].code);
        struct ilp_body body = {.code = {bytes.data, bytes.size}};
        assert_int_equal(ilpi_code_decode(&code, &body, NULL), ILP_OK);
        struct ilp_bytes type =
            ilpi_async_result_type(image, &code, code.insns, results[i].builder, &work.arena);
        struct ii_hex wanted = ii_hex(results[i].type ? results[i].type : "");
        if (type.size != wanted.size ||
            (type.size != 0 && memcmp(type.data, wanted.data, type.size) != 0)) {
            fail_msg("%s: %zu bytes", results[i].name, type.size);
        }
        ilpi_code_free(&code);
        end(&work);
    }
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
