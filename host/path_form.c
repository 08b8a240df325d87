/* The form of paths on POSIX systems. See path_form.h. */
#include "host/path_form.h"

bool path_is_absolute(const char *path)
{
    return path[0] == '/';
}

void path_unify(char *path)
{
    (void)path;
}

const char path_list_separators[] = ":;";
