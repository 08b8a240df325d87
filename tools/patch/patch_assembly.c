/* Patches one assembly, as a step of its file's job (patch_job.h):
 *
 *   image -> rewriter -> edit -> temporary file, verified -> inspector and .deps.json beside it ->
 *   commit
 *
 *   patch_assembly()   opens the image; the references get their target
 *   work()           inspectors fit the program? where are the symbols?
 *     make()         make_edit(), write_output(): without the turn, other threads work meanwhile
 *       put_output() with the turn: verified, then put_assembly() adds everything and commits
 *   report_result()  the report, the summary, the exit code
 *
 * Whatever fails, fails before the commit, and leaves all files as they were: the temporary file is
 * abandoned, and transaction_end() (patch_file.c) drops what was added. */
#include "tools/patch/patch_assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/buf.h"
#include "host/path.h"
#include "host/resolve/program.h"
#include "host/turn.h"
#include "inspect/core_scope.h"
#include "metadata/image.h"
#include "tools/patch/callers.h"
#include "tools/patch/extracted.h"
#include "tools/patch/facade.h"
#include "tools/patch/inspector_check.h"
#include "tools/patch/module_files.h"
#include "tools/patch/patch_result.h"
#include "tools/patch/patch_summary.h"
#include "tools/patch/put_assembly.h"
#include "tools/patch/report.h"
#include "tools/patch/verify_patched.h"
#include "tools/tool.h"
#include "host/file_view.h"

/* With --verify: verifies the bytes to be written. */
static enum exit_code verify(struct job *job, struct ilp_bytes bytes)
{
    const struct patch_request *request = job->request;
    bool good = !request->verify ||
                verify_patched(bytes, job->shown, request->report, &job->error) == ILP_OK;
    return good ? EXIT_DONE : job_fail_as_recorded(job);
}

/* Reads the temporary file again, to verify what was actually written. */
static enum exit_code verify_written(struct job *job, const struct output *output)
{
    struct file_view view;
    if (!job->request->verify) {
        return EXIT_DONE;
    }
    if (!file_view_open(&view, output->temporary)) {
        return job_fail(job, EXIT_CANNOT_WRITE, "%s: cannot read what was written: %s",
                        output->temporary, strerror(errno));
    }
    enum exit_code code = verify(job, view.bytes);
    file_view_close(&view);
    return code;
}

/* A file with a new layout is written even if nothing else changes. */
static bool is_unchanged(const struct job *job, const struct ilp_edit *edit)
{
    return ilp_edit_is_empty(edit) && job->write.layout != ILP_WRITE_COMPACT;
}

static enum exit_code write_unchanged(struct job *job, struct ilp_bytes bytes);

/* Syncs now what the commit would sync later, since other threads can use the time. */
static ilp_status write_output(struct job *job, struct ilp_edit *edit, struct output *output,
                               struct ilp_write_info *written)
{
    struct ilp_sink sink = output_sink(output);
    if (!output_begin(output, job->output_path, job->input)) {
        /* the reason is in output->error, where put_output() finds it */
        return ILP_E_CALLBACK;
    }
    ilp_status status = ilp_edit_write(edit, &job->write, &sink, written, &job->error);
    if (status == ILP_OK && job->changes.lasting) {
        output_sync(output);
    }
    return status;
}

/* Puts what write_output() has written, with its status, in place. An output that is equal to its
 * input is not put in place: the file would get a new date for nothing. */
static enum exit_code put_output(struct job *job, struct ilp_edit *edit, struct ilp_bytes bytes,
                                 struct output *output, ilp_status status,
                                 const struct ilp_write_info *written)
{
    if (status != ILP_OK) {
        output_abandon(output);
        return output->error != 0 ? job_fail_writing(job, job->output_path, output->error)
                                  : job_fail_as_recorded(job);
    }
    if (ilp_edit_is_empty(edit) && !written->compacted) { /* it already had this layout */
        output_abandon(output);
        return write_unchanged(job, bytes);
    }
    enum exit_code code = verify_written(job, output);
    if (code != EXIT_DONE) {
        output_abandon(output);
        return code;
    }
    return put_assembly(job, output);
}

