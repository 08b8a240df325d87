/* src/inspect/exceptions.c: bodies with the filter around them, as bytes; which methods get none,
 * and the word for it; methods whose value is not passed. */
#include "tests/unit/rewrite_bench.h"

/* MyInspector(object), MyException(object), and both with a state; MyArguments(object[]). */
static void open_inspector(struct bench *bench)
{
    struct ib_image b;
    ii_begin(&b, "Inspector");
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    ii_method(&b, "MyInspector", "00 01 01 1C");
    ii_method(&b, "MyException", "00 01 01 1C");
    ii_method(&b, "MyInspector", "00 02 01 1C 1C");
    ii_method(&b, "MyException", "00 02 01 1C 1C");
    ii_method(&b, "MyArguments", "00 01 1C 1D 1C");
    bench_open_inspector(bench, &b);
}

/* A module that was patched before: MemberRef 1 is Test.Inspector::MyException. */
static void begin_program(struct bench *bench)
{
    struct ib_image *b = &bench->built;
    *bench = (struct bench){.method = 0};
    open_inspector(bench);
    ii_emitter_begin(&bench->emitter);
    ii_begin(b, "App");
    ilp_token class = ii_type_ref(b, ii_assembly_ref(b, "Inspector"), "Test", "Inspector");
    IB_ROW(b, MemberRef, class, ib_string(b, "MyException"), ii_blob(b, "00 01 01 1C"));
}

/* MemberRef 2 is another
 * method, object F(). */
static void begin(struct bench *bench, const char *name, const char *signature)
{
    struct ib_image *b = &bench->built;
    begin_program(bench);
    IB_ROW(b, MemberRef, ii_type_ref(b, II_MSCORLIB, "Other", "Class"), ib_string(b, "F"),
           ii_blob(b, "00 00 1C"));
    ii_type(b, "N", "C", II_OBJECT);
    bench->method = ii_method(b, name, signature);
    bench_open_rewriter(bench);
}

static const struct ilp_rule_action plain = {.exceptions = true};
static const struct ilp_rule_action keeping = {.exceptions = true,
                                               .tail_calls = ILP_TAIL_CALLS_KEEP};
static const struct ilp_rule_action stripping = {.exceptions = true,
                                                 .tail_calls = ILP_TAIL_CALLS_STRIP};
static const struct ilp_rule_action with_arguments = {.exceptions = true, .arguments = true};
static const struct ilp_rule_action guarded = {
    .exceptions = true, .arguments = true, .guard = true};

#define HEAD(size) "1B 30 03 00 " size " 00 00 00 " /* the token of the locals follows */

/* A filter with a call of member `call`, the handler. */
#define FILTER(call) " 28 " call " 01 00 0A 16 FE 11 7A"

