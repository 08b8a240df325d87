/* The profilers of others that are known by name (other_profilers.def): a process takes one
 * profiler only. */
#ifndef OTHER_PROFILERS_H
#define OTHER_PROFILERS_H

/* By what CORECLR_PROFILER is set to, in capitals or not, and by the path of the library; NULL: it
 * is not known. */
const char *other_profiler_by_class(const char *class);
const char *other_profiler_by_library(const char *path);

/* "Datadog ({846F...}, /opt/datadog/Datadog.Trace.ClrProfiler.Native.so)", or without a name where
 * it is not known: for people. `class` or `path` may be NULL. Owned by the caller. */
char *other_profiler_text(const char *class, const char *path);

#endif
