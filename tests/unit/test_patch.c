/* Insertions: what moves, what grows, and what stays, against a reference that iterates naively. */
#include "il_test.h"

struct patching {
    struct test_heap heap;
    struct ilpi_code code;
    struct ilpi_patch patch;
    struct ilp_body body;
    struct ilp_error error;
};

static void begin(struct patching *patching, struct ilp_bytes bytes, struct ilp_eh_clause *clauses,
                  size_t clause_count)
{
    *patching = (struct patching){
        .code = {.heap = &patching->heap.heap},
        .patch = {.heap = &patching->heap.heap},
        .body = {.clauses = clauses, .clause_count = clause_count},
    };
    test_heap_init(&patching->heap, 0);
    patching->body.code = exact(bytes.data, bytes.size);
    assert_int_equal(ilpi_code_decode(&patching->code, &patching->body, &patching->error), ILP_OK);
}

static ilp_status apply(struct patching *patching, const struct ilpi_insertion *insertions,
                        size_t count)
{
    return ilpi_patch_apply(&patching->patch, &patching->code, &patching->body, insertions, count,
                            &patching->error);
}

static void end(struct patching *patching)
{
    free_bytes(patching->body.code);
    ilpi_patch_free(&patching->patch);
    ilpi_code_free(&patching->code);
    assert_int_equal(patching->heap.heap.used, 0);
}

/* ---- cases --------------------------------------------------------------------------------------- */

#define DUP_CALL 0x25, 0x28, 1, 0, 0, 10
#define NO_CLAUSE {0, 0, 0, 0, 0, 0}

