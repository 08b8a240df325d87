/* Protected blocks (I.12.4.2, II.19, III.1.7): regions of the code, and control transfers between
 * them.
 *
 *   br, beq, switch ...   within a region, or to the first instruction of a try block in it
 *   leave                 out of try and catch, to any valid branch target there
 *   next instruction      like a branch
 *
 * Regions form a tree, made once for each body; region_of[] has the innermost one of each
 * instruction:
 *
 *   [0] root    |------------------------------------------|
 *   [1] try          |-----------|
 *   [2] try            |----|
 *   [3] catch                |---|              of [2]
 *   [4] finally                   |------|      of [1]
 *
 * A transfer is decided by a walk from the target's region to the root. */
#include "verify/frame.h"

static struct ilpi_region *region_now(const struct ilpi_frame *frame)
{
    return &frame->regions[frame->region_of[frame->index]];
}

/* ---- regions ---- */

static void add_region(struct ilpi_frame *frame, uint8_t kind, uint32_t start, uint32_t end,
                       size_t clause)
{
    frame->regions[frame->region_count++] =
        (struct ilpi_region){.start = start, .end = end, .clause = (uint32_t)clause, .kind = kind};
}

/* clause->flags is an index here: ilp_body_read() has refused other values, and clauses outside of
 * the code. */
static bool add_clause(struct ilpi_frame *frame, size_t i)
{
    static const uint8_t kinds[] = {[ILPI_EH_CATCH] = ILPI_REGION_CATCH,
                                    [ILPI_EH_FILTER] = ILPI_REGION_CATCH,
                                    [ILPI_EH_FINALLY] = ILPI_REGION_FINALLY,
                                    [ILPI_EH_FAULT] = ILPI_REGION_FAULT};
    const struct ilp_eh_clause *clause = &frame->body.clauses[i];
    uint32_t try_end = clause->try_offset + clause->try_length;
    uint32_t end = clause->handler_offset + clause->handler_length;
    bool filter = clause->flags == ILPI_EH_FILTER;
    uint32_t start = filter ? clause->token_or_filter : clause->handler_offset;
    if (clause->try_length == 0 || clause->handler_length == 0 ||
        (filter && clause->token_or_filter >= clause->handler_offset)) {
        ilpi_report(frame->verifier, ILPI_FIND_EH_FORM, "clause %zu has an empty block", i);
        return false;
    }
    if (start < try_end && clause->try_offset < end) {
        ilpi_report(frame->verifier, ILPI_FIND_EH_FORM,
                    "clause %zu: the handler overlaps its try block", i);
        return false;
    }
    add_region(frame, ILPI_REGION_TRY, clause->try_offset, try_end, i);
    add_region(frame, kinds[clause->flags], clause->handler_offset, end, i);
    if (filter) {
        add_region(frame, ILPI_REGION_FILTER, clause->token_or_filter, clause->handler_offset, i);
    }
    return true;
}

/* Sorts regions so that each precedes those inside it: by start, and of equal starts the longer one
 * first. */
static bool sort_regions(struct ilpi_frame *frame)
{
    uint32_t count = frame->region_count;
    struct ilpi_keyed *order = ilpi_arena_array(&frame->arena, count, sizeof *order);
    struct ilpi_region *sorted = ilpi_arena_array(&frame->arena, count, sizeof *sorted);
    if (!order || !sorted) {
        ilpi_verify_no_memory(frame->verifier, count * sizeof *sorted);
        return false;
    }
    /* by length, falling, then stably by start: equal starts stay in that order */
    for (uint32_t i = 0; i < count; i++) {
        order[i] = (struct ilpi_keyed){UINT32_MAX - frame->regions[i].end, i};
    }
    ilpi_keyed_sort(order, count);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = frame->regions[order[i].rid];
        order[i] = (struct ilpi_keyed){sorted[i].start, i};
    }
    ilpi_keyed_sort(order, count);
    /* no other region has the root's range, or the root precedes it */
    uint32_t next = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (sorted[order[i].rid].kind != ILPI_REGION_ROOT) {
            frame->regions[next++] = sorted[order[i].rid];
        }
    }
    return true;
}

