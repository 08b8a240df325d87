/* Patches a bundle:
 *
 *   FILE (or FILE.orig) -> its files in a temporary folder -> each assembly patched there, with the
 *   inspector beside it
 *                                                          -> changed and new files, in a new
 *                                                          bundle */
#include "tools/patch/patch_bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/map.h"
#include "host/bundle_file.h"
#include "host/inspector_use.h"
#include "host/path.h"
#include "host/resolve/json_file.h"
#include "host/runtime_files.h"
#include "host/temporary.h"
#include "tools/patch/callers.h"
#include "tools/patch/extracted.h"
#include "tools/patch/left_alone.h"
#include "tools/patch/patch_result.h"
#include "tools/patch/report.h"
#include "tools/tool.h"

/* The work on one bundle. Arrays of changes have room for every file there can be, so they are
 * never moved: `bytes` of a change are those of its view, and the names are owned. */
struct bundle_work {
    struct job *job;         /* of the bundle; borrowed */
    const char *only;        /* the path in the bundle of the one file to patch; NULL: all */
    patch_one *patch;        /* for each assembly */
    struct bundle_file from; /* the original */
    /* the bundle now in place, if earlier patches in it are kept */
    struct bundle_file now;
    struct temporary_folder temporary;
    const char *directory;         /* its path */
    struct runtime_files *runtime; /* of the original */
    struct ilp_bundle_change *changes;
    struct file_view *views; /* of the changes */
    char **names;            /* of the changes, owned */
    size_t change_count;
    struct ilpi_alloc alloc;
    struct ilpi_map places; /* 1 + index of `changes`, by the name */
};

/* ---- selecting files ---- */

/* The host reads it before the program starts: a program with an invalid one does not start. */
static enum exit_code check_deps(struct bundle_work *work, const struct ilp_bundle_entry *entry)
{
    struct job *job = work->job;
    struct ilp_arena *arena;
    struct ilp_bytes bytes;
    struct json_document document;
    enum exit_code code = EXIT_DONE;
    need(ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? arena : NULL);
    if (ilp_bundle_read(work->from.bundle, entry, arena, &bytes, &job->error) != ILP_OK) {
        code = job_fail_as_recorded(job);
    } else {
        if (!json_document_open(&document, bytes)) {
            code = job_fail(job, EXIT_BAD_INPUT,
                            "%s/%s: cannot read it as JSON, as the host would: %s", job->shown,
                            entry->path, document.error);
        }
        json_document_close(&document);
    }
    ilp_arena_close(arena);
    return code;
}

static enum exit_code check_all_deps(struct bundle_work *work)
{
    size_t count;
    enum exit_code code = EXIT_DONE;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(work->from.bundle, &count);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        code = entries[i].type == ILP_BUNDLE_DEPS_JSON ? check_deps(work, &entries[i]) : EXIT_DONE;
    }
    return code;
}

/* The same rules as for a folder; a file that is named by "BUNDLE/FILE" is always wanted. */
static bool is_wanted(const struct bundle_work *work, const struct ilp_bundle_entry *entry)
{
    if (work->only) {
        return strcmp(entry->path, work->only) == 0;
    }
    char *path = path_join(work->job->input, entry->path);
    bool wanted = bundle_has_assembly(work->from.view.bytes, entry) &&
                  left_among_others(work->job->request->what, work->runtime, path, NULL) ==
                      LEFT_NOT;
    free(path);
    return wanted;
}

/* ---- extracting ---- */

/* Whether an earlier run has patched this file of the bundle in place. */
static bool is_patched(const struct bundle_work *work, const struct ilp_bundle_entry *entry)
{
    return work->now.bundle && !is_wanted(work, entry) &&
           ilp_bundle_find(work->now.bundle, entry->path);
}

/* Native libraries are not patched, so they are not extracted.
 *
 *   in `from`   in `now`   is_wanted()   extracted from
 *   yes         -          yes           from
 *   yes         yes        no            now: as an earlier run has patched it
 *   yes         no         no            from
 *   no          yes        -             now: an inspector */
