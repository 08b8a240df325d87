/* Maps old IL offsets to new ones. See moves.h. */
#include "symbols/moves.h"

/* Both members rise, and the distance between them never shrinks: insertions only add bytes. So
 * ilpi_moved() is monotonic, and a scope's end stays after its start. The last comparison finds a
 * new offset below the one before it: their unsigned difference wraps, and so passes the comparison
 * before. */
static bool rises(const struct ilp_il_map *map, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (map[i].old_offset > ILPI_MAX_OFFSET || map[i].new_offset > ILPI_MAX_OFFSET ||
            (i > 0 && (map[i].old_offset <= map[i - 1].old_offset ||
                       map[i].new_offset - map[i - 1].new_offset <
                           map[i].old_offset - map[i - 1].old_offset ||
                       map[i].new_offset <= map[i - 1].new_offset))) {
            return false;
        }
    }
    return true;
}

/* Whether the i-th entry moves further than the one before it. The start of a method does not move:
 * code inserted there is entered at offset 0. So an entry at offset 0 is never a shift, and the
 * distance of the entry after it is compared with 0. */
static bool is_shift(const struct ilp_il_map *map, size_t i)
{
    uint32_t before = i > 1 || (i == 1 && map[0].old_offset != 0)
                          ? map[i - 1].new_offset - map[i - 1].old_offset
                          : 0;
    return map[i].old_offset != 0 && map[i].new_offset - map[i].old_offset != before;
}

/* Two passes over the map, to count and to store: the map has an entry for each instruction, the
 * shifts one for each insertion. */
ilp_status ilpi_moves_make(struct ilpi_moves *moves, const struct ilp_il_map *map, size_t count,
                           struct ilp_arena *arena, struct ilp_error *error)
{
    /* The first is {0, 0}, as the arena gives zeroed memory. */
    size_t shift_count = 1;
    if (!rises(map, count)) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "a map of offsets does not rise");
    }
    for (size_t i = 0; i < count; i++) {
        shift_count += is_shift(map, i);
    }
    struct ilpi_shift *shifts = ilpi_arena_array(arena, shift_count, sizeof *shifts);
    if (!shifts) {
        return ilpi_fail_memory(error, shift_count * sizeof *shifts);
    }
    size_t at = 1;
    for (size_t i = 0; i < count; i++) {
        if (is_shift(map, i)) {
            shifts[at++] = (struct ilpi_shift){map[i].old_offset, map[i].new_offset};
        }
    }
    *moves = (struct ilpi_moves){shifts, shift_count};
    return ILP_OK;
}

/* The last shift that begins at or before the offset; shifts[0] begins at 0, so there is always
 * one. */
uint32_t ilpi_moved(const struct ilpi_moves *moves, uint32_t offset)
{
    if (!moves->shifts) {
        return offset;
    }
    size_t low = 0;
    size_t high = moves->count;
    /* Invariant: shifts[low].from <= offset, and shifts[high], if there is one, begins after it. */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (moves->shifts[middle].from <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return moves->shifts[low].to + (offset - moves->shifts[low].from);
}
