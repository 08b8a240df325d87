/* Files under names that ilpatch generates. Others may be able to write to the folder, so a file
 * found under such a name may have been planted: it is used only if it is our own, and links are
 * never followed. Names that the user gives are not opened here: they may be links or devices. */
#ifndef OWN_FILE_H
#define OWN_FILE_H

#include <stdbool.h>

#include "host/file_io.h"

/* The same open file, with a number above those of the standard streams: a program may run without
 * these, and what it writes to them must not go to our file. -1 stays -1. */
int own_file_above_standard(int file);

/* Makes a file and opens it for writing, with these permissions less the umask. A file of this user
 * that an earlier process left is replaced. -1: see errno; EEXIST: something else is there. */
int own_file_make(const char *path, unsigned permissions);

/* Opens a file that another process of ours has made, for reading and writing; never creates it.
 * -1: see errno; EPERM: it is not a regular file of this user with one name. */
int own_file_open(const char *path);

/* Whether an open file is a regular one of this user, or of root. */
bool own_file_is(int file);

/* A file in memory with these bytes, for processes of this user and of root; -1: see errno. */
int own_file_in_memory(const char *name, struct ilp_bytes bytes);

/* Maps its bytes, by the path that it has in another process; NULL: it is not such a file. */
const void *own_file_map(const char *path, size_t *size);

/* Begins an output that only this user can read, unless it replaces a file that others can read. */
bool own_file_begin_output(struct output *output, const char *path);

#endif
