/* Insertions: what moves, what grows, and what stays. */
#include "il_test.h"

/* ---- cases ----------------------------------------------------------------------------------- */

#define DUP_CALL 0x25, 0x28, 1, 0, 0, 10

static const struct {
    const char *name;
    struct ilp_bytes code;
    struct ilpi_insertion insertions[2];
    size_t count;
    struct ilp_bytes expected;
    struct ilp_eh_clause clause; /* try_length 0: none */
    struct ilp_eh_clause expected_clause;
} cases[] = {
    {"nothing to insert", CODE(0x2B, 0, 0x2A), {{0}}, .count = 0, .expected = CODE(0x2B, 0, 0x2A)},
    {"a branch to ret leads to what is before it: ldarg.0 br.s L nop L: ret",
     CODE(0x02, 0x2B, 1, 0x00, 0x2A),
     {{3, 0, CODE(DUP_CALL)}},
     .count = 1,
     .expected = CODE(0x02, 0x2B, 1, 0x00, DUP_CALL, 0x2A)},
    {"after a tail call: brtrue.s L, tail. call, L: ret; the label leads past the inserted ret",
     CODE(0x02, 0x2D, 7, 0xFE, 0x14, 0x28, 1, 0, 0, 6, 0x2A),
     {{4, 1, CODE(0x2A, DUP_CALL)}},
     .count = 1,
     .expected = CODE(0x02, 0x2D, 8, 0xFE, 0x14, 0x28, 1, 0, 0, 6, 0x2A, DUP_CALL, 0x2A)},
    {"entry at the end: labels lead to the old instruction: L: nop br.s L",
     CODE(0x00, 0x2B, 0xFD),
     {{0, 6, CODE(DUP_CALL)}},
     .count = 1,
     .expected = CODE(DUP_CALL, 0x00, 0x2B, 0xFD)},
    {"inserted branches lead to the old instruction: brtrue.s A br.s A A: nop",
     CODE(0x00, 0x2B, 0xFD),
     {{0, 0, CODE(0x2D, 2, 0x2B, 0)}},
     .count = 1,
     .expected = CODE(0x2D, 2, 0x2B, 0, 0x00, 0x2B, 0xF9)},
    {"a loop over the insertion: L: nop br.s L",
     CODE(0x00, 0x2B, 0xFD),
     {{0, 0, CODE(DUP_CALL)}},
     .count = 1,
     .expected = CODE(DUP_CALL, 0x00, 0x2B, 0xF7)},
    {"a branch to itself has its insertion before it",
     CODE(0x2B, 0xFE),
     {{0, 0, CODE(0x00)}},
     .count = 1,
     .expected = CODE(0x00, 0x2B, 0xFD)},
    {"switch arms, before and after: L: ldarg.0 switch (L, M) M: ret",
     CODE(0x02, 0x45, 2, 0, 0, 0, 0xF2, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0x2A),
     {{0, 0, CODE(0x00)}, {2, 1, CODE(0x00, 0x00, 0x00)}},
     .count = 2,
     .expected = CODE(0x00, 0x02, 0x45, 2, 0, 0, 0, 0xF1, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 0x00, 0x00,
                      0x00, 0x2A)},
    {"a long branch stays long",
     CODE(0x38, 0, 0, 0, 0, 0x2A),
     {{1, 0, CODE(0x00)}},
     .count = 1,
     .expected = CODE(0x38, 0, 0, 0, 0, 0x00, 0x2A)},
    {"what is put before a handler is its own, what is put after it is not",
     CODE(0xDE, 1, 0xDC, 0x2A),
     {{1, 0, CODE(0x00)}, {2, 0, CODE(DUP_CALL)}},
     .count = 2,
     .expected = CODE(0xDE, 2, 0x00, 0xDC, DUP_CALL, 0x2A),
     .clause = {ILPI_EH_FINALLY, 0, 2, 2, 1, 0},
     .expected_clause = {ILPI_EH_FINALLY, 0, 2, 2, 2, 0}},
    {"with an entry, what is before it belongs to the block before",
     CODE(0xDE, 1, 0xDC, 0x2A),
     {{2, 1, CODE(0xDC, DUP_CALL)}},
     .count = 1,
     .expected = CODE(0xDE, 2, 0xDC, 0xDC, DUP_CALL, 0x2A),
     .clause = {ILPI_EH_FINALLY, 0, 2, 2, 1, 0},
     .expected_clause = {ILPI_EH_FINALLY, 0, 2, 2, 2, 0}},
    {"a filter, and a handler that ends with the code",
     CODE(0xDE, 0, 0x2A, 0x26, 0x17, 0xFE, 0x11, 0x7A),
     {{1, 0, CODE(0x00)}, {5, 0, CODE(0x25, 0x26)}},
     .count = 2,
     .expected = CODE(0xDE, 0, 0x00, 0x2A, 0x26, 0x17, 0xFE, 0x11, 0x25, 0x26, 0x7A),
     .clause = {ILPI_EH_FILTER, 0, 2, 7, 1, 3},
     .expected_clause = {ILPI_EH_FILTER, 0, 2, 8, 3, 4}},
    {"a token is no offset",
     CODE(0xDE, 0, 0x2A, 0x26),
     {{1, 0, CODE(0x00)}},
     .count = 1,
     .expected = CODE(0xDE, 0, 0x00, 0x2A, 0x26),
     .clause = {ILPI_EH_CATCH, 0, 2, 3, 1, 2},
     .expected_clause = {ILPI_EH_CATCH, 0, 2, 4, 1, 2}},
};

