/* Finds installations of .NET. See dotnet_root.h. */
#include "host/resolve/dotnet_root.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "base/wide_path.h"
#include "host/path.h"

const char *dotnet_architecture(void)
{
    SYSTEM_INFO info;
    GetNativeSystemInfo(&info);
    switch (info.wProcessorArchitecture) {
    case PROCESSOR_ARCHITECTURE_INTEL: return "x86";
    case PROCESSOR_ARCHITECTURE_ARM: return "arm";
    case PROCESSOR_ARCHITECTURE_ARM64: return "arm64";
    default: return "x64";
    }
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

static void add_variable(struct path_list *roots, const char *name, const char *below)
{
    const char *root = getenv(name);
    if (root && root[0] != '\0') {
        add_root(roots, below ? path_join(root, below) : copy_text(root));
    }
}

static void add_path(struct path_list *roots)
{
    struct path_list directories = {NULL, 0};
    path_list_split(&directories, getenv("PATH"));
    for (size_t i = 0; i < directories.count; i++) {
        char *candidate = path_join(directories.items[i], "dotnet.exe");
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

/* The installer's word, in the 32-bit view of the registry whatever the architecture. */
static void add_install_location(struct path_list *roots, const char *architecture)
{
    wchar_t key[96], value[1024];
    DWORD size = sizeof value;
    swprintf(key, sizeof key / sizeof *key, L"SOFTWARE\\dotnet\\Setup\\InstalledVersions\\%hs",
             architecture);
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"InstallLocation",
                     RRF_RT_REG_SZ | RRF_SUBKEY_WOW6432KEY, NULL, value, &size) == ERROR_SUCCESS) {
        char *root = narrow_path(value, wcslen(value));
        if (root) {
            add_root(roots, root);
        }
    }
}

void dotnet_roots(struct path_list *roots)
{
    const char *architecture = dotnet_architecture();
    char variable[64];
    snprintf(variable, sizeof variable, "DOTNET_ROOT_%s", architecture);
    for (char *c = variable; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    add_variable(roots, variable, NULL);
    if (roots->count == 0) {
        add_variable(roots, "DOTNET_ROOT", NULL);
    }
    if (roots->count == 0) {
        add_path(roots);
        add_install_location(roots, architecture);
        add_variable(roots, "ProgramFiles", "dotnet");
        add_variable(roots, "USERPROFILE", ".dotnet");
    }
}
