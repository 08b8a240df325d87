/* Which of the inspector's methods takes a value. */
#ifndef ILPI_OVERLOAD_H
#define ILPI_OVERLOAD_H

#include "inspect/method_job.h"

/* Sets job->overload and job->fallback; where no overload takes the value, the decision's reason
 * says so. */
ilp_status ilpi_overload_choose(struct ilpi_method_job *job, struct ilp_error *error);

#endif