static const struct {
    const char *name;
    struct ilp_bytes code;
    struct ilpi_insertion insertions[2];
    size_t count;
    struct ilp_bytes expected;
    struct ilp_eh_clause clause; /* try_length 0: none */
    struct ilp_eh_clause expected_clause;
} cases[] = {
    {"nothing to insert", CODE(0x2B, 0, 0x2A), {{0}}, 0, CODE(0x2B, 0, 0x2A), NO_CLAUSE, NO_CLAUSE},
    {"a branch to ret leads to what stands before it: ldarg.0 br.s L nop L: ret",
     CODE(0x02, 0x2B, 1, 0x00, 0x2A),
     {{3, 0, CODE(DUP_CALL)}},
     1,
     CODE(0x02, 0x2B, 1, 0x00, DUP_CALL, 0x2A),
     NO_CLAUSE,
     NO_CLAUSE},
    {"behind a tail call: brtrue.s L, tail. call, L: ret; the label leads past the inserted ret",
     CODE(0x02, 0x2D, 7, 0xFE, 0x14, 0x28, 1, 0, 0, 6, 0x2A),
     {{4, 1, CODE(0x2A, DUP_CALL)}},
     1,
     CODE(0x02, 0x2D, 8, 0xFE, 0x14, 0x28, 1, 0, 0, 6, 0x2A, DUP_CALL, 0x2A),
     NO_CLAUSE,
     NO_CLAUSE},
    {"entry at the end: labels lead to the old instruction: L: nop br.s L",
     CODE(0x00, 0x2B, 0xFD),
     {{0, 6, CODE(DUP_CALL)}},
     1,
     CODE(DUP_CALL, 0x00, 0x2B, 0xFD),
     NO_CLAUSE,
     NO_CLAUSE},
    {"a loop over the insertion: L: nop br.s L", CODE(0x00, 0x2B, 0xFD), {{0, 0, CODE(DUP_CALL)}}, 1,
     CODE(DUP_CALL, 0x00, 0x2B, 0xF7), NO_CLAUSE, NO_CLAUSE},
    {"a branch to itself has its insertion before it", CODE(0x2B, 0xFE), {{0, 0, CODE(0x00)}}, 1,
     CODE(0x00, 0x2B, 0xFD), NO_CLAUSE, NO_CLAUSE},
    {"switch arms, before and behind: L: ldarg.0 switch (L, M) M: ret",
     CODE(0x02, 0x45, 2, 0, 0, 0, 0xF2, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0x2A),
     {{0, 0, CODE(0x00)}, {2, 1, CODE(0x00, 0x00, 0x00)}},
     2,
     CODE(0x00, 0x02, 0x45, 2, 0, 0, 0, 0xF1, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 0x00, 0x00, 0x00, 0x2A),
     NO_CLAUSE,
     NO_CLAUSE},
    {"a long branch stays long", CODE(0x38, 0, 0, 0, 0, 0x2A), {{1, 0, CODE(0x00)}}, 1,
     CODE(0x38, 0, 0, 0, 0, 0x00, 0x2A), NO_CLAUSE, NO_CLAUSE},
    {"EH ends: try, handler, ret: before the handler the try grows, before ret the handler does not",
     CODE(0xDE, 1, 0xDC, 0x2A),
     {{1, 0, CODE(0x00)}, {2, 0, CODE(DUP_CALL)}},
     2,
     CODE(0xDE, 2, 0x00, 0xDC, DUP_CALL, 0x2A),
     {ILPI_EH_FINALLY, 0, 2, 2, 1, 0},
     {ILPI_EH_FINALLY, 0, 2, 2, 2, 0}},
    {"with an entry, what is before it belongs to the block before",
     CODE(0xDE, 1, 0xDC, 0x2A),
     {{2, 1, CODE(0xDC, DUP_CALL)}},
     1,
     CODE(0xDE, 2, 0xDC, 0xDC, DUP_CALL, 0x2A),
     {ILPI_EH_FINALLY, 0, 2, 2, 1, 0},
     {ILPI_EH_FINALLY, 0, 2, 2, 2, 0}},
    {"a filter and a handler that ends with the code: leave.s L; L: ret; pop ldc.i4.1 endfilter; throw",
     CODE(0xDE, 0, 0x2A, 0x26, 0x17, 0xFE, 0x11, 0x7A),
     {{1, 0, CODE(0x00)}, {5, 0, CODE(0x25, 0x26)}},
     2,
     CODE(0xDE, 0, 0x00, 0x2A, 0x26, 0x17, 0xFE, 0x11, 0x25, 0x26, 0x7A),
     {ILPI_EH_FILTER, 0, 2, 7, 1, 3},
     {ILPI_EH_FILTER, 0, 2, 8, 3, 4}},
    {"a token is no offset", CODE(0xDE, 0, 0x2A, 0x26), {{1, 0, CODE(0x00)}}, 1,
     CODE(0xDE, 0, 0x00, 0x2A, 0x26), {ILPI_EH_CATCH, 0, 2, 3, 1, 2}, {ILPI_EH_CATCH, 0, 2, 4, 1, 2}},
};

static void far_endscome_out_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct patching patching;
        struct ilp_eh_clause clause = cases[i].clause;
        begin(&patching, cases[i].code, &clause, clause.try_length > 0 ? 1 : 0);
        if (apply(&patching, cases[i].insertions, cases[i].count) != ILP_OK) {
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
        end(&patching);
    }
}

