/* Finds reference assemblies: the packs of .NET's SDK and Mono's -api folders, whose assemblies
 * have types without code. See reference_packs.h. */
#include "host/resolve/reference_packs.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "host/resolve/version.h"

/* pack/10.0.12/ref/net10.0: the newest version, and in it the last by name. "net10.0" is after
 * "net9.0" only by version, but one pack has mostly one target, so the name is enough. */
static void add_pack(struct path_list *folders, const char *pack)
{
    struct path_list versions = {NULL, 0};
    struct path_list targets = {NULL, 0};
    const char *newest = NULL;
    struct version best = {{0}, ""};
    path_list_entries(&versions, pack, "");
    for (size_t i = 0; i < versions.count; i++) {
        struct version version;
        if (version_parse(&version, path_name(versions.items[i])) &&
            (!newest || version_compare(&version, &best) > 0)) {
            newest = versions.items[i];
            best = version;
        }
    }
    if (newest) {
        char *ref = path_join(newest, "ref");
        path_list_entries(&targets, ref, "");
        free(ref);
    }
    if (targets.count != 0) {
        path_list_add(folders, copy_text(targets.items[targets.count - 1]));
    }
    path_list_free(&targets);
    path_list_free(&versions);
}

/* These are last in the search: their methods have no bodies, but their types say what a value
 * is. */
void reference_packs_find(struct path_list *folders, const struct path_list *roots)
{
    for (size_t i = 0; i < roots->count; i++) {
        struct path_list packs = {NULL, 0};
        char *directory = path_join(roots->items[i], "packs");
        path_list_entries(&packs, directory, ".Ref");
        for (size_t j = 0; j < packs.count; j++) {
            add_pack(folders, packs.items[j]);
        }
        path_list_free(&packs);
        free(directory);
    }
    struct path_list apis = {NULL, 0};
    path_list_entries(&apis, "/usr/lib/mono", "-api");
    if (apis.count != 0) {
        const char *newest = apis.items[apis.count - 1];
        path_list_add(folders, copy_text(newest));
        path_list_add(folders, path_join(newest, "Facades"));
    }
    path_list_free(&apis);
}
