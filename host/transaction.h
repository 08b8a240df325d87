/* Changes to the files of a folder that are committed together: all of them, or none.
 *
 *   begin     the folder is locked; an interrupted run's changes are completed or removed
 *   put ...   the new files are written beside their places; existing files get a second name
 *   commit    all of that is synced, then the journal, and from here on the changes are certain:
 *             one rename after the other, in the order in which they were added
 *   end       uncommitted files are removed, and the folder unlocked
 *
 *                  killed here: the next run removes | killed here: the next run finishes
 *   files written, synced -> journal under its name -> renames, removals -> journal removed
 *
 * A step that fails (a file that may not be replaced) is undone with all before it. A program that
 * starts in between sees some of the changes: add them in an order in which that is harmless.
 *
 * The journal is FOLDER/.ilpatch.journal. It records what was at each place (size and time of
 * change): the run that completes it stops at a place whose file was replaced since, for example by
 * a build. Lock and journal are in the program's folder (program_folder.h); a change may be in
 * another one, through a link, or for the file of ids. */
#ifndef TRANSACTION_H
#define TRANSACTION_H

#include "host/file_io.h"

struct transaction_step;

/* Zero-initialise. After the first failure nothing more is done, and `path` (owned) and `error`
 * describe it. EWOULDBLOCK: another run has held the folder for a long time. */
struct transaction {
    char *folder;
    int locks[2]; /* of the folder, and of a second one */
    unsigned lock_count;
    bool lasting;
    bool committed;
    struct transaction_step *steps;
    size_t count;
    char *path;
    int error;
    bool unread; /* `path` could not be read */
};

/* `lasting`: a replaced file could not be made again. Otherwise (files of -o) nothing is synced,
 * there is no journal, and equal files keep their time of change. */
bool transaction_begin(struct transaction *transaction, const char *folder, bool lasting);

/* Also locks a second folder, if it is another one; at most one per transaction. */
bool transaction_lock(struct transaction *transaction, const char *folder);

/* Records a failure because of `path`: it cannot be written, or its content is unknown. Returns
 * false. */
bool transaction_fail(struct transaction *transaction, const char *path, int error);
bool transaction_fail_reading(struct transaction *transaction, const char *path, int error);

/* Puts what was written to `output` in its place. The output is taken over, even on failure. */
bool transaction_put(struct transaction *transaction, struct output *output);

/* The same for a whole file; `like` as in output_begin(). */
bool transaction_write(struct transaction *transaction, const char *path, struct ilp_bytes bytes,
                       const char *like);

/* Also gives the file now at `path` the name `second`, even if a later step replaces or removes it.
 * Links are followed: the file gets the name, and a link at `second` stays a link. */
bool transaction_link(struct transaction *transaction, const char *path, const char *second);

/* Renames it to `place` instead: a link is renamed itself, and a link at `place` stays. */
bool transaction_move(struct transaction *transaction, const char *path, const char *place);

/* Removes the file at `path`, if there is one. */
bool transaction_remove(struct transaction *transaction, const char *path);

/* The file with the content that `path` will have, by the steps added until now; NULL: none.
 * Borrowed until the next step. */
const char *transaction_now(const struct transaction *transaction, const char *path);

/* Makes the changes. After a failure nothing has changed, or the next run completes it (if the disk
 * failed twice). */
bool transaction_commit(struct transaction *transaction);

void transaction_end(struct transaction *transaction);

/* Why it failed, in words: "cannot write: No space left on device". Static storage, or valid until
 * the next call. */
const char *transaction_why(const struct transaction *transaction);

/* The exit code for that; the second function also reports it. */
enum exit_code transaction_code(const struct transaction *transaction);
enum exit_code transaction_report(const struct transaction *transaction);

#endif
