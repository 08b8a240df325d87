/* MoveNext passes the arguments with the result and the exception, if the state machine holds them
 * (kept_arguments.c). An argument that it does not hold is known only at the call: then the kickoff
 * method passes all of them with its task. See machine_arguments.h. */
#include "inspect/async/machine_arguments.h"

#include "inspect/plan.h"

/* Finds where MoveNext, whose body has been read, has the arguments of its kickoff method. */
static ilp_status find_kept(struct ilpi_method_job *job, ilp_rid kickoff, ilp_rid move_next,
                            struct ilpi_kept_arguments *kept, struct ilp_error *error)
{
    const struct ilpi_scratch *scratch = job->scratch;
    const struct ilpi_calls calls = {&job->module->call_shapes, ilpi_call_shape_of};
    const struct ilp_image *image = job->module->image;
    const struct ilpi_machine_type machine = {image, ilp_owner_of_method(image, move_next),
                                              &job->scratch->arena, &job->module->budget};
    enum ilpi_state_machine_kind kind =
        (enum ilpi_state_machine_kind)job->module->state_machines->kind_of[kickoff];
    return ilpi_kept_arguments_find(&machine, kind, kickoff, move_next, &scratch->code,
                                    &scratch->stack, &calls, kept, error);
}

ilp_status ilpi_machine_arguments_plan(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_kept_arguments *kept = &job->arguments.kept;
    ILPI_TRY(find_kept(job, job->reported, job->method, kept, error));
    if (!kept->fields) {
        job->result->without_arguments = "state-machine";
    } else if (!ilpi_core_scope_is_known(&job->module->core)) {
        job->result->without_arguments = "no-core-library";
    }
    job->passes_state = !job->result->without_arguments;
    return ILP_OK;
}

/* Whether every argument of a kickoff method, from `first` on, is known when the result is.
 * MoveNext is planned here as it will be in its own turn, with a copy of the job, and the plan
 * dropped: the kickoff method usually has its turn first, and must decide whether it passes the
 * arguments itself. */
static ilp_status keeps_all(struct ilpi_method_job *job, uint32_t first, bool *keeps,
                            struct ilp_error *error)
{
    const struct ilp_image *image = job->module->image;
    ilp_rid move_next = job->module->state_machines->move_next_of[job->method];
    struct ilpi_method_job read = *job;
    struct ilpi_kept_arguments kept;
    struct ilp_error why;
    read.bytes = ilp_image_rva(image, ilp_cell(image, ILP_MethodDef, move_next, ILP_MethodDef_RVA),
                               &read.offset);
    *keeps = false;
    ilp_status status = ilpi_plan_body(&read, false, &why);
    if (status == ILP_OK) {
        status = find_kept(job, job->method, move_next, &kept, &why);
    }
    if (status != ILP_OK) { /* a failure of MoveNext alone means that its result is not passed
                               either */
        enum ilp_reason reason = job->result->reason;
        ILPI_TRY(ilpi_refuse_method(job, reason, status, &why, error));
        job->result->reason = reason;
        job->result->detail[0] = '\0';
        return ILP_OK;
    }
    *keeps = kept.fields != NULL && ilpi_core_scope_is_known(&job->module->core);
    for (uint32_t i = first; i < kept.count && *keeps; i++) {
        *keeps = kept.fields[i] != 0;
    }
    return ILP_OK;
}

ilp_status ilpi_machine_arguments_left(struct ilpi_method_job *job, const struct ilp_sig *sig,
                                       bool *left, struct ilp_error *error)
{
    const struct ilp_native *native = job->binding->inspector->native;
    bool result = job->result->reason == ILP_REASON_ASYNC_RESULT;
    bool has_this = (sig->convention & ILP_CALL_HASTHIS) != 0;
    bool self = job->action.self && has_this;
    bool any = sig->param_count != 0 || self;
    /* without a result the task's line is that of the call, with or without arguments, for
     * inspectors that show calls of void methods */
    *left = job->action.arguments && (result ? any : native && native->arguments.leave != 0);
    if (*left && result) {
        ILPI_TRY(keeps_all(job, has_this && !self ? 1 : 0, left, error));
        *left = !*left;
    }
    return ILP_OK;
}
