/* The protected block around the inspector's call. */
#ifndef ILPI_GUARD_H
#define ILPI_GUARD_H

#include "inspect/method_job.h"

/* Whether the body has room for the new locals, whose numbers are in job->guard, and the sites for
 * a try block. */
ilp_status ilpi_guard_check(struct ilpi_method_job *job, struct ilp_error *error);

/* Gives `body` those locals; and the clauses, in front of the patched ones. */
ilp_status ilpi_guard_locals(struct ilpi_method_job *job, struct ilp_body *body,
                             struct ilp_error *error);
ilp_status ilpi_guard_clauses(struct ilpi_method_job *job, struct ilp_body *body,
                              struct ilp_error *error);

#endif
