/* Finds the AsyncLocal<Activity> of Activity.Current: the object in the static field s_current of
 * System.Diagnostics.DiagnosticSource's class. A program may have others of that type, whose
 * activities are not current. */
#ifndef ILPI_ACTIVITY_LOCAL_H
#define ILPI_ACTIVITY_LOCAL_H

#include "profiler/clr/loaded.h"
#include "values/activity.h"

struct activity_locals;

/* `info` is ICorProfilerInfo3. NULL: no memory. */
struct activity_locals *activity_locals_open(void *info, struct loaded *loaded);
void activity_locals_close(struct activity_locals *locals);

/* For struct activity_source: `locals` is a struct activity_locals. */
enum ilp_tristate activity_local_is_current(void *locals, const void *local);

/* Call it before a module is unloaded, under its lock. */
void activity_locals_module_goes(struct activity_locals *locals, ModuleID id);

#endif
