/* The object that the runtime calls: ICorProfilerCallback to ICorProfilerCallback11. */
#ifndef ILPI_CALLBACK_H
#define ILPI_CALLBACK_H

#include "profiler/clr/corprof.h"

struct profiler;

#define UNUSED __attribute__((unused))

/* Makes one with one reference, which takes no notice of anything; NULL: no memory. With its last
 * reference `close` gives back what its profiler has that is not the runtime's, and it frees
 * itself. */
void *callback_open(void (*close)(struct profiler *profiler));

/* session.c: the same with all that this profiler answers. */
void *callback_make(void);

/* Of such an object; who wants to know of something puts his function into the table. */
struct profiler *profiler_of(void *self);
struct callback_table *callback_functions(void *self);

#endif
