/* Open addressing with linear probing; a slot is never freed, so a search ends at the first free
 * one. See number_map.h. */
#include "base/number_map.h"

#include "base/hash.h"

/* The key's slot, or the free one where it would stand. */
static struct ilpi_number_slot *slot_of(const struct ilpi_number_map *map, uint64_t key)
{
    size_t at = (size_t)XXH3_64bits(&key, sizeof key);
    for (;; at++) {
        struct ilpi_number_slot *slot = &map->slots[at & (map->capacity - 1)];
        if (slot->value == ILPI_NO_NUMBER || slot->key == key) {
            return slot;
        }
    }
}

uint32_t ilpi_number_find(const struct ilpi_number_map *map, uint64_t key)
{
    return map->capacity != 0 ? slot_of(map, key)->value : ILPI_NO_NUMBER;
}

static ilp_status grow(struct ilpi_number_map *map, struct ilpi_alloc *alloc,
                       struct ilp_error *error)
{
    size_t capacity = map->capacity != 0 ? 2 * map->capacity : 64;
    size_t size = capacity * sizeof *map->slots;
    struct ilpi_number_map larger = {ilpi_resize(alloc, NULL, 0, size), capacity, map->count};
    if (!larger.slots) {
        return ilpi_fail_memory(error, size);
    }
    for (size_t i = 0; i < capacity; i++) {
        larger.slots[i].value = ILPI_NO_NUMBER;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].value != ILPI_NO_NUMBER) {
            *slot_of(&larger, map->slots[i].key) = map->slots[i];
        }
    }
    ilpi_number_map_free(map, alloc);
    *map = larger;
    return ILP_OK;
}

ilp_status ilpi_number_set(struct ilpi_number_map *map, struct ilpi_alloc *alloc, uint64_t key,
                           uint32_t value, struct ilp_error *error)
{
    if (map->count >= map->capacity / 2) {
        ILPI_TRY(grow(map, alloc, error));
    }
    struct ilpi_number_slot *slot = slot_of(map, key);
    map->count += slot->value == ILPI_NO_NUMBER ? 1 : 0;
    *slot = (struct ilpi_number_slot){key, value};
    return ILP_OK;
}

void ilpi_number_map_free(struct ilpi_number_map *map, struct ilpi_alloc *alloc)
{
    ilpi_resize(alloc, map->slots, map->capacity * sizeof *map->slots, 0);
    *map = (struct ilpi_number_map){.slots = NULL};
}
