/* Methods that compilers have turned into state machines, if a rule requests their results and not
 * the task or sequence that they return: the kickoff method is unchanged, and its MoveNext shows
 * the values (docs/INSPECTION.md).
 *
 *   async method       before the call of the builder's SetResult, which takes the value
 *   iterator           before ret, if true is returned: the value is in the field that Current
 *                      reads
 *   async iterator     before the call of the promise's SetResult, if it takes true: the same
 *
 * An exception that leaves an async method or iterator does not leave MoveNext, which catches it:
 * it is shown before the call of SetException of the builder or the promise (exceptions.c). */
#include "inspect/async/rewrite_machine.h"

#include <stdio.h>

#include "base/bytes.h"
#include "inspect/async/async.h"
#include "inspect/async/iterator.h"
#include "inspect/async/machine_arguments.h"
#include "inspect/arguments.h"
#include "inspect/emit.h"
#include "inspect/exceptions.h"
#include "inspect/plan.h"
#include "inspect/sites.h"

/* ---- the request ---- */

static bool wants(enum ilpi_state_machine_kind kind, const struct ilp_rule_action *action)
{
    switch (kind) {
    case ILPI_STATE_MACHINE_ASYNC: return action->async == ILP_ASYNC_RESULT;
    case ILPI_STATE_MACHINE_ITERATOR:
    case ILPI_STATE_MACHINE_ASYNC_ITERATOR: return action->iterators == ILP_ITERATORS_CURRENT;
    default: return false;
    }
}

bool ilpi_wants_state_machines(const struct ilp_rule_action *action)
{
    return wants(ILPI_STATE_MACHINE_ASYNC, action) || wants(ILPI_STATE_MACHINE_ITERATOR, action);
}

static enum ilpi_state_machine_kind kind_of(const struct ilpi_module_context *module,
                                            ilp_rid kickoff)
{
    return (enum ilpi_state_machine_kind)module->state_machines->kind_of[kickoff];
}

bool ilpi_wants_state_machine(const struct ilpi_module_context *module, ilp_rid kickoff,
                              const struct ilp_rule_action *action)
{
    return wants(kind_of(module, kickoff), action);
}

void ilpi_want_no_state_machine(struct ilp_rule_action *action)
{
    action->async = ILP_ASYNC_TASK;
    action->iterators = ILP_ITERATORS_SEQUENCE;
}

ilp_status ilpi_kickoff_of(struct ilpi_module_context *module, ilp_rid method, ilp_rid *kickoff,
                           struct ilp_error *error)
{
    *kickoff = 0;
    if (!module->state_machines) {
        ILPI_TRY(ilpi_found_state_machines(module->found, &module->state_machines, error));
    }
    if (method <= module->image->tables[ILP_MethodDef].count) {
        *kickoff = module->state_machines->kickoff_of[method];
    }
    return ILP_OK;
}

/* ---- locating the value ---- */

static bool is_value_type(const struct ilp_type *type)
{
    return type->element == ILP_ELEMENT_VALUETYPE ||
           (type->element == ILP_ELEMENT_GENERICINST &&
            type->inner->element == ILP_ELEMENT_VALUETYPE);
}

/* The stack below the argument of a call on field `field`: the object in it, or the address of the
 * value. */
static ilp_status set_below(struct ilpi_method_job *job, ilp_rid field, struct ilp_error *error)
{
    const struct ilp_type *type;
    ILPI_TRY(ilpi_field_type(job->module->image, field, &job->scratch->arena, &type, error));
    if (type) {
        job->location.below = type->raw;
        job->location.below_by_reference = is_value_type(type);
    }
    return ILP_OK;
}

/* Whether instructions may be inserted before a call. */
static bool is_free(const struct ilpi_insn *insn)
{
    return (insn->marks & ILPI_INSN_SEEN) != 0 && (insn->marks & ILPI_INSN_AFTER_PREFIX) == 0;
}

