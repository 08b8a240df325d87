/* The shapes of objects by their own types: struct object_types of values/shape.h for this runtime.
 * Results are cached per method table, to which an object points, and looked up without a lock.
 *
 * Objects are shown while every garbage collection waits, so nothing here waits for one: neither
 * the runtime functions called here, nor any holder of the lock (loaded.h). */
#ifndef ILPI_OBJECTS_H
#define ILPI_OBJECTS_H

#include "profiler/clr/struct_layouts.h"
#include "values/activity.h"

struct objects;

/* Whether strings have the layout that src/values/ reads. `info` is ICorProfilerInfo3. */
bool objects_are_known(void *info);

/* NULL: no memory. */
struct objects *objects_open(void *info, struct loaded *loaded, struct struct_layouts *layouts,
                             const struct redaction *redaction);
void objects_close(struct objects *objects);

const struct object_types *objects_types(const struct objects *objects);

/* How the activity of a thread is found. */
const struct activity_source *objects_activities(const struct objects *objects);

/* Call it before a module is unloaded, under its lock: no object of its types is left. */
void objects_module_goes(struct objects *objects, ModuleID id);

#endif
