/* Finds installed frameworks: what .runtimeconfig.json asks for, what is on the machine, the NuGet cache that
 * .deps.json refers to.
 */
#include "frameworks.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void path_list_add(struct path_list *list, char *owned_path)
{
    list->items = need(realloc(list->items, (list->count + 1) * sizeof *list->items));
    list->items[list->count++] = owned_path;
}

void path_list_free(struct path_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (struct path_list){NULL, 0};
}

/* The files in a folder whose names end so. */
static struct path_list files_ending(const char *directory, const char *ending)
{
    struct path_list found = {NULL, 0};
    DIR *entries = opendir(directory);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (ends_with(entry->d_name, ending)) {
            path_list_add(&found, path_join(directory, entry->d_name));
        }
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}

/* ---- versions ---- */

struct version {
    unsigned part[3]; /* major, minor, patch; what follows a '-' is left out */
    bool preview;
};

static struct version parse_version(const char *text)
{
    struct version version = {{0, 0, 0}, strchr(text, '-') != NULL};
    sscanf(text, "%u.%u.%u", &version.part[0], &version.part[1], &version.part[2]);
    return version;
}

static int compare_versions(const struct version *a, const struct version *b)
{
    for (unsigned i = 0; i < 3; i++) {
        if (a->part[i] != b->part[i]) {
            return a->part[i] < b->part[i] ? -1 : 1;
        }
    }
    return (int)b->preview - (int)a->preview;
}

/* Whether `candidate` serves a request better than `best`: the lowest minor of the major asked for, in its
 * newest patch; without such a one, the newest of all. */
static bool is_better(const struct version *wanted, const struct version *candidate,
                      const struct version *best)
{
    if (!wanted) {
        return compare_versions(candidate, best) > 0;
    }
    bool candidate_fits = candidate->part[0] == wanted->part[0] && compare_versions(candidate, wanted) >= 0;
    bool best_fits = best->part[0] == wanted->part[0] && compare_versions(best, wanted) >= 0;
    if (candidate_fits != best_fits || !candidate_fits) {
        return candidate_fits != best_fits ? candidate_fits : compare_versions(candidate, best) > 0;
    }
    return candidate->part[1] != best->part[1] ? candidate->part[1] < best->part[1]
                                               : compare_versions(candidate, best) > 0;
}

/* Adds root/shared/name/version, the best version there is. */
static void add_framework(struct path_list *list, const char *root, const char *name,
                          const char *wanted_text)
{
    char *directory = format_text("%s/shared/%s", root, name);
    struct version wanted = parse_version(wanted_text ? wanted_text : "");
    struct version best = {{0, 0, 0}, true};
    char *best_name = NULL;
    DIR *entries = opendir(directory);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        struct version version = parse_version(entry->d_name);
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' &&
            (!best_name || is_better(wanted_text ? &wanted : NULL, &version, &best))) {
            best = version;
            free(best_name);
            best_name = need(strdup(entry->d_name));
        }
    }
    if (entries) {
        closedir(entries);
    }
    if (best_name) {
        path_list_add(list, path_join(directory, best_name));
    }
    free(best_name);
    free(directory);
}

/* ---- roots ---- */

static void add_root(struct path_list *roots, char *owned_root)
{
    char *shared = path_join(owned_root, "shared");
    if (file_exists(shared)) {
        path_list_add(roots, owned_root);
    } else {
        free(owned_root);
    }
    free(shared);
}

/* `dotnet` on PATH is often a link into the place where everything is. */
static void add_root_of_path(struct path_list *roots)
{
    const char *path = getenv("PATH");
    char *copy = need(strdup(path ? path : ""));
    char *rest = copy;
    const char *directory;
    while ((directory = strsep(&rest, ":")) != NULL) {
        char *candidate = path_join(directory, "dotnet");
        char *real = directory[0] == '/' && file_exists(candidate) ? realpath(candidate, NULL) : NULL;
        if (real) {
            add_root(roots, path_directory(real));
        }
        free(real);
        free(candidate);
    }
    free(copy);
}

static void add_root_of_file(struct path_list *roots, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[4096];
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        add_root(roots, need(strdup(line)));
    }
    if (file) {
        fclose(file);
    }
}

