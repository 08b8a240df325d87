/* Patches all files, in several threads. See patch_files.h.
 *
 * Threads take files in their order and hold their text; settle() prints what is complete, in
 * order. A file waits for earlier ones only if they may share a PDB (struct patch_order), and if it
 * is too far ahead. Modules come before all other files, which wait for them: an assembly has
 * hashes of its modules as they are patched (module_files.h).
 *
 *   file      0      1      2      3      4
 *   state   printed done   in work done   in work
 *                     ^ settled: 1 is printed next, 3 waits for 2
 *
 * All of the states is read and written by the thread that has the turn (host/turn.h); long steps
 * give it away. With one thread nothing is held: texts are printed as they come. */
#include "tools/patch/patch_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/turn.h"
#include "tools/patch/copy_rest.h"
#include "tools/patch/patch_cache.h"
#include "tools/patch/patch_file.h"
#include "tools/patch/patch_job.h"
#include "tools/patch/patch_result.h"
#include "tools/patch/report.h"
#include "tools/tool.h"

/* How far a thread may be ahead of the first unfinished file: the texts of those between are in
 * memory. */
#define MAX_AHEAD 64u

/* Text that waits for earlier texts. */
struct held_text {
    FILE *out;  /* a stream into memory, closed by print_held() */
    char *text; /* owned; valid once `out` is closed */
    size_t size;
};

/* The messages about a file. */
struct held_messages {
    struct report report;      /* a part of the whole one */
    struct held_text summary;  /* for the request's `out` */
    struct held_text messages; /* for standard error */
    struct reporter reporter;  /* prints on `messages` */
};

struct file_state {
    bool done;                  /* nothing has to wait for the file any more */
    struct held_messages *held; /* NULL: printed already */
    bool named;                 /* its PDB can only be at these paths: owned, NULL: at neither */
    char *symbols[2];
};

/* The state of a thread. A thread's request has what changes by the file, the target of the
 * references and the edition of the stock inspector; the rest is borrowed. */
struct file_worker {
    struct request *what; /* of all, or of its own */
    struct request own;
    char *beside; /* room for an enum inspector_beside per inspector */
};

/* Shared by all threads. */
struct all_files {
    struct patch_files *work;
    struct file_worker *workers; /* one for each thread; owned */
    struct file_state *states;   /* one for each named file, meant or not; owned */
    size_t *order;               /* the numbers of the files in the order of work: positions index
                                    it and `states`; owned */
    size_t modules;              /* how many are first */
    uint64_t bytes;              /* of all that are meant */
    size_t settled;              /* the position of the first file that is not printed completely */
    enum exit_code worst;
    struct progress progress;
};

/* ---- one file ---- */

/* Its share of all threads by bytes, rounded up: a file that is most of a folder would otherwise
 * run alone at the end, while other threads are idle. */
static unsigned threads_for(const struct all_files *all, const struct named_file *file)
{
    uint64_t jobs = all->work->jobs;
    /* also if no size is known: then both are 0, and the division below is not reached */
    return file->size >= all->bytes ? all->work->jobs
                                    : (unsigned)((file->size * jobs + all->bytes - 1) / all->bytes);
}

/* Patches it, unless the cache shows that it is unchanged. */
static enum exit_code patch_or_leave(struct patch_cache *cache, char *beside,
                                     const struct patch_request *request, struct named_file *file,
                                     bool *fresh)
{
    struct patch_result result = {.input = NULL};
    struct patch_request own = *request;
    if (!cache) {
        return patch_file(request, file->path);
    }
    char *output = named_file_output(file, request->output);
    *fresh = patch_cache_is_fresh(cache, request, file->path, output, beside);
    own.result = &result;
    enum exit_code code = *fresh ? patch_file_again(request, file->path, beside)
                                 : patch_file(&own, file->path);
    /* A file that is done in part is patched again by the next run, which then reports it again.
     * For a fresh file `result` is empty: its entry is marked as seen, and stays. */
    if (code == EXIT_DONE && result.input && !result.unknown) {
        patch_cache_add(cache, file->path, output, &result);
    }
    patch_result_free(&result);
    free(output);
    return code;
}

/* A file that cannot be looked at may be of any kind. It is neither patched nor copied: if it is
 * symbols, another file may have written the copy. */
static enum exit_code fail_unseen(const struct patch_request *request,
                                  const struct named_file *file)
{
    struct job job = {.request = request};
    job_fail(&job, EXIT_BAD_INPUT, "%s: cannot read: %s", file->path, strerror(file->error));
    report_module_failed(request->report, file->path, &job.error);
    return file->below ? EXIT_INCOMPLETE : EXIT_BAD_INPUT;
}

