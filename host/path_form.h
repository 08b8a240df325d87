/* The form of paths, which is the system's. Within ilpatch folders are separated by `/` on all of
 * them. */
#ifndef PATH_FORM_H
#define PATH_FORM_H

#include <stdbool.h>

/* Whether it begins with a root, and not in the folder that the process works in. */
bool path_is_absolute(const char *path);

/* A path of the system's as we have it: with `/` between folders. */
void path_unify(char *path);

/* Each of these is between the paths of an environment variable, such as PATH. */
extern const char path_list_separators[];

#endif
