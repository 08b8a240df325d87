/* The new offsets of instructions: an ilp_il_map, compressed. Between two insertions all
 * instructions move by the same distance, so a few shifts hold a method's map.
 *
 *   old   0    10      20        shift {0, 0}, {10, 14}: from 10 on everything moves by 4
 *   new   0    14      24 */
#ifndef ILPI_MOVES_H
#define ILPI_MOVES_H

#include "base/alloc.h"

/* Offsets from `from` up to the next shift move to `to` and what follows. */
struct ilpi_shift {
    uint32_t from;
    uint32_t to;
};

/* The map of one method: the first shift is {0, 0}, since the start of a method does not move. */
struct ilpi_moves {
    /* Rising. NULL: no map was recorded, so no offset has changed; a recorded one has a shift even
     * if nothing moves. So move_methods() finds a new body without a map. */
    const struct ilpi_shift *shifts;
    size_t count;
};

/* Some formats store code offsets as signed (II.25.4.5); larger numbers are not offsets. */
#define ILPI_MAX_OFFSET ((uint32_t)INT32_MAX)

/* Makes it from a map (copied) whose entries rise in both members; else ILP_E_MISUSE. No entries:
 * nothing moves. */
ilp_status ilpi_moves_make(struct ilpi_moves *moves, const struct ilp_il_map *map, size_t count,
                           struct ilp_arena *arena, struct ilp_error *error);

/* The new offset. The mapping is monotonic. */
uint32_t ilpi_moved(const struct ilpi_moves *moves, uint32_t offset);

#endif
