/* Stack depths of a body by one pass over its bytes: the results of decode.c and stack.c, without a
 * record per instruction and without a walk along all paths, for code that is simple enough.
 *
 * Compilers order code so that nearly every instruction is first reached from one before it. Code
 * reached only by branches back, such as the body of a loop that begins with a jump to its
 * condition, is assumed to begin with an empty stack (III.1.7.5) until such a branch confirms
 * it. */
#ifndef ILPI_ONE_PASS_H
#define ILPI_ONE_PASS_H

#include "il/body.h"
#include "il/stack.h"

/* For each offset of the code: the depth before the instruction there, in the low byte.
 * ILPI_NO_POINT: no instruction that may be a target begins there. */
#define ILPI_NO_POINT       UINT16_MAX
#define ILPI_POINT_DEPTH(p) ((p)&0xFFu)

/* What the pass found out, in numbers: enough to insert before the last ret without decoding. */
struct ilpi_one_pass {
    uint32_t max;    /* as in struct ilpi_stack */
    uint32_t count;  /* number of instructions */
    uint32_t rets;   /* number of ret instructions */
    uint32_t last;   /* offset of the last instruction */
    uint32_t before; /* offset of the one before it; the same if there is none */
    bool tails;      /* there is a `tail.` prefix */
};

/* `returns` for code of an unknown method: ret may have any depth. */
#define ILPI_RETURNS_ANY UINT32_MAX

/* Finds what ilpi_code_decode() and ilpi_stack_compute() find, if both would succeed and every
 * instruction is reachable. False if one pass is not enough, or the code is invalid: ignore *pass
 * then. `points` has room for one more entry than the code has bytes. */
bool ilpi_one_pass(struct ilpi_one_pass *pass, const struct ilp_body *body,
                   const struct ilpi_calls *calls, uint32_t returns, uint16_t *points);

/* Converts the depths to the form of ilpi_stack_compute(), for the instructions of that code. */
ilp_status ilpi_stack_of_pass(struct ilpi_stack *stack, struct ilpi_code *code,
                              const struct ilpi_one_pass *pass, const uint16_t *points,
                              struct ilp_error *error);

#endif
