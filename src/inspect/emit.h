/* The new body of a method: the sequence, put before the sites that were found. */
#ifndef ILPI_EMIT_H
#define ILPI_EMIT_H

#include "inspect/method_job.h"

/* Checks first whether the body has room; without an emitter that is all. */
ilp_status ilpi_emit(struct ilpi_method_job *job, struct ilp_error *error);

#endif
