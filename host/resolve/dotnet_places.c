/* .NET's locations on POSIX systems: DOTNET_ROOT and the like, the files in /etc/dotnet that
 * installers write, the usual folders. See dotnet_places.h. */
#include "host/resolve/dotnet_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "host/path.h"

/* .NET's word for what uname() calls the machine, as in the names of its packages and variables. */
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

/* The first line of the file is a path. */
static void add_install_location(struct path_list *places, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[4096];
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        path_list_add(places, copy_text(line));
    }
    if (file) {
        fclose(file);
    } else if (errno == ENOMEM) {
        memory_failed();
    }
}

const char *dotnet_home(void)
{
    return getenv("HOME");
}

/* In the order in which they are tried: the file for this architecture, the file for all, the usual
 * folders, the user's own. */
void dotnet_places(struct path_list *places, const char *architecture)
{
    static const char *const usual[] = {"/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet",
                                        "/usr/local/share/dotnet", "/opt/dotnet"};
    const char *home = dotnet_home();
    char location[64];
    snprintf(location, sizeof location, "/etc/dotnet/install_location_%s", architecture);
    add_install_location(places, location);
    add_install_location(places, "/etc/dotnet/install_location");
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        path_list_add(places, copy_text(usual[i]));
    }
    if (home) {
        path_list_add(places, path_join(home, ".dotnet"));
    }
}
