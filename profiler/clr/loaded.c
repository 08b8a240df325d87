/* Tracks loaded assemblies: a list by name, in which the newest of one name is found first. See
 * loaded.h. Whenever the answer for a name changes, its key is returned, and shapes that depend on
 * that name are built again.
 *
 *   no assembly of the name     a reference is unresolved; its key is noted
 *   one, or equal ones          that one
 *   several that differ         none: which one a reference means depends on the load context
 *
 * Two of one name are common in programs with plug-ins (AssemblyLoadContext). Showing a value by
 * the fields of the wrong one would read wrong memory, so it is shown as bytes, with a message. */
#include "profiler/clr/loaded.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "metadata/image.h"
#include "profiler/status.h"
#include "types/closed_type.h"

struct loaded_assembly {
    struct loaded_assembly *next;
    ModuleID id;
    struct ilp_image *image; /* owned; NULL: it cannot be read */
    struct ilp_arena *arena; /* owned; NULL: not needed yet */
    bool reported;
    char name[];
};

struct loaded {
    pthread_mutex_t lock;
    struct loaded_assembly *entries; /* the last loaded one is first */
    const char *differing;           /* a name to report; borrowed */
};

struct loaded *loaded_open(void)
{
    struct loaded *loaded = calloc(1, sizeof *loaded);
    if (loaded && pthread_mutex_init(&loaded->lock, NULL) != 0) {
        free(loaded);
        loaded = NULL;
    }
    return loaded;
}

static void entry_free(struct loaded_assembly *entry)
{
    ilp_image_close(entry->image);
    ilp_arena_close(entry->arena);
    free(entry);
}

void loaded_close(struct loaded *loaded)
{
    while (loaded && loaded->entries) {
        struct loaded_assembly *entry = loaded->entries;
        loaded->entries = entry->next;
        entry_free(entry);
    }
    if (loaded) {
        pthread_mutex_destroy(&loaded->lock);
    }
    free(loaded);
}

void loaded_lock(struct loaded *loaded)
{
    pthread_mutex_lock(&loaded->lock);
}

/* Messages are written without the lock: their reader may be slow. */
void loaded_unlock(struct loaded *loaded, bool reports)
{
    const char *differing = reports ? loaded->differing : NULL;
    loaded->differing = reports ? NULL : loaded->differing;
    pthread_mutex_unlock(&loaded->lock);
    if (differing) {
        status_line("values",
                    "structs of %s are shown as bytes: several assemblies of this name are loaded, "
                    "and differ",
                    differing);
    }
}

static struct loaded_assembly *find_module(const struct loaded *loaded, ModuleID id)
{
    struct loaded_assembly *entry = loaded->entries;
    while (entry && entry->id != id) {
        entry = entry->next;
    }
    return entry;
}

struct ilp_image *loaded_image(const struct loaded *loaded, ModuleID id)
{
    const struct loaded_assembly *entry = find_module(loaded, id);
    return entry ? entry->image : NULL;
}

/* The module that an image was opened for, else one with an equal identity: an image may have been
 * opened twice. */
ModuleID loaded_module(const struct loaded *loaded, const struct ilp_image *image)
{
    const struct loaded_assembly *found = NULL;
    for (const struct loaded_assembly *at = loaded->entries; at; at = at->next) {
        if (at->image == image) {
            return at->id;
        }
        found = at->image && ilpi_same_module(at->image, image) ? at : found;
    }
    return found ? found->id : 0;
}

static bool is_one_of(ModuleID id, const ModuleID *ids, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && ids[i] != id) {
        i++;
    }
    return i < count;
}

/* For facts that live as long as the one of these modules that was loaded last. */
struct ilp_arena *loaded_arena(const struct loaded *loaded, const ModuleID *ids, uint32_t count)
{
    struct loaded_assembly *entry = loaded->entries;
    while (entry && entry->next && !is_one_of(entry->id, ids, count)) {
        entry = entry->next;
    }
    bool there = entry && (entry->arena || ilp_arena_open(&entry->arena, NULL, NULL) == ILP_OK);
    return there ? entry->arena : NULL;
}

