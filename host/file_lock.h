/* A file's lock between processes, which the system releases however one of them ends. */
#ifndef FILE_LOCK_H
#define FILE_LOCK_H

enum file_lock { FILE_LOCKED, FILE_LOCKED_BY_ANOTHER, FILE_HAS_NO_LOCKS };

/* Tries to get the lock of a file that is open for writing, and never waits. A copy of the process
 * (fork()) does not have it. */
enum file_lock file_lock_try(int file);

/* Closing any descriptor of the file does this as well. */
void file_lock_release(int file);

#endif
