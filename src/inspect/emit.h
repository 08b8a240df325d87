/* The new body of a method: the sequence, put before the sites that were found. */
#ifndef ILPI_EMIT_H
#define ILPI_EMIT_H

#include "inspect/method_job.h"

/* Checks first whether the body has room; without an emitter that is all. */
ilp_status ilpi_emit(struct ilpi_method_job *job, struct ilp_error *error);

/* The parts of it that have nothing to do with values. Ends a method that is too large with so many
 * inserted bytes, and so many clauses, before tokens are made for it. */
ilp_status ilpi_emit_check_room(const struct ilpi_method_job *job, size_t inserted, size_t clauses,
                                struct ilp_error *error);

/* Makes the new body the result; its code and clauses are those of job->scratch->patch, or are made
 * of them. */
ilp_status ilpi_emit_body(struct ilpi_method_job *job, const struct ilp_body *changed,
                          struct ilp_error *error);

#endif
