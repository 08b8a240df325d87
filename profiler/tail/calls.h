/* The JIT's verdicts on tail calls, reported in the status file as they happen; fields are
 * separated by tabs:
 *
 *   tail-method    TOKEN PATH          a method with the prefix in its IL is compiled now
 *   tail-native    TOKEN PATH          it has native code that was compiled beforehand
 *   tail-call      TOKEN PATH OUTCOME REASON TYPE NAME TYPE NAME SIGNATURE
 *                                      the verdict on one such call: caller and callee
 *   tail-implicit  OUTCOME NUMBER      at the end: how many calls without the prefix
 *   tail-failed    TEXT                why nothing is reported
 *
 * TOKEN is 0 and PATH empty for methods made at run time. An event only has names; the compiled
 * method is known from the callbacks before and after it on the same thread. */
#ifndef ILPI_TAIL_CALLS_H
#define ILPI_TAIL_CALLS_H

#include "profiler/profiler.h"

struct tail_calls;

/* NULL: this runtime reports none; the reason was reported. `unknown` is Initialize()'s parameter;
 * the event mask must have HIGH_MONITOR_EVENT_PIPE. */
struct tail_calls *tail_calls_open(void *unknown);

/* At the end of the process: reports the counts. NULL is allowed, in both. */
void tail_calls_finish(struct tail_calls *calls);
void tail_calls_close(struct tail_calls *calls);

/* The JIT begins with a method, perhaps a dynamic one. compile_stack_pop() is its end. */
void tail_calls_method_begins(struct profiler *profiler, FunctionID function);
void tail_calls_dynamic_method_begins(FunctionID function);

/* The runtime has found native code for a method. */
void tail_calls_method_is_native(struct profiler *profiler, FunctionID function);

/* An event of the runtime's. */
void tail_calls_event(struct profiler *profiler, uintptr_t provider, uint32_t id,
                      struct ilp_bytes payload);

#endif
