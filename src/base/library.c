/* Loading a shared library and the functions that are used from it. See library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* C11 6.5.4 has no cast from object to function pointers, so the bytes are copied, which POSIX
 * allows for dlsym(). */
static void set_pointer(void *functions, size_t index, const void *pointer)
{
    memcpy((uint8_t *)functions + index * sizeof(void *), pointer, sizeof(void *));
}

/* RTLD_NODELETE keeps it loaded after dlclose(), so the pointers stay valid, and no handle has to
 * be kept. */
ilp_status ilpi_library_load(const char *soname, const struct ilpi_library_function *names,
                             size_t count, void *functions, size_t functions_size)
{
    if (functions_size != count * sizeof(void *)) {
        return ILP_E_MISUSE;
    }
    /* all functions of a library are linked, or none is (LIBRARIES_LINKED) */
    if (count != 0 && names[0].linked) {
        for (size_t i = 0; i < count; i++) {
            set_pointer(functions, i, &names[i].linked);
        }
        return ILP_OK;
    }
    errno = 0;
    /* RTLD_LAZY: libxml2 loads libstdc++ and calls none of its thousand functions. */
    void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    bool complete = library != NULL, no_memory = !library && errno == ENOMEM;
    for (size_t i = 0; i < count && complete; i++) {
        void *found = dlsym(library, names[i].name);
        set_pointer(functions, i, &found);
        complete = found != NULL;
    }
    if (library) {
        dlclose(library);
    }
    return complete ? ILP_OK : no_memory ? ILP_E_NO_MEMORY : ILP_E_NO_LIBRARY;
}

void *ilpi_library_open(const char *name, struct ilpi_library_error *error)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(error->text, sizeof error->text, "%s", why ? why : "unknown error");
    }
    return library;
}

void *ilpi_library_find(void *library, const char *function)
{
    return dlsym(library, function);
}

/* dladdr() fails for addresses outside of all loaded objects. */
bool ilpi_library_has(uintptr_t address)
{
    Dl_info found;
    return dladdr((void *)address, &found) != 0;
}

struct symbol_search {
    const char *file; /* without a folder */
    char *path;       /* receives what is found */
    size_t size;      /* of `path`, with the NUL */
};

/* Compares file names without folders: the search is for a library that is loaded already, from
 * anywhere. Not 0 ends dl_iterate_phdr(). */
static int compare_library(struct dl_phdr_info *object, size_t size, void *user)
{
    const struct symbol_search *search = user;
    const char *path = object->dlpi_name ? object->dlpi_name : "";
    const char *slash = strrchr(path, '/');
    (void)size;
    if (strcmp(slash ? slash + 1 : path, search->file) != 0 || strlen(path) >= search->size) {
        return 0;
    }
    memcpy(search->path, path, strlen(path) + 1);
    return 1;
}

bool ilpi_library_path(const char *file, char *path, size_t size)
{
    struct symbol_search search = {file, path, size};
    return dl_iterate_phdr(compare_library, &search) != 0;
}
