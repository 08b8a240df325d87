/* What `ilpatch attach` and its kin do in a process that runs already:
 *
 *   the diagnostics server loads the profiler, unless it is there from an earlier attach ->
 *   the command connects to it (control.h) ->
 *   the server loads the inspector -> the profiler starts ->
 *   its values are passed on until one of the two ends
 *
 * Until it starts for the first time nothing is changed in the process that stays: whatever goes
 * wrong, the profiler is unloaded, and another attempt may succeed. */
#ifndef ATTACH_H
#define ATTACH_H

#include "host/process.h"
#include "tools/launch/attachable.h"
#include "tools/launch/launch.h"

struct attachment {
    process_id process;
    const char *own_file; /* that we have made for the process to write; NULL: there is none */
    const char *output;   /* the file for values; NULL: standard output, or, if so, */
    bool target_stderr;   /* the standard error of the process */
    /* the profiler writes values: not only inspectors of the user's own are called */
    bool shows;
    bool follows; /* values come here, or are recorded, until the command ends; else they stay */
    bool colors;  /* lines that others have chosen may have colours, if they have */
    bool quiet;
    bool verbose;
    struct own_paths paths;
    uint64_t limit;    /* it ends by itself after so many lines; 0: it does not; */
    uint64_t duration; /* and after so many ns */
};

/* PID of a command line; false: it is none. */
bool process_number(const char *text, process_id *process);

/* launch->variables hold what is asked for (launch_set_request). Ends when the profiler has
 * started, or, where it shows values on our standard output, with the process or by a signal. Then
 * all that it wrote has been taken (launch_read_status). On failure it has been reported. */
enum exit_code attach_process(struct launch *launch, const struct attachment *attachment);

/* Ends what is watched in a process, whoever watches it. */
enum exit_code attach_end(process_id process);

/* The reply to a query of a method (host/method_query.h), as text; owned by the caller. NULL:
 * nothing is watched in the process, which was opened, or it does not answer: *watched says which.
 * Nothing is reported or changed. */
char *attach_query(const struct dotnet_process *process, const char *query, bool *watched);

/* Other methods are watched from now on: `options` as ENV_OPTIONS has them, of which what says
 * which methods is taken. */
enum exit_code attach_change(struct launch *launch, process_id process, const char *options);

#endif