static const struct {
    const char *what;
    const char *signature;
    const struct ilp_rule_action *action;
    const char *before;
    enum ilp_reason reason;
    const char *code;    /* the new one */
    const char *clauses; /* the table */
} cases[] = {
    {"a value", "00 00 1C", &plain, "0A 14 2A", ILP_REASON_INSPECTED,
     "14 13 00 DD 09 00 00 00" FILTER("03") " 11 00 25 28 04 01 00 0A 2A",
     "01 10 00 00 01 00 00 00 08 10 00 01 08 00 00 00"},
    {"nothing", "00 00 01", &plain, "0A 00 2A", ILP_REASON_EXCEPTIONS,
     "00 DD 09 00 00 00" FILTER("03") " 2A", "01 10 00 00 01 00 00 00 06 0E 00 01 06 00 00 00"},
    {"a reference", "00 00 10 08", &plain, "0A 14 2A", ILP_REASON_EXCEPTIONS,
     "14 13 00 DD 09 00 00 00" FILTER("03") " 11 00 2A",
     "01 10 00 00 01 00 00 00 08 10 00 01 08 00 00 00"},
    {"a reference, without one", "00 00 10 08", &plain, "0A 00 2A", ILP_REASON_BYREF, NULL, NULL},
    {"never", "00 00 1C", &plain, "0A 14 7A", ILP_REASON_EXCEPTIONS, "14 7A" FILTER("03"),
     "01 10 00 00 01 00 00 00 02 0A 00 01 02 00 00 00"},
    {"a ret that cannot be reached", "00 00 1C", &plain, "0E 14 2A 2A", ILP_REASON_INSPECTED,
     "14 13 00 DD 0E 00 00 00 DD 09 00 00 00" FILTER("03") " 11 00 25 28 04 01 00 0A 2A",
     "01 10 00 00 01 00 00 00 0D 15 00 01 0D 00 00 00"},
    {"a loop to the start", "00 01 01 02", &plain, "12 02 2D FD 2A", ILP_REASON_EXCEPTIONS,
     "02 2D FD DD 09 00 00 00" FILTER("03") " 2A",
     "01 10 00 00 01 00 00 00 08 10 00 01 08 00 00 00"},
    {"a clause of its own, which stays the first", "00 00 01", &plain,
     "1B 30 01 00 06 00 00 00 00 00 00 00 DE 03 26 DE 00 2A 00 00"
     " 01 10 00 00 00 00 00 00 02 02 00 03 01 00 00 01",
     ILP_REASON_EXCEPTIONS, "DE 03 26 DE 00 DD 09 00 00 00" FILTER("03") " 2A",
     "01 1C 00 00 00 00 00 00 02 02 00 03 01 00 00 01"
     " 01 00 00 00 0A 12 00 01 0A 00 00 00"},
    {"with arguments", "00 00 01", &with_arguments, "0A 00 2A", ILP_REASON_EXCEPTIONS,
     "16 8D 01 01 00 01 28 04 01 00 0A 13 00 00 DD 0B 00 00 00 11 00" FILTER("05") " 2A",
     "01 10 00 00 01 00 0D 00 06 1D 00 01 13 00 00 00"},
};

static void test_bodies(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench bench;
        print_message("%s\n", cases[i].what);
        begin(&bench, "M", cases[i].signature);
        struct ilp_method_result result = bench_rewrite(&bench, cases[i].action, cases[i].before);
        if (!cases[i].code) { /* no valid body for what it returns */
            assert_int_equal(result.reason, ILP_REASON_BYREF);
            assert_string_equal(result.without_exceptions, "bad-body");
            assert_false(result.exceptions);
            bench_close(&bench);
            continue;
        }
        assert_int_equal(result.reason, cases[i].reason);
        assert_true(result.exceptions);
        assert_null(result.without_exceptions);
        assert_int_equal(result.inspected, cases[i].reason == ILP_REASON_INSPECTED);
        struct ii_hex code = ii_hex(cases[i].code);
        assert_int_equal(ilpi_load_u16(result.body.data + 2), 3);
        assert_int_equal(ilpi_load_u32(result.body.data + 4), code.size);
        assert_memory_equal(result.body.data + 12, code.data, code.size);
        struct ii_hex clauses = ii_hex(cases[i].clauses);
        size_t table = 12 + ((code.size + 3) & ~(size_t)3);
        assert_int_equal(result.body.size, table + clauses.size);
        assert_memory_equal(result.body.data + table, clauses.data, clauses.size);
        bench_close(&bench);
    }
}

/* At entry and at the end there is a guard; the filter needs none. Locals: the value in the guard,
 * the state, the value that leaves the block. */
