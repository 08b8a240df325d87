/* Working memory of a rewriter.
 *
 * Lifetime: that of the rewriter, so that its buffers are allocated once. Its content is that of
 * one method: what a result borrows, and the map of ilp_rewriter_map(), ends with the next
 * method. */
#ifndef ILPI_SCRATCH_H
#define ILPI_SCRATCH_H

#include "il/body.h"
#include "il/code.h"
#include "il/one_pass.h"
#include "il/patch.h"
#include "il/stack.h"

/* The instructions put before a ret or a call (sequence.c): at most 131 bytes, and a ret before
 * them where a tail call keeps its own. */
#define ILPI_MAX_SEQUENCE 180u

struct ilpi_scratch {
    struct ilpi_alloc alloc; /* where all of it comes from: limited */
    struct ilp_arena arena;  /* the body as it was read, and signatures */
    /* One pass over the code, if that has no more bytes than the limit: it is to take little
     * memory, so that what is too much is too much for the instructions. */
    size_t pass_limit;
    bool passed;               /* it could tell */
    struct ilpi_one_pass pass; /* what it found */
    uint16_t *points;
    size_t point_capacity;
    struct ilpi_code code;
    struct ilpi_stack stack;
    struct ilpi_patch patch;
    ILPI_LIST(struct ilpi_insertion) insertions;
    ILPI_LIST(struct ilp_tail_site) tail_sites;
    uint8_t sequence[ILPI_MAX_SEQUENCE]; /* ret, then what is inserted */
    struct ilpi_buf body;                /* the new one */
    /* code and patch are those of a method that was rewritten */
    bool has_map;

    /* "Ns.Type::Method". The part before the method's name stays while methods of one type follow
     * each other. */
    struct ilpi_buf name;
    ilp_rid name_owner; /* the type */
    size_t name_prefix; /* the size of that part */
};

/* `image_size`: of what has the methods. */
void ilpi_scratch_open(struct ilpi_scratch *scratch, struct ilpi_alloc *alloc, size_t image_size);
void ilpi_scratch_close(struct ilpi_scratch *scratch);

/* Before each method: what a very large one took is given back, so that the limit is the next
 * one's. */
void ilpi_scratch_begin(struct ilpi_scratch *scratch);

#endif
