/* One pass over the bytes of the code. See one_pass.h.
 *
 *   a point    an instruction that may be a target: its depth, and its source
 *   a source   0: reachable; n: reachable if guess n is
 *   a guess    code after an unconditional branch that is not the target of an earlier branch. A
 *              branch back to its start, from a point whose source is a lower number, makes it
 *              reachable. If at the end every guess has such a branch, then, by induction, all
 *              code is reachable
 *
 * A loop as compilers write it, with its condition at the end:
 *
 *       br C              depth 0, source 0; C is recorded, with source 0
 *   B:  body              guess 1: depth 0, source 1, not confirmed
 *   C:  condition         the lower source of the two that reach it: 0
 *       brtrue B          back to the start of guess 1 from source 0: confirmed
 *
 * Anything else than this gives up (false), and decode.c and stack.c do the work. So each condition
 * here only has to be sufficient. */
#include "il/one_pass.h"

#include <string.h>

#include "il/body_format.h"

#define MAX_DEPTH   0xFEu /* with a source in the high byte it differs from ILPI_NO_POINT */
#define MAX_GUESSES 16u
#define UNCONFIRMED 0xFFu

struct pass {
    struct ilpi_one_pass *found;
    struct ilp_bytes code;
    const struct ilpi_calls *calls;
    uint32_t returns;
    uint16_t *points;
    uint32_t depth;
    uint32_t source;
    bool falls;       /* control falls through from the instruction before */
    bool prefixed;    /* which is a prefix */
    uint32_t waiting; /* forward targets not passed yet */
    uint32_t guesses;
    uint32_t begins[MAX_GUESSES + 1]; /* starts of guesses, from 1 on */
    uint8_t sources[MAX_GUESSES + 1]; /* the lowest source of a branch back to that start */
};

/* The low byte is the depth, the high byte the source, which is at most MAX_GUESSES: no point
 * equals ILPI_NO_POINT. */
static uint16_t point_of(uint32_t depth, uint32_t source)
{
    return (uint16_t)(source << 8 | depth);
}

/* Control may go from `at` to `target`. A forward target is recorded for later, and counted in
 * `waiting`: if a target is inside of an instruction, the pass never gets there, and the count does
 * not return to 0. A target before `at` must be a point already, with the same depth. */
static bool record_target(struct pass *pass, uint32_t at, int64_t target)
{
    if (target < 0 || target >= (int64_t)pass->code.size) {
        return false;
    }
    uint16_t *point = &pass->points[target];
    if (*point == ILPI_NO_POINT) {
        *point = point_of(pass->depth, pass->source);
        pass->waiting++;
        return target > at;
    }
    uint32_t source = *point >> 8;
    if (ILPI_POINT_DEPTH(*point) != pass->depth) {
        return false;
    }
    if (target > at) {
        *point = pass->source < source ? point_of(pass->depth, pass->source) : *point;
    } else if (source != 0 && pass->begins[source] == target &&
               pass->source < pass->sources[source]) {
        pass->sources[source] = (uint8_t)pass->source;
    }
    return true;
}

/* Code that is only reached from later code begins with an empty stack (III.1.7.5). */
static bool guess(struct pass *pass, uint32_t at)
{
    if (pass->guesses == MAX_GUESSES) {
        return false;
    }
    pass->depth = 0;
    pass->source = ++pass->guesses;
    pass->begins[pass->source] = at;
    pass->sources[pass->source] = UNCONFIRMED;
    return true;
}

/* Enters the instruction at `at`, by fall-through or from elsewhere. Of two ways the source with
 * the lower number counts: it is reachable if either is. */
static inline bool merge_depth(struct pass *pass, uint32_t at)
{
    uint16_t *point = &pass->points[at];
    if (*point == ILPI_NO_POINT) {
        if (!pass->falls && !guess(pass, at)) {
            return false;
        }
    } else if (pass->prefixed) { /* no target may be between them (III.2) */
        return false;
    } else {
        uint32_t depth = ILPI_POINT_DEPTH(*point);
        uint32_t source = *point >> 8;
        pass->waiting--;
        if (pass->falls && depth != pass->depth) {
            return false;
        }
        pass->depth = depth;
        pass->source = pass->falls && pass->source < source ? pass->source : source;
    }
    if (!pass->prefixed) {
        *point = point_of(pass->depth, pass->source);
    }
    pass->falls = true;
    return true;
}

/* A switch: opcode, count, arms; the 5 bytes before the arms are the first two. */
static bool lead_to_targets(struct pass *pass, const struct ilpi_insn *insn)
{
    switch ((enum ilpi_operand)ilpi_opcodes[insn->op].operand) {
    case ILPI_OPERAND_TARGET1:
        return record_target(pass, insn->offset, ilpi_insn_lead(pass->code, insn, 1, true));
    case ILPI_OPERAND_TARGET4:
        return record_target(pass, insn->offset, ilpi_insn_lead(pass->code, insn, 1, false));
    default: break;
    }
    for (size_t arm = 5; arm < insn->size; arm += 4) { /* a switch */
        if (!record_target(pass, insn->offset, ilpi_insn_lead(pass->code, insn, arm, false))) {
            return false;
        }
    }
    return true;
}