/* Nothing to do: the output is the input. A file patched earlier still calls the inspector. The
 * output can still be another file than the input: with -o, or when a FILE that was patched goes
 * back to what FILE.orig is. */
static enum exit_code write_unchanged(struct job *job, struct ilp_bytes bytes)
{
    bool was_patched = job->request->report->module.by_reason[ILP_REASON_ALREADY] != 0;
    enum exit_code code = was_patched ? put_inspector_files(job) : EXIT_DONE;
    if (code != EXIT_DONE) {
        return code;
    }
    symbols_stay(&job->symbols);
    put_symbols(job);
    put_forget_symbols(job);
    code = job_put(job, NULL);
    if (code == EXIT_DONE && !file_holds(job->output_path, bytes)) {
        transaction_write(&job->changes, job->output_path, bytes, job->input);
    }
    code = code == EXIT_DONE ? put_no_inspector_files(job) : code;
    return code == EXIT_DONE ? put_commit(job) : code;
}

/* ---- a dry run ---- */

/* A dry run makes the whole file, so that it finds all errors of a real one. It is kept only to be
 * verified. */
static enum exit_code write_nowhere(struct job *job, struct ilp_edit *edit, struct ilp_bytes bytes,
                                    struct ilp_write_info *written)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    /* without storage the buffer only counts bytes (base/buf.h) */
    struct ilpi_buf kept = {.alloc = job->request->verify ? &alloc : NULL};
    struct ilp_sink sink = ilpi_buf_sink(&kept);
    enum exit_code code = EXIT_DONE;
    if (is_unchanged(job, edit)) {
        symbols_stay(&job->symbols);
        return file_holds(job->output_path, bytes) ? EXIT_DONE : job_check_output(job);
    }
    turn_give();
    ilp_status status = ilp_edit_write(edit, &job->write, &sink, written, &job->error);
    turn_take();
    if (status != ILP_OK) {
        code = job_fail_as_recorded(job);
    } else {
        code = verify(job, ilpi_buf_bytes(&kept));
    }
    ilpi_buf_free(&kept);
    code = code == EXIT_DONE ? job_check_output(job) : code;
    return code == EXIT_DONE ? put_inspector_files(job) : code;
}

/* Records the answers in the report, and the ids in their file. */
static ilp_status take_method(void *user, ilp_token method, const struct ilp_method_result *result,
                              struct ilp_error *error)
{
    const struct patch_request *request = user;
    struct ilp_report report = report_callbacks(request->report);
    if (result->id != 0 && request->ids) {
        id_map_add(request->ids, result->id);
    }
    return report.method(report.user, method, result, error);
}

/* Makes all changes in the edit. A change of another kind gets a new MVID here; inspecting does
 * that itself. A facade has nothing to inspect. */
static ilp_status change(struct job *job, struct ilp_image *image, struct ilp_edit *edit)
{
    const struct patch_change *other = job->request->change;
    struct ilp_resolver resolver = references_resolver(job->request->what->references);
    struct ilp_request request = request_for_library(job->request->what, &resolver);
    struct ilp_report callbacks = {(void *)job->request, take_method};
    request.symbols = job->symbols.library;
    request.threads = job->request->threads;
    if (!other && facade_has_no_code(&job->request->report->facade)) {
        return ILP_OK;
    }
    if (!other) {
        request.module_number = job->request->ids ? id_map_module(job->request->ids, image) : 0;
        return ilp_inspect_returns(image, edit, &request, &callbacks, &job->error);
    }
    ilp_status status = ilp_image_can_be_written(image, &job->error);
    if (status == ILP_OK) {
        status = other->make(other->user, image, edit, job->symbols.library, &job->error);
    }
    return status == ILP_OK && !ilp_edit_is_empty(edit) ? ilp_edit_renew_mvid(edit, &job->error)
                                                        : status;
}

