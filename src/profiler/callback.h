/* The object that the runtime calls: ICorProfilerCallback to ICorProfilerCallback11. */
#ifndef ILPI_CALLBACK_H
#define ILPI_CALLBACK_H

#include "profiler/corprof.h"

struct profiler;

#define UNUSED __attribute__((unused))

/* Makes one with one reference, NULL: no memory. It frees itself. */
void *callback_make(void);

/* Of such an object. */
struct profiler *profiler_of(void *self);
struct callback_table *callback_functions(void *self);

/* session.c: puts in what begins and ends a process; gives back what the profiler has that is not the runtime's. */
void session_answer(struct callback_table *functions);
void session_close(struct profiler *profiler);

/* compile.c: puts in what concerns methods. */
void compile_answer(struct callback_table *functions);

#endif
