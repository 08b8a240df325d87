/* Short branches that no longer reach their targets become long, and only those. */
#ifndef ILPI_SHORT_BRANCH_H
#define ILPI_SHORT_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A short branch becomes long: the opcode stays one byte, the operand grows from 1 to 4. */
#define ILPI_WIDER 3u

struct ilpi_short_branch {
    uint32_t insn;
    uint32_t target;  /* an instruction index; before `insn`, itself, or behind it */
    uint32_t end;     /* its end in the code, where displacements count from */
    int32_t distance; /* from `end` to the target's label; of no interest once it is wide */
    bool wide;
};

/* Widens those of the branches, which are in the order of the code and none of them wide, that do
 * not reach where `offset`, by instruction, has their targets; true when there are any. Then all
 * is to be laid out again. `pending` is working memory for `count`. */
bool ilpi_widen_short_branches(struct ilpi_short_branch *branches, size_t count,
                               const uint32_t *offset, uint32_t *pending);

#endif
