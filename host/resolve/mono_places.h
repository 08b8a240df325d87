/* The places where Mono searches for assemblies: MONO_PATH, its global assembly cache, its own
 * folders. */
#ifndef MONO_PLACES_H
#define MONO_PLACES_H

#include "host/resolve/path_list.h"

struct mono_places {
    struct path_list path;    /* MONO_PATH */
    struct path_list gacs;    /* /usr/lib/mono/gac */
    struct path_list folders; /* /usr/lib/mono/4.5, its Facades */
};

void mono_places_find(struct mono_places *places);
void mono_places_free(struct mono_places *places);

/* Adds the files of the caches for an assembly: exactly this version, culture and key token, as
 * Mono requires. A reference with a full key has no token: then all of that version and culture. */
void mono_gac_files(struct path_list *files, const struct mono_places *places,
                    const struct ilp_assembly_name *name);

#endif
