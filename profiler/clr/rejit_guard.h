/* Methods compiled again (ReJIT), watched by a thread of the profiler's own: if a compilation
 * fails, only RequestRevert, from a thread that does not compile, gives the method its old code
 * back. */
#ifndef ILPI_REJIT_GUARD_H
#define ILPI_REJIT_GUARD_H

#include "host/deadline.h"
#include "profiler/clr/corprof.h"

struct profiler;

struct guarded_method {
    ModuleID module;
    ilp_token method;
    FunctionID function;
    bool has_failed;
    struct deadline due; /* after this time, if not compiled, it has failed */
};

/* Starts the thread once; it stays. Without one, which is reported, methods are not watched. */
void rejit_guard_open(struct profiler *profiler);

/* Stops watching all. Under the lock. */
void rejit_guard_clear(struct profiler *profiler);

/* A method's compilation begins, or has failed. Under the lock. */
void rejit_guard_add(struct profiler *profiler, const struct guarded_method *method);

/* Waits, with a limit, until a failed method has its old code back, so that no later call fails.
 * Without the lock, where the runtime may suspend this thread. */
void rejit_guard_wait(struct profiler *profiler, ModuleID module, ilp_token method);

#endif