/* The owner of the method, which is a MoveNext. */
static struct ilpi_machine_type machine_type_of(struct ilpi_method_job *job)
{
    return (struct ilpi_machine_type){job->module->image, job->owner, &job->scratch->arena,
                                      &job->module->budget};
}

/* Adds instruction `i` if it passes an exception to field `field` and exceptions are requested. The
 * field must be loaded for that call, unless the call is inspected already. */
static ilp_status add_exception(struct ilpi_method_job *job,
                                const struct ilpi_machine_type *machine, uint32_t i, ilp_rid field,
                                struct ilp_error *error)
{
    const struct ilpi_code *code = &job->scratch->code;
    struct ilpi_exceptions *exceptions = &job->exceptions;
    struct ilp_bytes type;
    bool on;
    if (!job->action.exceptions || !is_free(&code->insns[i])) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_async_exception_type(machine, code, &code->insns[i], field, &type, error));
    if (type.size == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_async_is_on_field(machine, code, i, field, &on, error));
    bool other = exceptions->type.size != 0 && !ilpi_bytes_equal(exceptions->type, type);
    if (other || (!on && !ilpi_sites_is_inspected(job, i))) { /* all calls share one local */
        return ILP_OK;
    }
    exceptions->type = type;
    return ilpi_sites_add_exception(job, i, error);
}

/* The calls that set the result of an async method; job->location.below is what they are called on.
 * *type: of the result, bytes of the image; empty when there is none. */
static ilp_status find_results(struct ilpi_method_job *job, struct ilp_bytes *type,
                               struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    struct ilp_method_result *result = job->result;
    const struct ilpi_code *code = &scratch->code;
    ilp_rid builder;
    *type = (struct ilp_bytes){NULL, 0};
    scratch->insertions.count = 0;
    struct ilpi_machine_type machine = machine_type_of(job);
    ILPI_TRY(ilpi_async_builder(&machine, job->reported, &builder, error));
    if (builder != 0) {
        ILPI_TRY(set_below(job, builder, error));
    }
    for (uint32_t i = 0; i < code->count && builder != 0; i++) {
        struct ilp_bytes set;
        ILPI_TRY(ilpi_async_result_type(&machine, code, &code->insns[i], builder, &set, error));
        if (set.size != 0 && is_free(&code->insns[i])) {
            uint32_t before = result->inspected;
            ILPI_TRY(ilpi_sites_add_call(job, i, error));
            *type = result->inspected != before ? set : *type;
        } else {
            ILPI_TRY(add_exception(job, &machine, i, builder, error));
        }
    }
    if (result->inspected == 0) { /* a method that always throws has a builder for a result, too */
        bool generic = job->location.below.size != 0 &&
                       job->location.below.data[0] == ILP_ELEMENT_GENERICINST;
        result->reason = result->already != 0 ? ILP_REASON_ALREADY
                         : generic            ? ILP_REASON_NO_RETURN
                                              : ILP_REASON_VOID;
    }
    return ILP_OK;
}

/* The calls by which an async iterator reports whether there is a value. */
static ilp_status find_promises(struct ilpi_method_job *job, const struct ilpi_iterator *iterator,
                                struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    const struct ilpi_code *code = &scratch->code;
    struct ilpi_machine_type machine = machine_type_of(job);
    scratch->insertions.count = 0;
    ILPI_TRY(set_below(job, iterator->promise, error));
    for (uint32_t i = 0; i < code->count; i++) {
        bool reports;
        ILPI_TRY(ilpi_iterator_reports(&machine, code, i, iterator, &reports, error));
        if (reports && is_free(&code->insns[i])) {
            ILPI_TRY(ilpi_sites_add_call(job, i, error));
        } else {
            ILPI_TRY(add_exception(job, &machine, i, iterator->promise, error));
        }
    }
    return ILP_OK;
}

static void set_unknown(struct ilp_method_result *result, const char *what)
{
    result->reason = ILP_REASON_UNKNOWN_ITERATOR;
    snprintf(result->detail, sizeof result->detail, "%s", what);
}

/* Where an iterator has a value, and its type: empty when there is nothing to inspect, and the
 * reason is set. */
