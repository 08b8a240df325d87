/* host HOSTFXR ROOT APP: queries the host of .NET itself which assemblies a program would run with,
 * without running it. Prints one path a line, or "refused".
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parameters {
    size_t size;
    const char *host_path;
    const char *dotnet_root;
};

typedef int32_t (*initialize)(int argc, const char **argv, const struct parameters *parameters,
                              void **handle);
typedef int32_t (*get_property)(void *handle, const char *name, const char **value);
typedef int32_t (*close_handle)(void *handle);

int main(int argc, char **argv)
{
    void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "usage: host HOSTFXR ROOT APP\n");
        return 2;
    }
    initialize begin = (initialize)dlsym(library, "hostfxr_initialize_for_dotnet_command_line");
    get_property get = (get_property)dlsym(library, "hostfxr_get_runtime_property_value");
    close_handle end = (close_handle)dlsym(library, "hostfxr_close");
    char *host = NULL;
    if (!begin || !get || !end || asprintf(&host, "%s/dotnet", argv[2]) < 0) {
        return 2;
    }
    struct parameters parameters = {sizeof parameters, host, argv[2]};
    const char *arguments[] = {argv[3]};
    const char *files = NULL;
    void *handle = NULL;
    int32_t code = begin(1, arguments, &parameters, &handle);
    if (code != 0 || get(handle, "TRUSTED_PLATFORM_ASSEMBLIES", &files) != 0 || !files) {
        puts("refused");
        return 0;
    }
    char *copy = strdup(files);
    for (char *file = strtok(copy, ":"); file; file = strtok(NULL, ":")) {
        puts(file);
    }
    end(handle);
    free(copy);
    free(host);
    return 0;
}
