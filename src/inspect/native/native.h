/* Native functions as inspectors: what they may be given, and the instructions that call them. */
#ifndef ILPI_NATIVE_H
#define ILPI_NATIVE_H

#include "inspect/rewrite.h"

/* Which types may hold object references, for native functions that must not see any. */
#define ILPI_REMEMBERED_REFERENCES 509u
struct ilpi_remembered_references {
    const uint8_t *type; /* NULL: free */
    enum ilp_truth holds;
    ilp_token unresolved; /* ILP_UNKNOWN: for want of this one's definition; 0: none is missing */
};

/* Makes a binding ready for a native function: what was added to the module before is found; whether it can be called from
 * there is found out. */
ilp_status ilpi_native_open(struct ilp_rewriter *rewriter, struct ilpi_inspector_binding *binding, struct ilp_error *error);

/* As ilpi_overload_choose(). Needs no box, so that it takes any value, but perhaps none that holds references. */
ilp_status ilpi_native_choose(struct ilp_rewriter *rewriter, struct ilpi_decision *decision,
                              struct ilp_error *error);

/* Whether a decision needs a type of the core library. */
bool ilpi_native_needs_core(const struct ilp_inspector *inspector, const struct ilpi_decision *decision);

/* Whether there is room for the value's copy in `body`; the locals with it. */
ilp_status ilpi_native_check(struct ilp_rewriter *rewriter, const struct ilp_body *body,
                             struct ilp_error *error);
ilp_status ilpi_native_locals(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                              struct ilp_body *body, struct ilp_error *error);

/* What the instructions are made of. */
struct ilpi_native_call {
    const struct ilp_native *function;
    uint32_t copy;  /* the local */
    uint32_t size;  /* of the value, 0: sizeof tells */
    ilp_token type; /* of the value; 0 where it is not needed */
    ilp_token call; /* a method, or a signature for calli */
    ilp_token then; /* a signature for the call behind it */
};
ilp_status ilpi_native_tokens(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                              struct ilpi_native_call *call, struct ilp_error *error);

/* From the value on the stack to the call. */
uint8_t *ilpi_native_put(uint8_t *to, const struct ilpi_decision *decision,
                         const struct ilpi_native_call *call, int64_t id);

/* How many values the function and its call take. */
uint32_t ilpi_native_height(const struct ilp_inspector *inspector);

/* Whether instruction `i` calls the function at its address, as these sequences do. */
bool ilpi_native_is_call(const struct ilp_inspector *inspector, const struct ilpi_code *code, uint32_t i);

#endif