static ilp_status find_yields(struct ilpi_method_job *job, bool async, struct ilp_bytes *type,
                              struct ilp_error *error)
{
    struct ilp_method_result *result = job->result;
    struct ilpi_iterator iterator;
    *type = (struct ilp_bytes){NULL, 0};
    struct ilpi_machine_type machine = machine_type_of(job);
    ILPI_TRY(ilpi_iterator_find(&machine, job->method, async, &iterator, error));
    if (iterator.unknown) {
        set_unknown(result, iterator.unknown);
        return ILP_OK;
    }
    job->location.field = iterator.current;
    ILPI_TRY(async ? find_promises(job, &iterator, error) : ilpi_sites_find(job, error));
    if (async && result->rets == 0) {
        set_unknown(result, "MoveNext does not complete what GetStatus queries");
    } else if (result->inspected == 0) {
        result->reason = ilpi_reason_for_none(result);
    } else {
        *type = iterator.type;
    }
    return ILP_OK;
}

/* ---- MoveNext ---- */

/* Plans whether the values, of type `type`, are passed. */
static ilp_status plan_values(struct ilpi_method_job *job, struct ilp_bytes type, bool *passes,
                              struct ilp_error *error)
{
    struct ilp_method_result *result = job->result;
    *passes = false;
    if (type.size == 0) {
        return ILP_OK;
    }
    ILPI_TRY(
        ilpi_policy_decide_type(&job->module->policy, job->owner, type, &job->decision, error));
    ILPI_TRY(ilpi_plan_value(job, false, error));
    *passes = result->reason == ILP_REASON_INSPECTED;
    if (!*passes) {
        result->inspected = 0;
        result->stripped = 0;
    }
    return ILP_OK;
}

static ilp_status emit_move_next(struct ilpi_method_job *job, struct ilp_error *error)
{
    if (job->passes_state) {
        job->result->at_end = true;
        ILPI_TRY(ilpi_arguments_plan(job, error));
    }
    return ilpi_emit(job, error);
}

/* The value, the arguments, and the exception are independent: each may be impossible for a reason
 * of its own, and what is possible is passed. */
static ilp_status rewrite_move_next(struct ilpi_method_job *job, struct ilp_error *error)
{
    enum ilpi_state_machine_kind kind = kind_of(job->module, job->reported);
    struct ilp_bytes type;
    bool passes;
    ILPI_TRY(ilpi_plan_body(job, kind == ILPI_STATE_MACHINE_ITERATOR, error));
    ILPI_TRY(kind == ILPI_STATE_MACHINE_ASYNC
                 ? find_results(job, &type, error)
                 : find_yields(job, kind == ILPI_STATE_MACHINE_ASYNC_ITERATOR, &type, error));
    if (job->action.arguments) {
        ILPI_TRY(ilpi_machine_arguments_plan(job, error));
    }
    ILPI_TRY(plan_values(job, type, &passes, error));
    if (passes) {
        job->result->reason = kind == ILPI_STATE_MACHINE_ASYNC ? ILP_REASON_SETS_RESULT
                                                               : ILP_REASON_YIELDS;
    }
    if (job->action.exceptions) {
        ilpi_exceptions_plan_calls(job, passes);
    }
    if (passes || job->exceptions.set) {
        return emit_move_next(job, error);
    }
    job->result->without_arguments = NULL; /* nor anything else */
    return ILP_OK;
}

/* ---- kickoff methods ---- */

/* Of the return types of async methods, only generic types have a result: C# has no task-like type
 * with a result that is not generic (C# language specification, 15.14.2). If the builder is not
 * found, neither is the call that gets the result: then the task is shown. */
