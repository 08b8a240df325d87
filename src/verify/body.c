/* Verifies one method's body: reads it, and walks its blocks (III.1.7, III.1.8.1.3). See frame.h.
 *
 * The walk is a data-flow analysis: the state before a block is merged from all branches to it, and
 * a block whose state changed is walked again, until nothing changes. A last pass over each block
 * reports the findings.
 *
 *   entries[i]   unknown --first branch to i--> known, queued --walk_block--> known
 *                                                 ^                            |
 *                                                 \--- a merge changed it -----/
 *
 * A merge only makes the types of a state more general, and each type has finitely many bases, so
 * the walk ends; the step limit is for crafted files, whose class chains are long. */
#include "base/budget.h"
#include "metadata/flags.h"
#include "verify/frame.h"

/* Limits per byte of code, which only crafted files exceed: values kept for joins, and steps until
 * nothing changes. */
#define POOL_TIMES 1u
#define POOL_LEAST 1024u
#define STEP_TIMES 64u
#define STEP_LEAST 4096u

/* ---- walking ---- */

/* From the first instruction of a block to a control transfer, or to the next block. The entry's
 * stack is copied, since joins may change the entry while the block is walked, also its own in a
 * loop. */
static void walk_block(struct ilpi_frame *frame, uint32_t index)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_entry *entry = &frame->entries[index];
    memcpy(frame->stack, frame->pool.items + entry->slots, entry->depth * sizeof *frame->stack);
    frame->depth = entry->depth;
    frame->this_ready = entry->this_ready;
    frame->index = index;
    frame->stopped = false;
    frame->prefixes = 0;
    verifier->offset = ilpi_insn_now(frame)->offset;
    ilpi_flow_enter(frame, index);
    while (!frame->stopped && frame->steps != 0 && verifier->status == ILP_OK) {
        const struct ilpi_insn *insn = ilpi_insn_now(frame);
        verifier->offset = insn->offset;
        frame->steps--;
        ilpi_step(frame);
        unsigned flow = ilpi_opcodes[insn->op].flow;
        if (flow == ILPI_FLOW_BRANCH || flow == ILPI_FLOW_RETURN || flow == ILPI_FLOW_THROW ||
            frame->stopped) {
            return;
        }
        ilpi_flow_next(frame);
        if (frame->stopped) {
            return;
        }
        if ((frame->code.insns[frame->index + 1].marks & ILPI_INSN_TARGET) != 0) {
            ilpi_reach(frame, frame->index + 1);
            return;
        }
        frame->index++;
    }
}

/* At ret a constructor must have called its base's; the whole body shows whether it has. */
static void begin(struct ilpi_frame *frame)
{
    frame->depth = 0;
    frame->this_ready = !frame->is_ctor || frame->at_ret;
    if (frame->at_ret && frame->ret->kind != ILP_ELEMENT_VOID) {
        ilpi_push_type(frame, frame->ret);
    }
}

/* Two passes. In the first `quiet` is set, findings are only counted in `hidden`, and ilpi_reach()
 * queues what changes. In the second states are final, each known block is walked once, and
 * findings are reported. `hidden` counts changed states as well, so 0 means that the first pass saw
 * every block in its final state. */
static void walk(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    begin(frame);
    frame->code.insns[0].marks |= ILPI_INSN_TARGET;
    verifier->quiet = true;
    verifier->hidden = 0;
    uint64_t steps = frame->steps < verifier->work ? frame->steps : verifier->work;
    frame->steps = steps;
    ilpi_reach(frame, 0);
    while (frame->pending_count != 0 && frame->steps != 0 && verifier->status == ILP_OK) {
        uint32_t index = frame->pending[--frame->pending_count];
        frame->entries[index].queued = false;
        walk_block(frame, index);
    }
    verifier->quiet = false;
    frame->overflow_reported = false;
    ilpi_spend_work(verifier, steps - frame->steps);
    bool whole = frame->steps != 0 && verifier->work != 0;
    frame->steps = whole ? frame->code.count + 1 : 0;
    /* without findings, each block was walked once, in its final state */
    bool found = verifier->hidden != 0;
    for (uint32_t i = 0; whole && found && i < frame->code.count && verifier->status == ILP_OK;
         i++) {
        if (frame->entries[i].known) {
            frame->steps += frame->code.count; /* enough for a block: its cost was paid before */
            walk_block(frame, i);
        }
    }
    verifier->offset = ILPI_NO_IL_OFFSET;
    if (!whole) {
        ilpi_report(verifier, ILPI_FIND_TOO_COMPLEX, "its code was not checked to the end");
    }
}