/* Names of assemblies are compared without regard to case. */
static uint64_t key_of(const char *name)
{
    uint64_t hash = 0;
    for (; *name != '\0'; name++) {
        hash = hash * 1099511628211u ^ (uint8_t)(*name | 0x20);
    }
    return hash;
}

static struct loaded_assembly *next_named(struct loaded_assembly *entry, const char *name)
{
    while (entry && strcasecmp(entry->name, name) != 0) {
        entry = entry->next;
    }
    return entry;
}

/* Whether types are the same in both: one assembly may be loaded into several contexts. */
static bool same_types(const struct loaded_assembly *a, const struct loaded_assembly *b)
{
    return a->image && b->image && ilpi_bytes_equal(a->image->root, b->image->root);
}

/* The assembly of a name; NULL: none, or several different ones. All of the name are compared with
 * the newest. */
static struct loaded_assembly *find(const struct loaded *loaded, const char *name, bool *differ)
{
    struct loaded_assembly *first = next_named(loaded->entries, name);
    *differ = false;
    for (struct loaded_assembly *at = first; at; at = next_named(at->next, name)) {
        *differ = *differ || (at != first && !same_types(at, first));
    }
    return *differ ? NULL : first;
}

/* True: what a reference by this name means has changed. */
bool loaded_add(struct loaded *loaded, ModuleID id, struct ilp_image *image, const char *name,
                uint64_t *key)
{
    struct ilp_assembly_name own;
    bool differed, differ;
    if (find_module(loaded, id)) {
        ilp_image_close(image);
        return false;
    }
    name = image && ilp_image_assembly_name(image, &own) ? own.name : name;
    struct loaded_assembly *entry = calloc(1, sizeof *entry + strlen(name) + 1);
    if (!entry) {
        ilp_image_close(image);
        return false;
    }
    entry->id = id;
    entry->image = image;
    strcpy(entry->name, name);
    struct loaded_assembly *before = find(loaded, name, &differed);
    entry->next = loaded->entries;
    loaded->entries = entry;
    find(loaded, name, &differ);
    *key = key_of(name);
    return differ != differed || (!before && !differ);
}

/* When no assembly of the name is left, no value of its types is either. */
bool loaded_remove(struct loaded *loaded, ModuleID id, uint64_t *key)
{
    bool differed = false, differ = false;
    for (struct loaded_assembly **link = &loaded->entries; *link; link = &(*link)->next) {
        struct loaded_assembly *entry = *link;
        if (entry->id == id) {
            find(loaded, entry->name, &differed);
            *link = entry->next;
            loaded->differing = loaded->differing == entry->name ? NULL : loaded->differing;
            find(loaded, entry->name, &differ);
            *key = key_of(entry->name);
            entry_free(entry);
            return differed && !differ;
        }
    }
    return false;
}

/* Once per name, while one of them is loaded. */
static void note_differing(struct loaded *loaded, const char *name)
{
    struct loaded_assembly *first = next_named(loaded->entries, name);
    bool reported = loaded->differing != NULL;
    for (struct loaded_assembly *at = first; at; at = next_named(at->next, name)) {
        reported = reported || at->reported;
    }
    if (reported || !first) {
        return;
    }
    loaded->differing = first->name;
    for (struct loaded_assembly *at = first; at; at = next_named(at->next, name)) {
        at->reported = true;
    }
}

/* More keys than there is room for are counted, which means that any change is relevant. */
void loaded_note_key(struct loaded_question *question, uint64_t key)
{
    for (uint32_t i = 0; i < question->count && i < LOADED_KEYS; i++) {
        if (question->keys[i] == key) {
            return;
        }
    }
    if (question->count < LOADED_KEYS) {
        question->keys[question->count] = key;
    }
    question->count += question->count <= LOADED_KEYS;
}

static struct ilp_image *open_assembly(void *user, const struct ilp_assembly_name *name)
{
    struct loaded_question *question = user;
    bool differ;
    struct loaded_assembly *entry = find(question->loaded, name->name, &differ);
    loaded_note_key(question, key_of(name->name));
    if (differ) {
        note_differing(question->loaded, name->name);
    }
    return entry ? entry->image : NULL;
}

struct ilp_resolver loaded_resolver(struct loaded_question *question)
{
    return (struct ilp_resolver){.user = question, .open = open_assembly};
}