static void test_guard(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "M", "00 00 1C");
    struct ilp_method_result result = bench_rewrite(&bench, &guarded, "0A 14 2A");
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    struct ii_hex code = ii_hex(
        "16 8D 01 01 00 01 28 04 01 00 0A 13 01 DE 06 26 14 13 01 DE 00"
        " 14 13 02 DD 0B 00 00 00 11 01" FILTER(
            "05") " 11 02 13 00 11 00 11 01 28 06 01 00 0A DE 03 26 DE 00 11 00 2A");
    assert_int_equal(ilpi_load_u32(result.body.data + 4), code.size);
    assert_memory_equal(result.body.data + 12, code.data, code.size);
    struct ii_hex clauses = ii_hex("01 28 00 00 00 00 00 00 0F 0F 00 06 01 01 00 01"
                                   " 00 00 2C 00 0B 37 00 03 01 01 00 01"
                                   " 01 00 15 00 08 27 00 01 1D 00 00 00");
    size_t table = 12 + ((code.size + 3) & ~(size_t)3);
    assert_int_equal(result.body.size, table + clauses.size);
    assert_memory_equal(result.body.data + table, clauses.data, clauses.size);
    const char *locals = "standalone_sig 07 03 1C 1C 1C\n";
    ib_number(&bench.emitter.lines, 0, 1);
    assert_non_null(strstr((const char *)bench.emitter.lines.data, locals));
    bench_close(&bench);
}

static const struct {
    const char *what;
    const char *name;
    const char *signature;
    const struct ilp_rule_action *action;
    const char *body;
    enum ilp_reason reason;
    const char *why;
} refused[] = {
    {"a constructor", ".ctor", "20 00 01", &plain, "0A 00 2A", ILP_REASON_VOID, "constructor"},
    {"ret alone", "M", "00 00 01", &plain, "06 2A", ILP_REASON_VOID, "empty"},
    {"a tail call", "M", "00 00 1C", &keeping, "22 FE 14 28 02 00 00 0A 2A", ILP_REASON_TAIL_CALL,
     "tail-call"},
    {"one that cannot be reached", "M", "00 00 1C", &stripping, "2A 14 2A FE 14 28 02 00 00 0A 2A",
     ILP_REASON_INSPECTED, "tail-call"},
    {"jmp", "M", "00 00 01", &plain, "1A 00 27 01 00 00 06", ILP_REASON_VOID, "jmp"},
    {"the filter of a module that was patched before", "M", "00 00 01", &plain,
     "1B 30 03 00 10 00 00 00 00 00 00 00 00 DD 09 00 00 00 28 01 00 00 0A 16 FE 11 7A 2A"
     " 01 10 00 00 01 00 00 00 06 0E 00 01 06 00 00 00",
     ILP_REASON_VOID, "already-inspected"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct bench bench;
        print_message("%s\n", refused[i].what);
        begin(&bench, refused[i].name, refused[i].signature);
        struct ilp_method_result result = bench_rewrite(&bench, refused[i].action, refused[i].body);
        assert_int_equal(result.reason, refused[i].reason);
        assert_false(result.exceptions);
        assert_non_null(result.without_exceptions);
        assert_string_equal(result.without_exceptions, refused[i].why);
        bench_close(&bench);
    }
}

/* A prefix that is stripped does not stand in the way. */
static void test_stripped(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "M", "00 00 1C");
    struct ilp_method_result result = bench_rewrite(&bench, &stripping,
                                                    "22 FE 14 28 02 00 00 0A 2A");
    assert_true(result.exceptions);
    assert_int_equal(result.stripped, 1);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    bench_close(&bench);
}

/* ---- state machines ---- */

/* N.C::M is an async method, N.C+m::MoveNext its machine's. Field 1 is the builder, 2 a source.
 * MemberRef 1 is MyException, 3 Start, 4 SetResult, 5 SetException, 6 the source's SetException. */
