/* Widens the short branches that no longer reach their targets. See short_branch.h.
 *
 * A widened branch grows by 3 bytes, which can put branches that span it out of reach.
 *
 *      .... b.s ........... c.s ........ T       b spans c: T is 3 bytes further when c grows.
 *              |<----- at most 127 ----->|       Only what ends at most 127 bytes before c's end,
 *              `- distances count from here      or 126 after it, can span c.
 *
 * Algorithm: compute the distance of every short branch with none widened; widen those out of
 * reach; for each of them add 3 to the distances of the branches that span it, and continue with
 * those that no longer reach. A branch is widened only if the branches widened before it force
 * that, so the result is the least fixed point: every branch that can stay short does. Each branch
 * is widened once and visits the short branches of some 250 bytes of code (at least 2 bytes each),
 * so the whole is linear. */
#include "il/short_branch.h"

/* How far apart the ends of a short branch and of another that it spans can be. It reaches 127
 * bytes forward and 128 back, both from its end; back, the other's 2 bytes are after the target. */
#define SPANS_FORWARD  127u
#define SPANS_BACKWARD (128u - 2u)

struct widening {
    struct ilpi_short_branch *branches;
    size_t count;
    uint32_t *pending; /* widened branches that have not stretched others yet */
    size_t pending_count;
};

/* Its target is `by` bytes further away. */
static void stretch(struct widening *widening, size_t i, int32_t by)
{
    struct ilpi_short_branch *branch = &widening->branches[i];
    branch->distance += by;
    if (branch->distance < INT8_MIN || branch->distance > INT8_MAX) {
        branch->wide = true; /* a wide branch is not stretched again: it is pending once */
        widening->pending[widening->pending_count++] = (uint32_t)i;
    }
}

/* The i-th branch has grown: stretch those that span it. */
static void stretch_around(struct widening *widening, size_t i)
{
    const struct ilpi_short_branch *branches = widening->branches;
    uint32_t grown = branches[i].insn;
    uint32_t end = branches[i].end;
    for (size_t j = i; j-- > 0 && end - branches[j].end <= SPANS_FORWARD;) {
        if (!branches[j].wide && branches[j].target > grown) {
            stretch(widening, j, (int32_t)ILPI_WIDER);
        }
    }
    for (size_t j = i + 1; j < widening->count && branches[j].end - end <= SPANS_BACKWARD; j++) {
        if (!branches[j].wide && branches[j].target <= grown) {
            stretch(widening, j, -(int32_t)ILPI_WIDER);
        }
    }
}

/* Growing one branch can push others out of reach, which wait in `pending`. A branch only ever
 * grows, so each is there at most once, and the end is the smallest code with these branches. */
bool ilpi_widen_short_branches(struct ilpi_short_branch *branches, size_t count,
                               const uint32_t *offset, uint32_t *pending)
{
    struct widening widening = {branches, count, pending, 0};
    for (size_t i = 0; i < count; i++) {
        branches[i].distance = (int32_t)offset[branches[i].target] - (int32_t)branches[i].end;
        stretch(&widening, i, 0);
    }
    bool any = widening.pending_count > 0;
    while (widening.pending_count > 0) {
        stretch_around(&widening, pending[--widening.pending_count]);
    }
    return any;
}
