/* Starting a program with the profiler in it, for `ilpatch run` and `ilpatch trace`, and what both
 * have in common with `ilpatch attach`:
 *
 *   environment -> the program, unchanged -> what the profiler said -> the program's exit code
 *
 * A runtime that does not load a profiler says nothing, so the profiler itself has to say that it
 * is there: it writes into a file of ours (profiler/status.h), and if that stays empty, what may be
 * the cause is reported.
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
    char **program;     /* with its arguments, NULL behind the last; borrowed */
    bool inspector;     /* the stock inspector is loaded, too, by a start-up hook */
    bool children;      /* processes that the program starts, too */
    bool replace;       /* another profiler that the environment names gives way */
    bool mono;          /* Mono can do what is requested, too */
    const char *output; /* a file for values, which may be buffered (line_ring.h); may be NULL */
    void *user;
    /* Gets each line that the profiler wrote but those that are taken here ("loaded", "inspector",
     * "ended", "missing", "failed", "unwritable", "message"): its word and its text. May be
     * NULL. */
    void (*take)(void *user, const char *word, const char *text);

    struct target target; /* what `program` is; all zero until launch_target() is called */
    bool target_is_open;
    struct variables variables; /* what is set besides the environment that is there */
    char *profiler;             /* its file; owned */
    /* the name of the file for what the profiler says (shared_counters.h); owned */
    char *status;
    int parsed;      /* the file with rules that are parsed; 0: there is none */
    unsigned loaded; /* in so many processes the profiler said that it is there, */
    unsigned shown;  /* the inspectors, too, */
    unsigned ended;  /* that it has said all */
    /* an inspector that was not loaded where the stock one was; owned; NULL: none */
    char *missing;
    unsigned lost;  /* so many writes of values, or of a trace, failed, */
    int lost_error; /* launch_lost_reason() */
    bool failed;    /* or why it cannot work, which has been reported */
    /* or that it cannot write a file that was asked for, which has been reported, too */
    bool unwritable;
    long read; /* so many bytes of its lines have been taken */
};

/* Whether the program has Mono, and Mono can do what is requested. */
bool launch_is_for_mono(struct launch *launch);

/* Sets what loads the profiler; what it shall do is added by the caller. On failure it has been
 * reported. */
enum exit_code launch_set(struct launch *launch);

/* ENV_OPTIONS and ENV_INSPECTORS. `by_hand`: in the form for people, who may set it for a profiler
 * of any version; else only one of the command's own version takes it. */
void launch_set_options(struct launch *launch, const struct profiler_options *options,
                        const struct request *request, bool by_hand);

/* What `program` is, looked at when that is needed first. */
const struct target *launch_target(struct launch *launch);

/* The variables as commands for a shell, on standard output. */
void launch_print(const struct launch *launch);

/* Tells what will keep the profiler out, starts the program, passes signals on to it, waits for its
 * end, reads what the profiler said, and explains it if that was nothing. The result is the
 * program's exit code, 128 and the number of the signal that ended it, or EXIT_BAD_INPUT and
 * EXIT_CANNOT_WRITE when it could not be started, which has been reported. */
enum exit_code launch_program(struct launch *launch);

/* For attach.c, which has the profiler loaded into a process that runs already: a file that is
 * installed with the command, beside it or in lib/ilpatch; */
enum exit_code launch_find_installed(const char *name, char **path);

/* the file for what the profiler says, whose name is launch->status then: its descriptor, for as
 * long as it is to be found, or -1, which has been reported; */
int launch_make_status(struct launch *launch);

/* the lines that the profiler has written since, and these with what it has counted, once. */
void launch_read_lines(struct launch *launch);
void launch_read_status(struct launch *launch);
void launch_read_counts(struct launch *launch); /* without the lines */

/* Why something was lost, for people; */
const char *launch_lost_reason(const struct launch *launch);

/* and how many lines were. */
void launch_report_lost(const struct launch *launch);

void launch_close(struct launch *launch);

#endif
