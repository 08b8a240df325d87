/* The runtime's own events, in its process: a session of EventPipe whose events are delivered to
 * ICorProfilerCallback10::EventPipeEventDelivered, on the thread that raises them (.NET 5 and
 * later). Selected are the JIT's events about inlining and tail calls. */
#ifndef ILPI_EVENT_PIPE_H
#define ILPI_EVENT_PIPE_H

#include <stdatomic.h>

#include "profiler/clr/corprof.h"

/* Of the provider Microsoft-Windows-DotNETRuntime. */
enum {
    EVENT_TAIL_CALL_SUCCEEDED = 188,
    EVENT_TAIL_CALL_FAILED = 191,
    EVENT_INLINING_FAILED = 192,
    EVENTS_KEYWORD_JIT_TRACING = 0x1000,
    EVENTS_LEVEL_VERBOSE = 5
};

struct event_pipe {
    void *info;                /* ICorProfilerInfo12; NULL: there was no session */
    uint64_t session;          /* 0: none now */
    atomic_uintptr_t provider; /* the runtime's, once it is known */
};

/* Starts the session; the event mask must have HIGH_MONITOR_EVENT_PIPE. False: this runtime does
 * not support it, which was reported with this word (status.h). `unknown` is Initialize()'s
 * parameter. */
bool event_pipe_start(struct event_pipe *pipe, void *unknown, const char *word);

/* Stops it; pending events may still be delivered, and it may be started again. */
void event_pipe_stop(struct event_pipe *pipe);
void event_pipe_close(struct event_pipe *pipe);

/* Whether an event comes from the runtime itself. */
bool event_pipe_is_of_runtime(struct event_pipe *pipe, uintptr_t provider);

#endif
