/* Paths as Windows takes them: UTF-16, with backslashes, and of any length. */
#ifndef WIDE_PATH_H
#define WIDE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* A path of UTF-8 for the system's functions; a long one gets the prefix \\?\. Owned, for free();
 * NULL with errno set: it is not UTF-8, or there is not enough memory. */
wchar_t *wide_path(const char *path);

/* Text, converted as it is. NULL as above. */
wchar_t *wide_text(const char *text);

/* From UTF-16; `count` units. The second one converts the backslashes of a path to slashes. */
char *narrow_text(const wchar_t *text, size_t count);
char *narrow_path(const wchar_t *path, size_t count);

/* Sets errno from GetLastError(); -1. */
int fail_by_last_error(void);

#endif