/* Parents: the previous region or one around it, since regions are sorted as a depth-first walk
 * visits them. Each climb leaves a region for good, so both loops are linear. Regions either nest
 * or do not touch (I.12.4.2.7); others are reported. */
static bool nest_regions(struct ilpi_frame *frame)
{
    for (uint32_t i = 1; i < frame->region_count; i++) {
        uint32_t parent = i - 1;
        while (frame->regions[parent].end <= frame->regions[i].start && parent != 0) {
            parent = frame->regions[parent].parent;
        }
        if (frame->regions[i].end > frame->regions[parent].end) {
            ilpi_report(frame->verifier, ILPI_FIND_EH_FORM,
                        "the block from IL_%04x to IL_%04x overlaps that from IL_%04x to IL_%04x",
                        frame->regions[parent].start, frame->regions[parent].end,
                        frame->regions[i].start, frame->regions[i].end);
            return false;
        }
        frame->regions[i].parent = parent;
    }
    uint32_t next = 1;
    uint32_t now = 0;
    for (size_t i = 0; i < frame->code.count; i++) {
        uint32_t offset = frame->code.insns[i].offset;
        while (now != 0 && frame->regions[now].end <= offset) {
            now = frame->regions[now].parent;
        }
        while (next < frame->region_count && frame->regions[next].start <= offset) {
            now = next++;
        }
        frame->region_of[i] = now;
    }
    return true;
}

/* What is prepared before the walk:
 *
 *   clauses  ->  regions: root, try, handler, filter   by start, outer ones first   (sort_regions)
 *           ->  region_of: the innermost region of each instruction                 (nest_regions)
 *           ->  starts: the clauses by the start of their try block
 *
 * False: clauses overlap without nesting, and the method is not walked. */
bool ilpi_flow_open(struct ilpi_frame *frame)
{
    size_t clauses = frame->body.clause_count;
    frame->region_count = 0;
    frame->regions = ilpi_arena_array(&frame->arena, clauses * 3 + 1, sizeof *frame->regions);
    frame->region_of = ilpi_arena_array(&frame->arena, frame->code.count, sizeof *frame->region_of);
    frame->starts = ilpi_arena_array(&frame->arena, clauses, sizeof *frame->starts);
    if (!frame->regions || !frame->region_of || !frame->starts) {
        ilpi_verify_no_memory(frame->verifier, clauses * sizeof *frame->regions);
        return false;
    }
    add_region(frame, ILPI_REGION_ROOT, 0, (uint32_t)frame->body.code.size, 0);
    for (size_t i = 0; i < clauses; i++) {
        frame->starts[i] = (struct ilpi_keyed){frame->body.clauses[i].try_offset, (ilp_rid)i};
        if (!add_clause(frame, i)) {
            return false;
        }
    }
    ilpi_keyed_sort(frame->starts, clauses);
    return clauses == 0 || (sort_regions(frame) && nest_regions(frame));
}

/* ---- entering ---- */

/* Any instruction of a try block may throw, so the handler is entered with the state before the
 * block: an empty stack but for the exception, and `this` as initialised as it was there. The
 * block's own state is put back afterwards. An exception object's class is that of the clause; a
 * filter gets object. */
