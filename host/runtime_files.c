/* Recognises the runtime's assemblies. See runtime_files.h. A self-contained program lists them as
 * parts of a runtime pack in its .deps.json; without that list an assembly is compared with the
 * core library beside it. */
#include "host/runtime_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "metadata/image.h"
#include "host/path.h"
#include "host/resolve/deps.h"
#include "host/resolve/image_cache.h"

#define CORE_LIBRARY "System.Private.CoreLib.dll"

/* Facts about one folder or bundle. With a list in .deps.json no image is opened; without one the
 * core library and each file that is compared are. */
struct runtime_files {
    char *place;
    struct deps deps;
    bool listed; /* .deps.json lists which ones */
    struct image_cache *images;
    struct ilp_image *core; /* borrowed from the cache; NULL: not here, or not needed */
};

static struct ilp_bytes text_of_attribute(const struct ilp_image *image, const char *name)
{
    ilp_token assembly = ILP_TOKEN(ILP_Assembly, 1);
    ilp_rid attribute = ilpi_find_attribute(image, assembly, "System.Reflection", name);
    return ilpi_attribute_text(image, attribute);
}

struct ilp_bytes informational_version(const struct ilp_image *image)
{
    return text_of_attribute(image, "AssemblyInformationalVersionAttribute");
}

struct runtime_files *runtime_files_open(const char *place)
{
    struct runtime_files *files = new_items(1, sizeof *files);
    struct path_list all = {NULL, 0};
    unsigned failures = memory_failures();
    if (!files) {
        return NULL;
    }
    files->place = copy_text(place);
    files->images = image_cache_open();
    path_list_entries(&all, place, ".deps.json");
    for (size_t i = 0; i < all.count; i++) {
        deps_read(&files->deps, all.items[i], NULL);
    }
    path_list_free(&all);
    for (size_t i = 0; i < files->deps.count; i++) {
        files->listed = files->listed || files->deps.items[i].of_runtime;
    }
    char *core = path_join(place, CORE_LIBRARY);
    files->core = files->listed ? NULL : image_cache_get(files->images, core, NULL);
    free(core);
    if (memory_failures() != failures) {
        runtime_files_close(files);
        files = NULL;
    }
    return files;
}

void runtime_files_close(struct runtime_files *files)
{
    if (files) {
        deps_free(&files->deps);
        image_cache_close(files->images);
        free(files->place);
        free(files);
    }
}

static bool is_listed(const struct runtime_files *files, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < files->deps.count && !found; i++) {
        const struct asset *asset = &files->deps.items[i];
        found = asset->of_runtime && strcmp(asset->local, name) == 0;
    }
    return found;
}

/* The version without kind and commit of the build: of .NET 10.0.12 some assemblies have 10.0.12
 * and some 10.0.12-servicing.26422.108, and its frameworks are built from several repositories. */
static struct ilp_bytes version_number(const struct ilp_image *image)
{
    struct ilp_bytes version = informational_version(image);
    size_t size = 0;
    while (size < version.size && version.data[size] != '-' && version.data[size] != '+') {
        size++;
    }
    return (struct ilp_bytes){version.data, size};
}

/* The same version and the same company: the runtime's assemblies are built together, the program's
 * have versions of their own. */
static bool has_version_of_core(const struct runtime_files *files, const char *path)
{
    static const char company[] = "AssemblyCompanyAttribute";
    const struct ilp_image *image = image_cache_get(files->images, path, NULL);
    return image == files->core ||
           (image && version_number(image).size != 0 &&
            ilpi_bytes_equal(version_number(image), version_number(files->core)) &&
            ilpi_bytes_equal(text_of_attribute(image, company),
                             text_of_attribute(files->core, company)));
}

/* Files outside of the place are not compared at all. */
bool runtime_files_include(const struct runtime_files *files, const char *path)
{
    size_t size = strlen(files->place);
    if (strncmp(path, files->place, size) != 0 || path[size] != '/') {
        return false;
    }
    return files->listed ? is_listed(files, path + size + 1)
                         : files->core && has_version_of_core(files, path);
}

/* ".../shared/" of a runtime in a shared installation, by the path of its library; NULL for a
 * self-contained program. */
char *runtime_shared_folder(const char *library)
{
    const char *shared = strstr(library, "/shared/Microsoft.NETCore.App/");
    return shared ? copy_part(library, (size_t)(shared - library) + sizeof "/shared/" - 1) : NULL;
}

/* If a version is a link into another installation, the host loads the runtime from there, and
 * assemblies through the link (.NET 10). */
bool runtime_shared_includes(const char *shared, const char *path)
{
    if (strncmp(path, shared, strlen(shared)) == 0) {
        return true;
    }
    char *folder = path_full(shared), *file = path_full(path);
    bool found = file && path_below(folder, file) != file;
    free(folder);
    free(file);
    return found;
}
