/* Reads the JSON files beside a program: .runtimeconfig.json at once, .deps.json and the package
 * caches when a reference is found nowhere else. See program.h. */
#include "host/resolve/program.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "host/program_folder.h"
#include "host/resolve/dotnet_places.h"

/* "dir/App" of "dir/App.dll". */
static char *path_stem(const char *file)
{
    const char *dot = strrchr(path_name(file), '.');
    return copy_part(file, dot ? (size_t)(dot - file) : strlen(file));
}

static bool add_if_there(struct path_list *list, char *owned_path)
{
    bool there = path_is_there(owned_path);
    if (there) {
        path_list_add(list, owned_path);
    } else {
        free(owned_path);
    }
    return there;
}

/* ---- .runtimeconfig.json ---- */

/* App.dll has App.runtimeconfig.json. A library has none, so the program is taken that is beside
 * it. */
static bool read_config(struct program *program, const char *stem)
{
    char *own = stem ? format_text("%s.runtimeconfig.json", stem) : NULL;
    struct path_list all = {NULL, 0};
    bool found = runtime_config_read(&program->config, own);
    path_list_entries(&all, program->directory, ".runtimeconfig.json");
    for (size_t i = 0; i < all.count && !found;
         i++) { /* for a library: the first program by name */
        found = runtime_config_read(&program->config, all.items[i]);
    }
    path_list_free(&all);
    free(own);
    return found;
}

/* The first installation that has all frameworks; else the errors of the first one, and the newest
 * frameworks. `guessed` means that the newest frameworks stand for those that the program would
 * get. */
static void find_frameworks(struct program *program)
{
    const struct path_list *roots = installed_roots(program->installed);
    char *wrong = NULL;
    bool found = program->configured && program->config.framework_count == 0 &&
                 !program->config.wrong;
    if (program->config.wrong) {
        wrong = format_text("%s: %s", program->config.path, program->config.wrong);
    }
    for (size_t i = 0; i < roots->count && program->configured && !found; i++) {
        found = frameworks_resolve(&program->frameworks, &program->config, roots->items[i]);
        if (!found) {
            char *why = program->frameworks.wrong;
            program->frameworks.wrong = NULL;
            frameworks_free(&program->frameworks);
            free(wrong ? why : NULL);
            wrong = wrong ? wrong : why;
        }
    }
    program->guessed = !found || program->config.framework_count == 0;
    for (size_t i = 0; i < roots->count && program->guessed; i++) {
        if (frameworks_newest(&program->frameworks, roots->items[i])) {
            break;
        }
    }
    program->frameworks.wrong = found ? NULL : wrong;
    free(found ? wrong : NULL);
}

/* ---- .deps.json ---- */

/* The program's; a library's own; else all of the folder. The name follows the .runtimeconfig.json,
 * not the file: a library is listed in the program's. */
static void find_deps(struct program *program, const char *stem)
{
    if (program->configured) {
        size_t length = strlen(program->config.path) - strlen(".runtimeconfig.json");
        add_if_there(&program->deps_files,
                     format_text("%.*s.deps.json", (int)length, program->config.path));
    } else if (!add_if_there(&program->deps_files,
                             stem ? format_text("%s.deps.json", stem) : NULL)) {
        path_list_entries(&program->deps_files, program->directory, ".deps.json");
    }
}

/* "|arch|" and "|tfm|" in a probing path are placeholders for the program's. */
static char *fill_in(const char *path, const char *tfm)
{
    const struct {
        const char *mark;
        const char *value;
    } parts[] = {{"|arch|", dotnet_architecture()}, {"|tfm|", tfm}};
    char *filled = copy_text(path);
    for (size_t i = 0; i < 2 && filled; i++) {
        const char *place = strstr(filled, parts[i].mark);
        if (place) {
            char *longer = format_text("%.*s%s%s", (int)(place - filled), filled, parts[i].value,
                                       place + strlen(parts[i].mark));
            free(filled);
            filled = longer;
        }
    }
    return filled;
}

/* Folders of unpacked packages: shared stores, the program's probing paths, NuGet's own and
 * fallback folders. The order is that of the host's probing; folders that do not exist are left
 * out. */
static void find_caches(struct program *program)
{
    const struct path_list *probing = &program->config.probing;
    const char *tfm = program->config.tfm ? program->config.tfm : "";
    const char *cache = getenv("NUGET_PACKAGES");
    const char *home = dotnet_home();
    struct path_list stores = {NULL, 0};
    const struct path_list *roots = installed_roots(program->installed);
    path_list_split(&stores, getenv("DOTNET_SHARED_STORE"));
    for (size_t i = 0; i < stores.count; i++) {
        add_if_there(&program->caches,
                     format_text("%s/%s/%s", stores.items[i], dotnet_architecture(), tfm));
    }
    for (size_t i = 0; i < roots->count; i++) {
        add_if_there(&program->caches,
                     format_text("%s/store/%s/%s", roots->items[i], dotnet_architecture(), tfm));
    }
    for (size_t i = 0; i < probing->count; i++) {
        add_if_there(&program->caches, fill_in(probing->items[i], tfm));
    }
    if (cache && cache[0] != '\0') {
        add_if_there(&program->caches, copy_text(cache));
    } else {
        add_if_there(&program->caches, path_join(home ? home : "", ".nuget/packages"));
    }
    path_list_split(&program->caches, getenv("NUGET_FALLBACK_PACKAGES"));
    for (size_t i = 0; i < roots->count; i++) {
        add_if_there(&program->caches, path_join(roots->items[i], "sdk/NuGetFallbackFolder"));
    }
    path_list_free(&stores);
}

