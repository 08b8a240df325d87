/* Passes exceptions that leave a method, in a filter that never catches (I.12.4.2, III.3.34):
 *
 *   .try {                the old body; each ret is
 *     13 N  stloc           a new local for the value, if there is one
 *     DD    leave END
 *   } filter {            an exception that nothing in the body catches is on the stack
 *     72 <name>   ldstr     or id, or handle
 *     11 M        ldloc     the state, when arguments are passed
 *     28 <method> call      void MyException(object, string, object)
 *     16 FE11     ldc.i4.0; endfilter
 *   } { 7A }              throw: never entered
 *   END: 11 N             ldloc; then as before any ret (sequence.c)
 *   2A                    ret
 *
 * A state machine's MoveNext catches what leaves the async method, and passes it to its builder
 * (async/async.c):
 *
 *     25          dup
 *     72 <name>   ldstr     or id, or handle
 *     11 M        ldloc     the state, when arguments are passed
 *     28 <method> call      void MyException(object, string, object)
 *     28 <method> call      SetException, as before
 *
 * These instructions get a guard if one is requested (guard.c): otherwise an exception of the
 * inspector would leave MoveNext.
 *
 * Filters run in the first pass, before finally blocks do, and the runtime drops an exception that
 * a filter throws: the original one continues as if there were no filter. The clause encloses all
 * others, so it comes last (I.12.4.2.7). native/native_call.c has the filter of a native
 * function. */
#include "inspect/exceptions.h"

#include "il/tail_prefix.h"
#include "inspect/core_token.h"
#include "inspect/guard.h"
#include "inspect/native/native_call.h"
#include "inspect/plan.h"
#include "inspect/put.h"
#include "inspect/sequence.h"
#include "inspect/sites.h"
#include "metadata/flags.h"

/* ---- the plan ---- */

/* Reasons for which the value is not inspected but exceptions can be; for others, such as a body
 * that cannot be read, neither can. */
bool ilpi_exceptions_alone(struct ilpi_method_job *job)
{
    if (!job->action.exceptions) {
        return false;
    }
    switch (job->result->reason) {
    case ILP_REASON_VOID:
    case ILP_REASON_BYREF:
    case ILP_REASON_POINTER:
    case ILP_REASON_TASK:
    case ILP_REASON_BYREF_LIKE:
    case ILP_REASON_ALLOWS_REF:
    case ILP_REASON_NO_RETURN:
    case ILP_REASON_NO_OVERLOAD: job->exceptions.alone = true; break;
    default: return false;
    }
    job->overload = NULL;
    job->passes_state = job->passes_state && ilpi_core_scope_is_known(&job->module->core);
    return true;
}

/* Why an exit cannot be inside a try block; NULL: it can. A filter that ends right after a call of
 * the inspector is the one that an earlier run made. */
static const char *fault_of_exit(const struct ilpi_method_job *job, uint32_t i)
{
    const struct ilpi_code *code = &job->scratch->code;
    const struct ilpi_insn *insn = &code->insns[i];
    if (insn->op == ILPI_OP_ENDFILTER) {
        return i >= 2 && ilpi_sites_is_inspector_call(job, i - 2) ? "already-inspected" : NULL;
    }
    if (insn->op != ILPI_OP_RET) {
        return NULL;
    }
    if (i == 0) {
        return "empty";
    }
    /* an unreachable one is not a site */
    return (insn->marks & ILPI_INSN_AFTER_PREFIX) != 0 || ilpi_is_tail_call(code, i - 1)
               ? "tail-call"
               : NULL;
}

/* Why the filter cannot be around the body; NULL: it can. All of the body becomes a try block,
 * which only leave may exit, so a tail call and jmp are not possible in it. */
static const char *fault_of_body(const struct ilpi_method_job *job)
{
    const struct ilpi_code *code = &job->scratch->code;
    const char *fault = NULL;
    if (job->result->already != 0) {
        return "already-inspected";
    }
    if (job->result->tail_calls != 0) { /* the call and ret stay together (III.2.4) */
        return "tail-call";
    }
    if (job->result->jumps != 0) { /* III.3.37 */
        return "jmp";
    }
    for (size_t exit = 0; exit < code->exits.count && !fault; exit++) {
        fault = fault_of_exit(job, code->exits.items[exit]);
    }
    return fault;
}

/* The word of the report for why exceptions are not passed; NULL: they are. */
static const char *fault_of(const struct ilpi_method_job *job)
{
    const struct ilp_image *image = job->module->image;
    uint32_t flags = ilp_cell(image, ILP_MethodDef, job->method, ILP_MethodDef_ImplFlags);
    if (ilpi_is_constructor(job)) {
        return "constructor";
    }
    if ((flags & ILPI_METHOD_IMPL_ASYNC) != 0) {
        return "runtime-async";
    }
    if (!job->exceptions.overload) {
        return "no-overload";
    }
    return fault_of_body(job);
}

