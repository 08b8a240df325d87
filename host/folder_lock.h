/* Allows one run at a time to change files in a folder. */
#ifndef FOLDER_LOCK_H
#define FOLDER_LOCK_H

#include <stdbool.h>

/* Waits up to ten seconds: others need a folder only briefly, unless the disk is slow. On a file
 * system without locks, the folder counts as locked. -1 with errno set, EWOULDBLOCK: another run
 * has it. Locking a folder again in the same run only counts its users: *first is then false, and
 * no other run has been in it since. */
int folder_lock(const char *path, bool *first);
void folder_unlock(int lock);

#endif
