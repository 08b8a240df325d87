/* Managed inspectors that are not called any more after an exception (on-throw="off",
 * docs/RULES.md): a switch for each, which rewritten methods read, and the first exception of each,
 * reported at the end.
 *
 * The function that receives exceptions runs in the runtime's cooperative mode, and does not
 * wait. */
#ifndef ILPI_OFF_SWITCHES_H
#define ILPI_OFF_SWITCHES_H

#include "host/request.h"
#include "profiler/clr/corprof.h"
#include "profiler/clr/runtime.h"

struct profiler;

/* One for each inspector of the request, which is borrowed: for the library (struct ilp_request).
 * `info` is ICorProfilerInfo3. */
const struct ilp_off_switch *off_switches_open(const struct request *request, void *info,
                                               const struct runtime *runtime);

/* Call it before a module is unloaded: types of exceptions in it are not known any more. */
void off_switches_module_goes(ModuleID id);

/* Reports the exceptions, here and in the report. Under the profiler's lock. */
void off_switches_report(struct profiler *profiler);

#endif
