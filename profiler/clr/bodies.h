/* Dumps the rewritten methods of a process, for tests: see ILPATCH_BODIES in docs/PROFILER.md. */
#ifndef ILPI_BODIES_H
#define ILPI_BODIES_H

#include "profiler/profiler.h"

/* Writes, for each module with inspected methods, its current metadata and their bodies in the
 * runtime, into the folder ILPATCH_BODIES; a no-op without it. */
void bodies_write(const struct profiler *profiler);

#endif