/* br.s over `between` nops to a ret, and as many bytes put before the ret, reached behind them or not. */
static uint8_t branch_over(uint32_t between, uint32_t inserted, size_t *size)
{
    uint8_t bytes[256] = {0};
    uint8_t nops[256] = {0};
    struct patching patching;
    bytes[0] = 0x2B;
    bytes[1] = (uint8_t)between;
    bytes[2 + between] = 0x2A;
    struct ilpi_insertion insertion = {1 + between, inserted, {nops, inserted}};
    begin(&patching, (struct ilp_bytes){bytes, 3 + between}, NULL, 0);
    assert_int_equal(apply(&patching, &insertion, 1), ILP_OK);
    uint8_t first = patching.patch.code.data[0];
    *size = patching.patch.code.size;
    end(&patching);
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
    begin(&patching, (struct ilp_bytes){bytes, between + 2}, NULL, 0);
    assert_int_equal(apply(&patching, &insertion, 1), ILP_OK);
    uint8_t branch = patching.patch.code.data[between + inserted];
    *size = patching.patch.code.size;
    end(&patching);
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

/* A row of br.s, each of which leads `reach` bytes on: one that grows puts all before it out of reach, one
 * after the other, when they have less than 3 bytes to spare, and none when they have. */
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
        begin(&patching, (struct ilp_bytes){bytes, sizeof bytes}, NULL, 0);
        insertion.insn = patching.code.index_at[ROW * 2 + reach];
        assert_int_equal(apply(&patching, &insertion, 1), ILP_OK);
        size_t grown = (patching.patch.code.size - sizeof bytes - 6) / 3;
        assert_int_equal(grown, reach == 126 ? ROW : 1);
        end(&patching);
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
        {0, 127, 127},               /* A over B, to right behind it */
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
        begin(&patching, (struct ilp_bytes){bytes, sizeof bytes}, NULL, 0);
        /* behind A and its target, before B's */
        uint32_t index = patching.code.index_at[far_ends[i].b + 128];
        assert_int_equal(apply(&patching, &(struct ilpi_insertion){index, 0, {&nop, 1}}, 1), ILP_OK);
        index = patching.code.index_at[far_ends[i].a];
        assert_int_equal(patching.patch.code.data[patching.patch.new_offset[index]], 0x38);
        index = patching.code.index_at[far_ends[i].b];
        assert_int_equal(patching.patch.code.data[patching.patch.new_offset[index]], 0x39);
        assert_int_equal(patching.patch.code.size, sizeof bytes + 1 + 3 + 3);
        end(&patching);
    }
}

/* ---- against the reference --------------------------------------------------------------------- */

enum kind { PLAIN, SHORT, LONG, SWITCH };

#define MAX_ITEMS 600
#define MAX_ARMS 4

/* One instruction (with its prefix, which is one with it), what is inserted before it, and where it is. */
struct item {
    enum kind kind;
    uint8_t bytes[12]; /* of a plain one; the opcode of a short branch */
    uint32_t size;     /* of a plain one */
    uint32_t arms;
    uint32_t targets[MAX_ARMS];
    uint8_t inserted[40];
    uint32_t inserted_size;
    uint32_t entry;
    uint32_t label; /* what layout() finds: where labels lead, where it begins and ends */
    uint32_t begin;
    uint32_t end;
};

struct program {
    struct item items[MAX_ITEMS + 1]; /* the last one is the end of the code */
    uint32_t count;
    struct ilp_eh_clause clauses[8]; /* in items */
    uint32_t clause_count;
};

static const struct {
    uint8_t bytes[9];
    uint32_t size;
} plain[] = {
    {{0x00}, 1},          {{0x1F, 7}, 2},
    {{0x25}, 1},          {{0x28, 1, 0, 0, 6}, 5},
    {{0xFE, 0x01}, 2},    {{0xFE, 0x0C, 1, 0}, 4},
    {{0x23, 1, 2, 3}, 9}, {{0xFE, 0x13, 0x4A}, 3},
    {{0x2A}, 1},          {{0xFE, 0x12, 1, 0xFE, 0x13, 0x4A}, 6},
};
#define PLAIN_COUNT (sizeof plain / sizeof plain[0])

static void lay_out(struct program *program, bool with_insertions)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i <= program->count; i++) {
        struct item *item = &program->items[i];
        item->label = at + (with_insertions ? item->entry : 0);
        item->begin = at + (with_insertions ? item->inserted_size : 0);
        item->end = item->begin + (item->kind == PLAIN   ? item->size
                                   : item->kind == SHORT ? 2
                                   : item->kind == LONG  ? 5
                                                         : 5 + item->arms * 4);
        at = item->end;
    }
}

