/* The decoded code of one method: the offset of each instruction, and branch targets.
 *
 *   bytes     00     2B 01           00     2A
 *   insns     nop    br.s IL_0004    nop    ret            in the order of the code
 *   index_at  0      1  -            2      3     4        offset -> index; the end has one too */
#ifndef ILPI_CODE_H
#define ILPI_CODE_H

#include "base/cursor.h"
#include "base/list.h"
#include "il/opcode.h"

/* Marks set on instructions by decode and stack. */
#define ILPI_INSN_TARGET       0x1u /* a target of a branch or switch arm, or an EH boundary */
#define ILPI_INSN_SEEN         0x2u /* reachable (set by ilpi_stack_compute) */
#define ILPI_INSN_AFTER_PREFIX 0x4u /* the instruction before is a prefix of this one */
/* a try block, handler or filter begins here, or one ends before it */
#define ILPI_INSN_BOUNDARY 0x8u

/* One instruction; operands stay in the code and are read from there. 12 bytes each. */
struct ilpi_insn {
    uint32_t offset; /* of its first opcode byte */
    uint32_t size;   /* opcode and operand together; a switch can be long */
    uint16_t op;     /* index into the opcode table, enum ilpi_op */
    uint8_t marks;
    uint8_t pad;
};

/* Zero-initialise, set alloc, use for any number of methods; ilpi_code_free() at the end. */
struct ilpi_code {
    struct ilpi_alloc *alloc;
    struct ilp_bytes bytes; /* borrowed: the code of the body */
    uint64_t origin;        /* its offset in the file */
    struct ilpi_insn *insns;
    size_t count;
    size_t capacity;
    ILPI_LIST(uint32_t) branches; /* the indexes of all branches and switches, rising */
    ILPI_LIST(uint32_t) exits;    /* those of ret, jmp, endfinally and endfilter, rising */
    uint32_t *index_at; /* offset -> instruction index, ILPI_NO_INSN inside one; the offset after
                           the code has the index `count` */
    size_t index_capacity;
};
#define ILPI_NO_INSN UINT32_MAX

/* Code longer than this is refused, before and after a patch: offsets and distances fit 32 signed
 * bits. */
#define ILPI_MAX_CODE ((uint32_t)INT32_MAX)

/* The instruction at offset `at`, which must be inside the code; false if there is no whole
 * instruction. */
bool ilpi_insn_read(struct ilp_bytes code, uint32_t at, struct ilpi_insn *insn);

/* The target of a branch or switch operand at `operand` bytes after the instruction's start, inside
 * the code or not. Distances count from the end of the instruction. */
static inline int64_t ilpi_insn_lead(struct ilp_bytes code, const struct ilpi_insn *insn,
                                     size_t operand, bool is_short)
{
    const uint8_t *bytes = code.data + insn->offset + operand;
    int64_t end = (int64_t)insn->offset + insn->size;
    return end + (is_short ? (int8_t)bytes[0] : (int32_t)ilpi_load_u32(bytes));
}

/* Decodes the whole code of `body` and checks that every branch, switch arm and EH boundary is the
 * start of an instruction (the end of an EH block may be the end of the code), that no target is
 * between a prefix and its instruction, and that the code does not end in a prefix. Fails with
 * ILP_E_BAD_BODY. */
ilp_status ilpi_code_decode(struct ilpi_code *code, const struct ilp_body *body,
                            struct ilp_error *error);
void ilpi_code_free(struct ilpi_code *code);

/* The target of a branch (operand kind TARGET1 or TARGET4): an offset, checked by decode. */
uint32_t ilpi_insn_target(const struct ilpi_code *code, const struct ilpi_insn *insn);

/* The number of arms of a switch, and the target of arm i. */
uint32_t ilpi_switch_count(const struct ilpi_code *code, const struct ilpi_insn *insn);
uint32_t ilpi_switch_target(const struct ilpi_code *code, const struct ilpi_insn *insn, uint32_t i);

/* The token operand of a call, newobj, ldstr, ... (operand kinds TOKEN, METHOD, SIG, STRING). */
uint32_t ilpi_insn_token(const struct ilpi_code *code, const struct ilpi_insn *insn);

#endif