/* A file of a folder has no line of its own, and a broken one does not affect the others. */
static enum exit_code inspect_file(const struct all_files *all, char *beside,
                                   const struct patch_request *request, struct named_file *file)
{
    struct patch_files *work = all->work;
    struct patch_request own = *request;
    uint32_t modules = request->report->modules; /* a bundle has several */
    bool fresh = false;
    own.threads = threads_for(all, file);
    own.output = file->output ? file->output : request->output;
    own.makes_folders = file->output != NULL;
    own.below = file->below;
    own.quiet = request->quiet || (file->below && !work->verbose);
    enum exit_code code = file->unseen || (file->below && file->error != 0)
                              ? fail_unseen(&own, file)
                              : patch_or_leave(work->cache, beside, &own, file, &fresh);
    /* With -o the folder has to be complete, so the file is copied as it is; a dry run copies
     * nothing. */
    if (file->below && code == EXIT_BAD_INPUT) {
        code = request->dry_run ? EXIT_INCOMPLETE : worse(EXIT_INCOMPLETE, copy_failed(file));
    }
    /* a fresh file adds no module to the report, and is not a failure */
    bool idle = request->report->modules == modules && !(fresh && code == EXIT_DONE);
    work->unchanged += fresh;
    work->failed += idle || code > EXIT_INCOMPLETE;
    return code;
}

/* ---- messages ---- */

/* Until print_held(), in memory. */
static void hold_text(struct held_text *held)
{
    held->out = need(open_memstream(&held->text, &held->size));
}

static void print_held(struct held_text *held, FILE *out)
{
    need(fclose(held->out) == 0 ? held->text : NULL);
    fwrite(held->text, 1, held->size, out);
    free(held->text);
}

/* Messages of other threads are not mixed in: the reporter is the thread's own. */
static struct held_messages *hold_messages(const struct report *whole, const struct request *what)
{
    struct held_messages *held = need(calloc(1, sizeof *held));
    report_part_begin(&held->report, whole, what);
    hold_text(&held->summary);
    hold_text(&held->messages);
    held->reporter = tool_reporter(held->messages.out);
    return held;
}

/* In the order in which one thread would have printed them; the part of the report is added to the
 * whole. */
static void print_held_messages(struct held_messages *held, const struct patch_request *request)
{
    print_held(&held->messages, stderr);
    print_held(&held->summary, request->out);
    report_part_end(&held->report, request->report);
    free(held);
}

/* Prints what is complete, in the order of the files. */
static void settle(struct all_files *all)
{
    const struct left_alone *files = all->work->files;
    const struct patch_request *request = all->work->request;
    for (; all->settled < files->files->count; all->settled++) {
        struct file_state *state = &all->states[all->settled];
        size_t number = all->order[all->settled];
        const char *why = left_alone_code(files, number);
        if (!why && !state->done) {
            break;
        }
        if (why) {
            report_module_left(request->report, files->files->items[number].path, why);
        } else if (state->held) {
            print_held_messages(state->held, request);
        }
    }
    /* for those that are too far ahead, and those that wait for this file's PDB or its end */
    turn_signal();
}

/* ---- all files ---- */

/* 0 for what cannot be seen; it only weighs the files. */
static uint64_t size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

static void begin_progress(struct all_files *all)
{
    const struct left_alone *files = all->work->files;
    const struct named_files *named = files->files;
    size_t count = named->count - files->left;
    for (size_t i = 0; i < named->count; i++) {
        struct named_file *file = &named->items[i];
        file->size = left_alone_code(files, i) ? 0 : size_of(file->path);
        all->bytes += file->size;
    }
    progress_begin(&all->progress, count > 1 ? all->work->progress : PROGRESS_NONE, count,
                   all->bytes);
}

/* ---- order ---- */

/* The rest in the order of the names. */
static void find_order(struct all_files *all)
{
    const struct named_files *named = all->work->files->files;
    size_t count = 0;
    for (int modules = 1; modules >= 0; modules--) {
        for (size_t i = 0; i < named->count; i++) {
            if (named->items[i].module == modules) {
                all->order[count++] = i;
            }
        }
        all->modules = modules ? count : all->modules;
    }
}

/* A file's position, as other threads see it. */
struct file_in_order {
    struct all_files *all;
    size_t position;
};

static bool is_same(const char *path, const char *other)
{
    return path && other && strcmp(path, other) == 0;
}

/* Until a file has named its PDB, any is possible. */
static bool may_share(const struct file_state *state, const struct file_state *other)
{
    return !other->done && (!other->named || is_same(state->symbols[0], other->symbols[0]) ||
                            is_same(state->symbols[0], other->symbols[1]) ||
                            is_same(state->symbols[1], other->symbols[0]) ||
                            is_same(state->symbols[1], other->symbols[1]));
}

