/* The arguments of an async method: whether MoveNext or the kickoff method passes them. */
#ifndef ILPI_MACHINE_ARGUMENTS_H
#define ILPI_MACHINE_ARGUMENTS_H

#include "inspect/method_job.h"

/* For MoveNext, whose body has been read: whether it passes the arguments (job->passes_state) with
 * a result or an exception. If not, the result has a word for the reason. */
ilp_status ilpi_machine_arguments_plan(struct ilpi_method_job *job, struct ilp_error *error);

/* For a kickoff method, with its signature: whether it passes the arguments after all, with its
 * task. job->result->reason is ILP_REASON_ASYNC_RESULT if there is a result. Reads the body of
 * MoveNext into the scratch arena, and overwrites its content. */
ilp_status ilpi_machine_arguments_left(struct ilpi_method_job *job, const struct ilp_sig *sig,
                                       bool *left, struct ilp_error *error);

#endif
