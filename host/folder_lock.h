/* One run at a time in a folder: each that changes files there has it locked. */
#ifndef FOLDER_LOCK_H
#define FOLDER_LOCK_H

#include <stdbool.h>

/* Waits ten seconds at most: others need a folder for moments, unless the disk is slow. Where the
 * file system has no locks, the folder counts as locked. -1 with errno set, EWOULDBLOCK: another
 * run has it. A folder that this run has locked already gets another user of that lock: *first is
 * false, and no other run has been in it since. */
int folder_lock(const char *path, bool *first);
void folder_unlock(int lock);

#endif
