/* Puts a patched assembly in place, together with what belongs to it: inspectors and .deps.json,
 * symbols, ids. See put_assembly.h.
 *
 *   one transaction, in this order:
 *     inspectors, .deps.json   nothing refers to them yet, so they do no harm
 *     PDB                      fits the new file
 *     id map                   the ids are in the new file
 *     FILE.orig, record, FILE
 *     old inspectors           removed, now that no file calls them
 *
 * A program that starts while the changes are made finds files that work together. */
#include "tools/patch/put_assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_image.h"
#include "host/originals.h"
#include "host/path.h"
#include "host/program_folder.h"
#include "tools/patch/extracted.h"
#include "tools/patch/inspector_check.h"
#include "tools/patch/placed.h"
#include "tools/patch/report.h"
#include "tools/tool.h"

/* Whether the file needs the inspector beside it: it is called and not embedded, or the file was
 * patched earlier and may refer to any of them. */
static bool is_needed(const struct job *job, size_t number)
{
    const struct request *what = job->request->what;
    const struct report *report = job->request->report;
    bool already = report->module.by_reason[ILP_REASON_ALREADY] != 0;
    return !what->inspector_files[number].native &&
           ((report->used[number] && !what->embed) ||
            (already && image_refers_to(report->image, what->inspector_files[number].name.name)));
}

static bool is_placed(const struct job *job, const char *directory, size_t number)
{
    const struct patch_request *request = job->request;
    return request->placed &&
           placed_has(request->placed, directory, &request->what->inspector_files[number]);
}

static enum exit_code check_inspector_file(const struct patch_request *request,
                                           const struct inspector_file *inspector,
                                           const char *directory, const char *program,
                                           const char *shown)
{
    if (!request->alone) {
        return inspector_file_check(inspector, directory, program, shown);
    }
    if (!request->quiet) {
        report_message("%s.dll has to be put beside the patched file; --embed copies it into that",
                       inspector->name.name);
    }
    return EXIT_DONE;
}

/* None is placed before all can be. A dry run only checks that. For a file of a bundle they are
 * placed in the temporary folder, and go into the bundle with the rest. */
enum exit_code put_inspector_files(struct job *job)
{
    const struct request *what = job->request->what;
    const struct extracted *extracted = job->request->extracted;
    const struct patch_request *request = job->request;
    char *program = program_folder(request->makes_folders ? job->file : job->output_path);
    /* a dry run makes no folders, and what they would contain is where the file is */
    char *directory = request->dry_run ? need(strdup(program)) : program_folder(job->output_path);
    char *shown_file = extracted_path(extracted, extracted ? extracted->shown : NULL,
                                      job->output_path);
    char *shown = extracted ? path_directory(shown_file) : need(strdup(directory));
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < what->inspector_file_count && code == EXIT_DONE; i++) {
        code = is_needed(job, i) && !is_placed(job, directory, i)
                   ? check_inspector_file(request, &what->inspector_files[i], directory, program,
                                          shown)
                   : EXIT_DONE;
    }
    bool place = !job->request->dry_run && !job->request->alone;
    bool keep = job->first_time && !job->request->output;
    for (size_t i = 0; i < what->inspector_file_count && code == EXIT_DONE && place; i++) {
        code = is_needed(job, i) && !is_placed(job, directory, i)
                   ? inspector_file_place(&job->changes, &what->inspector_files[i], directory, keep,
                                          &job->deps_stale)
                   : EXIT_DONE;
    }
    free(shown);
    free(shown_file);
    free(directory);
    free(program);
    if (code != EXIT_DONE) {
        job_note_failure(job, "the inspector was not placed");
    }
    return code;
}

/* When a file is patched again, its old inspectors may have been removed. What was placed is noted
 * only after the commit. */
