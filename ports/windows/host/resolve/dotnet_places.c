/* The folders with .NET on Windows. See dotnet_places.h. */
#include "host/resolve/dotnet_places.h"

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

const char *dotnet_home(void)
{
    return getenv("USERPROFILE");
}

static void add_below(struct path_list *places, const char *folder, const char *name)
{
    if (folder && folder[0] != '\0') {
        path_list_add(places, path_join(folder, name));
    }
}

/* InstallLocation, written by the installer to the 32-bit view of the registry on each
 * architecture. */
static void add_install_location(struct path_list *places, const char *architecture)
{
    wchar_t key[96], value[1024];
    DWORD size = sizeof value;
    swprintf(key, sizeof key / sizeof *key, L"SOFTWARE\\dotnet\\Setup\\InstalledVersions\\%hs",
             architecture);
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"InstallLocation",
                     RRF_RT_REG_SZ | RRF_SUBKEY_WOW6432KEY, NULL, value, &size) == ERROR_SUCCESS) {
        path_list_add(places, narrow_path(value, wcslen(value)));
    }
}

void dotnet_places(struct path_list *places, const char *architecture)
{
    add_install_location(places, architecture);
    add_below(places, getenv("ProgramFiles"), "dotnet");
    add_below(places, dotnet_home(), ".dotnet");
}
