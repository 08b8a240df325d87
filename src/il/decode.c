/* Decodes code into instructions (III.1.2) and their targets.
 *
 *   instruction   opcode operand                 opcode: one byte, or FE and one byte
 *   operand       0, 1, 2, 4 or 8 bytes, little-endian
 *               | u32 n, n times i32             switch
 *
 * The first pass finds the instructions, the second checks their targets. Both are linear in the
 * code's size, and nothing is allocated per instruction. The code is decoded whole, reachable or
 * not: a method with an undefined opcode is refused, since it is unknown which of its bytes refer
 * to offsets and have to move. */
#include "il/code.h"

#include <assert.h>
#include <string.h>

#include "base/cursor.h"
#include "il/body_format.h"

static_assert(sizeof(struct ilpi_insn) == 12, "three words an instruction");

/* Inline, since find_instructions() calls it for each instruction. A table gives the size without
 * an operand kind; 0 means that the slot has no instruction. `left` is at least 1. */
static inline bool read_insn(struct ilp_bytes code, uint32_t at, struct ilpi_insn *insn)
{
    const uint8_t *bytes = code.data + at;
    size_t left = code.size - at;
    unsigned slot = bytes[0];
    if (slot == ILPI_TWO_BYTES) {
        if (left < 2) {
            return false;
        }
        slot = 0x100u | bytes[1];
    }
    size_t size = ilpi_insn_facts[slot].bytes;
    if (size == 0 || size > left) {
        return false;
    }
    unsigned op = ilpi_op_at_slot[slot] - 1u;
    if (op == ILPI_OP_SWITCH) {
        uint32_t arms = ilpi_load_u32(bytes + 1);
        if (arms > (left - size) / 4) {
            return false;
        }
        size += (size_t)arms * 4;
    }
    *insn = (struct ilpi_insn){.offset = at, .size = (uint32_t)size, .op = (uint16_t)op};
    return true;
}

bool ilpi_insn_read(struct ilp_bytes code, uint32_t at, struct ilpi_insn *insn)
{
    return read_insn(code, at, insn);
}

/* The cold half of read_insn(): reports why there is no instruction. */
static ilp_status fail_insn(const struct ilpi_code *code, uint32_t at, struct ilp_error *error)
{
    size_t left = code->bytes.size - at;
    unsigned value = code->bytes.data[at];
    if (value == ILPI_TWO_BYTES && left > 1) {
        value = value << 8 | code->bytes.data[at + 1];
    }
    enum ilpi_op op = ilpi_op_of(value);
    if (op == ILPI_OP_COUNT && !(value == ILPI_TWO_BYTES && left == 1)) {
        return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + at, 0,
                         "IL_%04x: %02X is not an instruction (III.1.2.1)", at, value);
    }
    return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + at, 0,
                     "IL_%04x: the code ends inside an instruction", at);
}

/* For code larger than this the instructions are counted first, to allocate exactly what they
 * need. */
#define COUNTED_BYTES ((size_t)64 << 10)

static size_t count_instructions(struct ilp_bytes code)
{
    size_t count = 0;
    struct ilpi_insn insn;
    for (uint32_t at = 0; at < code.size && read_insn(code, at, &insn); count++) {
        at += insn.size;
    }
    return count;
}

/* `marks` is carried to the next instruction, which then is the one after a prefix. */
static ilp_status find_instructions(struct ilpi_code *code, struct ilp_error *error)
{
    uint32_t end = (uint32_t)code->bytes.size;
    uint32_t *index_at = code->index_at;
    size_t count = 0;
    uint8_t marks = 0;
    memset(index_at, 0xFF, end * sizeof *index_at); /* ILPI_NO_INSN */
    if (end > COUNTED_BYTES) {
        ILPI_TRY(ilpi_grow(code->alloc, &code->insns, &code->capacity,
                           count_instructions(code->bytes), sizeof *code->insns, error));
    }
    for (uint32_t at = 0; at < end; count++) {
        if (count == code->capacity) {
            ILPI_TRY(ilpi_grow(code->alloc, &code->insns, &code->capacity, count + 1,
                               sizeof *code->insns, error));
        }
        struct ilpi_insn *insn = &code->insns[count];
        if (!read_insn(code->bytes, at, insn)) {
            return fail_insn(code, at, error);
        }
        unsigned flow = ilpi_opcodes[insn->op].flow;
        insn->marks = marks;
        marks = flow == ILPI_FLOW_META ? ILPI_INSN_AFTER_PREFIX : 0;
        if (flow == ILPI_FLOW_BRANCH || flow == ILPI_FLOW_COND_BRANCH) {
            ILPI_TRY(ILPI_LIST_ADD(code->alloc, &code->branches, (uint32_t)count, error));
        } else if (flow == ILPI_FLOW_RETURN) {
            ILPI_TRY(ILPI_LIST_ADD(code->alloc, &code->exits, (uint32_t)count, error));
        }
        index_at[at] = (uint32_t)count;
        at += insn->size;
    }
    index_at[end] = (uint32_t)count;
    code->count = count;
    if (marks != 0) {
        return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + end, 0,
                         "a prefix at the end of the code (III.2)");
    }
    return ILP_OK;
}

static_assert(ILPI_NO_INSN == 0xFFFFFFFF, "memset makes it");

/* Sets `marks` on the instruction that `what` at offset `from` refers to; `target` may be any
 * number: distances are added in 64 bits, and compared with the code's size before they are an
 * index. */
