/* Changes to the files of a folder that take place together: all of them, or none.
 *
 *   begin     the folder is locked; what an earlier run left there is finished or removed
 *   put ...   the new files are written beside their places; what is in those gets a second name
 *   commit    all of that is on the disk, then the journal is, and from here on the changes will
 *             take place: one rename after the other, in the order in which they were added
 *   end       what was not committed is removed, and the folder unlocked
 *
 *                  killed here: the next run removes | killed here: the next run finishes
 *   files written, synced -> journal under its name -> renames, removals -> journal removed
 *
 * A step that fails (a file that may not be replaced) is undone with all before it. In between, a
 * program that starts sees some of the changes: who adds them chooses an order in which that does
 * no harm.
 *
 * The journal is FOLDER/.ilpatch.journal. It notes of each place what was there (size and time of
 * change): the run that finishes it ends at a place whose file was replaced since, by a build for
 * example. Lock and journal are of the program's folder (program_folder.h); a change may be in
 * another one, where a link leads, or the file of ids is. */
#ifndef TRANSACTION_H
#define TRANSACTION_H

#include "host/file_io.h"

struct transaction_step;

/* Zero-initialise. After the first failure nothing more is done, and `path` (owned) and `error`
 * say what it was. EWOULDBLOCK: another run has had the folder for a long time. */
struct transaction {
    char *folder;
    int locks[2]; /* of the folder, and of another one */
    unsigned lock_count;
    bool lasting;
    bool committed;
    struct transaction_step *steps;
    size_t count;
    char *path;
    int error;
    bool unread; /* `path` could not be read */
};

/* `lasting`: something is replaced that could not be made again. Otherwise (files of -o) nothing is
 * synced, there is no journal, and what is there already keeps its time of change. */
bool transaction_begin(struct transaction *transaction, const char *folder, bool lasting);

/* Locks another folder, too, if it is another one; a transaction has one of these at most. */
bool transaction_lock(struct transaction *transaction, const char *folder);

/* Notes that it cannot be done, because of `path`: it cannot be written, or what is in it is not
 * known. False. */
bool transaction_fail(struct transaction *transaction, const char *path, int error);
bool transaction_fail_reading(struct transaction *transaction, const char *path, int error);

/* What was written to `output` takes its place. The output is taken over, also by a failure. */
bool transaction_put(struct transaction *transaction, struct output *output);

/* The same of a whole file; `like` as with output_begin(). */
bool transaction_write(struct transaction *transaction, const char *path, struct ilp_bytes bytes,
                       const char *like);

/* What is at `path` now, also if a later step replaces or removes it, gets the name `second`,
 * too. Links are followed: it is a file that gets it, and a link at `second` stays one. */
bool transaction_link(struct transaction *transaction, const char *path, const char *second);

/* It gets the name `place` instead: a link as the link that it is, and one at `place` stays. */
bool transaction_move(struct transaction *transaction, const char *path, const char *place);

/* What is at `path`, if anything, has the name no longer. */
bool transaction_remove(struct transaction *transaction, const char *path);

/* The file to read for what will be at `path`, as far as it has been added; NULL: nothing will.
 * Borrowed until the next step. */
const char *transaction_now(const struct transaction *transaction, const char *path);

/* Makes the changes. After a failure nothing has changed, or the next run finishes it (the disk
 * failed twice). */
bool transaction_commit(struct transaction *transaction);

void transaction_end(struct transaction *transaction);

/* Why it failed, in words: "cannot write: No space left on device". Of static storage, or valid
 * until the next call. */
const char *transaction_why(const struct transaction *transaction);

/* The exit code of that; the second function reports it, too. */
enum exit_code transaction_code(const struct transaction *transaction);
enum exit_code transaction_tell(const struct transaction *transaction);

#endif
