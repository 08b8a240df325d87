/* The journal of a folder: which changes an interrupted run was about to make (transaction.h).
 *
 *   ilpatch journal 1
 *   put .ilpatch.Ab12Cd - App.dll.orig
 *   put .ilpatch.Ef34Gh 4608:1763881200.123456789 App.dll
 *   remove - 512:1763881100.5 MyProfiler.dll
 *   end
 *
 * Files are named as seen from the folder, so that it may be moved; bytes that would not stand in a
 * line are %XX. The third word says what was at the place: size and time of change. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "host/file_io.h"

/* What is at a place, well enough to see that something else is there later: what was built again
 * has another time. The same as long as a folder is copied with the times of its files. */
struct occupant {
    bool there;
    uint64_t size;
    int64_t seconds; /* when it was last changed */
    uint32_t nanoseconds;
};

/* False with errno set. */
bool occupant_of(const char *path, struct occupant *occupant);
bool occupant_is(const struct occupant *occupant, const struct occupant *other);

/* One change. All paths are owned. */
struct transaction_step {
    char *path;          /* the place */
    char *file;          /* what takes it; NULL: nothing does */
    int fd;              /* of `file`, locked while it is not in its place; or -1 */
    char *saved;         /* a second name of what is there, for undoing; NULL: nothing is */
    struct occupant was; /* what is there */
    bool done;
};

/* Puts the journal in its place, on the disk with all of the folder. False with errno set. */
bool journal_write(const char *folder, const struct transaction_step *steps, size_t count);

/* Reads the journal; *steps are owned, and none where there is none. Someone else's, and what is
 * not as journal_write() makes it, is an error that no file system has: EKEYREJECTED, EILSEQ. */
bool journal_read(const char *folder, struct transaction_step **steps, size_t *count);

bool journal_remove(const char *folder);

/* Its path, owned. */
char *journal_path(const char *folder);

#endif
