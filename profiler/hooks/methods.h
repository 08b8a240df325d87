/* Which methods have hooks: a record of each that the rules select, found by its FunctionID. */
#ifndef ILPI_HOOKS_METHODS_H
#define ILPI_HOOKS_METHODS_H

#include "profiler/hooks/state.h"

/* The record of a method that the rules select, made if there is none; NULL for any other. Takes
 * the profiler's lock. */
struct hooked *hooks_map(FunctionID function);

/* The same without a lock and without calls to the runtime: also NULL for what was never mapped. */
const struct hooked *hooks_find(FunctionID function);

/* The record for a method's IL, made if there is none; NULL: no memory. Under the profiler's
 * lock. */
const struct hooked *hooks_map_il(struct module *module, ilp_token token);

/* At the end of a watch by IL, when no thread is in a hook: removes all. Under the profiler's
 * lock. */
void hooks_methods_retire(void);

/* Installs a callback that keeps selected methods from being inlined. */
void hooks_inlining_open(struct callback_table *table);

#endif
