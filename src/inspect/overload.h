/* Which overload of the inspector takes a value. */
#ifndef ILPI_OVERLOAD_H
#define ILPI_OVERLOAD_H

#include "inspect/method_job.h"

/* Sets job->overload and job->fallback; if no overload takes the value, the decision's reason says
 * why. */
ilp_status ilpi_overload_choose(struct ilpi_method_job *job, struct ilp_error *error);

#endif
