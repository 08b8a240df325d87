/* Reads .deps.json:
 *
 *   runtimeTarget.name -> targets[name][library] -> runtime[file]         for every machine
 *                                                -> runtimeTargets[file]  for one kind of machine,
 *                                                                         `rid`
 *   libraries[library].path                         the folder of its package in a cache */
#include "host/resolve/deps.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "host/resolve/dotnet_places.h"
#include "host/resolve/json_file.h"

static void free_asset(struct asset *asset)
{
    free(asset->name);
    free(asset->file);
    free(asset->local);
    free(asset->package);
}

void deps_free(struct deps *deps)
{
    for (size_t i = 0; i < deps->count; i++) {
        free_asset(&deps->items[i]);
    }
    free(deps->items);
    *deps = (struct deps){NULL, 0};
}

/* The first of its name; later libraries may list another. */
const struct asset *deps_find(const struct deps *deps, const char *name)
{
    for (size_t i = 0; i < deps->count; i++) {
        if (strcasecmp(deps->items[i].name, name) == 0) {
            return &deps->items[i];
        }
    }
    return NULL;
}

/* How well assets for `rid` fit this machine, 0 best; -1: not at all. The architecture of this
 * machine: what the host would choose for a program that runs here. Names of distributions, such as
 * "debian.12-x64", are not compared. */
static int rank_of(const char *rid)
{
    static const struct {
        const char *system;
        bool architecture;
    } known[] = {
        {"linux", true}, {"linux", false}, {"unix", true}, {"unix", false}, {"any", false}};
    for (size_t i = 0; rid && i < sizeof known / sizeof known[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s%s", known[i].system, known[i].architecture ? "-" : "",
                 known[i].architecture ? dotnet_architecture() : "");
        bool same = strcmp(name, rid) == 0;
        if (same) {
            return (int)i;
        }
    }
    return -1;
}

/* The best rank of a library's assemblies for kinds of machines. */
static int best_rank(const json_t *targets)
{
    const char *file;
    json_t *entry;
    int best = -1;
    json_object_foreach(json_mutable(targets), file, entry)
    {
        const char *type = json_text(entry, "assetType");
        int rank = type && strcmp(type, "runtime") == 0 ? rank_of(json_text(entry, "rid")) : -1;
        best = rank >= 0 && (best < 0 || rank < best) ? rank : best;
    }
    return best;
}

/* The library that is being added; `package` is "" for what is not in a package. */
struct library {
    struct deps *deps;
    size_t first;  /* of its assets */
    char *package; /* owned */
    bool of_runtime;
};

/* Of assets with one name the first in its library counts: those for this machine are added first.
 * Paths come from a file that anyone may have written: those that leave the folder ("..", absolute)
 * are dropped. Without memory the asset is left out. */
static void add_asset(struct library *library, const char *file, const json_t *entry,
                      bool for_machine)
{
    const char *local = json_text(entry, "localPath");
    const char *name = path_name(file);
    struct deps *deps = library->deps;
    if (!library->package || !is_path_below(file) ||
        !(ends_with(name, ".dll") || ends_with(name, ".exe"))) {
        return; /* "_._" is a placeholder for no file */
    }
    if (!local || !is_path_below(local)) {
        local = for_machine ? file : name;
    }
    struct asset asset = {
        .name = copy_part(name, strlen(name) - strlen(".dll")),
        .file = copy_text(file),
        .local = copy_text(local),
        .package = copy_text(library->package),
        .of_runtime = library->of_runtime,
        .assembly_version = version4_parse(json_text(entry, "assemblyVersion")),
        .file_version = version4_parse(json_text(entry, "fileVersion")),
    };
    bool wanted = asset.name && asset.file && asset.local && asset.package;
    for (size_t i = library->first; i < deps->count && wanted; i++) {
        wanted = strcasecmp(deps->items[i].name, asset.name) != 0;
    }
    struct asset *items = wanted ? grow_items(deps->items, deps->count + 1, sizeof *items) : NULL;
    if (!items) {
        free_asset(&asset);
        return;
    }
    deps->items = items;
    deps->items[deps->count++] = asset;
}

/* A package's folder is in lower case. Projects have none. */
static char *package_folder(const char *name, const json_t *described)
{
    const char *path = json_text(described, "path");
    const char *type = json_text(described, "type");
    if (type && (strcmp(type, "project") == 0 || strcmp(type, "reference") == 0)) {
        return copy_text("");
    }
    char *folder = copy_text(path ? path : name);
    for (char *c = folder; c && *c; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + ('a' - 'A')) : *c;
    }
    if (folder && !is_path_below(folder)) {
        folder[0] = '\0';
    }
    return folder;
}

/* The runtime pack of .NET Core 3 lists System.Private.CoreLib.dll among the native files. */
static void add_listed(struct library *library, const json_t *files)
{
    const char *file;
    json_t *asset;
    json_object_foreach(json_mutable(files), file, asset)
    {
        add_asset(library, file, asset, false);
    }
}

/* Files for a kind of machine replace those for all: of several kinds that fit this one the most
 * specific. */
static void add_library(struct deps *deps, const char *name, const json_t *entry,
                        const json_t *described)
{
    const char *kind = json_text(described, "type");
    struct library library = {.deps = deps,
                              .first = deps->count,
                              .package = package_folder(name, described),
                              .of_runtime = kind && strcmp(kind, "runtimepack") == 0};
    const json_t *targets = json_object_get(entry, "runtimeTargets");
    const char *file;
    json_t *asset;
    int rank = best_rank(targets);
    json_object_foreach(json_mutable(targets), file, asset)
    {
        const char *type = json_text(asset, "assetType");
        if (rank >= 0 && type && strcmp(type, "runtime") == 0 &&
            rank_of(json_text(asset, "rid")) == rank) {
            add_asset(&library, file, asset, true);
        }
    }
    add_listed(&library, json_object_get(entry, "runtime"));
    if (library.of_runtime) {
        add_listed(&library, json_object_get(entry, "native"));
    }
    free(library.package);
}

/* Each library of the target, with its description under "libraries". */
static void add_target(struct deps *deps, const json_t *target, const json_t *libraries)
{
    const char *name;
    json_t *entry;
    json_object_foreach(json_mutable(target), name, entry)
    {
        add_library(deps, name, entry, json_object_get(libraries, name));
    }
}

/* A file that is missing or wrong gives no assets; *error says why, and the search goes on. */
void deps_read(struct deps *deps, const char *path, char **error)
{
    json_t *json = json_file_read(path, error);
    const json_t *targets = json_object_get(json, "targets");
    const json_t *libraries = json_object_get(json, "libraries");
    const json_t *wanted = json_object_get(json, "runtimeTarget");
    const char *name = json_is_string(wanted) ? json_string_value(wanted)
                                              : json_text(wanted, "name");
    const json_t *target = name ? json_object_get(targets, name) : NULL;
    if (target) {
        add_target(deps, target, libraries);
    } else { /* without a target name it is ambiguous */
        json_t *each;
        json_object_foreach(json_mutable(targets), name, each)
        {
            add_target(deps, each, libraries);
        }
    }
    json_decref(json);
}
