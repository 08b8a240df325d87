/* Caches what is installed: each kind is searched for when it is needed first. See installed.h.
 * Searching means reading many folders, and most references are found before it is needed. */
#include "host/resolve/installed.h"

#include <stdlib.h>

#include "host/resolve/dotnet_root.h"
#include "host/resolve/reference_packs.h"

/* Each list with a flag, because an empty list may be the result. */
struct installed {
    bool roots_known;
    bool mono_known;
    bool packs_known;
    struct path_list roots;
    struct mono_places mono;
    struct path_list packs;
};

struct installed *installed_open(void)
{
    return new_items(1, sizeof(struct installed));
}

void installed_close(struct installed *installed)
{
    if (installed) {
        installed_forget(installed);
        free(installed);
    }
}

const struct path_list *installed_roots(struct installed *installed)
{
    if (!installed->roots_known) {
        dotnet_roots(&installed->roots);
        installed->roots_known = true;
    }
    return &installed->roots;
}

const struct mono_places *installed_mono(struct installed *installed)
{
    if (!installed->mono_known) {
        mono_places_find(&installed->mono);
        installed->mono_known = true;
    }
    return &installed->mono;
}

const struct path_list *installed_packs(struct installed *installed)
{
    if (!installed->packs_known) {
        reference_packs_find(&installed->packs, installed_roots(installed));
        installed->packs_known = true;
    }
    return &installed->packs;
}

void installed_forget(struct installed *installed)
{
    path_list_free(&installed->roots);
    mono_places_free(&installed->mono);
    path_list_free(&installed->packs);
    installed->roots_known = installed->mono_known = installed->packs_known = false;
}