static void cases_come_out_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct patching patching;
        struct ilp_eh_clause clause = cases[i].clause;
        patching_begin(&patching, cases[i].code, &clause, clause.try_length > 0 ? 1 : 0);
        if (patching_apply(&patching, cases[i].insertions, cases[i].count) != ILP_OK) {
            fail_msg("%s: %s", cases[i].name, patching.error.message);
        }
        struct ilp_bytes code = ilpi_buf_bytes(&patching.patch.code);
        if (code.size != cases[i].expected.size ||
            memcmp(code.data, cases[i].expected.data, code.size) != 0) {
            fail_msg("%s", cases[i].name);
        }
        if (patching.body.clause_count > 0) {
            assert_memory_equal(patching.patch.clauses, &cases[i].expected_clause,
                                sizeof(struct ilp_eh_clause));
        }
        patching_end(&patching);
    }
}

/* br.s over `between` nops to a ret, and as many bytes put before the ret, reached after them or
 * not. */
static uint8_t branch_over(uint32_t between, uint32_t inserted, size_t *size)
{
    uint8_t bytes[256] = {0};
    uint8_t nops[256] = {0};
    struct patching patching;
    bytes[0] = 0x2B;
    bytes[1] = (uint8_t)between;
    bytes[2 + between] = 0x2A;
    struct ilpi_insertion insertion = {1 + between, inserted, {nops, inserted}};
    patching_begin(&patching, (struct ilp_bytes){bytes, 3 + between}, NULL, 0);
    assert_int_equal(patching_apply(&patching, &insertion, 1), ILP_OK);
    uint8_t first = patching.patch.code.data[0];
    *size = patching.patch.code.size;
    patching_end(&patching);
    return first;
}

static uint8_t branch_back_over(uint32_t between, uint32_t inserted, size_t *size)
{
    uint8_t bytes[256] = {0};
    uint8_t nops[256] = {0};
    struct patching patching;
    bytes[between] = 0x2B;
    bytes[between + 1] = (uint8_t)(0 - between - 2);
    struct ilpi_insertion insertion = {between, 0, {nops, inserted}};
    patching_begin(&patching, (struct ilp_bytes){bytes, between + 2}, NULL, 0);
    assert_int_equal(patching_apply(&patching, &insertion, 1), ILP_OK);
    uint8_t branch = patching.patch.code.data[between + inserted];
    *size = patching.patch.code.size;
    patching_end(&patching);
    return branch;
}

static void a_short_branch_stays_short_as_long_as_it_reaches(void **state)
{
    (void)state;
    size_t size;
    for (uint32_t between = 100; between <= 127; between++) {
        for (uint32_t inserted = 0; inserted < 40; inserted++) {
            bool fits = between + inserted <= 127;
            assert_int_equal(branch_over(between, inserted, &size), fits ? 0x2B : 0x38);
            assert_int_equal(size, 3 + between + inserted + (fits ? 0 : 3));
            if (between > 126) {
                continue;
            }
            fits = between + inserted + 2 <= 128;
            assert_int_equal(branch_back_over(between, inserted, &size), fits ? 0x2B : 0x38);
            assert_int_equal(size, 2 + between + inserted + (fits ? 0 : 3));
        }
    }
}

