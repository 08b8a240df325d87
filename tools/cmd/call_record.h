/* Recorded calls of a process, as the command sees them: the spool, the profiler's counts, and the
 * report made from the spool at the end. Shared by `ilpatch trace` and `ilpatch attach --trace`. */
#ifndef CALL_RECORD_H
#define CALL_RECORD_H

#include "host/profiler_options.h"
#include "tools/export/convert.h"
#include "tools/launch/launch.h"
#include "tools/launch/recorded.h"

/* The profiler's counts, in its own words; summed over several processes. */
#define MAX_COUNTS 16u
struct call_count {
    char word[24]; /* "calls"; "": the element is free */
    unsigned long long total;
};

/* The state of one recording, zeroed at the start, then filled by options and status lines. Words
 * are copied; `recorded` owns the spool. */
struct call_record {
    struct recorded recorded;             /* the spool, and whether it is kept */
    struct conversion conversion;         /* of the spool, into the report */
    bool quiet;                           /* --quiet: no counts */
    bool verbose;                         /* --verbose: also what was left alone, and remarks */
    bool lost;                            /* some records could not be written */
    struct call_count counts[MAX_COUNTS]; /* in the order in which their words were first seen */
};

/* Checks these options for combinations without effect, or with a wrong one. */
enum exit_code call_record_check(const struct call_record *record,
                                 const struct trace_settings *trace, const char *command);

/* Takes a status line; false: it is about something else. */
bool call_record_take_line(struct call_record *record, const char *word, const char *text);

/* After the process has ended: reports what could not be written, and, unless quiet, the counts.
 * `none` is the advice if there is no call. */
void call_record_report(struct call_record *record, const struct launch *launch, const char *none);

/* Makes the report. If it cannot be written, the spool is kept. */
enum exit_code call_record_convert(struct call_record *record);

#endif
