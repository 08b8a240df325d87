/* Code into instructions: sizes, targets, and the code that is refused. */
#include "il_test.h"

struct decoding {
    struct test_alloc alloc;
    struct ilpi_code code;
    struct ilp_error error;
    ilp_status status;
};

#define ORIGIN 0x500u

static void decode(struct decoding *decoding, struct ilp_bytes bytes, struct ilp_eh_clause *clauses,
                   size_t clause_count)
{
    *decoding = (struct decoding){.code = {.alloc = &decoding->alloc.alloc}};
    test_alloc_init(&decoding->alloc, 0);
    struct ilp_body body = {.code = exact(bytes.data, bytes.size),
                            .code_offset = ORIGIN,
                            .clauses = clauses,
                            .clause_count = clause_count};
    decoding->status = ilpi_code_decode(&decoding->code, &body, &decoding->error);
    if (decoding->status != ILP_OK) {
        assert_int_equal(decoding->error.status, decoding->status);
        assert_in_range(decoding->error.offset, ORIGIN, ORIGIN + bytes.size);
    }
}

static void decode_end(struct decoding *decoding)
{
    free_bytes(decoding->code.bytes);
    ilpi_code_free(&decoding->code);
    assert_int_equal(decoding->alloc.alloc.used, 0);
}

static void instructions_and_the_way_back_from_offsets(void **state)
{
    (void)state;
    struct decoding decoding;
    const struct ilp_bytes bytes = CODE(0x00,                                     /* 0: nop */
                                        0xFE, 0x0C, 1, 0,                         /* 1: ldloc 1 */
                                        0x45, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, /* 5: switch */
                                        0x21, 1, 2, 3, 4, 5, 6, 7, 8,             /* 18: ldc.i8 */
                                        0xFE, 0x13,                   /* 27: volatile. */
                                        0x4A,                         /* 29: ldind.i4 */
                                        0x2B, 0xFE,                   /* 30: br.s 30 */
                                        0x38, 0xFB, 0xFF, 0xFF, 0xFF, /* 32: br 32 */
                                        0x28, 4, 3, 2, 6);            /* 37: call */
    const struct {
        uint32_t offset;
        enum ilpi_op op;
        uint8_t marks;
    } expected[] = {
        {0, ILPI_OP_NOP, 0},
        {1, ILPI_OP_LDLOC, 0},
        {5, ILPI_OP_SWITCH, 0},
        {18, ILPI_OP_LDC_I8, ILPI_INSN_TARGET},
        {27, ILPI_OP_VOLATILE, ILPI_INSN_TARGET},
        {29, ILPI_OP_LDIND_I4, ILPI_INSN_AFTER_PREFIX},
        {30, ILPI_OP_BR_S, ILPI_INSN_TARGET},
        {32, ILPI_OP_BR, ILPI_INSN_TARGET},
        {37, ILPI_OP_CALL, 0},
    };
    const size_t count = sizeof expected / sizeof expected[0];
    decode(&decoding, bytes, NULL, 0);
    const struct ilpi_code *code = &decoding.code;
    assert_int_equal(decoding.status, ILP_OK);
    assert_int_equal(code->count, count);
    uint32_t index = 0;
    for (uint32_t at = 0; at < bytes.size; at++) {
        if (index < count && at == expected[index].offset) {
            assert_int_equal(code->insns[index].offset, at);
            assert_int_equal(code->insns[index].op, expected[index].op);
            assert_int_equal(code->insns[index].marks, expected[index].marks);
            assert_int_equal(code->index_at[at], index);
            index++;
        } else {
            assert_int_equal(code->index_at[at], ILPI_NO_INSN);
        }
    }
    assert_int_equal(code->index_at[bytes.size], count);
    assert_int_equal(ilpi_switch_count(code, &code->insns[2]), 2);
    assert_int_equal(ilpi_switch_target(code, &code->insns[2], 0), 18);
    assert_int_equal(ilpi_switch_target(code, &code->insns[2], 1), 27);
    assert_int_equal(ilpi_insn_target(code, &code->insns[6]), 30);
    assert_int_equal(ilpi_insn_target(code, &code->insns[7]), 32);
    assert_int_equal(ilpi_insn_token(code, &code->insns[8]), 0x06020304);
    decode_end(&decoding);
}

