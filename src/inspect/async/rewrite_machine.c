/* Methods that compilers have turned into state machines, where a rule asks for what they give and not for the task or
 * the sequence that they return: the kickoff method stays as it is, and its MoveNext shows the values (docs/INSPECTION.md).
 *
 *   async method       before the call of the builder's SetResult, which takes the value
 *   iterator           before ret, if true is returned: the value is in the field that Current reads
 *   async iterator     before the call of the promise's SetResult, if it takes true: the same
 */
#include "inspect/rewrite.h"

#include <stdio.h>

static ilp_status find_machines(struct ilp_rewriter *rewriter, struct ilp_error *error)
{
    return rewriter->state_machines.kickoff_of ? ILP_OK
                                         : ilpi_state_machines_find(rewriter->image, &rewriter->arena, &rewriter->budget,
                                                              &rewriter->state_machines, error);
}

ilp_status ilp_rewriter_kickoff(struct ilp_rewriter *rewriter, ilp_token method, ilp_token *kickoff,
                                struct ilp_error *error)
{
    ilp_rid rid = ILP_TOKEN_RID(method);
    *kickoff = 0;
    ILPI_TRY(find_machines(rewriter, error));
    if (ILP_TOKEN_TABLE(method) == ILP_MethodDef && rid <= rewriter->image->tables[ILP_MethodDef].count &&
        rewriter->state_machines.kickoff_of[rid] != 0) {
        *kickoff = ILP_TOKEN(ILP_MethodDef, rewriter->state_machines.kickoff_of[rid]);
    }
    return ILP_OK;
}

bool ilpi_wants_state_machine(const struct ilp_rewriter *rewriter, ilp_rid kickoff, const struct ilp_treatment *treatment)
{
    switch (rewriter->state_machines.kind_of[kickoff]) {
    case ILPI_STATE_MACHINE_ASYNC:
        return treatment->async == ILP_ASYNC_RESULT;
    case ILPI_STATE_MACHINE_ITERATOR:
    case ILPI_STATE_MACHINE_ASYNC_ITERATOR:
        return treatment->iterators == ILP_ITERATORS_CURRENT;
    default:
        return false;
    }
}

/* ---- MoveNext ---- */

static void answer_unknown(struct ilp_method_result *result, const char *what)
{
    result->reason = ILP_REASON_UNKNOWN_ITERATOR;
    snprintf(result->detail, sizeof result->detail, "%s", what);
}

/* Where an iterator has a value, and its type: empty when nothing is to be inspected, with the answer. */
static ilp_status find_yields(struct ilp_rewriter *rewriter, ilp_rid machine, bool async, struct ilp_bytes *type,
                              struct ilp_method_result *result, struct ilp_error *error)
{
    struct ilpi_iterator iterator;
    *type = (struct ilp_bytes){NULL, 0};
    ILPI_TRY(ilpi_iterator_find(rewriter->image, machine, rewriter->method, async, &rewriter->scratch,
                                &rewriter->budget, &iterator, error));
    if (iterator.unknown) {
        answer_unknown(result, iterator.unknown);
        return ILP_OK;
    }
    rewriter->location.field = iterator.current;
    ILPI_TRY(async ? ilpi_promises_find(rewriter, &iterator, result, error) : ilpi_sites_find(rewriter, result, error));
    result->tail_sites = rewriter->tail_sites;
    result->tail_site_count = rewriter->tail_site_count;
    if (async && result->rets == 0) {
        answer_unknown(result, "MoveNext does not tell what GetStatus asks");
    } else if (result->inspected == 0) {
        result->reason = ilpi_reason_for_none(result);
    } else {
        *type = iterator.type;
    }
    return ILP_OK;
}

/* The same for the result of an async method. */
static ilp_status find_results(struct ilp_rewriter *rewriter, ilp_rid kickoff, ilp_rid machine, struct ilp_bytes *type,
                               struct ilp_method_result *result, struct ilp_error *error)
{
    ILPI_TRY(ilpi_results_find(rewriter, kickoff, machine, type, result, error));
    if (result->inspected == 0) {
        result->reason = result->already != 0 ? ILP_REASON_ALREADY : ILP_REASON_VOID;
    }
    return ILP_OK;
}

