/* Plans one method and reads its body. policy.c decides what is returned and whether it can be
 * boxed; this file applies the rule action to that; overload.c chooses what takes the value.
 *
 *   signature -> policy -> rule action -> overload     ilpi_plan_signature, ilpi_plan_value
 *   body      -> one pass, or decoded                  ilpi_plan_read, ilpi_plan_code
 *
 * The outcome is job->result->reason: INSPECTED, or why not. A file's faults become reasons
 * (ilpi_refuse_method()); only memory, the sink and misuse are errors. */
#include "inspect/plan.h"

#include <stdio.h>

#include "inspect/native/native_call.h"
#include "inspect/overload.h"
#include "types/task_type.h"

/* Resets what earlier steps noted in the result, so that a refused method reports nothing that was
 * not done. */
ilp_status ilpi_refuse_method(struct ilpi_method_job *job, enum ilp_reason reason,
                              ilp_status status, struct ilp_error *why, struct ilp_error *error)
{
    struct ilp_method_result *result = job->result;
    status = ilpi_alloc_status(&job->scratch->alloc, status, why);
    enum ilp_class class = ilp_status_class(status);
    result->inspected = 0;
    result->stripped = 0;
    result->arguments = false;
    result->at_end = false;
    result->withheld = 0;
    result->without_arguments = NULL;
    result->passed_count = 0;
    result->exceptions = false;
    result->without_exceptions = NULL;
    result->body = (struct ilp_bytes){NULL, 0};
    if (class == ILP_CLASS_DATA || class == ILP_CLASS_LIMIT || class == ILP_CLASS_UNSUPPORTED) {
        result->reason = class == ILP_CLASS_LIMIT ? ILP_REASON_LIMIT : reason;
        snprintf(result->detail, sizeof result->detail, "%s", why->message);
        return ILP_OK;
    }
    if (error) {
        *error = *why;
    }
    return status;
}

enum ilp_reason ilpi_reason_for_none(const struct ilp_method_result *result)
{
    if (result->already != 0) {
        return ILP_REASON_ALREADY;
    }
    return result->tail_calls != 0 || result->jumps != 0 ? ILP_REASON_TAIL_CALL
                                                         : ILP_REASON_NO_RETURN;
}

/* ---- the value ---- */

/* The assembly of a TypeRef, "" if there is none: the user may know where it is. */
static const char *assembly_of(const struct ilp_image *image, ilp_token type)
{
    /* the scope of a nested TypeRef is the enclosing one (II.22.38); broken files may have a
     * cycle */
    for (unsigned depth = 0; depth < 32 && ILP_TOKEN_TABLE(type) == ILP_TypeRef; depth++) {
        type = ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(type), ILP_TypeRef_ResolutionScope);
    }
    return ILP_TOKEN_TABLE(type) == ILP_AssemblyRef
               ? ilp_string(image, ilp_cell(image, ILP_AssemblyRef, ILP_TOKEN_RID(type),
                                            ILP_AssemblyRef_Name))
               : "";
}

/* "[Assembly]Namespace.Type", as in ILAsm. */
static void report_unresolved(const struct ilp_image *image, ilp_token type,
                              struct ilp_method_result *result)
{
    const char *name_space;
    const char *name;
    const char *assembly = assembly_of(image, type);
    ilpi_type_name(image, type, &name_space, &name);
    snprintf(result->detail, sizeof result->detail,
             assembly[0] != '\0' ? "[%.80s]%s%s%s" : "%s%s%s%s", assembly, name_space,
             name_space[0] != '\0' ? "." : "", name);
}

/* Resolves lazily: most methods never need the task type. */
static ilp_status returns_task(struct ilpi_method_job *job, enum ilp_tristate *answer,
                               ilp_token *unresolved, struct ilp_error *error)
{
    struct ilp_image *image = job->module->image;
    uint32_t blob = ilpi_method_cell(image, job->method, ILP_MethodDef_Signature);
    struct ilp_sig *sig;
    ilpi_arena_reset(&job->scratch->arena);
    ILPI_TRY(ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD,
                          ilpi_blob_offset(image, blob), &job->scratch->arena, error));
    *answer = ilpi_is_task(image, ilpi_type_unmodified(sig->ret), job->module->resolver,
                           unresolved);
    return ILP_OK;
}

/* Applies the rule action to the decision made by the signature alone. By reference first: the T of
 * T& may be a pointer, to which the second step applies. */
static ilp_status apply_action(struct ilpi_method_job *job, bool returned, struct ilp_error *error)
{
    struct ilpi_decision *decision = &job->decision;
    const struct ilp_rule_action *action = &job->action;
    decision->by_reference = decision->reason == ILP_REASON_BYREF &&
                             action->byref == ILP_BYREF_INSPECT;
    if (decision->by_reference) {
        decision->reason = decision->pointee;
    }
    decision->address = decision->reason == ILP_REASON_POINTER &&
                        action->pointers == ILP_POINTERS_INSPECT;
    if (decision->address) {
        static const uint8_t native_uint[] = {ILP_ELEMENT_U};
        decision->value = (struct ilp_bytes){native_uint, sizeof native_uint};
        decision->reason = ILP_REASON_INSPECTED;
    }
    if (decision->reason == ILP_REASON_INSPECTED && action->async == ILP_ASYNC_SKIP && returned) {
        enum ilp_tristate task;
        ILPI_TRY(returns_task(job, &task, &decision->unresolved, error));
        if (task != ILP_NO) {
            decision->reason = task == ILP_YES ? ILP_REASON_TASK : ILP_REASON_UNRESOLVED;
        }
    }
    return ILP_OK;
}