/* Every opcode alone, with one byte less than it takes, and with all it takes. */
static void every_opcode_has_its_size(void **state)
{
    (void)state;
    static const uint8_t operands[] = {0, 1, 1, 2, 4, 8, 4, 8, 1, 4, 4, 4, 4, 4, 4};
    for (unsigned op = 0; op < ILPI_OP_COUNT; op++) {
        const struct ilpi_opcode *opcode = &ilpi_opcodes[op];
        uint8_t bytes[16] = {0};
        size_t size = ilpi_opcode_bytes((enum ilpi_op)op);
        bytes[0] = (uint8_t)(size == 2 ? opcode->value >> 8 : opcode->value);
        bytes[1] = size == 2 ? (uint8_t)opcode->value : 0;
        size += operands[opcode->operand];
        for (size_t given = 1; given <= size + 1; given++) {
            struct ilp_bytes code = exact(bytes, given);
            struct ilpi_insn insn;
            bool read = ilpi_insn_read(code, 0, &insn);
            assert_int_equal(read, given >= size);
            if (read) {
                assert_int_equal(insn.size, size);
                assert_int_equal(insn.op, op);
            }
            free_bytes(code);
        }
    }
}

/* 4 * 0x40000001 is 4 in 32 bits. */
static void arms_do_not_wrap(void **state)
{
    (void)state;
    struct ilpi_insn insn;
    struct ilp_bytes code = exact(BYTES(0x45, 1, 0, 0, 0x40, 0, 0, 0, 0), 9);
    assert_false(ilpi_insn_read(code, 0, &insn));
    free_bytes(code);
}

static const struct {
    const char *name;
    struct ilp_bytes code;
    const char *says;
} bad[] = {
    {"a byte that is no opcode", CODE(0x00, 0x24), "is not an instruction"},
    {"a reserved prefix", CODE(0xFD, 0x2A), "is not an instruction"},
    {"two bytes that are no opcode", CODE(0xFE, 0x08), "is not an instruction"},
    {"half an opcode", CODE(0x00, 0xFE), "ends inside"},
    {"half an operand", CODE(0x20, 1, 2, 3), "ends inside"},
    {"a switch without its count", CODE(0x45, 1, 0, 0), "ends inside"},
    {"a switch with more arms than bytes", CODE(0x45, 2, 0, 0, 0, 0, 0, 0, 0), "ends inside"},
    {"a switch with arms that wrap", CODE(0x45, 1, 0, 0, 0x40, 0, 0, 0, 0), "ends inside"},
    {"a branch before the code", CODE(0x2B, 0xFD), "no instruction begins"},
    {"a branch to the end", CODE(0x2B, 0), "no instruction begins"},
    {"a branch after the end", CODE(0x2B, 1), "no instruction begins"},
    {"a branch into an instruction", CODE(0x2B, 1, 0x1F, 0x2A), "no instruction begins"},
    {"a long branch far away", CODE(0x38, 0xFF, 0xFF, 0xFF, 0x7F), "no instruction begins"},
    {"a long branch far back", CODE(0x38, 0, 0, 0, 0x80), "no instruction begins"},
    {"a switch arm into its operand", CODE(0x45, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x2A),
     "no instruction begins"},
    {"a branch after a prefix", CODE(0x2B, 2, 0xFE, 0x13, 0x4A), "between a prefix"},
    {"a branch between two prefixes", CODE(0x2B, 2, 0xFE, 0x13, 0xFE, 0x12, 1, 0x4A),
     "between a prefix"},
    {"a prefix at the end", CODE(0x00, 0xFE, 0x14), "at the end of the code"},
};
static void bad_code_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct decoding decoding;
        decode(&decoding, bad[i].code, NULL, 0);
        if (decoding.status != ILP_E_BAD_BODY) {
            fail_msg("%s: %s", bad[i].name, ilp_status_name(decoding.status));
        }
        assert_non_null(strstr(decoding.error.message, bad[i].says));
        decode_end(&decoding);
    }
}

/* nop, ldc.i4.s 0 at 1, pop at 3, volatile. at 4, ldind.i4 at 6, ret at 7, 8 bytes. */
static const struct ilp_bytes blocks = CODE(0x00, 0x1F, 0, 0x26, 0xFE, 0x13, 0x4A, 0x2A);

