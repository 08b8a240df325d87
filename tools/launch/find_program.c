/* Searches PATH like execvp(). See find_program.h. */
#include "tools/launch/find_program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/memory.h"
#include "host/path.h"

/* The real path, since what belongs to a program is beside it, and not beside a link to it. A name
 * with a slash is not searched for, as by execvp(); without PATH the C library's default is taken
 * (confstr(3), _CS_PATH). */
char *find_program(const char *name)
{
    if (strchr(name, '/')) {
        return realpath(name, NULL);
    }
    const char *path = getenv("PATH");
    char *found = NULL;
    for (const char *at = path ? path : "/bin:/usr/bin"; at && !found;
         at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        char *candidate = format_text("%.*s/%s", (int)strcspn(at, ":"), at, name);
        /* an empty part is the current folder */
        bool relative = candidate[0] == '/' && at[0] != '/';
        if (access(candidate + relative, X_OK) == 0 && file_exists(candidate + relative)) {
            found = realpath(candidate + relative, NULL);
        }
        free(candidate);
    }
    return found;
}
