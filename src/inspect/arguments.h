/* The arguments of a call, passed to the inspector at entry, or when an async method ends. */
#ifndef ILPI_ARGUMENTS_H
#define ILPI_ARGUMENTS_H

#include "inspect/method_job.h"

/* Plans each argument, when the body has been read. One that cannot be an object is withheld; the
 * inspector gets a word instead. */
ilp_status ilpi_arguments_plan(struct ilpi_method_job *job, struct ilp_error *error);

/* Makes the tokens and the instructions: job->arguments.bytes. */
ilp_status ilpi_arguments_build(struct ilpi_method_job *job, struct ilp_error *error);

#endif
