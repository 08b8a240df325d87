/* Traces calls by the IL of methods, which calls functions of the profiler where calls begin and
 * end (inspect/tracer.h): hooks unknown to the runtime, so that native code of ReadyToRun images
 * stays in use. */
#ifndef ILPI_PASSAGES_H
#define ILPI_PASSAGES_H

#include "profiler/hooks/state.h"

/* The functions that methods call. The user of each module's is the module. */
struct ilpi_tracer hooks_tracer(void);

/* The functions themselves, for measuring them. */
void hooks_il_enter(const struct hooked *method);
void hooks_il_leave(const struct hooked *method);
void hooks_il_brief(const struct hooked *method);

#endif
