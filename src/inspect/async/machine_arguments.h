/* The arguments of an async method: which of its two methods passes them. */
#ifndef ILPI_MACHINE_ARGUMENTS_H
#define ILPI_MACHINE_ARGUMENTS_H

#include "inspect/method_job.h"

/* Of MoveNext, whose body has been read: whether it passes the arguments, job->passes_state, where
 * it passes a result or an exception. If not, the result has a word for why not. */
ilp_status ilpi_machine_arguments_plan(struct ilpi_method_job *job, struct ilp_error *error);

/* Of a kickoff method, with its signature: whether it passes the arguments all the same, with its
 * task. job->result->reason is ILP_REASON_ASYNC_RESULT if there is a result. Reads the body of
 * MoveNext into the scratch arena, in the place of what is there. */
ilp_status ilpi_machine_arguments_left(struct ilpi_method_job *job, const struct ilp_sig *sig,
                                       bool *left, struct ilp_error *error);

#endif
