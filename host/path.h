/* Paths, and what is at them. They may be NULL, for want of memory: such a file is not there, and
 * what is made of its path is NULL as well. */
#ifndef PATH_H
#define PATH_H

#include <stdbool.h>

#include "host/path_form.h"

/* "dir" of a path ("." when there is none), and dir/name; owned by the caller, NULL: no memory. */
char *path_directory(const char *path);
char *path_join(const char *directory, const char *name);
const char *path_name(const char *path);
bool ends_with(const char *text, const char *end);

/* "/lib/A.dll" of "/opt/lib/A.dll" below "/opt"; a path that is not below the folder as it is. NULL
 * and "" are no folder. By their texts: no link is followed. */
const char *path_below(const char *folder, const char *path);

/* The file that a symbolic link leads to; any other path as it is. Owned by the caller. */
char *path_through_link(const char *path);

/* Its directory. */
char *path_home(const char *path);

/* Where a symbolic link ends, also if nothing is there. Owned by the caller. */
char *path_link_end(const char *path);

/* A path that means the same in another folder: links are followed if it is there. Owned by the
 * caller. */
char *path_full(const char *path);

bool file_exists(const char *path);

/* Not the opposite: of a file that cannot be looked at neither is known. */
bool file_is_absent(const char *path);

/* Removes a file by its name; false with errno set. */
bool file_remove(const char *path);

bool path_is_directory(const char *path);

/* What cannot be looked at is neither. */
bool path_is_other_than_directory(const char *path);

/* A regular file, or nothing: what may be replaced. A rename would replace /dev/null as well. False
 * with errno set. */
bool path_is_file_or_free(const char *path);

/* Whether a file of this name could be written now, or replaced by output_begin() and its kin,
 * which leaves devices and pipes alone: false with errno set. It is not touched. */
bool path_is_writable(const char *path);
bool path_is_replaceable(const char *path);

bool file_is_same(const char *path, const char *other);

/* Whether what is written to both paths is written to one place, also where there is nothing
 * yet. */
bool file_is_same_place(const char *path, const char *other);

#endif
