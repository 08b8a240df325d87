/* ilpatch run: starts a program with the profiler, which shows what methods return. launch.h
 * describes how, and what is reported if the profiler is not loaded. Much of this file also serves
 * ilpatch attach.
 *
 *   parse() -> request_open() -> check_choice(), check_ids(), check_outputs() -> form->go()
 *      variables -> the program -> status lines (take_line()) -> the end: report_run_end()
 *
 * Everything is checked before the program starts, since what goes wrong later costs the run: its
 * values are gone. The exit code is the program's; a failure of ours shows only if that is 0. */
#include "tools/cmd/command_line.h"
#include "tools/cmd/cmd_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/path.h"
#include "host/output_place.h"
#include "host/id_map.h"
#include "host/report_parts.h"
#include "host/request_open.h"
#include "host/standard_streams.h"
#include "tools/patch/output_places.h"
#include "tools/tool.h"
#include "inspect/reasons.h"

static const char run_help[] = "ilpatch run [options] -- PROGRAM [ARGUMENT...]\n"
                               "\n"
                               "Starts PROGRAM, and shows what methods return in it. No file is "
                               "changed: a profiler in the process rewrites each\n"
                               "method when it is compiled. PROGRAM is what starts the "
                               "application: dotnet App.dll, ./App, or mono App.exe.\n"
                               "\n";

static const char run_help_end[] = "\n"
                                   "The exit code is that of PROGRAM, or 128 and the number of the "
                                   "signal that ended it; 2 and 3 as for other commands\n"
                                   "if it could not be started; if that of PROGRAM is 0: 4 when "
                                   "OUT or FILE.json could not be written, in part or at all.\n";

/* ---- variables ---- */

/* Paths are made absolute: the program may change its working directory before the profiler opens
 * them. */
void run_set_variables(struct run *run)
{
    launch_set_options(&run->launch, &run->options, &run->request, run->print);
    if (run->output) {
        variables_add(&run->launch.variables, ENV_RUN_OUTPUT, path_full(run->output));
    }
    if (run->report) {
        variables_add(&run->launch.variables, ENV_REPORT, path_full(run->report));
    }
}

/* Each thread records into a mapped part of the file, so it must be a regular one. */
static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The file is made here, not by the profiler, so that one that cannot be made is reported before
 * the program starts. */
enum exit_code run_begin_spool(struct run *run)
{
    if (!run->recorded.kept) {
        return EXIT_DONE;
    }
    enum exit_code code = recorded_begin(&run->recorded, run->print);
    run->options.spool = run->recorded.path;
    if (code == EXIT_DONE && !is_regular(run->recorded.path)) {
        report_message("%s: cannot write: values are recorded in a file that can be mapped",
                       run->recorded.kept);
        code = EXIT_CANNOT_WRITE;
    }
    return code;
}

/* Only if the profiler was loaded: otherwise launch.c has reported why, and a count of 0 would hide
 * it. */
void run_report_recorded(const struct run *run)
{
    if (run->recorded.kept && run->launch.loaded && !run->quiet) {
        report_message("%llu value%s in %s; ilpatch report shows them", run->counts.recorded,
                       plural(run->counts.recorded), run->recorded.kept);
    }
}

/* After every outcome: it removes a spool that no value was written to. */
void run_end_spool(struct run *run)
{
    if (run->recorded.kept) {
        recorded_end(&run->recorded);
    }
}

/* Names with %p are not known before the process is. */
static bool is_known(const char *path)
{
    return path && !strstr(path, "%p");
}

enum { RUN_OUTPUTS = 7 };

static void list_outputs(const struct run *run, struct named_output outputs[RUN_OUTPUTS])
{
    const struct named_output list[RUN_OUTPUTS] = {{OPTION_OUTPUT, run->output},
                                                   {OPTION_REPORT, run->report},
                                                   {OPTION_ID_MAP, run->options.id_map},
                                                   {OPTION_EXPLAIN_TAIL, run->tail.file},
                                                   {OPTION_SPOOL, run->recorded.kept},
                                                   {OPTION_OUTPUT, run->calls.conversion.output},
                                                   {OPTION_SPOOL, run->calls.recorded.kept}};
    memcpy(outputs, list, sizeof list);
}

enum exit_code run_check_names(const struct run *run)
{
    struct named_output outputs[RUN_OUTPUTS];
    list_outputs(run, outputs);
    return outputs_check_names(run->form->name, outputs, RUN_OUTPUTS);
}

/* Checked before the program starts: later its values would be lost. `replaced` are files that are
 * written as a whole, whose folder must be writable; the others are opened and appended to. First
 * no two outputs may be one file, nor an output one of the inputs. */
