/* src/inspect/async/kept_arguments.c: which fields of a state machine hold the arguments of the
 * kickoff method until MoveNext ends. What compilers make is for tests/runtime/async_arguments. */
#include "tests/unit/inspect_image.h"

#include "il/body.h"
#include "inspect/async/kept_arguments.h"
#include "types/call_shape.h"

#define KICKOFF   1u
#define MOVE_NEXT 2u
#define MACHINE   3u /* its TypeDef row */

/* Fields 1 to 5 of the machine are state, builder, a, b and self; field 6 is of another type. */
#define FIELD(n)    "0" #n " 00 00 04 "
#define LOAD(n)     "7B " FIELD(n)
#define ADDRESS(n)  "7C " FIELD(n)
#define STORE(n)    "7D " FIELD(n)
#define CALL(n)     "28 0" #n " 00 00 0A "
#define CALLVIRT(n) "6F 0" #n " 00 00 0A "

/* MemberRefs: an instance method without parameters, a static one by reference, an instance one
 * with a parameter, one with a reference; field a of an instance of the machine. */
static void add_members(struct ib_image *b)
{
    static const char *const methods[] = {"20 00 0E", "00 01 01 10 08", "20 01 02 08",
                                          "20 01 01 10 08"};
    ilp_token number = ii_type_ref(b, II_MSCORLIB, "System", "Int32");
    ilp_token machine = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 11 0C 01 1C")));
    for (size_t i = 0; i < COUNT(methods); i++) {
        IB_ROW(b, MemberRef, number, ib_string(b, "M"), ii_blob(b, methods[i]));
    }
    IB_ROW(b, MemberRef, machine, ib_string(b, "a"), ii_blob(b, "06 08"));
}

#define TWO       "00 02 01 08 0E" /* static void (int, string) */
#define STORES    "12 00 02 " STORE(3) "12 00 03 " STORE(4) "2A"
#define READS     "02 " LOAD(3) "26 2A"
#define NOT_KNOWN UINT32_MAX

