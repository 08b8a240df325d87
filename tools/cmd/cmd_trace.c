/* ilpatch trace: starts a program with the profiler, which records calls into a spool, and converts
 * that when the program has ended.
 *
 *   options -> environment variables -> the program -> a spool -> OUT */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/call_record.h"
#include "tools/cmd/command_line.h"
#include "host/output_place.h"
#include "host/request_open.h"
#include "tools/launch/tail_explained.h"
#include "tools/patch/output_places.h"
#include "host/trace_options.h"
#include "tools/tool.h"

static const char help[] = "ilpatch trace [options] -- PROGRAM [ARGUMENT...]\n"
                           "\n"
                           "Starts PROGRAM and records which methods are called, from where, how "
                           "often and for how long, by hooks of the\n"
                           "runtime's profiling interface (docs/TRACE.md). When it has ended, a "
                           "report is written. No file is changed.\n"
                           "PROGRAM is what starts the application: dotnet App.dll, or ./App.\n"
                           "\n";

static const char help_end[] =
    "\n"
    "  ilpatch trace -o run.html -- dotnet App.dll                 to walk through in a browser\n"
    "  ilpatch trace --values --where '<namespace like=\"Shop*\"/>' -- dotnet App.dll\n"
    "  ilpatch trace -o run.folded -- dotnet App.dll               for flamegraph.pl\n"
    "\n"
    "Times are those of the clock, with waiting in them, and with what hooks take. Ctrl-C ends "
    "PROGRAM; the report is\n"
    "written then.\n"
    "\n"
    "The exit code is that of PROGRAM, or 128 and the number of the signal that ended it. If that "
    "is 0: 1 when something\n"
    "recorded was damaged or lost, or the profiler was not loaded, 2 bad usage, 3 when PROGRAM "
    "could not be started,\n"
    "4 when OUT could not be written; what was recorded is kept then.\n";

/* One recording. `tracing` itself is the receiver of status lines, so it lives until the program
 * has ended. */
struct tracing {
    struct profiler_options options; /* for the process */
    struct request request;          /* which methods are recorded; open while `trace` runs */
    struct launch launch;
    struct call_record record; /* the spool, the counts, the report */
    bool print;                /* --print-env: print the variables, start nothing */
    struct tail_request tail;  /* --explain-tail */
};

/* ---- the program ---- */

/* On the slow path no tail call may become a jump (SLOW_PATH_VARIABLES in host/trace_options.h has
 * the reason), which only variables of the runtime can prevent. */
static enum exit_code set_variables(struct tracing *tracing)
{
    enum exit_code code = launch_set(&tracing->launch);
    if (code != EXIT_DONE) {
        return code;
    }
    struct profiler_options *options = &tracing->options;
    options->trace.spool = tracing->record.recorded.path;
    options->trace.own_spool = !tracing->record.recorded.kept;
    options->inspect_returns = tracing->request.every;
    options->explain_tail = tracing->tail.wanted;
    if (trace_is_slow(&tracing->options.trace)) {
#define VARIABLE(name) variables_add(&tracing->launch.variables, name, need(strdup("0")));
        SLOW_PATH_VARIABLES(VARIABLE)
#undef VARIABLE
    }
    launch_set_options(&tracing->launch, options, &tracing->request, tracing->print);
    return EXIT_DONE;
}

/* A line of the status file, from the profiler: of the recording, or of tail calls. */
static void take_line(void *user, const char *word, const char *text)
{
    struct tracing *tracing = user;
    if (!call_record_take_line(&tracing->record, word, text)) {
        tail_reports_take(&tracing->tail.reports, word, text);
    }
}

/* The counts come before the report is made, which may take long. The exit code of the program
 * wins, then that of the report. */