/* Passes exceptions only, not the value. */
static void set_alone(struct ilpi_method_job *job)
{
    struct ilp_method_result *result = job->result;
    job->exceptions.alone = true;
    job->overload = NULL;
    result->reason = ILP_REASON_EXCEPTIONS;
    result->detail[0] = '\0';
    result->boxed = false;
    result->replaces = false;
    result->inspected = 0;
    result->stripped = 0;
}

/* Exceptions are dropped on their own: a body that cannot be enclosed still has its value
 * inspected. */
void ilpi_exceptions_plan(struct ilpi_method_job *job)
{
    struct ilpi_exceptions *exceptions = &job->exceptions;
    struct ilp_method_result *result = job->result;
    exceptions->overload = ilpi_exception_overload(job->binding->inspector, job->action.pass,
                                                   job->passes_state);
    exceptions->returns = ilpi_returns_value(job);
    result->without_exceptions = fault_of(job);
    exceptions->taken = result->without_exceptions == NULL;
    result->exceptions = exceptions->taken;
    if (exceptions->taken && (exceptions->alone || result->inspected == 0)) {
        set_alone(job);
    }
}

/* Why exceptions of a state machine are not passed; NULL: they are. */
static const char *fault_of_calls(const struct ilpi_method_job *job)
{
    const struct ilpi_exceptions *exceptions = &job->exceptions;
    if (exceptions->already || job->result->already != 0) {
        return "already-inspected";
    }
    if (exceptions->calls == 0) {
        return "state-machine";
    }
    if (!exceptions->overload) {
        return "no-overload";
    }
    return job->action.guard && !ilpi_core_scope_is_known(&job->module->core) ? "no-core-library"
                                                                              : NULL;
}

/* `value`: the result is passed as well. If nothing is passed, the sites that were found are
 * removed, so that the body does not change. */
void ilpi_exceptions_plan_calls(struct ilpi_method_job *job, bool value)
{
    struct ilpi_exceptions *exceptions = &job->exceptions;
    struct ilp_method_result *result = job->result;
    exceptions->overload = ilpi_exception_overload(job->binding->inspector, job->action.pass,
                                                   job->passes_state);
    result->without_exceptions = fault_of_calls(job);
    exceptions->set = result->without_exceptions == NULL && (value || ilpi_exceptions_alone(job));
    result->exceptions = exceptions->set;
    if (!exceptions->set) {
        ilpi_sites_remove(job, true);
    } else if (!value) {
        set_alone(job);
    }
    if (!value) {
        ilpi_sites_remove(job, false);
    }
}

/* The exception, the name or its substitute, the state. */
#define FILTER_HEIGHT 3u

uint32_t ilpi_exceptions_height(const struct ilpi_method_job *job)
{
    if (job->binding->inspector->native) {
        return ILPI_NATIVE_EXCEPTION_HEIGHT;
    }
    return job->exceptions.set ? 1u + (job->exceptions.overload->takes != ILP_PASS_VALUE) +
                                     job->exceptions.overload->state
                               : FILTER_HEIGHT;
}

/* ---- the instructions ---- */

/* From the exception on the stack to the call. */
static ilp_status put_call(struct ilpi_method_job *job, uint8_t **to, struct ilp_error *error)
{
    const struct ilpi_overload *overload = job->exceptions.overload;
    ilp_token name = 0;
    ilp_token call;
    ILPI_TRY(ilpi_passed_token(job, overload->takes, &name, error));
    ILPI_TRY(ilpi_call_token(job, overload, &call, error));
    *to = ilpi_put_passed(*to, job, overload->takes, name);
    *to = overload->state ? ilpi_put_local(*to, ILPI_LOCAL_LOAD, job->arguments.state) : *to;
    *to = ilpi_put_token(*to, ILPI_OP_CALL, call);
    return ILP_OK;
}

static ilp_status put_any_call(struct ilpi_method_job *job, uint8_t **to, struct ilp_error *error)
{
    return job->binding->inspector->native ? ilpi_native_put_exception(job, to, error)
                                           : put_call(job, to, error);
}

/* The call in a try block of its own: an inspector's exception must not replace the method's. */
static ilp_status put_guarded(struct ilpi_method_job *job, uint8_t **to, struct ilp_error *error)
{
    struct ilpi_exceptions *exceptions = &job->exceptions;
    uint8_t *start = *to;
    ILPI_TRY(ilpi_guard_tokens(job, error));
    *to = ilpi_guard_put_try(job, *to, start, &exceptions->guard, true);
    ILPI_TRY(put_call(job, to, error));
    *to = ilpi_guard_put_catch(job, *to, start, &exceptions->guard, true);
    return ILP_OK;
}

