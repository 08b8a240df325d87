/* A rewriter's working memory.
 *
 * Lifetime: that of the rewriter, so that its buffers are allocated once. Its content is that of
 * one method: what a result borrows, and the map of ilp_rewriter_map(), is valid until the next
 * method. */
#ifndef ILPI_SCRATCH_H
#define ILPI_SCRATCH_H

#include "il/body.h"
#include "il/code.h"
#include "il/one_pass.h"
#include "il/patch.h"
#include "il/stack.h"

/* The instructions before a ret or a call (sequence.c): at most 131 bytes, preceded by a ret if a
 * tail call keeps its own. */
#define ILPI_MAX_SEQUENCE 180u

/* Working memory of one rewriter, used again for each method: after the first methods most allocate
 * nothing. */
struct ilpi_scratch {
    struct ilpi_alloc alloc; /* the source of all of it: limited */
    struct ilp_arena arena;  /* the body as it was read, and signatures */
    /* One pass is tried only on code up to this limit: it must use little memory, so that a method
     * that exceeds the memory limit does so with decoded instructions. */
    size_t pass_limit;
    bool passed;               /* the pass succeeded */
    struct ilpi_one_pass pass; /* its result */
    uint16_t *points;          /* depths by offset of the code, and one for its end (one_pass.h) */
    size_t point_capacity;
    struct ilpi_code code;
    struct ilpi_stack stack;
    struct ilpi_patch patch;
    ILPI_LIST(struct ilpi_insertion) insertions;
    ILPI_LIST(struct ilp_tail_site) tail_sites;
    uint8_t sequence[ILPI_MAX_SEQUENCE]; /* ret, then what is inserted */
    struct ilpi_buf body;
    bool has_map; /* code and patch are those of a rewritten method */

    /* "Ns.Type::Method". The part before the method's name stays while methods of one type follow
     * each other. */
    struct ilpi_buf name;
    ilp_rid name_owner; /* the type */
    size_t name_prefix; /* the size of that part */
};

/* `image_size`: of the image with the methods. */
void ilpi_scratch_open(struct ilpi_scratch *scratch, struct ilpi_alloc *alloc, size_t image_size);
void ilpi_scratch_close(struct ilpi_scratch *scratch);

/* Called before each method: frees what a very large one took, so that each has the whole limit. */
void ilpi_scratch_begin(struct ilpi_scratch *scratch);

#endif
