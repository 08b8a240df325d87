/* Finds installations of .NET. See dotnet_root.h.
 *
 *   DOTNET_ROOT_X64 > DOTNET_ROOT > the folder of `dotnet` in PATH, then all usual places
 *
 * A variable that names an installation excludes everything after it. A place counts if it has a
 * folder "shared". */
#include "host/resolve/dotnet_root.h"

#include <ctype.h>
#include <stdlib.h>

#include "host/library_names.h"
#include "host/path.h"

/* Each folder once, though several variables and links may name it. */
static void add_root(struct path_list *roots, const char *root)
{
    char *shared = path_join(root, "shared");
    if (path_is_directory(shared)) {
        path_list_add_folder(roots, copy_text(root));
    }
    free(shared);
}

static void add_variable(struct path_list *roots, const char *name)
{
    const char *root = getenv(name);
    if (root && root[0] != '\0') {
        add_root(roots, root);
    }
}

void dotnet_roots(struct path_list *roots)
{
    const char *architecture = dotnet_architecture();
    struct path_list places = {NULL, 0};
    char variable[64];
    snprintf(variable, sizeof variable, "DOTNET_ROOT_%s", architecture);
    for (char *c = variable; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    add_variable(roots, variable);
    if (roots->count == 0) {
        add_variable(roots, "DOTNET_ROOT");
    }
    if (roots->count == 0) {
        path_list_add_program(&places, DOTNET_PROGRAM);
        dotnet_places(&places, architecture);
    }
    for (size_t i = 0; i < places.count; i++) {
        add_root(roots, places.items[i]);
    }
    path_list_free(&places);
}
