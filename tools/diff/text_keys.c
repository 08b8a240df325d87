/* A hash table from texts to numbers. See text_keys.h. */
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

void text_keys_begin(struct text_keys *keys, uint32_t most)
{
    size_t wanted = 16;
    while (wanted / 2 < most) {
        wanted *= 2;
    }
    if (wanted > keys->capacity) {
        free(keys->slots);
        free(keys->entries);
        keys->slots = need(malloc(wanted * sizeof *keys->slots));
        keys->entries = need(malloc(wanted / 2 * sizeof *keys->entries));
        keys->capacity = wanted;
    }
    memset(keys->slots, 0, wanted * sizeof *keys->slots);
    keys->mask = wanted - 1;
    keys->count = 0;
}

uint32_t text_key(struct text_keys *keys, const char *text, size_t size)
{
    uint64_t hash = XXH3_64bits(text, size);
    size_t slot = (size_t)hash & keys->mask;
    for (; keys->slots[slot] != 0; slot = (slot + 1) & keys->mask) {
        const struct text_keys_entry *entry = &keys->entries[keys->slots[slot] - 1];
        if (entry->hash == hash && entry->size == size && memcmp(entry->text, text, size) == 0) {
            return keys->slots[slot] - 1;
        }
    }
    keys->entries[keys->count] = (struct text_keys_entry){text, size, hash};
    keys->slots[slot] = ++keys->count;
    return keys->count - 1;
}

void text_keys_free(struct text_keys *keys)
{
    free(keys->slots);
    free(keys->entries);
    *keys = (struct text_keys){0};
}