/* For a file of a bundle the PDB may be in the bundle (`place`), or beside it (`host`). */
static void find_symbols(struct job *job, const struct ilp_image *image)
{
    const struct patch_request *request = job->request;
    const struct extracted *extracted = request->extracted;
    struct file_view stale = {.bytes = {NULL, 0}};
    struct ilp_image *stale_image = job_open_stale(job, &stale);
    struct symbols_place host = {.file = NULL};
    struct symbols_place place = {.file = request->output ? job->file : job->output_path,
                                  .output = job->output_path,
                                  .separate = request->output != NULL,
                                  .alone = request->alone,
                                  .in_place = request->in_place,
                                  .stale = stale_image};
    char *file = extracted ? extracted_beside(extracted, extracted->shown, job->file) : NULL;
    char *output = extracted ? extracted_beside(extracted, extracted->output, job->output_path)
                             : NULL;
    if (extracted) {
        host = (struct symbols_place){
            .file = file,
            .output = output,
            .separate = extracted->separate,
            .alone = extracted->alone,
            .in_place = extracted->in_place,
        };
        place.host = &host;
    }
    symbols_find(&job->symbols, job->write.symbols, image, &place);
    ilp_image_close(stale_image);
    file_view_close(&stale);
    free(file);
    free(output);
}

/* Two files may share a PDB: it is handled in the order of the files. */
static void wait_for_symbols(const struct job *job, const struct ilp_image *image)
{
    const struct patch_request *request = job->request;
    char *paths[2] = {NULL, NULL};
    if (request->order) {
        if (job->write.symbols == ILP_SYMBOLS_UPDATE) {
            symbols_paths(image, request->output ? job->file : job->output_path, paths);
        }
        request->order->symbols(request->order->user, paths);
    }
}

static enum exit_code check_symbols(struct job *job, const struct ilp_image *image)
{
    job->write = job->request->write ? *job->request->write : (struct ilp_write_options){0};
    wait_for_symbols(job, image);
    find_symbols(job, image);
    if (!job->symbols.unreadable) {
        return EXIT_DONE;
    }
    return job_fail(job, EXIT_BAD_INPUT,
                    "%s: cannot read: %s. Let it be read, or pass --symbols drop to do without it",
                    job->symbols.unreadable, strerror(job->symbols.error));
}

/* Prepares the edit and the write options. Hashes of modules come after all other changes of
 * metadata, and symbols last, since they need the final methods. */
static ilp_status make_edit(struct job *job, struct ilp_image *image, struct ilp_edit *edit)
{
    ilp_status status = change(job, image, edit);
    if (status == ILP_OK) {
        char *directory = path_directory(job->output_path);
        status = module_files_update(image, edit, directory, &job->hashes, &job->error);
        free(directory);
    }
    if (status == ILP_OK && ilp_edit_is_empty(edit) && job->write.layout == ILP_WRITE_COMPACT) {
        symbols_stay(&job->symbols);
    }
    return status == ILP_OK && !ilp_edit_is_empty(edit)
               ? symbols_make(&job->symbols, edit, &job->write, &job->error)
               : status;
}

static void add_replaced(struct report *report, const char *name)
{
    report->replaced[report->replaced_count++] = name;
}

/* What was kept of an earlier build and is not any more. */
static void find_replaced(const struct job *job)
{
    struct report *report = job->request->report;
    if (job->stale) {
        add_replaced(report, path_name(job->kept));
    }
    if (job->symbols.stale) {
        add_replaced(report, path_name(job->symbols.kept));
    }
    if (job->deps_stale) {
        add_replaced(report, "*.deps.json.orig");
    }
}

/* The report gets every file, also one that failed. --symbols update that could not be done, a
 * refused method, and an inspector that stayed are "done in part". */
