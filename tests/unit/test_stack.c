/* Stack depth by flow: what is computed, and the code that is refused. */
#include "il_test.h"

/* Calls say their shape themselves: the token's low byte is what they pop, the next one what they
 * push. */
static ilp_status shape_in_token(void *user, enum ilpi_op op, ilp_token token,
                                 struct ilpi_call_shape *shape, struct ilp_error *error)
{
    (void)user;
    (void)op;
    if (token == 0xFFFFFFFF) {
        return ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, token, "requested");
    }
    shape->pops = token & 0xFF;
    shape->pushes = token >> 8 & 0xFFFFFF;
    return ILP_OK;
}

struct computing {
    struct test_alloc alloc;
    struct ilpi_code code;
    struct ilpi_stack stack;
    struct ilp_error error;
    ilp_status status;
};

static void compute(struct computing *computing, const struct ilp_body *body, uint32_t returns,
                    size_t fail_at)
{
    const struct ilpi_calls calls = {.shape = shape_in_token};
    *computing = (struct computing){.code = {.alloc = &computing->alloc.alloc},
                                    .stack = {.alloc = &computing->alloc.alloc}};
    test_alloc_init(&computing->alloc, fail_at);
    computing->status = ilpi_code_decode(&computing->code, body, &computing->error);
    if (fail_at == 0) {
        assert_int_equal(computing->status, ILP_OK);
    }
    if (computing->status == ILP_OK) {
        computing->status = ilpi_stack_compute(&computing->stack, &computing->code, body, &calls,
                                               returns, &computing->error);
    }
}

static void compute_end(struct computing *computing)
{
    ilpi_stack_free(&computing->stack);
    ilpi_code_free(&computing->code);
    assert_int_equal(computing->alloc.alloc.used, 0);
}

#define UNSEEN (-1)

static const struct {
    const char *name;
    struct ilp_bytes code;
    uint32_t returns;
    uint32_t max;
    int depths[10]; /* per instruction */
    struct ilp_eh_clause clauses[2];
    size_t clause_count;
} good[] = {
    {"ret", CODE(0x2A), .depths = {0}},
    {"ldarg.0 dup add ret", CODE(0x02, 0x25, 0x58, 0x2A), .returns = 1, .max = 2,
     .depths = {0, 1, 2, 1}},
    {"a dead branch", CODE(0x2A, 0x25, 0x2B, 0xFD), .depths = {0, UNSEEN, UNSEEN}},
    {"two ways, one depth: ldarg.0 brtrue.s L, ldnull br.s M, L: ldarg.1, M: ret",
     CODE(0x02, 0x2D, 3, 0x14, 0x2B, 1, 0x03, 0x2A), .returns = 1, .max = 1,
     .depths = {0, 1, 0, 1, 0, 1}},
    {"a loop with a value on the stack: ldnull L: dup brtrue.s L ret",
     CODE(0x14, 0x25, 0x2D, 0xFD, 0x2A), .returns = 1, .max = 2, .depths = {0, 1, 2, 1}},
    {"a switch: ldarg.0 switch (L, M) L: ret M: ret",
     CODE(0x02, 0x45, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x2A, 0x2A), .max = 1,
     .depths = {0, 1, 0, 0}},
    {"call pops 2, pushes 1", CODE(0x02, 0x25, 0x28, 2, 1, 0, 0, 0x2A), .returns = 1, .max = 2,
     .depths = {0, 1, 2, 1}},
    {"newobj pops none, pushes 1: calli pops it", CODE(0x73, 0, 1, 0, 0, 0x29, 1, 0, 0, 0, 0x2A),
     .max = 1, .depths = {0, 1, 0}},
    {"throw ends the path", CODE(0x14, 0x7A, 0x25), .returns = 1, .max = 1,
     .depths = {0, 1, UNSEEN}},
    {"jmp ends the path", CODE(0x27, 0, 0, 0, 6, 0x25), .returns = 1, .depths = {0, UNSEEN}},
    {"a prefix changes nothing: ldarg.0 volatile. ldind.i4 ret", CODE(0x02, 0xFE, 0x13, 0x4A, 0x2A),
     .returns = 1, .max = 1, .depths = {0, 1, 1, 1}},
    {"break goes on", CODE(0x01, 0x2A), .depths = {0, 0}},
    {"leave empties: ldnull dup leave.s L; endfinally; L: ret",
     CODE(0x14, 0x25, 0xDE, 1, 0xDC, 0x2A), .max = 2, .depths = {0, 1, 2, 0, 0},
     .clauses = {{ILPI_EH_FINALLY, 0, 4, 4, 1, 0}}, .clause_count = 1},
    {"a catch gets the exception: leave.s L; pop leave.s L; L: ret",
     CODE(0xDE, 3, 0x26, 0xDE, 0, 0x2A), .max = 1, .depths = {0, 1, 0, 0},
     .clauses = {{ILPI_EH_CATCH, 0, 2, 2, 3, 0x01000001}}, .clause_count = 1},
    {"so do a filter and its handler: leave.s L; pop ldc.i4.1 endfilter; pop rethrow; L: ret",
     CODE(0xDE, 7, 0x26, 0x17, 0xFE, 0x11, 0x26, 0xFE, 0x1A, 0x2A), .max = 1,
     .depths = {0, 1, 0, 1, 1, 0, 0}, .clauses = {{ILPI_EH_FILTER, 0, 2, 6, 3, 2}},
     .clause_count = 1},
    {"a fault does not: leave.s L; endfault; L: ret", CODE(0xDE, 1, 0xDC, 0x2A),
     .depths = {0, 0, 0}, .clauses = {{ILPI_EH_FAULT, 0, 2, 2, 1, 0}}, .clause_count = 1},
    {"a handler of a dead try is a root", CODE(0x2A, 0x00, 0x2A, 0x7A), .max = 1,
     .depths = {0, UNSEEN, UNSEEN, 1}, .clauses = {{ILPI_EH_CATCH, 1, 1, 3, 1, 0x01000001}},
     .clause_count = 1},
    {"one handler of two clauses", CODE(0x00, 0x00, 0x2A, 0x7A), .max = 1, .depths = {0, 0, 0, 1},
     .clauses = {{ILPI_EH_CATCH, 0, 1, 3, 1, 0x01000001}, {ILPI_EH_CATCH, 1, 1, 3, 1, 0x01000001}},
     .clause_count = 2},
    {"a call that pushes up to the limit: call jmp", CODE(0x28, 0, 0xFF, 0xFF, 0, 0x27, 0, 0, 0, 6),
     .max = 65535, .depths = {0, 65535}},
};
static void depths_are_those_of_every_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct computing computing;
        struct ilp_eh_clause clauses[2];
        memcpy(clauses, good[i].clauses, sizeof clauses);
        struct ilp_body body = {
            .code = good[i].code, .clauses = clauses, .clause_count = good[i].clause_count};
        compute(&computing, &body, good[i].returns, 0);
        if (computing.status != ILP_OK) {
            fail_msg("%s: %s", good[i].name, computing.error.message);
        }
        assert_int_equal(computing.stack.max, good[i].max);
        for (size_t insn = 0; insn < computing.code.count; insn++) {
            bool seen = (computing.code.insns[insn].marks & ILPI_INSN_SEEN) != 0;
            assert_int_equal(seen ? computing.stack.depth[insn] : UNSEEN, good[i].depths[insn]);
        }
        compute_end(&computing);
    }
}

