/* Methods that the JIT compiled with a call instead of inlining a watched method: a method with a
 * ReJIT request is not inlined. RequestRevert restores the native code of a caller's original IL,
 * which is the code with the call. So at the end ReJIT is requested for such a caller with its
 * original IL: the runtime compiles that version in all tiers, and inlines as usual.
 *
 * The JIT reports each method that it does not inline, and why (MethodJitInliningFailed), including
 * candidates inside inlined code and from profiles. No IL is searched.
 *
 * Under the profiler's lock, unless noted. */
#ifndef ILPI_MISSED_INLINES_H
#define ILPI_MISSED_INLINES_H

#include "profiler/clr/corprof.h"

struct profiler;
struct missed_inlines;

/* Starts to listen, and stays in the profiler for good; the event mask must have
 * HIGH_MONITOR_EVENT_PIPE and MONITOR_JIT_COMPILATION. Failures are reported. Without locks: it
 * runs managed code of the runtime. */
void missed_inlines_listen(struct profiler *profiler);

/* Stops listening; pending events may still be delivered. Without locks: it runs managed code of
 * the runtime. NULL is allowed. */
void missed_inlines_stop(struct missed_inlines *missed);

/* At the end of the profiler: releases it and its interfaces. NULL is allowed. */
void missed_inlines_close(struct missed_inlines *missed);

/* An event of the runtime. Not under the lock. */
void missed_inlines_event(struct profiler *profiler, uintptr_t provider, uint32_t id,
                          struct ilp_bytes payload);

/* Whether the native code of a method's original IL has such a call, so that reverting it is not
 * enough. It is then due. */
bool missed_inlines_claim(struct missed_inlines *missed, ModuleID module, ilp_token method);

/* The methods that are due, for RequestReJIT, owned by the caller; they are not due any more,
 * unless there is no memory. */
void missed_inlines_take(struct missed_inlines *missed, ModuleID **modules, ilp_token **methods,
                         ULONG *count);

/* How many methods keep such a call for good, since the last call: dynamic ones, those of
 * collectible assemblies, and those beyond the limit. */
unsigned missed_inlines_take_kept(struct missed_inlines *missed);

#endif