static bool out_of_reach(const struct program *program, const struct item *item)
{
    int64_t distance = (int64_t)program->items[item->targets[0]].label - item->end;
    return item->kind == SHORT && (distance < -128 || distance > 127);
}

/* All that are out of reach at once, again and again, until none is. */
static void widen_naively(struct program *program)
{
    bool any = true;
    while (any) {
        any = false;
        lay_out(program, true);
        for (uint32_t i = 0; i < program->count; i++) {
            if (out_of_reach(program, &program->items[i])) {
                program->items[i].kind = LONG;
                any = true;
            }
        }
    }
}

static void store(uint8_t *to, int64_t value)
{
    ilpi_store_u32(to, (uint32_t)value);
}

static size_t assemble(const struct program *program, bool with_insertions, uint8_t *to)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct item *item = &program->items[i];
        uint8_t *out = to + item->begin;
        if (with_insertions) {
            memcpy(out - item->inserted_size, item->inserted, item->inserted_size);
        }
        int64_t distances[MAX_ARMS];
        for (uint32_t arm = 0; arm < item->arms; arm++) {
            distances[arm] = (int64_t)program->items[item->targets[arm]].label - item->end;
        }
        switch (item->kind) {
        case PLAIN:
            memcpy(out, item->bytes, item->size);
            break;
        case SHORT:
            out[0] = item->bytes[0];
            out[1] = (uint8_t)distances[0];
            break;
        case LONG: /* 2B..37 and 38..44, DE and DD */
            out[0] = item->bytes[0] == 0xDE ? 0xDD : (uint8_t)(item->bytes[0] + 13);
            store(out + 1, distances[0]);
            break;
        case SWITCH:
            out[0] = 0x45;
            store(out + 1, item->arms);
            for (uint32_t arm = 0; arm < item->arms; arm++) {
                store(out + 5 + arm * 4, distances[arm]);
            }
            break;
        }
    }
    return program->items[program->count].begin;
}

/* Random items; then short branches get targets in reach, or are long. */
static void make_program(struct program *program, uint32_t *random)
{
    *program = (struct program){.count = 1 + below(random, MAX_ITEMS)};
    uint32_t branches = below(random, 100); /* in a hundred items */
    for (uint32_t i = 0; i < program->count; i++) {
        struct item *item = &program->items[i];
        uint32_t dice = below(random, 100);
        item->kind = dice < branches ? (dice % 8 == 0 ? LONG : SHORT) : dice == 99 ? SWITCH : PLAIN;
        const size_t form = below(random, PLAIN_COUNT);
        memcpy(item->bytes, plain[form].bytes, sizeof plain[form].bytes);
        item->size = plain[form].size;
        if (item->kind == SHORT || item->kind == LONG) {
            item->bytes[0] = below(random, 14) == 13 ? 0xDE : (uint8_t)(0x2B + below(random, 13));
        }
        item->arms = item->kind == SWITCH ? below(random, MAX_ARMS + 1) : item->kind != PLAIN;
    }
    lay_out(program, false);
    uint32_t far = 1 + below(random, 70); /* items; the nearer to 128 bytes, the better the test */
    for (uint32_t i = 0; i < program->count; i++) {
        struct item *item = &program->items[i];
        for (uint32_t arm = 0; arm < item->arms; arm++) {
            item->targets[arm] = below(random, program->count);
        }
        if (item->kind == SHORT) {
            uint32_t low = i > far ? i - far : 0;
            uint32_t high = program->count - i > far ? i + far : program->count - 1;
            bool forward = below(random, 2) == 0;
            item->targets[0] = forward ? high - below(random, 3) % (high - i + 1)
                                       : low + below(random, 3) % (i - low + 1);
            while (out_of_reach(program, item)) {
                item->targets[0] += forward ? UINT32_MAX : 1;
            }
        }
    }
}

