/* Loaded DLLs, and the functions used from them. See library.h. */
#include "base/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/wide_path.h"

ilp_status ilpi_library_load(const char *soname, const struct ilpi_library_function *names,
                             size_t count, void *functions, size_t functions_size)
{
    (void)soname; /* all are linked: see make PORT=FOLDER */
    if (functions_size != count * sizeof(void *)) {
        return ILP_E_MISUSE;
    }
    for (size_t i = 0; i < count; i++) {
        if (!names[i].linked) {
            return ILP_E_NO_LIBRARY;
        }
        memcpy((uint8_t *)functions + i * sizeof(void *), &names[i].linked, sizeof(void *));
    }
    return ILP_OK;
}

static void describe(struct ilpi_library_error *error, DWORD code)
{
    wchar_t words[512];
    DWORD count = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                 code, 0, words, sizeof words / sizeof *words, NULL);
    while (count != 0 && (words[count - 1] <= L' ' || words[count - 1] == L'.')) {
        count--;
    }
    char *text = count != 0 ? narrow_text(words, count) : NULL;
    if (text) {
        snprintf(error->text, sizeof error->text, "%s", text);
    } else {
        snprintf(error->text, sizeof error->text, "error %lu", (unsigned long)code);
    }
    free(text);
}

void *ilpi_library_open(const char *name, struct ilpi_library_error *error)
{
    wchar_t *path = wide_path(name);
    HMODULE library = path ? LoadLibraryW(path) : NULL;
    if (!library) {
        describe(error, path ? GetLastError() : ERROR_NOT_ENOUGH_MEMORY);
    }
    free(path);
    return library;
}

void *ilpi_library_find(void *library, const char *function)
{
    FARPROC found = GetProcAddress(library, function);
    void *address;
    memcpy(&address, &found, sizeof address);
    return address;
}

bool ilpi_library_has(uintptr_t address)
{
    HMODULE module;
    return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                  GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                              (LPCWSTR)address, &module) != 0;
}

bool ilpi_library_path(const char *file, char *path, size_t size)
{
    enum { ROOM = 4096 };
    wchar_t *name = wide_text(file);
    HMODULE module = name ? GetModuleHandleW(name) : NULL;
    free(name);
    wchar_t *wide = module ? malloc(ROOM * sizeof *wide) : NULL;
    DWORD count = wide ? GetModuleFileNameW(module, wide, ROOM) : 0;
    char *narrow = count != 0 && count < ROOM ? narrow_path(wide, count) : NULL;
    bool found = narrow && strlen(narrow) < size;
    if (found) {
        memcpy(path, narrow, strlen(narrow) + 1);
    }
    free(narrow);
    free(wide);
    return found;
}