/* ---- setting up ---- */

/* No path has more values than instructions: each pushes at most one more than it pops, and a join
 * accepts one depth only. Two more are for the exception of a handler, or the value of a ret.
 * entry->depth has 16 bits. */
static bool take_room(struct ilpi_frame *frame)
{
    size_t count = frame->code.count;
    size_t stack = count + 2 < UINT16_MAX ? count + 2 : UINT16_MAX;
    frame->pool_limit = POOL_LEAST + frame->body.code.size * POOL_TIMES;
    frame->pool.count = 0;
    frame->pending_count = 0;
    frame->overflow_reported = false;
    frame->steps = STEP_LEAST + frame->body.code.size * STEP_TIMES;
    frame->stack_size = (uint32_t)stack;
    frame->entries = ilpi_arena_array(&frame->arena, count, sizeof *frame->entries);
    frame->pending = ilpi_arena_array(&frame->arena, count, sizeof *frame->pending);
    frame->stack = ilpi_arena_array(&frame->arena, stack, sizeof *frame->stack);
    if (!frame->entries || !frame->pending || !frame->stack) {
        ilpi_verify_no_memory(frame->verifier, count * sizeof *frame->stack);
        return false;
    }
    return ilpi_grow_pool(frame, POOL_LEAST);
}

/* An invalid signature ends the check of this body, since every use of a local would be reported.
 * Without InitLocals the code is correct but not verifiable. */
static bool read_locals(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    struct ilp_image *image = verifier->image;
    ilp_token token = frame->body.locals;
    frame->locals = NULL;
    frame->local_count = 0;
    if (token == 0) {
        return true;
    }
    uint32_t blob = ilp_cell(image, ILP_StandAloneSig, ILP_TOKEN_RID(token),
                             ILP_StandAloneSig_Signature);
    const struct ilp_sig *sig = ILP_TOKEN_TABLE(token) == ILP_StandAloneSig
                                    ? ilpi_verify_sig(verifier, ilp_blob(image, blob),
                                                      ILP_SIG_LOCALS, &frame->arena)
                                    : NULL;
    if (!sig) {
        ilpi_report(verifier, ILPI_FIND_LOCALS, "0x%08X", token);
        return false;
    }
    frame->locals = ilpi_arena_array(&frame->arena, sig->param_count, sizeof *frame->locals);
    if (!frame->locals) {
        ilpi_verify_no_memory(verifier, sig->param_count * sizeof *frame->locals);
        return false;
    }
    for (const struct ilp_type *local = sig->params; local; local = local->next) {
        frame->locals[frame->local_count++] = ilpi_type_load(verifier, image, local);
    }
    if (frame->local_count != 0 && !frame->body.init_locals) {
        ilpi_report(verifier, ILPI_FIND_INIT_LOCALS, "%u locals", frame->local_count);
    }
    return true;
}

/* A method that the runtime suspends returns Task<T> to its callers, and T at ret (MethodImpl
 * async). */
static const struct ilpi_vtype *returned(struct ilpi_verifier *verifier,
                                         const struct ilpi_method *sig)
{
    if ((sig->impl_flags & ILPI_METHOD_IMPL_ASYNC) == 0) {
        return sig->ret;
    }
    bool task = ilpi_def_is_named(sig->ret->def, "System.Threading.Tasks", "Task`1") ||
                ilpi_def_is_named(sig->ret->def, "System.Threading.Tasks", "ValueTask`1");
    bool plain = ilpi_def_is_named(sig->ret->def, "System.Threading.Tasks", "Task") ||
                 ilpi_def_is_named(sig->ret->def, "System.Threading.Tasks", "ValueTask");
    /* the runtime's own helpers have the flag, but return the declared type */
    if (task && sig->ret->arg_count == 1) {
        return sig->ret->args[0];
    }
    return plain ? ilpi_type_of_element(verifier, ILP_ELEMENT_VOID) : sig->ret;
}

