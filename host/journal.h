/* The journal of a folder: the changes that an interrupted run was about to make (transaction.h).
 *
 *   ilpatch journal 1
 *   put .ilpatch.Ab12Cd - App.dll.orig
 *   put .ilpatch.Ef34Gh 4608:1763881200.123456789 App.dll
 *   remove - 512:1763881100.5 MyProfiler.dll
 *   end
 *
 * Names are relative to the folder, so that it may be moved; bytes that a line cannot contain are
 * %XX. The third word identifies what was at the place: size and time of change. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "host/file_io.h"

/* Identifies the file at a place, to detect a later one: a new build has another time. Unchanged if
 * a folder is copied with the times of its files. */
struct occupant {
    bool there;
    uint64_t size;
    int64_t seconds; /* when it was last changed */
    uint32_t nanoseconds;
};

/* False with errno set. */
bool occupant_of(const char *path, struct occupant *occupant);
bool occupant_is(const struct occupant *occupant, const struct occupant *other);

/* One step. All paths are owned. */
struct transaction_step {
    char *path;          /* the place */
    char *file;          /* replaces it; NULL: it is removed */
    int fd;              /* of `file`, locked until it is in place; or -1 */
    char *saved;         /* a second name of the file at the place, for undoing; NULL: none */
    struct occupant was; /* the file at the place */
    bool done;
};

/* Puts the journal in place, synced together with the whole folder. False with errno set. */
bool journal_write(const char *folder, const struct transaction_step *steps, size_t count);

/* Reads the journal; *steps are owned, and empty without a journal. Another user's journal, and a
 * malformed one, give errors that file systems do not use: EKEYREJECTED, EILSEQ. */
bool journal_read(const char *folder, struct transaction_step **steps, size_t *count);

bool journal_remove(const char *folder);

/* Its path, owned. */
char *journal_path(const char *folder);

#endif
