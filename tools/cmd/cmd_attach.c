/* ilpatch attach: brings the profiler into a running process.
 *
 * The command line is that of `ilpatch run` (cmd_run.c reads it); this file checks what is attach's
 * own, decides where values go, and hands the request to tools/launch/attach.c, which see for the
 * protocol.
 *
 *   values, no -o             the process writes lines into shared memory, which this prints
 *   values, -o                the process writes the file; the command ends at once
 *   values, --target-stderr   the process writes to its own standard error; the command ends
 *   values, --spool           the process records into a mapped file
 *   --trace                   the same for calls; this command converts the spool at the end
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd/cmd_run.h"
#include "host/color.h"
#include "host/request_open.h"
#include "host/standard_streams.h"
#include "tools/tool.h"

static const char attach_help[] =
    "ilpatch attach [options] PID\n"
    "\n"
    "Shows on standard output what methods return in a .NET process that runs already, until that "
    "ends, or Ctrl-C ends the\n"
    "command: then every method has its old code again, and the process goes on. Methods that were "
    "compiled before are compiled\n"
    "again, and seen when called next.\n"
    "\n"
    "  ilpatch attach --method 'Shop.*::Total' --when 'value > 104' --for 1min 1234\n"
    "  ilpatch attach 1234          what another attach shows already, or all of the program\n"
    "  ilpatch detach 1234          ends it for all\n"
    "\n"
    "With --trace calls are recorded instead, and a report is written at the end "
    "(docs/TRACE.md). With --spool values are\n"
    "recorded instead. With -o or --target-stderr the command ends at once, and the process writes "
    "values until it ends, or\n"
    "until ilpatch detach.\n"
    "\n";

static const char attach_help_end[] =
    "\n"
    "Needs .NET 8 or later with diagnostics switched on, and the user of the process or root: "
    "ilpatch ps lists the processes,\n"
    "and why one cannot be attached to. A process may be in a container. An inspector of your own "
    "decides where it writes:\n"
    "if only such are called the command ends at once, and they are called until ilpatch detach or "
    "the end of the process.\n"
    "The process writes FILE.json itself, when it or the command ends. Exit codes: 0 done, 1 with "
    "--trace: some records\n"
    "were lost, 2 bad usage, 3 the process cannot be attached to, or has a profiler already, 4 a "
    "file or some values could\n"
    "not be written.\n";

/* The profiler's own output follows the options; an inspector of the user's own decides for
 * itself. */
static bool shows_values(const struct run *run)
{
    /* it substitutes some of them */
    bool shows = run->options.framework && request_calls(&run->request, false);
    for (size_t i = 0; i < run->request.inspector_file_count; i++) {
        const struct inspector_file *inspector = &run->request.inspector_files[i];
        shows = shows || ((inspector->stock || inspector->unmanaged) &&
                          request_calls_inspector(&run->request, i));
    }
    return shows;
}

/* A process that was killed has left its report in part, and that is put under its name first.
 * EAGAIN is what the profiler gives for lines that did not fit in the ring: they are lost because
 * the reader was slow, not because of an error. */
static void report_attachment_end(struct run *run)
{
    const struct launch *launch = &run->launch;
    if (launch->ended < launch->loaded && !launch->goes_on) { /* so the process was killed */
        run_take_partial_reports(run);
    }
    run_report_counts(run);
    run_report_recorded(run);
    if (launch->lost != 0 && run->recorded.kept) {
        report_message("%s: cannot write: %s", run->recorded.kept, launch_lost_reason(launch));
    } else if (launch->lost != 0 && launch->lost_error == EAGAIN) {
        report_message(
            "%u line%s dropped: this command reads them too slowly. With -o the process writes all",
            launch->lost, launch->lost == 1 ? " was" : "s were");
    } else if (launch->lost != 0) {
        launch_report_lost(launch);
    }
}

/* Lines are printed here, and the process does not know where. The process gets the outcome instead
 * of "auto": its own standard error may be a terminal while this command's output is a pipe, or the
 * other way round. */
static void choose_colors(struct run *run)
{
    struct option_choice *color = &run->options.color;
    bool wanted = color->value == COLOR_ALWAYS ||
                  (!run->output && color_is_wanted((enum color)color->value, STDOUT_FILENO));
    *color = (struct option_choice){true, wanted ? COLOR_ALWAYS : COLOR_NEVER};
}

/* Files that the process itself reads and writes. */
struct attach_outputs {
    const char **reads; /* owned */
    const char *written[4];
};

/* NULL for the inspectors that come with ilpatch: the stock one is passed in another way, and the
 * unmanaged one is in the profiler. */
static const char *inspector_path(const struct run *run, const struct inspector_file *inspector)
{
    if (inspector->stock || inspector->unmanaged) {
        return NULL;
    }
    return inspector->native ? run->request.library : ilp_image_name(inspector->assembly);
}

/* Collects the paths that attach_process() has to translate, or refuse, if the process sees other
 * files than this command does: in a container, or in another root. `named` owns the array of
 * names, and the names are borrowed from the options. */
