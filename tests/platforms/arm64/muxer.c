/* The program `dotnet` of an installation that has been put together from packages, none of which
 * has it: as that does, it leaves
 * everything to the hostfxr beside it.  HOSTFXR: its path, seen from this program's folder. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int hostfxr_main(int argc, const char **argv);

int main(int argc, const char **argv)
{
    char self[PATH_MAX] = "", path[2 * PATH_MAX];
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        perror("/proc/self/exe");
        return 1;
    }
    snprintf(path, sizeof path, "%s/" HOSTFXR, dirname(self));
    void *library = dlopen(path, RTLD_NOW);
    hostfxr_main *run = NULL;
    *(void **)&run = library ? dlsym(library, "hostfxr_main") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return run(argc, argv);
}
