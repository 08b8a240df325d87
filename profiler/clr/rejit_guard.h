/* Methods that are compiled again (ReJIT), watched by a thread of the profiler's own: where that
 * fails, nothing but RequestRevert, from no thread that compiles, gives a method its old code
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
    struct deadline due; /* else; not compiled then, it has failed */
};

/* Starts the thread, unless it is there; it stays. Without one, which is reported, methods are not
 * watched. */
void rejit_guard_open(struct profiler *profiler);

/* None is watched any more. Under the lock. */
void rejit_guard_clear(struct profiler *profiler);

/* A method's compilation begins, or has failed. Under the lock. */
void rejit_guard_add(struct profiler *profiler, const struct guarded_method *method);

/* Waits until a method that has failed has its old code back, so that no later call fails; not for
 * ever. Without the lock, where the runtime may stop this thread. */
void rejit_guard_wait(struct profiler *profiler, ModuleID module, ilp_token method);

#endif
