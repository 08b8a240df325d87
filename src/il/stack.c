/* Stack depth by control flow (III.1.7). See stack.h.
 *
 * An instruction is pushed to `pending` when a branch or a root gives it its depth. The walk pops
 * one, follows its path, and stops where control ends or the depth is already known. So every
 * instruction is visited once, and the walk is linear in the number of instructions and arms.
 *
 *   unknown --queue_target()--> pending, depth known --walk_path()--> visited
 *                                              \-- again: same depth, or ILP_E_BAD_BODY */
#include "il/stack.h"

#include "il/body_format.h"

#define MAX_DEPTH 0xFFFFu /* MaxStack has 16 bits (II.25.4.3) */

struct stack_walk {
    struct ilpi_stack *stack;
    struct ilpi_code *code;
    const struct ilpi_calls *calls;
    uint32_t returns;
    size_t pending;
    struct ilp_error *error;
};

static ilp_status fail_at(const struct stack_walk *walk, size_t index, const char *what)
{
    uint32_t offset = walk->code->insns[index].offset;
    return ilpi_fail(walk->error, ILP_E_BAD_BODY, walk->code->origin + offset, 0, "IL_%04x: %s",
                     offset, what);
}

/* Sets an instruction's depth, or compares it with the depth it has; *known is which. The depth
 * after an instruction is the depth before its successor, so `max` need only be taken here. */
static ilp_status set_depth(struct stack_walk *walk, uint32_t index, uint32_t depth, bool *known)
{
    struct ilpi_insn *insn = &walk->code->insns[index];
    *known = (insn->marks & ILPI_INSN_SEEN) != 0;
    if (!*known) {
        insn->marks |= ILPI_INSN_SEEN;
        walk->stack->depth[index] = (uint16_t)depth;
        if (depth > walk->stack->max) {
            walk->stack->max = depth;
        }
        return ILP_OK;
    }
    if (walk->stack->depth[index] != depth) {
        return ilpi_fail(
            walk->error, ILP_E_BAD_BODY, walk->code->origin + insn->offset, 0,
            "IL_%04x: the stack holds %u values on one path and %u on another (I.12.3.2.1)",
            insn->offset, (unsigned)walk->stack->depth[index], (unsigned)depth);
    }
    return ILP_OK;
}

/* A label is reached: queue its path. Since its depth is known the second time, an instruction is
 * queued once. */
static ilp_status queue_target(struct stack_walk *walk, uint32_t offset, uint32_t depth)
{
    uint32_t index = walk->code->index_at[offset];
    bool known;
    ILPI_TRY(set_depth(walk, index, depth, &known));
    if (!known) {
        struct ilpi_stack *stack = walk->stack;
        if (walk->pending == stack->pending_capacity) {
            ILPI_TRY(ilpi_grow(stack->alloc, &stack->pending, &stack->pending_capacity,
                               walk->pending + 1, sizeof *stack->pending, walk->error));
        }
        stack->pending[walk->pending++] = index;
    }
    return ILP_OK;
}

/* The pops and pushes of an instruction whose row in opcodes.def does not give them (ILPI_VARIES),
 * or that needs an exact depth. *shape is preset from the row. For a call, the callback reads the
 * signature; for newobj, it leaves out `this` and adds the new object (III.4.21). */
static ilp_status shape_of(const struct stack_walk *walk, size_t index, uint32_t depth,
                           struct ilpi_call_shape *shape)
{
    const struct ilpi_insn *insn = &walk->code->insns[index];
    switch ((enum ilpi_op)insn->op) {
    case ILPI_OP_CALL:
    case ILPI_OP_CALLVIRT:
    case ILPI_OP_CALLI:
    case ILPI_OP_NEWOBJ:
        if (!walk->calls) {
            return ilpi_fail(walk->error, ILP_E_MISUSE, walk->code->origin + insn->offset, 0,
                             "IL_%04x: a call, without a callback for its shape", insn->offset);
        }
        return walk->calls->shape(walk->calls->user, (enum ilpi_op)insn->op,
                                  ilpi_insn_token(walk->code, insn), shape, walk->error);
    case ILPI_OP_RET:
        shape->pops = walk->returns;
        return depth == walk->returns
                   ? ILP_OK
                   : fail_at(walk, index, "the stack does not hold the result alone (III.3.57)");
    case ILPI_OP_ENDFILTER:
        return depth == 1
                   ? ILP_OK
                   : fail_at(walk, index, "the stack does not hold one value alone (III.3.34)");
    case ILPI_OP_LEAVE:
    case ILPI_OP_LEAVE_S:
        shape->pops = depth; /* III.3.46: empties the stack */
        return ILP_OK;
    default: return ILP_OK;
    }
}