static enum exit_code extract(struct bundle_work *work)
{
    size_t count;
    enum exit_code code = EXIT_DONE;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(work->from.bundle, &count);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        if (entries[i].type != ILP_BUNDLE_NATIVE) {
            const struct bundle_file *from = is_patched(work, &entries[i]) ? &work->now
                                                                           : &work->from;
            code = bundle_extract(from, ilp_bundle_find(from->bundle, entries[i].path),
                                  work->directory);
        }
    }
    if (work->now.bundle) { /* an inspector */
        entries = ilp_bundle_entries(work->now.bundle, &count);
        for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
            if (entries[i].type != ILP_BUNDLE_NATIVE &&
                !ilp_bundle_find(work->from.bundle, entries[i].path)) {
                code = bundle_extract(&work->now, &entries[i], work->directory);
            }
        }
    }
    return code;
}

/* ---- patching ---- */

/* `inner` is a request for files of the temporary folder. It stops at the first failure, since the
 * bundle is not written then. */
static enum exit_code patch_entries(struct bundle_work *work, const struct patch_request *inner)
{
    size_t count;
    size_t found = 0;
    enum exit_code worst = EXIT_DONE;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(work->from.bundle, &count);
    for (size_t i = 0; i < count && worst <= EXIT_INCOMPLETE; i++) {
        if (is_wanted(work, &entries[i])) {
            char *file = path_join(work->directory, entries[i].path);
            worst = worse(worst, work->patch(inner, file));
            free(file);
            found++;
        }
    }
    if (found == 0) {
        return job_fail(work->job, EXIT_BAD_INPUT, "%s: cannot find %s in the bundle",
                        work->job->file,
                        work->only ? work->only : "assembly that could be patched");
    }
    bool finishes = inner->callers && worst <= EXIT_INCOMPLETE;
    return finishes ? worse(worst, callers_finish(inner->callers, inner, work->patch)) : worst;
}

/* ---- collecting changes ---- */

/* Compared with the original's bytes, unpacked. */
static bool is_as_before(const struct bundle_work *work, const char *path, struct ilp_bytes bytes)
{
    struct ilp_arena *arena;
    struct ilp_bytes before;
    const struct ilp_bundle_entry *entry = ilp_bundle_find(work->from.bundle, path);
    need(ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? arena : NULL);
    bool same = entry &&
                ilp_bundle_read(work->from.bundle, entry, arena, &before, NULL) == ILP_OK &&
                ilpi_bytes_equal(before, bytes);
    ilp_arena_close(arena);
    return same;
}

/* What was extracted, or placed beside it, must go into the new bundle. */
static enum exit_code fail_reading(struct bundle_work *work, const char *name, int error)
{
    return job_fail(work->job, EXIT_CANNOT_WRITE, "%s/%s: cannot read its copy in %s: %s",
                    work->job->shown, name, work->directory, strerror(error));
}

/* By the hash of the name, then the name. */
static bool is_change(const struct bundle_work *work, const char *name, uint64_t hash)
{
    struct ilpi_map_search search = ilpi_map_find(&work->places, hash);
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        if (strcmp(work->names[place - 1], name) == 0) {
            return true;
        }
    }
    return false;
}

/* A file of the folder that differs from the original, or is new, becomes a change, once. */
static enum exit_code add_if_changed(struct bundle_work *work, const char *name,
                                     enum ilp_bundle_type type)
{
    uint64_t hash = XXH3_64bits(name, strlen(name));
    if (is_change(work, name, hash)) {
        return EXIT_DONE;
    }
    struct file_view *view = &work->views[work->change_count];
    char *path = path_join(work->directory, name);
    bool read = file_view_open(view, path);
    int error = errno;
    free(path);
    if (!read) {
        return fail_reading(work, name, error);
    }
    if (is_as_before(work, name, view->bytes)) {
        file_view_close(view);
        return EXIT_DONE;
    }
    char *own = work->names[work->change_count] = need(strdup(name));
    work->changes[work->change_count++] =
        (struct ilp_bundle_change){.path = own, .type = type, .bytes = view->bytes};
    need(ilpi_map_add(&work->places, &work->alloc, hash, (uint32_t)work->change_count, NULL) ==
                 ILP_OK
             ? own
             : NULL);
    return EXIT_DONE;
}

static enum exit_code add_entries(struct bundle_work *work, const struct ilp_bundle *bundle)
{
    size_t count;
    enum exit_code code = EXIT_DONE;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, &count);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        /* what was not extracted is not in the folder, and stays as it is in the new bundle */
        if (entries[i].type != ILP_BUNDLE_NATIVE) {
            code = add_if_changed(work, entries[i].path, entries[i].type);
        }
    }
    return code;
}

