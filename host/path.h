/* Paths, and files by path. Paths may be NULL, after a lack of memory: such a file does not exist,
 * and paths derived from it are NULL as well. */
#ifndef PATH_H
#define PATH_H

#include <stdbool.h>

#include "host/path_form.h"

/* "dir" of a path ("." when there is none), and dir/name; owned by the caller, NULL: no memory. */
char *path_directory(const char *path);
char *path_join(const char *directory, const char *name);
const char *path_name(const char *path);
bool ends_with(const char *text, const char *end);

/* "/lib/A.dll" for "/opt/lib/A.dll" below "/opt"; a path that is not below the folder unchanged.
 * NULL and "" are not folders. Compares texts: no link is followed. */
const char *path_below(const char *folder, const char *path);

/* The target of a symbolic link; any other path unchanged. Owned by the caller. */
char *path_through_link(const char *path);

/* The directory of that. */
char *path_home(const char *path);

/* The end of a chain of symbolic links, even if it does not exist. Owned by the caller. */
char *path_link_end(const char *path);

/* An absolute path: links are resolved if it exists. Owned by the caller. */
char *path_full(const char *path);

bool file_exists(const char *path);

/* Not the opposite: for an inaccessible file both are false. */
bool file_is_absent(const char *path);

/* Removes a file by its name; false with errno set. */
bool file_remove(const char *path);

bool path_is_directory(const char *path);

/* The same; *error is why the system does not show what is there, an errno, or 0. */
bool path_shows_directory(const char *path, int *error);

/* A path that cannot be looked at is neither. */
bool path_is_other_than_directory(const char *path);

/* A regular file, or nothing: what may be replaced. A rename would also replace /dev/null. False
 * with errno set. */
bool path_is_file_or_free(const char *path);

/* Whether a file of this name can be written now, or replaced by output_begin() and its kin, which
 * refuse devices and pipes: false with errno set. The file is not touched. */
bool path_is_writable(const char *path);
bool path_is_replaceable(const char *path);

bool file_is_same(const char *path, const char *other);

/* Whether the path names this open file, and not one that has taken its place. */
bool file_is_at(int file, const char *path);

/* Whether both paths name the same file, even if it does not exist yet. */
bool file_is_same_place(const char *path, const char *other);

#endif
