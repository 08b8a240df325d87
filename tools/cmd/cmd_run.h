/* What `ilpatch run` and `ilpatch attach` have in common: most options, what the profiler is given,
 * and what it says. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "host/profiler_options.h"
#include "tools/cmd/call_record.h"
#include "tools/launch/attach.h"
#include "tools/launch/launch.h"
#include "tools/launch/tail_explained.h"

/* What the profiler counted. */
struct counts {
    unsigned inspected;
    unsigned left;
    unsigned unasked;            /* of these, by rules */
    unsigned modules;            /* of which nothing is inspected */
    unsigned long long recorded; /* values, in the spool */
};

struct run;

/* What is different about the two commands. */
struct form {
    const char *name;
    const char *help;
    const char *help_end; /* behind the options */
    enum option_taker taker;
    bool in_order; /* the options of a program are not ours */
    /* what stands behind the options */
    enum exit_code (*check)(struct run *run, char **rest, int count);
    enum exit_code (*go)(struct run *run);
};

struct run {
    const struct form *form;
    struct attachment attachment; /* of attach */
    char *paths[5];               /* of attach, with its process's number in them; owned */
    struct profiler_options options;
    struct request request;
    struct launch launch;
    bool print;
    bool quiet;
    bool verbose;
    const char *output;
    const char *report;
    struct recorded recorded; /* values in a spool, if it is kept */
    bool traces;              /* of attach: calls are recorded, and no values, */
    struct call_record calls; /* and so */
    struct counts counts;
    struct tail_request tail;
    char **partial; /* files of reports that were not complete when they were reported; owned */
    unsigned partial_count;
    bool unwritten; /* some report could not be written */
    bool inspects;  /* else tail calls are explained, and nothing else */
};

/* Takes the command line, opens what it names, and goes on with the form's own. */
enum exit_code run_work(const struct form *form, char **argv);

/* Sets what the profiler is asked for, in run->launch. */
void run_set_variables(struct run *run);

/* --spool: makes the file; says how many values are in it, unless --quiet is given; removes it
 * when there are none. Without --spool nothing is done. */
enum exit_code run_begin_spool(struct run *run);
void run_tell_recorded(const struct run *run);
void run_end_spool(struct run *run);

/* Unless --quiet is given, or nothing is inspected. */
void run_tell_counts(const struct run *run);

/* What a process that ended too early leaves of its report (profiler/partial_report.h) is its
 * report now; of so many. */
unsigned run_take_partial_reports(struct run *run);

#endif
