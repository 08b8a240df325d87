/* What became of the methods of a process, for whoever wants to look at it: see ILPATCH_BODIES in
 * docs/PROFILER.md. */
#ifndef ILPI_BODIES_H
#define ILPI_BODIES_H

#include "profiler/profiler.h"

/* Writes, for each module with inspected methods, its metadata as it is now, and the bodies that
 * the runtime has of them, into the folder that ILPATCH_BODIES names; without it, nothing. */
void bodies_write(const struct profiler *profiler);

#endif
