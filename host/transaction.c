/* Changes files of a folder as a transaction. See transaction.h for the states and what a killed
 * run leaves.
 *
 *   steps   put FILE at PATH (rename), or remove PATH; `saved`: a second link to what was there
 *   apply   in order; a failure undoes those before, from the last to the first, with `saved`
 *   finish  an earlier run's journal: each step that was not made yet, if its place is unchanged */
#include "host/transaction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file_copy.h"
#include "host/folder_lock.h"
#include "host/journal.h"
#include "host/path.h"
#include "host/held_signals.h"
#include "host/temporary.h"
#include "host/turn.h"

/* The first failure stays: what follows is its consequence. */
bool transaction_fail(struct transaction *transaction, const char *path, int error)
{
    if (transaction->error == 0) {
        transaction->error = error;
        transaction->path = copy_text(path);
    }
    return false;
}

bool transaction_fail_reading(struct transaction *transaction, const char *path, int error)
{
    transaction->unread = transaction->unread || transaction->error == 0;
    return transaction_fail(transaction, path, error);
}

/* ---- collecting changes ---- */

static struct transaction_step *find(const struct transaction *transaction, const char *path)
{
    for (size_t i = 0; i < transaction->count; i++) {
        if (strcmp(transaction->steps[i].path, path) == 0) {
            return &transaction->steps[i];
        }
    }
    return NULL;
}

/* Temporary files that were not renamed are removed. */
static void step_free(struct transaction_step *step)
{
    if (step->fd >= 0) {
        close(step->fd);
    }
    if (step->file) {
        temporary_remove(step->file);
    }
    if (step->saved) {
        temporary_remove(step->saved);
    }
    free(step->file);
    free(step->saved);
    free(step->path);
}

/* Takes over all of it; of two steps for one place the later one is used, at the position of the
 * first. */
static bool add(struct transaction *transaction, struct transaction_step step)
{
    struct transaction_step *same = step.path ? find(transaction, step.path) : NULL;
    if (same) {
        step_free(same);
        *same = step;
        return true;
    }
    struct transaction_step *steps =
        step.path ? grow_items(transaction->steps, transaction->count + 1, sizeof *steps) : NULL;
    if (!steps) {
        step_free(&step);
        return transaction_fail(transaction, transaction->folder, ENOMEM);
    }
    transaction->steps = steps;
    steps[transaction->count++] = step;
    return true;
}

/* A file with the same bytes as what is there needs no step, and keeps its time. */
bool transaction_put(struct transaction *transaction, struct output *output)
{
    if (!transaction->lasting && transaction->error == 0 && output->error == 0 &&
        !find(transaction, output->path) && file_holds_same(output->path, output->temporary)) {
        output_abandon(output);
        return true;
    }
    if (output->error == 0 && transaction->lasting && !output_sync(output)) {
        output->error = errno;
    }
    if (transaction->error != 0 || output->error != 0) {
        transaction_fail(transaction, output->path, output->error);
        output_abandon(output);
        return false;
    }
    struct transaction_step step = {
        .path = output->path, .file = output->temporary, .fd = output->fd};
    *output = (struct output){.fd = -1};
    return add(transaction, step);
}

bool transaction_write(struct transaction *transaction, const char *path, struct ilp_bytes bytes,
                       const char *like)
{
    struct output output;
    if (transaction->error != 0) {
        return false;
    }
    if (output_begin(&output, path, like)) {
        output_bytes(&output, bytes);
    }
    return transaction_put(transaction, &output);
}

/* `path` itself, even if it is a link; for a link at `second` the file at its end is replaced. */
static bool add_link(struct transaction *transaction, const char *path, const char *second)
{
    int error = ENOMEM;
    if (transaction->error != 0) {
        return false;
    }
    char *place = path_through_link(second);
    char *name = place ? temporary_second_name(path, place, transaction->lasting, &error) : NULL;
    if (!name) {
        free(place);
        return transaction_fail(transaction, second, error);
    }
    return add(transaction, (struct transaction_step){.path = place, .file = name, .fd = -1});
}

bool transaction_link(struct transaction *transaction, const char *path, const char *second)
{
    char *real = path_through_link(path);
    bool linked = real ? add_link(transaction, real, second)
                       : transaction_fail(transaction, path, ENOMEM);
    free(real);
    return linked;
}

/* A link to the file at the new place, then the old name is removed: at no moment the file has no
 * name. */
bool transaction_move(struct transaction *transaction, const char *path, const char *place)
{
    return add_link(transaction, path, place) && transaction_remove(transaction, path);
}

bool transaction_remove(struct transaction *transaction, const char *path)
{
    return transaction->error == 0 &&
           add(transaction, (struct transaction_step){.path = copy_text(path), .fd = -1});
}

/* Steps are not made before the commit, so what will be at a place is in a temporary file until
 * then. */
