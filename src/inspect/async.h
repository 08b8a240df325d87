/* Async methods that compilers have turned into state machines: the method that is called, the
 * kickoff method, and the MoveNext that gives its result to a builder.
 */
#ifndef ILPI_ASYNC_H
#define ILPI_ASYNC_H

#include "il/code.h"
#include "budget.h"
#include "metadata/image.h"

/* Which method belongs to which, by MethodDef row; in an arena. Not looked for yet: both NULL. */
struct ilpi_async {
    ilp_rid *kickoff_of;   /* of a MoveNext; 0: it is none */
    ilp_rid *move_next_of; /* of a kickoff method */
};

/* Finds all of them, by AsyncStateMachineAttribute. */
ilp_status ilpi_async_find(struct ilp_image *image, struct ilp_arena *arena,
                           struct ilpi_async *async, struct ilp_error *error);

/* The field of state machine `machine` (a TypeDef) that holds the builder: what its kickoff method
 * calls Start on. 0 when there is none. */
ilp_status ilpi_async_builder(const struct ilp_image *image, ilp_rid kickoff, ilp_rid machine,
                              struct ilp_arena *scratch, struct ilpi_budget *budget,
                              ilp_rid *builder, struct ilp_error *error);

/* The type that a call of SetResult gives to the builder in field `builder`: bytes of a signature
 * in the image, borrowed. Empty when `insn` is no such call. */
struct ilp_bytes ilpi_async_result_type(struct ilp_image *image, const struct ilpi_code *code,
                                        const struct ilpi_insn *insn, ilp_rid builder,
                                        struct ilp_arena *scratch);

#endif
