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
    uint32_t target;  /* an instruction index; before `insn`, equal, or after it */
    uint32_t end;     /* its end in the code, from which displacements count */
    int32_t distance; /* from `end` to the target's label; ignored once it is wide */
    bool wide;
};

/* Widens those branches that do not reach their target's offset (`offset` is indexed by
 * instruction). The branches are in the order of the code, none of them wide. True if any was
 * widened: then compute the offsets again. `pending` is working memory for `count`. */
bool ilpi_widen_short_branches(struct ilpi_short_branch *branches, size_t count,
                               const uint32_t *offset, uint32_t *pending);

#endif
