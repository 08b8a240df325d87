/* Finds the program's folder of an assembly: its own, or, of one in runtimes/RID/lib/TFM, the
 * folder above that has a .deps.json. See program_folder.h. */
#include "host/program_folder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/folder.h"
#include "host/memory.h"
#include "host/path.h"

#define PART "/" VARIANTS "/"

static bool has_deps(const char *directory)
{
    struct folder *folder = directory ? folder_open(directory) : NULL;
    const char *name;
    bool found = false;
    while (folder && !found && (name = folder_next(folder)) != NULL) {
        found = ends_with(name, ".deps.json");
    }
    folder_close(folder);
    return found;
}

/* Several folders of that name may be on the way; the first with a .deps.json above it counts.
 * Without one the assembly's own folder does. */
char *program_folder(const char *assembly)
{
    char *own = path_directory(assembly);
    char *real = own ? realpath(own, NULL) : NULL;
    const char *part = real ? strstr(real, PART) : NULL;
    char *program = NULL;
    for (; part && !program; part = strstr(part + 1, PART)) {
        char *above = copy_part(real, (size_t)(part - real));
        if (has_deps(above)) {
            program = above;
        } else {
            free(above);
        }
    }
    free(real);
    free(program ? own : NULL);
    return program ? program : own;
}
