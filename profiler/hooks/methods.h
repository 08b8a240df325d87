/* Which methods have hooks: the record of each that the rules choose, found by its FunctionID. */
#ifndef ILPI_HOOKS_METHODS_H
#define ILPI_HOOKS_METHODS_H

#include "profiler/hooks/state.h"

/* The record of a method that the rules choose, made if there is none; NULL for any other. Takes
 * the profiler's lock. */
struct hooked *hooks_map(FunctionID function);

/* The same without a lock and without a question to the runtime: NULL, too, for what was never
 * mapped. */
const struct hooked *hooks_find(FunctionID function);

/* The record that the IL of a method passes, made if there is none; NULL: no memory. Under the
 * profiler's lock. */
const struct hooked *hooks_map_il(struct module *module, ilp_token token);

/* At the end of a watch by IL, when no thread is in a hook: there are none any more. Under the
 * profiler's lock. */
void hooks_methods_retire(void);

/* Keeps chosen methods from being inlined: puts a function of its own into the table. */
void hooks_inlining_open(struct callback_table *table);

#endif
