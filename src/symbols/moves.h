/* Where the instructions of methods went: what ilp_il_map says, made small. Between two insertions
 * all instructions move by the same distance, so a few shifts hold the map of a method. */
#ifndef ILPI_MOVES_H
#define ILPI_MOVES_H

#include "base/alloc.h"

/* Offsets from `from` on, up to the next shift, move to `to` and what follows. */
struct ilpi_shift {
    uint32_t from;
    uint32_t to;
};

/* One method's: the first shift is {0, 0}, which the start of a method always is. */
struct ilpi_moves {
    const struct ilpi_shift *shifts; /* rising; NULL: the method is as it was */
    size_t count;
};

/* Offsets in code are signed here and there (II.25.4.5); what is larger is none. */
#define ILPI_MAX_OFFSET ((uint32_t)INT32_MAX)

/* Takes a map (copied) whose entries rise in both members; ILP_E_MISUSE for another one. No
 * entries: nothing moves. */
ilp_status ilpi_moves_make(struct ilpi_moves *moves, const struct ilp_il_map *map, size_t count,
                           struct ilp_arena *arena, struct ilp_error *error);

/* Where an offset is now. Of two offsets the smaller one stays the smaller one. */
uint32_t ilpi_moved(const struct ilpi_moves *moves, uint32_t offset);

#endif