static enum exit_code check_outputs(const struct run *run)
{
    const char *const replaced[] = {run->report, run->options.id_map, run->tail.file,
                                    run->calls.conversion.output};
    struct named_output outputs[RUN_OUTPUTS];
    list_outputs(run, outputs);
    enum exit_code code = outputs_check_places(run->form->name, outputs, RUN_OUTPUTS,
                                               &run->options.request, &run->request);
    if (code == EXIT_DONE && is_known(run->output)) {
        code = output_check_stream(run->output);
    }
    if (code == EXIT_DONE && is_known(run->recorded.kept)) {
        code = output_check_stream(run->recorded.kept);
    }
    if (code == EXIT_DONE && is_known(run->calls.recorded.kept)) {
        code = output_check_stream(run->calls.recorded.kept);
    }
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0] && code == EXIT_DONE; i++) {
        code = is_known(replaced[i]) ? output_check(replaced[i]) : EXIT_DONE;
    }
    return code;
}

/* Processes that share a file append to it, whichever starts first: PROGRAM may be a shell that
 * starts several. So it is emptied once, here, if there is such a program. */
static enum exit_code empty_output(struct run *run)
{
    struct stat info;
    bool starts = launch_target(&run->launch)->path != NULL;
    if (!starts || !is_known(run->output) || stat(run->output, &info) != 0 ||
        !S_ISREG(info.st_mode) || standard_stream_at(run->output) >= 0 ||
        truncate(run->output, 0) == 0) {
        return EXIT_DONE;
    }
    report_message("%s: cannot write: %s", run->output, strerror(errno));
    return EXIT_CANNOT_WRITE;
}

/* Ids are useless without the file that maps them to methods, and each process writes its own. The
 * map is opened and closed only to report a bad one now; the process opens it again. */
static enum exit_code check_ids(const struct run *run)
{
    char *place = run->options.id_map ? NULL : request_passes_ids(&run->request);
    struct id_map *map = NULL;
    if (place) {
        enum exit_code code = usage_error(
            run->form->name, "%s: ids are passed, so --id-map has to name a file for them", place);
        free(place);
        return code;
    }
    if (!run->options.id_map || strstr(run->options.id_map, "%p")) {
        return EXIT_DONE;
    }
    if (run->launch.children) {
        return usage_error("run",
                           "each process gives ids of its own: --id-map needs %%p with --children");
    }
    enum exit_code code = id_map_open(&map, run->options.id_map);
    id_map_close(map);
    return code;
}

/* ---- status lines ---- */

/* Words that this version does not know are counted as left, without a reason: the profiler may be
 * of another version. */
static void take_count(struct run *run, const char *code, unsigned count)
{
    enum ilp_reason reason = report_reason_of(code, strlen(code));
    if (reason == ILP_REASON_INSPECTED) {
        run->counts.inspected += count;
        return;
    }
    run->counts.left += count;
    if (reason == ILPI_REASON_COUNT) {
        return;
    }
    run->counts.left_out += ilp_reason_kind(reason) == ILP_REASON_LEFT_OUT ? count : 0;
    if (run->verbose) {
        report_message("%u method%s: %s", count, plural(count), ilp_reason_text(reason));
    }
}

/* One status line, "WORD TEXT", in the order in which the process wrote it; launch.c has taken
 * those of its own. Lines of a recording come first, and what no branch takes is of --explain-tail.
 *
 *   count REASON N       methods; one line for each reason
 *   module TEXT          one that is left alone
 *   partial FILE         a report that is incomplete until the end is reported
 *   recorded N           values in the spool
 *   unwritten TEXT       a file that could not be written
 *   method, values, chosen, report   messages as they are
 */
static void take_line(void *user, const char *word, const char *text)
{
    struct run *run = user;
    char code[64];
    unsigned count;
    if (run->traces && call_record_take_line(&run->calls, word, text)) {
        return;
    }
    if (strcmp(word, "count") == 0 && sscanf(text, "%63s %u", code, &count) == 2) {
        take_count(run, code, count);
    } else if (strcmp(word, "module") == 0) {
        run->counts.modules++;
        if (run->verbose) {
            report_message("left alone: %s", text);
        }
    } else if (strcmp(word, "report") == 0 && run->verbose) {
        report_message("report: %s", text);
    } else if (strcmp(word, "partial") == 0) {
        run->partial = need(grow_items(run->partial, run->partial_count + 1, sizeof *run->partial));
        run->partial[run->partial_count++] = need(strdup(text));
    } else if (strcmp(word, "recorded") == 0) {
        run->counts.recorded += strtoull(text, NULL, 10);
    } else if (strcmp(word, "unwritten") == 0) {
        report_message("cannot write %s", text);
        run->unwritten = true;
    } else if (strcmp(word, "method") == 0) {
        report_message("method %s", text);
    } else if (strcmp(word, "values") == 0 || (strcmp(word, "chosen") == 0 && !run->quiet)) {
        report_message("%s", text);
    } else {
        tail_reports_take(&run->tail.reports, word, text);
    }
}

