/* Files under names that ilpatch makes itself. Others may write to the folder, so what is found
 * under such a name may have been planted: it is taken only if it is a file of ours, and nothing is
 * made by following it. Names that the user gives are not opened here: they may be links or
 * devices. */
#ifndef OWN_FILE_H
#define OWN_FILE_H

#include <stdbool.h>

#include "host/file_io.h"

/* Makes a file and opens it for writing, with these permissions less the umask. A file of this user
 * that an earlier process left under the name is replaced. -1: errno says why; EEXIST: something
 * else is there. */
int own_file_make(const char *path, unsigned permissions);

/* Opens a file that another process of ours has made, for reading and writing; it is never made.
 * -1: errno says why; EPERM: it is not a regular file of this user with one name. */
int own_file_open(const char *path);

/* Whether an open file is a regular one of this user, or of root. */
bool own_file_is(int file);

/* A file in memory with these bytes, for processes of this user and of root; -1: errno says why. */
int own_file_in_memory(const char *name, struct ilp_bytes bytes);

/* Its bytes, mapped, under the name that another process has for it; NULL: it is not one. */
const void *own_file_map(const char *path, size_t *size);

/* Begins an output that others must not read unless it replaces a file that they may read. */
bool own_file_begin_output(struct output *output, const char *path);

#endif
