/* The protected block around the inspector's call. */
#ifndef ILPI_GUARD_H
#define ILPI_GUARD_H

#include "inspect/method_job.h"

/* Whether the body has room for the new locals, whose numbers are in job->guard, and the sites for
 * a try block. */
ilp_status ilpi_guard_check(struct ilpi_method_job *job, struct ilp_error *error);

/* How many locals it needs. */
uint32_t ilpi_guard_local_count(const struct ilpi_method_job *job);

/* The instructions before the call and after it, `start` being where the sequence begins. `below`:
 * something is below the value. */
uint8_t *ilpi_guard_put_try(uint8_t *to, const uint8_t *start, struct ilpi_guard *guard,
                            bool below);
uint8_t *ilpi_guard_put_catch(uint8_t *to, const uint8_t *start, struct ilpi_guard *guard,
                              bool below);

/* Writes the types of the locals: for values of type `value`, and what is below them. */
void ilpi_guard_local_types(const struct ilpi_method_job *job, struct ilp_bytes value,
                            struct ilpi_buf *types);

/* Gives `body` the clauses, before the patched ones. */
ilp_status ilpi_guard_clauses(struct ilpi_method_job *job, struct ilp_body *body,
                              struct ilp_error *error);

#endif
