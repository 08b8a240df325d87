/* Code as an array of instructions, for users of the library: struct ilp_code. This file makes the
 * array from a body; assemble.c is the inverse. The rewriter does not use it: it reads operands in
 * the code (code.h). */
#include "il/body.h"

#include <assert.h>

#include "base/cursor.h"

/* ilpatch.h lists opcodes by value, with the operand kinds and flows of opcode.h in the same
 * order. */
#define OP(value, id, text, operand, pop, push, flow)                                   \
    static_assert((unsigned)ILP_OP_##id == (value), text);                              \
    static_assert((int)ILP_OPERAND_##operand == (int)ILPI_OPERAND_##operand, #operand); \
    static_assert((int)ILP_FLOW_##flow == (int)ILPI_FLOW_##flow, #flow);
#include "il/opcodes.def"
#undef OP
static_assert(ILP_VARIES == ILPI_VARIES, "both stand for the same");

bool ilp_opcode_info(unsigned opcode, struct ilp_opcode_info *info)
{
    enum ilpi_op op = ilpi_op_of(opcode);
    if (op == ILPI_OP_COUNT) {
        return false;
    }
    const struct ilpi_opcode *known = &ilpi_opcodes[op];
    *info = (struct ilp_opcode_info){.name = known->name,
                                     .operand = (enum ilp_operand)known->operand,
                                     .pops = known->pops,
                                     .pushes = known->pushes,
                                     .flow = (enum ilp_flow)known->flow};
    return true;
}

/* Targets become labels as those of branches do. */
static ilp_status read_arms(const struct ilpi_code *code, const struct ilpi_insn *from,
                            struct ilp_insn *insn, struct ilp_arena *arena, struct ilp_error *error)
{
    insn->arm_count = ilpi_switch_count(code, from);
    uint32_t *arms = ilpi_arena_array(arena, insn->arm_count, sizeof *arms);
    if (!arms) {
        return ilpi_fail_memory(error, from->size);
    }
    for (uint32_t i = 0; i < insn->arm_count; i++) {
        arms[i] = ilpi_switch_target(code, from, i);
    }
    insn->arms = arms;
    return ILP_OK;
}

/* Distances become labels (offsets of the target), floats stay bits: they are written back
 * unchanged, NaNs included. */
static ilp_status read_operand(const struct ilpi_code *code, const struct ilpi_insn *from,
                               struct ilp_insn *insn, struct ilp_arena *arena,
                               struct ilp_error *error)
{
    const uint8_t *operand = code->bytes.data + from->offset +
                             ilpi_opcode_bytes((enum ilpi_op)from->op);
    switch ((enum ilpi_operand)ilpi_opcodes[from->op].operand) {
    case ILPI_OPERAND_NONE: break;
    case ILPI_OPERAND_I1: insn->number = (int8_t)operand[0]; break;
    case ILPI_OPERAND_U1: insn->number = operand[0]; break;
    case ILPI_OPERAND_U2: insn->number = ilpi_load_u16(operand); break;
    case ILPI_OPERAND_I4: insn->number = (int32_t)ilpi_load_u32(operand); break;
    case ILPI_OPERAND_R4: insn->number = ilpi_load_u32(operand); break;
    case ILPI_OPERAND_I8:
    case ILPI_OPERAND_R8: insn->number = (int64_t)ilpi_load_u64(operand); break;
    case ILPI_OPERAND_TARGET1:
    case ILPI_OPERAND_TARGET4: insn->target = ilpi_insn_target(code, from); break;
    case ILPI_OPERAND_SWITCH: return read_arms(code, from, insn, arena, error);
    case ILPI_OPERAND_TOKEN:
    case ILPI_OPERAND_METHOD:
    case ILPI_OPERAND_SIG:
    case ILPI_OPERAND_STRING: insn->token = ilpi_insn_token(code, from); break;
    }
    return ILP_OK;
}

/* The label of an instruction is its offset; the end has one as well, since clauses may end
 * there. */
static ilp_status read_code(struct ilp_code *out, const struct ilpi_code *code,
                            struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilp_insn *insns = ilpi_arena_array(arena, code->count, sizeof *insns);
    if (!insns) {
        return ilpi_fail_memory(error, code->count * sizeof *insns);
    }
    for (size_t i = 0; i < code->count; i++) {
        const struct ilpi_insn *from = &code->insns[i];
        insns[i].label = from->offset;
        insns[i].opcode = ilpi_opcodes[from->op].value;
        ILPI_TRY(read_operand(code, from, &insns[i], arena, error));
    }
    uint32_t end = (uint32_t)code->bytes.size;
    *out = (struct ilp_code){
        .insns = insns, .count = code->count, .end_label = end, .next_label = end + 1};
    return ILP_OK;
}

/* `decoded` has offsets into the body, and is freed here; what the caller gets is in the arena and
 * points to nothing of the body. */
ilp_status ilp_code_decode(struct ilp_code *code, const struct ilp_body *body,
                           struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilpi_code decoded = {.alloc = arena->alloc};
    ilp_status status = ilpi_code_decode(&decoded, body, error);
    if (status == ILP_OK) {
        status = read_code(code, &decoded, arena, error);
    }
    ilpi_code_free(&decoded);
    return status;
}

/* ---- as text ---- */

struct text_names {
    const struct ilp_token_names *names;
};

static void put_name(void *user, struct ilpi_buf *buf, ilp_token token)
{
    const struct ilp_token_names *names = ((const struct text_names *)user)->names;
    const char *name = names->name(names->user, token);
    if (name) {
        ilpi_buf_text(buf, name);
    } else {
        ilpi_buf_format(buf, "0x%08X", (unsigned)token);
    }
}

ilp_status ilp_body_text(const char **text, const struct ilp_body *body,
                         const struct ilp_token_names *names, struct ilp_arena *arena,
                         struct ilp_error *error)
{
    struct text_names user = {names};
    struct ilpi_il_names il_names = {&user, put_name, NULL};
    struct ilpi_buf buf = {.alloc = arena->alloc};
    ilpi_body_text(&buf, body, names ? &il_names : NULL);
    ilpi_buf_u8(&buf, 0);
    *text = buf.status == ILP_OK ? ilpi_arena_copy(arena, buf.data, buf.size) : NULL;
    size_t size = buf.size;
    ilpi_buf_free(&buf);
    return *text ? ILP_OK : ilpi_fail_memory(error, size);
}
