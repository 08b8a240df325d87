/* The hooks, whichever path calls them; `info` is 0 on the fast path. */
#ifndef ILPI_HOOKS_EVENTS_H
#define ILPI_HOOKS_EVENTS_H

#include "profiler/hooks/state.h"

void hooks_enter(const struct hooked *method, COR_PRF_ELT_INFO info);
void hooks_leave(const struct hooked *method, COR_PRF_ELT_INFO info);
void hooks_tailcall(const struct hooked *method);

#endif
