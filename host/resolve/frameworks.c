/* Chooses versions of shared frameworks like hostfxr of .NET 10:
 *
 *   requests of the program -> one agreed request for each framework -> a version -> the requests
 *   of that framework's own .runtimeconfig.json, and so on
 *
 * If a later request changes one that was already resolved, everything begins again, with the
 * stricter request. */
#include "host/resolve/frameworks.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"

char *version_text(const struct version *version)
{
    return format_text("%u.%u.%u%s%s", version->part[0], version->part[1], version->part[2],
                       version_is_preview(version) ? "-" : "", version->preview);
}

void frameworks_free(struct frameworks *frameworks)
{
    for (size_t i = 0; i < frameworks->count; i++) {
        free(frameworks->items[i].request.name);
        free(frameworks->items[i].directory);
    }
    free(frameworks->wrong);
    *frameworks = (struct frameworks){.count = 0};
}

/* ---- one framework: choosing a version ---- */

/* The range that includes both versions. */
static enum roll_range range_between(const struct version *one, const struct version *other)
{
    if (one->part[0] != other->part[0]) {
        return ROLL_MAJOR;
    }
    return one->part[1] != other->part[1] ? ROLL_MINOR : ROLL_PATCH;
}

/* Whether a version that is not lower is in the range of a request. */
static bool serves(const struct framework_request *request, const struct version *version)
{
    int order = version_compare(version, &request->version);
    if (order <= 0) {
        return order == 0;
    }
    enum roll_range needed = range_between(version, &request->version);
    return needed == ROLL_PATCH && request->range == ROLL_PATCH ? request->patches
                                                                : needed <= request->range;
}

struct versions {
    struct version *items; /* owned */
    size_t count;
};

/* A folder named after a version counts if it has the framework's .deps.json. */
static struct versions list_versions(const char *root, const char *name)
{
    struct versions versions = {NULL, 0};
    struct path_list entries = {NULL, 0};
    char *directory = format_text("%s/shared/%s", root, name);
    path_list_entries(&entries, directory, "");
    versions.items = new_items(entries.count + 1, sizeof *versions.items);
    for (size_t i = 0; i < entries.count && versions.items; i++) {
        char *deps = format_text("%s/%s.deps.json", entries.items[i], name);
        if (version_parse(&versions.items[versions.count], path_name(entries.items[i])) &&
            file_exists(deps)) {
            versions.count++;
        }
        free(deps);
    }
    path_list_free(&entries);
    free(directory);
    return versions;
}

/* Within one patch range there is no highest: the lowest version takes its newest patch. */
static bool takes_highest(const struct framework_request *request)
{
    return request->highest && request->range >= ROLL_MINOR;
}

/* The lowest version that serves, or the highest for the policies "latestMinor" and "latestMajor".
 * The order of `versions` is that of the folders' names ("10.0.10" precedes "10.0.9"), so all are
 * compared. */
static const struct version *best_in_range(const struct versions *versions,
                                           const struct framework_request *request, bool releases)
{
    const struct version *best = NULL;
    for (size_t i = 0; i < versions->count; i++) {
        const struct version *version = &versions->items[i];
        if ((releases && version_is_preview(version)) || !serves(request, version)) {
            continue;
        }
        int order = best ? version_compare(version, best) : 0;
        if (!best || (takes_highest(request) ? order > 0 : order < 0)) {
            best = version;
        }
    }
    return best;
}

static const struct version *newest_patch(const struct versions *versions,
                                          const struct version *best, bool releases)
{
    for (size_t i = 0; i < versions->count; i++) {
        const struct version *version = &versions->items[i];
        if (version->part[0] == best->part[0] && version->part[1] == best->part[1] &&
            !(releases && version_is_preview(version)) && version_compare(version, best) > 0) {
            best = version;
        }
    }
    return best;
}

/* Releases first, if the request prefers them; then all. */
static const struct version *choose(const struct versions *versions,
                                    const struct framework_request *request)
{
    for (int releases = request->releases; releases >= 0; releases--) {
        const struct version *best = best_in_range(versions, request, releases != 0);
        if (best) {
            bool stay = !request->patches || takes_highest(request) || version_is_preview(best);
            return stay ? best : newest_patch(versions, best, releases != 0);
        }
    }
    return NULL;
}

/* ---- several requests for one framework ---- */

/* Names are compared without case, as the host does. */
static struct framework *find_framework(struct frameworks *frameworks, const char *name)
{
    for (size_t i = 0; i < frameworks->count; i++) {
        if (strcasecmp(frameworks->items[i].request.name, name) == 0) {
            return &frameworks->items[i];
        }
    }
    return NULL;
}

/* The stricter one of each setting is used. "highest" and "releases" are the stricter settings:
 * they leave fewer versions to choose from. */
static void restrict_by(struct framework_request *request, const struct framework_request *other)
{
    request->range = other->range < request->range ? other->range : request->range;
    request->highest = request->highest || other->highest;
    request->patches = request->patches && other->patches;
    request->releases = request->releases || other->releases;
}

static bool same_request(const struct framework_request *left,
                         const struct framework_request *right)
{
    return version_compare(&left->version, &right->version) == 0 && left->range == right->range &&
           left->highest == right->highest && left->patches == right->patches &&
           left->releases == right->releases;
}

/* The last complaint is the one that made resolving fail. */
static void complain(struct frameworks *frameworks, const struct framework_request *request,
                     const char *what)
{
    char *version = version_text(&request->version);
    free(frameworks->wrong);
    frameworks->wrong = format_text("%s %s %s", request->name, version ? version : "", what);
    free(version);
}

