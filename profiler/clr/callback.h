/* The object that the runtime calls: ICorProfilerCallback to ICorProfilerCallback11. */
#ifndef ILPI_CALLBACK_H
#define ILPI_CALLBACK_H

#include "profiler/clr/corprof.h"

struct profiler;

#define UNUSED __attribute__((unused))

/* Makes one with one reference and only default callbacks; NULL: no memory. When its last reference
 * is released, `close` frees what the profiler has that is not the runtime's, and the object frees
 * itself. */
void *callback_open(void (*close)(struct profiler *profiler));

/* session.c: the same with all callbacks of this profiler. */
void *callback_make(void);

/* The profiler of such an object; callbacks are installed in its table of functions. */
struct profiler *profiler_of(void *self);
struct callback_table *callback_functions(void *self);

#endif