static enum exit_code add_inspectors(struct bundle_work *work)
{
    const struct request *what = work->job->request->what;
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < what->inspector_file_count && code == EXIT_DONE; i++) {
        const struct inspector_file *inspector = &what->inspector_files[i];
        enum inspector_use use = inspector->native ? INSPECTOR_UNUSED
                                                   : inspector_use_in(work->directory, NULL,
                                                                      inspector->name.name);
        if (use == INSPECTOR_USED) {
            char *name = format_text("%s.dll", inspector->name.name);
            code = add_if_changed(work, name, ILP_BUNDLE_ASSEMBLY);
            free(name);
        } else if (use != INSPECTOR_UNUSED) {
            code = job_fail(work->job, EXIT_CANNOT_WRITE, "%s: cannot read its copy in %s",
                            work->job->shown, work->directory);
        }
    }
    return code;
}

/* Files of the bundle, and inspectors beside them, of this run and of earlier ones. */
static enum exit_code collect_changes(struct bundle_work *work)
{
    size_t count;
    size_t now_count = 0;
    ilp_bundle_entries(work->from.bundle, &count);
    if (work->now.bundle) {
        ilp_bundle_entries(work->now.bundle, &now_count);
    }
    /* each entry of both bundles, and each inspector; 1 more, so that no array is empty */
    size_t most = count + now_count + work->job->request->what->inspector_file_count + 1;
    work->changes = need(calloc(most, sizeof *work->changes));
    work->views = need(calloc(most, sizeof *work->views));
    work->names = need(calloc(most, sizeof *work->names));
    enum exit_code code = add_entries(work, work->from.bundle);
    if (code == EXIT_DONE && work->now.bundle) {
        code = add_entries(work, work->now.bundle);
    }
    return code == EXIT_DONE ? add_inspectors(work) : code;
}

/* ---- the new bundle ---- */

/* Into a temporary file beside the output, as for an assembly. */
static enum exit_code write_bundle(struct bundle_work *work)
{
    struct job *job = work->job;
    struct output output;
    if (!output_begin(&output, job->output_path, job->input)) {
        output_abandon(&output);
        return job_fail_writing(job, job->output_path, output.error);
    }
    struct ilp_sink sink = output_sink(&output);
    if (ilp_bundle_write(work->from.bundle, work->changes, work->change_count, &sink,
                         &job->error) != ILP_OK) {
        output_abandon(&output);
        return output.error != 0 ? job_fail_writing(job, job->output_path, output.error)
                                 : job_fail_as_recorded(job);
    }
    enum exit_code code = job_put(job, &output);
    return code == EXIT_DONE ? job_commit(job) : code;
}

/* Files beside it may have changed. */
static enum exit_code leave_bundle(struct job *job)
{
    enum exit_code code = job_put(job, NULL);
    return code == EXIT_DONE ? job_commit(job) : code;
}

/* Nothing was changed, and the bundle in place is equivalent. */
static bool is_there_already(const struct bundle_work *work)
{
    return work->change_count == 0 && file_holds(work->job->output_path, work->from.view.bytes);
}

/* The files to extract and patch. */
static enum exit_code open_work(struct bundle_work *work)
{
    struct job *job = work->job;
    work->runtime = runtime_files_open(job->input);
    if (ilp_bundle_can_be_written(work->from.bundle, &job->error) != ILP_OK) {
        return job_fail_as_recorded(job);
    }
    enum exit_code code = check_all_deps(work);
    if (code != EXIT_DONE) {
        return code;
    }
    bool made = temporary_folder_make(&work->temporary);
    work->directory = work->temporary.path;
    code = made ? extract(work) : EXIT_CANNOT_WRITE;
    if (code != EXIT_DONE) { /* details have been reported */
        job->error = (struct ilp_error){.status = ILP_E_CALLBACK,
                                        .offset = UINT64_MAX,
                                        .message = "its files could not be extracted"};
    }
    return code;
}

/* Writes the contents of the folder into a new bundle. A dry run ends before: its files are the
 * ones that were extracted. */
