/* Known other profilers (other_profilers.def): a process takes only one profiler. */
#ifndef OTHER_PROFILERS_H
#define OTHER_PROFILERS_H

/* By the value of CORECLR_PROFILER, in any case, and by the path of the library; NULL: unknown. */
const char *other_profiler_by_class(const char *class);
const char *other_profiler_by_library(const char *path);

/* "Datadog ({846F...}, /opt/datadog/Datadog.Trace.ClrProfiler.Native.so)", without a name if it is
 * unknown. `class` or `path` may be NULL. Owned by the caller. */
char *other_profiler_text(const char *class, const char *path);

#endif