static void begin_machine(struct bench *bench)
{
    static const uint8_t named[] = "\x01\x00\x05N.C+m\x00";
    struct ib_image *b = &bench->built;
    begin_program(bench);
    ilp_token attribute = ii_type_ref(b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                      "AsyncStateMachineAttribute");
    ii_type_ref(b, II_MSCORLIB, "N", "Builder`1"); /* TypeRef 6 */
    ii_type_ref(b, II_MSCORLIB, "System", "Exception");
    ii_type_ref(b, II_MSCORLIB, "N", "Source");
    ilp_rid constructor = IB_ROW(b, MemberRef, attribute, ib_string(b, ".ctor"),
                                 ii_blob(b, "20 01 01 1C"));
    ilp_token builder = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 11 19 01 08")));
    uint32_t throws = ib_string(b, "SetException");
    IB_ROW(b, MemberRef, builder, ib_string(b, "Start"), ii_blob(b, "30 01 01 01 10 1E 00"));
    IB_ROW(b, MemberRef, builder, ib_string(b, "SetResult"), ii_blob(b, "20 01 01 13 00"));
    IB_ROW(b, MemberRef, builder, throws, ii_blob(b, "20 01 01 12 1D"));
    IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeRef, 8), throws, ii_blob(b, "20 01 01 12 1D"));
    ii_type(b, "N", "C", II_OBJECT);
    ilp_token kickoff = ii_method(b, "M", "00 00 15 12 11 01 08");
    ii_body(b, kickoff, "42 12 00 7C 01 00 00 04 12 00 28 01 00 00 2B 14 2A");
    ii_type(b, "", "m", II_OBJECT);
    IB_ROW(b, Field, 1, ib_string(b, "builder"), ii_blob(b, "06 15 11 19 01 08"));
    IB_ROW(b, Field, 1, ib_string(b, "source"), ii_blob(b, "06 12 21"));
    bench->method = ii_method(b, "MoveNext", "20 00 01");
    IB_ROW(b, NestedClass, 3, 2);
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MemberRef, 3), ii_blob(b, "0A 01 11 0C"));
    IB_ROW(b, CustomAttribute, kickoff, ILP_TOKEN(ILP_MemberRef, constructor),
           ib_blob(b, named, 10));
    bench_open_rewriter_of(bench, built_pe(b, (struct ib_pe){0}));
}

static const struct ilp_rule_action only_guarded = {.exceptions = true, .guard = true};
static const struct ilp_rule_action of_task = {.exceptions = true, .async = ILP_ASYNC_TASK};
static const struct ilp_rule_action of_values = {.async = ILP_ASYNC_RESULT};

#define ADDRESS   "02 7C 01 00 00 04 "
#define THROWS    ADDRESS "14 28 05 00 00 0A "
#define RETURNS   ADDRESS "17 28 04 00 00 0A "
#define INSPECTED ADDRESS "14 25 28 01 00 00 0A 28 05 00 00 0A "

static const struct {
    const char *what;
    const struct ilp_rule_action *action;
    const char *body;
    enum ilp_reason reason;
    unsigned max_stack;
    const char *why;  /* NULL: exceptions are passed */
    const char *code; /* the new one; NULL: there is none, or it is not compared */
} machines[] = {
    {"an exception", &plain, "36 " THROWS "2A", ILP_REASON_EXCEPTIONS, 3, NULL,
     ADDRESS "14 25 28 CALL 28 05 00 00 0A 2A"},
    {"a result, too", &plain, "66 " THROWS RETURNS "2A", ILP_REASON_SETS_RESULT, 3, NULL,
     ADDRESS "14 25 28 CALL 28 05 00 00 0A " ADDRESS "17 25 8C 08 28 CALL 28 04 00 00 0A 2A"},
    {"the result first", &plain, "66 " RETURNS THROWS "2A", ILP_REASON_SETS_RESULT, 3, NULL, NULL},
    {"twice", &plain, "66 " THROWS THROWS "2A", ILP_REASON_EXCEPTIONS, 3, NULL, NULL},
    {"guarded", &only_guarded, "36 " THROWS "2A", ILP_REASON_EXCEPTIONS, 2, NULL,
     ADDRESS "14 13 00 13 01 11 00 28 CALL DE 03 26 DE 00 11 01 11 00 28 05 00 00 0A 2A"},
    {"a result alone", &plain, "36 " RETURNS "2A", ILP_REASON_SETS_RESULT, 3, "state-machine",
     NULL},
    {"not requested", &of_values, "66 " THROWS RETURNS "2A", ILP_REASON_SETS_RESULT, 3, "", NULL},
    {"a source's", &plain, "36 02 7C 02 00 00 04 14 28 06 00 00 0A 2A", ILP_REASON_NO_RETURN, 0,
     "state-machine", NULL},
    {"the builder's, on what is not known", &plain, "22 02 14 28 05 00 00 0A 2A",
     ILP_REASON_NO_RETURN, 0, "state-machine", NULL},
    {"what cannot be reached", &plain, "3A 2A " THROWS "2A", ILP_REASON_NO_RETURN, 0,
     "state-machine", NULL},
    {"inspected before", &plain, "4E " INSPECTED "2A", ILP_REASON_NO_RETURN, 0, "already-inspected",
     NULL},
    {"of two, one inspected before", &plain, "7E " INSPECTED THROWS "2A", ILP_REASON_NO_RETURN, 0,
     "already-inspected", NULL},
    {"the task", &of_task, "36 " THROWS "2A", ILP_REASON_EXCEPTIONS, 3, NULL, NULL},
};

