/* See loaded.h. */
#include "profiler/clr/loaded.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "metadata/image.h"
#include "profiler/status.h"

struct loaded_assembly {
    struct loaded_assembly *next;
    ModuleID id;
    struct ilp_image *image; /* owned; NULL: it cannot be read */
    bool told;
    char name[];
};

struct loaded {
    struct loaded_assembly *entries; /* the one loaded last is in front */
};

struct loaded *loaded_open(void)
{
    return calloc(1, sizeof(struct loaded));
}

static void entry_free(struct loaded_assembly *entry)
{
    ilp_image_close(entry->image);
    free(entry);
}

void loaded_close(struct loaded *loaded)
{
    while (loaded && loaded->entries) {
        struct loaded_assembly *entry = loaded->entries;
        loaded->entries = entry->next;
        entry_free(entry);
    }
    free(loaded);
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

/* What a name leads to; NULL: to nothing, or to things that differ. */
static struct loaded_assembly *find(const struct loaded *loaded, const char *name, bool *differ)
{
    struct loaded_assembly *first = next_named(loaded->entries, name);
    *differ = false;
    for (struct loaded_assembly *at = first; at; at = next_named(at->next, name)) {
        *differ = *differ || (at != first && !same_types(at, first));
    }
    return *differ ? NULL : first;
}

bool loaded_add(struct loaded *loaded, ModuleID id, struct ilp_image *image, const char *name,
                uint64_t *key)
{
    struct ilp_assembly_name own;
    bool differed, differ;
    for (const struct loaded_assembly *at = loaded->entries; at; at = at->next) {
        if (at->id == id) {
            ilp_image_close(image);
            return false;
        }
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

/* Where nothing of the name is left, no value of its types is either. */
bool loaded_remove(struct loaded *loaded, ModuleID id, uint64_t *key)
{
    bool differed = false, differ = false;
    for (struct loaded_assembly **link = &loaded->entries; *link; link = &(*link)->next) {
        struct loaded_assembly *entry = *link;
        if (entry->id == id) {
            find(loaded, entry->name, &differed);
            *link = entry->next;
            find(loaded, entry->name, &differ);
            *key = key_of(entry->name);
            entry_free(entry);
            return differed && !differ;
        }
    }
    return false;
}

/* Once, as long as one of them is there. */
static void tell_differ(const struct loaded *loaded, const char *name)
{
    bool told = false;
    for (struct loaded_assembly *at = next_named(loaded->entries, name); at;
         at = next_named(at->next, name)) {
        told = told || at->told;
        at->told = true;
    }
    if (!told) {
        status_line("values",
                    "structs of %s are shown as bytes: several assemblies of this name are loaded, "
                    "and differ",
                    name);
    }
}

static void note_key(struct loaded_question *question, uint64_t key)
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
    note_key(question, key_of(name->name));
    if (differ) {
        tell_differ(question->loaded, name->name);
    }
    return entry ? entry->image : NULL;
}

struct ilp_resolver loaded_resolver(struct loaded_question *question)
{
    return (struct ilp_resolver){.user = question, .open = open_assembly};
}
