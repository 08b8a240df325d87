/* Finds installations of .NET. See dotnet_root.h. */
#include "host/resolve/dotnet_root.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "host/path.h"

const char *dotnet_architecture(void)
{
    static const char *const names[][2] = {
        {"x86_64", "x64"},      {"aarch64", "arm64"},
        {"armv7l", "arm"},      {"armv8l", "arm"},
        {"i386", "x86"},        {"i686", "x86"},
        {"ppc64le", "ppc64le"}, {"s390x", "s390x"},
        {"riscv64", "riscv64"}, {"loongarch64", "loongarch64"},
    };
    struct utsname machine;
    for (size_t i = 0; uname(&machine) == 0 && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i][0], machine.machine) == 0) {
            return names[i][1];
        }
    }
    return "x64";
}

static void add_root(struct path_list *roots, char *owned_root)
{
    char *shared = path_join(owned_root, "shared");
    bool wanted = path_is_directory(shared);
    for (size_t i = 0; i < roots->count && wanted; i++) {
        wanted = !file_is_same(roots->items[i], owned_root);
    }
    if (wanted) {
        path_list_add(roots, owned_root);
    } else {
        free(owned_root);
    }
    free(shared);
}

static void add_variable(struct path_list *roots, const char *name)
{
    const char *root = getenv(name);
    if (root && root[0] != '\0') {
        add_root(roots, copy_text(root));
    }
}

/* `dotnet` on PATH is often a link into the place where everything is. */
static void add_path(struct path_list *roots)
{
    struct path_list directories = {NULL, 0};
    path_list_split(&directories, getenv("PATH"));
    for (size_t i = 0; i < directories.count; i++) {
        char *candidate = path_join(directories.items[i], "dotnet");
        char *real = path_is_absolute(directories.items[i]) && file_exists(candidate)
                         ? realpath(candidate, NULL)
                         : NULL;
        if (real) {
            add_root(roots, path_directory(real));
        }
        free(real);
        free(candidate);
    }
    path_list_free(&directories);
}

static void add_install_location(struct path_list *roots, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[4096];
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        add_root(roots, copy_text(line));
    }
    if (file) {
        fclose(file);
    } else if (errno == ENOMEM) {
        memory_failed();
    }
}

void dotnet_roots(struct path_list *roots)
{
    static const char *const usual[] = {"/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet",
                                        "/usr/local/share/dotnet", "/opt/dotnet"};
    const char *home = getenv("HOME");
    const char *architecture = dotnet_architecture();
    char variable[64];
    char location[64];
    snprintf(variable, sizeof variable, "DOTNET_ROOT_%s", architecture);
    snprintf(location, sizeof location, "/etc/dotnet/install_location_%s", architecture);
    for (char *c = variable; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    add_variable(roots, variable);
    if (roots->count == 0) {
        add_variable(roots, "DOTNET_ROOT");
    }
    if (roots->count == 0) {
        add_path(roots);
        add_install_location(roots, location);
        add_install_location(roots, "/etc/dotnet/install_location");
        for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
            add_root(roots, copy_text(usual[i]));
        }
        if (home) {
            add_root(roots, path_join(home, ".dotnet"));
        }
    }
}
