/* The system's part of temporary files and folders. temporary.c has the rest. */
#ifndef TEMPORARY_SYSTEM_H
#define TEMPORARY_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/folder.h"

/* In a temporary folder: locked while its run lives. It has the form of other temporary names, so
 * that a sweep of the folder itself finds it locked. */
#define TEMPORARY_LOCK ".ilpatch.in-use"

/* The places of temporary files and folders; owned by the caller, NULL: no memory. */
char *temporary_place_of_files(void);
char *temporary_place_of_folders(void);

/* False with errno set. */
bool random_bytes(void *bytes, size_t size);

/* A new file, open for reading and writing; -1 with errno set. */
int temporary_create(const char *path, mode_t mode);

/* Locks the file as belonging to a living run. False: another run's sweep was faster and has
 * removed it. */
bool temporary_claim(int file);

/* A descriptor that locks the folder likewise; -1 with errno set. Another run's sweep may have been
 * faster: ENOENT. */
int temporary_lock_folder(const char *path);

/* Removes a folder and its contents, the lock last; no-op for a file. Safe in signal handlers. */
void temporary_remove_tree(const char *path);

/* The same for a folder of this run, whose lock is released. */
void temporary_remove_locked(const char *path, int lock);

/* Removes a file, or a folder, with such a name in a folder, unless its run lives. */
typedef void temporary_sweep(struct folder *folder, const char *path, const char *name);
temporary_sweep temporary_sweep_file;
temporary_sweep temporary_sweep_folder;

#endif
