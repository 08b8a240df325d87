/* The runtime's own events, in its process: a session of EventPipe whose events come as calls of
 * ICorProfilerCallback10::EventPipeEventDelivered, on the thread where they happen (.NET 5 and
 * later). What is asked for are the JIT's verdicts on tail calls. */
#ifndef ILPI_EVENT_PIPE_H
#define ILPI_EVENT_PIPE_H

#include "profiler/clr/corprof.h"

struct event_pipe {
    void *info; /* ICorProfilerInfo12; NULL: there is no session */
    uint64_t session;
};

/* Begins the session; the mask of events has to have HIGH_MONITOR_EVENT_PIPE. False: this runtime
 * has none, and that was reported. `unknown` is what Initialize() gets. */
bool event_pipe_start(struct event_pipe *pipe, void *unknown);

/* Ends it; events that are on their way may come still. */
void event_pipe_stop(struct event_pipe *pipe);
void event_pipe_close(struct event_pipe *pipe);

/* Whether an event comes from the runtime itself. */
bool event_pipe_is_of_runtime(const struct event_pipe *pipe, uintptr_t provider);

#endif