static ilp_status explain_async(struct ilpi_method_job *job, bool *done, struct ilp_error *error)
{
    struct ilp_image *image = job->module->image;
    struct ilp_arena *arena = &job->scratch->arena;
    ilp_rid move_next = job->module->state_machines->move_next_of[job->method];
    struct ilpi_machine_type machine = {image, ilp_owner_of_method(image, move_next), arena,
                                        &job->module->budget};
    uint32_t blob = ilp_cell(image, ILP_MethodDef, job->method, ILP_MethodDef_Signature);
    struct ilp_error why;
    struct ilp_sig *sig;
    ilp_rid builder;
    ilpi_arena_reset(arena);
    ilp_status status = ilpi_async_builder(&machine, job->method, &builder, &why);
    if (status != ILP_OK) {
        return ilpi_refuse_method(job, ILP_REASON_BAD_BODY, status, &why, error);
    }
    status = ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD,
                          ilpi_blob_offset(image, blob), arena, &why);
    if (status != ILP_OK) {
        return ilpi_refuse_method(job, ILP_REASON_BAD_SIGNATURE, status, &why, error);
    }
    bool generic = ilpi_type_unmodified(sig->ret)->element == ILP_ELEMENT_GENERICINST;
    job->result->reason = generic ? ILP_REASON_ASYNC_RESULT : ILP_REASON_VOID;
    bool passes = false;
    if (builder != 0) {
        ILPI_TRY(ilpi_machine_arguments_left(job, sig, &passes, error));
    }
    *done = builder != 0 && !passes;
    return ILP_OK;
}

static ilp_status explain_kickoff(struct ilpi_method_job *job, bool *done, struct ilp_error *error)
{
    const struct ilpi_state_machines *machines = job->module->state_machines;
    if (machines->kind_of[job->method] == ILPI_STATE_MACHINE_ASYNC) {
        return explain_async(job, done, error);
    }
    job->result->reason = ILP_REASON_ITERATOR;
    if (machines->move_next_of[job->method] == 0) {
        set_unknown(job->result, "its attribute names no type of this module that has a MoveNext");
    }
    return ILP_OK;
}

/* A method of a state machine. */
static ilp_status rewrite_part(struct ilpi_method_job *job, ilp_rid kickoff,
                               struct ilp_error *error)
{
    if (job->module->state_machines->move_next_of[kickoff] != job->method) {
        job->result->reason = ILP_REASON_ITERATOR_PART;
        return ILP_OK;
    }
    struct ilp_error why = {.status = ILP_OK};
    job->result->reason = ILP_REASON_INSPECTED;
    job->reported = kickoff;
    ilp_status status = rewrite_move_next(job, &why);
    return status == ILP_OK ? ILP_OK
                            : ilpi_refuse_method(job, ILP_REASON_BAD_BODY, status, &why, error);
}

/* Exceptions of a kickoff method of an async method are those of its MoveNext. */
static void explain_exceptions(struct ilpi_method_job *job, ilp_rid kickoff)
{
    struct ilp_method_result *result = job->result;
    bool elsewhere = kickoff == 0 && kind_of(job->module, job->method) == ILPI_STATE_MACHINE_ASYNC;
    if (job->action.exceptions && !result->exceptions && !elsewhere &&
        !result->without_exceptions) {
        result->without_exceptions = "state-machine";
    }
}

/* *done: the method is answered here; else it is treated as any other method.
 *
 *   method               async method                     iterator
 *   kickoff              ASYNC_RESULT or VOID: unchanged  ITERATOR: unchanged
 *                        or as any (explain_async())
 *   MoveNext             SETS_RESULT                      YIELDS
 *   others of the type   as any                            ITERATOR_PART: unchanged */
ilp_status ilpi_rewrite_state_machine(struct ilpi_method_job *job, bool *done,
                                      struct ilp_error *error)
{
    ilp_rid kickoff;
    *done = false;
    if (!ilpi_wants_state_machines(&job->action)) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_kickoff_of(job->module, job->method, &kickoff, error));
    *done = ilpi_wants_state_machine(job->module, kickoff != 0 ? kickoff : job->method,
                                     &job->action);
    if (!*done) {
        return ILP_OK;
    }
    ILPI_TRY(kickoff == 0 ? explain_kickoff(job, done, error) : rewrite_part(job, kickoff, error));
    if (*done) {
        explain_exceptions(job, kickoff);
    }
    return ILP_OK;
}
