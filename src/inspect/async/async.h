/* Async methods: the builder that MoveNext passes the result or the exception to, and the calls
 * that do so. */
#ifndef ILPI_ASYNC_H
#define ILPI_ASYNC_H

#include "il/code.h"
#include "inspect/async/state_machine.h"

/* The field of a state machine that holds the builder: the one that the kickoff method calls Start
 * on. 0 when there is none. */
ilp_status ilpi_async_builder(const struct ilpi_machine_type *machine, ilp_rid kickoff,
                              ilp_rid *builder, struct ilp_error *error);

/* The type that a call of SetResult passes to the builder in field `builder`: bytes of a signature
 * in the image, borrowed. Empty when `insn` is not such a call. */
ilp_status ilpi_async_result_type(const struct ilpi_machine_type *machine,
                                  const struct ilpi_code *code, const struct ilpi_insn *insn,
                                  ilp_rid builder, struct ilp_bytes *type, struct ilp_error *error);

/* The type of the exception, System.Exception, that a call of SetException passes to field `field`;
 * as above. */
ilp_status ilpi_async_exception_type(const struct ilpi_machine_type *machine,
                                     const struct ilpi_code *code, const struct ilpi_insn *insn,
                                     ilp_rid field, struct ilp_bytes *type,
                                     struct ilp_error *error);

/* Whether instruction `i`, a call with one argument, is on field `field`: ldflda, or ldfld for an
 * object; a load; the call. */
ilp_status ilpi_async_is_on_field(const struct ilpi_machine_type *machine,
                                  const struct ilpi_code *code, uint32_t i, ilp_rid field, bool *on,
                                  struct ilp_error *error);

#endif
