/* ilpatch trace: starts a program with the profiler in it, which records calls into a spool, and
 * converts that when the program has ended.
 *
 *   options -> environment variables -> the program -> a spool -> OUT */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "host/output_place.h"
#include "host/request_open.h"
#include "tools/export/convert.h"
#include "tools/launch/launch.h"
#include "tools/launch/recorded.h"
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
    "recorded was damaged or lost, 2 bad usage, 3 when PROGRAM could not be started, 4 when OUT "
    "could not be written;\n"
    "what was recorded is kept then.\n";

/* What the profiler counted, in its own words; of several processes together. */
#define MAX_COUNTS 16u
struct count {
    char word[24];
    unsigned long long total;
};

struct tracing {
    struct profiler_options options;
    struct request request;
    struct launch launch;
    struct conversion conversion;
    bool print;
    bool quiet;
    bool verbose;
    struct recorded recorded;
    bool lost; /* some of what was recorded could not be written */
    struct count counts[MAX_COUNTS];
    struct tail_request tail;
};

/* ---- the program ---- */

static enum exit_code set_variables(struct tracing *tracing)
{
    enum exit_code code = launch_set(&tracing->launch);
    if (code != EXIT_DONE) {
        return code;
    }
    struct profiler_options *options = &tracing->options;
    options->trace.spool = tracing->recorded.path;
    options->trace.own_spool = !tracing->recorded.kept;
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

/* A free count is one with an empty word; the last one takes what there is no room for. */
static void add_count(struct tracing *tracing, const char *text)
{
    struct count said;
    size_t i = 0;
    if (sscanf(text, "%23s %llu", said.word, &said.total) == 2) {
        while (i < MAX_COUNTS - 1 && tracing->counts[i].word[0] != '\0' &&
               strcmp(tracing->counts[i].word, said.word) != 0) {
            i++;
        }
        memcpy(tracing->counts[i].word, said.word, sizeof said.word);
        tracing->counts[i].total += said.total;
    }
}

static void tell_counts(const struct tracing *tracing)
{
    const struct launch *launch = &tracing->launch;
    char *line = need(strdup("recorded"));
    for (size_t i = 0; i < MAX_COUNTS; i++) {
        if (tracing->counts[i].total != 0) {
            char *longer = format_text("%s %llu %s,", line, tracing->counts[i].total,
                                       tracing->counts[i].word);
            free(line);
            line = longer;
        }
    }
    char *comma = strrchr(line, ',');
    if (comma) {
        *comma = '\0';
        tell("%s", line);
    } else if (launch->ended >= launch->loaded) {
        tell("no call was recorded; %s", tracing->options.trace.paused
                                             ? "kill -RTMIN+4 PID begins it"
                                             : "--verbose tells what was left alone");
    }
    if (launch->ended < launch->loaded) {
        tell("%u of %u processes ended without their runtime's shutdown; what they did until then "
             "is recorded",
             launch->loaded - launch->ended, launch->loaded);
    }
    free(line);
}

static void take_line(void *user, const char *word, const char *text)
{
    struct tracing *tracing = user;
    if (strcmp(word, "module") == 0 && tracing->verbose) {
        tell("left alone: %s", text);
    } else if (strcmp(word, "method") == 0) {
        tell("method %s", text);
    } else if (strcmp(word, "values") == 0 || (strcmp(word, "trace") == 0 && tracing->verbose)) {
        tell("%s", text);
    } else if (strcmp(word, "unwritten") == 0) {
        tell("%s", text);
        tracing->lost = true;
    } else if (strcmp(word, "hooks") == 0) {
        add_count(tracing, text);
    } else {
        tail_reports_take(&tracing->tail.reports, word, text);
    }
}

static enum exit_code convert_spool(struct tracing *tracing)
{
    if (recorded_is_empty(&tracing->recorded)) { /* the reason has been reported */
        return EXIT_INCOMPLETE;
    }
    if (tracing->recorded.kept && !tracing->conversion.output && !tracing->conversion.format) {
        if (!tracing->quiet) {
            tell("recorded in %s; ilpatch report shows it", tracing->recorded.kept);
        }
        return tracing->lost ? EXIT_INCOMPLETE : EXIT_DONE;
    }
    enum exit_code code = convert(&tracing->conversion, &tracing->recorded.path, 1);
    if (code == EXIT_CANNOT_WRITE && !tracing->recorded.kept) { /* it may have taken hours */
        recorded_keep(&tracing->recorded);
        tell("what was recorded is in %s; ilpatch report shows it", tracing->recorded.path);
    }
    return code == EXIT_DONE && tracing->lost ? EXIT_INCOMPLETE : code;
}

static enum exit_code run_program(struct tracing *tracing)
{
    if (tracing->options.trace.disable_optimizations && !tracing->quiet) {
        tell("optimizations are off: times and tail calls are not those of the program as it is");
    }
    enum exit_code code = launch_program(&tracing->launch);
    if (tracing->launch.lost != 0 && !tracing->lost) { /* by a process that did not say so itself */
        tell("%s: cannot write: %s",
             tracing->recorded.kept ? tracing->recorded.kept : tracing->recorded.path,
             launch_lost_reason(&tracing->launch));
        tracing->lost = true;
    }
    if (tracing->launch.loaded && !tracing->quiet) {
        tell_counts(tracing);
    }
    enum exit_code converted = convert_spool(tracing);
    tracing->tail.wanted = tracing->tail.wanted && tracing->launch.loaded;
    enum exit_code explained = tail_request_finish(&tracing->tail);
    if (code != EXIT_DONE) {
        return code;
    }
    return converted != EXIT_DONE ? converted : explained;
}

static enum exit_code trace(struct tracing *tracing)
{
    const struct named_output outputs[] = {{OPTION_OUTPUT, tracing->conversion.output},
                                           {OPTION_EXPLAIN_TAIL, tracing->tail.file},
                                           {OPTION_SPOOL, tracing->recorded.kept}};
    enum exit_code code = outputs_check_places("trace", outputs, sizeof outputs / sizeof outputs[0],
                                               &tracing->options.request, &tracing->request);
    if (code == EXIT_DONE) {
        code = output_check(tracing->conversion.output);
    }
    if (code == EXIT_DONE) {
        code = output_check(tracing->tail.file);
    }
    if (code == EXIT_DONE) {
        code = output_check_stream(tracing->recorded.kept);
    }
    if (code == EXIT_DONE) {
        code = recorded_begin(&tracing->recorded, tracing->print);
    }
    if (code == EXIT_DONE) {
        code = set_variables(tracing);
    }
    if (code == EXIT_DONE && tracing->print) {
        launch_print(&tracing->launch);
    } else if (code == EXIT_DONE) {
        code = run_program(tracing);
    }
    recorded_end(&tracing->recorded);
    return code;
}

/* ---- command line ---- */

static bool own_option(struct tracing *tracing, enum option_id option, const char *value)
{
    switch (option) {
    case OPTION_OUTPUT: tracing->conversion.output = value; return true;
    case OPTION_QUIET: tracing->quiet = true; return true;
    case OPTION_VERBOSE: tracing->verbose = true; return true;
    case OPTION_CHILDREN: tracing->launch.children = true; return true;
    case OPTION_REPLACE_PROFILER: tracing->launch.replace = true; return true;
    case OPTION_PRINT_ENV: tracing->print = true; return true;
    case OPTION_SPOOL: tracing->recorded.kept = value; return true;
    default: return profiler_option(&tracing->options, option, value);
    }
}

/* With --print-env there is nothing else to do, and nobody to tell of it. */
static enum exit_code check_print(const struct tracing *tracing)
{
    const struct {
        bool given;
        const char *option;
    } others[] = {
        {tracing->conversion.output != NULL, "--output"},
        {tracing->conversion.format != NULL, "--format"},
        {tracing->conversion.subtract, "--subtract-cost"},
        {tracing->conversion.raw_names, "--raw-names"},
        {tracing->tail.wanted, "--explain-tail"},
        {tracing->quiet, "--quiet"},
        {tracing->verbose, "--verbose"},
        {tracing->launch.program[0] != NULL, "PROGRAM"},
    };
    if (!tracing->recorded.kept) {
        return usage_error("trace", "where to? --print-env needs --spool FILE");
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].given) {
            return usage_error("trace", "--print-env starts nothing, so %s has no place beside it",
                               others[i].option);
        }
    }
    return EXIT_DONE;
}