static void name_files(struct run *run, struct attach_outputs *named)
{
    const struct option_list *rules = &run->options.request.rules;
    const char *const written[] = {run->report, run->options.id_map, run->recorded.kept,
                                   run->traces ? run->calls.recorded.path : NULL};
    struct own_paths *paths = &run->attachment.paths;
    size_t count = 0;
    named->reads =
        need(new_items(rules->count + run->request.inspector_file_count, sizeof *named->reads));
    for (size_t i = 0; i < rules->count; i++) {
        named->reads[count++] = rules->items[i];
    }
    for (size_t i = 0; i < run->request.inspector_file_count; i++) {
        const char *path = inspector_path(run, &run->request.inspector_files[i]);
        if (path) {
            named->reads[count++] = path;
        }
    }
    paths->reads = named->reads;
    paths->read_count = count;
    paths->written = named->written;
    paths->written_count = 0;
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        if (written[i]) {
            named->written[paths->written_count++] = written[i];
        }
    }
}

/* The request to the profiler is set. Variables are set as for a program that is to be started: the
 * profiler gets the same options from an attach as from its environment. */
static enum exit_code attach_as_requested(struct run *run)
{
    struct attach_outputs named;
    run->attachment.quiet = run->quiet;
    run->attachment.verbose = run->verbose;
    run_set_variables(run);
    name_files(run, &named);
    enum exit_code code = attach_process(&run->launch, &run->attachment);
    free(named.reads);
    return code;
}

/* Defaults are limits that `run` does not have: a process that one attaches to is often in
 * production, so the rate of lines for each method and the cost are bounded unless options say
 * otherwise.
 *
 * The end is reported only if the profiler was loaded and did not refuse: otherwise
 * attach_process() has reported the reason, and counts of 0 would hide it. */
static enum exit_code go_attach(struct run *run)
{
    run->attachment.shows = shows_values(run);
    run->attachment.output = run->output;
    run->attachment.follows = run->attachment.shows && !run->output &&
                              !run->attachment.target_stderr;
    if (!run->attachment.shows && (run->output || run->attachment.target_stderr)) {
        return usage_error(
            "attach", "%s has no effect: all inspectors in use are your own, and write elsewhere",
            run->output ? "-o" : "--target-stderr");
    }
    enum exit_code code = run_begin_spool(run);
    if (code != EXIT_DONE) {
        return code;
    }
    if (!run->attachment.target_stderr) { /* else the process decides */
        choose_colors(run);
    }
    struct choice_options *choice = &run->options.choice;
    if (run->attachment.follows) { /* for others that join the watch goes on */
        choice->limit = choice->duration = NULL;
    }
    run->attachment.prints = run->attachment.follows && !run->recorded.kept;
    choice->max_cost = choice->max_cost ? choice->max_cost : ATTACH_MAX_COST;
    if (!choice->rate && !choice->method_rate && !choice->count) {
        choice->method_rate = ATTACH_METHOD_RATE;
    }
    run->attachment.colors = run->options.color.value == COLOR_ALWAYS;
    code = attach_as_requested(run);
    if (run->launch.loaded != 0 && !run->launch.failed && !run->launch.unwritable) {
        report_attachment_end(run);
    }
    return code == EXIT_DONE && (run->launch.lost != 0 || run->unwritten) ? EXIT_CANNOT_WRITE
                                                                          : code;
}

/* The spool is ended after every outcome: recorded_end() removes one that is empty. */
static enum exit_code go_attach_and_end(struct run *run)
{
    enum exit_code code = go_attach(run);
    run_end_spool(run);
    return code;
}

/* ---- calls ---- */

/* COR_PRF_MONITOR_ENTERLEAVE is not in COR_PRF_ALLOWABLE_AFTER_ATTACH (corprof.idl), so calls are
 * recorded by IL that ReJIT puts into methods: TRACE_BY_IL, whatever --by says.
 *
 * A spool that is not kept is this command's own file, to which the process has to get access:
 * attachment.own_file names it. */
static enum exit_code record_calls(struct run *run)
{
    struct call_record *calls = &run->calls;
    struct trace_settings *trace = &run->options.trace;
    trace->spool = calls->recorded.path;
    trace->own_spool = !calls->recorded.kept;
    trace->by = (struct option_choice){true, TRACE_BY_IL};
    run->options.color = (struct option_choice){true, COLOR_NEVER};
    run->attachment.shows = run->attachment.follows = true;
    run->attachment.prints = !calls->conversion.output && !calls->recorded.kept;
    run->attachment.own_file = trace->own_spool ? calls->recorded.path : NULL;
    enum exit_code code = attach_as_requested(run);
    if (run->launch.loaded == 0 || run->launch.failed || run->launch.unwritable) {
        return code;
    }
    call_record_report(calls, &run->launch, "--verbose lists what was left alone");
    enum exit_code converted = call_record_convert(calls);
    return code == EXIT_DONE ? converted : code;
}

