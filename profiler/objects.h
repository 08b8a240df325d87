/* What objects are by their own types: struct object_types of values/shape.h, as this runtime knows
 * it. What was found out once is kept per method table, which is what an object begins with, and
 * found again without a lock.
 *
 * Objects are shown while every garbage collection waits, so none of this waits for one: neither do
 * the runtime's functions that are called here, nor any holder of the lock (loaded.h). */
#ifndef ILPI_OBJECTS_H
#define ILPI_OBJECTS_H

#include "profiler/clr/struct_layouts.h"
#include "values/activity.h"

struct objects;

/* Whether strings lie as src/values/ reads them. `info` is ICorProfilerInfo3. */
bool objects_are_known(void *info);

/* NULL: no memory. */
struct objects *objects_open(void *info, struct loaded *loaded, struct struct_layouts *layouts,
                             const struct redaction *redaction);
void objects_close(struct objects *objects);

const struct object_types *objects_types(const struct objects *objects);

/* How the activity of a thread is found among them. */
const struct activity_source *objects_activities(const struct objects *objects);

/* Before what is known of a module goes, under its lock: no object of its types is left. */
void objects_module_goes(struct objects *objects, ModuleID id);

#endif
