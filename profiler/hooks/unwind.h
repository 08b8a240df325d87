/* Exceptions, which end methods without Leave. */
#ifndef ILPI_HOOKS_UNWIND_H
#define ILPI_HOOKS_UNWIND_H

#include "profiler/hooks/state.h"

/* Puts functions of its own into the table. */
void hooks_unwind_open(struct callback_table *table);

#endif
