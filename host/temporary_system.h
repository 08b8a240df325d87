/* What temporary files and folders need of the system. temporary.c has the rest. */
#ifndef TEMPORARY_SYSTEM_H
#define TEMPORARY_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/folder.h"

/* In a folder among the system's temporary ones: locked as long as its run lives. Of the form of
 * other temporary names, so that whoever sweeps the folder itself finds it locked. */
#define TEMPORARY_LOCK ".ilpatch.in-use"

/* Where temporary files are, and where folders are; owned by the caller, NULL: no memory. */
char *temporary_place_of_files(void);
char *temporary_place_of_folders(void);

/* False with errno set. */
bool random_bytes(void *bytes, size_t size);

/* A file that was not there, open for reading and writing; -1 with errno set. */
int temporary_create(const char *path, mode_t mode);

/* Marks the file as one of a run that lives. False: another run that sweeps was faster, and it is
 * not there any more. */
bool temporary_claim(int file);

/* A descriptor that marks the folder so; -1 with errno set. Another run that sweeps may have been
 * faster: ENOENT. */
int temporary_lock_folder(const char *path);

/* A folder and all that is in it, its lock last; nothing, if it is a file. Safe in signal
 * handlers. */
void temporary_remove_tree(const char *path);

/* The same of a folder of this run, whose lock is given back. */
void temporary_remove_locked(const char *path, int lock);

/* Removes a file, or a folder, of such a name in a folder, unless its run lives. */
typedef void temporary_sweep(struct folder *folder, const char *path, const char *name);
temporary_sweep temporary_sweep_file;
temporary_sweep temporary_sweep_folder;

#endif