/* The sum is compared by subtraction, as pushes and pops come from signatures. */
static bool apply_effect(struct pass *pass, uint32_t pops, uint32_t pushes)
{
    if (pops > pass->depth || pushes > MAX_DEPTH - (pass->depth - pops)) {
        return false;
    }
    pass->depth += pushes - pops;
    pass->found->max = pass->depth > pass->found->max ? pass->depth : pass->found->max;
    return true;
}

/* For a call with a one-byte opcode. */
static bool shape_at(const struct pass *pass, uint32_t at, struct ilpi_call_shape *shape)
{
    const uint8_t *bytes = pass->code.data + at;
    const struct ilpi_calls *calls = pass->calls;
    return calls && calls->shape(calls->user, ilpi_op_of(bytes[0]), ilpi_load_u32(bytes + 1), shape,
                                 NULL) == ILP_OK;
}

/* What may be on the stack where a path ends: the returned value at ret, one number at endfilter
 * (III.3.34); endfinally empties it. jmp is left to the full walk. */
static bool end_path(struct pass *pass, const struct ilpi_insn *insn)
{
    pass->falls = false;
    switch ((enum ilpi_op)insn->op) {
    case ILPI_OP_RET:
        pass->found->rets++;
        return pass->returns == ILPI_RETURNS_ANY || pass->depth == pass->returns;
    case ILPI_OP_ENDFINALLY: return true;
    case ILPI_OP_ENDFILTER: return pass->depth == 1;
    default: return false; /* jmp */
    }
}

/* Executes an instruction with more effect than pops and pushes. */
static bool execute(struct pass *pass, const struct ilpi_insn *insn, struct ilpi_insn_facts facts)
{
    struct ilpi_call_shape shape = {.pushes = facts.pushes};
    bool prefixed = pass->prefixed;
    pass->prefixed = false;
    switch ((enum ilpi_flow)facts.flow) {
    case ILPI_FLOW_BRANCH:
        pass->falls = false;
        pass->depth = facts.pops == ILPI_VARIES ? 0 : pass->depth; /* leave */
        return lead_to_targets(pass, insn);
    case ILPI_FLOW_COND_BRANCH:
        return apply_effect(pass, facts.pops, facts.pushes) && lead_to_targets(pass, insn);
    case ILPI_FLOW_CALL:
        return shape_at(pass, insn->offset, &shape) && apply_effect(pass, shape.pops, shape.pushes);
    case ILPI_FLOW_RETURN: return !prefixed && end_path(pass, insn);
    case ILPI_FLOW_THROW: pass->falls = false; return apply_effect(pass, facts.pops, facts.pushes);
    case ILPI_FLOW_META:
        pass->prefixed = true;
        pass->found->tails = pass->found->tails || insn->op == ILPI_OP_TAIL;
        return true;
    case ILPI_FLOW_NEXT:
    case ILPI_FLOW_BREAK: break;
    }
    return apply_effect(pass, facts.pops, facts.pushes);
}

/* Reads the instruction at `at`, whose facts give its size unless it is a switch. */
static bool read_insn(const struct pass *pass, uint32_t at, struct ilpi_insn *insn,
                      struct ilpi_insn_facts *facts)
{
    const uint8_t *bytes = pass->code.data + at;
    size_t left = pass->code.size - at;
    unsigned slot = bytes[0] != ILPI_TWO_BYTES || left < 2 ? bytes[0] : 0x100u | bytes[1];
    *facts = ilpi_insn_facts[slot];
    *insn = (struct ilpi_insn){
        .offset = at, .size = facts->bytes, .op = (uint16_t)(ilpi_op_at_slot[slot] - 1u)};
    return facts->bytes != 0 && facts->bytes <= left &&
           (insn->op != ILPI_OP_SWITCH || ilpi_insn_read(pass->code, at, insn));
}

/* The fast path of most code: calls, and instructions with one-byte opcodes that only pop and push
 * and are not targets. Stops before the first other or invalid instruction. */