const char *transaction_now(const struct transaction *transaction, const char *path)
{
    char *real = path_through_link(path);
    const struct transaction_step *step = real ? find(transaction, real) : NULL;
    free(real);
    return step ? step->file : path;
}

/* Codes of the transaction itself have sentences, all others are the system's. */
const char *transaction_why(const struct transaction *transaction)
{
    static char text[160];
    switch (transaction->error) {
    case EWOULDBLOCK:
        return "another run of ilpatch is at work in this folder. Start this one again when that "
               "has ended";
    case EILSEQ: return "is not what ilpatch writes. Move it away, and look at the files beside it";
    case EKEYREJECTED: return "belongs to another user. Let that user run ilpatch here once more";
    default:
        snprintf(text, sizeof text, "cannot %s: %s", transaction->unread ? "read" : "write",
                 strerror(transaction->error));
        return text;
    }
}

enum exit_code transaction_code(const struct transaction *transaction)
{
    return transaction->unread ? EXIT_BAD_INPUT : EXIT_CANNOT_WRITE;
}

enum exit_code transaction_report(const struct transaction *transaction)
{
    report_message("%s: %s", transaction->path ? transaction->path : "",
                   transaction_why(transaction));
    return transaction_code(transaction);
}

/* ---- the steps ---- */

/* A rename to another name of the same file is a no-op, and would leave both. */
static bool step_apply(struct transaction_step *step)
{
    if (!step->file) {
        step->done = !step->was.there || file_remove(step->path) || errno == ENOENT;
    } else if (file_is_same(step->file, step->path)) {
        step->done = file_remove(step->file);
    } else {
        step->done = rename(step->file, step->path) == 0;
    }
    if (step->done && step->file) {
        temporary_keep(step->file);
        free(step->file);
        step->file = NULL;
    }
    return step->done;
}

/* Records what is at each place, and gives it a second name for undo(). */
static bool save(struct transaction *transaction)
{
    for (size_t i = 0; i < transaction->count; i++) {
        struct transaction_step *step = &transaction->steps[i];
        int error;
        if (!occupant_of(step->path, &step->was)) {
            return transaction_fail(transaction, step->path, errno);
        }
        if (step->was.there) {
            step->saved = temporary_second_name(step->path, step->path, transaction->lasting,
                                                &error);
            if (!step->saved) {
                return transaction_fail(transaction, step->path, error);
            }
        }
    }
    return true;
}

/* In the order of execution, so that a journal of it can be completed like any other. */
static bool undo(struct transaction *transaction)
{
    size_t count = transaction->count;
    struct transaction_step *back = new_items(count, sizeof *back);
    size_t done = 0;
    if (!back) {
        return false;
    }
    for (size_t i = count; i-- > 0;) {
        struct transaction_step *step = &transaction->steps[i];
        if (step->done) {
            back[done] =
                (struct transaction_step){.path = step->path, .file = step->saved, .fd = -1};
            occupant_of(step->path, &back[done++].was);
            step->saved = NULL;
        }
    }
    bool undone = !transaction->lasting || journal_write(transaction->folder, back, done);
    for (size_t i = 0; i < done && undone; i++) {
        undone = step_apply(&back[i]);
    }
    for (size_t i = 0; i < done; i++) {
        if (back[i].file) { /* the next run will need it */
            temporary_keep(back[i].file);
            free(back[i].file);
        }
    }
    free(back);
    return undone;
}

/* Leaves the files that the journal names to the next run. */
static void leave_to_next_run(struct transaction *transaction)
{
    for (size_t i = 0; i < transaction->count; i++) {
        if (transaction->steps[i].file) {
            temporary_keep(transaction->steps[i].file);
            free(transaction->steps[i].file);
            transaction->steps[i].file = NULL;
        }
    }
}

/* If even undoing fails, the journal stays, and the next run completes what this one began. */
static bool apply(struct transaction *transaction)
{
    for (size_t i = 0; i < transaction->count; i++) {
        if (!step_apply(&transaction->steps[i])) {
            transaction_fail(transaction, transaction->steps[i].path, errno);
            if (!undo(transaction)) {
                leave_to_next_run(transaction);
                return false;
            }
            break;
        }
    }
    if (transaction->lasting && folder_sync(transaction->folder)) {
        journal_remove(transaction->folder);
    }
    return transaction->error == 0;
}

/* ---- changes of an interrupted run ---- */

/* A file that replaced a place since then is newer: it stays, and later steps are dropped. So a
 * file whose ids another run has reassigned meanwhile is not put in place. */
static bool step_finish(struct transaction_step *step, bool *overtaken)
{
    struct occupant now;
    if (!occupant_of(step->path, &now)) {
        return false;
    }
    if (step->file ? file_is_absent(step->file) : !now.there) {
        return true; /* it was done */
    }
    bool mine = occupant_is(&now, &step->was) ||
                (step->file && file_is_same(step->file, step->path));
    *overtaken = *overtaken || !mine;
    if (*overtaken) {
        return !step->file || file_remove(step->file);
    }
    step->was = now;
    return step_apply(step);
}

