/* Inserts calls of native functions where calls of a method begin and end (III.2.4, III.3.20,
 * III.3.37, III.3.57):
 *
 *   21 <method> D3      ldc.i8; conv.i     the tracer's value for the method
 *   21 <function> D3    ldc.i8; conv.i
 *   29 <sig>            calli              managed void (native int): no GC transition
 *
 *   enter       before the first instruction; branches to it skip the call
 *   leave       before each ret that can be reached; the value stays on the stack
 *   brief       in place of enter and leave if the body does almost nothing
 *   tailcall    before a call with the prefix `tail.` that a ret follows, while its arguments are
 *               on the stack, and before jmp. If branches target that ret as well, they get
 *               one of their own, as in sites.c
 *
 * No local and no block of exception handling is added: tail calls stay tail calls, and calls that
 * an exception ends are detected without inserted code (profiler/hooks/). */
#include "inspect/tracer.h"

#include <stdio.h>

#include "il/tail_prefix.h"
#include "inspect/emit.h"
#include "inspect/native/native_call.h"
#include "inspect/plan.h"
#include "inspect/put.h"
#include "metadata/flags.h"

#define PASSAGE_SIZE   25u
#define PASSAGE_HEIGHT 2u

/* All inserted bytes, laid out so that each sequence is a part of them; written when the tokens are
 * made:
 *
 *   enter_leave       enter, leave       one half, or both where the first instruction is a ret
 *   enter_tailcall    enter, tailcall    the same for a tail call or jmp
 *   ret_leave         ret, leave         the ret stays with its tail call, labels go to leave */
struct passages {
    uint8_t enter_leave[2 * PASSAGE_SIZE];
    uint8_t enter_tailcall[2 * PASSAGE_SIZE];
    uint8_t ret_leave[1 + PASSAGE_SIZE];
};

/* ---- brief bodies ---- */

/* The next instruction with an effect; compilers emit nops for debuggers. */
static uint16_t next_op(const struct ilpi_code *code, size_t *at)
{
    while (*at < code->count && code->insns[*at].op == ILPI_OP_NOP) {
        ++*at;
    }
    return *at < code->count ? code->insns[(*at)++].op : ILPI_OP_COUNT;
}

/* Loads without running code: an argument or a constant. */
static bool loads_only(uint16_t op)
{
    return (op >= ILPI_OP_LDARG_0 && op <= ILPI_OP_LDARG_3) || op == ILPI_OP_LDARG_S ||
           op == ILPI_OP_LDARG || (op >= ILPI_OP_LDNULL && op <= ILPI_OP_LDC_R8);
}

/* Getters, setters and methods that return a constant: the JIT inlines them, and a trace of each
 * call would cost many times the call. The shapes are those that compilers give such bodies. */
bool ilpi_is_brief(const struct ilpi_code *code, uint8_t convention)
{
    size_t at = 0;
    uint16_t op = next_op(code, &at);
    bool of_this = (convention & ILP_CALL_HASTHIS) != 0 && op == ILPI_OP_LDARG_0;
    if (!loads_only(op)) {
        return false;
    }
    op = next_op(code, &at);
    if (of_this && op == ILPI_OP_LDFLD) {
        op = next_op(code, &at);
    } else if (of_this && loads_only(op)) {
        op = next_op(code, &at) == ILPI_OP_STFLD ? next_op(code, &at) : ILPI_OP_COUNT;
    }
    return op == ILPI_OP_RET;
}

/* ---- sites ---- */

static ilp_status add(struct ilpi_scratch *scratch, uint32_t insn, uint32_t entry, uint8_t *bytes,
                      size_t size, struct ilp_error *error)
{
    struct ilpi_insertion insertion = {.insn = insn, .entry = entry, .bytes = {bytes, size}};
    return ILPI_LIST_ADD(&scratch->alloc, &scratch->insertions, insertion, error);
}

/* `pair` is the enter together with this end: both go before the first instruction if the end
 * does. */
static ilp_status add_end(struct ilpi_scratch *scratch, uint32_t insn, uint8_t *pair,
                          struct ilp_error *error)
{
    if (insn == 0) {
        scratch->insertions.items[0].bytes = (struct ilp_bytes){pair, 2 * PASSAGE_SIZE};
        return ILP_OK;
    }
    return add(scratch, insn, 0, pair + PASSAGE_SIZE, PASSAGE_SIZE, error);
}