/* `this` is a managed pointer in methods of value types (II.13.3). Only constructors of classes
 * that extend something must call one of their base's. */
static bool read_signature(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_method *sig = ilpi_method_of_token(verifier,
                                                         ILP_TOKEN(ILP_MethodDef, frame->method));
    frame->sig = sig;
    frame->owner = sig->owner;
    frame->ret = returned(verifier, sig);
    frame->has_this = (sig->convention & (ILP_CALL_HASTHIS | ILP_CALL_EXPLICITTHIS)) ==
                      ILP_CALL_HASTHIS;
    if (sig->known == ILPI_KNOWN_NOT) {
        return false; /* signatures.c has reported it */
    }
    bool value = sig->owner && ilpi_type_is_reference(verifier, sig->owner) == ILP_NO;
    frame->is_any_ctor = sig->is_ctor && frame->has_this;
    frame->is_ctor = frame->is_any_ctor && !value && sig->owner &&
                     ilpi_type_base(verifier, sig->owner);
    frame->is_cctor = strcmp(sig->name, ".cctor") == 0;
    frame->arg_count = sig->param_count + (frame->has_this ? 1 : 0);
    frame->args = ilpi_arena_array(&frame->arena, frame->arg_count, sizeof *frame->args);
    if (!frame->args) {
        ilpi_verify_no_memory(verifier, frame->arg_count * sizeof *frame->args);
        return false;
    }
    uint32_t next = 0;
    if (frame->has_this) {
        const struct ilpi_vtype *owner = sig->owner ? sig->owner
                                                    : ilpi_type_of_element(verifier, 0);
        frame->args[next++] = value ? ilpi_type_wrapped(verifier, ILP_ELEMENT_BYREF, owner, 0)
                                    : owner;
    }
    for (uint32_t i = 0; i < sig->param_count; i++) {
        frame->args[next++] = sig->params[i];
    }
    return true;
}

/* `this` may be another object once argument 0 is stored to, or its address taken
 * (III.1.8.1.2.2). */
static void find_stores_to_this(struct ilpi_frame *frame)
{
    frame->this_is_stored = false;
    for (size_t i = 0; frame->has_this && i < frame->code.count; i++) {
        const struct ilpi_insn *insn = &frame->code.insns[i];
        const uint8_t *end = frame->body.code.data + insn->offset + insn->size;
        bool is_short = insn->op == ILPI_OP_STARG_S || insn->op == ILPI_OP_LDARGA_S;
        bool is_long = insn->op == ILPI_OP_STARG || insn->op == ILPI_OP_LDARGA;
        frame->this_is_stored = frame->this_is_stored || (is_short && end[-1] == 0) ||
                                (is_long && ilpi_load_u16(end - 2) == 0);
    }
}

/* The cost is charged before the body is decoded: many MethodDef rows may refer to one large
 * body. */
static void verify_body(struct ilpi_frame *frame, struct ilp_bytes bytes, uint64_t offset)
{
    struct ilpi_verifier *verifier = frame->verifier;
    struct ilp_error error;
    ilp_status status = ilp_body_read(&frame->body, bytes, offset, &frame->arena, &error);
    if (status == ILP_OK && !ilpi_spend_work(verifier, frame->body.size * 4)) {
        ilpi_report(verifier, ILPI_FIND_TOO_COMPLEX, "many methods share large bodies");
        return;
    }
    enum ilpi_finding finding = ILPI_FIND_BODY;
    if (status == ILP_OK) {
        finding = ILPI_FIND_CODE;
        status = ilpi_code_decode(&frame->code, &frame->body, &error);
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        ilpi_verify_no_memory(verifier, frame->body.size);
    } else if (status != ILP_OK) {
        ilpi_report(verifier, finding, "%.200s", error.message);
    } else if (frame->code.count == 0) {
        ilpi_report(verifier, ILPI_FIND_CODE, "there is none");
    } else if (read_signature(frame) && read_locals(frame) && ilpi_flow_open(frame) &&
               take_room(frame)) {
        find_stores_to_this(frame);
        walk(frame);
    }
}

