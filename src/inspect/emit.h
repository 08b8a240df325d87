/* The new body of a method: the sequence, inserted before each site. */
#ifndef ILPI_EMIT_H
#define ILPI_EMIT_H

#include "inspect/method_job.h"

/* First checks whether the body has room; without an emitter it stops there. */
ilp_status ilpi_emit(struct ilpi_method_job *job, struct ilp_error *error);

/* The part that does not depend on values. Refuses a method that would become too large with this
 * many inserted bytes and clauses, before tokens are made for it. */
ilp_status ilpi_emit_check_room(const struct ilpi_method_job *job, size_t inserted, size_t clauses,
                                struct ilp_error *error);

/* Makes the new body the result; code and clauses are those of job->scratch->patch, or derived from
 * them. */
ilp_status ilpi_emit_body(struct ilpi_method_job *job, const struct ilp_body *changed,
                          struct ilp_error *error);

#endif