enum outcome { RESOLVED, FAILED, AGAIN };

/* The higher version is used, if the lower request may roll forward to it. AGAIN: the request
 * became stricter after its version had been chosen. */
static enum outcome agree(struct frameworks *frameworks, const struct framework_request *request)
{
    struct framework *framework = find_framework(frameworks, request->name);
    if (!framework) {
        if (frameworks->count == MAX_FRAMEWORKS) {
            complain(frameworks, request, "is one framework too many");
            return FAILED;
        }
        char *name = copy_text(request->name);
        if (!name) {
            return FAILED;
        }
        framework = &frameworks->items[frameworks->count++];
        *framework = (struct framework){.request = *request};
        framework->request.name = name;
        return RESOLVED;
    }
    struct framework_request agreed = framework->request;
    bool higher = version_compare(&request->version, &agreed.version) > 0;
    const struct framework_request *lower = higher ? &framework->request : request;
    if (!serves(lower, higher ? &request->version : &agreed.version)) {
        complain(frameworks, lower, "excludes a version that is also requested");
        return FAILED;
    }
    if (higher) {
        agreed.version = request->version;
    }
    restrict_by(&agreed, request);
    bool same = same_request(&agreed, &framework->request);
    framework->request = agreed;
    return same || !framework->directory ? RESOLVED : AGAIN;
}

/* ---- all frameworks ---- */

/* In one installation: versions of several are not mixed, as for the host. */
static bool find_version(struct frameworks *frameworks, struct framework *framework,
                         const char *root)
{
    struct versions versions = list_versions(root, framework->request.name);
    const struct version *version = choose(&versions, &framework->request);
    if (version) {
        char *text = version_text(version);
        framework->version = *version;
        framework->directory =
            text ? format_text("%s/shared/%s/%s", root, framework->request.name, text) : NULL;
        free(text);
    } else {
        complain(frameworks, &framework->request, "is not installed, nor a version that would do");
    }
    free(versions.items);
    return version != NULL && framework->directory != NULL;
}

/* A framework is resolved once all requests of the program or framework are known, so that fewer
 * are resolved twice. Terminates: a resolved framework is not entered again, and there are at most
 * MAX_FRAMEWORKS. */
static enum outcome take(struct frameworks *frameworks, const struct runtime_config *config,
                         const char *root)
{
    enum outcome outcome = RESOLVED;
    for (size_t i = 0; i < config->framework_count && outcome == RESOLVED; i++) {
        outcome = agree(frameworks, &config->frameworks[i]);
    }
    for (size_t i = 0; i < config->framework_count && outcome == RESOLVED; i++) {
        struct framework *framework = find_framework(frameworks, config->frameworks[i].name);
        if (!framework || framework->directory) {
            continue;
        }
        if (!find_version(frameworks, framework, root)) {
            return FAILED;
        }
        struct runtime_config own;
        char *path = format_text("%s/%s.runtimeconfig.json", framework->directory,
                                 framework->request.name);
        own = (struct runtime_config){.path = NULL};
        if (path && runtime_config_read(&own, path)) {
            for (size_t j = 0; j < own.framework_count;
                 j++) { /* a request for the highest version applies to all later ones */
                own.frameworks[j].highest = own.frameworks[j].highest || framework->request.highest;
            }
            outcome = take(frameworks, &own, root);
        }
        runtime_config_free(&own);
        free(path);
    }
    return outcome;
}

/* Each restart makes a request stricter, so it terminates; crafted files could delay it. */
#define MAX_BEGINNINGS 64u

/* Begins again where a later request made one stricter whose version was already chosen: that
 * version may now be wrong, and so may be all frameworks that its own .runtimeconfig.json
 * requested. Agreed requests are kept, chosen folders are not. */
bool frameworks_resolve(struct frameworks *frameworks, const struct runtime_config *config,
                        const char *root)
{
    *frameworks = (struct frameworks){.count = 0};
    if (config->wrong) {
        frameworks->wrong = format_text("%s: %s", config->path, config->wrong);
        return false;
    }
    enum outcome outcome = AGAIN;
    for (unsigned i = 0; i < MAX_BEGINNINGS && outcome == AGAIN; i++) {
        for (size_t j = 0; j < frameworks->count; j++) {
            free(frameworks->items[j].directory);
            frameworks->items[j].directory = NULL;
        }
        outcome = take(frameworks, config, root);
    }
    return outcome == RESOLVED;
}

/* The names are in the order that struct frameworks has: what builds on others first. A framework
 * that is not installed is no error here, so what find_version() complains about is dropped. */
bool frameworks_newest(struct frameworks *frameworks, const char *root)
{
    static const char *const names[] = {"Microsoft.WindowsDesktop.App", "Microsoft.AspNetCore.App",
                                        "Microsoft.NETCore.App"};
    *frameworks = (struct frameworks){.count = 0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct framework *framework = &frameworks->items[frameworks->count];
        *framework = (struct framework){.request = {.name = copy_text(names[i]),
                                                    .range = ROLL_MAJOR,
                                                    .highest = true,
                                                    .releases = true}};
        if (framework->request.name && find_version(frameworks, framework, root)) {
            frameworks->count++;
        } else {
            free(framework->request.name);
        }
    }
    free(frameworks->wrong);
    frameworks->wrong = NULL;
    return frameworks->count != 0;
}
