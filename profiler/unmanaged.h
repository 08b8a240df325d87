/* The unmanaged inspector: shows values from C, where no managed code can be called, or must not
 * be.
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
 * runtime (shape.h). The last one runs as native code, and may wait for a reader of the lines. */
#ifndef ILPI_UNMANAGED_H
#define ILPI_UNMANAGED_H

#include "ilpatch.h"

struct runtime;

/* State kept by threads is of an earlier watch from now on. Call it before any value, while
 * output_is_over(). */
void unmanaged_begin_watch(void);

/* A module's number with the number of the watch above it, for the ids of its methods: a call that
 * began in an earlier watch ends in that watch's code, and its value is not part of this watch. */
uint32_t unmanaged_number_in_watch(uint32_t number);

/* For compiled code; `writes`: lines are written to an output that may block, in a separate call;
 * `json`: they have the ids of the thread's activity. */
struct ilp_native unmanaged_native(bool writes, bool json);

/* For the stock inspector, through the environment variable ENV_PROFILER: the addresses of four
 * functions. The first switches values of this thread's calls off or on, and returns whether its
 * line is needed; the second writes a line; the third counts a value, if only that is needed
 * (ENV_COUNT); the fourth reports an error. Owned by the caller. */
char *unmanaged_addresses(void);

/* ENV_COUNT: values are counted, and a line is written only if their number is a power of two. Call
 * it before any value. */
void unmanaged_set_only_counts(bool on);

/* How activities are found; NULL: not. Borrowed. Call it before any value. */
struct activity_source;
void unmanaged_set_activities(const struct activity_source *source);

/* Whether objects have the layout that values/write.c reads: `info` is ICorProfilerInfo3. If not,
 * the reason is reported (status.h), and the profiler does not start without another inspector. */
bool unmanaged_is_possible(void *info, const struct runtime *runtime, bool alone);

/* Reports what was missing in lines. */
void unmanaged_report_end(void);

#endif