static struct path_list dotnet_roots(void)
{
    static const char *const usual[] = {"/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet",
                                        "/usr/local/share/dotnet", "/opt/dotnet"};
    struct path_list roots = {NULL, 0};
    const char *root = getenv("DOTNET_ROOT");
    const char *home = getenv("HOME");
    if (root && root[0] != '\0') {
        add_root(&roots, need(strdup(root)));
    }
    add_root_of_path(&roots);
    add_root_of_file(&roots, "/etc/dotnet/install_location");
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        add_root(&roots, need(strdup(usual[i])));
    }
    if (home) {
        add_root(&roots, path_join(home, ".dotnet"));
    }
    return roots;
}

/* ---- what the application says ---- */

static void add_named(struct path_list *list, const struct path_list *roots, const json_t *framework)
{
    const char *name = json_string_value(json_object_get(framework, "name"));
    const char *version = json_string_value(json_object_get(framework, "version"));
    if (!name || name[0] == '.' || strchr(name, '/')) {
        return; /* it becomes part of a path */
    }
    for (size_t i = 0; i < roots->count; i++) {
        add_framework(list, roots->items[i], name, version);
    }
}

/* runtimeOptions.framework is one framework, .frameworks several. */
static void add_configured(struct path_list *list, const struct path_list *roots, const char *path)
{
    json_t *config = json_load_file(path, 0, NULL);
    const json_t *options = json_object_get(config, "runtimeOptions");
    const json_t *several = json_object_get(options, "frameworks");
    add_named(list, roots, json_object_get(options, "framework"));
    for (size_t i = 0; i < json_array_size(several); i++) {
        add_named(list, roots, json_array_get(several, i));
    }
    json_decref(config);
}

void frameworks_add_dotnet(struct path_list *list, const char *directory)
{
    static const char *const names[] = {"Microsoft.NETCore.App", "Microsoft.AspNetCore.App",
                                        "Microsoft.WindowsDesktop.App"};
    struct path_list roots = dotnet_roots();
    struct path_list configs = files_ending(directory, ".runtimeconfig.json");
    for (size_t i = 0; i < configs.count; i++) {
        add_configured(list, &roots, configs.items[i]);
    }
    for (size_t i = 0; i < roots.count; i++) {
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++) {
            add_framework(list, roots.items[i], names[j], NULL);
        }
    }
    path_list_free(&configs);
    path_list_free(&roots);
}

void frameworks_add_mono(struct path_list *list)
{
    static const char *const usual[] = {"/usr/lib/mono/4.5", "/usr/lib/mono/4.5/Facades",
                                        "/usr/local/lib/mono/4.5", "/usr/local/lib/mono/4.5/Facades"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (file_exists(usual[i])) {
            path_list_add(list, need(strdup(usual[i])));
        }
    }
}

/* ---- packages ---- */

static char *package_cache(void)
{
    const char *cache = getenv("NUGET_PACKAGES");
    const char *home = getenv("HOME");
    return cache && cache[0] != '\0' ? need(strdup(cache))
                                     : path_join(home ? home : "", ".nuget/packages");
}

/* A library "Name/1.2.3" with files "lib/net8.0/Name.dll" lies in cache/name/1.2.3/lib/net8.0/Name.dll. */
static void add_library(struct path_list *list, const char *cache, const char *library,
                        const json_t *files)
{
    const char *file;
    json_t *unused;
    char *folder = need(strdup(library));
    for (char *c = folder; *c; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + ('a' - 'A')) : *c;
    }
    json_object_foreach((json_t *)(uintptr_t)files, file, unused) {
        char *path = format_text("%s/%s/%s", cache, folder, file);
        if (!strstr(path, "/../") && file_exists(path)) {
            path_list_add(list, path);
        } else {
            free(path);
        }
    }
    free(folder);
}

void frameworks_add_packages(struct path_list *list, const char *directory)
{
    struct path_list files = files_ending(directory, ".deps.json");
    char *cache = package_cache();
    for (size_t i = 0; i < files.count; i++) {
        json_t *deps = json_load_file(files.items[i], 0, NULL);
        const char *target;
        json_t *libraries;
        json_object_foreach(json_object_get(deps, "targets"), target, libraries) {
            const char *library;
            json_t *entry;
            json_object_foreach(libraries, library, entry) {
                add_library(list, cache, library, json_object_get(entry, "runtime"));
            }
        }
        json_decref(deps);
    }
    free(cache);
    path_list_free(&files);
}