static enum exit_code run_program(struct tracing *tracing)
{
    if (tracing->options.trace.disable_optimizations && !tracing->record.quiet) {
        report_message(
            "optimizations are off: times and tail calls are not those of the program as it is");
    }
    enum exit_code code = launch_program(&tracing->launch);
    call_record_report(&tracing->record, &tracing->launch,
                       tracing->options.trace.paused ? "kill -RTMIN+4 PID begins it"
                                                     : "--verbose lists what was left alone");
    enum exit_code converted = call_record_convert(&tracing->record);
    /* Without the profiler no tail call was reported, and launch_program() has explained why it is
     * missing. */
    tracing->tail.wanted = tracing->tail.wanted && tracing->launch.loaded;
    enum exit_code explained = tail_request_finish(&tracing->tail);
    if (code != EXIT_DONE) {
        return code;
    }
    return converted != EXIT_DONE ? converted : explained;
}

enum { TRACE_OUTPUTS = 3 };

static void list_outputs(const struct tracing *tracing, struct named_output outputs[TRACE_OUTPUTS])
{
    outputs[0] = (struct named_output){OPTION_OUTPUT, tracing->record.conversion.output};
    outputs[1] = (struct named_output){OPTION_EXPLAIN_TAIL, tracing->tail.file};
    outputs[2] = (struct named_output){OPTION_SPOOL, tracing->record.recorded.kept};
}

/* All outputs are checked before the program starts; then the spool is made, and it is removed at
 * the end, or kept if it was named. */
static enum exit_code trace(struct tracing *tracing)
{
    struct named_output outputs[TRACE_OUTPUTS];
    list_outputs(tracing, outputs);
    enum exit_code code = outputs_check_places("trace", outputs, TRACE_OUTPUTS,
                                               &tracing->options.request, &tracing->request);
    if (code == EXIT_DONE) {
        code = output_check(tracing->record.conversion.output);
    }
    if (code == EXIT_DONE) {
        code = output_check(tracing->tail.file);
    }
    if (code == EXIT_DONE) {
        code = output_check_stream(tracing->record.recorded.kept);
    }
    if (code == EXIT_DONE) {
        code = recorded_begin(&tracing->record.recorded, tracing->print);
    }
    if (code == EXIT_DONE) {
        code = set_variables(tracing);
    }
    if (code == EXIT_DONE && tracing->print) {
        launch_print(&tracing->launch);
    } else if (code == EXIT_DONE) {
        code = run_program(tracing);
    }
    recorded_end(&tracing->record.recorded);
    return code;
}

/* ---- command line ---- */

/* The options that `trace` has in common with `run` mean the same, but their fields are those of a
 * recording. */
static bool own_option(struct tracing *tracing, enum option_id option, const char *value)
{
    switch (option) {
    case OPTION_OUTPUT: tracing->record.conversion.output = value; return true;
    case OPTION_QUIET: tracing->record.quiet = true; return true;
    case OPTION_VERBOSE: tracing->record.verbose = true; return true;
    case OPTION_CHILDREN: tracing->launch.children = true; return true;
    case OPTION_REPLACE_PROFILER: tracing->launch.replace = true; return true;
    case OPTION_PRINT_ENV: tracing->print = true; return true;
    case OPTION_SPOOL: tracing->record.recorded.kept = value; return true;
    default: return profiler_option(&tracing->options, option, value);
    }
}

/* --print-env starts no program, so other outputs have no use. */
static enum exit_code check_print(const struct tracing *tracing)
{
    const struct {
        bool given;
        const char *option;
    } others[] = {
        {tracing->record.conversion.output != NULL, "--output"},
        {tracing->record.conversion.format != NULL, "--format"},
        {tracing->record.conversion.subtract, "--subtract-cost"},
        {tracing->record.conversion.raw_names, "--raw-names"},
        {tracing->tail.wanted, "--explain-tail"},
        {tracing->record.quiet, "--quiet"},
        {tracing->record.verbose, "--verbose"},
        {tracing->launch.program[0] != NULL, "PROGRAM"},
    };
    if (!tracing->record.recorded.kept) {
        return usage_error("trace", "where to? --print-env needs --spool FILE");
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].given) {
            return usage_error("trace", "--print-env starts no program, so %s has no effect",
                               others[i].option);
        }
    }
    return EXIT_DONE;
}

/* The variables of the slow path switch fast tail calls off. So what the JIT would do without them
 * cannot be observed at the same time. */
