/* The main job over a whole image: every method, one after the other, and new bodies into the
 * edit. */
#include "inspect/binding.h"
#include "inspect/inspection.h"
#include "inspect/rewriter.h"
#include "metadata/edit.h"

struct apply_job {
    struct ilp_inspection *inspection;
    struct ilp_file_emitter *emitter;
    struct ilp_edit *edit;       /* NULL: nothing is changed */
    struct ilp_symbols *symbols; /* NULL: nobody wants to know what moved */
};

static ilp_status take_body(struct apply_job *job, ilp_rid rid, struct ilp_bytes body,
                            struct ilp_error *error)
{
    const struct ilp_il_map *map;
    size_t count;
    ILPI_TRY(ilp_edit_set_body(job->edit, rid, body, error));
    if (!job->symbols) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_rewriter_shifts(ilp_inspection_rewriter(job->inspection), &map, &count, error));
    return ilp_symbols_move(job->symbols, ILP_TOKEN(ILP_MethodDef, rid), map, count, error);
}

static ilp_status do_method(struct apply_job *job, ilp_rid rid, struct ilp_method_result *result,
                            struct ilp_error *error)
{
    struct ilp_bytes own = {NULL, 0};
    ILPI_TRY(
        ilp_inspect_method(job->inspection, ILP_TOKEN(ILP_MethodDef, rid), own, result, error));
    return result->body.size != 0 ? take_body(job, rid, result->body, error) : ILP_OK;
}

static ilp_status do_all(struct apply_job *job, uint32_t methods, const struct ilp_report *report,
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

static ilp_status open_job(struct apply_job *job, struct ilp_image *image,
                           const struct ilp_request *request, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = NULL;
    if (job->edit) {
        ILPI_TRY(ilp_image_can_be_written(image, error));
        ILPI_TRY(ilp_file_emitter_open(&job->emitter, job->edit, error));
        emitter = ilp_file_emitter_interface(job->emitter);
    }
    ILPI_TRY(ilp_inspection_open(&job->inspection, image, request, emitter, error));
    return request->embed
               ? ilpi_bindings_embed(&job->inspection->rewriter->module, job->edit, error)
               : ILP_OK;
}

ilp_status ilp_inspect_returns(struct ilp_image *image, struct ilp_edit *edit,
                               const struct ilp_request *request, const struct ilp_report *report,
                               struct ilp_error *error)
{
    struct apply_job job = {.edit = edit, .symbols = request->symbols};
    ilp_status status = open_job(&job, image, request, error);
    if (status == ILP_OK) {
        status = do_all(&job, ilp_row_count(image, ILP_MethodDef), report, error);
    }
    if (status == ILP_OK) {
        status = ilpi_bindings_check_embedded(&job.inspection->rewriter->module, error);
    }
    if (status == ILP_OK && edit && !ilp_edit_is_empty(edit)) {
        status = ilp_edit_renew_mvid(edit, error);
    }
    ilp_inspection_close(job.inspection);
    ilp_file_emitter_close(job.emitter);
    return status;
}