static enum exit_code report_result(struct job *job, const struct ilp_write_info *written,
                                    enum exit_code code)
{
    const struct symbols_file *symbols = &job->symbols;
    struct report *report = job->request->report;
    const struct extracted *extracted = job->request->extracted;
    char *output = NULL;
    if (symbols->replaces) {
        const char *folder = extracted ? extracted->output : NULL;
        output = extracted_path(extracted, folder, symbols->output);
    }
    report->symbols = (struct report_symbols){symbols_word(symbols->answer), output, symbols->why};
    if (code == EXIT_DONE) {
        find_replaced(job);
    }
    report_module_end(report, code == EXIT_DONE && !job->request->dry_run ? written : NULL,
                      code == EXIT_DONE ? NULL : &job->error);
    free(output);
    if (code != EXIT_DONE) {
        return code;
    }
    patch_summary(job, written);
    bool failed =
        job->request->named_symbols && job->request->write->symbols == ILP_SYMBOLS_UPDATE &&
        (symbols->answer == SYMBOLS_ANSWER_DROPPED || symbols->answer == SYMBOLS_ANSWER_LEFT ||
         symbols->answer == SYMBOLS_ANSWER_ASIDE);
    return report_refused(report) || failed || job->left ? EXIT_INCOMPLETE : EXIT_DONE;
}

/* A facade calls no inspector. The image is indexed before types are looked up in it. */
static enum exit_code check_inspectors(struct job *job, struct ilp_image *image)
{
    const struct patch_request *request = job->request;
    if (request->change || ilp_row_count(image, ILP_MethodDef) == 0) {
        return EXIT_DONE;
    }
    struct ilp_request what = request_for_library(request->what, NULL);
    turn_give();
    request_index_image(&what, image);
    turn_take();
    const struct inspected_file file = {image, job->file, job->shown};
    return inspectors_check(request->what, &file, &request->report->small_because, &job->error);
}

/* Makes the patched file and puts it in place. Long steps are done without waiting for the turn.
 * What is shared (report, placed inspectors, transaction) is changed only with the turn. The digest
 * of the input is needed by the write, so its thread ends before. */
static enum exit_code make(struct job *job, struct ilp_image *image, struct ilp_edit *edit,
                           struct ilp_bytes bytes, struct ilp_write_info *written)
{
    struct output output;
    bool dry = job->request->dry_run;
    turn_give();
    ilp_status made = make_edit(job, image, edit);
    input_digest_end(&job->digest);
    bool writes = made == ILP_OK && !dry && !is_unchanged(job, edit);
    ilp_status status = writes ? write_output(job, edit, &output, written) : ILP_OK;
    turn_take();
    if (made != ILP_OK) {
        return job_fail_as_recorded(job);
    }
    if (writes) {
        return put_output(job, edit, bytes, &output, status, written);
    }
    return dry ? write_nowhere(job, edit, bytes, written) : write_unchanged(job, bytes);
}

/* The MVID is kept if native code of others records it. Symbols are closed last: the summary names
 * their files. */
static enum exit_code work(struct job *job, struct ilp_image *image, struct ilp_bytes bytes)
{
    struct ilp_edit *edit;
    struct ilp_write_info written = {0};
    enum exit_code code;
    const struct extracted *extracted = job->request->extracted;
    char *output = extracted_path(extracted, extracted ? extracted->output : NULL,
                                  job->output_path);
    report_module_begin(job->request->report, image, job->shown,
                        job->request->alone ? "-" : output);
    free(output);
    need(ilp_edit_open(&edit, image, NULL, &job->error) == ILP_OK ? edit : NULL);
    bool recorded = job->request->callers &&
                    callers_record_mvid(job->request->callers, job->file, image);
    if (recorded) {
        ilp_edit_keep_mvid(edit);
    }
    code = check_inspectors(job, image);
    code = code == EXIT_DONE ? check_symbols(job, image) : code;
    code = code == EXIT_DONE ? make(job, image, edit, bytes, &written) : code;
    if (code == EXIT_DONE && job->request->callers && !ilp_edit_is_empty(edit)) {
        /* before the edit is closed: it knows which methods have new bodies */
        callers_collect(job->request->callers, job->file, job->shown, image, edit);
    }
    ilp_edit_close(edit);
    if (code == EXIT_DONE && job->request->result) {
        patch_result_assembly(job->request->result, job, image, recorded);
    }
    code = report_result(job, &written, code);
    symbols_close(&job->symbols);
    return code;
}