static uint32_t first_prefix(const struct ilpi_code *code, uint32_t i)
{
    while ((code->insns[i].marks & ILPI_INSN_AFTER_PREFIX) != 0) {
        i--;
    }
    return i;
}

/* The tail call before ret `i`. An EH block that begins or ends between the two would contain only
 * one of them, which the runtime refuses, or get the inserted ret. */
static ilp_status add_tail_call(struct ilpi_scratch *scratch, uint32_t i, struct passages *passages,
                                struct ilp_error *error)
{
    const struct ilpi_code *code = &scratch->code;
    const struct ilpi_insn *ret = &code->insns[i];
    uint32_t first = first_prefix(code, i - 1);
    if ((ret->marks & ILPI_INSN_BOUNDARY) != 0) {
        return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + ret->offset, 0,
                         "IL_%04x: a block of exception handling begins or ends after a tail call",
                         ret->offset);
    }
    if ((code->insns[first].marks & ILPI_INSN_SEEN) != 0) {
        ILPI_TRY(add_end(scratch, first, passages->enter_tailcall, error));
    }
    return (ret->marks & ILPI_INSN_TARGET) != 0
               ? add(scratch, i, 1, passages->ret_leave, sizeof passages->ret_leave, error)
               : ILP_OK;
}

/* Before ret and jmp, which end a call; before a tail call the call is reported as passed on,
 * because its frame is gone when the callee runs. */
static ilp_status add_exit(struct ilpi_method_job *job, uint32_t i, struct passages *passages,
                           struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    const struct ilpi_code *code = &scratch->code;
    const struct ilpi_insn *insn = &code->insns[i];
    bool reached = (insn->marks & ILPI_INSN_SEEN) != 0;
    bool jump = insn->op == ILPI_OP_JMP;
    if (!reached || (insn->op != ILPI_OP_RET && !jump)) {
        return ILP_OK;
    }
    if ((insn->marks & ILPI_INSN_AFTER_PREFIX) != 0) {
        return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + insn->offset, 0,
                         "IL_%04x: %s has a prefix (III.2)", insn->offset, jump ? "jmp" : "ret");
    }
    job->result->rets += !jump;
    job->result->jumps += jump;
    if (!jump && i != 0 && ilpi_is_tail_call(code, i - 1)) {
        return add_tail_call(scratch, i, passages, error);
    }
    return add_end(scratch, i, jump ? passages->enter_tailcall : passages->enter_leave, error);
}

/* In a brief body, the first passage is the only one. */
static ilp_status find_passages(struct ilpi_method_job *job, bool brief, struct passages *passages,
                                struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    scratch->insertions.count = 0;
    ILPI_TRY(add(scratch, 0, PASSAGE_SIZE, passages->enter_leave, PASSAGE_SIZE, error));
    if (brief) {
        job->result->rets++;
        return ILP_OK;
    }
    for (size_t exit = 0; exit < scratch->code.exits.count; exit++) {
        ILPI_TRY(add_exit(job, scratch->code.exits.items[exit], passages, error));
    }
    return ILP_OK;
}

/* ---- instructions ---- */

/* All sequences of a method are the same but for the function: ldc.i8 method; conv.i; ldc.i8
 * function; conv.i; calli. So each is made once, and inserted by reference. */
static void put_passages(struct passages *passages, const struct ilpi_tracer *tracer, bool brief,
                         uint64_t method, ilp_token signature)
{
    const struct {
        uint8_t *to;
        uint64_t function;
    } sequences[] = {
        {passages->enter_leave, brief ? tracer->brief : tracer->enter},
        {passages->enter_leave + PASSAGE_SIZE, tracer->leave},
        {passages->enter_tailcall, tracer->enter},
        {passages->enter_tailcall + PASSAGE_SIZE, tracer->tailcall},
        {passages->ret_leave + 1, tracer->leave},
    };
    ilpi_put(passages->ret_leave, ILPI_OP_RET);
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        uint8_t *to = ilpi_put_i8(sequences[i].to, method);
        to = ilpi_put(to, ILPI_OP_CONV_I);
        ilpi_native_put_calli(to, sequences[i].function, signature);
    }
}

