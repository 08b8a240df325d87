/* The form of paths on Windows. See path_form.h. */
#include "host/path_form.h"

/* `C:/App`, `//server/share/App`, and `/App` of the current drive. */
bool path_is_absolute(const char *path)
{
    char letter = path[0] | 0x20;
    bool drive = letter >= 'a' && letter <= 'z' && path[1] == ':';
    return path[0] == '/' || path[0] == '\\' || (drive && (path[2] == '/' || path[2] == '\\'));
}

void path_unify(char *path)
{
    for (; *path; path++) {
        *path = *path == '\\' ? '/' : *path;
    }
}

const char path_list_separators[] = ";";
