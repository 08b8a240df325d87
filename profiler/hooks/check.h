/* Checks the shadow stack against the runtime's (--check-stacks). */
#ifndef ILPI_HOOKS_CHECK_H
#define ILPI_HOOKS_CHECK_H

#include "profiler/hooks/state.h"

/* Called in an enter hook: checks at each N-th. Differences are counted and reported. */
void hooks_check_nth(struct hooks_thread *thread);

#endif
