/* Methods that the JIT compiled with a call in place of an inlined method, since that one was
 * watched: a method with a ReJIT request for another body is not inlined. RequestRevert gives a
 * caller the native code of its original IL, and that is the code with the call. So a caller is
 * requested again at the end, and has a version of its own for good, with the same IL: the runtime
 * compiles it again, in all tiers, and inlines such a version as it does the original.
 *
 * The JIT reports each method that it does not inline, and why (MethodJitInliningFailed), also in
 * what it inlines itself, or guesses from a profile. No IL is searched.
 *
 * Under the profiler's lock, but for what says otherwise. */
#ifndef ILPI_MISSED_INLINES_H
#define ILPI_MISSED_INLINES_H

#include "profiler/clr/corprof.h"

struct profiler;
struct missed_inlines;

/* Begins to listen, and stays in the profiler for good; the mask of events has to have
 * HIGH_MONITOR_EVENT_PIPE and MONITOR_JIT_COMPILATION. What keeps it from that is reported. Under
 * no lock: it runs managed code of the runtime. */
void missed_inlines_listen(struct profiler *profiler);

/* No event comes any more, but for those on their way. Under no lock: it runs managed code of the
 * runtime. NULL is allowed. */
void missed_inlines_stop(struct missed_inlines *missed);

/* At the end of the profiler, with what it refers to in the runtime. NULL is allowed. */
void missed_inlines_close(struct missed_inlines *missed);

/* An event of the runtime. Not under the lock. */
void missed_inlines_event(struct profiler *profiler, uintptr_t provider, uint32_t id,
                          struct ilp_bytes payload);

/* Whether the native code of a method's original IL has such a call, so that the method must not be
 * reverted. It is due then. */
bool missed_inlines_claim(struct missed_inlines *missed, ModuleID module, ilp_token method);

/* Those that are due, as RequestReJIT wants them, owned by the caller; they are not due any more,
 * unless there is no memory. */
void missed_inlines_take(struct missed_inlines *missed, ModuleID **modules, ilp_token **methods,
                         ULONG *count);

/* How many methods keep such a call for good, since the last call of this: dynamic ones, those of
 * collectible assemblies, and those that there is no room for. */
unsigned missed_inlines_take_kept(struct missed_inlines *missed);

#endif
