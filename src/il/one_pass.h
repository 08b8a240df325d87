/* The stack of a body by one pass over its bytes: what decode.c and stack.c tell by a record of
 * each instruction and a walk along all paths, for code that needs no more than this.
 *
 * Compilers put code in an order in which nearly every instruction is first reached from one before
 * it. What only branches back lead to, the body of a loop that begins with a jump to its condition,
 * is taken to begin with an empty stack (III.1.7.5), until such a branch comes and says so. */
#ifndef ILPI_ONE_PASS_H
#define ILPI_ONE_PASS_H

#include "il/body.h"
#include "il/stack.h"

/* For each offset of the code: the depth before the instruction that begins there, in the low byte.
 * ILPI_NO_POINT: none begins there to which anything may lead. */
#define ILPI_NO_POINT       UINT16_MAX
#define ILPI_POINT_DEPTH(p) ((p)&0xFFu)

struct ilpi_one_pass {
    uint32_t max;    /* as in struct ilpi_stack */
    uint32_t count;  /* of instructions, */
    uint32_t rets;   /* and how many of them are a ret */
    uint32_t last;   /* where the last instruction begins, */
    uint32_t before; /* and the one before it; the same, if there is none */
    bool tails;      /* there is a `tail.` */
};

/* `returns` of code whose method is not known: a ret may find anything. */
#define ILPI_RETURNS_ANY UINT32_MAX

/* What ilpi_code_decode() and ilpi_stack_compute() find, if both succeed, and every instruction is
 * reachable. False where one pass cannot tell, or the code is not right: then nothing in *pass
 * counts. `points` has room for one more than there are bytes of code. */
bool ilpi_one_pass(struct ilpi_one_pass *pass, const struct ilp_body *body,
                   const struct ilpi_calls *calls, uint32_t returns, uint16_t *points);

/* The same as ilpi_stack_compute() has it, for the instructions of that code. */
ilp_status ilpi_stack_of_pass(struct ilpi_stack *stack, struct ilpi_code *code,
                              const struct ilpi_one_pass *pass, const uint16_t *points,
                              struct ilp_error *error);

#endif
