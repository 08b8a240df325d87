/* The job of one file: its input, its output, and its original.
 *
 *   in place                    output FILE, input FILE.orig if FILE was made from it, else FILE
 *   -o OUT                      output OUT, input the same
 *   a link                      the file that it refers to, with FILE.orig beside that
 *
 * Reading and deciding is done with the folder locked (begin_changes()), so what was found is still
 * so when the changes are committed. */
#include "tools/patch/patch_job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/originals.h"
#include "tools/patch/output_places.h"
#include "tools/tool.h"
#include "host/file_view.h"
#include "host/output_place.h"
#include "host/path.h"
#include "host/program_folder.h"

/* ---- failing ---- */

/* The message is printed, and is the error of the file in the report. */
enum exit_code job_fail(struct job *job, enum exit_code code, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    need(vasprintf(&text, format, arguments) >= 0 ? text : NULL);
    va_end(arguments);
    report_message("%s", text);
    job->error.status = code == EXIT_USAGE ? ILP_E_MISUSE : ILP_E_CALLBACK;
    job->error.offset = UINT64_MAX; /* no place in a file */
    snprintf(job->error.message, sizeof job->error.message, "%s", text);
    free(text);
    return code;
}

enum exit_code job_fail_writing(struct job *job, const char *path, int error)
{
    return job_fail(job, EXIT_CANNOT_WRITE, "%s: cannot write: %s", path, strerror(error));
}

/* The transaction knows the path that failed, unless none was reached. */
static enum exit_code fail_changing(struct job *job)
{
    const char *path = job->changes.path ? job->changes.path : job->output_path;
    return job_fail(job, transaction_code(&job->changes), "%s: %s", path,
                    transaction_why(&job->changes));
}

void job_note_failure(struct job *job, const char *what)
{
    job->error = (struct ilp_error){.status = ILP_E_CALLBACK, .offset = UINT64_MAX};
    snprintf(job->error.message, sizeof job->error.message, "%s", what);
}

enum exit_code job_fail_as_recorded(const struct job *job)
{
    report_file_error(job->shown, &job->error);
    return exit_code_of(&job->error);
}

/* ---- paths ---- */

/* For an extracted file its bundle has begun them. */
static enum exit_code begin_ids(struct job *job)
{
    const struct patch_request *request = job->request;
    enum exit_code code = request->ids && !request->extracted
                              ? id_map_begin(request->ids, &job->changes)
                              : EXIT_DONE;
    if (code != EXIT_DONE) {
        job_note_failure(job, "the file of ids was not read");
    }
    return code;
}

/* Files read from here on must not change; of outputs, only those of -o can be made again, except
 * the ids' file. Only `lasting` changes have a journal. Files of a bundle's temporary folder need
 * none. A folder that does not exist cannot be locked; writing to it fails later, with the path
 * that the user knows. */
static enum exit_code begin_changes(struct job *job)
{
    if (job->request->dry_run) {
        return EXIT_DONE;
    }
    bool lasting = (!job->request->output || job->request->ids) && !job->request->extracted;
    char *folder = program_folder(job->output_path);
    bool begun = transaction_begin(&job->changes, need(folder), lasting);
    bool no_folder = !begun && !path_is_directory(folder);
    free(folder);
    if (no_folder) { /* reported when the output is begun */
        free(job->changes.path);
        job->changes.path = need(strdup(job->output_path));
        return EXIT_DONE;
    }
    return begun ? begin_ids(job) : fail_changing(job);
}

/* The original is the input wherever it fits, so that patching twice gives the same file. */
static enum exit_code find_original(struct job *job, enum original original)
{
    if (original == ORIGINAL_UNREADABLE) {
        return fail_changing(job);
    }
    if (original == ORIGINAL_INPUT) {
        job->input = job->kept;
    }
    return EXIT_DONE;
}

/* Refuses outputs that would destroy something: FILE itself, files with a meaning for ilpatch
 * (.orig, records), an assembly that FILE refers to, the inspector. */
static enum exit_code find_output(struct job *job)
{
    const char *output = job->request->output;
    char *path = output_place_of(output, job->file);
    job->input = job->file;
    job->output_path = path_through_link(path); /* a rename would replace /dev/stdout */
    free(path);
    if (file_is_same(job->file, job->output_path)) {
        return job_fail(job, EXIT_USAGE, "%s: -o names the file itself; leave -o out to replace it",
                        job->file);
    }
    const char *kind = output_place_kind(job->output_path, true);
    if (kind) {
        return job_fail(job, EXIT_USAGE, "-o %s: a file of this name is %s; choose another name",
                        job->output_path, kind);
    }
    if (original_is_used(job->output_path, job->file)) {
        return job_fail(job, EXIT_USAGE,
                        "-o %s: a file of this name is an assembly that %s refers to; choose "
                        "another name",
                        job->output_path, job->file);
    }
    /* an embedded inspector has no file beside the output, and a native one never has */
    bool placed = !job->request->what->embed;
    for (size_t i = 0; i < job->request->what->inspector_file_count && placed; i++) {
        if (job->request->what->inspector_files[i].native) {
            continue;
        }
        char *inspector = format_text("%s.dll", job->request->what->inspector_files[i].name.name);
        bool taken = strcmp(path_name(job->output_path), inspector) == 0;
        free(inspector);
        if (taken) {
            return job_fail(job, EXIT_USAGE, "%s: the inspector itself has to be there",
                            job->output_path);
        }
    }
    job->kept = format_text("%s.orig", job->file);
    enum exit_code code = begin_changes(job);
    return code == EXIT_DONE ? find_original(job, original_of(&job->changes, job->file, job->kept))
                             : code;
}

