/* The protected block around the inspector's call. */
#ifndef ILPI_GUARD_H
#define ILPI_GUARD_H

#include "inspect/method_job.h"

/* Whether the body has room for the new locals, whose numbers are in job->guard, and the sites for
 * a try block. */
ilp_status ilpi_guard_check(struct ilpi_method_job *job, struct ilp_error *error);

/* How many locals it needs. */
uint32_t ilpi_guard_local_count(const struct ilpi_method_job *job);

/* Writes their types; gives `body` the clauses, before the patched ones. */
void ilpi_guard_local_types(const struct ilpi_method_job *job, struct ilpi_buf *types);
ilp_status ilpi_guard_clauses(struct ilpi_method_job *job, struct ilp_body *body,
                              struct ilp_error *error);

#endif
