/* Finds Mono's folders, as Mono itself does: from MONO_PATH and MONO_GAC_PREFIX, the prefix of each
 * `mono` in PATH, and the usual prefixes. See mono_places.h. */
#include "host/resolve/mono_places.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"

/* The installation prefixes of each `mono` on PATH: it is in prefix/bin. */
static void add_prefixes_of_path(struct path_list *prefixes)
{
    struct path_list folders = {NULL, 0};
    path_list_add_program(&folders, "mono");
    for (size_t i = 0; i < folders.count; i++) {
        path_list_add(prefixes, path_directory(folders.items[i]));
    }
    path_list_free(&folders);
}

/* The order is the one in which they are searched. Folders that do not exist are left out. */
void mono_places_find(struct mono_places *places)
{
    struct path_list prefixes = {NULL, 0};
    *places = (struct mono_places){.path = {NULL, 0}};
    path_list_split(&places->path, getenv("MONO_PATH"));
    path_list_split(&prefixes, getenv("MONO_GAC_PREFIX"));
    size_t first = prefixes.count; /* earlier ones have no class libraries of their own */
    add_prefixes_of_path(&prefixes);
    path_list_add(&prefixes, copy_text("/usr"));
    path_list_add(&prefixes, copy_text("/usr/local"));
    for (size_t i = 0; i < prefixes.count; i++) {
        path_list_add_folder(&places->gacs, format_text("%s/lib/mono/gac", prefixes.items[i]));
        if (i >= first) {
            path_list_add_folder(&places->folders,
                                 format_text("%s/lib/mono/4.5", prefixes.items[i]));
            path_list_add_folder(&places->folders,
                                 format_text("%s/lib/mono/4.5/Facades", prefixes.items[i]));
        }
    }
    path_list_free(&prefixes);
}

void mono_places_free(struct mono_places *places)
{
    path_list_free(&places->path);
    path_list_free(&places->gacs);
    path_list_free(&places->folders);
}

#define WHOLE_KEY 1u /* AssemblyFlags.PublicKey (II.23.1.2) */

/* gac/Name/1.0.0.0__0123456789abcdef/Name.dll */
static void add_exact(struct path_list *files, const char *gac,
                      const struct ilp_assembly_name *name)
{
    char token[17] = "";
    for (size_t i = 0; i < name->key.size && i < 8; i++) {
        snprintf(token + 2 * i, 3, "%02x", name->key.data[i]);
    }
    path_list_add(files, format_text("%s/%s/%u.%u.%u.%u_%s_%s/%s.dll", gac, name->name,
                                     name->version[0], name->version[1], name->version[2],
                                     name->version[3], name->culture, token, name->name));
}

/* The global assembly cache has a folder for each name, and in it one for each
 * VERSION_CULTURE_TOKEN. A reference with the whole key (see WHOLE_KEY) has no token: it would be
 * the end of the key's SHA-1 (II.6.3), which is not computed here, so any is tried. */
static void add_any_token(struct path_list *files, const char *gac,
                          const struct ilp_assembly_name *name)
{
    struct path_list entries = {NULL, 0};
    char *folder = path_join(gac, name->name);
    char *start = format_text("%u.%u.%u.%u_%s_", name->version[0], name->version[1],
                              name->version[2], name->version[3], name->culture);
    path_list_entries(&entries, folder, "");
    for (size_t i = 0; i < entries.count && start; i++) {
        if (strncmp(path_name(entries.items[i]), start, strlen(start)) == 0) {
            path_list_add(files, format_text("%s/%s.dll", entries.items[i], name->name));
        }
    }
    path_list_free(&entries);
    free(start);
    free(folder);
}

/* Assemblies without a key are not in the cache (II.6.3 has strong names). */
void mono_gac_files(struct path_list *files, const struct mono_places *places,
                    const struct ilp_assembly_name *name)
{
    if (strchr(name->culture, '/')) { /* it becomes part of a path */
        return;
    }
    for (size_t i = 0; i < places->gacs.count && name->key.size != 0; i++) {
        if (name->flags & WHOLE_KEY) {
            add_any_token(files, places->gacs.items[i], name);
        } else {
            add_exact(files, places->gacs.items[i], name);
        }
    }
}
