/* The shadow stack beside the stack that the runtime walks (--check-stacks). */
#ifndef ILPI_HOOKS_CHECK_H
#define ILPI_HOOKS_CHECK_H

#include "profiler/hooks/state.h"

/* From within an enter hook, where stacks are to be checked: does so at each N-th. Differences are
 * counted and reported. */
void hooks_check_nth(struct hooks_thread *thread);

#endif