static ilp_status rewrite_move_next(struct ilp_rewriter *rewriter, ilp_rid machine, ilp_rid kickoff,
                                    struct ilp_bytes bytes, uint64_t offset, struct ilp_method_result *result,
                                    struct ilp_error *error)
{
    unsigned kind = rewriter->state_machines.kind_of[kickoff];
    struct ilp_body body;
    struct ilp_bytes type;
    struct ilpi_decision decision;
    ILPI_TRY(ilpi_analyse(rewriter, bytes, offset, kind == ILPI_STATE_MACHINE_ITERATOR, &body, result, error));
    ILPI_TRY(kind == ILPI_STATE_MACHINE_ASYNC
                 ? find_results(rewriter, kickoff, machine, &type, result, error)
                 : find_yields(rewriter, machine, kind == ILPI_STATE_MACHINE_ASYNC_ITERATOR, &type, result, error));
    if (type.size == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_policy_decide_type(&rewriter->policy, machine, type, &decision, error));
    ILPI_TRY(ilpi_take_decision(rewriter, 0, &decision, result, error));
    if (result->reason != ILP_REASON_INSPECTED) {
        result->inspected = 0;
        result->stripped = 0;
        return ILP_OK;
    }
    result->reason = kind == ILPI_STATE_MACHINE_ASYNC ? ILP_REASON_SETS_RESULT : ILP_REASON_YIELDS;
    return ilpi_insert(rewriter, &body, &decision, ilp_owner_of_method(rewriter->image, kickoff), kickoff, result,
                       error);
}

/* ---- kickoff methods ---- */

/* Of what an async method can return, only generic types hold a result: no task-like type of C# has one without being
 * generic (C# language specification, 15.14.2). */
static ilp_status answer_async(struct ilp_rewriter *rewriter, ilp_rid rid, struct ilp_method_result *result,
                               struct ilp_error *error)
{
    struct ilp_image *image = rewriter->image;
    uint32_t blob = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature);
    struct ilp_error why;
    struct ilp_sig *sig;
    ilpi_arena_reset(&rewriter->scratch);
    ilp_status status = ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD, ilpi_blob_offset(image, blob),
                                     &rewriter->scratch, &why);
    if (status != ILP_OK) {
        return ilpi_refuse_method(result, ILP_REASON_BAD_SIGNATURE, status, &why, error);
    }
    bool generic = ilpi_type_unmodified(sig->ret)->element == ILP_ELEMENT_GENERICINST;
    result->reason = generic ? ILP_REASON_ASYNC_RESULT : ILP_REASON_VOID;
    return ILP_OK;
}

static ilp_status answer_kickoff(struct ilp_rewriter *rewriter, ilp_rid rid, struct ilp_method_result *result,
                                 struct ilp_error *error)
{
    if (rewriter->state_machines.kind_of[rid] == ILPI_STATE_MACHINE_ASYNC) {
        return answer_async(rewriter, rid, result, error);
    }
    result->reason = ILP_REASON_ITERATOR;
    if (rewriter->state_machines.move_next_of[rid] == 0) {
        answer_unknown(result, "its attribute names no type of this module that has a MoveNext");
    }
    return ILP_OK;
}

ilp_status ilpi_rewrite_state_machine(struct ilp_rewriter *rewriter, ilp_rid method, ilp_rid owner, struct ilp_bytes body,
                                uint64_t offset, struct ilp_method_result *result, bool *done,
                                struct ilp_error *error)
{
    const struct ilp_treatment *treatment = &rewriter->treatment;
    *done = false;
    if (treatment->async != ILP_ASYNC_RESULT && treatment->iterators != ILP_ITERATORS_CURRENT) {
        return ILP_OK; /* then nobody looks for machines */
    }
    ILPI_TRY(find_machines(rewriter, error));
    ilp_rid kickoff = rewriter->state_machines.kickoff_of[method];
    *done = ilpi_wants_state_machine(rewriter, kickoff != 0 ? kickoff : method, treatment);
    if (!*done) {
        return ILP_OK;
    }
    if (kickoff == 0) {
        return answer_kickoff(rewriter, method, result, error);
    }
    if (rewriter->state_machines.move_next_of[kickoff] != method) {
        result->reason = ILP_REASON_ITERATOR_PART;
        return ILP_OK;
    }
    struct ilp_error why = {.status = ILP_OK};
    result->reason = ILP_REASON_INSPECTED;
    ilp_status status = rewrite_move_next(rewriter, owner, kickoff, body, offset, result, &why);
    return status == ILP_OK ? ILP_OK : ilpi_refuse_method(result, ILP_REASON_BAD_BODY, status, &why, error);
}
