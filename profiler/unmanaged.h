/* The unmanaged inspector: shows values from C, where no managed code can or may be called.
 *
 *   a rewritten method --calli, managed convention--> show(): the value as a line, in memory of the
 *   thread's own; or where it stays, in a spool, a count or a ring (output_never_waits())
 *                      --calli, managed convention--> wants_thread(), take_thread(): the ids of the
 *   thread's activity, added to a line in JSON
 *                      --calli, unmanaged----------> write_out(): the line to its place, if it is
 *   not there yet
 *
 * All but the last run in the runtime's cooperative mode, so no garbage collection moves what the
 * value refers to, and every garbage collection waits for them: they neither wait nor call the
 * runtime (shape.h). The last runs as native code does, and may wait for whoever reads the
 * lines. */
#ifndef ILPI_UNMANAGED_H
#define ILPI_UNMANAGED_H

#include "ilpatch.h"

struct runtime;

/* What threads have kept so far is of an earlier watch. Before any value comes, while
 * output_is_over(). */
void unmanaged_begin_watch(void);

/* A module's number with that of the watch above it, for the ids of its methods: a call that began
 * in an earlier watch ends in the code of that one, and what it returns is no value of this one. */
uint32_t unmanaged_number_in_watch(uint32_t number);

/* How compiled code calls it; `writes`: lines are written where that may take its time, for which
 * it calls once more; `json`: they have the ids of the thread's activity. */
struct ilp_native unmanaged_native(bool writes, bool json);

/* What the stock inspector finds in the environment variable ENV_PROFILER: the addresses of four
 * functions. With the first it says that nothing of what this thread calls is to be shown, or again
 * to be shown, and learns whether its line is wanted; with the second it writes a line; with the
 * third it counts a value where nothing else is wanted (ENV_COUNT); with the fourth it reports what
 * went wrong. Owned by the caller. */
char *unmanaged_addresses(void);

/* ENV_COUNT: values are counted, and a line is written only when their number is a power of two. To
 * be called before any value comes. */
void unmanaged_set_only_counts(bool on);

/* How activities are found; NULL: not at all. Borrowed. To be called before any value comes. */
struct activity_source;
void unmanaged_set_activities(const struct activity_source *source);

/* Whether objects lie as shape/write.c reads them: `info` is ICorProfilerInfo3. If not, the reason
 * is reported (status.h), as one for which the profiler does not start if there is no other
 * inspector. */
bool unmanaged_is_possible(void *info, const struct runtime *runtime, bool alone);

/* Reports what kept lines from having all that they should have. */
void unmanaged_tell_end(void);

#endif