static enum exit_code go_trace(struct run *run)
{
    enum exit_code code = request_refuse_values(
        &run->request, "attach", "is for values: with --trace all calls are recorded", NULL);
    code = code == EXIT_DONE ? recorded_begin(&run->calls.recorded, false) : code;
    code = code == EXIT_DONE ? record_calls(run) : code;
    recorded_end(&run->calls.recorded);
    return code;
}

static enum exit_code go(struct run *run)
{
    return run->traces ? go_trace(run) : go_attach_and_end(run);
}

/* With --trace: refuses options of values, and of files about them. A duration is the exception
 * among the options that choose values: it says when the command ends, and that has a meaning for
 * calls, too. */
static enum exit_code check_trace(struct run *run)
{
    const struct profiler_options *options = &run->options;
    const struct value_options *value = &options->value;
    struct choice_options choice = options->choice;
    choice.duration = NULL;
    const char *chosen = choice_given(&choice);
    const struct {
        const char *option;
        bool given;
    } of_values[] = {
        {"inspect-returns", options->inspect_returns && options->request.rules.count != 0},
        {"args", options->request.args},
        {"exceptions", options->request.exceptions},
        {"inspector", options->request.inspector != NULL},
        {"target-stderr", run->attachment.target_stderr},
        {"color", options->color.given},
        {"redact", value->redact.count != 0},
        {"no-redact", value->no_redact},
        {"depth", value->limits.depth != 0},
        {"elements", value->limits.elements != 0},
        {"text", value->limits.text != 0},
        {"width", value->limits.width != 0},
        {"report", run->report != NULL},
        {"id-map", options->id_map != NULL},
        {chosen, chosen != NULL}};
    for (size_t i = 0; i < sizeof of_values / sizeof of_values[0]; i++) {
        if (of_values[i].given) {
            return usage_error("attach",
                               "--%s is about values, and with --trace calls are recorded; attach "
                               "for values before or after it",
                               of_values[i].option);
        }
    }
    enum exit_code code = conversion_check(&run->calls.conversion, "attach");
    return code == EXIT_DONE ? call_record_check(&run->calls, &options->trace, "attach") : code;
}

/* Without --trace: refuses options of a trace. */
static enum exit_code check_values(const struct run *run)
{
    const struct trace_settings *trace = &run->options.trace;
    const struct conversion *conversion = &run->calls.conversion;
    const struct {
        const char *option;
        bool given;
    } of_calls[] = {{"format", conversion->format != NULL},
                    {"subtract-cost", conversion->subtract},
                    {"raw-names", conversion->raw_names},
                    {"no-times", trace->no_times},
                    {"check-stacks", trace->check_stacks != 0}};
    for (size_t i = 0; i < sizeof of_calls / sizeof of_calls[0]; i++) {
        if (of_calls[i].given) {
            return usage_error("attach", "--%s is about calls, which --trace records",
                               of_calls[i].option);
        }
    }
    return EXIT_DONE;
}

/* The process number is known here; in a container the process itself has another one. The copies
 * are owned by run->paths, since the options borrow from argv. */
static void name_paths(struct run *run)
{
    const char **const named[] = {&run->output, &run->report, &run->options.id_map,
                                  run->traces ? &run->calls.conversion.output : &run->recorded.kept,
                                  &run->calls.recorded.kept};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (*named[i]) {
            run->paths[i] = path_of_process(*named[i], run->attachment.process);
            *named[i] = run->paths[i];
        }
    }
}

/* Called by run_work() when all options are read. Combinations that would wait for lines that never
 * come are refused here: with --spool or --count none arrives, so --limit would not end the
 * command. */
static enum exit_code check_attach(struct run *run, char **rest, int count)
{
    if (count != 1 || !process_number(rest[0], &run->attachment.process)) {
        return usage_error("attach",
                           "which process? its number is needed, for example: ilpatch attach 1234; "
                           "'ilpatch ps' lists those that there are");
    }
    enum exit_code code = run->traces ? check_trace(run) : check_values(run);
    if (code != EXIT_DONE) {
        return code;
    }
    if (run->output && run->attachment.target_stderr) {
        return usage_error("attach", "values go to one place: -o or --target-stderr");
    }
    if (run->recorded.kept && run->options.choice.limit) {
        return usage_error("attach",
                           "--limit counts lines, and --spool writes none: pass --for TIME");
    }
    if (run->options.choice.count && run->options.choice.limit) {
        return usage_error("attach", "--limit counts lines of values, and --count shows none: pass "
                                     "--for TIME");
    }
    /* they go there anyway */
    run->output = run->output && is_standard(run->output) ? NULL : run->output;
    code = run_check_names(run);
    if (code == EXIT_DONE) {
        name_paths(run);
    }
    return code;
}

enum exit_code cmd_attach(int argc, char **argv)
{
    static const struct form form = {
        "attach", attach_help, attach_help_end, TAKEN_BY_ATTACH, false, check_attach, go};
    (void)argc;
    return run_work(&form, argv);
}