/* Reads the .deps.json at the first question that needs it: most references are found beside the
 * program, and the SDK's own are large. A second file's error is not kept. */
static void know_deps(struct program *program)
{
    if (program->deps_known) {
        return;
    }
    program->deps_known = true;
    for (size_t i = 0; i < program->deps_files.count; i++) {
        char *error = NULL;
        deps_read(&program->deps, program->deps_files.items[i], &error);
        if (error && !program->deps_error) {
            program->deps_error = format_text("%s: %s", program->deps_files.items[i], error);
        }
        free(error);
    }
    find_caches(program);
}

/* ---- queries ---- */

const char *program_deps_error(struct program *program)
{
    know_deps(program);
    return program->deps_error;
}

/* Several libraries may have an asset of this name (in one library deps.c has chosen already): the
 * first whose file exists is taken, from the program's folder, else from a package cache. */
char *program_package_file(struct program *program, const char *name)
{
    know_deps(program);
    for (size_t i = 0; i < program->deps.count; i++) {
        const struct asset *asset = &program->deps.items[i];
        if (strcasecmp(asset->name, name) != 0) {
            continue;
        }
        char *path = path_join(program->directory,
                               asset->local); /* for this machine, it is in a subfolder */
        for (size_t j = 0;
             j < program->caches.count && asset->package[0] != '\0' && !path_is_there(path); j++) {
            free(path);
            path = format_text("%s/%s/%s", program->caches.items[j], asset->package, asset->file);
        }
        if (path_is_there(path)) {
            return path;
        }
        free(path);
    }
    return NULL;
}

/* A local path with a folder is one of runtimes/RID/lib/..., which the host prefers to the file of
 * that name beside the program. */
bool program_has_variant(struct program *program, const char *name)
{
    if (!program->configured || program->deps_files.count == 0) {
        return false;
    }
    know_deps(program);
    const struct asset *asset = deps_find(&program->deps, name);
    char *path = asset && strchr(asset->local, '/') ? path_join(program->directory, asset->local)
                                                    : NULL;
    bool has = path && path_is_there(path);
    free(path);
    return has;
}

static bool framework_has(const struct framework *framework, const char *name)
{
    char *path = format_text("%s/%s.dll", framework->directory, name);
    bool there = file_exists(path);
    free(path);
    return there;
}

/* A program without .deps.json has no version information, which counts as the lowest version.
 * Assembly versions first, then file versions; equal versions give the framework's copy. */
static bool is_not_lower(struct program *program, const struct framework *framework,
                         const char *name)
{
    static const struct asset unknown = {.name = NULL};
    struct deps deps = {NULL, 0};
    char *path = format_text("%s/%s.deps.json", framework->directory, framework->request.name);
    deps_read(&deps, path, NULL);
    know_deps(program);
    const struct asset *own = deps_find(&program->deps, name);
    const struct asset *shared = deps_find(&deps, name);
    own = own ? own : &unknown;
    int order = shared ? version4_compare(&shared->assembly_version, &own->assembly_version) : -1;
    if (order == 0) {
        order = version4_compare(&shared->file_version, &own->file_version);
    }
    deps_free(&deps);
    free(path);
    return order >= 0;
}

const char *program_preferred_framework(struct program *program, const char *name)
{
    for (size_t i = 0; i < program->frameworks.count && program->configured && !program->guessed;
         i++) {
        const struct framework *framework = &program->frameworks.items[i];
        if (framework_has(framework, name) && is_not_lower(program, framework, name)) {
            return framework->directory;
        }
    }
    return NULL;
}

/* Frameworks are found now, since every reference to the framework needs them; packages later. */
void program_open(struct program *program, const char *file, struct installed *installed)
{
    char *stem = path_stem(file);
    *program = (struct program){.installed = installed, .directory = program_folder(file)};
    program->configured = read_config(program, stem);
    find_deps(program, stem);
    find_frameworks(program);
    free(stem);
}

void program_close(struct program *program)
{
    runtime_config_free(&program->config);
    frameworks_free(&program->frameworks);
    deps_free(&program->deps);
    path_list_free(&program->deps_files);
    path_list_free(&program->caches);
    free(program->deps_error);
    free(program->directory);
    *program = (struct program){.directory = NULL};
}
