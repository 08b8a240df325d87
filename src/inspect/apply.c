/* The main job over a whole image: every method through the rewriter, new bodies into the edit. */
#include "metadata/edit.h"

static ilp_status rewrite_all(struct ilp_rewriter *rewriter, uint32_t methods, struct ilp_edit *edit,
                              const struct ilp_report *report, struct ilp_error *error)
{
    for (ilp_rid rid = 1; rid <= methods; rid++) {
        struct ilp_method_result result;
        ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
        ILPI_TRY(ilp_rewrite_method(rewriter, method, (struct ilp_bytes){NULL, 0}, &result, error));
        if (result.body.size != 0) {
            ILPI_TRY(ilp_edit_set_body(edit, rid, result.body, error));
        }
        if (report && report->method) {
            ILPI_TRY(report->method(report->user, method, &result, error));
        }
    }
    return ILP_OK;
}

ilp_status ilp_inspect_returns(struct ilp_image *image, struct ilp_edit *edit,
                               const struct ilp_inspector *inspector,
                               const struct ilp_resolver *resolver, const struct ilp_report *report,
                               const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct ilp_file_emitter *emitter = NULL;
    struct ilp_rewriter *rewriter = NULL;
    ilp_status status = edit ? ilp_image_can_be_written(image, error) : ILP_OK;
    if (status == ILP_OK && edit) {
        status = ilp_file_emitter_open(&emitter, edit, error);
    }
    if (status == ILP_OK) {
        status = ilp_rewriter_open(&rewriter, image, inspector, resolver,
                                   edit ? ilp_file_emitter_interface(emitter) : NULL, allocator,
                                   error);
    }
    if (status == ILP_OK) {
        status = rewrite_all(rewriter, ilp_row_count(image, ILP_MethodDef), edit, report, error);
    }
    if (status == ILP_OK && edit && !ilp_edit_is_empty(edit)) {
        status = ilp_edit_renew_mvid(edit, error);
    }
    ilp_rewriter_close(rewriter);
    ilp_file_emitter_close(emitter);
    return status;
}
