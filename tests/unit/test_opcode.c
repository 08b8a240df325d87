/* opcodes.def against System.Reflection.Emit.OpCodes, and the tables that expand from it. */
#include "il_test.h"

#include <stdio.h>

struct emit_row {
    unsigned value;
    const char *name;
    const char *operand;
    const char *pop;
    const char *push;
    const char *flow;
    unsigned size;
};

static const struct emit_row emit_rows[] = {
#define EMIT(value, name, operand, pop, push, flow, size) \
    {value, name, #operand, #pop, #push, #flow, size},
#include "opcodes_emit.def"
#undef EMIT
};
#define EMIT_COUNT (sizeof emit_rows / sizeof emit_rows[0])

struct word {
    const char *text;
    unsigned value;
};

static unsigned lookup(const struct word *words, const char *text)
{
    for (; words->text; words++) {
        if (strcmp(words->text, text) == 0) {
            return words->value;
        }
    }
    fail_msg("no word %s", text);
    return 0;
}

static const struct word operand_words[] = {
    {"InlineNone", ILPI_OPERAND_NONE},
    {"ShortInlineI", ILPI_OPERAND_I1},
    {"ShortInlineVar", ILPI_OPERAND_U1},
    {"InlineVar", ILPI_OPERAND_U2},
    {"InlineI", ILPI_OPERAND_I4},
    {"InlineI8", ILPI_OPERAND_I8},
    {"ShortInlineR", ILPI_OPERAND_R4},
    {"InlineR", ILPI_OPERAND_R8},
    {"ShortInlineBrTarget", ILPI_OPERAND_TARGET1},
    {"InlineBrTarget", ILPI_OPERAND_TARGET4},
    {"InlineSwitch", ILPI_OPERAND_SWITCH},
    {"InlineType", ILPI_OPERAND_TOKEN},
    {"InlineField", ILPI_OPERAND_TOKEN},
    {"InlineTok", ILPI_OPERAND_TOKEN},
    {"InlineMethod", ILPI_OPERAND_METHOD},
    {"InlineSig", ILPI_OPERAND_SIG},
    {"InlineString", ILPI_OPERAND_STRING},
    {NULL, 0},
};

static const struct word flow_words[] = {
    {"Next", ILPI_FLOW_NEXT}, {"Branch", ILPI_FLOW_BRANCH}, {"Cond_Branch", ILPI_FLOW_COND_BRANCH},
    {"Call", ILPI_FLOW_CALL}, {"Return", ILPI_FLOW_RETURN}, {"Throw", ILPI_FLOW_THROW},
    {"Meta", ILPI_FLOW_META}, {"Break", ILPI_FLOW_BREAK},   {NULL, 0},
};

/* "Popref_popi_pop1" is 3, "Pop0" is 0, "Varpop" varies. */
static unsigned stack_count(const char *behaviour)
{
    if (strncmp(behaviour, "Var", 3) == 0) {
        return ILPI_VARIES;
    }
    unsigned count = strcmp(behaviour, "Pop0") != 0 && strcmp(behaviour, "Push0") != 0;
    for (const char *c = behaviour; *c != '\0'; c++) {
        count += *c == '_';
    }
    return count;
}

static void every_opcode_of_emit_is_here_as_it_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < EMIT_COUNT; i++) {
        const struct emit_row *row = &emit_rows[i];
        enum ilpi_op op = ilpi_op_of(row->value);
        assert_in_range(op, 0, ILPI_OP_COUNT - 1);
        const struct ilpi_opcode *opcode = &ilpi_opcodes[op];
        assert_string_equal(opcode->name, row->name);
        assert_int_equal(opcode->value, row->value);
        assert_int_equal(ilpi_opcode_bytes(op), row->size);
        assert_int_equal(opcode->pushes, stack_count(row->push));
        /* on purpose otherwise: see the head of opcodes.def */
        bool leave = op == ILPI_OP_LEAVE || op == ILPI_OP_LEAVE_S;
        assert_int_equal(opcode->pops, leave ? ILPI_VARIES : stack_count(row->pop));
        assert_int_equal(opcode->flow, op == ILPI_OP_JMP ? (unsigned)ILPI_FLOW_RETURN
                                                         : lookup(flow_words, row->flow));
        assert_int_equal(opcode->operand, op == ILPI_OP_UNALIGNED
                                              ? (unsigned)ILPI_OPERAND_U1
                                              : lookup(operand_words, row->operand));
    }
    assert_int_equal(EMIT_COUNT + 1, ILPI_OP_COUNT); /* no. is not in Emit */
    assert_int_equal(ilpi_op_of(0xFE19), ILPI_OP_NO);
}

