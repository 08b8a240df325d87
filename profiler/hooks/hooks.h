/* Call traces: the hooks of the profiler, as the rest of it sees them.
 *
 *   FunctionIDMapper2 -> rules -> a record of each chosen method, which hooks get as the FunctionID
 *   Enter, Leave, Tailcall, exceptions -> the thread's shadow stack -> its records in the spool
 *
 * A process has one set of hooks, since they are called without anything that could tell several
 * apart. */
#ifndef ILPI_HOOKS_H
#define ILPI_HOOKS_H

#include "profiler/profiler.h"

/* Puts functions of its own into the table, which do nothing while hooks are not open. */
void hooks_answer(struct callback_table *table);

/* Takes note of what was asked for. Gives what of COR_PRF_MONITOR that needs; 0: nothing is traced.
 */
ULONG hooks_prepare(struct profiler *profiler);

/* Then, when that mask is set: opens the spool, and says which path is taken. Hooks of the runtime
 * need the table for one more function. In a process that was running already they may be opened
 * again, after hooks_release(). False: the reason was reported. */
bool hooks_open(struct callback_table *table);

/* From Shutdown(), or when the process ends without: what threads have not written yet is written,
 * and counts are reported. Nothing is asked of the runtime. */
void hooks_close(void);

/* After hooks_close(), when a watch ends, under the profiler's lock: gives back all that threads
 * may have used. `quiet`: none is in a hook; else all stays, and no other watch can be traced. */
void hooks_release(bool quiet);

/* In a copy of the process (fork): nothing more is reported, and the spool is not this one's. */
void hooks_forget(void);

#endif
