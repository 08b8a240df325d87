/* One pass over the code of a tiny body (III.1.7.5). See tiny_depth.h. */
#include "verify/tiny_depth.h"

#include "types/call_shape.h"

#define UNKNOWN UINT8_MAX

struct pass {
    const struct ilp_image *image;
    struct ilp_bytes code;
    uint8_t depths[ILPI_TINY_MAX_CODE + 1]; /* before what begins there */
    uint32_t depth;
    uint32_t most;
};

static bool read_call(const struct pass *pass, const struct ilpi_insn *insn, uint32_t *pops,
                      uint32_t *pushes)
{
    struct ilpi_call_shape shape = {.pops = 0};
    ilp_token token = ilpi_load_u32(pass->code.data + insn->offset + insn->size - 4);
    bool known = ilpi_call_shape_read(pass->image, (enum ilpi_op)insn->op, token, &shape, NULL) ==
                 ILP_OK;
    *pops = shape.pops;
    *pushes = shape.pushes;
    return known;
}

static bool execute(struct pass *pass, const struct ilpi_insn *insn)
{
    const struct ilpi_opcode *opcode = &ilpi_opcodes[insn->op];
    uint32_t pops = opcode->pops, pushes = opcode->pushes;
    if (opcode->flow == ILPI_FLOW_RETURN) {
        return insn->op == ILPI_OP_RET; /* after which nothing counts */
    }
    if (insn->op == ILPI_OP_LEAVE || insn->op == ILPI_OP_LEAVE_S) {
        pops = pass->depth;
    } else if ((pops == ILPI_VARIES || pushes == ILPI_VARIES) &&
               !read_call(pass, insn, &pops, &pushes)) {
        return false;
    }
    if (pops > pass->depth) {
        return false;
    }
    pass->depth += pushes - pops;
    pass->most = pass->depth > pass->most ? pass->depth : pass->most;
    return true;
}

/* Control may go to `target` from here. */
static bool reach(struct pass *pass, int64_t target)
{
    if (target < 0 || target >= (int64_t)pass->code.size) {
        return false;
    }
    uint8_t *known = &pass->depths[target];
    bool is_new = *known == UNKNOWN;
    *known = is_new ? (uint8_t)pass->depth : *known;
    return *known == pass->depth;
}

static bool reach_targets(struct pass *pass, const struct ilpi_insn *insn)
{
    uint32_t arms = insn->op == ILPI_OP_SWITCH ? (insn->size - 5) / 4 : 0;
    switch (ilpi_opcodes[insn->op].operand) {
    case ILPI_OPERAND_TARGET1: return reach(pass, ilpi_insn_lead(pass->code, insn, 1, true));
    case ILPI_OPERAND_TARGET4: return reach(pass, ilpi_insn_lead(pass->code, insn, 1, false));
    default: break;
    }
    for (uint32_t i = 0; i < arms; i++) {
        if (!reach(pass, ilpi_insn_lead(pass->code, insn, 5 + (size_t)i * 4, false))) {
            return false;
        }
    }
    return true;
}

bool ilpi_tiny_depth(const struct ilp_image *image, const struct ilp_body *body, uint32_t *depth)
{
    struct pass pass = {.image = image, .code = body->code};
    struct ilpi_insn insn;
    if (body->code.size > ILPI_TINY_MAX_CODE) {
        return false;
    }
    memset(pass.depths, UNKNOWN, sizeof pass.depths);
    bool falls = true; /* control comes from the instruction before */
    for (uint32_t at = 0; at < body->code.size; at += insn.size) {
        pass.depth = falls ? pass.depth : pass.depths[at];
        if (pass.depth == UNKNOWN || !reach(&pass, at) || !ilpi_insn_read(body->code, at, &insn) ||
            !execute(&pass, &insn) || !reach_targets(&pass, &insn)) {
            return false;
        }
        unsigned flow = ilpi_opcodes[insn.op].flow;
        falls = flow != ILPI_FLOW_BRANCH && flow != ILPI_FLOW_RETURN && flow != ILPI_FLOW_THROW;
    }
    *depth = pass.most;
    return true;
}