static void every_other_value_is_no_instruction(void **state)
{
    (void)state;
    size_t found = 0;
    for (unsigned value = 0; value <= 0x1FFFF; value++) {
        enum ilpi_op op = ilpi_op_of(value);
        if (op != ILPI_OP_COUNT) {
            assert_int_equal(ilpi_opcodes[op].value, value);
            found++;
        }
    }
    assert_int_equal(found, ILPI_OP_COUNT);
    assert_int_equal(ilpi_op_of(0xFE), ILPI_OP_COUNT);
    assert_int_equal(ilpi_op_of(UINT32_MAX), ILPI_OP_COUNT);
}

static void rows_stand_in_the_order_of_their_values(void **state)
{
    (void)state;
    for (unsigned op = 1; op < ILPI_OP_COUNT; op++) {
        assert_true(ilpi_opcodes[op - 1].value < ilpi_opcodes[op].value);
    }
}

/* br.s has a long form by name, and takes what its long form takes; no other instruction
 * changes. */
static void short_branches_pair_with_long_ones(void **state)
{
    (void)state;
    for (unsigned op = 0; op < ILPI_OP_COUNT; op++) {
        enum ilpi_op wide = ilpi_op_long_branch((enum ilpi_op)op);
        if (ilpi_opcodes[op].operand != ILPI_OPERAND_TARGET1) {
            assert_int_equal(wide, op);
            continue;
        }
        char name[16];
        snprintf(name, sizeof name, "%s.s", ilpi_opcodes[wide].name);
        assert_string_equal(ilpi_opcodes[op].name, name);
        assert_int_equal(ilpi_opcodes[wide].operand, ILPI_OPERAND_TARGET4);
        assert_int_equal(ilpi_opcodes[wide].pops, ilpi_opcodes[op].pops);
        assert_int_equal(ilpi_opcodes[wide].flow, ilpi_opcodes[op].flow);
        assert_int_equal(ilpi_opcode_bytes((enum ilpi_op)op), 1); /* patch.c writes one byte */
        assert_int_equal(ilpi_opcode_bytes(wide), 1);
    }
}

/* stack.c decides these by hand. */
static void only_calls_ret_and_leave_vary(void **state)
{
    (void)state;
    for (unsigned op = 0; op < ILPI_OP_COUNT; op++) {
        bool call = op == ILPI_OP_CALL || op == ILPI_OP_CALLVIRT || op == ILPI_OP_CALLI;
        bool other = op == ILPI_OP_NEWOBJ || op == ILPI_OP_RET || op == ILPI_OP_LEAVE ||
                     op == ILPI_OP_LEAVE_S;
        assert_int_equal(ilpi_opcodes[op].pops == ILPI_VARIES, call || other);
        assert_int_equal(ilpi_opcodes[op].pushes == ILPI_VARIES, call);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_of_emit_is_here_as_it_is_there),
        cmocka_unit_test(every_other_value_is_no_instruction),
        cmocka_unit_test(rows_stand_in_the_order_of_their_values),
        cmocka_unit_test(short_branches_pair_with_long_ones),
        cmocka_unit_test(only_calls_ret_and_leave_vary),
    };
    return cmocka_run_group_tests_name("il/opcode", tests, NULL, NULL);
}