static const struct {
    struct ilp_eh_clause clause;
    bool good;
} clauses[] = {
    {{ILPI_EH_FINALLY, 0, 1, 1, 2, 0}, true},
    {{ILPI_EH_FINALLY, 0, 8, 0, 8, 0}, true},        /* ends at the end */
    {{ILPI_EH_CATCH, 1, 0, 3, 0, 0x01000001}, true}, /* empty */
    {{ILPI_EH_FILTER, 0, 1, 3, 1, 1}, true},
    {{ILPI_EH_CATCH, 0, 1, 3, 1, 2}, true},    /* no filter: 2 is a token */
    {{ILPI_EH_FILTER, 0, 1, 3, 1, 2}, false},  /* a filter inside an instruction */
    {{ILPI_EH_FILTER, 0, 1, 3, 1, 8}, false},  /* or at the end */
    {{ILPI_EH_FINALLY, 2, 1, 3, 1, 0}, false}, /* a try begins inside */
    {{ILPI_EH_FINALLY, 0, 2, 3, 1, 0}, false}, /* and ends inside */
    {{ILPI_EH_FINALLY, 0, 1, 2, 1, 0}, false}, /* a handler begins inside */
    {{ILPI_EH_FINALLY, 0, 1, 1, 1, 0}, false}, /* and ends inside */
    {{ILPI_EH_FINALLY, 0, 6, 7, 1, 0}, false}, /* a try ends after a prefix */
    {{ILPI_EH_FINALLY, 0, 1, 6, 1, 0}, false}, /* a handler begins there */
    {{ILPI_EH_FINALLY, 8, 0, 0, 1, 0}, false}, /* a try begins at the end */
    {{ILPI_EH_FINALLY, 0, 9, 0, 1, 0}, false}, /* and ends after it */
    {{ILPI_EH_FINALLY, 1, UINT32_MAX, 0, 1, 0}, false},
};
static void clauses_begin_and_end_at_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++) {
        struct decoding decoding;
        struct ilp_eh_clause clause = clauses[i].clause;
        decode(&decoding, blocks, &clause, 1);
        assert_int_equal(decoding.status, clauses[i].good ? ILP_OK : ILP_E_BAD_BODY);
        if (i == 0) {
            unsigned boundary = ILPI_INSN_TARGET | ILPI_INSN_BOUNDARY;
            assert_int_equal(decoding.code.insns[1].marks, boundary);
            assert_int_equal(decoding.code.insns[2].marks, boundary);
            assert_int_equal(decoding.code.insns[3].marks, 0);
        }
        decode_end(&decoding);
    }
}

static void memory_is_used_again(void **state)
{
    (void)state;
    struct test_alloc alloc;
    uint8_t nops[1000] = {0};
    test_alloc_init(&alloc, 0);
    struct ilpi_code code = {.alloc = &alloc.alloc};
    struct ilp_body body = {.code = {nops, sizeof nops}};
    assert_int_equal(ilpi_code_decode(&code, &body, NULL), ILP_OK);
    size_t calls = alloc.calls;
    for (size_t size = 0; size <= sizeof nops; size++) {
        body.code.size = size;
        assert_int_equal(ilpi_code_decode(&code, &body, NULL), ILP_OK);
        assert_int_equal(code.count, size);
        assert_int_equal(code.index_at[size], size);
    }
    assert_int_equal(alloc.calls, calls);
    ilpi_code_free(&code);
}

static void memory_that_ends_is_an_error(void **state)
{
    (void)state;
    uint8_t nops[100] = {0};
    bool done = false;
    for (size_t n = 1; !done; n++) {
        struct test_alloc alloc;
        struct ilp_error error;
        test_alloc_init(&alloc, n);
        struct ilpi_code code = {.alloc = &alloc.alloc};
        struct ilp_body body = {.code = {nops, sizeof nops}};
        ilp_status status = ilpi_code_decode(&code, &body, &error);
        done = alloc.calls < n;
        assert_int_equal(status, done ? ILP_OK : ILP_E_NO_MEMORY);
        ilpi_code_free(&code);
        assert_int_equal(alloc.alloc.used, 0);
        assert_true(n < 100);
    }
}

static void code_above_the_limit_is_refused_unread(void **state)
{
    (void)state;
    struct test_alloc alloc;
    test_alloc_init(&alloc, 0);
    struct ilpi_code code = {.alloc = &alloc.alloc};
    struct ilp_body body = {.code = {blocks.data, (size_t)ILPI_MAX_CODE + 1}};
    assert_int_equal(ilpi_code_decode(&code, &body, NULL), ILP_E_TOO_LARGE);
    assert_int_equal(alloc.calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_and_the_way_back_from_offsets),
        cmocka_unit_test(every_opcode_has_its_size),
        cmocka_unit_test(arms_do_not_wrap),
        cmocka_unit_test(bad_code_is_refused),
        cmocka_unit_test(clauses_begin_and_end_at_instructions),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(memory_that_ends_is_an_error),
        cmocka_unit_test(code_above_the_limit_is_refused_unread),
    };
    return cmocka_run_group_tests_name("il/decode", tests, NULL, NULL);
}
