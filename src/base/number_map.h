/* A map from 64-bit numbers to 32-bit ones, for what a spool counts: processes by their number,
 * nodes by parent and method. */
#ifndef ILPI_NUMBER_MAP_H
#define ILPI_NUMBER_MAP_H

#include "base/alloc.h"

struct ilpi_number_slot {
    uint64_t key;
    uint32_t value; /* ILPI_NO_NUMBER: the slot is free */
};

#define ILPI_NO_NUMBER UINT32_MAX

/* Zero-initialised it is empty. */
struct ilpi_number_map {
    struct ilpi_number_slot *slots; /* owned */
    size_t capacity;                /* 0, or a power of two */
    size_t count;
};

/* ILPI_NO_NUMBER when the key is not there. */
uint32_t ilpi_number_find(const struct ilpi_number_map *map, uint64_t key);

/* Adds the key, or gives it another value. */
ilp_status ilpi_number_set(struct ilpi_number_map *map, struct ilpi_alloc *alloc, uint64_t key,
                           uint32_t value, struct ilp_error *error);

void ilpi_number_map_free(struct ilpi_number_map *map, struct ilpi_alloc *alloc);

#endif