/* The decision on the type (policy.c), the action of the rule, and the overloads that the inspector
 * has are brought together here. What needs the core library's tokens is refused if that library is
 * not known. */
ilp_status ilpi_plan_value(struct ilpi_method_job *job, bool returned, struct ilp_error *error)
{
    struct ilpi_decision *decision = &job->decision;
    struct ilp_method_result *result = job->result;
    ILPI_TRY(apply_action(job, returned, error));
    ILPI_TRY(ilpi_overload_choose(job, error));
    result->reason = decision->reason;
    if (decision->reason == ILP_REASON_UNRESOLVED) {
        report_unresolved(job->module->image, decision->unresolved, result);
    }
    if (!job->overload) {
        return ILP_OK;
    }
    result->boxed = decision->box != ILPI_BOX_NONE && job->overload->form == ILPI_OVERLOAD_OBJECT;
    result->passes = job->overload->takes;
    result->replaces = job->overload->replaces;
    result->native = job->overload->form == ILPI_OVERLOAD_NATIVE;
    /* Int32 for a box, Object for a guard and for arguments, the type of a handle */
    bool needs_core = (result->boxed && decision->box == ILPI_BOX_PRIMITIVE) || job->action.guard ||
                      job->passes_state || job->overload->takes == ILP_PASS_HANDLE ||
                      (result->native && ilpi_native_needs_core(job->binding->inspector, decision));
    if (needs_core && !ilpi_core_scope_is_known(&job->module->core)) {
        result->reason = ILP_REASON_NO_CORE_LIBRARY;
    }
    return ILP_OK;
}

/* An invalid signature is a result of this method, and not an error of the run. */
ilp_status ilpi_plan_signature(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_module_context *module = job->module;
    struct ilp_error why = {.status = ILP_OK};
    uint32_t blob = ilpi_method_cell(module->image, job->method, ILP_MethodDef_Signature);
    ilp_status status = ilpi_spend(&module->budget, ilp_blob(module->image, blob).size, &why);
    if (status == ILP_OK) {
        status = ilpi_policy_decide(&module->policy, job->owner, job->method, &job->decision, &why);
    }
    if (status != ILP_OK) {
        return ilpi_refuse_method(job, ILP_REASON_BAD_SIGNATURE, status, &why, error);
    }
    bool bad = job->decision.reason == ILP_REASON_BAD_SIGNATURE;
    job->passes_state = job->action.arguments;
    ILPI_TRY(ilpi_plan_value(job, true, error));
    if (bad) {
        snprintf(job->result->detail, sizeof job->result->detail, "%s", why.message);
    }
    return ILP_OK;
}

/* ---- the body ---- */

bool ilpi_returns_value(const struct ilpi_method_job *job)
{
    return job->decision.returned.size != 0 && job->decision.returned.data[0] != ILP_ELEMENT_VOID;
}

/* The pass without an array of instructions (il/one_pass.c), for most methods. Where it gives up,
 * and for bodies beyond the limit, ilpi_plan_code() does the whole walk. */
static ilp_status pass_over(struct ilpi_method_job *job, bool returns, struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    const struct ilp_body *body = &job->body;
    const struct ilpi_calls calls = {&job->module->call_shapes, ilpi_call_shape_of};
    scratch->passed = false;
    if (body->code.size <= scratch->pass_limit) {
        ILPI_TRY(ilpi_grow(&scratch->alloc, &scratch->points, &scratch->point_capacity,
                           body->code.size + 1, sizeof *scratch->points, error));
        scratch->passed = ilpi_one_pass(&scratch->pass, body, &calls, returns, scratch->points);
    }
    return ILP_OK;
}

ilp_status ilpi_plan_read(struct ilpi_method_job *job, bool returns, struct ilp_error *error)
{
    struct ilp_body *body = &job->body;
    ilpi_arena_reset(&job->scratch->arena);
    ILPI_TRY(ilp_body_read(body, job->bytes, job->offset, &job->scratch->arena, error));
    ILPI_TRY(ilpi_spend(&job->module->budget, body->size, error));
    job->result->old_size = (uint32_t)body->size;
    return pass_over(job, returns, error);
}

ilp_status ilpi_plan_code(struct ilpi_method_job *job, bool returns, struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    struct ilpi_calls calls = {&job->module->call_shapes, ilpi_call_shape_of};
    ILPI_TRY(ilpi_code_decode(&scratch->code, &job->body, error));
    return scratch->passed ? ilpi_stack_of_pass(&scratch->stack, &scratch->code, &scratch->pass,
                                                scratch->points, error)
                           : ilpi_stack_compute(&scratch->stack, &scratch->code, &job->body, &calls,
                                                returns, error);
}

ilp_status ilpi_plan_body(struct ilpi_method_job *job, bool returns, struct ilp_error *error)
{
    ILPI_TRY(ilpi_plan_read(job, returns, error));
    return ilpi_plan_code(job, returns, error);
}