static const struct {
    const char *name, *signature, *kickoff, *move_next_signature, *move_next;
    bool of_struct;
    ilp_rid first, second;
} cases[] = {
    /* what the kickoff method stores */
    {"both", TWO, STORES, "20 00 01", READS, false, 3, 4},
    {"the other order", TWO, "12 00 03 " STORE(4) "12 00 02 " STORE(3) "2A", "20 00 01", READS,
     false, 3, 4},
    {"other fields", TWO, "12 00 02 " STORE(4) "12 00 03 " STORE(3) "2A", "20 00 01", READS, false,
     4, 3},
    {"long forms", TWO, "12 00 0E 00 " STORE(3) "12 00 FE 09 01 00 " STORE(4) "2A", "20 00 01",
     READS, false, 3, 4},
    {"a nop between", TWO, "12 00 02 00 " STORE(3) "2A", "20 00 01", READS, false, 3, 0},
    {"a constant", TWO, "12 00 16 " STORE(3) "2A", "20 00 01", READS, false, 0, 0},
    {"a constant, then the argument", TWO, "12 00 16 " STORE(3) "12 00 02 " STORE(3) "2A",
     "20 00 01", READS, false, 3, 0},
    {"the argument, then a constant", TWO, "12 00 02 " STORE(3) "12 00 16 " STORE(3) "2A",
     "20 00 01", READS, false, NOT_KNOWN, 0},
    {"both in one field", TWO, "12 00 02 " STORE(3) "12 00 03 " STORE(3) "2A", "20 00 01", READS,
     false, NOT_KNOWN, 0},
    {"one in both fields", TWO, "12 00 02 " STORE(3) "12 00 02 " STORE(4) "2A", "20 00 01", READS,
     false, 3, 0},
    {"what was made of it", TWO, "12 00 02 65 " STORE(3) "2A", "20 00 01", READS, false, 0, 0},
    {"another type's field", TWO, "12 00 02 " STORE(6) "2A", "20 00 01", READS, false, 0, 0},
    {"of an instance", TWO, "12 00 02 7D 05 00 00 0A 2A", "20 00 01", READS, false, 3, 0},
    {"a branch", TWO, "2B 00 " STORES, "20 00 01", READS, false, NOT_KNOWN, 0},
    {"a conditional one", TWO, "02 2D 00 " STORES, "20 00 01", READS, false, NOT_KNOWN, 0},
    {"starg", TWO, "16 10 00 " STORES, "20 00 01", READS, false, NOT_KNOWN, 0},
    {"ldarga", TWO, STORES "0F 00 26 2A", "20 00 01", READS, false, NOT_KNOWN, 0},
    {"no parameter", "00 00 01", STORES, "20 00 01", READS, false, 0, 0},
    {"an explicit this", "60 02 01 1C 08", STORES, "20 00 01", READS, false, NOT_KNOWN, 0},
    {"an object", "20 01 01 08", "12 00 02 " STORE(5) "12 00 03 " STORE(3) "2A", "20 00 01", READS,
     false, 5, 3},
    {"an object by ldobj", "20 01 01 08", "12 00 02 71 02 00 00 02 " STORE(5) "2A", "20 00 01",
     READS, false, 0, 0},
    {"a struct", "20 01 01 08", "12 00 02 71 02 00 00 02 " STORE(5) "12 00 03 " STORE(3) "2A",
     "20 00 01", READS, true, 5, 3},
    /* what MoveNext does to it */
    {"with a parameter", TWO, STORES, "20 01 01 08", READS, false, NOT_KNOWN, 0},
    {"static", TWO, STORES, "00 00 01", READS, false, NOT_KNOWN, 0},
    {"its own variable", TWO, STORES, "20 00 01", "02 10 00 2A", false, NOT_KNOWN, 0},
    {"stored", TWO, STORES, "20 00 01", "02 16 " STORE(3) "2A", false, 0, 4},
    {"stored, of an instance", TWO, STORES, "20 00 01", "02 16 7D 05 00 00 0A 2A", false, 0, 4},
    {"never stored", TWO, STORES, "20 00 01", "2A 02 16 " STORE(3) "2A", false, 3, 4},
    {"the state is", TWO, STORES, "20 00 01", "02 16 " STORE(1) "2A", false, 3, 4},
    {"another type's is", TWO, STORES, "20 00 01", "02 16 " STORE(6) "2A", false, 3, 4},
    {"a method is called", TWO, STORES, "20 00 01", "02 " ADDRESS(3) CALL(1) "26 2A", false, 3, 4},
    {"a constrained one", TWO, STORES, "20 00 01",
     "02 " ADDRESS(3) "FE 16 02 00 00 02 " CALLVIRT(1) "26 2A", false, 3, 4},
    {"one with a parameter", TWO, STORES, "20 00 01", "02 " ADDRESS(3) "16 " CALL(3) "26 2A", false,
     3, 4},
    {"passed by reference", TWO, STORES, "20 00 01", "02 " ADDRESS(3) CALL(2) "2A", false, 0, 4},
    {"passed to an object", TWO, STORES, "20 00 01", "14 02 " ADDRESS(3) CALL(4) "2A", false, 0, 4},
    {"passed to itself", TWO, STORES, "20 00 01", "02 " ADDRESS(3) "02 " ADDRESS(3) CALL(4) "2A",
     false, 0, 4},
    {"a member", TWO, STORES, "20 00 01", "02 " ADDRESS(3) LOAD(6) "26 2A", false, 3, 4},
    {"a member's member", TWO, STORES, "20 00 01", "02 " ADDRESS(3) ADDRESS(6) LOAD(6) "26 2A",
     false, 3, 4},
    {"a member's method", TWO, STORES, "20 00 01", "02 " ADDRESS(3) ADDRESS(6) CALL(1) "26 2A",
     false, 3, 4},
    {"a member is stored", TWO, STORES, "20 00 01", "02 " ADDRESS(3) "16 " STORE(6) "2A", false, 0,
     4},
    {"a member's member is", TWO, STORES, "20 00 01",
     "02 " ADDRESS(3) ADDRESS(6) "16 " STORE(6) "2A", false, 0, 4},
    {"copied", TWO, STORES, "20 00 01", "02 " ADDRESS(3) "71 02 00 00 02 26 2A", false, 3, 4},
    {"stored through", TWO, STORES, "20 00 01", "02 " ADDRESS(3) "16 54 2A", false, 0, 4},
    {"two of them", TWO, STORES, "20 00 01", "02 " ADDRESS(3) "25 26 26 2A", false, 0, 4},
    {"kept", TWO, STORES, "20 00 01", "02 " ADDRESS(4) "0A 2A", false, 3, 0},
    {"a branch from elsewhere", TWO, STORES, "20 00 01",
     "02 2D 08 02 " ADDRESS(4) "2B 06 02 " ADDRESS(3) CALL(1) "26 2A", false, 3, 0},
    {"a branch between", TWO, STORES, "20 00 01", "02 " ADDRESS(3) "2B 00 " CALL(1) "26 2A", false,
     0, 4},
};