static void enter_handler(struct ilpi_frame *frame, const struct ilp_eh_clause *clause)
{
    struct ilpi_verifier *verifier = frame->verifier;
    bool ready = frame->entries[frame->index].this_ready;
    uint32_t depth = frame->depth;
    bool before = frame->this_ready;
    /* the handler's stack overwrites at most one value of the block's */
    struct ilpi_stack_value saved = depth != 0 ? frame->stack[0]
                                               : ilpi_value_plain(verifier, ILPI_STACK_NULL);
    frame->depth = 0;
    frame->this_ready = ready;
    if (clause->flags == ILPI_EH_CATCH || clause->flags == ILPI_EH_FILTER) {
        frame->stack[0] = ilpi_value_of(verifier,
                                        ilpi_type_of_element(verifier, ILP_ELEMENT_OBJECT));
        if (clause->flags == ILPI_EH_CATCH) {
            const struct ilpi_vtype *type = ilpi_type_of_token(verifier, verifier->image,
                                                               clause->token_or_filter);
            frame->stack[0] = (struct ilpi_stack_value){.type = type, .kind = ILPI_STACK_OBJECT};
            if (type->kind == ILPI_KIND_UNKNOWN || type->kind == ILP_ELEMENT_VAR ||
                type->kind == ILP_ELEMENT_MVAR) {
                frame->stack[0] = ilpi_value_plain(verifier, ILPI_STACK_UNKNOWN);
            } else if (ilpi_type_is_reference(verifier, type) == ILP_NO) {
                struct ilpi_type_name name = ilpi_type_name_of(type);
                ilpi_report(verifier, ILPI_FIND_EH_CATCH, "%s", name.text);
            }
        }
        frame->depth = 1;
    }
    ilpi_reach(frame, frame->code.index_at[clause->handler_offset]);
    if (clause->flags == ILPI_EH_FILTER) {
        ilpi_reach(frame, frame->code.index_at[clause->token_or_filter]);
    }
    frame->depth = depth;
    frame->this_ready = before;
    if (depth != 0) {
        frame->stack[0] = saved;
    }
}

/* Called at the start of each block of the walk. Try blocks begin at instructions that are marked
 * as boundaries, so others need no look-up; `starts` is sorted by offset. */
void ilpi_flow_enter(struct ilpi_frame *frame, uint32_t index)
{
    uint32_t offset = frame->code.insns[index].offset;
    size_t low = 0;
    size_t high = frame->body.clause_count;
    if ((frame->code.insns[index].marks & ILPI_INSN_BOUNDARY) == 0) {
        return;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frame->starts[middle].key < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < frame->body.clause_count && frame->starts[low].key == offset; low++) {
        enter_handler(frame, &frame->body.clauses[frame->starts[low].rid]);
    }
}

/* ---- transfers ---- */

/* Whether an instruction is in a region, or at the start of try blocks nested at their first
 * instruction; *entered: these. */
static bool is_within(struct ilpi_frame *frame, uint32_t target, uint32_t region, bool *entered)
{
    uint32_t at = frame->region_of[target];
    uint32_t offset = frame->code.insns[target].offset;
    *entered = false;
    while (at != region && frame->regions[at].kind == ILPI_REGION_TRY &&
           frame->regions[at].start == offset && ilpi_spend_work(frame->verifier, 1)) {
        at = frame->regions[at].parent;
        *entered = true;
    }
    return at == region;
}

static void check_entry(struct ilpi_frame *frame, bool entered)
{
    if (entered && frame->depth != 0) {
        ilpi_report(frame->verifier, ILPI_FIND_EH_STACK, "%u values are on the stack",
                    frame->depth);
    }
}

/* Without clauses there is one region, and no check. */
void ilpi_flow_branch(struct ilpi_frame *frame, uint32_t target)
{
    bool entered;
    if (frame->region_of[target] != frame->region_of[frame->index] ||
        frame->body.clause_count != 0) {
        if (!is_within(frame, target, frame->region_of[frame->index], &entered)) {
            ilpi_report(frame->verifier, ILPI_FIND_EH_BRANCH, "its target is IL_%04x",
                        frame->code.insns[target].offset);
            return;
        }
        check_entry(frame, entered);
    }
    ilpi_reach(frame, target);
}

