/* Insertions into random programs, against a reference that knows its program as a list of items
 * and widens naively: lay out, widen all that is out of reach, and again until nothing is. Bytes
 * and clauses agree. */
#include "il_test.h"

enum kind { PLAIN, SHORT, LONG, SWITCH };

#define MAX_ITEMS 600
#define MAX_ARMS  4

/* One instruction (with its prefix, which is one with it), what is inserted before it, and where it
 * is. */
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

static uint32_t size_of(const struct item *item)
{
    switch (item->kind) {
    case PLAIN: return item->size;
    case SHORT: return 2;
    case LONG: return 5;
    default: return 5 + item->arms * 4;
    }
}

static void lay_out(struct program *program, bool with_insertions)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i <= program->count; i++) {
        struct item *item = &program->items[i];
        item->label = at + (with_insertions ? item->entry : 0);
        item->begin = at + (with_insertions ? item->inserted_size : 0);
        item->end = item->begin + size_of(item);
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
        case PLAIN: memcpy(out, item->bytes, item->size); break;
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
        if (dice < branches) {
            item->kind = dice % 8 == 0 ? LONG : SHORT;
        } else {
            item->kind = dice == 99 ? SWITCH : PLAIN;
        }
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
            .handler_length = items[c.handler_offset + c.handler_length].label -
                              items[c.handler_offset].label,
            .token_or_filter = c.flags == ILPI_EH_FILTER ? items[c.token_or_filter].label
                                                         : c.token_or_filter,
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
    struct test_alloc alloc;
    struct ilp_error error;
    test_alloc_init(&alloc, 0);
    struct ilpi_code now = {.alloc = &alloc.alloc};
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
        patching_begin(&patching, (struct ilp_bytes){bytes, size}, clauses, program.clause_count);
        size_t count = list_insertions(&program, &patching.code, insertions);
        memset(inserted, 0, sizeof inserted);
        size_t total = size;
        for (size_t i = 0; i < count; i++) {
            inserted[insertions[i].insn] = (uint32_t)insertions[i].bytes.size - insertions[i].entry;
            total += insertions[i].bytes.size;
        }
        assert_int_equal(patching_apply(&patching, insertions, count), ILP_OK);

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
        patching_end(&patching);
    }
    assert_true(wider > 10000); /* else the programs are too tame to show anything */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_agree_with_the_reference),
    };
    return cmocka_run_group_tests_name("il/patch, random programs", tests, NULL, NULL);
}