static enum exit_code check_pairs(const struct tracing *tracing)
{
    if (request_target_is_idle(&tracing->options.request)) {
        return usage_error("trace",
                           "--target says what --affected-by and rules mean; give one of them");
    }
    if ((tracing->conversion.subtract || tracing->conversion.raw_names) && tracing->recorded.kept &&
        !tracing->conversion.output && !tracing->conversion.format) {
        return usage_error(
            "trace",
            "--%s is about a report, and with --spool alone there is none; give it to "
            "ilpatch report, or -o OUT",
            tracing->conversion.subtract ? "subtract-cost" : "raw-names");
    }
    if (tracing->tail.wanted && trace_is_slow(&tracing->options.trace)) {
        return usage_error("trace", "with --values or --slow the JIT makes other tail calls than "
                                    "without, so --explain-tail "
                                    "would say what is not so; run it alone");
    }
    return EXIT_DONE;
}

/* When the format is settled. */
static enum exit_code check_kind(const struct tracing *tracing)
{
    const struct trace_settings *trace = &tracing->options.trace;
    const struct format *format = tracing->conversion.chosen;
    if (trace->by.value == TRACE_BY_IL && trace->values) {
        return usage_error("trace", "with --by il methods pass no values; leave it out, or see "
                                    "ilpatch run --spool, which records values without calls");
    }
    if (trace->by.value == TRACE_BY_IL && trace->slow) {
        return usage_error("trace", "with --by il there are no hooks, fast or slow");
    }
    if (trace->no_times && (trace->values || tracing->conversion.subtract)) {
        return usage_error("trace",
                           "with --no-times calls are counted, so %s has no place beside it",
                           trace->values ? "--values" : "--subtract-cost");
    }
    if (trace->no_times && strcmp(format->name, FORMAT_WITHOUT_TIMES) != 0) {
        return usage_error(
            "trace", "with --no-times there is the format " FORMAT_WITHOUT_TIMES " alone, not %s",
            format->name);
    }
    return EXIT_DONE;
}

static enum exit_code check(struct tracing *tracing)
{
    if (tracing->options.request.inspector) {
        return usage_error("trace", "no inspector is called by hooks; ilpatch run calls them");
    }
    if (!tracing->print && !tracing->launch.program[0]) {
        return usage_error(
            "trace", "which program? for example: ilpatch trace -o run.html -- dotnet App.dll");
    }
    enum exit_code code = tracing->print ? check_print(tracing) : EXIT_DONE;
    code = code == EXIT_DONE ? value_options_check(&tracing->options.value, "trace") : code;
    code = code == EXIT_DONE ? check_pairs(tracing) : code;
    code = code == EXIT_DONE ? conversion_check(&tracing->conversion, "trace") : code;
    return code == EXIT_DONE ? check_kind(tracing) : code;
}

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
            !conversion_option(&tracing->conversion, option, reader.value)) {
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

enum exit_code cmd_trace(int argc, char **argv)
{
    struct tracing tracing = {.launch = {.take = take_line, .user = &tracing},
                              .conversion = {.out = stderr}};
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