/* What an earlier run had written to its journal but not finished is done now, before anything else
 * in the folder is looked at. */
static bool finish_earlier(struct transaction *transaction)
{
    struct transaction_step *steps;
    size_t count;
    bool overtaken = false;
    if (!journal_read(transaction->folder, &steps, &count)) {
        int error = errno;
        char *path = journal_path(transaction->folder);
        transaction_fail(transaction, path ? path : transaction->folder, error);
        free(path);
    }
    for (size_t i = 0; i < count && transaction->error == 0; i++) {
        if (!step_finish(&steps[i], &overtaken)) {
            transaction_fail(transaction, steps[i].path, errno);
        }
    }
    if (count != 0 && transaction->error == 0 && folder_sync(transaction->folder)) {
        journal_remove(transaction->folder);
    }
    for (size_t i = 0; i < count; i++) {
        free(steps[i].file);
        free(steps[i].path);
    }
    free(steps);
    return transaction->error == 0;
}

/* ---- committing ---- */

/* A single rename is atomic: it needs no journal and no undo. */
static bool commit_one(struct transaction *transaction)
{
    struct transaction_step *step = &transaction->steps[0];
    transaction->committed = occupant_of(step->path, &step->was) && step_apply(step);
    return transaction->committed || transaction_fail(transaction, step->path, errno);
}

/* A journal that was perhaps written is removed again: without it nothing has happened. */
static bool note(struct transaction *transaction)
{
    if (journal_write(transaction->folder, transaction->steps, transaction->count)) {
        return true;
    }
    char *path = journal_path(transaction->folder);
    transaction_fail(transaction, path ? path : transaction->folder, errno);
    free(path);
    journal_remove(transaction->folder);
    return false;
}

/* One change is one rename, which is atomic without a journal. Signals are held between the journal
 * and its end, so that a program that is to end does so before or after. */
bool transaction_commit(struct transaction *transaction)
{
    if (transaction->error != 0 || transaction->count == 0) {
        transaction->committed = transaction->error == 0;
        return transaction->committed;
    }
    if (transaction->count == 1) {
        return commit_one(transaction);
    }
    if (!save(transaction)) {
        return false;
    }
    struct held_signals held = signals_hold();
    /* another thread's changes may be incomplete */
    bool clear = !transaction->lasting || !turn_is_shared() || finish_earlier(transaction);
    transaction->committed = clear && (!transaction->lasting || note(transaction)) &&
                             apply(transaction);
    signals_release(&held);
    return transaction->committed;
}

static bool lock(struct transaction *transaction, const char *folder, bool *first)
{
    int locked = folder_lock(folder, first);
    if (locked < 0) {
        return transaction_fail(transaction, folder, errno);
    }
    transaction->locks[transaction->lock_count++] = locked;
    return true;
}

/* Files of -o go to one folder after the other, and a run removes its own leftovers: one sweep per
 * folder is enough. */
static bool is_swept(const char *folder)
{
    static char *swept;
    bool same = swept && strcmp(swept, folder) == 0;
    char *copy = same ? NULL : copy_text(folder);
    if (copy) {
        free(swept);
        swept = copy;
    }
    return same;
}

/* The first use in this process finishes what was left and removes old temporaries. `lasting`
 * decides whether files are synchronized. */
bool transaction_begin(struct transaction *transaction, const char *folder, bool lasting)
{
    *transaction = (struct transaction){.folder = copy_text(folder), .lasting = lasting};
    if (!transaction->folder) {
        return transaction_fail(transaction, folder, ENOMEM);
    }
    bool first;
    if (!lock(transaction, folder, &first) || (first && !finish_earlier(transaction))) {
        return false;
    }
    if (first && (lasting || !is_swept(folder))) {
        temporaries_sweep(folder);
    }
    return true;
}

bool transaction_lock(struct transaction *transaction, const char *folder)
{
    bool locked = transaction->lock_count == 2 || file_is_same(transaction->folder, folder);
    bool first = false;
    if (transaction->error != 0 || (!locked && !lock(transaction, folder, &first))) {
        return false;
    }
    if (first) {
        temporaries_sweep(folder);
    }
    return true;
}

/* Files are removed before the folder is unlocked, so that no other run sees them. */
void transaction_end(struct transaction *transaction)
{
    for (size_t i = 0; i < transaction->count; i++) {
        step_free(&transaction->steps[i]);
    }
    free(transaction->steps);
    while (transaction->lock_count != 0) {
        folder_unlock(transaction->locks[--transaction->lock_count]);
    }
    free(transaction->folder);
    free(transaction->path);
    *transaction = (struct transaction){.lock_count = 0};
}
