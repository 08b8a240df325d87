/* Calls that are traced by the IL of methods, which calls functions of the profiler where they
 * begin and end (inspect/tracer.h): hooks that the runtime knows nothing of, so that native code of
 * ReadyToRun images stays in use. */
#ifndef ILPI_PASSAGES_H
#define ILPI_PASSAGES_H

#include "profiler/hooks/state.h"

/* What methods call. The user of each module's is the module. */
struct ilpi_tracer hooks_tracer(void);

/* The functions themselves, for who measures them. */
void hooks_il_enter(const struct hooked *method);
void hooks_il_leave(const struct hooked *method);
void hooks_il_brief(const struct hooked *method);

#endif
