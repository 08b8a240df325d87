/* The evaluation stack of a method that is walked: values popped, pushed and refused, and merged
 * where paths meet (III.1.7.5, III.1.8.1.3). See frame.h. */
#include "verify/frame.h"

/* ---- the stack ---- */

/* After an underflow the instruction's effect is not known: `stopped` ends the block, and the value
 * is unknown so that the callers need no test of their own. */
struct ilpi_stack_value ilpi_pop(struct ilpi_frame *frame)
{
    if (frame->depth == 0) {
        if (!frame->stopped) {
            ilpi_report(frame->verifier, ILPI_FIND_STACK_UNDERFLOW, "%s",
                        ilpi_opcodes[ilpi_insn_now(frame)->op].name);
        }
        frame->stopped = true;
        return ilpi_value_plain(frame->verifier, ILPI_STACK_UNKNOWN);
    }
    return frame->stack[--frame->depth];
}

/* stack_size is enough for all code that joins accept (take_room() of body.c); deeper stacks only
 * exist after a reported finding. */
void ilpi_push(struct ilpi_frame *frame, struct ilpi_stack_value value)
{
    if (frame->depth == frame->stack_size) {
        frame->stopped = true;
        return;
    }
    frame->stack[frame->depth++] = value;
    if (frame->depth > frame->body.max_stack && !frame->overflow_reported) {
        ilpi_report(frame->verifier, ILPI_FIND_MAX_STACK, "%u values, and MaxStack is %u",
                    frame->depth, frame->body.max_stack);
        frame->overflow_reported = true;
    }
}

void ilpi_push_type(struct ilpi_frame *frame, const struct ilpi_vtype *type)
{
    ilpi_push(frame, ilpi_value_of(frame->verifier, type));
}

void ilpi_push_kind(struct ilpi_frame *frame, enum ilpi_stack_kind kind)
{
    ilpi_push(frame, ilpi_value_plain(frame->verifier, kind));
}

/* ---- findings ---- */

bool ilpi_is_unknown(struct ilpi_frame *frame, struct ilpi_stack_value value)
{
    if (value.kind != ILPI_STACK_UNKNOWN) {
        return false;
    }
    struct ilpi_type_name name = ilpi_type_name_of(value.type);
    ilpi_report(frame->verifier, ILPI_FIND_UNRESOLVED, "%s takes %s",
                ilpi_opcodes[ilpi_insn_now(frame)->op].name, name.text);
    return true;
}

void ilpi_refuse(struct ilpi_frame *frame, struct ilpi_stack_value value, const char *wanted)
{
    if (!ilpi_is_unknown(frame, value)) {
        struct ilpi_value_name name = ilpi_value_name_of(value);
        ilpi_report(frame->verifier, ILPI_FIND_OPERAND, "%s takes %s, not %s",
                    ilpi_opcodes[ilpi_insn_now(frame)->op].name, wanted, name.text);
    }
}

/* The name is made only if the finding is reported: in the quiet pass this is called for every
 * value. */
void ilpi_expect(struct ilpi_frame *frame, struct ilpi_stack_value value,
                 const struct ilpi_vtype *type, const char *what)
{
    static const uint8_t findings[] = {
        [ILPI_FIT_NOT] = ILPI_FIND_MISMATCH,
        [ILPI_FIT_UNKNOWN] = ILPI_FIND_UNRESOLVED,
        [ILPI_FIT_MIXED] = ILPI_FIND_POINTER_MIX,
        [ILPI_FIT_READONLY] = ILPI_FIND_READONLY_REF,
        [ILPI_FIT_INIT_ONLY] = ILPI_FIND_INIT_ONLY,
        [ILPI_FIT_REINTERPRETED] = ILPI_FIND_REINTERPRET,
    }; /* RESIZED is for merges only */
    struct ilpi_verifier *verifier = frame->verifier;
    if ((value.flags & ILPI_VALUE_UNINIT) != 0) {
        ilpi_report(verifier, ILPI_FIND_THIS_UNINIT, "%s", what);
    }
    enum ilpi_fit fit = ilpi_value_fits(verifier, value, type);
    if (fit != ILPI_FIT && ilpi_reports(verifier)) {
        struct ilpi_value_name from = ilpi_value_name_of(value);
        struct ilpi_type_name to = ilpi_type_name_of(type);
        ilpi_report(verifier, (enum ilpi_finding)findings[fit],
                    "%.60s: %.80s where %.80s is expected", what, from.text, to.text);
    }
}

