/* Starting a program with the profiler in it, for `ilpatch run` and `ilpatch trace`, and what they
 * share with `ilpatch attach`:
 *
 *   environment -> the program, unchanged -> what the profiler said -> the program's exit code
 *
 * A runtime that does not load a profiler is silent about it. So the profiler reports itself in a
 * file of ours (profiler/status.h), and if that stays empty, possible causes are reported.
 *
 *   struct launch launch = {.program = program, .inspector = true, .take = take, .user = &own};
 *   launch_set(&launch);
 *   variables_add(&launch.variables, ...);
 *   launch_program(&launch);
 *   launch_close(&launch); */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "host/profiler_environment.h"
#include "host/profiler_options.h"
#include "tools/launch/target.h"

struct launch {
    char **program;     /* with its arguments, ended by NULL; borrowed */
    bool inspector;     /* also load the stock inspector, by a start-up hook */
    bool children;      /* also in processes that the program starts */
    bool replace;       /* replace another profiler that the environment names */
    bool mono;          /* the request also works on Mono */
    const char *output; /* a file for values, which may be buffered (line_ring.h); may be NULL */
    void *user;
    /* Receives each status line, except those handled here ("loaded", "inspector", "ended",
     * "missing", "failed", "unwritable", "message"): its word and its text. May be NULL. */
    void (*take)(void *user, const char *word, const char *text);

    struct target target; /* the kind of `program`; zeroed until launch_target() is called */
    bool target_is_open;
    struct variables variables; /* added to the environment */
    char *profiler;             /* its file; owned */
    /* the name of the status file (shared_counters.h); owned */
    char *status;
    int parsed;      /* the file with parsed rules; 0: none */
    unsigned loaded; /* number of processes with the profiler */
    unsigned shown;  /* with the inspectors, too */
    unsigned ended;  /* that have reported their end */
    bool goes_on;    /* the process from which an attached command has gone */
    /* an inspector that was not loaded although the stock one was; owned; NULL: none */
    char *missing;
    unsigned lost;  /* number of failed writes of values, or of a trace */
    int lost_error; /* launch_lost_reason() */
    bool failed;    /* the profiler cannot work, which has been reported */
    /* it cannot write a requested file, which has been reported */
    bool unwritable;
    long read; /* bytes of its lines read until now */
};

/* Whether the program runs on Mono, and the request works there. */
bool launch_is_for_mono(struct launch *launch);

/* Sets the variables that load the profiler; the caller adds the request. Failures are reported. */
enum exit_code launch_set(struct launch *launch);

/* ENV_OPTIONS and ENV_INSPECTORS. `by_hand`: in the readable form, which a profiler of any version
 * accepts; else only one of the command's own version does. */
void launch_set_options(struct launch *launch, const struct profiler_options *options,
                        const struct request *request, bool by_hand);

/* The kind of `program`, found when first needed. */
const struct target *launch_target(struct launch *launch);

/* Prints the variables as shell commands on standard output. */
void launch_print(const struct launch *launch);

/* Warns of what will keep the profiler out, starts the program, passes signals on to it, waits for
 * its end, reads the status, and explains an empty one. The result is the program's exit code, 128
 * plus the number of the signal that ended it, or EXIT_BAD_INPUT and EXIT_CANNOT_WRITE if it could
 * not be started, which has been reported. */
enum exit_code launch_program(struct launch *launch);

/* For attach.c. Finds a file that is installed with the command, beside it or in lib/ilpatch. */
enum exit_code launch_find_installed(const char *name, char **path);

/* Makes the status file, whose name becomes launch->status: its descriptor, to be kept open while
 * the name is in use, or -1, which has been reported. */
int launch_make_status(struct launch *launch);

/* Reads the lines that the profiler has written since; the second function also reads its counts,
 * and is called once. */
void launch_read_lines(struct launch *launch);
void launch_read_status(struct launch *launch);
void launch_read_counts(struct launch *launch); /* the counts without the lines */

/* The reason for a loss, for messages. */
const char *launch_lost_reason(const struct launch *launch);

/* Reports how many lines were lost. */
void launch_report_lost(const struct launch *launch);

void launch_close(struct launch *launch);

#endif