static enum exit_code close_bundle(struct bundle_work *work)
{
    struct job *job = work->job;
    if (job->request->dry_run) {
        return job_check_output(job);
    }
    enum exit_code code = collect_changes(work);
    if (code != EXIT_DONE) {
        return code;
    }
    return is_there_already(work) ? leave_bundle(job) : write_bundle(work);
}

/* Either all assemblies are changed or none, so their messages are held until the bundle is in
 * place. */
static enum exit_code work_on(struct bundle_work *work)
{
    struct job *job = work->job;
    struct report *report = job->request->report;
    struct patch_request inner = *job->request;
    char *text = NULL;
    size_t size;
    struct extracted extracted = {.folder = work->directory,
                                  .shown = job->shown,
                                  .output = inner.alone ? "-" : job->output_path,
                                  .alone = inner.alone,
                                  .separate = inner.output != NULL,
                                  .in_place = inner.in_place,
                                  .beside = &job->changes};
    /* Extracted files are replaced where they are, without a FILE.orig: the bundle has the
     * original, and -o decides about the bundle only. */
    inner.output = NULL;
    inner.in_place = true;
    inner.alone = false; /* files beside it go into the bundle */
    inner.out = need(open_memstream(&text, &size));
    inner.extracted = &extracted;
    inner.placed = NULL; /* the temporary folder is that of no other file */
    inner.order = NULL;  /* it has already waited for all earlier files */
    inner.callers = inner.callers ? callers_open(NULL, 0) : NULL; /* of the folder only */
    report_hold(report);
    enum exit_code code = patch_entries(work, &inner);
    code = code <= EXIT_INCOMPLETE ? worse(code, close_bundle(work)) : code;
    if (inner.result) {
        patch_result_bundle(inner.result, job, !work->only);
    }
    bool done = code <= EXIT_INCOMPLETE;
    report_release(report, done);
    need(fclose(inner.out) == 0 ? text : NULL);
    fputs(done ? text : "", job->request->out);
    if (!done && job->error.status != ILP_OK) { /* for an assembly, the report has it already */
        report_module_failed(report, job->shown, &job->error);
    }
    if (inner.callers) {
        if (done) {
            callers_report(inner.callers, &extracted, report);
        }
        callers_close(inner.callers);
    }
    free(text);
    return code;
}

/* ---- the job ---- */

static void close_work(struct bundle_work *work)
{
    for (size_t i = 0; i < work->change_count; i++) {
        file_view_close(&work->views[i]);
        free(work->names[i]);
    }
    free(work->changes);
    free(work->views);
    free(work->names);
    ilpi_map_free(&work->places, &work->alloc);
    temporary_folder_remove(&work->temporary);
    runtime_files_close(work->runtime);
    bundle_file_close(&work->now);
    bundle_file_close(&work->from);
}

/* Whether the file at the output was made from the same original: otherwise there is nothing to
 * keep. */
static bool is_made_from_it(const struct bundle_work *work)
{
    struct ilp_digest origin;
    struct ilp_digest digest;
    ilp_digest_of(work->from.view.bytes, &digest);
    return ilp_bundle_origin(work->now.bundle, &origin) &&
           memcmp(&origin, &digest, sizeof origin) == 0;
}

/* One file of a bundle may be patched by itself ("BUNDLE/Lib.dll"): then the files that earlier
 * runs have patched are taken from the bundle in place (`now`), and the others from the original
 * (`from`), provided that the one was made from the other. */
enum exit_code patch_bundle(struct job *job, const char *only, patch_one *patch)
{
    struct bundle_work work = {.job = job, .only = only, .patch = patch};
    ilpi_alloc_init(&work.alloc, NULL);
    struct ilp_error unused;
    enum exit_code code = EXIT_DONE;
    if (job->request->order) {
        job->request->order->any_symbols(job->request->order->user);
    }
    if (!bundle_file_open(&work.from, job->input, &job->error)) {
        code = job_fail_as_recorded(job);
    } else {
        bool keeps = only && job->input != job->output_path;
        if (keeps && bundle_file_open(&work.now, job->output_path, &unused) &&
            !is_made_from_it(&work)) {
            bundle_file_close(&work.now);
        }
        code = open_work(&work);
    }
    if (code != EXIT_DONE) {
        report_module_failed(job->request->report, job->shown, &job->error);
    } else {
        code = work_on(&work);
    }
    close_work(&work);
    return code;
}