/* A link stays: its target is replaced, and the original is kept there. With --in-place a FILE that
 * has no original yet gets none.
 *
 *   original     input       FILE.orig
 *   NONE         FILE        is made, unless --in-place
 *   INPUT        FILE.orig   stays
 *   STALE        FILE        is replaced; with --in-place removed
 *   OTHER        -           refused: it may be the only copy of something
 *   UNREADABLE   -           the transaction has failed */
enum exit_code job_find_input(struct job *job)
{
    if (job->request->output) {
        return find_output(job);
    }
    job->output_path = path_through_link(job->file);
    job->input = job->output_path;
    if (ends_with(job->file, ".orig")) {
        return job_fail(job, EXIT_USAGE,
                        "%s is an original that is kept: name the file it belongs to", job->file);
    }
    job->kept = format_text("%s.orig", job->output_path);
    enum exit_code code = begin_changes(job);
    if (code != EXIT_DONE) {
        return code;
    }
    enum original original = original_of(&job->changes, job->output_path, job->kept);
    job->stale = original == ORIGINAL_STALE;
    if (original == ORIGINAL_OTHER) {
        return job_fail(job, EXIT_CANNOT_WRITE,
                        "%s was not made from %s (was it rebuilt?): move %s away first", job->file,
                        job->kept, job->kept);
    }
    job->first_time = (original == ORIGINAL_NONE || job->stale) && !job->request->in_place;
    return find_original(job, original);
}

/* ---- writing ---- */

/* The folder of the output, or the nearest existing one above: the others would be made. */
static char *existing_folder(const struct job *job)
{
    char *folder = path_directory(job->output_path);
    while (job->request->makes_folders && file_is_absent(folder)) {
        char *above = path_directory(folder);
        free(folder);
        folder = above;
    }
    return folder;
}

/* For dry runs, and for what is not a regular file: a rename would replace it. */
enum exit_code job_check_output(struct job *job)
{
    struct stat info;
    int error = 0;
    char *directory = existing_folder(job);
    if (stat(job->output_path, &info) == 0 && !S_ISREG(info.st_mode)) {
        error = S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
    } else if (access(directory, W_OK | X_OK) != 0) {
        error = errno;
    }
    free(directory);
    return error != 0 ? job_fail_writing(job, job->output_path, error) : EXIT_DONE;
}

/* Records that FILE.orig was kept, in case FILE is built again. It has the digests of both files,
 * which have to be read for that: the one as it is now, the other from the temporary file. */
static bool record(struct job *job, const char *patched)
{
    struct file_view kept = {.bytes = {NULL, 0}};
    struct file_view after = {.bytes = {NULL, 0}};
    bool read = file_view_open(&kept, job->first_time ? job->output_path : job->kept) &&
                file_view_open(&after, patched);
    bool written = read &&
                   original_record(&job->changes, job->output_path, kept.bytes, &after.bytes);
    if (!read) {
        job_fail(job, EXIT_CANNOT_WRITE, "%s: cannot read: %s",
                 kept.bytes.data ? patched : job->kept, strerror(errno));
    }
    file_view_close(&kept);
    file_view_close(&after);
    return written;
}

/* Keeps the original of `output`; that of an earlier build is removed. FILE.orig is a second name
 * of FILE (a link), so that the file has it at every moment: FILE is replaced after that. */
static bool keep(struct job *job, const struct output *output)
{
    /* With --in-place an original that an earlier run has kept stays the input: it gets a new
     * record, which has the digest of the new FILE. */
    bool keeps = output && !job->request->output &&
                 (!job->request->in_place || job->input == job->kept);
    if (job->stale && !keeps) {
        transaction_remove(&job->changes, job->kept);
        original_forget(&job->changes, job->output_path);
    }
    return !keeps ||
           ((!job->first_time || transaction_link(&job->changes, job->output_path, job->kept)) &&
            record(job, output->temporary));
}

/* The order within the transaction: first FILE.orig and its record, then FILE. */
enum exit_code job_put(struct job *job, struct output *output)
{
    if (!keep(job, output)) {
        if (output) {
            output_abandon(output);
        }
        /* a failed read is reported by record() itself */
        return job->error.status != ILP_OK ? EXIT_CANNOT_WRITE : fail_changing(job);
    }
    return !output || transaction_put(&job->changes, output) ? EXIT_DONE : fail_changing(job);
}

enum exit_code job_commit(struct job *job)
{
    return transaction_commit(&job->changes) ? EXIT_DONE : fail_changing(job);
}
