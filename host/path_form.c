/* The form of paths on POSIX systems. See path_form.h. */
#include "host/path_form.h"

bool path_is_absolute(const char *path)
{
    return path[0] == '/';
}

const char path_list_separators[] = ":;";
