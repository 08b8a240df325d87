/* Finds the runtime. See runtime.h. Its file is found among the loaded libraries: before any
 * assembly is loaded, however the process was started. */
#include "profiler/clr/runtime.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "host/path.h"
#include "host/file_view.h"
#include "host/library_names.h"
#include "host/process.h"
#include "profiler/clr/corprof.h"

static const char file_name[] = RUNTIME_LIBRARY;

/* Without libcoreclr.so the runtime is in the program's file (a single-file program), and its
 * assemblies are in the bundle. */
void runtime_find(struct runtime *runtime, const char *library)
{
    if (!library) {
        return;
    }
    bool is_library = strcmp(path_name(library), file_name) == 0;
    runtime->folder = is_library ? path_directory(library) : NULL;
    runtime->shared = is_library ? runtime_shared_folder(library) : NULL;
    if (runtime->shared) {
        return;
    }
    runtime->own = runtime_files_open(runtime->folder ? runtime->folder : library);
}

/* The version in a core library, "3.1.3-servicing.20118.3+c5d3d..."; false: no file, or no
 * version. */
static bool read_core_version(const char *path, uint16_t version[3])
{
    struct file_view view;
    struct ilp_image *image = NULL;
    char text[32] = "";
    if (!file_view_open(&view, path)) {
        return false;
    }
    if (ilp_image_open(&image, view.bytes, ILP_LAYOUT_FILE, path, NULL, NULL) == ILP_OK) {
        struct ilp_bytes all = informational_version(image);
        size_t size = all.size < sizeof text ? all.size : sizeof text - 1;
        snprintf(text, sizeof text, "%.*s", (int)size, (const char *)all.data);
    }
    ilp_image_close(image);
    file_view_close(&view);
    uint16_t part[3];
    bool read = sscanf(text, "%5hu.%5hu.%5hu", &part[0], &part[1], &part[2]) == 3;
    if (read) {
        memcpy(version, part, sizeof part);
    }
    return read;
}

/* .NET Core 3.1 reports 4.0.30319, like .NET Framework 4; its real version is that of its core
 * library, from which Environment.Version derives it. */
void runtime_set_version(struct runtime *runtime, const char *library, const uint16_t answer[3])
{
    char *directory = path_directory(library);
    char *core = path_join(directory, "System.Private.CoreLib.dll");
    uint16_t *version = runtime->version;
    if (answer[0] != 4 || !read_core_version(core, version)) {
        memcpy(version, answer, sizeof runtime->version);
    }
    free(core);
    free(directory);
    snprintf(runtime->version_text, sizeof runtime->version_text, "%u.%u.%u", version[0],
             version[1], version[2]);
}

/* With a length pointer but no buffer, .NET Core 3.1 returns nothing at all. Zero for a runtime
 * that does not say it. */
static void query_version(void *info, uint16_t answer[3])
{
    uint16_t instance, part[4] = {0};
    int kind;
    HRESULT result = CALL(ICorProfilerInfo3, GetRuntimeInformation, info)(
        info, &instance, &kind, &part[0], &part[1], &part[2], &part[3], 0, NULL, NULL);
    for (unsigned i = 0; i < 3; i++) {
        answer[i] = result >= 0 ? part[i] : 0;
    }
}

void runtime_open(struct runtime *runtime, void *info)
{
    uint16_t answer[3];
    char loaded[PATH_MAX]; /* keep links: the paths of assemblies have them, too */
    bool is_library = ilpi_library_path(file_name, loaded, sizeof loaded);
    char *library = is_library ? copy_text(loaded) : process_own_program();
    query_version(info, answer);
    *runtime = (struct runtime){.shared = NULL};
    runtime_find(runtime, library);
    runtime_set_version(runtime, library, answer);
    free(library);
}

void runtime_close(struct runtime *runtime)
{
    runtime_files_close(runtime->own);
    free(runtime->shared);
    free(runtime->folder);
    *runtime = (struct runtime){.shared = NULL};
}

/* In a shared installation by the folder, else by comparing files (host/runtime_files.c). */
bool runtime_includes(const struct runtime *runtime, const char *path)
{
    return runtime->shared ? runtime_shared_includes(runtime->shared, path)
                           : runtime->own && runtime_files_include(runtime->own, path);
}