static void make_insertions(struct program *program, uint32_t *random)
{
    uint32_t often = below(random, 30);
    for (uint32_t i = 0; i < program->count; i++) {
        struct item *item = &program->items[i];
        if (below(random, 100) >= often) {
            continue;
        }
        for (uint32_t n = below(random, 4); n > 0; n--) {
            size_t form = below(random, PLAIN_COUNT);
            if (below(random, 2) == 0) {
                item->entry = item->inserted_size;
            }
            memcpy(item->inserted + item->inserted_size, plain[form].bytes, plain[form].size);
            item->inserted_size += plain[form].size;
        }
    }
}

static void make_clauses(struct program *program, uint32_t *random)
{
    static const uint32_t kinds[] = {ILPI_EH_CATCH, ILPI_EH_FILTER, ILPI_EH_FINALLY, ILPI_EH_FAULT};
    program->clause_count = below(random, 9);
    for (uint32_t i = 0; i < program->clause_count; i++) {
        struct ilp_eh_clause *clause = &program->clauses[i];
        clause->flags = kinds[below(random, 4)];
        clause->try_offset = below(random, program->count);
        clause->try_length = below(random, program->count - clause->try_offset + 1);
        clause->handler_offset = below(random, program->count);
        clause->handler_length = below(random, program->count - clause->handler_offset + 1);
        clause->token_or_filter = below(random, program->count);
    }
}

/* The clauses of the program in bytes of its present layout. */
static void place_clauses(const struct program *program, struct ilp_eh_clause *clauses)
{
    const struct item *items = program->items;
    for (uint32_t i = 0; i < program->clause_count; i++) {
        struct ilp_eh_clause c = program->clauses[i];
        clauses[i] = (struct ilp_eh_clause){
            .flags = c.flags,
            .try_offset = items[c.try_offset].label,
            .try_length = items[c.try_offset + c.try_length].label - items[c.try_offset].label,
            .handler_offset = items[c.handler_offset].label,
            .handler_length =
                items[c.handler_offset + c.handler_length].label - items[c.handler_offset].label,
            .token_or_filter =
                c.flags == ILPI_EH_FILTER ? items[c.token_or_filter].label : c.token_or_filter,
        };
    }
}

static size_t list_insertions(const struct program *program, const struct ilpi_code *code,
                              struct ilpi_insertion *insertions)
{
    size_t count = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct item *item = &program->items[i];
        if (item->inserted_size > 0) {
            insertions[count++] = (struct ilpi_insertion){
                code->index_at[item->begin], item->entry, {item->inserted, item->inserted_size}};
        }
    }
    return count;
}

/* Without the reference: every old instruction is found in the new code, and leads where it led. */
static void assert_leads_where_it_led(const struct patching *patching, const uint32_t *inserted)
{
    const struct ilpi_code *old = &patching->code;
    const struct ilpi_patch *patch = &patching->patch;
    struct test_heap heap;
    struct ilp_error error;
    test_heap_init(&heap, 0);
    struct ilpi_code now = {.heap = &heap.heap};
    struct ilp_body body = {.code = exact(patch->code.data, patch->code.size),
                            .clauses = patch->clauses,
                            .clause_count = patching->body.clause_count};
    assert_int_equal(ilpi_code_decode(&now, &body, &error), ILP_OK);
    for (size_t i = 0; i < old->count; i++) {
        const struct ilpi_insn *was = &old->insns[i];
        uint32_t index = now.index_at[patch->new_offset[i] + inserted[i]];
        assert_int_not_equal(index, ILPI_NO_INSN);
        const struct ilpi_insn *is = &now.insns[index];
        if (is->op != was->op) {
            assert_int_equal(is->op, ilpi_op_long_branch((enum ilpi_op)was->op));
        }
        unsigned operand = ilpi_opcodes[was->op].operand;
        if (operand == ILPI_OPERAND_TARGET1 || operand == ILPI_OPERAND_TARGET4) {
            uint32_t target = old->index_at[ilpi_insn_target(old, was)];
            assert_int_equal(ilpi_insn_target(&now, is), patch->new_offset[target]);
        } else if (operand == ILPI_OPERAND_SWITCH) {
            assert_int_equal(ilpi_switch_count(&now, is), ilpi_switch_count(old, was));
            for (uint32_t arm = 0; arm < ilpi_switch_count(old, was); arm++) {
                uint32_t target = old->index_at[ilpi_switch_target(old, was, arm)];
                assert_int_equal(ilpi_switch_target(&now, is, arm), patch->new_offset[target]);
            }
        } else {
            assert_int_equal(is->size, was->size);
            assert_memory_equal(body.code.data + is->offset, old->bytes.data + was->offset,
                                was->size);
        }
    }
    free_bytes(body.code);
    ilpi_code_free(&now);
}

