/* The instructions of ECMA-335 III, expanded from opcodes.def. */
#ifndef ILPI_OPCODE_H
#define ILPI_OPCODE_H

#include "base/error.h"

/* Operand kinds, by the bytes after the opcode. All little-endian. */
enum ilpi_operand {
    ILPI_OPERAND_NONE,
    ILPI_OPERAND_I1,
    ILPI_OPERAND_U1, /* ldarg.s, ldloc.s, unaligned., no. */
    ILPI_OPERAND_U2, /* ldarg, ldloc */
    ILPI_OPERAND_I4,
    ILPI_OPERAND_I8,
    ILPI_OPERAND_R4,
    ILPI_OPERAND_R8,
    ILPI_OPERAND_TARGET1, /* signed, from the end of the instruction */
    ILPI_OPERAND_TARGET4,
    ILPI_OPERAND_SWITCH, /* u32 n, n times i32, from the end of the instruction */
    ILPI_OPERAND_TOKEN,  /* field, type or any of them (ldtoken) */
    ILPI_OPERAND_METHOD, /* a method token that is called or loaded */
    ILPI_OPERAND_SIG,    /* calli: StandAloneSig */
    ILPI_OPERAND_STRING  /* ldstr: user string token */
};

/* Where control goes next (III.1.7, System.Reflection.Emit's words). */
enum ilpi_flow {
    ILPI_FLOW_NEXT,
    ILPI_FLOW_BRANCH,      /* and leave */
    ILPI_FLOW_COND_BRANCH, /* and switch */
    ILPI_FLOW_CALL,        /* and on to the next instruction */
    ILPI_FLOW_RETURN,      /* ret, jmp, endfinally (also named endfault), endfilter */
    ILPI_FLOW_THROW,
    ILPI_FLOW_META, /* a prefix */
    ILPI_FLOW_BREAK
};

/* Pops or pushes that depend on the operand, or on the whole stack. */
#define ILPI_VARIES 0xFFu

/* The first byte of two-byte opcodes (III.1.2.1). */
#define ILPI_TWO_BYTES 0xFEu

/* ILPI_OP_NOP is 0; the order is that of the values. */
enum ilpi_op {
#define OP(value, id, text, operand, pop, push, flow) ILPI_OP_##id,
#include "il/opcodes.def"
#undef OP
    ILPI_OP_COUNT
};

/* One row of opcodes.def; the table is indexed by enum ilpi_op, which follows the rising values. */
struct ilpi_opcode {
    const char *name;
    uint16_t value;  /* 0x00..0xE0, or 0xFE00 + second byte */
    uint8_t operand; /* enum ilpi_operand */
    uint8_t pops;    /* ILPI_VARIES: calls, ret, leave */
    uint8_t pushes;  /* ILPI_VARIES: calls */
    uint8_t flow;    /* enum ilpi_flow */
};

extern const struct ilpi_opcode ilpi_opcodes[ILPI_OP_COUNT];

/* Op + 1 by slot, 0 where no instruction is: 256 one-byte values, then 256 that follow
 * ILPI_TWO_BYTES. */
#define ILPI_OP_SLOTS       0x200
#define ILPI_OP_SLOT(value) ((value) > 0xFF ? 0x100 | ((value)&0xFF) : (value))
extern const uint8_t ilpi_op_at_slot[ILPI_OP_SLOTS];

/* By slot, in one word: the properties of an instruction, for passes over the bytes of code. One
 * load per instruction gives the offset of the next one. */
struct ilpi_insn_facts {
    uint8_t bytes; /* opcode and operand, without a switch's arms; 0: no instruction */
    uint8_t pops;
    uint8_t pushes;
    uint8_t flow;
};
extern const struct ilpi_insn_facts ilpi_insn_facts[ILPI_OP_SLOTS];

/* The op of a value, ILPI_OP_COUNT if there is none. Inline, since decoding is mostly this. */
static inline enum ilpi_op ilpi_op_of(unsigned value)
{
    if (value > 0xFF && value >> 8 != ILPI_TWO_BYTES) {
        return ILPI_OP_COUNT;
    }
    unsigned found = ilpi_op_at_slot[ILPI_OP_SLOT(value)];
    return found != 0 ? (enum ilpi_op)(found - 1) : ILPI_OP_COUNT;
}

/* The long form of a short branch (br.s -> br), or the op itself. */
enum ilpi_op ilpi_op_long_branch(enum ilpi_op op);

static inline size_t ilpi_opcode_bytes(enum ilpi_op op)
{
    return ilpi_opcodes[op].value > 0xFF ? 2 : 1;
}

#endif
