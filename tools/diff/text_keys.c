/* Numbers texts, with a map. See text_keys.h. A method's lines are compared as numbers then, and
 * each text is hashed once. The map is made for the number of lines beforehand, so adding cannot
 * fail.
 *
 *   "ldarg.0" -> 0, "add" -> 1, "ldarg.0" -> 0      in the order in which texts are met */
#include "tools/diff/text_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tools/tool.h"

struct text_keys_entry {
    const char *text;
    size_t size;
    uint64_t hash;
};

void text_keys_open(struct text_keys *keys)
{
    *keys = (struct text_keys){.count = 0};
    ilpi_alloc_init(&keys->alloc, NULL);
}

/* Keys of an earlier pair are dropped, with the texts that they borrow. `most` entries have room,
 * so that text_key() never moves them. */
void text_keys_begin(struct text_keys *keys, uint32_t most)
{
    ilpi_map_free(&keys->places, &keys->alloc);
    keys->entries = need(grow_items(keys->entries, (size_t)most + 1, sizeof *keys->entries));
    keys->count = 0;
    bool ready = ilpi_map_reserve(&keys->places, &keys->alloc, most, NULL) == ILP_OK;
    need(ready ? keys : NULL);
}

/* Different texts of one hash differ by their bytes. */
uint32_t text_key(struct text_keys *keys, const char *text, size_t size)
{
    uint64_t hash = XXH3_64bits(text, size);
    struct ilpi_map_search search = ilpi_map_find(&keys->places, hash);
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        const struct text_keys_entry *entry = &keys->entries[place - 1];
        if (entry->hash == hash && entry->size == size && memcmp(entry->text, text, size) == 0) {
            return place - 1;
        }
    }
    keys->entries[keys->count++] = (struct text_keys_entry){text, size, hash};
    ilpi_map_add_found(&keys->places, &search, keys->count);
    return keys->count - 1;
}

void text_keys_free(struct text_keys *keys)
{
    ilpi_map_free(&keys->places, &keys->alloc);
    free(keys->entries);
}
