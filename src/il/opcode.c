/* Tables expanded from opcodes.def: facts by op, op by value, and long forms of branches.
 *
 * A duplicate value or id in opcodes.def does not compile: the id would be a second enumerator, the
 * value a second initialiser of one slot (-Werror=override-init). */
#include "il/opcode.h"

#include <assert.h>

const struct ilpi_opcode ilpi_opcodes[ILPI_OP_COUNT] = {
#define OP(value, id, text, operand, pop, push, flow) \
    [ILPI_OP_##id] = {text, value, ILPI_OPERAND_##operand, pop, push, ILPI_FLOW_##flow},
#include "il/opcodes.def"
#undef OP
};

const uint8_t ilpi_op_at_slot[ILPI_OP_SLOTS] = {
#define OP(value, id, text, operand, pop, push, flow) [ILPI_OP_SLOT(value)] = ILPI_OP_##id + 1,
#include "il/opcodes.def"
#undef OP
};

/* Operand sizes in bytes. */
enum {
    BYTES_NONE = 0,
    BYTES_I1 = 1,
    BYTES_U1 = 1,
    BYTES_U2 = 2,
    BYTES_I4 = 4,
    BYTES_I8 = 8,
    BYTES_R4 = 4,
    BYTES_R8 = 8,
    BYTES_TARGET1 = 1,
    BYTES_TARGET4 = 4,
    BYTES_SWITCH = 4, /* the count; the arms depend on it */
    BYTES_TOKEN = 4,
    BYTES_METHOD = 4,
    BYTES_SIG = 4,
    BYTES_STRING = 4
};

const struct ilpi_insn_facts ilpi_insn_facts[ILPI_OP_SLOTS] = {
#define OP(value, id, text, operand, pop, push, flow)                               \
    [ILPI_OP_SLOT(value)] = {((value) > 0xFF ? 2 : 1) + BYTES_##operand, pop, push, \
                             ILPI_FLOW_##flow},
#include "il/opcodes.def"
#undef OP
};

static_assert(ILPI_OP_COUNT <= UINT8_MAX, "op + 1 fits a slot");

#define OP(value, id, text, operand, pop, push, flow)                               \
    static_assert((value) < ILPI_TWO_BYTES || (value) >> 8 == ILPI_TWO_BYTES,       \
                  text ": one byte, or FE and one byte");                           \
    static_assert((pop) == ILPI_VARIES || (pop) <= 3, text ": nothing takes more"); \
    static_assert((push) == ILPI_VARIES || (push) <= 2, text ": only dup puts two");
#include "il/opcodes.def"
#undef OP

/* The comparing branches form two blocks of the same order (III.1.2.1), so one distance converts
 * each short form to its long form. leave has its long form first. */
#define SHORT_TO_LONG (ILPI_OP_BR - ILPI_OP_BR_S)
#define PAIR(op)      static_assert(ILPI_OP_##op - ILPI_OP_##op##_S == SHORT_TO_LONG, #op)
PAIR(BR);
PAIR(BRFALSE);
PAIR(BRTRUE);
PAIR(BEQ);
PAIR(BGE);
PAIR(BGT);
PAIR(BLE);
PAIR(BLT);
PAIR(BNE_UN);
PAIR(BGE_UN);
PAIR(BGT_UN);
PAIR(BLE_UN);
PAIR(BLT_UN);
static_assert(ILPI_OP_BLT_UN_S + 1 == ILPI_OP_BR, "the block of short forms ends where br begins");

enum ilpi_op ilpi_op_long_branch(enum ilpi_op op)
{
    if (op >= ILPI_OP_BR_S && op <= ILPI_OP_BLT_UN_S) {
        return op + SHORT_TO_LONG;
    }
    return op == ILPI_OP_LEAVE_S ? ILPI_OP_LEAVE : op;
}
