/* How the runtime gets in: DllGetClassObject, a class factory, and the object whose functions it
 * calls. The same for each example. */
#ifndef ENTRY_H
#define ENTRY_H

#include "profiling.h"

struct profiler {
    struct guid class; /* what CORECLR_PROFILER names */
    /* The ICorProfilerCallbacks that the object answers, the unused places NULL. The first version
     * of the interface that is answered decides which callbacks the runtime makes:
     * ICorProfilerCallback2 has to be, the fourth is needed for ReJIT. */
    const struct guid *interfaces[4];
    /* Puts its functions into the table, where all others do nothing. */
    void (*set_callbacks)(slot *callbacks);
};

/* Each example defines it. */
extern const struct profiler the_profiler;

#endif