static uint32_t scan_block(struct pass *pass, uint32_t at)
{
    const uint8_t *code = pass->code.data;
    uint16_t *points = pass->points;
    uint32_t end = (uint32_t)pass->code.size;
    uint32_t depth = pass->depth;
    uint32_t max = pass->found->max;
    uint32_t before = pass->found->before;
    uint32_t last = pass->found->last;
    uint32_t count = 0;
    uint32_t source = point_of(0, pass->source);
    while (at < end && points[at] == ILPI_NO_POINT) {
        struct ilpi_insn_facts facts = ilpi_insn_facts[code[at]];
        struct ilpi_call_shape shape = {.pops = facts.pops, .pushes = facts.pushes};
        if (facts.bytes == 0 || facts.bytes > end - at ||
            (facts.flow != ILPI_FLOW_NEXT &&
             (facts.flow != ILPI_FLOW_CALL || !shape_at(pass, at, &shape))) ||
            shape.pops > depth || shape.pushes > MAX_DEPTH - depth) {
            break;
        }
        points[at] = (uint16_t)(source | depth);
        depth += shape.pushes - shape.pops;
        max = depth > max ? depth : max;
        before = last;
        last = at;
        count++;
        at += facts.bytes;
    }
    pass->depth = depth;
    pass->found->max = max;
    pass->found->before = before;
    pass->found->last = last;
    pass->found->count += count;
    return at;
}

/* All instructions, in the order of the code. */
static bool scan_code(struct pass *pass)
{
    uint32_t end = (uint32_t)pass->code.size;
    for (uint32_t at = 0; at < end;) {
        struct ilpi_insn_facts facts;
        struct ilpi_insn insn;
        if (pass->falls && !pass->prefixed) {
            at = scan_block(pass, at);
        }
        if (at == end) {
            break;
        }
        if (!read_insn(pass, at, &insn, &facts) || !merge_depth(pass, at)) {
            return false;
        }
        pass->found->before = pass->found->last;
        pass->found->last = at;
        pass->found->count++;
        if (!execute(pass, &insn, facts)) {
            return false;
        }
        at += insn.size;
    }
    return !pass->falls && pass->waiting == 0;
}

/* ---- clauses --------------------------------------------------------------------------------- */

static bool start_at(struct pass *pass, uint32_t offset, uint32_t depth)
{
    pass->depth = depth;
    pass->found->max = depth > pass->found->max ? depth : pass->found->max;
    return record_target(pass, 0, offset);
}

/* A handler begins with the exception on the stack, a finally or fault block with nothing. */
static bool start_handlers(struct pass *pass, const struct ilp_body *body)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        bool gets_object = clause->flags == ILPI_EH_CATCH || clause->flags == ILPI_EH_FILTER;
        if (!start_at(pass, clause->handler_offset, gets_object ? 1 : 0) ||
            (clause->flags == ILPI_EH_FILTER && !start_at(pass, clause->token_or_filter, 1))) {
            return false;
        }
    }
    pass->depth = 0;
    return true;
}

static bool is_block(const struct pass *pass, uint32_t start, uint32_t length)
{
    uint64_t end = (uint64_t)start + length;
    return start < pass->code.size && pass->points[start] != ILPI_NO_POINT &&
           end <= pass->code.size && (end == pass->code.size || pass->points[end] != ILPI_NO_POINT);
}

static bool are_blocks(const struct pass *pass, const struct ilp_body *body)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        if (!is_block(pass, clause->try_offset, clause->try_length) ||
            !is_block(pass, clause->handler_offset, clause->handler_length)) {
            return false;
        }
    }
    return true;
}

/* False only means that this fast way does not apply: the slow one (code.h, stack.h) then decides.
 * A guess is a depth assumed before its source was seen; it must have come from code before it. */
bool ilpi_one_pass(struct ilpi_one_pass *pass, const struct ilp_body *body,
                   const struct ilpi_calls *calls, uint32_t returns, uint16_t *points)
{
    struct pass own = {.found = pass,
                       .code = body->code,
                       .calls = calls,
                       .returns = returns,
                       .points = points,
                       .falls = true};
    *pass = (struct ilpi_one_pass){.max = 0};
    if (body->code.size > ILPI_MAX_CODE) {
        return false;
    }
    memset(points, 0xFF, (body->code.size + 1) * sizeof *points);
    if (!start_handlers(&own, body) || !scan_code(&own) || !are_blocks(&own, body)) {
        return false;
    }
    for (uint32_t i = 1; i <= own.guesses; i++) {
        if (own.sources[i] >= i) {
            return false;
        }
    }
    return true;
}

/* Depths that the pass stored by byte offset, for users of the full walk's result. An instruction
 * after a prefix has no point of its own, and the depth of the prefix. */
ilp_status ilpi_stack_of_pass(struct ilpi_stack *stack, struct ilpi_code *code,
                              const struct ilpi_one_pass *pass, const uint16_t *points,
                              struct ilp_error *error)
{
    uint16_t depth = 0;
    stack->max = pass->max;
    ILPI_TRY(ilpi_grow(stack->alloc, &stack->depth, &stack->capacity, code->count,
                       sizeof *stack->depth, error));
    for (size_t i = 0; i < code->count; i++) {
        uint16_t point = points[code->insns[i].offset];
        depth = point != ILPI_NO_POINT ? ILPI_POINT_DEPTH(point) : depth; /* after a prefix */
        stack->depth[i] = depth;
        code->insns[i].marks |= ILPI_INSN_SEEN;
    }
    return ILP_OK;
}
