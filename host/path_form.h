/* The system's form of paths. Inside ilpatch, folders are always separated by `/`. */
#ifndef PATH_FORM_H
#define PATH_FORM_H

#include <stdbool.h>

/* Whether it begins at a root, not in the current folder. */
bool path_is_absolute(const char *path);

/* Converts a path of the system to ours: with `/` between folders. */
void path_unify(char *path);

/* Each of these separates the paths of an environment variable, such as PATH. */
extern const char path_list_separators[];

#endif