/* If rules left out every method, the names in them were probably wrong, so the hint says how names
 * are written. */
void run_report_counts(const struct run *run)
{
    if (run->inspects && !run->quiet) {
        const struct counts *counts = &run->counts;
        report_message("%u method%s inspected, %u not; %u module%s left alone%s", counts->inspected,
                       plural(counts->inspected), counts->left, counts->modules,
                       plural(counts->modules), run->verbose ? "" : " (--verbose shows why)");
        if (counts->inspected == 0 && counts->left != 0 && counts->left_out == counts->left) {
            report_message(
                "no method that ran is selected; ilpatch list ASSEMBLY shows their names, as "
                "TYPE::METHOD");
        }
    }
}

/* FILE.part-PID becomes FILE. A process that ended as it should has removed it, then rename() fails
 * here, and that is not an error. */
unsigned run_take_partial_reports(struct run *run)
{
    enum { SUFFIX = sizeof ".part" - 1 };
    unsigned taken = 0;
    for (unsigned i = 0; i < run->partial_count; i++) {
        char *partial = run->partial[i];
        const char *end = strrchr(partial, '-'); /* FILE.part-PID */
        int length = end && end - partial > SUFFIX ? (int)(end - partial) - SUFFIX : 0;
        char *path = format_text("%.*s", length, partial);
        char *place = path_through_link(path);
        if (length != 0 && rename(partial, place) == 0) {
            taken++;
        }
        free(place);
        free(path);
        free(partial);
    }
    free(run->partial);
    run->partial = NULL;
    run->partial_count = 0;
    return taken;
}

/* Reports everything known after the program has ended; the result is for one that ended well. */
static enum exit_code report_run_end(struct run *run)
{
    const struct launch *launch = &run->launch;
    unsigned partial = run_take_partial_reports(run);
    if (launch->ended < launch->loaded) {
        const char *left = partial != 0 ? ": the report holds what was known until then"
                                        : ", and left no report";
        report_message(
            "%u of %u processes ended without their runtime's shutdown (killed, or an unhandled "
            "exception)%s",
            launch->loaded - launch->ended, launch->loaded, run->report ? left : "");
    }
    if (launch->loaded != 0) {
        run_report_counts(run);
    }
    if (launch->lost != 0 && run->recorded.kept) {
        report_message("%s: cannot write: %s", run->recorded.kept, launch_lost_reason(launch));
    } else if (launch->lost != 0) {
        report_message("%s: %u line%s could not be written: %s",
                       run->output ? run->output : "values", launch->lost, plural(launch->lost),
                       launch_lost_reason(launch));
    }
    run_report_recorded(run);
    run->tail.wanted = run->tail.wanted && launch->loaded;
    enum exit_code explained = tail_request_finish(&run->tail);
    return launch->lost != 0 || launch->unwritable || run->unwritten ? EXIT_CANNOT_WRITE
                                                                     : explained;
}

/* With --print-env variables are printed and nothing starts: the user sets them elsewhere. */
static enum exit_code go_run(struct run *run)
{
    enum exit_code code = launch_set(&run->launch);
    code = code == EXIT_DONE ? run_begin_spool(run) : code;
    if (code != EXIT_DONE) {
        return code;
    }
    run_set_variables(run);
    if (run->print) {
        launch_print(&run->launch);
        return EXIT_DONE;
    }
    code = empty_output(run);
    run->launch.output = run->output;
    code = code == EXIT_DONE ? launch_program(&run->launch) : code;
    enum exit_code reported = report_run_end(run);
    return code == EXIT_DONE ? reported : code;
}

/* The spool ends after every outcome, also that of a program that could not be started. */
static enum exit_code go_run_and_end(struct run *run)
{
    enum exit_code code = go_run(run);
    run_end_spool(run);
    return code;
}

/* ---- command line ---- */