/* ---- all of them ---- */

void ilpi_frame_open(struct ilpi_frame *frame, struct ilpi_verifier *verifier)
{
    *frame = (struct ilpi_frame){.verifier = verifier};
    ilpi_alloc_init_within(&frame->alloc, &verifier->alloc, ILPI_VERIFY_METHOD_MEMORY);
    frame->arena.alloc = frame->code.alloc = &frame->alloc;
}

void ilpi_frame_close(struct ilpi_frame *frame)
{
    ILPI_LIST_FREE(&frame->alloc, &frame->pool);
    ilpi_code_free(&frame->code);
    ilpi_arena_free(&frame->arena);
}

/* Frees what a very large method took, so that each has the whole limit. */
static void begin_method(struct ilpi_frame *frame, ilp_rid method)
{
    struct ilpi_verifier *verifier = frame->verifier;
    if (frame->alloc.used > ILPI_METHOD_KEPT) {
        ilpi_frame_close(frame);
    }
    ilpi_arena_reset(&frame->arena);
    frame->alloc.full = false;
    frame->method = method;
    verifier->token = ILP_TOKEN(ILP_MethodDef, method);
    ilpi_set_context(verifier, ilp_owner_of_method(verifier->image, method), method);
}

/* A method that exceeds the memory limit is not a failure of the verifier. */
static void end_method(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    if (verifier->status == ILP_E_NO_MEMORY && frame->alloc.full) {
        verifier->status = ILP_OK;
        verifier->quiet = false;
        verifier->offset = ILPI_NO_IL_OFFSET;
        ilpi_report(verifier, ILPI_FIND_TOO_COMPLEX, "more than %zu MB of memory would be needed",
                    frame->alloc.hook.limit >> 20);
    }
}

/* Half of the remaining budget is lent to the method for short-lived memory and given back at the
 * end; without the split, types kept for the image could take all of it. */
void ilpi_verify_method(struct ilpi_frame *frame, ilp_rid method, struct ilp_bytes body,
                        uint64_t offset)
{
    struct ilpi_verifier *verifier = frame->verifier;
    uint64_t half = verifier->memory / 2; /* keep it from being spent on types */
    verifier->memory -= half;
    frame->alloc.hook.limit = ILPI_VERIFY_METHOD_MEMORY + (size_t)half;
    begin_method(frame, method);
    verify_body(frame, body, offset);
    end_method(frame);
    verifier->memory += half;
}

void ilpi_verify_part(struct ilpi_frame *frame, ilp_rid method, struct ilp_bytes body, bool at_ret)
{
    frame->at_ret = at_ret;
    ilpi_verify_method(frame, method, body, 0);
    frame->at_ret = false;
}

/* Methods without a body, or whose RVA is in no section, are left to the checks of rows. The frame
 * keeps its memory from one method to the next. */
void ilpi_verify_bodies(struct ilpi_verifier *verifier)
{
    struct ilp_image *image = verifier->image;
    const struct ilp_findings_sink *sink = verifier->sink;
    struct ilpi_frame frame;
    ilpi_frame_open(&frame, verifier);
    for (ilp_rid rid = 1; rid <= image->tables[ILP_MethodDef].count && verifier->status == ILP_OK;
         rid++) {
        uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        uint32_t impl = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags);
        uint64_t offset;
        struct ilp_bytes bytes = rva != 0 ? ilp_image_rva(image, rva, &offset)
                                          : (struct ilp_bytes){NULL, 0};
        if ((impl & ILPI_METHOD_IMPL_CODE_TYPE_MASK) == 0 && bytes.size != 0 &&
            (!sink->wanted || sink->wanted(sink->user, ILP_TOKEN(ILP_MethodDef, rid)))) {
            ilpi_verify_method(&frame, rid, bytes, offset);
        }
    }
    ilpi_frame_close(&frame);
}
