/* Calls that a process records, as the command sees them that has it do so: the spool, what the
 * profiler counted, and the report that is made of the spool at the end. What `ilpatch trace` and
 * `ilpatch attach --trace` have in common. */
#ifndef CALL_RECORD_H
#define CALL_RECORD_H

#include "host/profiler_options.h"
#include "tools/export/convert.h"
#include "tools/launch/launch.h"
#include "tools/launch/recorded.h"

/* What the profiler counted, in its own words; of several processes together. */
#define MAX_COUNTS 16u
struct call_count {
    char word[24];
    unsigned long long total;
};

struct call_record {
    struct recorded recorded;
    struct conversion conversion;
    bool quiet;
    bool verbose;
    bool lost; /* some of what was recorded could not be written */
    struct call_count counts[MAX_COUNTS];
};

/* What of these options has no effect, or not the right one, beside each other. */
enum exit_code call_record_check(const struct call_record *record,
                                 const struct trace_settings *trace, const char *command);

/* A line of the profiler's; false: it is about something else. */
bool call_record_take_line(struct call_record *record, const char *word, const char *text);

/* When the process has ended: what could not be written, and, unless it is to be quiet, the counts.
 * `none` says what to do where there is no call. */
void call_record_tell(struct call_record *record, const struct launch *launch, const char *none);

/* Makes the report. If it cannot be written what was recorded is kept. */
enum exit_code call_record_convert(struct call_record *record);

#endif
