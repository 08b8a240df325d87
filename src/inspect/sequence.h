/* The instructions that show a value, and their tokens. */
#ifndef ILPI_SEQUENCE_H
#define ILPI_SEQUENCE_H

#include "inspect/method_job.h"

/* Makes the tokens that the plan needs, and the instructions: *size bytes of
 * job->scratch->sequence, of which the first is a ret for where one has to be kept. */
ilp_status ilpi_sequence_build(struct ilpi_method_job *job, size_t *size, struct ilp_error *error);

#endif
