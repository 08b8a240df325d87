/* Exceptions, which end methods without Leave. */
#ifndef ILPI_HOOKS_UNWIND_H
#define ILPI_HOOKS_UNWIND_H

#include "profiler/hooks/state.h"

/* Installs callbacks. */
void hooks_unwind_answer(struct callback_table *table);

/* Whether no thread is in one of these callbacks. Later ones test whether hooks are on. */
bool hooks_unwind_is_quiet(void);

#endif