/* A row of br.s, each of which leads `reach` bytes on: one that grows puts all before it out of
 * reach, one after the other, when they have less than 3 bytes to spare, and none when they
 * have. */
static void widening_goes_as_far_as_it_must(void **state)
{
    (void)state;
    enum { ROW = 400 };
    for (uint32_t reach = 122; reach <= 126; reach += 2) {
        uint8_t bytes[ROW * 2 + 128];
        uint8_t nops[6] = {0};
        struct patching patching;
        memset(bytes, 0x2A, sizeof bytes);
        for (size_t i = 0; i < ROW; i++) {
            bytes[i * 2] = 0x2B;
            bytes[i * 2 + 1] = (uint8_t)reach;
        }
        /* before the target of the last branch alone, and seen by that branch alone */
        struct ilpi_insertion insertion = {0, 6, {nops, 6}};
        patching_begin(&patching, (struct ilp_bytes){bytes, sizeof bytes}, NULL, 0);
        insertion.insn = patching.code.index_at[ROW * 2 + reach];
        assert_int_equal(patching_apply(&patching, &insertion, 1), ILP_OK);
        size_t grown = (patching.patch.code.size - sizeof bytes - 6) / 3;
        assert_int_equal(grown, reach == 126 ? ROW : 1);
        patching_end(&patching);
    }
}

/* The two that are furthest apart: A, which reaches no further, spans B, which grows. */
static void a_branch_at_the_far_end_counts(void **state)
{
    (void)state;
    struct {
        uint32_t a, b;
        uint8_t a_distance;
    } far_ends[] = {
        {0, 127, 127},               /* A over B, to right after it */
        {126, 0, (uint8_t)INT8_MIN}, /* A back to B itself */
    };
    for (size_t i = 0; i < 2; i++) {
        uint8_t bytes[300] = {0};
        uint8_t nop = 0;
        struct patching patching;
        bytes[far_ends[i].a] = 0x2B;
        bytes[far_ends[i].a + 1] = far_ends[i].a_distance;
        bytes[far_ends[i].b] = 0x2C;
        bytes[far_ends[i].b + 1] = 127;
        patching_begin(&patching, (struct ilp_bytes){bytes, sizeof bytes}, NULL, 0);
        /* after A and its target, before B's */
        uint32_t index = patching.code.index_at[far_ends[i].b + 128];
        assert_int_equal(
            patching_apply(&patching, &(struct ilpi_insertion){index, 0, {&nop, 1}}, 1), ILP_OK);
        index = patching.code.index_at[far_ends[i].a];
        assert_int_equal(patching.patch.code.data[patching.patch.new_offset[index]], 0x38);
        index = patching.code.index_at[far_ends[i].b];
        assert_int_equal(patching.patch.code.data[patching.patch.new_offset[index]], 0x39);
        assert_int_equal(patching.patch.code.size, sizeof bytes + 1 + 3 + 3);
        patching_end(&patching);
    }
}

