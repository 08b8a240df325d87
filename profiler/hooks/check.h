/* The shadow stack beside the stack that the runtime walks (--check-stacks). */
#ifndef ILPI_HOOKS_CHECK_H
#define ILPI_HOOKS_CHECK_H

#include "profiler/hooks/state.h"

/* From within an enter hook; differences are counted and reported. */
void hooks_check(struct hooks_thread *thread);

#endif
