/* The object that the runtime calls: ICorProfilerCallback to ICorProfilerCallback11. */
#ifndef ILPI_CALLBACK_H
#define ILPI_CALLBACK_H

#include "profiler/corprof.h"

/* Makes one with one reference, NULL: no memory. It frees itself. */
void *callback_make(void);

#endif
