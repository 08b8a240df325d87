/* What `ilpatch run` and `ilpatch attach` share: most options, the variables of the profiler, and
 * its status lines. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "host/profiler_options.h"
#include "tools/cmd/call_record.h"
#include "tools/launch/attach.h"
#include "tools/launch/launch.h"
#include "tools/launch/tail_explained.h"

/* The profiler's counts. */
struct counts {
    unsigned inspected;          /* methods */
    unsigned left;               /* methods that were not inspected, for any reason */
    unsigned left_out;           /* of these, by rules */
    unsigned modules;            /* without any inspected method */
    unsigned long long recorded; /* values in the spool */
};

struct run;

/* The differences between the two commands. */
struct form {
    const char *name;     /* of the command, for messages */
    const char *help;     /* before the options */
    const char *help_end; /* after the options */
    enum option_taker taker;
    bool in_order; /* options after the program's name belong to the program */
    /* checks the operands */
    enum exit_code (*check)(struct run *run, char **rest, int count);
    /* does the work, once everything is read and checked; no program was started before */
    enum exit_code (*go)(struct run *run);
};

/* The state of one command, zeroed at the start, filled by the command line, then by status lines.
 * Texts without a note are borrowed from argv or, after name_paths(), from `paths`; run_work()
 * frees what is owned. */
struct run {
    const struct form *form;
    struct attachment attachment; /* of attach */
    char *paths[5];               /* of attach, with the process number inserted; owned */
    struct profiler_options options;
    struct request request; /* open while `go` runs */
    struct launch launch;
    bool print; /* --print-env: print the variables, start nothing */
    bool quiet;
    bool verbose;
    const char *output;       /* -o; NULL: values have no file of their own */
    const char *report;       /* --report, written by the process; NULL: none */
    struct recorded recorded; /* the spool of values, if one is kept */
    bool traces;              /* of attach: calls are recorded instead of values */
    struct call_record calls; /* in this */
    struct counts counts;
    struct tail_request tail;
    char **partial; /* reports that were incomplete when they were announced; owned */
    unsigned partial_count;
    bool unwritten; /* a report could not be written */
    bool inspects;  /* else only tail calls are explained */
};

/* Reads the command line, opens its files, and continues with the form's function. */
enum exit_code run_work(const struct form *form, char **argv);

/* Refuses - as an output: called by the form's check, which may give it a meaning before. */
enum exit_code run_check_names(const struct run *run);

/* Sets the variables of the request in run->launch. */
void run_set_variables(struct run *run);

/* --spool: makes the file; prints how many values are in it, unless --quiet; removes it if there
 * are none. No-ops without --spool. */
enum exit_code run_begin_spool(struct run *run);
void run_report_recorded(const struct run *run);
void run_end_spool(struct run *run);

/* No-op with --quiet, or if nothing is inspected. */
void run_report_counts(const struct run *run);

/* Completes the partial reports (profiler/partial_report.h) of processes that ended too early;
 * returns their number. */
unsigned run_take_partial_reports(struct run *run);

#endif
