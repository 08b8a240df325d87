/* Paths as Windows takes them: UTF-16, with backslashes, and of any length. */
#ifndef WIDE_PATH_H
#define WIDE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* A path of UTF-8, ready for the system's functions; one that is long gets the prefix \\?\ with
 * what precedes it. Owned, for free(); NULL with errno set: it is no UTF-8, or there is no
 * memory. */
wchar_t *wide_path(const char *path);

/* Text as it is. NULL as above. */
wchar_t *wide_text(const char *text);

/* The other way; `count` units. The backslashes of a path become slashes with the second one. */
char *narrow_text(const wchar_t *text, size_t count);
char *narrow_path(const wchar_t *path, size_t count);

/* Sets errno as the system's last error has it; -1. */
int fail_by_last_error(void);

#endif
