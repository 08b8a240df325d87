/* One file's way through the command: what is read, what is written, and what becomes of the
 * original. */
#include "tools/patch/patch_job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/originals.h"
#include "tools/tool.h"
#include "host/file_view.h"

/* ---- failing ---- */

enum exit_code job_fail(struct job *job, enum exit_code code, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    need(vasprintf(&text, format, arguments) >= 0 ? text : NULL);
    va_end(arguments);
    tell("%s", text);
    job->error.status = code == EXIT_USAGE ? ILP_E_MISUSE : ILP_E_CALLBACK;
    job->error.offset = UINT64_MAX;
    snprintf(job->error.message, sizeof job->error.message, "%s", text);
    free(text);
    return code;
}

enum exit_code job_fail_writing(struct job *job, const char *path, int error)
{
    return job_fail(job, EXIT_CANNOT_WRITE, "%s: cannot write: %s", path, strerror(error));
}

enum exit_code job_fail_as_said(const struct job *job)
{
    tell_error(job->shown, &job->error);
    return exit_code_of(&job->error);
}

/* ---- paths ---- */

static enum exit_code find_output(struct job *job)
{
    const char *output = job->request->output;
    char *path = path_is_directory(output) ? path_join(output, path_name(job->file))
                                           : need(strdup(output));
    job->input = job->file;
    job->output_path = path_through_link(path); /* a rename would replace /dev/stdout */
    free(path);
    if (file_is_same(job->file, job->output_path)) {
        return job_fail(job, EXIT_USAGE, "%s: -o names the file itself; leave -o out to replace it",
                        job->file);
    }
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
    if (original_of(job->file, job->kept) == ORIGINAL_INPUT) {
        job->input = job->kept;
    }
    return EXIT_DONE;
}

/* A link stays one: what it leads to is replaced, and the original is kept there. */
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
    enum original original = original_of(job->output_path, job->kept);
    job->stale = original == ORIGINAL_STALE;
    if (original == ORIGINAL_OTHER) {
        return job_fail(job, EXIT_CANNOT_WRITE,
                        "%s was not made from %s (was it rebuilt?): move %s away first", job->file,
                        job->kept, job->kept);
    }
    if (original == ORIGINAL_INPUT) {
        job->input = job->kept;
    }
    job->first_time = (original == ORIGINAL_NONE || job->stale) && !job->request->in_place;
    return EXIT_DONE;
}

/* ---- writing ---- */

enum exit_code job_check_output(struct job *job)
{
    struct stat info;
    int error = 0;
    char *directory = path_directory(job->output_path);
    if (stat(job->output_path, &info) == 0 && !S_ISREG(info.st_mode)) {
        error = S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
    } else if (access(directory, W_OK | X_OK) != 0) {
        error = errno;
    }
    free(directory);
    return error != 0 ? job_fail_writing(job, job->output_path, error) : EXIT_DONE;
}

/* When the last step fails, those before it are undone. */
static enum exit_code replace_all(struct job *job, struct output *output)
{
    const char *path = job->output_path;
    int error = 0;
    if (!replacements_commit(&job->beside, &path, &error)) {
        if (output) {
            output_abandon(output);
        }
        return job_fail_writing(job, path, error);
    }
    if (output && !output_commit(output)) {
        replacements_undo(&job->beside);
        return job_fail_writing(job, job->output_path, output->error);
    }
    return EXIT_DONE;
}

/* The record that FILE.orig was kept, for when FILE is built again. */
static bool record(const struct job *job, const char *patched, int *error)
{
    struct file_view kept = {.bytes = {NULL, 0}};
    struct file_view after = {.bytes = {NULL, 0}};
    bool read = file_view_open(&kept, job->kept) && file_view_open(&after, patched);
    *error = errno;
    bool written = read && original_record(job->output_path, kept.bytes, &after.bytes, error);
    file_view_close(&kept);
    file_view_close(&after);
    return written;
}

/* Removes the original of an earlier build, if there is one. */
static void forget_stale(struct job *job)
{
    if (job->stale) {
        unlink(job->kept);
        original_forget(job->output_path);
    }
}

/* The original of what `output` takes the place of. */
static bool keep(struct job *job, const struct output *output, int *error)
{
    bool keeps = !job->request->output && (!job->request->in_place || job->input == job->kept);
    forget_stale(job);
    if (!output || !keeps) {
        return true;
    }
    if (job->first_time && !file_keep_as(job->output_path, job->kept, error)) {
        return false;
    }
    if (record(job, output->temporary, error)) {
        return true;
    }
    if (job->first_time) {
        unlink(job->kept);
    }
    return false;
}

/* What an earlier build was kept as is gone also when it fails. */
enum exit_code job_replace(struct job *job, struct output *output)
{
    const char *path = job->kept;
    int error = 0;
    if (!replacements_begin(&job->beside, &path, &error) || !keep(job, output, &error)) {
        if (output) {
            output_abandon(output);
        }
        return job_fail_writing(job, path, error);
    }
    enum exit_code code = replace_all(job, output);
    if (code != EXIT_DONE && output && job->first_time) {
        unlink(job->kept);
        original_forget(job->output_path);
    }
    return code;
}
