/* The map that all look-ups by hash use: from hashes to numbers, such as indexes and rows.
 *
 * It stores no keys. The caller knows what each number means and compares that with the key;
 * few comparisons fail:
 *
 *     struct ilpi_map_search search = ilpi_map_find(&map, hash);
 *     for (uint32_t rid; (rid = ilpi_map_next(&search)) != 0;) {
 *         if (is_named(image, rid, name)) {
 *             return rid;
 *         }
 *     }
 *
 * Open addressing with linear probing, at least half of the slots free. A slot is never freed, so a
 * search ends at the first free one. */
#ifndef ILPI_MAP_H
#define ILPI_MAP_H

#include "base/alloc.h"

/* 8 bytes, so that a cache line has 8 slots: the 32 bits of the hash reject most others without a
 * look at the entry. */
struct ilpi_map_slot {
    uint32_t hash;
    uint32_t number; /* 0: the slot is free */
};

/* Zero-initialised it is empty. */
struct ilpi_map {
    struct ilpi_map_slot *slots; /* owned */
    size_t capacity;             /* 0, or a power of two: an index is masked, not divided */
    size_t count;                /* slots in use, at most half of them */
    /* How many slots a search visits; 0: all. Names made to collide could otherwise turn a search
     * into a walk over all slots. A number that finds no free slot within the limit is not
     * added. */
    size_t limit;
    size_t reach; /* the same, never above capacity */
};

/* A search in progress: the next call continues after the last candidate. */
struct ilpi_map_search {
    const struct ilpi_map *map;
    uint32_t hash;
    size_t at; /* the next slot, modulo capacity */
    size_t end;
};

/* Only the lower 32 bits of a hash count. */
static inline struct ilpi_map_search ilpi_map_find(const struct ilpi_map *map, uint64_t hash)
{
    uint32_t start = (uint32_t)hash;
    return (struct ilpi_map_search){map, start, start, start + map->reach};
}

/* The next number with this hash, in no particular order; 0: there are no more. */
static inline uint32_t ilpi_map_next(struct ilpi_map_search *search)
{
    const struct ilpi_map *map = search->map;
    while (search->at != search->end) {
        const struct ilpi_map_slot *slot = &map->slots[search->at++ & (map->capacity - 1)];
        if (slot->number == 0 || slot->hash == search->hash) {
            return slot->number;
        }
    }
    return 0;
}

/* The memory of a map with room for `count` numbers. */
size_t ilpi_map_bytes(size_t count);

/* Room for `count` numbers in all. */
ilp_status ilpi_map_grow(struct ilpi_map *map, struct ilpi_alloc *alloc, size_t count,
                         struct ilp_error *error);
static inline ilp_status ilpi_map_reserve(struct ilpi_map *map, struct ilpi_alloc *alloc,
                                          size_t count, struct ilp_error *error)
{
    return map->capacity != 0 && count <= map->capacity / 2
               ? ILP_OK
               : ilpi_map_grow(map, alloc, count, error);
}

/* Adds a number, which must not be 0, whether or not others have the same hash. */
ilp_status ilpi_map_add(struct ilpi_map *map, struct ilpi_alloc *alloc, uint64_t hash,
                        uint32_t number, struct ilp_error *error);

/* Adds a number after a search that found none, without searching again. The map must have had room
 * for one more when the search began. */
static inline void ilpi_map_add_found(struct ilpi_map *map, const struct ilpi_map_search *search,
                                      uint32_t number)
{
    struct ilpi_map_slot *slot = &map->slots[(search->at - 1) & (map->capacity - 1)];
    if (slot->number == 0) { /* else all slots within the limit are in use */
        *slot = (struct ilpi_map_slot){search->hash, number};
        map->count++;
    }
}

/* Replaces the number that the search found last, by another one with the same hash. */
void ilpi_map_replace(struct ilpi_map *map, const struct ilpi_map_search *search, uint32_t number);

/* Empties the map, but keeps its limit. */
void ilpi_map_free(struct ilpi_map *map, struct ilpi_alloc *alloc);

#endif