/* The signature of the passages is one for the module; the number of the method is one for each. */
static ilp_status make_passages(struct ilpi_method_job *job, bool brief, struct passages *passages,
                                struct ilp_error *error)
{
    static const uint8_t signature[] = {ILP_CALL_DEFAULT, 1, ILP_ELEMENT_VOID, ILP_ELEMENT_I};
    struct ilpi_module_context *module = job->module;
    const struct ilp_emitter *emitter = module->emitter;
    const struct ilpi_tracer *tracer = module->tracer;
    if (module->made->tracer_signature == 0) {
        struct ilp_bytes bytes = {signature, sizeof signature};
        ILPI_TRY(
            emitter->standalone_sig(emitter->user, bytes, &module->made->tracer_signature, error));
    }
    uint64_t method = tracer->method(tracer->user, ILP_TOKEN(ILP_MethodDef, job->method));
    if (method == 0) {
        return ilpi_fail_memory(error, 0);
    }
    put_passages(passages, tracer, brief, method, module->made->tracer_signature);
    return ILP_OK;
}

/* ---- the body ---- */

/* The greater of what the file declares and what was computed, plus the passages where they are: a
 * declared value may be too low, since nothing checks it, or higher than needed, which is kept. */
static uint16_t new_max_stack(const struct ilpi_method_job *job)
{
    const struct ilpi_scratch *scratch = job->scratch;
    bool declared = job->body.fat && job->body.max_stack > scratch->stack.max;
    uint32_t needed = declared ? job->body.max_stack : scratch->stack.max;
    for (size_t i = 0; i < scratch->insertions.count; i++) {
        uint32_t here = scratch->stack.depth[scratch->insertions.items[i].insn] + PASSAGE_HEIGHT;
        needed = here > needed ? here : needed;
    }
    return (uint16_t)(needed < UINT16_MAX ? needed : UINT16_MAX);
}

/* A passage at the start, and one before each exit (find_passages()); exceptions leave without one.
 * Without an emitter only the plan is made, for reports. */
static ilp_status trace_body(struct ilpi_method_job *job, const struct ilpi_sig_call *call,
                             struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    ILPI_TRY(ilpi_plan_body(job, call->returns, error));
    bool brief = job->module->tracer->brief != 0 && job->body.clause_count == 0 &&
                 ilpi_is_brief(&scratch->code, call->convention);
    struct passages *passages = ilpi_arena_alloc(&scratch->arena, sizeof *passages);
    if (!passages) {
        return ilpi_fail_memory(error, sizeof *passages);
    }
    ILPI_TRY(find_passages(job, brief, passages, error));
    ILPI_TRY(ilpi_emit_check_room(job, scratch->insertions.count * 2 * PASSAGE_SIZE,
                                  job->body.clause_count, error));
    if (!job->module->emitter) {
        return ILP_OK;
    }
    ILPI_TRY(make_passages(job, brief, passages, error));
    scratch->patch.leave = 0;
    ILPI_TRY(ilpi_patch_apply(&scratch->patch, &scratch->code, &job->body,
                              scratch->insertions.items, scratch->insertions.count, error));
    struct ilp_body changed = job->body;
    changed.code = ilpi_buf_bytes(&scratch->patch.code);
    changed.clauses = scratch->patch.clauses;
    changed.max_stack = new_max_stack(job);
    return ilpi_emit_body(job, &changed, error);
}

/* It returns without a ret when it is suspended, and continues without being called. */
static bool is_runtime_async(const struct ilpi_method_job *job)
{
    return (ilp_cell(job->module->image, ILP_MethodDef, job->method, ILP_MethodDef_ImplFlags) &
            ILPI_METHOD_IMPL_ASYNC) != 0;
}

ilp_status ilpi_trace_method(struct ilpi_method_job *job, struct ilp_error *error)
{
    const struct ilp_image *image = job->module->image;
    struct ilp_method_result *result = job->result;
    uint32_t blob = ilp_cell(image, ILP_MethodDef, job->method, ILP_MethodDef_Signature);
    struct ilp_error why = {.status = ILP_OK};
    struct ilpi_sig_call call;
    if (is_runtime_async(job)) {
        result->reason = ILP_REASON_NO_RETURN;
        snprintf(result->detail, sizeof result->detail,
                 "a runtime-async method is suspended without a ret, and goes on without a call");
        return ILP_OK;
    }
    ilp_status status = ilpi_sig_call_shape(ilp_blob(image, blob), 0, &call, &why);
    if (status != ILP_OK) {
        return ilpi_refuse_method(job, ILP_REASON_BAD_SIGNATURE, status, &why, error);
    }
    result->reason = ILP_REASON_INSPECTED;
    status = trace_body(job, &call, &why);
    return status == ILP_OK ? ILP_OK
                            : ilpi_refuse_method(job, ILP_REASON_BAD_BODY, status, &why, error);
}