static const struct {
    const char *name;
    const char *says;
    struct ilp_bytes code;
    uint32_t returns;
    struct ilp_eh_clause clause;
    size_t clause_count;
} bad[] = {
    {"no code", "the body has no code", {NULL, 0}, .returns = 0},
    {"runs off the end", "off the end", CODE(0x00), .returns = 0},
    {"runs off the end after a branch", "off the end", CODE(0x02, 0x2D, 0xFD), .returns = 0},
    {"pop of nothing", "takes more", CODE(0x26, 0x2A), .returns = 0},
    {"ret without its value", "result alone", CODE(0x2A), .returns = 1},
    {"ret with a value too many", "result alone", CODE(0x14, 0x2A), .returns = 0},
    {"a call pops too much", "takes more", CODE(0x14, 0x28, 2, 0, 0, 0, 0x2A), .returns = 0},
    {"a call pushes too much", "65,535", CODE(0x28, 0, 0, 0, 1, 0x27, 0, 0, 0, 6), .returns = 0},
    {"a call pushes one too much", "65,535", CODE(0x14, 0x28, 0, 0xFF, 0xFF, 0, 0x27, 0, 0, 0, 6),
     .returns = 0},
    {"the callback fails", "requested", CODE(0x28, 0xFF, 0xFF, 0xFF, 0xFF, 0x2A), .returns = 0},
    {"a loop that grows: L: ldnull br.s L", "on one path", CODE(0x14, 0x2B, 0xFD), .returns = 0},
    {"two ways, two depths, forward: ldarg.0 brtrue.s L, ldnull L: ret", "on one path",
     CODE(0x02, 0x2D, 1, 0x14, 0x2A), .returns = 1},
    {"a switch arm of another depth: ldnull L: ldarg.0 switch (L) pop pop ret", "on one path",
     CODE(0x14, 0x02, 0x45, 1, 0, 0, 0, 0xF5, 0xFF, 0xFF, 0xFF, 0x26, 0x26, 0x2A), .returns = 0},
    {"fallen into a catch", "on one path", CODE(0x00, 0x26, 0x2A), .returns = 0,
     .clause = {ILPI_EH_CATCH, 0, 1, 1, 1, 0x01000001}, .clause_count = 1},
    {"endfilter with two values", "one value alone", CODE(0x2A, 0x17, 0xFE, 0x11, 0x7A),
     .returns = 0, .clause = {ILPI_EH_FILTER, 0, 1, 4, 1, 1}, .clause_count = 1},
    {"a finally that takes an exception", "takes more", CODE(0x2A, 0x26, 0xDC), .returns = 0,
     .clause = {ILPI_EH_FINALLY, 0, 1, 1, 2, 0}, .clause_count = 1},
    {"a bad handler that is not reached otherwise", "off the end", CODE(0x2A, 0x26), .returns = 0,
     .clause = {ILPI_EH_CATCH, 0, 1, 1, 1, 0x01000001}, .clause_count = 1},
};
static void bad_code_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct computing computing;
        struct ilp_eh_clause clause = bad[i].clause;
        struct ilp_body body = {
            .code = bad[i].code, .clauses = &clause, .clause_count = bad[i].clause_count};
        compute(&computing, &body, bad[i].returns, 0);
        bool by_callback = strcmp(bad[i].says, "requested") == 0;
        if (computing.status != (by_callback ? ILP_E_CALLBACK : ILP_E_BAD_BODY)) {
            fail_msg("%s: %s", bad[i].name, ilp_status_name(computing.status));
        }
        assert_int_equal(computing.error.status, computing.status);
        assert_non_null(strstr(computing.error.message, bad[i].says));
        compute_end(&computing);
    }
}

