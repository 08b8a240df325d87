/* Rewrites one method: plan, sites, emit; or traces it (tracer.h). See rewriter.h.
 *
 *   is_eligible          embedded, denied, native or without a body: a reason
 *   state machine        async/rewrite_machine.c, if the rule action wants its result
 *   plan_signature       the value can be passed: rewrite_value; else perhaps its exceptions
 *     plan_read          body, one pass; the only ret is at the end: emit at once
 *     plan_code, sites   decoded, with stack depths
 *     emit
 *
 * Every step that can refuse comes before the first token is requested, so that a refused method
 * leaves no trace in the module. */
#include <stdio.h>
#include <string.h>

#include "inspect/arguments.h"
#include "inspect/async/rewrite_machine.h"
#include "inspect/binding.h"
#include "inspect/denylist.h"
#include "inspect/embed/embedded.h"
#include "inspect/emit.h"
#include "inspect/exceptions.h"
#include "inspect/plan.h"
#include "inspect/rewriter.h"
#include "inspect/sites.h"
#include "inspect/tracer.h"
#include "metadata/flags.h"

/* Methods usually come in the order of their rows: the last owner's run of methods is kept, and
 * with it what holds for all of them. */
static ilp_rid owner_of(struct ilpi_module_context *module, ilp_rid method)
{
    struct ilpi_last_owner *owner = &module->owner;
    const struct ilp_image *image = module->image;
    bool known = owner->first <= method && method < owner->end;
    if (!known || image->method_position) {
        owner->type = ilp_owner_of_method(image, method);
        ilpi_list(image, ILP_TypeDef, owner->type, ILP_TypeDef_MethodList, &owner->first,
                  &owner->end);
        owner->is_embedded = ilpi_is_embedded(image, owner->type);
        owner->is_denied = ilpi_is_core_library(module) &&
                           ilpi_denylist_reason(image, owner->type, NULL) != NULL;
        owner->denied = owner->is_denied ? ilpi_denylist_reason(image, owner->type, "*") : NULL;
    }
    return owner->type;
}

/* Finds the body of a method; false when it has none, with the reason. */
static bool find_body(struct ilpi_method_job *job)
{
    const struct ilp_image *image = job->module->image;
    struct ilp_method_result *result = job->result;
    uint32_t rva = ilpi_method_cell(image, job->method, ILP_MethodDef_RVA);
    if (rva == 0) {
        result->reason = ILP_REASON_NO_BODY;
        return false;
    }
    job->bytes = ilp_image_rva(image, rva, &job->offset);
    if (job->bytes.size == 0) {
        result->reason = ILP_REASON_BAD_BODY;
        snprintf(result->detail, sizeof result->detail, "RVA 0x%X leads outside of the file", rva);
    }
    return job->bytes.size != 0;
}

/* The owner's part of the answer is remembered for all its methods. */
static bool is_denied(const struct ilpi_method_job *job)
{
    const struct ilp_image *image = job->module->image;
    struct ilp_method_result *result = job->result;
    const char *why = job->module->owner.denied;
    if (!why) {
        why = ilpi_denylist_reason(
            image, job->owner,
            ilp_string(image, ilpi_method_cell(image, job->method, ILP_MethodDef_Name)));
    }
    if (why) {
        result->reason = ILP_REASON_NEVER;
        memccpy(result->detail, why, '\0', sizeof result->detail - 1);
    }
    return why != NULL;
}

/* Whether a method can be rewritten at all; if not, the reason is set. */
static bool is_eligible(struct ilpi_method_job *job)
{
    const struct ilpi_module_context *module = job->module;
    if (module->owner.is_embedded) {
        job->result->reason = ILP_REASON_INSPECTOR;
        return false;
    }
    if (module->owner.is_denied && is_denied(job)) {
        return false;
    }
    uint32_t code_type = ilpi_method_cell(module->image, job->method, ILP_MethodDef_ImplFlags) &
                         ILPI_METHOD_IMPL_CODE_TYPE_MASK;
    if (code_type != ILPI_METHOD_IMPL_IL) {
        job->result->reason = code_type == ILPI_METHOD_IMPL_RUNTIME ? ILP_REASON_NO_BODY
                                                                    : ILP_REASON_NATIVE;
        return false;
    }
    return job->bytes.size != 0 || find_body(job);
}

/* The way of a method:
 *
 *   read the body, one pass (il/one_pass.h)
 *   only one ret, at the end, nothing else wanted      -> emit: most methods end here
 *   decode all instructions, compute the stack
 *   find sites; plan exceptions, arguments             -> emit, or a reason why not */