/* `expected` with CALL for any token of MyException or MyInspector, and 08 after box for any. */
static void expect_code(const char *what, struct ilp_bytes code, const char *expected)
{
    size_t at = 0;
    for (const char *text = expected; *text != '\0'; text += strspn(text, " ")) {
        char byte[3] = {text[0], text[1], '\0'};
        bool token = strncmp(text, "CALL", 4) == 0 || (at != 0 && code.data[at - 1] == 0x8C);
        if (!token && (at == code.size || code.data[at] != strtoul(byte, NULL, 16))) {
            fail_msg("%s: byte %zu of %zu is %02X, not %s", what, at, code.size, code.data[at],
                     byte);
        }
        at += token ? 4 : 1;
        text += strncmp(text, "CALL", 4) == 0 ? 4 : 2;
    }
    assert_int_equal(at, code.size);
}

static void test_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        struct bench bench;
        print_message("%s\n", machines[i].what);
        begin_machine(&bench);
        struct ilp_method_result result = bench_rewrite(&bench, machines[i].action,
                                                        machines[i].body);
        assert_int_equal(result.reason, machines[i].reason);
        assert_int_equal(result.exceptions, machines[i].why == NULL);
        const char *why = machines[i].why ? machines[i].why : "";
        assert_string_equal(result.without_exceptions ? result.without_exceptions : "", why);
        assert_int_equal(result.inspected, machines[i].reason == ILP_REASON_SETS_RESULT);
        if (machines[i].max_stack != 0 && result.body.data[0] % 4 == ILPI_BODY_FAT % 4) {
            assert_int_equal(ilpi_load_u16(result.body.data + 2), machines[i].max_stack);
        }
        if (machines[i].code) {
            bool tiny = result.body.data[0] % 4 == ILPI_BODY_TINY;
            size_t size = tiny ? result.body.data[0] / 4 : ilpi_load_u32(result.body.data + 4);
            expect_code(machines[i].what,
                        (struct ilp_bytes){result.body.data + (tiny ? 1 : 12), size},
                        machines[i].code);
        }
        bench_close(&bench);
    }
}

/* Locals of a guard: the exception, as SetException takes it, and the builder's address. */
static void test_guarded_machine(void **state)
{
    (void)state;
    struct bench bench;
    begin_machine(&bench);
    struct ilp_method_result result = bench_rewrite(&bench, &only_guarded, "36 " THROWS "2A");
    struct ii_hex clause = ii_hex("01 10 00 00 00 00 0B 00 09 14 00 03");
    size_t table = 12 + ((ilpi_load_u32(result.body.data + 4) + 3) & ~(size_t)3);
    assert_int_equal(result.body.size, table + 16);
    assert_memory_equal(result.body.data + table, clause.data, clause.size);
    ib_number(&bench.emitter.lines, 0, 1);
    assert_non_null(strstr((const char *)bench.emitter.lines.data,
                           "standalone_sig 07 02 12 1D 10 15 11 19 01 08\n"));
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),   cmocka_unit_test(test_guard),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_stripped),
        cmocka_unit_test(test_machines), cmocka_unit_test(test_guarded_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
