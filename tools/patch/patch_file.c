/* Patches one file of a command line: opens its job, and passes it to the patcher of its kind. See
 * patch_file.h. */
#include "tools/patch/patch_file.h"

#include <stdlib.h>

#include "host/bundle_file.h"
#include "host/found_kind.h"
#include "tools/patch/extracted.h"
#include "tools/patch/patch_assembly.h"
#include "tools/patch/patch_bundle.h"
#include "tools/patch/report.h"
#include "tools/tool.h"

static bool is_bundle(const char *path)
{
    struct found_kind found;
    return find_kind(path, &found) && found.kind == ILP_FILE_BUNDLE;
}

/* For a bundle, each assembly is reported separately. `beside`: it is patched already. */
static enum exit_code run(struct job *job, const char *inner, const char *beside)
{
    enum exit_code code = job_find_input(job);
    if (code != EXIT_DONE) {
        report_module_failed(job->request->report, job->shown, &job->error);
        return code;
    }
    if (beside) {
        return patch_assembly_again(job, beside);
    }
    return inner || is_bundle(job->input) ? patch_bundle(job, inner, patch_file)
                                          : patch_assembly(job);
}

/*   App               an apphost: its assembly App.dll is patched
 *   App.dll           itself
 *   PROGRAM/App.dll   a file of the bundle PROGRAM
 *
 * The job owns its paths from here, and its transaction ends here, committed or not. Ids are
 * settled by what was committed. */
static enum exit_code patch(const struct patch_request *request, const char *given,
                            const char *beside)
{
    const char *inner = NULL;
    char *bundle = bundle_path_split(given, &inner);
    char *file = bundle ? bundle : host_assembly(given);
    char *shown = extracted_path(request->extracted,
                                 request->extracted ? request->extracted->shown : NULL, file);
    struct job job = {.request = request, .file = file, .shown = shown};
    enum exit_code code = run(&job, inner, beside);
    if (request->ids && !request->extracted) {
        id_map_settle(request->ids, job.changes.committed);
    }
    transaction_end(&job.changes);
    free(job.output_path);
    free(job.kept);
    free(shown);
    free(file);
    return code;
}

enum exit_code patch_file(const struct patch_request *request, const char *file)
{
    return patch(request, file, NULL);
}

enum exit_code patch_file_again(const struct patch_request *request, const char *file,
                                const char *beside)
{
    return patch(request, file, beside);
}