/* From a catch handler into its own try block: Visual Basic's Resume (I.12.4.2.8.2.8). */
static bool is_own_try(const struct ilpi_frame *frame, const struct ilpi_region *handler,
                       uint32_t target)
{
    const struct ilp_eh_clause *clause = &frame->body.clauses[handler->clause];
    const struct ilpi_region *to = &frame->regions[frame->region_of[target]];
    return handler->kind == ILPI_REGION_CATCH && to->kind == ILPI_REGION_TRY &&
           to->start == clause->try_offset && to->end == clause->try_offset + clause->try_length;
}

/* leave empties the stack (III.3.46), so values are never refused here. Each step leaves one region
 * around the source; finally, fault and filter may not be left this way. */
void ilpi_flow_leave(struct ilpi_frame *frame, uint32_t target)
{
    bool entered;
    uint32_t at = frame->region_of[frame->index];
    frame->depth = 0;
    while (!is_within(frame, target, at, &entered)) {
        const struct ilpi_region *region = &frame->regions[at];
        bool closed = region->kind == ILPI_REGION_FINALLY || region->kind == ILPI_REGION_FAULT ||
                      region->kind == ILPI_REGION_FILTER;
        if (is_own_try(frame, region, target)) {
            break;
        }
        if (at == 0 || closed || !ilpi_spend_work(frame->verifier, 1)) {
            ilpi_report(frame->verifier, ILPI_FIND_EH_LEAVE, "its target is IL_%04x",
                        frame->code.insns[target].offset);
            return;
        }
        at = region->parent;
    }
    ilpi_reach(frame, target);
}

/* The next instruction in the order of the code, if this one can continue there. A region is
 * entered at its start only, and never left except by leave, endfinally or an exception. */
void ilpi_flow_next(struct ilpi_frame *frame)
{
    uint32_t next = frame->index + 1;
    bool entered;
    if (next == frame->code.count) {
        ilpi_report(frame->verifier, ILPI_FIND_FALL_THROUGH, "this is the last instruction");
        frame->stopped = true;
    } else if ((frame->code.insns[next].marks & ILPI_INSN_BOUNDARY) != 0) {
        if (!is_within(frame, next, frame->region_of[frame->index], &entered)) {
            ilpi_report(frame->verifier, ILPI_FIND_FALL_THROUGH, "a block begins or ends after it");
            frame->stopped = true;
        } else {
            check_entry(frame, entered);
        }
    }
}

/* Which instruction may end which region (III.3.34, III.3.35, III.3.37, III.3.57, III.4.24). */
void ilpi_flow_end(struct ilpi_frame *frame)
{
    const struct ilpi_region *region = region_now(frame);
    const struct ilpi_insn *insn = ilpi_insn_now(frame);
    const char *wrong = NULL;
    switch ((enum ilpi_op)insn->op) {
    case ILPI_OP_RET:
    case ILPI_OP_JMP:
        wrong = region->kind != ILPI_REGION_ROOT ? "inside of a protected block or handler" : NULL;
        break;
    case ILPI_OP_ENDFINALLY:
        wrong = region->kind != ILPI_REGION_FINALLY && region->kind != ILPI_REGION_FAULT
                    ? "outside of a finally or fault block"
                    : NULL;
        break;
    case ILPI_OP_ENDFILTER:
        if (region->kind != ILPI_REGION_FILTER) {
            wrong = "outside of a filter";
        } else if (region->end != insn->offset + insn->size) {
            wrong = "not at the end of its filter";
        }
        break;
    default: /* rethrow: may be in a try block inside the handler */
        while (region->kind == ILPI_REGION_TRY && ilpi_spend_work(frame->verifier, 1)) {
            region = &frame->regions[region->parent];
        }
        wrong = region->kind != ILPI_REGION_CATCH ? "outside of a catch handler" : NULL;
        break;
    }
    if (wrong) {
        ilpi_report(frame->verifier, ILPI_FIND_EH_END, "%s %s", ilpi_opcodes[insn->op].name, wrong);
    }
}

bool ilpi_flow_is_protected(const struct ilpi_frame *frame)
{
    return region_now(frame)->kind != ILPI_REGION_ROOT;
}
