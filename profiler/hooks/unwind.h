/* Exceptions, which end methods without Leave. */
#ifndef ILPI_HOOKS_UNWIND_H
#define ILPI_HOOKS_UNWIND_H

#include "profiler/hooks/state.h"

/* Puts functions of its own into the table. */
void hooks_unwind_answer(struct callback_table *table);

/* Whether no thread is in one of them. Those that come later look whether hooks are on. */
bool hooks_unwind_is_quiet(void);

#endif