/* Limits are compared by subtraction: pops and pushes of a call come from the file. */
static ilp_status execute(const struct stack_walk *walk, size_t index, uint32_t *depth)
{
    const struct ilpi_opcode *opcode = &ilpi_opcodes[walk->code->insns[index].op];
    struct ilpi_call_shape shape = {.pops = opcode->pops, .pushes = opcode->pushes};
    if (opcode->flow == ILPI_FLOW_RETURN || opcode->pops == ILPI_VARIES) {
        ILPI_TRY(shape_of(walk, index, *depth, &shape));
    }
    if (shape.pops > *depth) {
        return fail_at(walk, index, "takes more values than the stack holds");
    }
    *depth -= shape.pops;
    if (shape.pushes > MAX_DEPTH - *depth) {
        return fail_at(walk, index, "the stack passes 65,535 values");
    }
    *depth += shape.pushes;
    return ILP_OK;
}

/* All arms have the same depth: the switch has popped its number before (III.3.66). */
static ilp_status reach_targets(struct stack_walk *walk, const struct ilpi_insn *insn,
                                uint32_t depth)
{
    if (insn->op != ILPI_OP_SWITCH) {
        return queue_target(walk, ilpi_insn_target(walk->code, insn), depth);
    }
    uint32_t arms = ilpi_switch_count(walk->code, insn);
    for (uint32_t i = 0; i < arms; i++) {
        ILPI_TRY(queue_target(walk, ilpi_switch_target(walk->code, insn, i), depth));
    }
    return ILP_OK;
}

/* Follows the path that begins at `index`, whose depth is known, until it ends or meets a visited
 * one. */
static ilp_status walk_path(struct stack_walk *walk, uint32_t index)
{
    for (bool known = false; !known;) {
        const struct ilpi_insn *insn = &walk->code->insns[index];
        uint32_t depth = walk->stack->depth[index];
        ILPI_TRY(execute(walk, index, &depth));
        switch ((enum ilpi_flow)ilpi_opcodes[insn->op].flow) {
        case ILPI_FLOW_BRANCH: return reach_targets(walk, insn, depth);
        case ILPI_FLOW_RETURN:
        case ILPI_FLOW_THROW: return ILP_OK;
        case ILPI_FLOW_COND_BRANCH: ILPI_TRY(reach_targets(walk, insn, depth)); break;
        case ILPI_FLOW_NEXT:
        case ILPI_FLOW_CALL:
        case ILPI_FLOW_META:
        case ILPI_FLOW_BREAK: break;
        }
        if (++index == walk->code->count) {
            return fail_at(walk, index - 1, "control runs off the end of the code");
        }
        ILPI_TRY(set_depth(walk, index, depth, &known));
    }
    return ILP_OK;
}

/* The roots of control: the start of the code, and each handler and filter with the exception on an
 * otherwise empty stack, or with nothing for finally and fault. */
static ilp_status reach_roots(struct stack_walk *walk, const struct ilp_body *body)
{
    if (walk->code->count == 0) {
        return ilpi_fail(walk->error, ILP_E_BAD_BODY, walk->code->origin, 0,
                         "the body has no code");
    }
    ILPI_TRY(queue_target(walk, 0, 0));
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        bool gets_object = clause->flags == ILPI_EH_CATCH || clause->flags == ILPI_EH_FILTER;
        ILPI_TRY(queue_target(walk, clause->handler_offset, gets_object ? 1 : 0));
        if (clause->flags == ILPI_EH_FILTER) {
            ILPI_TRY(queue_target(walk, clause->token_or_filter, 1));
        }
    }
    return ILP_OK;
}

/* A worklist of paths: each instruction is visited when it is first reached, and its depth compared
 * when it is reached again. So the work is linear in instructions and branches. */
ilp_status ilpi_stack_compute(struct ilpi_stack *stack, struct ilpi_code *code,
                              const struct ilp_body *body, const struct ilpi_calls *calls,
                              uint32_t returns, struct ilp_error *error)
{
    struct stack_walk walk = {stack, code, calls, returns, 0, error};
    stack->max = 0;
    ILPI_TRY(ilpi_grow(stack->alloc, &stack->depth, &stack->capacity, code->count,
                       sizeof *stack->depth, error));
    for (size_t i = 0; i < code->count; i++) {
        code->insns[i].marks &= (uint8_t)~ILPI_INSN_SEEN;
    }
    ILPI_TRY(reach_roots(&walk, body));
    while (walk.pending > 0) {
        ILPI_TRY(walk_path(&walk, stack->pending[--walk.pending]));
    }
    return ILP_OK;
}

void ilpi_stack_free(struct ilpi_stack *stack)
{
    ilpi_resize(stack->alloc, stack->depth, stack->capacity * sizeof *stack->depth, 0);
    ilpi_resize(stack->alloc, stack->pending, stack->pending_capacity * sizeof *stack->pending, 0);
    *stack = (struct ilpi_stack){.alloc = stack->alloc};
}
