/* Call traces: the interface of the hooks to the rest of the profiler.
 *
 *   FunctionIDMapper2 -> rules -> a record of each selected method: the hooks' FunctionID
 *   Enter, Leave, Tailcall, exceptions -> the thread's shadow stack -> its records in the spool
 *
 * A process has one set of hooks, since a hook has no parameter to distinguish several. */
#ifndef ILPI_HOOKS_H
#define ILPI_HOOKS_H

#include "profiler/profiler.h"

/* Installs callbacks, which do nothing while hooks are not open. */
void hooks_answer(struct callback_table *table);

/* Takes the request. Returns the COR_PRF_MONITOR flags it needs; 0: nothing is traced. */
ULONG hooks_prepare(struct profiler *profiler);

/* Then, with that mask set: opens the spool, and chooses the path. Hooks of the runtime need one
 * more callback in the table. In an attached process they may be opened again, after
 * hooks_release(). False: the reason was reported. */
bool hooks_open(struct callback_table *table);

/* From Shutdown(), or when the process ends without it: writes the threads' remaining records, and
 * reports counts. Makes no calls to the runtime. */
void hooks_close(void);

/* After hooks_close(), when a watch ends, under the profiler's lock: frees what threads may have
 * used. `quiet`: no thread is in a hook; else everything stays, and no later watch can be
 * traced. */
void hooks_release(bool quiet);

/* In a forked copy of the process: nothing more is reported, and the spool is not its own. */
void hooks_forget(void);

#endif