/* The check is of the token; whether the type may be used by the instruction is for the step. */
const struct ilpi_vtype *ilpi_operand_type(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    ilp_token token = ilpi_insn_token(&frame->code, ilpi_insn_now(frame));
    unsigned table = ILP_TOKEN_TABLE(token);
    if ((table != ILP_TypeDef && table != ILP_TypeRef && table != ILP_TypeSpec) ||
        ILP_TOKEN_RID(token) - 1 >= verifier->image->tables[table].count) {
        ilpi_report(verifier, ILPI_FIND_TOKEN, "%s of 0x%08X, which is not a type",
                    ilpi_opcodes[ilpi_insn_now(frame)->op].name, token);
        return ilpi_type_of_element(verifier, 0);
    }
    return ilpi_type_of_token(verifier, verifier->image, token);
}

/* ---- joins ---- */

/* In the reporting pass no state changes, so no block is queued again. `queued` keeps a block from
 * being in the list twice, which bounds the list by the number of instructions. */
static void queue(struct ilpi_frame *frame, uint32_t index)
{
    if (frame->verifier->quiet && !frame->entries[index].queued) {
        frame->entries[index].queued = true;
        frame->pending[frame->pending_count++] = index;
    }
}

bool ilpi_grow_pool(struct ilpi_frame *frame, size_t total)
{
    struct ilpi_verifier *verifier = frame->verifier;
    if (ILPI_LIST_RESERVE(&frame->alloc, &frame->pool, total, NULL) != ILP_OK) {
        ilpi_verify_no_memory(verifier, total * sizeof *frame->pool.items);
        return false;
    }
    return true;
}

/* The first branch to a block gives it its state. Slots of all blocks are in one pool, whose limit
 * is proportional to the code: deep stacks at many joins would need quadratic memory. */
static void first_visit(struct ilpi_frame *frame, struct ilpi_entry *entry, uint32_t index)
{
    size_t used = frame->pool.count;
    if (frame->depth > frame->pool_limit - used) {
        frame->steps = 0; /* walk() reports it */
        frame->stopped = true;
        return;
    }
    if (!ilpi_grow_pool(frame, used + frame->depth)) {
        frame->stopped = true;
        return;
    }
    *entry = (struct ilpi_entry){.slots = (uint32_t)used,
                                 .depth = (uint16_t)frame->depth,
                                 .known = true,
                                 .this_ready = frame->this_ready};
    memcpy(frame->pool.items + used, frame->stack, frame->depth * sizeof *frame->stack);
    frame->pool.count += frame->depth;
    queue(frame, index);
}

/* A branch to an instruction: its entry is made, or merged with the current stack. A different
 * depth is an error (III.1.8.1.3), and then the first state stays. `this` is initialised at the
 * join only if it is on all paths. The steps are charged by the values that are merged. */
void ilpi_reach(struct ilpi_frame *frame, uint32_t index)
{
    static const uint8_t findings[] = {
        [ILPI_FIT_NOT] = ILPI_FIND_STACK_MERGE,
        [ILPI_FIT_MIXED] = ILPI_FIND_POINTER_MIX,
        [ILPI_FIT_RESIZED] = ILPI_FIND_MERGE_SIZE,
    };
    struct ilpi_verifier *verifier = frame->verifier;
    struct ilpi_entry *entry = &frame->entries[index];
    if (!entry->known) {
        first_visit(frame, entry, index);
        return;
    }
    if (entry->depth != frame->depth) {
        ilpi_report(verifier, ILPI_FIND_STACK_DEPTH,
                    "%u values go to IL_%04x, where %u come from elsewhere", frame->depth,
                    frame->code.insns[index].offset, entry->depth);
        return;
    }
    /* `this` counts as changed only in one direction, so that the walk ends */
    bool any = entry->this_ready && !frame->this_ready;
    entry->this_ready = entry->this_ready && frame->this_ready;
    for (uint32_t i = 0; i < frame->depth; i++) {
        bool changed;
        struct ilpi_stack_value *slot = &frame->pool.items[entry->slots + i];
        struct ilpi_stack_value before = *slot;
        enum ilpi_fit fit = ilpi_value_merge(verifier, slot, frame->stack[i], &changed);
        if (fit != ILPI_FIT && ilpi_reports(verifier)) {
            struct ilpi_value_name from = ilpi_value_name_of(frame->stack[i]);
            struct ilpi_value_name to = ilpi_value_name_of(before);
            ilpi_report(verifier, (enum ilpi_finding)findings[fit],
                        "%.80s goes to IL_%04x, where %.80s comes from elsewhere", from.text,
                        frame->code.insns[index].offset, to.text);
        }
        any = any || changed;
    }
    if (frame->steps > frame->depth) {
        frame->steps -= frame->depth;
    }
    if (any) {
        verifier->hidden++;
        queue(frame, index);
    }
}
