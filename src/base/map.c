/* Growing and filling maps. See map.h.
 *
 *   slots      . . A B C . . . D .        A, B, C: hash % capacity is 2, 2, 3
 *   search     hash 2: from slot 2 on, until a slot has this hash (then compare keys) or is free
 *
 * At least half of the slots are free, so with a good hash a search visits two or three slots on
 * average. Growing doubles the capacity and places all numbers again, which costs a constant for
 * each number in the long run. */
#include "base/map.h"

#include <string.h>

#define FEWEST_SLOTS ((size_t)64)

/* False: there is no free slot within the limit. */
static bool place(struct ilpi_map *map, struct ilpi_map_slot added)
{
    struct ilpi_map_search search = ilpi_map_find(map, added.hash);
    while (search.at != search.end) {
        struct ilpi_map_slot *slot = &map->slots[search.at++ & (map->capacity - 1)];
        if (slot->number == 0) {
            *slot = added;
            return true;
        }
    }
    return false;
}

/* The old slots are placed in a table of the larger capacity. With a limit some may not be
 * placed, and are lost: the limit makes such a map a hint (map.h). */
static ilp_status grow(struct ilpi_map *map, struct ilpi_alloc *alloc, size_t capacity,
                       struct ilp_error *error)
{
    size_t size = capacity * sizeof *map->slots;
    struct ilpi_map larger = {
        .slots = ilpi_resize(alloc, NULL, 0, size),
        .capacity = capacity,
        .limit = map->limit,
        .reach = map->limit != 0 && map->limit < capacity ? map->limit : capacity,
    };
    if (!larger.slots) {
        return ilpi_fail_memory(error, size);
    }
    memset(larger.slots, 0, size);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].number != 0) {
            larger.count += place(&larger, map->slots[i]);
        }
    }
    ilpi_map_free(map, alloc);
    *map = larger;
    return ILP_OK;
}

/* Half of the slots stay free. */
static size_t capacity_for(size_t capacity, size_t count)
{
    while (capacity / 2 < count && capacity <= SIZE_MAX / 2 / sizeof(struct ilpi_map_slot)) {
        capacity *= 2;
    }
    return capacity;
}

size_t ilpi_map_bytes(size_t count)
{
    return capacity_for(FEWEST_SLOTS, count) * sizeof(struct ilpi_map_slot);
}

ilp_status ilpi_map_grow(struct ilpi_map *map, struct ilpi_alloc *alloc, size_t count,
                         struct ilp_error *error)
{
    size_t capacity = capacity_for(map->capacity != 0 ? map->capacity : FEWEST_SLOTS, count);
    if (capacity / 2 < count) {
        return ilpi_fail_memory(error, SIZE_MAX);
    }
    return capacity != map->capacity ? grow(map, alloc, capacity, error) : ILP_OK;
}

ilp_status ilpi_map_add(struct ilpi_map *map, struct ilpi_alloc *alloc, uint64_t hash,
                        uint32_t number, struct ilp_error *error)
{
    ILPI_TRY(ilpi_map_reserve(map, alloc, map->count + 1, error));
    map->count += place(map, (struct ilpi_map_slot){(uint32_t)hash, number});
    return ILP_OK;
}

void ilpi_map_replace(struct ilpi_map *map, const struct ilpi_map_search *search, uint32_t number)
{
    map->slots[(search->at - 1) & (map->capacity - 1)].number = number;
}

void ilpi_map_free(struct ilpi_map *map, struct ilpi_alloc *alloc)
{
    ilpi_resize(alloc, map->slots, map->capacity * sizeof *map->slots, 0);
    *map = (struct ilpi_map){.limit = map->limit};
}
