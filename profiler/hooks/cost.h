/* The cost of a traced call. */
#ifndef ILPI_HOOKS_COST_H
#define ILPI_HOOKS_COST_H

#include "profiler/hooks/state.h"

/* Calls hooks of no method in a thread of no spool, and writes the result to the spool. */
void hooks_measure(void);

/* The same while methods run that call these functions, if calls are recorded then, and stacks are
 * not checked. */
void hooks_measure_late(void);

#endif