/* A core library of a folder must embed: it cannot refer to the inspector that the others call. */
static bool has_to_hold_inspector(const struct job *job, const struct ilp_image *image)
{
    const struct patch_request *request = job->request;
    return request->below && !request->change && request_calls(request->what, false) &&
           ilpi_defines_object(image);
}

/* References of a program that its host does not start are unknown. */
static enum exit_code check_program(struct job *job)
{
    const struct extracted *extracted = job->request->extracted;
    const struct runtime_config *config =
        &references_program(job->request->what->references)->config;
    if (!config->error) {
        return EXIT_DONE;
    }
    char *path = extracted_path(extracted, extracted ? extracted->shown : NULL, config->path);
    enum exit_code code = job_fail(job, EXIT_BAD_INPUT,
                                   "%s: cannot read it as JSON, as the host would: %s", path,
                                   config->error);
    free(path);
    return code;
}

static enum exit_code open_assembly(struct job *job, struct file_view *view,
                                    struct ilp_image **image)
{
    if (!file_view_open(view, job->input)) {
        return job_fail(job, EXIT_BAD_INPUT, "%s: cannot read: %s", job->input, strerror(errno));
    }
    /* the signature of a metadata root (II.24.2.1), where a PE file has "MZ" */
    if (view->bytes.size >= 4 && memcmp(view->bytes.data, "BSJB", 4) == 0) {
        return job_fail(job, EXIT_BAD_INPUT,
                        "%s: not an assembly: it has metadata only, as a Portable PDB", job->shown);
    }
    ilp_status status = ilp_image_open(image, view->bytes, ILP_LAYOUT_FILE, job->shown, NULL,
                                       &job->error);
    if (status != ILP_OK) {
        return job_fail_as_recorded(job);
    }
    input_digest_begin(&job->digest, *image, view, job->request->threads);
    return EXIT_DONE;
}

/* what->embed is changed for the time of this file only. Opening and closing large files takes
 * long, so it is done without the turn. */
enum exit_code patch_assembly(struct job *job)
{
    struct file_view view;
    struct ilp_image *image = NULL;
    turn_give();
    enum exit_code code = open_assembly(job, &view, &image);
    turn_take();
    references_set_target(job->request->what->references, job->file);
    code = code == EXIT_DONE ? check_program(job) : code;
    if (code != EXIT_DONE) {
        report_module_failed(job->request->report, job->shown, &job->error);
    } else {
        struct request *what = job->request->what;
        bool embed = what->embed;
        what->embed = embed || has_to_hold_inspector(job, image);
        code = work(job, image, view.bytes);
        what->embed = embed;
    }
    turn_give();
    input_digest_end(&job->digest);
    ilp_image_close(image);
    file_view_close(&view);
    turn_take();
    return code;
}

/* None was removed meanwhile, or is missing from a new .deps.json. For a file that the cache has
 * found unchanged: only what has to be beside it is looked after. */
enum exit_code patch_assembly_again(struct job *job, const char *beside)
{
    struct report *report = job->request->report;
    struct request *what = job->request->what;
    bool small = false;
    /* is_needed() (put_assembly.c) reads these counts, and no report_module_begin() has reset those
     * of the file before. */
    memset(&report->module, 0, sizeof report->module);
    for (size_t i = 0; i < what->inspector_file_count; i++) {
        report->used[i] = beside[i] != BESIDE_NOTHING;
        small = small || beside[i] == BESIDE_SMALL;
    }
    enum exit_code code = inspectors_set(what, small);
    code = code == EXIT_DONE ? put_inspector_files(job) : code;
    return code == EXIT_DONE ? put_commit(job) : code;
}