enum exit_code put_commit(struct job *job)
{
    const struct patch_request *request = job->request;
    enum exit_code code = job_commit(job);
    if (code != EXIT_DONE || !request->placed) {
        return code;
    }
    if (job->input == job->kept && !request->output) {
        placed_forget(request->placed);
    }
    char *directory = program_folder(job->output_path);
    for (size_t i = 0; i < request->what->inspector_file_count; i++) {
        if (is_needed(job, i)) {
            placed_add(request->placed, directory, &request->what->inspector_files[i]);
        }
    }
    free(directory);
    return code;
}

/* Before the file that passes the ids is in place; errors are reported. For a file of a bundle the
 * ids belong to the bundle's transaction. */
static enum exit_code put_ids(struct job *job)
{
    const struct extracted *extracted = job->request->extracted;
    enum exit_code code = id_map_put(job->request->ids,
                                     extracted ? extracted->beside : &job->changes);
    if (code != EXIT_DONE) {
        job_note_failure(job, "the file of ids was not written");
    }
    return code;
}

/* For a file of a bundle, a PDB beside the bundle changes with it (`beside`). */
void put_symbols(struct job *job)
{
    const struct extracted *extracted = job->request->extracted;
    symbols_replace(&job->symbols, &job->changes, extracted ? extracted->beside : NULL);
}

/* The original kept of an earlier build. NULL: there is none; `view` must be closed in any case. */
struct ilp_image *job_open_stale(const struct job *job, struct file_view *view)
{
    return job->stale && file_view_open(view, job->kept) ? file_image_open(view->bytes, job->kept)
                                                         : NULL;
}

/* If nothing is kept of the new build, neither are its symbols. */
void put_forget_symbols(struct job *job)
{
    struct file_view view = {.bytes = {NULL, 0}};
    struct ilp_image *stale = job_open_stale(job, &view);
    if (stale) {
        symbols_forget(&job->changes, stale, job->output_path);
        ilp_image_close(stale);
    }
    file_view_close(&view);
}

/* Whether the new file calls this inspector, too. */
static bool still_calls(const void *user, const char *name)
{
    const struct job *job = user;
    const struct request *what = job->request->what;
    bool needed = false;
    for (size_t i = 0; i < what->inspector_file_count && !needed; i++) {
        needed = is_needed(job, i) && strcmp(what->inspector_files[i].name.name, name) == 0;
    }
    return needed;
}

/* Removes inspectors that only the replaced file called. Only when FILE was patched before:
 * `before` is the file that is replaced. An inspector that may still be in use stays, which is
 * reported (`left`). */
enum exit_code put_no_inspector_files(struct job *job)
{
    struct file_view view = {.bytes = {NULL, 0}};
    enum exit_code code = EXIT_DONE;
    if (job->input != job->kept || job->request->output) {
        return EXIT_DONE;
    }
    if (!file_view_open(&view, job->output_path) && errno != ENOENT) {
        return job_fail(job, EXIT_BAD_INPUT, "%s: cannot read: %s", job->output_path,
                        strerror(errno));
    }
    struct ilp_image *before = file_image_open(view.bytes, NULL);
    if (before) {
        code = inspector_files_remove(&job->changes, before, job->request->report->image,
                                      job->output_path, still_calls, job);
    }
    ilp_image_close(before);
    file_view_close(&view);
    job->left = code == EXIT_INCOMPLETE;
    if (code > EXIT_INCOMPLETE) {
        job_note_failure(job, "an inspector was not removed");
    }
    return job->left ? EXIT_DONE : code;
}

/* Inspectors and manifests first: additional ones are harmless. */
enum exit_code put_assembly(struct job *job, struct output *output)
{
    enum exit_code code = put_inspector_files(job);
    if (code != EXIT_DONE) {
        output_abandon(output);
        return code;
    }
    if (job->request->in_place) {
        put_forget_symbols(job);
    }
    put_symbols(job);
    code = job->request->ids ? put_ids(job) : EXIT_DONE;
    if (code != EXIT_DONE) {
        output_abandon(output);
        return code;
    }
    code = job_put(job, output);
    code = code == EXIT_DONE ? put_no_inspector_files(job) : code;
    return code == EXIT_DONE ? put_commit(job) : code;
}