static ilp_status mark_target(struct ilpi_code *code, const char *what, uint8_t marks,
                              uint32_t from, int64_t target, struct ilp_error *error)
{
    uint32_t index = ILPI_NO_INSN;
    if (target >= 0 && target < (int64_t)code->bytes.size) {
        index = code->index_at[target];
    }
    if (index == ILPI_NO_INSN) {
        return ilpi_fail(
            error, ILP_E_BAD_BODY, code->origin + from, 0,
            "IL_%04x: the target of %s is offset %lld, where no instruction begins (III.1.7.2)",
            from, what, (long long)target);
    }
    struct ilpi_insn *insn = &code->insns[index];
    if ((insn->marks & ILPI_INSN_AFTER_PREFIX) != 0) {
        return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + from, 0,
                         "IL_%04x: %s leads between a prefix and its instruction (III.2)", from,
                         what);
    }
    insn->marks |= marks;
    return ILP_OK;
}

/* After all instructions are known: a target must be the beginning of one (III.1.7.2), which
 * forward branches could not show earlier. */
static ilp_status check_branches(struct ilpi_code *code, struct ilp_error *error)
{
    for (size_t i = 0; i < code->branches.count; i++) {
        const struct ilpi_insn *insn = &code->insns[code->branches.items[i]];
        unsigned operand = ilpi_opcodes[insn->op].operand;
        if (operand != ILPI_OPERAND_SWITCH) {
            int64_t target = ilpi_insn_lead(code->bytes, insn, 1, operand == ILPI_OPERAND_TARGET1);
            ILPI_TRY(mark_target(code, "a branch", ILPI_INSN_TARGET, insn->offset, target, error));
        } else {
            for (size_t at = 5; at < insn->size; at += 4) {
                int64_t target = ilpi_insn_lead(code->bytes, insn, at, false);
                ILPI_TRY(mark_target(code, "a switch arm", ILPI_INSN_TARGET, insn->offset, target,
                                     error));
            }
        }
    }
    return ILP_OK;
}

/* The start of a block is an instruction, and its end is one, or the end of the code. Both become
 * boundaries: code inserted there, and labels of the instruction there, move with the block. */
static ilp_status check_block(struct ilpi_code *code, const char *what, uint32_t start,
                              uint32_t length, struct ilp_error *error)
{
    uint8_t marks = ILPI_INSN_TARGET | ILPI_INSN_BOUNDARY;
    ILPI_TRY(mark_target(code, what, marks, start, start, error));
    uint64_t end = (uint64_t)start + length;
    return end == code->bytes.size ? ILP_OK
                                   : mark_target(code, what, marks, start, (int64_t)end, error);
}

/* The blocks must begin and end at instructions. A filter's block ends at its handler, so only its
 * begin is checked. */
static ilp_status check_clauses(struct ilpi_code *code, const struct ilp_body *body,
                                struct ilp_error *error)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        ILPI_TRY(check_block(code, "a try block", clause->try_offset, clause->try_length, error));
        ILPI_TRY(
            check_block(code, "a handler", clause->handler_offset, clause->handler_length, error));
        if (clause->flags == ILPI_EH_FILTER) {
            uint32_t filter = clause->token_or_filter;
            ILPI_TRY(mark_target(code, "a filter", ILPI_INSN_TARGET | ILPI_INSN_BOUNDARY, filter,
                                 filter, error));
        }
    }
    return ILP_OK;
}

/* Memory is kept for the next method; the limit is compared first, because 32-bit distances must
 * not wrap. */
ilp_status ilpi_code_decode(struct ilpi_code *code, const struct ilp_body *body,
                            struct ilp_error *error)
{
    code->bytes = body->code;
    code->origin = body->code_offset;
    code->count = 0;
    code->branches.count = 0;
    code->exits.count = 0;
    if (body->code.size > ILPI_MAX_CODE) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, body->code_offset, 0,
                         "%zu bytes of code are more than ilpatch handles", body->code.size);
    }
    ILPI_TRY(ilpi_grow(code->alloc, &code->index_at, &code->index_capacity, body->code.size + 1,
                       sizeof *code->index_at, error));
    ILPI_TRY(find_instructions(code, error));
    ILPI_TRY(check_branches(code, error));
    return check_clauses(code, body, error);
}

void ilpi_code_free(struct ilpi_code *code)
{
    ilpi_resize(code->alloc, code->insns, code->capacity * sizeof *code->insns, 0);
    ILPI_LIST_FREE(code->alloc, &code->branches);
    ILPI_LIST_FREE(code->alloc, &code->exits);
    ilpi_resize(code->alloc, code->index_at, code->index_capacity * sizeof *code->index_at, 0);
    *code = (struct ilpi_code){.alloc = code->alloc};
}

uint32_t ilpi_insn_target(const struct ilpi_code *code, const struct ilpi_insn *insn)
{
    bool is_short = ilpi_opcodes[insn->op].operand == ILPI_OPERAND_TARGET1;
    return (uint32_t)ilpi_insn_lead(code->bytes, insn, 1, is_short);
}

uint32_t ilpi_switch_count(const struct ilpi_code *code, const struct ilpi_insn *insn)
{
    (void)code;
    return (insn->size - 5) / 4;
}

uint32_t ilpi_switch_target(const struct ilpi_code *code, const struct ilpi_insn *insn, uint32_t i)
{
    return (uint32_t)ilpi_insn_lead(code->bytes, insn, 5 + (size_t)i * 4, false);
}

uint32_t ilpi_insn_token(const struct ilpi_code *code, const struct ilpi_insn *insn)
{
    return ilpi_load_u32(code->bytes.data + insn->offset + insn->size - 4);
}