/* Before a call of SetException. */
static ilp_status put_before_set(struct ilpi_method_job *job, uint8_t **to, struct ilp_error *error)
{
    if (job->action.guard) {
        return put_guarded(job, to, error);
    }
    *to = ilpi_put(*to, ILPI_OP_DUP);
    return put_any_call(job, to, error);
}

/* The bytes of the filter and its handler:
 *
 *   filter    the call, with the exception on the stack; ldc.i4.0; endfilter     "not handled"
 *   handler   throw                                                              never reached
 *
 * A filter that refuses lets the exception continue as if there were no clause, and with its stack
 * intact, which a catch with rethrow would lose. */
ilp_status ilpi_exceptions_build(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_exceptions *exceptions = &job->exceptions;
    uint8_t *to = exceptions->code;
    if (exceptions->set) {
        ILPI_TRY(put_before_set(job, &to, error));
    } else {
        ILPI_TRY(put_any_call(job, &to, error));
        to = ilpi_put(to, ILPI_OP_LDC_I4_0);
        to = ilpi_put(to, ILPI_OP_ENDFILTER);
        exceptions->handler = (size_t)(to - exceptions->code);
        to = ilpi_put(to, ILPI_OP_THROW);
    }
    exceptions->size = (size_t)(to - exceptions->code);
    return ILP_OK;
}

/* Every ret becomes a leave to the end (III.3.57: a ret is not allowed inside a try block), so all
 * returns, reachable or not, are changed. */
ilp_status ilpi_exceptions_insert(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_exceptions *exceptions = &job->exceptions;
    struct ilpi_scratch *scratch = job->scratch;
    const struct ilpi_code *code = &scratch->code;
    uint8_t *end = ilpi_put_local(exceptions->store, ILPI_LOCAL_STORE, exceptions->local);
    scratch->insertions.count = 0;
    scratch->patch.leave = (uint32_t)exceptions->size;
    for (size_t exit = 0; exit < code->exits.count; exit++) {
        uint32_t i = code->exits.items[exit];
        /* an unreachable one has no value */
        bool stores = exceptions->returns && (code->insns[i].marks & ILPI_INSN_SEEN) != 0;
        struct ilpi_insertion insertion = {
            .insn = i,
            .bytes = {exceptions->store, stores ? (size_t)(end - exceptions->store) : 0}};
        if (code->insns[i].op == ILPI_OP_RET) {
            ILPI_TRY(ILPI_LIST_ADD(&scratch->alloc, &scratch->insertions, insertion, error));
        }
    }
    return ILP_OK;
}

/* After the old code: the filter and its handler, then the common end that each ret was replaced by
 * a leave to, where the returned value is loaded and passed. */
ilp_status ilpi_exceptions_append(struct ilpi_method_job *job, struct ilp_bytes sequence,
                                  uint32_t *at, struct ilp_error *error)
{
    const struct ilpi_exceptions *exceptions = &job->exceptions;
    struct ilpi_buf *code = &job->scratch->patch.code;
    uint8_t load[4];
    uint8_t *end = ilpi_put_local(load, ILPI_LOCAL_LOAD, exceptions->local);
    ilpi_buf_bytes_add(code, exceptions->code, exceptions->size);
    *at = 0;
    if (job->scratch->insertions.count > (job->passes_state ? 1u : 0u)) { /* a ret branches there */
        ilpi_buf_bytes_add(code, load, exceptions->returns ? (size_t)(end - load) : 0);
        *at = exceptions->alone ? 0 : (uint32_t)code->size;
        ilpi_buf_bytes_add(code, sequence.data, sequence.size);
        ilpi_buf_u8(code, (uint8_t)ilpi_opcodes[ILPI_OP_RET].value);
    }
    return code->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, code->size);
}

/* The clause is appended: the runtime searches clauses in order, and inner ones first (I.12.4.2.7).
 * The filter begins where the try block ends, and its handler follows it directly. */
ilp_status ilpi_exceptions_clause(struct ilpi_method_job *job, struct ilp_body *body,
                                  struct ilp_error *error)
{
    const struct ilpi_exceptions *exceptions = &job->exceptions;
    struct ilpi_patch *patch = &job->scratch->patch;
    uint32_t start = patch->new_offset[0];
    uint32_t end = patch->new_offset[job->scratch->code.count];
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->clauses, &patch->clause_capacity,
                       body->clause_count + 1, sizeof *patch->clauses, error));
    patch->clauses[body->clause_count++] =
        (struct ilp_eh_clause){.flags = ILPI_EH_FILTER,
                               .try_offset = start,
                               .try_length = end - start,
                               .handler_offset = end + (uint32_t)exceptions->handler,
                               .handler_length = (uint32_t)(exceptions->size - exceptions->handler),
                               .token_or_filter = end};
    body->clauses = patch->clauses;
    return ILP_OK;
}