/* 65,535 values are the most that MaxStack can say. */
static void the_limit_is_that_of_maxstack(void **state)
{
    (void)state;
    static uint8_t code[0x10000 + 2];
    struct computing computing;
    memset(code, 0x14, sizeof code); /* ldnull */
    code[0xFFFF] = 0x7A;             /* throw, at 65,535 */
    struct ilp_body body = {.code = {code, 0x10000}};
    compute(&computing, &body, 0, 0);
    assert_int_equal(computing.status, ILP_OK);
    assert_int_equal(computing.stack.max, 0xFFFF);
    compute_end(&computing);
    code[0xFFFF] = 0x14;
    code[0x10000] = 0x7A;
    body.code.size++;
    compute(&computing, &body, 0, 0);
    assert_int_equal(computing.status, ILP_E_BAD_BODY);
    compute_end(&computing);
}

/* A second run, with another result, forgets the first. */
static void runs_do_not_depend_on_each_other(void **state)
{
    (void)state;
    struct computing computing;
    struct ilp_body body = {.code = CODE(0x14, 0x2A)};
    compute(&computing, &body, 1, 0);
    assert_int_equal(computing.status, ILP_OK);
    size_t calls = computing.alloc.calls;
    assert_int_equal(ilpi_stack_compute(&computing.stack, &computing.code, &body, NULL, 0, NULL),
                     ILP_E_BAD_BODY);
    assert_int_equal(ilpi_stack_compute(&computing.stack, &computing.code, &body, NULL, 1, NULL),
                     ILP_OK);
    assert_int_equal(computing.stack.max, 1);
    assert_int_equal(computing.alloc.calls, calls);
    compute_end(&computing);
}

static void a_call_needs_a_resolver(void **state)
{
    (void)state;
    struct computing computing;
    struct ilp_body body = {.code = CODE(0x28, 0, 0, 0, 0, 0x2A)};
    compute(&computing, &body, 0, 0);
    assert_int_equal(computing.status, ILP_OK);
    assert_int_equal(ilpi_stack_compute(&computing.stack, &computing.code, &body, NULL, 0, NULL),
                     ILP_E_MISUSE);
    compute_end(&computing);
}

static void memory_that_ends_is_an_error(void **state)
{
    (void)state;
    struct ilp_body body = {.code = CODE(0x14, 0x2A)};
    bool done = false;
    for (size_t n = 1; !done; n++) {
        struct computing computing;
        compute(&computing, &body, 1, n);
        done = computing.alloc.calls < n;
        assert_int_equal(computing.status, done ? ILP_OK : ILP_E_NO_MEMORY);
        compute_end(&computing);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_are_those_of_every_path),
        cmocka_unit_test(bad_code_is_refused),
        cmocka_unit_test(the_limit_is_that_of_maxstack),
        cmocka_unit_test(runs_do_not_depend_on_each_other),
        cmocka_unit_test(a_call_needs_a_resolver),
        cmocka_unit_test(memory_that_ends_is_an_error),
    };
    return cmocka_run_group_tests_name("il/stack", tests, NULL, NULL);
}
