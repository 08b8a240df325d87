/* Verifies new bodies in a process, against the metadata that the runtime has, with the rows that
 * were added (an overlay). See verification.h. A wrong body would be refused by the JIT when it is
 * called, or worse, be compiled; here the method is left alone, with the finding as the reason.
 *
 *   emitter adds a row -> overlay.view = the image and that row
 *   rewriter makes a body -> verification_pass(): old and new body -> no new finding: accepted
 */
#include "profiler/verification.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "inspect/rewriter.h"
#include "profiler/profiler.h"
#include "profiler/settings.h"

/* An inspector is the file that it was opened from, wherever the program finds it. */
static struct ilp_image *open_assembly(void *user, const struct ilp_assembly_name *name)
{
    const struct verification *verification = user;
    const struct module *module = verification->module;
    const struct request *request = settings_request(module->settings);
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        const struct inspector_file *inspector = &request->inspector_files[i];
        if (inspector->assembly && strcmp(inspector->name.name, name->name) == 0) {
            return inspector->assembly;
        }
    }
    return module->resolver.open(module->resolver.user, name);
}

static struct ilp_image *open_module(void *user, const struct ilp_image *image, const char *file)
{
    const struct module *module = ((const struct verification *)user)->module;
    return module->resolver.open_module(module->resolver.user, image, file);
}

/* The check itself is opened with the first body: most modules get none. */
struct verification *verification_open(struct module *module, const struct ilp_image *image)
{
    struct verification *verification = new_items(1, sizeof *verification);
    if (verification) {
        ilpi_overlay_open(&verification->overlay, image);
        verification->module = module;
        verification->resolver = (struct ilp_resolver){
            .user = verification, .open = open_assembly, .open_module = open_module};
    }
    return verification;
}

void verification_close(struct verification *verification)
{
    if (verification) {
        ilpi_body_check_close(verification->check);
        ilpi_overlay_close(&verification->overlay);
        free(verification);
    }
}

/* A static constructor. */
static bool runs_once(const struct ilp_image *image, ilp_token method)
{
    uint32_t name = ilp_cell(image, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_Name);
    return strcmp(ilp_string(image, name), ".cctor") == 0;
}

/* The result keeps its rule, and loses its body and id. */
static void take_back(struct ilp_method_result *result, const struct ilp_verify_finding *finding)
{
    struct ilp_method_result left = {.reason = ILP_REASON_NOT_VERIFIED, .rule = result->rule};
    char at[16] = "";
    if (finding->offset != UINT32_MAX) {
        snprintf(at, sizeof at, "IL_%04x ", finding->offset);
    }
    snprintf(left.detail, sizeof left.detail, "%s%s: %.180s", at, finding->code, finding->message);
    *result = left;
}

ilp_status verification_pass(struct verification *verification, ilp_token method,
                             struct ilp_bytes old, const struct ilp_rewriter *rewriter,
                             struct ilp_method_result *result, struct ilp_error *error)
{
    const struct ilp_image *image = &verification->overlay.view;
    struct ilp_verify_finding finding;
    bool is_right;
    if (!verification->check) {
        ILPI_TRY(ilpi_body_check_open(&verification->check, &verification->overlay,
                                      &verification->resolver, error));
    }
    struct ilpi_body_pair pair = {
        .method = method, .old = old, .new = result->body, .surely = runs_once(image, method)};
    pair.insertions = ilpi_rewriter_insertions(rewriter, &pair.insertion_count);
    ILPI_TRY(ilpi_body_check(verification->check, &pair, &is_right, &finding, error));
    if (!is_right) {
        take_back(result, &finding);
    }
    return ILP_OK;
}