static ilp_token add_method(struct ib_image *b, const char *name, const char *signature,
                            const char *hex)
{
    struct ii_hex code = ii_hex(hex);
    ilp_token method = ii_method(b, name, signature);
    memmove(code.data + 1, code.data, code.size);
    code.data[0] = (uint8_t)(code.size << 2 | ILPI_BODY_TINY);
    ib_data(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_RVA, code.data, code.size + 1);
    return method;
}

static struct ilp_image *machine_with(size_t number)
{
    static const char *const fields[] = {"state", "builder", "a", "b", "self"};
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "Outer", cases[number].of_struct ? II_VALUE_TYPE : II_OBJECT);
    add_method(&b, "M", cases[number].signature, cases[number].kickoff);
    ii_type(&b, "", "Machine", II_VALUE_TYPE);
    for (size_t i = 0; i < COUNT(fields); i++) {
        IB_ROW(&b, Field, 1, ib_string(&b, fields[i]), ii_blob(&b, "06 08"));
    }
    add_method(&b, "MoveNext", cases[number].move_next_signature, cases[number].move_next);
    ii_type(&b, "", "Other", II_OBJECT);
    IB_ROW(&b, Field, 1, ib_string(&b, "a"), ii_blob(&b, "06 08"));
    add_members(&b);
    return built_pe(&b, (struct ib_pe){0});
}

/* MoveNext as it has been read by then. */
struct at_work {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    struct ilpi_call_shapes shapes;
    struct ilpi_calls calls;
    struct ilpi_code code;
    struct ilpi_stack stack;
};

static void begin(struct at_work *work, const struct ilp_image *image)
{
    uint64_t offset;
    struct ilp_body body;
    ilpi_alloc_init(&work->alloc, NULL);
    work->arena = (struct ilp_arena){.alloc = &work->alloc};
    work->code = (struct ilpi_code){.alloc = &work->alloc};
    work->stack = (struct ilpi_stack){.alloc = &work->alloc};
    assert_int_equal(ilpi_call_shapes_init(&work->shapes, image, &work->arena, NULL), ILP_OK);
    work->calls = (struct ilpi_calls){&work->shapes, ilpi_call_shape_of};
    struct ilp_bytes bytes =
        ilp_image_rva(image, ilp_cell(image, ILP_MethodDef, MOVE_NEXT, ILP_MethodDef_RVA), &offset);
    assert_int_equal(ilp_body_read(&body, bytes, offset, &work->arena, NULL), ILP_OK);
    assert_int_equal(ilpi_code_decode(&work->code, &body, NULL), ILP_OK);
    assert_int_equal(ilpi_stack_compute(&work->stack, &work->code, &body, &work->calls, 0, NULL),
                     ILP_OK);
}

static void end(struct at_work *work)
{
    ilpi_stack_free(&work->stack);
    ilpi_code_free(&work->code);
    ilpi_arena_free(&work->arena);
    assert_int_equal(work->alloc.used, 0);
}

static ilp_status find(struct at_work *work, const struct ilp_image *image, uint64_t left,
                       struct ilpi_kept_arguments *kept)
{
    struct ilpi_budget budget = {left};
    const struct ilpi_machine_type machine = {image, MACHINE, &work->arena, &budget};
    return ilpi_kept_arguments_find(&machine, ILPI_STATE_MACHINE_ASYNC, KICKOFF, MOVE_NEXT,
                                    &work->code, &work->stack, &work->calls, kept, NULL);
}

static void test_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_image *image = machine_with(i);
        struct at_work work;
        struct ilpi_kept_arguments kept;
        begin(&work, image);
        assert_int_equal(find(&work, image, 1000, &kept), ILP_OK);
        ilp_rid first = !kept.fields ? NOT_KNOWN : kept.count > 0 ? kept.fields[0] : 0;
        ilp_rid second = kept.fields && kept.count > 1 ? kept.fields[1] : 0;
        if (first != cases[i].first || second != cases[i].second) {
            fail_msg("%s: fields %d and %u", cases[i].name, (int)first, second);
        }
        end(&work);
        close_built(image);
    }
}

/* Reading costs what there is to read. */
static void test_budget(void **state)
{
    (void)state;
    struct ilp_image *image = machine_with(0);
    struct at_work work;
    struct ilpi_kept_arguments kept;
    begin(&work, image);
    assert_int_equal(find(&work, image, 4, &kept), ILP_E_TOO_LARGE);
    assert_int_equal(find(&work, image, 5, &kept), ILP_E_TOO_LARGE);
    assert_null(kept.fields);
    end(&work);
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
