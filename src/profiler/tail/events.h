/* The runtime's own events, in its process: a session of EventPipe whose events come as calls of
 * ICorProfilerCallback10::EventPipeEventDelivered, on the thread where they happen (.NET 5 and later). What is asked
 * for are the JIT's verdicts on tail calls. */
#ifndef ILPI_EVENTS_H
#define ILPI_EVENTS_H

#include "profiler/corprof.h"

struct events {
    void *info; /* ICorProfilerInfo12; NULL: there is no session */
    uint64_t session;
};

/* Begins the session; the mask of events has to have HIGH_MONITOR_EVENT_PIPE. False: this runtime has none, and that was
 * told. `unknown` is what Initialize() gets. */
bool events_start(struct events *events, void *unknown);

/* Ends it; events that are on their way may come still. */
void events_stop(struct events *events);
void events_close(struct events *events);

/* Whether an event comes from the runtime itself. */
bool events_are_of_runtime(const struct events *events, uintptr_t provider);

#endif