static void random_programs_agree_with_the_reference(void **state)
{
    (void)state;
    static struct program program;
    static uint8_t bytes[MAX_ITEMS * 64];
    static struct ilpi_insertion insertions[MAX_ITEMS];
    static uint32_t inserted[MAX_ITEMS * 4];
    uint32_t random = 20240607;
    size_t wider = 0;
    for (int round = 0; round < 3000; round++) {
        struct patching patching;
        struct ilp_eh_clause clauses[8];
        struct ilp_eh_clause expected[8];
        make_program(&program, &random);
        make_insertions(&program, &random);
        make_clauses(&program, &random);
        place_clauses(&program, clauses);
        size_t size = assemble(&program, false, bytes);
        begin(&patching, (struct ilp_bytes){bytes, size}, clauses, program.clause_count);
        size_t count = list_insertions(&program, &patching.code, insertions);
        memset(inserted, 0, sizeof inserted);
        size_t total = size;
        for (size_t i = 0; i < count; i++) {
            inserted[insertions[i].insn] = (uint32_t)insertions[i].bytes.size - insertions[i].entry;
            total += insertions[i].bytes.size;
        }
        assert_int_equal(apply(&patching, insertions, count), ILP_OK);

        widen_naively(&program);
        size = assemble(&program, true, bytes);
        place_clauses(&program, expected);
        assert_int_equal(patching.patch.code.size, size);
        assert_memory_equal(patching.patch.code.data, bytes, size);
        assert_memory_equal(patching.patch.clauses, expected,
                            program.clause_count * sizeof expected[0]);
        assert_int_equal(patching.patch.new_offset[patching.code.count], size);
        assert_leads_where_it_led(&patching, inserted);
        wider += (size - total) / 3;
        end(&patching);
    }
    assert_true(wider > 10000); /* else the programs are too tame to show anything */
}