static enum exit_code check_pairs(const struct tracing *tracing)
{
    if (request_target_is_idle(&tracing->options.request)) {
        return usage_error("trace",
                           "--target says what --affected-by and rules mean; give one of them");
    }
    if (tracing->tail.wanted && trace_is_slow(&tracing->options.trace)) {
        return usage_error("trace",
                           "--values and --slow change the tail calls that the JIT makes, so "
                           "--explain-tail would not report the program's own: run it alone");
    }
    return EXIT_DONE;
}

/* Called once the format is known. */
static enum exit_code check_kind(const struct tracing *tracing)
{
    const struct trace_settings *trace = &tracing->options.trace;
    if (trace->by.value == TRACE_BY_IL && trace->values) {
        return usage_error("trace", "with --by il methods pass no values; leave it out, or see "
                                    "ilpatch run --spool, which records values without calls");
    }
    if (trace->by.value == TRACE_BY_IL && trace->slow) {
        return usage_error("trace", "--by il uses no hooks, fast or slow");
    }
    return call_record_check(&tracing->record, trace, "trace");
}

/* From the cheapest test to those that need other options to be parsed: conversion_check() finds
 * the format, which check_kind() compares. */
static enum exit_code check(struct tracing *tracing)
{
    if (tracing->options.request.inspector) {
        return usage_error("trace", "no inspector is called by hooks; ilpatch run calls them");
    }
    if (!tracing->print && !tracing->launch.program[0]) {
        return usage_error(
            "trace", "which program? for example: ilpatch trace -o run.html -- dotnet App.dll");
    }
    struct named_output outputs[TRACE_OUTPUTS];
    list_outputs(tracing, outputs);
    enum exit_code code = outputs_check_names("trace", outputs, TRACE_OUTPUTS);
    code = code == EXIT_DONE && tracing->print ? check_print(tracing) : code;
    code = code == EXIT_DONE ? value_options_check(&tracing->options.value, "trace") : code;
    code = code == EXIT_DONE ? check_pairs(tracing) : code;
    code = code == EXIT_DONE ? conversion_check(&tracing->record.conversion, "trace") : code;
    return code == EXIT_DONE ? check_kind(tracing) : code;
}

/* The first operand ends the options: those after it are of PROGRAM. */
static enum exit_code parse(struct tracing *tracing, char **argv, bool *done)
{
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, TAKEN_BY_TRACE, argv, true);
    *done = false;
    while ((option = options_next(&reader)) != OPTION_END) {
        if (option == OPTION_HELP) {
            print_help(TAKEN_BY_TRACE, help, "");
            conversion_help();
            fputs(help_end, stdout);
            *done = true;
            return EXIT_DONE;
        }
        if (!tail_option(&tracing->tail, option, reader.value) &&
            !own_option(tracing, option, reader.value) &&
            !conversion_option(&tracing->record.conversion, option, reader.value)) {
            return option_error("trace", &reader);
        }
        if (option == OPTION_CHECK_STACKS && tracing->options.trace.check_stacks == 0) {
            return usage_error("trace", "--check-stacks takes a number from 1 on, not '%s'",
                               reader.value);
        }
    }
    tracing->launch.program = reader.operands;
    return check(tracing);
}

/* Without rules every method is selected. All is closed in the end, whatever has failed. */
enum exit_code cmd_trace(int argc, char **argv)
{
    struct tracing tracing = {.launch = {.take = take_line, .user = &tracing},
                              .record = {.conversion = {.out = stderr}}};
    bool done;
    (void)argc;
    struct request_options *given = &tracing.options.request;
    given->in_process = true;
    enum exit_code code = parse(&tracing, argv, &done);
    if (code == EXIT_DONE && !done) {
        bool every = given->rules.count == 0;
        code = request_open(&tracing.request, given, every, "trace");
        if (code == EXIT_DONE) {
            code = request_refuse_values(&tracing.request, "trace",
                                         "is for ilpatch run and attach: a trace has all calls",
                                         NULL);
        }
        if (code == EXIT_DONE) {
            code = trace(&tracing);
        }
        request_close(&tracing.request);
    }
    launch_close(&tracing.launch);
    profiler_options_close(&tracing.options);
    return code;
}
