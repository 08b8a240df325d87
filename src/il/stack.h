/* Stack depth by control flow: the number of values on the evaluation stack before each reachable
 * instruction.
 *
 * III.1.7.5 (empty stack at backward branches) is not required, since runtimes do not require
 * it. */
#ifndef ILPI_STACK_H
#define ILPI_STACK_H

#include "il/code.h"

/* The pops and pushes of one call, callvirt, newobj or calli:
 *
 *   call, callvirt   pops parameters, and `this` when the signature has one
 *   newobj           pops parameters, never `this`
 *   calli            pops parameters, `this` when the signature has one, and the function pointer
 *   all              push 1, unless they return void; newobj always does
 *
 * A signature has `this` with HASTHIS but without EXPLICITTHIS, which counts it among the
 * parameters (II.23.2.1). A vararg call also pops the parameters after SENTINEL. */
struct ilpi_call_shape {
    uint32_t pops;
    uint32_t pushes;
    bool takes_this; /* the lowest of what it pops is `this` */
};
struct ilpi_calls {
    void *user;
    ilp_status (*shape)(void *user, enum ilpi_op op, ilp_token token, struct ilpi_call_shape *shape,
                        struct ilp_error *error);
};

/* Zero-initialise, set alloc, use for any number of methods; ilpi_stack_free() at the end. */
struct ilpi_stack {
    struct ilpi_alloc *alloc;
    uint16_t *depth; /* per instruction, before it; valid where ILPI_INSN_SEEN is set */
    size_t capacity;
    uint32_t *pending; /* instructions with a known depth whose paths are not walked yet */
    size_t pending_capacity;
    uint32_t max; /* the largest depth anywhere: the required MaxStack */
};

/* Walks every path from the start of the code (depth 0) and of each handler and filter of `body`: 1
 * in a catch, a filter and its handler, 0 in a finally or fault. All of them count as reachable.
 * Sets ILPI_INSN_SEEN on reached instructions, clears it on others. Fails with ILP_E_BAD_BODY when
 * the depth goes below zero or above 65,535, differs where paths meet, is not exactly `returns` at
 * ret or 1 at endfilter, or when control runs off the end. `returns` is 0 or 1. `calls` may be NULL
 * for code without calls. */
ilp_status ilpi_stack_compute(struct ilpi_stack *stack, struct ilpi_code *code,
                              const struct ilp_body *body, const struct ilpi_calls *calls,
                              uint32_t returns, struct ilp_error *error);
void ilpi_stack_free(struct ilpi_stack *stack);

#endif