/* ---- misuse and memory ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct ilpi_insertion insertions[2];
    size_t count;
    ilp_status status;
} misuses[] = {
    {"before the end", {{4, 0, CODE(0x00)}}, 1, ILP_E_MISUSE},
    {"twice at one place", {{1, 0, CODE(0x00)}, {1, 0, CODE(0x00)}}, 2, ILP_E_MISUSE},
    {"falling", {{1, 0, CODE(0x00)}, {0, 0, CODE(0x00)}}, 2, ILP_E_MISUSE},
    {"after a prefix", {{2, 0, CODE(0x00)}}, 1, ILP_E_MISUSE},
    {"an entry after the bytes", {{0, 2, CODE(0x00)}}, 1, ILP_E_MISUSE},
    {"an entry inside an instruction", {{0, 1, CODE(0x1F, 0x00)}}, 1, ILP_E_MISUSE},
    {"an entry after a prefix", {{0, 2, CODE(0xFE, 0x13, 0x4A)}}, 1, ILP_E_MISUSE},
    {"half an instruction", {{0, 0, CODE(0x00, 0x1F)}}, 1, ILP_E_MISUSE},
    {"no instruction", {{0, 0, CODE(0x24)}}, 1, ILP_E_MISUSE},
    {"a branch past the old instruction", {{0, 0, CODE(0x2B, 0x01)}}, 1, ILP_E_MISUSE},
    {"a branch before the bytes", {{0, 0, CODE(0x2B, 0xFD)}}, 1, ILP_E_MISUSE},
    {"a long branch past it", {{0, 0, CODE(0x38, 0x01, 0x00, 0x00, 0x00)}}, 1, ILP_E_MISUSE},
    {"a long branch before the bytes",
     {{0, 0, CODE(0x38, 0xFA, 0xFF, 0xFF, 0xFF)}},
     1,
     ILP_E_MISUSE},
    {"a switch", {{0, 0, CODE(0x45, 0, 0, 0, 0)}}, 1, ILP_E_MISUSE},
    {"a prefix at the end", {{0, 0, CODE(0xFE, 0x14)}}, 1, ILP_E_MISUSE},
    {"more bytes than code can have", {{0, 0, {NULL, ILPI_MAX_CODE - 4}}}, 1, ILP_E_TOO_LARGE},
    {"more together",
     {{0, 0, {NULL, ILPI_MAX_CODE / 2}}, {1, 0, {NULL, ILPI_MAX_CODE / 2}}},
     2,
     ILP_E_TOO_LARGE},
    {"sizes that wrap", {{0, 0, {NULL, SIZE_MAX}}, {1, 0, {NULL, 2}}}, 2, ILP_E_TOO_LARGE},
};
static void misuse_is_refused(void **state)
{
    (void)state;
    const struct ilp_bytes code = CODE(0x00, 0xFE, 0x13, 0x4A,
                                       0x2A); /* nop volatile. ldind.i4 ret */
    struct patching patching;
    patching_begin(&patching, code, NULL, 0);
    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        ilp_status status = patching_apply(&patching, misuses[i].insertions, misuses[i].count);
        if (status != misuses[i].status) {
            fail_msg("%s: %s", misuses[i].name, ilp_status_name(status));
        }
        assert_int_equal(patching.error.status, status);
    }
    patching_end(&patching);
}

/* The plan is compared with what is written: a change in between is an error, not a bad
 * method. */
static void code_that_changed_since_is_refused(void **state)
{
    (void)state;
    struct patching patching;
    struct ilp_eh_clause clause = {ILPI_EH_FINALLY, 0, 2, 2, 1, 0};
    patching_begin(&patching, (struct ilp_bytes)CODE(0xDE, 1, 0xDC, 0x2A), &clause, 1);
    clause.try_length = 1;
    assert_int_equal(patching_apply(&patching, NULL, 0), ILP_E_MISUSE);
    clause.try_length = 100;
    assert_int_equal(patching_apply(&patching, NULL, 0), ILP_E_MISUSE);
    clause.try_length = 2;
    assert_int_equal(patching_apply(&patching, NULL, 0), ILP_OK);
    patching.code.insns[0].size = 3;
    assert_int_equal(patching_apply(&patching, NULL, 0), ILP_E_MISUSE);
    patching_end(&patching);
}

static void memory_that_ends_is_an_error(void **state)
{
    (void)state;
    struct patching patching;
    struct ilp_eh_clause clause = {ILPI_EH_FINALLY, 0, 2, 2, 1, 0};
    const struct ilpi_insertion insertion = {1, 0, CODE(DUP_CALL)};
    patching_begin(&patching, (struct ilp_bytes)CODE(0xDE, 1, 0xDC, 0x2A), &clause, 1);
    bool done = false;
    for (size_t n = 1; !done; n++) {
        patching.alloc.calls = 0;
        patching.alloc.fail_at = n;
        ilp_status status = patching_apply(&patching, &insertion, 1);
        done = patching.alloc.calls < n;
        assert_int_equal(status, done ? ILP_OK : ILP_E_NO_MEMORY);
        ilpi_patch_free(&patching.patch);
        assert_true(n < 100);
    }
    patching_end(&patching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_come_out_as_written),
        cmocka_unit_test(a_short_branch_stays_short_as_long_as_it_reaches),
        cmocka_unit_test(widening_goes_as_far_as_it_must),
        cmocka_unit_test(a_branch_at_the_far_end_counts),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(code_that_changed_since_is_refused),
        cmocka_unit_test(memory_that_ends_is_an_error),
    };
    return cmocka_run_group_tests_name("il/patch", tests, NULL, NULL);
}
