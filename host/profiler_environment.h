/* The environment variables between `ilpatch run` and the profiler. */
#ifndef PROFILER_ENVIRONMENT_H
#define PROFILER_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "host/library_names.h"

/* Variables for the profiler. */
#define ENV_OPTIONS "ILPATCH_OPTIONS" /* which methods, and how: host/profiler_options.h */
/* assemblies to load besides the stock one, separated by ':', with a backslash before each ':' and
 * backslash inside */
#define ENV_INSPECTORS "ILPATCH_INSPECTORS"
#define ENV_RULES      "ILPATCH_RULES"    /* the file with parsed rules: parsed_rules.h */
#define ENV_STATUS     "ILPATCH_STATUS"   /* the status file */
#define ENV_CHILDREN   "ILPATCH_CHILDREN" /* 1: also in child processes */
/* the folder for the method bodies at the end, for tests */
#define ENV_BODIES "ILPATCH_BODIES"
/* milliseconds in which a method must be compiled again, or gets its old code back: for tests */
#define ENV_COMPILED_WITHIN "ILPATCH_COMPILED_WITHIN"
#define ENV_REPORT          "ILPATCH_REPORT" /* the file for the report, as JSON */
/* set by the profiler for the stock inspector: see profiler/unmanaged.h */
#define ENV_PROFILER  "ILPATCH_PROFILER"
#define ENV_ELAPSED   "ILPATCH_ELAPSED"   /* 1: a line with arguments has the call's duration */
#define ENV_COUNT     "ILPATCH_COUNT"     /* 1: values are counted instead of shown */
#define ENV_REDACT    "ILPATCH_REDACT"    /* additional names whose values are hidden */
#define ENV_NO_REDACT "ILPATCH_NO_REDACT" /* 1: the common names are not hidden */
#define ENV_DEPTH     "ILPATCH_DEPTH"     /* how much of a value is shown: values/limits.def */
#define ENV_ELEMENTS  "ILPATCH_ELEMENTS"
#define ENV_TEXT      "ILPATCH_TEXT"
#define ENV_WIDTH     "ILPATCH_WIDTH"
/* The file for lines: the user's, which the inspector of a patched file truncates and writes to at
 * positions of its own; "": standard error. */
#define ENV_OUTPUT "ILPATCH_OUTPUT"
/* The file of `ilpatch run -o`, which only profilers write to, by appending. It has a name of its
 * own because patched files are in followed processes, too, and in children that are not: of any
 * version, or with the inspector embedded, so they can know no sign that this is not their file. */
#define ENV_RUN_OUTPUT "ILPATCH_RUN_OUTPUT"
#define ENV_LINES      "ILPATCH_LINES" /* the file of rings for lines: host/line_ring.h */

/* Turns a trace on and off: kill -RTMIN+4 PID. CoreCLR uses SIGRTMIN itself, to interrupt
 * threads. */
#define TRACE_SIGNAL (SIGRTMIN + 4)

/* The profiler's class, as GUID ilpatch in profiler/clr/corprof.def. */
#define PROFILER_CLASS "{0AF01076-FED6-4561-9947-3525B8E2435D}"
#define PROFILER_CLASS_BYTES                                                                      \
    {                                                                                             \
        0x76, 0x10, 0xF0, 0x0A, 0xD6, 0xFE, 0x61, 0x45, 0x99, 0x47, 0x35, 0x25, 0xB8, 0xE2, 0x43, \
            0x5D                                                                                  \
    }

/* Files installed with the command, besides the profiler (library_names.h). */
#define MONO_PROFILER "ilpatch" /* Mono's name for it: --profile=ilpatch */
/* and the file that Mono searches for by it */
#define MONO_PROFILER_FILE "libmono-profiler-" MONO_PROFILER ".so"
#define INSPECTOR_NAME     "MyProfiler"
#define INSPECTOR_FILE     INSPECTOR_NAME ".dll"

/* A path with "%p" replaced by the process's number. Owned by the caller, NULL: no memory. */
char *path_of_process(const char *path, long process);

/* Whether a variable is set to 1. */
bool variable_is_on(const char *name);

/* The file that the profiler writes lines to: the command's, else the user's. Borrowed; NULL or "":
 * none. */
const char *variable_output(void);

/* One variable to be set. */
struct variable {
    const char *name;
    char *value; /* owned; may be NULL */
};

#define MAX_VARIABLES 24u
struct variables {
    struct variable items[MAX_VARIABLES];
    size_t count;
};

void variables_add(struct variables *variables, const char *name, char *owned_value);
void variables_free(struct variables *variables);

/* Sets them in this process, or unsets those without a value, and frees them. */
void variables_set(struct variables *variables);

/* Adds what makes the runtime load the profiler at `profiler` and the inspector at `inspector` (may
 * be NULL). A start-up hook of the user is kept, after ours. */
void variables_add_runtime(struct variables *variables, const char *profiler,
                           const char *inspector);

/* The same without the inspector. */
void variables_leave_out_hook(struct variables *variables);

/* Adds what makes Mono load the profiler at `profiler`, by its other name in the same folder.
 * Options and library folders of the user are kept, after ours. */
void variables_add_mono(struct variables *variables, const char *profiler);

/* In the process, after the profiler was loaded: changes that keep it from being loaded into child
 * processes, none with ILPATCH_CHILDREN. A value of NULL unsets the variable. */
void variables_add_hidden(struct variables *variables);

/* The same in Mono, which has loaded the file `profiler`. */
void variables_add_hidden_mono(struct variables *variables, const char *profiler);

#endif
