/* The runtime's own events, in its process: a session of EventPipe whose events come as calls of
 * ICorProfilerCallback10::EventPipeEventDelivered, on the thread where they happen (.NET 5 and
 * later). Selected are the JIT's reports of what it inlines and of tail calls. */
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
    void *info;                /* ICorProfilerInfo12; NULL: there has been no session */
    uint64_t session;          /* 0: there is none now */
    atomic_uintptr_t provider; /* the runtime's, once it is known */
};

/* Begins the session; the mask of events has to have HIGH_MONITOR_EVENT_PIPE. False: this runtime
 * has none, and that was reported with this word (status.h). `unknown` is what Initialize()
 * gets. */
bool event_pipe_start(struct event_pipe *pipe, void *unknown, const char *word);

/* Ends it; events that are on their way may come still, and it may begin again. */
void event_pipe_stop(struct event_pipe *pipe);
void event_pipe_close(struct event_pipe *pipe);

/* Whether an event comes from the runtime itself. */
bool event_pipe_is_of_runtime(struct event_pipe *pipe, uintptr_t provider);

#endif