/* Refuses options that would have no effect. */
static enum exit_code check_pairs(const struct run *run)
{
    const struct profiler_options *options = &run->options;
    const struct {
        const char *option;
        bool given;
    } inspecting[] = {{"--output", run->output != NULL},
                      {"--framework", options->framework},
                      {"--target", options->request.target.given},
                      {"--when and the like", choice_given(&options->choice) != NULL},
                      {"--reference-path", options->request.reference_paths.count != 0},
                      {"--report", run->report != NULL},
                      {"--spool", run->recorded.kept != NULL},
                      {"--id-map", options->id_map != NULL}};
    for (size_t i = 0; i < sizeof inspecting / sizeof inspecting[0] && !run->inspects; i++) {
        if (inspecting[i].given) {
            return usage_error(
                "run",
                "%s is for methods that are inspected, and --explain-tail alone inspects none: add "
                "--inspect-returns, or leave it out",
                inspecting[i].option);
        }
    }
    const struct {
        const char *option;
        bool given;
    } of_lines[] = {
        {"--output", run->output != NULL},  {"--target-stderr", run->attachment.target_stderr},
        {"--count", options->choice.count}, {"--json", options->choice.json},
        {"--time", options->choice.time},   {"--thread", options->choice.thread},
        {"--color", options->color.given}};
    for (size_t i = 0; i < sizeof of_lines / sizeof of_lines[0] && run->recorded.kept; i++) {
        if (of_lines[i].given) {
            return usage_error(run->form->name,
                               "%s is about lines, and with --spool none are written; ilpatch "
                               "report makes them of the spool",
                               of_lines[i].option);
        }
    }
    if (options->choice.count && (options->choice.time || options->choice.thread)) {
        return usage_error(run->form->name, "--%s is about lines of values, and --count shows none",
                           options->choice.time ? "time" : "thread");
    }
    if (run->print && run->tail.wanted) {
        return usage_error("run", "--explain-tail needs ilpatch to stay until the program has "
                                  "ended, so not with --print-env");
    }
    return run->print && run->verbose
               ? usage_error("run", "--print-env starts no program, so --verbose has no effect")
               : EXIT_DONE;
}

/* The options for outputs are about calls then. */
static void take_over_for_calls(struct run *run)
{
    struct call_record *calls = &run->calls;
    calls->conversion.output = run->output;
    calls->conversion.out = stdout;
    calls->recorded.kept = run->recorded.kept;
    calls->quiet = run->quiet;
    calls->verbose = run->verbose;
    run->output = run->recorded.kept = NULL;
}

/* --trace turns the outputs into those of calls after all options are read, because it may follow
 * them. If nothing selects methods, all are inspected, unless tail calls are explained alone. */
static enum exit_code parse(struct run *run, char **argv, bool *done)
{
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, run->form->taker, argv, run->form->in_order);
    *done = false;
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_OUTPUT: run->output = reader.value; break;
        case OPTION_QUIET: run->quiet = true; break;
        case OPTION_VERBOSE: run->verbose = true; break;
        case OPTION_CHILDREN: run->launch.children = true; break;
        case OPTION_PRINT_ENV: run->print = true; break;
        case OPTION_SPOOL: run->recorded.kept = reader.value; break;
        case OPTION_REPORT: run->report = reader.value; break;
        case OPTION_REPLACE_PROFILER: run->launch.replace = true; break;
        case OPTION_TARGET_STDERR: run->attachment.target_stderr = true; break;
        case OPTION_TRACE: run->traces = true; break;
        case OPTION_HELP:
            *done = true;
            return print_help(run->form->taker, run->form->help, run->form->help_end);
        default:
            if (!tail_option(&run->tail, option, reader.value) &&
                !profiler_option(&run->options, option, reader.value) &&
                !conversion_option(&run->calls.conversion, option, reader.value)) {
                return option_error(run->form->name, &reader);
            }
        }
    }
    if (run->traces) {
        take_over_for_calls(run);
    }
    struct profiler_options *options = &run->options;
    options->explain_tail = run->tail.wanted;
    run->inspects = !run->tail.wanted || options->inspect_returns ||
                    request_options_select(&options->request) || options->request.inspector;
    options->inspect_returns = options->inspect_returns ||
                               (options->request.rules.count == 0 && run->inspects);
    if (run->report && run->launch.children && !strstr(run->report, "%p")) {
        return usage_error(
            "run", "each process writes a report of its own: --report needs %%p with --children");
    }
    enum exit_code code = check_pairs(run);
    return code == EXIT_DONE ? run->form->check(run, reader.operands, reader.operand_count) : code;
}

/* "0" of these options means no limit. */
static const char *unless_none(const char *value)
{
    return value && strcmp(value, "0") == 0 ? NULL : value;
}

/* Values that another inspector shows cannot be chosen. Only the profiler's own inspector knows the
 * conditions; another one is called for every value. The settings are parsed here for their errors,
 * and again in the process. */