/* All earlier files have been started, and wait at most for still earlier ones. No circle can come
 * of it: a file waits only for those before it. */
static void wait_in_order(void *user, char *paths[2])
{
    const struct file_in_order *file = user;
    struct file_state *states = file->all->states;
    struct file_state *own = &states[file->position];
    *own = (struct file_state){.named = true, .symbols = {paths[0], paths[1]}};
    /* a later file may wait for these paths */
    turn_signal();
    /* files before `settled` are done; a file without a PDB beside it waits for none */
    for (size_t i = file->all->settled; i < file->position && (paths[0] || paths[1]); i++) {
        while (!left_alone_code(file->all->work->files, file->all->order[i]) &&
               may_share(own, &states[i])) {
            turn_wait();
        }
    }
}

/* For a bundle: the PDBs of its files may be anywhere, so all earlier files have to be settled. */
static void wait_for_all(void *user)
{
    const struct file_in_order *file = user;
    while (file->all->settled < file->position) {
        turn_wait();
    }
}

/* Patches a file in one of several threads. */
static enum exit_code inspect_apart(struct all_files *all, struct file_worker *worker,
                                    size_t position, struct held_messages **held)
{
    struct patch_request request = *all->work->request;
    struct file_in_order file = {all, position};
    const struct patch_order order = {&file, wait_in_order, wait_for_all};
    *held = hold_messages(request.report, worker->what);
    request.what = worker->what;
    request.order = &order;
    request.report = &(*held)->report;
    request.out = (*held)->summary.out;
    reporter_set_own(&(*held)->reporter);
    enum exit_code code = inspect_file(all, worker->beside, &request,
                                       &all->work->files->files->items[all->order[position]]);
    reporter_set_own(NULL);
    return code;
}

/* Without its PDBs: nothing waits for it any more. */
static void end_file(struct file_state *state, struct held_messages *held)
{
    free(state->symbols[0]);
    free(state->symbols[1]);
    *state = (struct file_state){.done = true, .held = held};
}

/* Takes the next file, if it is not too far ahead, and if it is a module, or all modules are done.
 * settle() is called by every thread after each file: whoever completes the first open one prints
 * all that follow. */
static void patch_one_of(void *user, unsigned thread, size_t position)
{
    struct all_files *all = user;
    size_t number = all->order[position];
    struct patch_files *work = all->work;
    struct file_worker *worker = &all->workers[thread];
    struct named_file *file = &work->files->files->items[number];
    struct held_messages *held = NULL;
    while (position > all->settled + MAX_AHEAD ||
           (position >= all->modules && all->settled < all->modules)) {
        turn_wait();
    }
    if (!left_alone_code(work->files, number)) {
        progress_next(&all->progress, file->path, file->size);
        enum exit_code code = worker->what == &worker->own
                                  ? inspect_apart(all, worker, position, &held)
                                  : inspect_file(all, worker->beside, work->request, file);
        all->worst = worse(all->worst, code);
        end_file(&all->states[position], held);
    }
    settle(all);
}

/* A single thread uses the request itself. */
static void begin_worker(struct file_worker *worker, struct request *what, bool alone)
{
    worker->beside = need(calloc(what->inspector_file_count + 1, 1));
    worker->what = alone ? what : &worker->own;
    need(alone || request_share(&worker->own, what) ? worker : NULL);
}

static void end_worker(struct file_worker *worker, const struct request *what)
{
    if (worker->what == &worker->own) {
        request_unshare(&worker->own, what);
    }
    free(worker->beside);
}

/* Not more threads than files that are meant. */
enum exit_code patch_files(struct patch_files *work)
{
    const struct left_alone *files = work->files;
    size_t meant = files->files->count - files->left;
    unsigned jobs = work->jobs < meant ? work->jobs : (unsigned)meant;
    struct all_files all = {.work = work, .worst = EXIT_DONE};
    jobs = jobs != 0 ? jobs : 1;
    all.workers = need(calloc(jobs, sizeof *all.workers));
    all.states = need(calloc(files->files->count + 1, sizeof *all.states));
    all.order = need(calloc(files->files->count + 1, sizeof *all.order));
    find_order(&all);
    begin_progress(&all);
    for (unsigned i = 0; i < jobs; i++) {
        begin_worker(&all.workers[i], work->request->what, jobs == 1);
    }
    turn_each(jobs, &(struct turn_work){patch_one_of, &all, files->files->count});
    for (unsigned i = 0; i < jobs; i++) {
        end_worker(&all.workers[i], work->request->what);
    }
    progress_end(&all.progress);
    free(all.order);
    free(all.states);
    free(all.workers);
    return all.worst;
}
