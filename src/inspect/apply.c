/* The main job over a whole image: every method past the rules, then through the rewriter, new bodies into the
 * edit.
 */
#include <stdio.h>

#include "inspect/graft.h"
#include "inspect/rewrite.h"
#include "metadata/edit.h"

struct job {
    struct ilp_selector *selector; /* NULL: every method is included */
    struct ilp_rewriter *rewriter;
    struct ilp_file_emitter *emitter;
    struct ilp_edit *edit; /* NULL: nothing is changed */
    struct ilp_symbols *symbols; /* NULL: nobody wants to know what moved */
    bool machines;         /* a rule asks for what state machines give */
};

/* The answer for a method that is not rewritten because of the rules. */
static void answer_by_rules(const struct ilp_selection *selection, struct ilp_method_result *result)
{
    *result = (struct ilp_method_result){.rule = selection->rule};
    result->reason = selection->included == ILP_UNKNOWN   ? ILP_REASON_UNDECIDED
                     : selection->rule == ILP_NO_RULE ? ILP_REASON_NOT_SELECTED
                                                          : ILP_REASON_EXCLUDED;
    snprintf(result->detail, sizeof result->detail, "%s", selection->detail);
}

/* A method of a state machine is rewritten as the rules say of its kickoff method, if they ask for what the machine
 * gives. If they do not, a rule that asks for it of the machine's method itself finds one like any other: what is
 * excluded stays excluded. */
static ilp_status select_method(struct job *job, ilp_token method, struct ilp_selection *selection,
                                struct ilp_error *error)
{
    ilp_token kickoff = 0;
    if (job->machines) {
        ILPI_TRY(ilp_rewriter_kickoff(job->rewriter, method, &kickoff, error));
    }
    if (kickoff != 0) {
        ILPI_TRY(ilp_select(job->selector, kickoff, selection, error));
        if (selection->included == ILP_YES &&
            ilpi_machine_is_asked(job->rewriter, ILP_TOKEN_RID(kickoff), &selection->treatment)) {
            return ILP_OK;
        }
    }
    ILPI_TRY(ilp_select(job->selector, method, selection, error));
    if (kickoff != 0 && ilpi_machine_is_asked(job->rewriter, ILP_TOKEN_RID(kickoff), &selection->treatment)) {
        selection->treatment.async = ILP_ASYNC_TASK;
        selection->treatment.iterators = ILP_ITERATORS_SEQUENCE;
    }
    return ILP_OK;
}

/* Whether a rule asks for what state machines give: only then are these looked for. */
static bool wants_machines(const struct ilp_rules *rules)
{
    for (uint32_t i = 0; i < ilp_rules_count(rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(rules, i, &rule);
        if (rule.enabled && !rule.exclude &&
            (rule.treatment.async == ILP_ASYNC_RESULT || rule.treatment.iterators == ILP_ITERATORS_CURRENT)) {
            return true;
        }
    }
    return false;
}

static ilp_status take_body(struct job *job, ilp_rid rid, struct ilp_bytes body, struct ilp_error *error)
{
    const struct ilp_il_map *map;
    size_t count;
    ILPI_TRY(ilp_edit_set_body(job->edit, rid, body, error));
    if (!job->symbols) {
        return ILP_OK;
    }
    ILPI_TRY(ilp_rewriter_map(job->rewriter, &map, &count, error));
    return ilp_symbols_move(job->symbols, ILP_TOKEN(ILP_MethodDef, rid), map, count, error);
}

static ilp_status do_method(struct job *job, ilp_rid rid, struct ilp_method_result *result,
                            struct ilp_error *error)
{
    ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
    struct ilp_bytes own = {NULL, 0};
    struct ilp_selection selection = {.rule = ILP_NO_RULE, .included = ILP_YES};
    if (job->selector) {
        ILPI_TRY(select_method(job, method, &selection, error));
    }
    if (selection.included != ILP_YES) {
        answer_by_rules(&selection, result);
        return ILP_OK;
    }
    ILPI_TRY(ilp_rewrite_method(job->rewriter, method, &selection.treatment, own, result, error));
    result->rule = selection.rule;
    return result->body.size != 0 ? take_body(job, rid, result->body, error) : ILP_OK;
}

static ilp_status do_all(struct job *job, uint32_t methods, const struct ilp_report *report,
                         struct ilp_error *error)
{
    for (ilp_rid rid = 1; rid <= methods; rid++) {
        struct ilp_method_result result;
        ILPI_TRY(do_method(job, rid, &result, error));
        if (report && report->method) {
            ILPI_TRY(report->method(report->user, ILP_TOKEN(ILP_MethodDef, rid), &result, error));
        }
    }
    return ILP_OK;
}

static ilp_status open_job(struct job *job, struct ilp_image *image, const struct ilp_request *request,
                           struct ilp_error *error)
{
    const struct ilp_emitter *emitter = NULL;
    if (job->edit) {
        ILPI_TRY(ilp_image_can_be_written(image, error));
        ILPI_TRY(ilp_file_emitter_open(&job->emitter, job->edit, error));
        emitter = ilp_file_emitter_interface(job->emitter);
    }
    if (request->rules) {
        job->machines = wants_machines(request->rules);
        ILPI_TRY(ilp_selector_open(&job->selector, request->rules, image, request->resolver,
                                   request->target, request->allocator, error));
    }
    ILPI_TRY(ilp_rewriter_open(&job->rewriter, image, request, emitter, error));
    return request->embed ? ilpi_rewriter_embed(job->rewriter, job->edit, error) : ILP_OK;
}

/* A graft that was left half done, for a limit of the format, spoils the whole edit. */
static ilp_status check_grafts(const struct ilp_rewriter *rewriter, struct ilp_error *error)
{
    for (size_t i = 0; i < rewriter->target_count; i++) {
        const struct ilpi_graft *graft = rewriter->targets[i].graft;
        if (graft && graft->failure != ILP_OK) {
            if (error) {
                *error = graft->why;
            }
            return graft->failure;
        }
    }
    return ILP_OK;
}

ilp_status ilp_inspect_returns(struct ilp_image *image, struct ilp_edit *edit,
                               const struct ilp_request *request, const struct ilp_report *report,
                               struct ilp_error *error)
{
    struct job job = {.edit = edit, .symbols = request->symbols};
    ilp_status status = open_job(&job, image, request, error);
    if (status == ILP_OK) {
        status = do_all(&job, ilp_row_count(image, ILP_MethodDef), report, error);
    }
    if (status == ILP_OK) {
        status = check_grafts(job.rewriter, error);
    }
    if (status == ILP_OK && edit && !ilp_edit_is_empty(edit)) {
        status = ilp_edit_renew_mvid(edit, error);
    }
    ilp_rewriter_close(job.rewriter);
    ilp_selector_close(job.selector);
    ilp_file_emitter_close(job.emitter);
    return status;
}