static enum exit_code check_choice(struct run *run)
{
    struct choice_options choice = run->options.choice;
    choice.method_rate = unless_none(choice.method_rate);
    choice.max_cost = unless_none(choice.max_cost);
    const char *given = run->recorded.kept ? "spool" : choice_given(&choice);
    for (size_t i = 0; i < run->request.inspector_file_count && given; i++) {
        if (!run->request.inspector_files[i].unmanaged &&
            request_calls_inspector(&run->request, i)) {
            return usage_error(run->form->name,
                               run->request.stands_in
                                   ? "--%s is for values that the profiler shows itself, as it "
                                     "does on CoreCLR"
                                   : "--%s is for values that the profiler shows itself "
                                     "(--inspector " UNMANAGED
                                     "), and other inspectors are called, too",
                               given);
        }
    }
    struct choice_settings settings;
    enum exit_code code = choice_read(&settings, &run->options.choice, run->form->name);
    run->attachment.limit = settings.limit;
    run->attachment.duration = settings.duration;
    if (code == EXIT_DONE && settings.when &&
        ilpi_condition_uses(settings.when, ILPI_ROOT_EXCEPTION) &&
        !request_passes_exceptions(&run->request)) {
        code = usage_error(run->form->name, "--when: 'exception' needs --exceptions, too, or a "
                                            "rule with exceptions=\"yes\"");
    }
    choice_settings_close(&settings);
    return code == EXIT_DONE ? value_options_check(&run->options.value, run->form->name) : code;
}

/* With --print-env there is no program to name: the variables are for one that is started
 * elsewhere. */
static enum exit_code check_run(struct run *run, char **rest, int count)
{
    run->launch.program = rest;
    if (!run->print && count == 0) {
        return usage_error("run", "which program? for example: ilpatch run -- dotnet App.dll");
    }
    return run_check_names(run);
}

/* ---- programs whose values the profiler cannot read ---- */

/* The stock inspector replaces the profiler's own one. On Mono the profiler patches images as they
 * load, and there are no addresses of values for the unmanaged inspector. */
static void choose_inspector_of_mono(struct run *run)
{
    struct request_options *given = &run->options.request;
    given->unmanaged = NULL;
    given->stands_in = true;
    if (!given->inspector || strcmp(given->inspector, UNMANAGED) == 0) {
        report_message(
            "%s: on Mono the stock inspector shows values, which the profiler itself does on "
            "CoreCLR",
            run->launch.program[0]);
    }
}

/* Before the request is opened, because that reads the inspector. Tail calls and traces are of
 * CoreCLR alone. */
static void choose_inspector(struct run *run)
{
    run->launch.mono = run->inspects && !run->tail.wanted && !run->traces;
    if (launch_is_for_mono(&run->launch)) {
        choose_inspector_of_mono(run);
    }
}

/* Both commands. `elsewhere` is in the request for the time of this call: the native inspector
 * whose functions the profiler has. Outputs are not checked with --print-env, since the program
 * starts later and perhaps elsewhere. */
enum exit_code run_work(const struct form *form, char **argv)
{
    struct run run = {.form = form, .launch = {.take = take_line, .user = &run}};
    bool done;
    /* in the profiler */
    static const struct ilp_native elsewhere = {.call = ILP_NATIVE_CALLI_MANAGED,
                                                .library = UNMANAGED};
    struct request_options *given = &run.options.request;
    given->unmanaged = &elsewhere;
    given->in_process = true;
    enum exit_code code = parse(&run, argv, &done);
    if (code == EXIT_DONE && !done) {
        choose_inspector(&run);
        code = request_open(&run.request, given, run.options.inspect_returns, form->name);
        if (code == EXIT_DONE) {
            code = check_choice(&run);
        }
        if (code == EXIT_DONE) {
            code = check_ids(&run);
        }
        run.launch.inspector = run.inspects && request_calls(&run.request, false);
        if (code == EXIT_DONE && !run.print) {
            code = check_outputs(&run);
        }
        if (code == EXIT_DONE) {
            code = form->go(&run);
        }
        request_close(&run.request);
    }
    launch_close(&run.launch);
    profiler_options_close(&run.options);
    for (size_t i = 0; i < sizeof run.paths / sizeof run.paths[0]; i++) {
        free(run.paths[i]);
    }
    return code;
}

enum exit_code cmd_run(int argc, char **argv)
{
    static const struct form form = {"run", run_help,  run_help_end,  TAKEN_BY_RUN,
                                     true,  check_run, go_run_and_end};
    (void)argc;
    return run_work(&form, argv);
}
