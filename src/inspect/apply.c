/* The main job over a whole image: inspects every method and puts new bodies into the edit, in the
 * order of the methods. With several threads, blocks of methods are decided and built in parallel
 * (threads/crew.h), but only the caller's thread makes tokens and takes bodies, so that the result
 * equals that of one thread.
 *
 *   methods 1 .. n of a block    the caller's thread alone: tokens that are made once per module
 *   blocks                       decided and built by the crew, taken in order by the caller
 *   rest, if a budget is short   catch_up(), then the caller's thread alone
 *
 * Budgets are why the last case exists: one that ends makes the outcome of a method depend on all
 * methods before it. */
#include "inspect/apply.h"

#include "inspect/binding.h"
#include "inspect/inspection.h"
#include "inspect/rewriter.h"
#include "inspect/threads/crew.h"
#include "inspect/threads/shared_resolver.h"
#include "metadata/edit.h"

struct apply_job {
    struct ilp_image *image;
    struct ilp_request request; /* with `resolver` as its resolver if threads share it */
    struct ilpi_shared_resolver resolver;
    struct ilp_inspection *inspection;
    struct ilp_file_emitter *emitter;
    const struct ilp_emitter *tokens; /* NULL: none are made */
    struct ilp_edit *edit;            /* NULL: nothing is changed */
    const struct ilp_report *report;  /* may be NULL */
    struct ilpi_spent spent;          /* by other inspections for this one */
    uint32_t block_methods;           /* that a thread takes at a time */
};

/* ---- one method ---- */

/* The symbols move with the code, method by method. */
static ilp_status take_method(struct apply_job *job, ilp_rid rid, const struct ilpi_built *built,
                              struct ilp_error *error)
{
    ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
    struct ilp_symbols *symbols = job->request.symbols;
    if (built->result->body.size != 0) {
        ILPI_TRY(ilp_edit_set_body(job->edit, rid, built->result->body, error));
    }
    if (built->result->body.size != 0 && symbols) {
        ILPI_TRY(ilp_symbols_move(symbols, method, built->shifts, built->shift_count, error));
    }
    return job->report && job->report->method
               ? job->report->method(job->report->user, method, built->result, error)
               : ILP_OK;
}

/* One method on the caller's thread, with the edit's own emitter. Shifts are for the PDB only. */
static ilp_status do_method(struct apply_job *job, ilp_rid rid, struct ilp_error *error)
{
    struct ilp_bytes own = {NULL, 0};
    struct ilp_method_result result;
    struct ilpi_built built = {.result = &result};
    ILPI_TRY(
        ilp_inspect_method(job->inspection, ILP_TOKEN(ILP_MethodDef, rid), own, &result, error));
    if (result.body.size != 0 && job->request.symbols) {
        ILPI_TRY(ilpi_rewriter_shifts(ilp_inspection_rewriter(job->inspection), &built.shifts,
                                      &built.shift_count, error));
    }
    return take_method(job, rid, &built, error);
}

static ilp_status do_methods(struct apply_job *job, ilp_rid first, ilp_rid end,
                             struct ilp_error *error)
{
    for (ilp_rid rid = first; rid < end; rid++) {
        ILPI_TRY(do_method(job, rid, error));
    }
    return ILP_OK;
}

/* ---- several threads ---- */

/* A block's methods in their order, so that the output does not depend on the threads: what was
 * built by one is taken, the rest is built here. */
static ilp_status take_block(struct apply_job *job, const struct ilpi_turn *turn,
                             struct ilp_error *error)
{
    struct ilpi_built built;
    for (ilp_rid rid = turn->first; rid < turn->end; rid++) {
        ILPI_TRY(ilpi_block_take(turn->block, rid, job->tokens, &built)
                     ? take_method(job, rid, &built, error)
                     : do_method(job, rid, error));
    }
    return ILP_OK;
}

/* Whether one more block cannot exhaust a budget: only then is its outcome independent of the
 * methods before it. */
static bool is_far_from_limits(struct apply_job *job, const struct ilpi_block *block)
{
    struct ilpi_spent sum = ilpi_inspection_spent(job->inspection);
    for (unsigned i = 0; i < ILPI_BUDGETS; i++) {
        job->spent.of[i] += block ? block->spent.of[i] : 0;
        sum.of[i] += job->spent.of[i];
    }
    return ilpi_inspection_is_little(job->inspection, &sum);
}

/* Brings the inspection to the state that one thread would have before `rid`: budgets already spent
 * decide about the next methods. The methods before are inspected again without an emitter, so that
 * no token is made twice; tokens made once per module are copied. */
