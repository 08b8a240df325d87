/* What `ilpatch attach` and related commands do in a running process:
 *
 *   the diagnostics server loads the profiler, unless it is there from an earlier attach ->
 *   the command connects to it (control.h) ->
 *   the server loads the inspector -> the profiler starts ->
 *   its values are passed on until one of the two ends
 *
 * Until the profiler starts for the first time, nothing in the process is changed for good: after a
 * failure it is unloaded, and another attempt may succeed. */
#ifndef ATTACH_H
#define ATTACH_H

#include "host/process.h"
#include "tools/launch/attachable.h"
#include "tools/launch/launch.h"

struct attachment {
    process_id process;
    const char *own_file; /* a file that we made for the process to write; NULL: none */
    const char *output;   /* the file for values; NULL: standard output, or the next member's */
    bool target_stderr;   /* the standard error of the process */
    /* the profiler writes values: not only the user's own inspectors are called */
    bool shows;
    bool follows; /* values are passed on, or recorded, until the command ends; else they go on
                     without it */
    bool prints;  /* on our standard output, without whose reader it ends */
    bool colors;  /* keep the colours that another command requested */
    bool quiet;
    bool verbose;
    struct own_paths paths;
    uint64_t limit;    /* ends by itself after this many lines; 0: no limit */
    uint64_t duration; /* ends after this many ns */
};

/* Parses a PID; false: invalid. */
bool process_number(const char *text, process_id *process);

/* launch->variables hold the request (launch_set_options()). Returns when the profiler has started,
 * or, if it shows values on our standard output, when the process or a signal ends it. Then
 * everything it wrote has been read (launch_read_status). Failures are reported. */
enum exit_code attach_process(struct launch *launch, const struct attachment *attachment);

/* Ends all watching in a process, whoever began it. */
enum exit_code attach_end(process_id process);

/* The reply to a query of a method (host/method_query.h), as text; owned by the caller. NULL:
 * nothing is watched in the process, which was opened, or it did not reply: *watched is which.
 * Reports and changes nothing. */
char *attach_query(const struct dotnet_process *process, const char *query, bool *watched);

/* Changes the watched methods: `options` as in ENV_OPTIONS, of which only the method selection is
 * used. */
enum exit_code attach_change(struct launch *launch, process_id process, const char *options);

#endif
