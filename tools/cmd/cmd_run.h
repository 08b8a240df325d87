/* What `ilpatch run` and `ilpatch attach` have in common: most options, what the profiler is given, and what it says. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include <getopt.h>

#include "tools/launch/attach.h"
#include "tools/launch/launch.h"
#include "tools/launch/tail_explained.h"

/* What both commands take. */
#define SELECTING_HELP \
    "      --inspect-returns     every method that no rule decides about; what is done without --rules\n" \
    "      --framework           look at the frameworks' methods, too\n" \
    "      --rules RULES.xml     which methods, and how (may be repeated; ilpatch rules --help)\n" \
    "      --where CONDITIONS    only methods that meet them, as in a rule file\n" \
    "      --affected-by BUG     only methods that a bug of the profiling interface concerns\n" \
    "      --target TARGET       what the program runs as, for --affected-by: auto, anycpu, x86, x64, arm, arm64\n" \
    "      --inspector FILE      call the inspector in this assembly instead of the stock one; unmanaged: the profiler\n" \
    "                            shows values itself, and no managed code is called; native:LIBRARY!FUNCTION\n" \
    "      --reference-path DIR  look for referenced assemblies there, too (may be repeated)\n"
#define OUTPUT_HELP(place) \
    "  -o, --output OUT          write values to OUT instead of standard " place " (%p in it: the process's number)\n"
#define REPORT_HELP \
    "      --report FILE.json    write there what became of every method that was compiled or looked for (%p as above)\n" \
    "      --id-map FILE.json    keep there what the ids mean that inspectors get (%p as above)\n"
#define TELLING_HELP \
    "  -q, --quiet               no summary\n" \
    "  -v, --verbose             tell of every module that is left alone, and why\n" \
    "  -h, --help                this text\n"

enum {
    OPTION_CHILDREN = 1,
    OPTION_FRAMEWORK,
    OPTION_PRINT_ENV,
    OPTION_REPLACE,
    OPTION_REPORT,
    OPTION_ID_MAP,
    OPTION_TARGET_STDERR
};

#define COMMON_OPTIONS                                      \
    {"inspect-returns", no_argument, NULL, 'i'},            \
        {"output", required_argument, NULL, 'o'},           \
        {"framework", no_argument, NULL, OPTION_FRAMEWORK}, \
        {"report", required_argument, NULL, OPTION_REPORT}, \
        {"id-map", required_argument, NULL, OPTION_ID_MAP}, \
        {"quiet", no_argument, NULL, 'q'},                  \
        {"verbose", no_argument, NULL, 'v'},                \
        {"help", no_argument, NULL, 'h'}, REQUEST_OPTIONS

/* What the profiler counted. */
struct counts {
    unsigned inspected;
    unsigned left;
    unsigned modules; /* of which nothing is inspected */
};

struct run;

/* What is different about the two commands. */
struct form {
    const char *name;
    const char *help;
    const char *letters; /* for getopt_long(): the options of a program are not ours */
    const struct option *options;
    enum exit_code (*check)(struct run *run, char **rest, int count); /* what stands behind the options */
    enum exit_code (*go)(struct run *run);
};

struct run {
    const struct form *form;
    struct attachment attachment; /* of attach */
    char *paths[3];               /* of attach, with its process's number in them; owned */
    struct request_options given;
    struct request request;
    struct launch launch;
    bool every;
    bool framework;
    bool print;
    bool quiet;
    bool verbose;
    const char *output;
    const char *report;
    const char *id_map;
    struct counts counts;
    struct tail_request tail;
    char **partial; /* files of reports that were not complete when they were told of; owned */
    unsigned partial_count;
    bool unwritten; /* some report could not be written */
    bool inspects; /* else tail calls are explained, and nothing else */
};

/* Takes the command line, opens what it names, and goes on with the form's own. */
enum exit_code run_work(const struct form *form, int argc, char **argv);

/* Sets what the profiler is asked for, in run->launch. */
void run_set_variables(struct run *run);

/* Unless --quiet is given, or nothing is inspected. */
void run_tell_counts(const struct run *run);

/* What a process that ended too early leaves of its report (profiler/partial_report.h) is its report now; of so many. */
unsigned run_take_partial_reports(struct run *run);

#endif