static ilp_status catch_up(struct apply_job *job, ilp_rid rid, struct ilp_error *error)
{
    struct ilp_inspection *alone;
    struct ilp_method_result result;
    struct ilp_bytes own = {NULL, 0};
    ILPI_TRY(ilp_inspection_open(&alone, job->image, &job->request, NULL, error));
    const struct ilpi_module_context *before = &job->inspection->rewriter->module;
    memcpy(alone->rewriter->module.made, before->made, before->made_size);
    ilp_inspection_close(job->inspection);
    job->inspection = alone;
    for (ilp_rid at = 1; at < rid; at++) {
        ILPI_TRY(ilp_inspect_method(alone, ILP_TOKEN(ILP_MethodDef, at), own, &result, error));
    }
    alone->rewriter->module.emitter = job->tokens;
    return ILP_OK;
}

/* `rest`: the first method that is left to do. */
static ilp_status do_turns(struct apply_job *job, struct ilpi_crew *crew, ilp_rid *rest,
                           struct ilp_error *error)
{
    struct ilpi_turn turn;
    while (ilpi_crew_next(crew, &turn)) {
        if (!is_far_from_limits(job, turn.block)) {
            return ILP_OK;
        }
        ILPI_TRY(turn.block ? take_block(job, &turn, error)
                            : do_methods(job, turn.first, turn.end, error));
        *rest = turn.end;
    }
    return ILP_OK;
}

/* The first methods are done before the threads start: they request the tokens that are made once
 * per module. */
static ilp_status do_all(struct apply_job *job, ilp_rid end, struct ilp_error *error)
{
    struct ilpi_crew *crew;
    ilp_rid rest = 1 + job->block_methods;
    /* one block is done here in any case: with only one more there is nothing to share */
    if (end - 1 <= 2 * job->block_methods || !ilpi_crew_can(&job->request)) {
        return do_methods(job, 1, end, error);
    }
    ILPI_TRY(do_methods(job, 1, rest, error));
    ILPI_TRY(ilpi_crew_open(&crew, job->inspection, &job->request, job->edit, rest,
                            job->block_methods, error));
    ilp_status status = do_turns(job, crew, &rest, error);
    ilpi_crew_close(crew);
    if (status == ILP_OK && rest != end) {
        status = catch_up(job, rest, error);
    }
    return status == ILP_OK ? do_methods(job, rest, end, error) : status;
}

/* ---- the whole ---- */

/* Without an edit nothing is written: the inspection is for a report, and makes no tokens. */
static ilp_status open_job(struct apply_job *job, struct ilp_error *error)
{
    struct ilp_inspection *inspection;
    if (job->edit && job->edit->image != job->image) {
        ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "the edit is of another image");
        return ILP_E_MISUSE; /* not ILP_OK, as analyzers see here */
    }
    if (job->edit) {
        ILPI_TRY(ilp_image_can_be_written(job->image, error));
        ILPI_TRY(ilp_file_emitter_open(&job->emitter, job->edit, error));
        job->tokens = ilp_file_emitter_interface(job->emitter);
    }
    ILPI_TRY(ilp_inspection_open(&inspection, job->image, &job->request, job->tokens, error));
    job->inspection = inspection;
    return job->request.embed ? ilpi_bindings_embed(&inspection->rewriter->module, job->edit, error)
                              : ILP_OK;
}

/* The order at the end: an embedding that failed is reported before the MVID is renewed, and the
 * MVID is a digest of all changes, so it is last (metadata/edit.c). */
static ilp_status do_job(struct apply_job *job, struct ilp_error *error)
{
    ilp_status status = open_job(job, error);
    if (status == ILP_OK) {
        status = do_all(job, ilp_row_count(job->image, ILP_MethodDef) + 1, error);
    }
    if (status == ILP_OK) {
        status = ilpi_bindings_check_embedded(&job->inspection->rewriter->module, error);
    }
    if (status == ILP_OK && job->edit && !ilp_edit_is_empty(job->edit)) {
        status = ilp_edit_renew_mvid(job->edit, error);
    }
    ilp_inspection_close(job->inspection);
    ilp_file_emitter_close(job->emitter);
    return status;
}

/* The resolver of the request is not made for threads, so they share one under a lock; without
 * memory for it one thread does the job. */
ilp_status ilpi_inspect_in_blocks(struct ilp_image *image, struct ilp_edit *edit,
                                  const struct ilp_request *request,
                                  const struct ilp_report *report, uint32_t block_methods,
                                  struct ilp_error *error)
{
    struct apply_job job = {.image = image,
                            .request = *request,
                            .edit = edit,
                            .report = report,
                            .block_methods = block_methods};
    bool shared = request->threads > 1 && request->resolver &&
                  ilpi_shared_resolver_open(&job.resolver, request->resolver);
    if (shared) {
        job.request.resolver = &job.resolver.interface;
    } else if (request->resolver) {
        job.request.threads = 0;
    }
    ilp_status status = do_job(&job, error);
    if (shared) {
        ilpi_shared_resolver_close(&job.resolver);
    }
    return status;
}

ilp_status ilp_inspect_returns(struct ilp_image *image, struct ilp_edit *edit,
                               const struct ilp_request *request, const struct ilp_report *report,
                               struct ilp_error *error)
{
    return ilpi_inspect_in_blocks(image, edit, request, report, ILPI_BLOCK_METHODS, error);
}