/* ---- misuse and memory ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct ilpi_insertion insertions[2];
    size_t count;
    ilp_status status;
} misuses[] = {
    {"before the end", {{4, 0, CODE(0x00)}}, 1, ILP_E_MISUSE},
    {"twice at one place", {{1, 0, CODE(0x00)}, {1, 0, CODE(0x00)}}, 2, ILP_E_MISUSE},
    {"falling", {{1, 0, CODE(0x00)}, {0, 0, CODE(0x00)}}, 2, ILP_E_MISUSE},
    {"behind a prefix", {{2, 0, CODE(0x00)}}, 1, ILP_E_MISUSE},
    {"an entry behind the bytes", {{0, 2, CODE(0x00)}}, 1, ILP_E_MISUSE},
    {"an entry inside an instruction", {{0, 1, CODE(0x1F, 0x00)}}, 1, ILP_E_MISUSE},
    {"an entry behind a prefix", {{0, 2, CODE(0xFE, 0x13, 0x4A)}}, 1, ILP_E_MISUSE},
    {"half an instruction", {{0, 0, CODE(0x00, 0x1F)}}, 1, ILP_E_MISUSE},
    {"no instruction", {{0, 0, CODE(0x24)}}, 1, ILP_E_MISUSE},
    {"a branch", {{0, 0, CODE(0x2B, 0x00)}}, 1, ILP_E_MISUSE},
    {"a switch", {{0, 0, CODE(0x45, 0, 0, 0, 0)}}, 1, ILP_E_MISUSE},
    {"a prefix at the end", {{0, 0, CODE(0xFE, 0x14)}}, 1, ILP_E_MISUSE},
    {"more bytes than code can have", {{0, 0, {NULL, ILPI_MAX_CODE - 4}}}, 1, ILP_E_TOO_LARGE},
    {"more together", {{0, 0, {NULL, ILPI_MAX_CODE / 2}}, {1, 0, {NULL, ILPI_MAX_CODE / 2}}}, 2,
     ILP_E_TOO_LARGE},
    {"sizes that wrap", {{0, 0, {NULL, SIZE_MAX}}, {1, 0, {NULL, 2}}}, 2, ILP_E_TOO_LARGE},
};

static void misuse_is_refused(void **state)
{
    (void)state;
    const struct ilp_bytes code = CODE(0x00, 0xFE, 0x13, 0x4A, 0x2A); /* nop volatile. ldind.i4 ret */
    struct patching patching;
    begin(&patching, code, NULL, 0);
    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        ilp_status status = apply(&patching, misuses[i].insertions, misuses[i].count);
        if (status != misuses[i].status) {
            fail_msg("%s: %s", misuses[i].name, ilp_status_name(status));
        }
        assert_int_equal(patching.error.status, status);
    }
    end(&patching);
}

/* The plan is held against what is written: a change behind our back is an error, not a bad method. */
static void code_that_changed_since_is_refused(void **state)
{
    (void)state;
    struct patching patching;
    struct ilp_eh_clause clause = {ILPI_EH_FINALLY, 0, 2, 2, 1, 0};
    begin(&patching, (struct ilp_bytes)CODE(0xDE, 1, 0xDC, 0x2A), &clause, 1);
    clause.try_length = 1;
    assert_int_equal(apply(&patching, NULL, 0), ILP_E_MISUSE);
    clause.try_length = 100;
    assert_int_equal(apply(&patching, NULL, 0), ILP_E_MISUSE);
    clause.try_length = 2;
    assert_int_equal(apply(&patching, NULL, 0), ILP_OK);
    patching.code.insns[0].size = 3;
    assert_int_equal(apply(&patching, NULL, 0), ILP_E_MISUSE);
    end(&patching);
}

static void memory_that_ends_is_an_error(void **state)
{
    (void)state;
    struct patching patching;
    struct ilp_eh_clause clause = {ILPI_EH_FINALLY, 0, 2, 2, 1, 0};
    const struct ilpi_insertion insertion = {1, 0, CODE(DUP_CALL)};
    begin(&patching, (struct ilp_bytes)CODE(0xDE, 1, 0xDC, 0x2A), &clause, 1);
    bool done = false;
    for (size_t n = 1; !done; n++) {
        patching.heap.calls = 0;
        patching.heap.fail_at = n;
        ilp_status status = apply(&patching, &insertion, 1);
        done = patching.heap.calls < n;
        assert_int_equal(status, done ? ILP_OK : ILP_E_NO_MEMORY);
        ilpi_patch_free(&patching.patch);
        assert_true(n < 100);
    }
    end(&patching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_endscome_out_as_written),
        cmocka_unit_test(a_short_branch_stays_short_as_long_as_it_reaches),
        cmocka_unit_test(widening_goes_as_far_as_it_must),
        cmocka_unit_test(a_branch_at_the_far_end_counts),
        cmocka_unit_test(random_programs_agree_with_the_reference),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(code_that_changed_since_is_refused),
        cmocka_unit_test(memory_that_ends_is_an_error),
    };
    return cmocka_run_group_tests_name("il/patch", tests, NULL, NULL);
}