static ilp_status rewrite_body(struct ilpi_method_job *job, struct ilp_error *error)
{
    bool alone = job->exceptions.alone;
    bool returns = ilpi_returns_value(job);
    ILPI_TRY(ilpi_plan_read(job, returns, error));
    ILPI_TRY(ilpi_sites_find_last(job, error));
    if (job->returns_last) {
        return ilpi_emit(job, error);
    }
    ILPI_TRY(ilpi_plan_code(job, returns, error));
    ILPI_TRY(ilpi_sites_find(job, error));
    if (job->action.exceptions) {
        ilpi_exceptions_plan(job);
    }
    if (!job->exceptions.taken && alone) {
        job->result->inspected = 0;
        job->result->stripped = 0;
        return ILP_OK;
    }
    if (!job->exceptions.taken && job->scratch->insertions.count == 0) {
        job->result->reason = ilpi_reason_for_none(job->result);
        return ILP_OK;
    }
    if (job->passes_state) {
        ILPI_TRY(ilpi_arguments_plan(job, error));
    }
    return ilpi_emit(job, error);
}

static ilp_status rewrite_value(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilp_error why = {.status = ILP_OK};
    ilp_status status = rewrite_body(job, &why);
    return status == ILP_OK ? ILP_OK
                            : ilpi_refuse_method(job, ILP_REASON_BAD_BODY, status, &why, error);
}

/* For a method whose value is not inspected, but its exceptions may be. What was decided about the
 * value stays. */
static ilp_status rewrite_exceptions(struct ilpi_method_job *job, struct ilp_error *error)
{
    if (!ilpi_exceptions_alone(job)) {
        return ILP_OK;
    }
    struct ilp_method_result planned = *job->result;
    struct ilp_error why = {.status = ILP_OK};
    ilp_status status = rewrite_body(job, &why);
    if (status != ILP_OK) {
        ILPI_TRY(ilpi_refuse_method(job, ILP_REASON_BAD_BODY, status, &why, error));
        *job->result = planned;
        job->result->without_exceptions = "bad-body";
    }
    return ILP_OK;
}

/* State machines first: their kickoff returns a task, and the value is elsewhere. */
static ilp_status rewrite(struct ilpi_method_job *job, struct ilp_error *error)
{
    bool done;
    ILPI_TRY(ilpi_rewrite_state_machine(job, &done, error));
    if (done) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_plan_signature(job, error));
    return job->result->reason == ILP_REASON_INSPECTED ? rewrite_value(job, error)
                                                       : rewrite_exceptions(job, error);
}

/* The job collects everything about one method, in memory that the next method uses again
 * (scratch). Only misuse and lack of memory are errors; everything else is a reason in the
 * result. */
ilp_status ilp_rewrite_method(struct ilp_rewriter *rewriter, ilp_token method,
                              const struct ilp_rule_action *action, struct ilp_bytes body,
                              struct ilp_method_result *result, struct ilp_error *error)
{
    struct ilpi_module_context *module = &rewriter->module;
    ilp_rid rid = ILP_TOKEN_RID(method);
    struct ilpi_method_job job = {
        .module = module,
        .scratch = &rewriter->scratch,
        .result = result,
        .method = rid,
        .reported = rid,
        .bytes = body,
        .action = action ? *action : (struct ilp_rule_action){0},
    };
    *result = (struct ilp_method_result){.reason = ILP_REASON_NO_BODY, .rule = ILP_NO_RULE};
    ilpi_scratch_begin(&rewriter->scratch);
    if (ILP_TOKEN_TABLE(method) != ILP_MethodDef ||
        rid - 1 >= module->image->tables[ILP_MethodDef].count) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                         "0x%08X is not a method of this module", method);
    }
    ILPI_TRY(ILPI_CHECK_RESERVED(action, error));
    if (!module->tracer) {
        ILPI_TRY(ilpi_binding_choose(module, method, &job.action, &job.binding, error));
    }
    job.owner = owner_of(module, rid);
    if (!is_eligible(&job)) {
        return ILP_OK;
    }
    return module->tracer ? ilpi_trace_method(&job, error) : rewrite(&job, error);
}

ilp_status ilp_rewriter_kickoff(struct ilp_rewriter *rewriter, ilp_token method, ilp_token *kickoff,
                                struct ilp_error *error)
{
    ilp_rid rid = 0;
    *kickoff = 0;
    ILPI_TRY(ilpi_kickoff_of(&rewriter->module,
                             ILP_TOKEN_TABLE(method) == ILP_MethodDef ? ILP_TOKEN_RID(method) : 0,
                             &rid, error));
    *kickoff = rid != 0 ? ILP_TOKEN(ILP_MethodDef, rid) : 0;
    return ILP_OK;
}

ilp_status ilp_rewriter_map(struct ilp_rewriter *rewriter, const struct ilp_il_map **map,
                            size_t *count, struct ilp_error *error)
{
    struct ilpi_scratch *scratch = &rewriter->scratch;
    *map = NULL;
    *count = 0;
    return scratch->has_map ? ilpi_patch_map(&scratch->patch, &scratch->code, map, count, error)
                            : ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                                        "the last method was not rewritten");
}
