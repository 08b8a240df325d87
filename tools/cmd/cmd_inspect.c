/* ilpatch --inspect-returns: the command line of the main job, and all its files (patch_file.c),
 * including those of folders.
 *
 *   parse() -> named_files_open() -> check_options()      reads folders, lists, the key
 *     -> request_open()              rules, inspectors
 *     -> left_alone_open()           the first bytes of each file: which are meant
 *     -> inspect_with_report()       a report around what follows
 *       -> inspect_files()           files, in the order of its comment */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd/command_line.h"
#include "tools/patch/callers.h"
#include "tools/patch/copy_rest.h"
#include "tools/patch/left_alone.h"
#include "tools/patch/output_places.h"
#include "tools/patch/patch_cache.h"
#include "tools/patch/patch_files.h"
#include "host/path.h"
#include "host/process.h"
#include "host/profiler_environment.h"
#include "host/quantity.h"
#include "host/request_open.h"
#include "host/request_rules.h"
#include "tools/patch/patch_file.h"
#include "tools/patch/placed.h"
#include "tools/patch/report.h"
#include "tools/patch/report_place.h"
#include "host/standard_streams.h"
#include "host/text_out.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch --inspect-returns [options] FILE...\n"
    "ilpatch --rules RULES.xml [options] FILE...\n"
    "ilpatch --layout compact [options] FILE...\n"
    "\n"
    "Changes each assembly so that its methods show what they return: all of them, or those that "
    "rules\n"
    "select (docs/RULES.md, ilpatch rules --help). Without -o the patched assembly\n"
    "takes FILE's place, since that is where the runtime looks for it, and the original stays "
    "beside it as\n"
    "FILE.orig, from which the next run starts. The inspector MyProfiler.dll is put beside the "
    "output.\n"
    "A folder means all files below it; with -o OUT becomes the same folder, but for what is\n"
    "patched. Of several FILEs, and of a folder's, those that hold no methods of the program are\n"
    "left alone. @LIST means the names that are the lines of the file LIST.\n"
    "\n";

static const char help_end[] =
    "\n"
    "At run time the environment decides where the values go:\n"
    "  ILPATCH_OUTPUT=FILE       into a file instead of standard error (%p: the process id)\n"
    "  ILPATCH_COUNT=1           only count them\n"
    "  ILPATCH_ELAPSED=1         with --args, say how long each call took\n"
    "  ILPATCH_REDACT=NAME,NAME  hide values under these names, too\n"
    "  ILPATCH_NO_REDACT=1       show values under names such as password and token\n"
    "  ILPATCH_DEPTH=N, ILPATCH_ELEMENTS=N, ILPATCH_TEXT=N, ILPATCH_WIDTH=N\n"
    "                            so many levels, elements of a collection, characters of a string\n"
    "                            and of a value\n"
    "  ILPATCH_TOSTRING=1        call ToString() of the program's own types\n"
    "\n"
    "Examples:\n"
    "  ilpatch --inspect-returns bin/Release/net10.0/App.dll\n"
    "  ilpatch --inspect-returns -o /tmp/patched/Lib.dll --report answers.json Lib.dll\n"
    "  ilpatch inspect -o /tmp/patched --exclude 'Microsoft.*' bin/Release/net10.0/publish\n"
    "  ilpatch --rules data/examples/decimals.xml --dry-run App.dll\n"
    "\n" EXIT_CODES_HELP;

/* The command line of the main job. Pointers borrow from argv; `key`, `filter`, `request` and
 * `write` own what they collect, and cmd_inspect() frees it. They are copied by value where -o -
 * replaces `output`. */
struct options {
    bool alone;           /* -o -, and `output` is a temporary file */
    bool inspect_returns; /* also for the command `inspect` without rules */
    bool in_place;
    bool dry_run;
    bool quiet;
    bool embed;
    bool framework;
    bool verbose;
    bool progress;
    const char *jobs_given;    /* the text of --jobs; NULL: one thread */
    unsigned jobs;             /* the threads, set by read_jobs() */
    struct name_filter filter; /* --include, --exclude */
    const char *output;        /* these are paths as given; NULL: not given */
    const char *report;
    const char *id_map;
    const char *cache;
    struct patch_key key; /* the requested options, for the cache */
    struct request_options request;
    struct write_request write;
};

/* ---- all files ---- */

/* --layout compact alone: only the layout of the file changes. */
static ilp_status change_nothing(void *user, struct ilp_image *image, struct ilp_edit *edit,
                                 struct ilp_symbols *symbols, struct ilp_error *error)
{
    (void)user, (void)image, (void)edit, (void)symbols, (void)error;
    return ILP_OK;
}

/* In the place of the counts in the summary. */
static void print_no_change(void *user, FILE *out)
{
    (void)user;
    fputs("nothing inspected", out);
}

static const struct patch_change no_change = {NULL, change_nothing, print_no_change};

/* --layout compact is a request without methods: the same files go the same way, with a change that
 * changes nothing. */
static bool selects_nothing(const struct options *options)
{
    return !options->inspect_returns && !request_options_select(&options->request);
}

/* Reports files of which none is meant: probably another folder was. */
static enum exit_code check_found(const struct left_alone *files)
{
    const struct named_files *named = files->files;
    if (files->left < named->count || named->folders.count == 0) {
        return EXIT_DONE;
    }
    report_message("none of the files below %s is an assembly of a program",
                   named->folders.items[0]);
    return EXIT_INCOMPLETE;
}

/* A summary is enough, unless progress is requested. */
static enum progress_form progress_form(const struct options *options,
                                        const struct named_files *files)
{
    bool summaries = !options->quiet && (files->folders.count == 0 || options->verbose);
    if (options->progress) {
        return PROGRESS_LINES;
    }
    /* summaries on the same terminal would be mixed with the line that is written over */
    return isatty(STDERR_FILENO) && (!summaries || !isatty(STDOUT_FILENO)) ? PROGRESS_TERMINAL
                                                                           : PROGRESS_NONE;
}

/* Prints what was left alone, and one line for all other files, if there are several. */
static void print_total(const struct options *options, const struct patch_files *work,
                        const struct report *report)
{
    const struct left_alone *files = work->files;
    size_t count = files->files->count - files->left;
    left_alone_print(files, options->quiet ? NULL : stdout);
    bool single = count < 2 && files->files->folders.count == 0;
    if (options->quiet || count == 0 || (single && work->unchanged == 0)) {
        return;
    }
    printf("all %zu file%s: %s", count, plural(count),
           options->dry_run ? "would be patched: " : "");
    if (work->unchanged != 0) {
        printf("%zu patched before and unchanged%s", work->unchanged,
               work->unchanged < count ? "; " : "");
    }
    if (work->unchanged < count) {
        report_summary(&report->all, stdout);
    }
    if (work->failed != 0) {
        printf("; %zu file%s failed", work->failed, plural(work->failed));
    }
    putchar('\n');
}

/* The cache is valid for one set of options and rules, of which the key is the digest. */
static struct patch_cache *open_cache(const struct options *options, const struct request *what)
{
    struct ilp_digest digest;
    if (!options->cache) {
        return NULL;
    }
    patch_key_end(&options->key, what, &digest);
    return patch_cache_open(options->cache, &digest);
}

/* The order of steps:
 *
 *   copy_left()       with -o: everything that is not patched, so that OUT is complete
 *   patch_files()     each file, in its own transaction
 *   print_total()
 *   callers_finish()  precompiled images that may hold copies of methods that were changed
 *   report_end()      last, since callers are part of the report
 *
 * Nothing is patched if the copy could not be written: the files would be next to an incomplete
 * folder. Idle rules are reported only if every file was read, and the cache is written only if no
 * rule was idle, because a later run that skips files could not find that out. */
static enum exit_code inspect_files(const struct options *options, struct request *what,
                                    struct id_map *ids, const struct left_alone *files,
                                    FILE *report_file)
{
    struct report report;
    bool keep_symbols = options->write.options.symbols == ILP_SYMBOLS_KEEP;
    enum exit_code worst = files->files->incomplete ? EXIT_INCOMPLETE : EXIT_DONE;
    struct placed_inspectors placed = {.items = NULL};
    report_begin(&report, report_file, what);
    struct patch_request request = {
        .output = options->output,
        .files = files->files,
        .alone = options->alone,
        .in_place = options->in_place,
        .out = stdout,
        .quiet = options->quiet,
        .dry_run = options->dry_run,
        .verify = options->write.verify,
        .write = &options->write.options,
        .named_symbols = options->write.symbols != NULL,
        .what = what,
        .report = &report,
        .ids = ids,
        .placed = &placed,
        .with_callers = options->write.with_callers,
        .change = selects_nothing(options) ? &no_change : NULL,
        .callers = callers_open(options->request.reference_paths.items,
                                options->request.reference_paths.count)};
    enum exit_code copied = options->dry_run
                                ? EXIT_DONE
                                : copy_left(what, files->files, files, keep_symbols, options->jobs);
    worst = worse(worse(worst, copied), check_found(files));
    struct patch_files work = {.files = files,
                               .request = &request,
                               .cache = open_cache(options, what),
                               .verbose = options->verbose,
                               .progress = progress_form(options, files->files),
                               .jobs = options->jobs};
    if (copied <= EXIT_BAD_INPUT) {
        worst = worse(worst, patch_files(&work));
    }
    print_total(options, &work, &report);
    worst = worse(worst, callers_finish(request.callers, &request, patch_file));
    /* what a rule would have done in a failed or skipped file is unknown */
    bool all = work.failed == 0 && work.unchanged == 0;
    enum exit_code idle = all ? report_rules_warn_idle(&report.rules) : EXIT_DONE;
    worst = worse(worst, patch_cache_close(work.cache, idle == EXIT_DONE));
    placed_forget(&placed);
    callers_report(request.callers, NULL, &report);
    report_end(&report);
    callers_close(request.callers);
    return worse(worst, idle);
}

static enum exit_code inspect_with_report(const struct options *options, struct request *what,
                                          struct id_map *ids, const struct left_alone *files)
{
    struct report_place place;
    enum exit_code code = report_place_begin(&place, "inspect", options->report);
    return code == EXIT_DONE
               ? report_place_end(&place, inspect_files(options, what, ids, files, place.stream))
               : code;
}

/* ---- what the request and the files have to hold ---- */

/* Ids are useless without the file that maps them to methods. */
static enum exit_code open_ids(const struct options *options, struct request *what,
                               struct id_map **ids)
{
    char *place = options->id_map ? NULL : request_passes_ids(what);
    if (place) {
        enum exit_code code = usage_error(
            "inspect", "%s: ids are passed, so --id-map has to name a file for them", place);
        free(place);
        return code;
    }
    return options->id_map ? id_map_open(ids, options->id_map) : EXIT_DONE;
}

/* Two files with one name would be written to one path. */
static enum exit_code check_names(const struct options *options, const struct left_alone *files)
{
    enum exit_code code = EXIT_DONE;
    struct path_list names = {NULL, 0};
    for (size_t i = 0; i < files->files->count && options->output; i++) {
        if (!left_alone_code(files, i)) {
            path_list_add(&names, named_file_output(&files->files->items[i], options->output));
        }
    }
    path_list_sort(&names);
    for (size_t i = 1; i < names.count && code == EXIT_DONE; i++) {
        if (strcmp(names.items[i - 1], names.items[i]) == 0) {
            code = usage_error("inspect", "two files are named %s, and -o has room for one",
                               path_name(names.items[i]));
        }
    }
    path_list_free(&names);
    return code;
}

/* All that the command will write, and what it reads, so that no output replaces another file of
 * the same run. */
static struct output_places places_of(const struct options *options,
                                      const struct named_files *files)
{
    return (struct output_places){.output = options->output,
                                  .report = options->report,
                                  .id_map = options->id_map,
                                  .cache = options->cache,
                                  .key = options->write.key,
                                  .request = &options->request,
                                  .files = files};
}

/* Refuses options for inspectors that no rule calls. */
static enum exit_code check_inspectors(const struct options *options, const struct request *what)
{
    if (options->embed && request_calls(what, true) && !request_calls(what, false)) {
        return usage_error("inspect", "--embed copies an inspector that is an assembly, and only "
                                      "native functions are called");
    }
    if (options->request.inspector && !request_calls_inspector(what, 0)) {
        return usage_error(
            "inspect", "--inspector is for rules that name no inspector, and there is none that "
                       "includes methods");
    }
    return EXIT_DONE;
}

/* Reads the request first: if it is invalid, there is nothing to report. */
static enum exit_code inspect(const struct options *options, const struct named_files *files)
{
    static const struct named_files none = {.items = NULL};
    struct output_places places = places_of(options, files);
    struct request what;
    struct left_alone chosen;
    struct id_map *ids = NULL;
    enum exit_code code = request_open(&what, &options->request, options->inspect_returns,
                                       "inspect");
    what.embed = options->embed;
    what.framework = options->framework;
    if (code == EXIT_DONE) {
        code = request_refuse_values(
            &what, "inspect",
            "needs a process: a patched file shows all values. ilpatch run and attach test them",
            "needs a process: where a patched file runs, " ENV_REDACT " says what is hidden");
    }
    /* without an inspector or ids no file is read, and the report says so */
    left_alone_open(&chosen, &what, options->output != NULL, code == EXIT_DONE ? files : &none,
                    options->jobs);
    if (code == EXIT_DONE) {
        code = check_names(options, &chosen);
    }
    if (code == EXIT_DONE) {
        code = check_inspectors(options, &what);
    }
    if (code == EXIT_DONE) {
        code = places_check_inspectors(&places, &what);
    }
    if (code == EXIT_DONE && (code = open_ids(options, &what, &ids)) != EXIT_DONE) {
        left_alone_close(&chosen);
        left_alone_open(&chosen, &what, options->output != NULL, &none, options->jobs);
    }
    /* After EXIT_BAD_INPUT no file is left to patch: only an empty report is written, as for any
     * run. */
    if (code == EXIT_DONE || code == EXIT_BAD_INPUT) {
        enum exit_code worst = inspect_with_report(options, &what, ids, &chosen);
        code = worst > code ? worst : code;
    }
    id_map_close(ids);
    left_alone_close(&chosen);
    request_close(&what);
    return code;
}

/* With -o - the file is first written to a temporary one. */
static enum exit_code inspect_output(const struct options *options, const struct named_files *files)
{
    struct options own = *options;
    struct standard_output output;
    if (!options->output || !is_standard(options->output)) {
        return inspect(options, files);
    }
    enum exit_code code = standard_output_begin(&output, "inspect", "-o", files->items[0].path);
    own.output = output.path;
    own.alone = true;
    code = code == EXIT_DONE ? inspect(&own, files) : code;
    return standard_output_end(&output, code);
}

/* ---- the command line ---- */

struct given_option {
    bool given;
    enum option_id option;
};

/* The first given option; OPTION_END: none. */
static enum option_id first_given(const struct given_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].given) {
            return options[i].option;
        }
    }
    return OPTION_END;
}

/* Refuses options whose output covers all files, or that make other changes. */
static enum exit_code check_cache(const struct options *options)
{
    const struct given_option excluded[] = {
        {options->report, OPTION_REPORT},
        {options->id_map, OPTION_ID_MAP},
        {options->write.with_callers, OPTION_WITH_CALLERS},
        {options->in_place, OPTION_IN_PLACE},
        {options->dry_run, OPTION_DRY_RUN},
        {options->output && is_standard(options->output), OPTION_OUTPUT},
    };
    enum option_id option = first_given(excluded, sizeof excluded / sizeof excluded[0]);
    if (options->cache && option != OPTION_END) {
        return usage_error("inspect",
                           "--cache leaves out what is done already, and --%s needs all of it",
                           option_name(option));
    }
    return EXIT_DONE;
}

/* Refuses options without effect, or without one unless another is given. */
static enum exit_code check_effects(const struct options *options)
{
    const struct request_options *request = &options->request;
    const struct given_option for_inspected[] = {
        {request->inspector, OPTION_INSPECTOR},
        {options->embed, OPTION_EMBED},
        {options->id_map, OPTION_ID_MAP},
        {options->write.with_callers, OPTION_WITH_CALLERS},
        {options->write.symbols, OPTION_SYMBOLS},
    };
    bool nothing = selects_nothing(options);
    enum option_id option = first_given(for_inspected,
                                        sizeof for_inspected / sizeof for_inspected[0]);
    if (nothing && option != OPTION_END) {
        return usage_error("inspect",
                           "--%s is for methods that are inspected: pass --inspect-returns or "
                           "--rules",
                           option_name(option));
    }
    if (nothing && request->reference_paths.count != 0 && !options->write.verify) {
        return usage_error("inspect",
                           "--reference-path is for methods that are inspected, and for --verify");
    }
    if (request_target_is_idle(request)) {
        return usage_error("inspect", "--target is for --affected-by, --where and --rules");
    }
    return EXIT_DONE;
}

/* More threads than any machine can use. */
#define MAX_JOBS 256u

/* Ids are assigned in the order of the files, so files are then processed one by one. */
static enum exit_code read_jobs(struct options *options)
{
    uint64_t jobs = 1;
    if (options->jobs_given && strcmp(options->jobs_given, "0") == 0) {
        jobs = process_processors();
    } else if (options->jobs_given && !read_count(options->jobs_given, &jobs)) {
        return usage_error("inspect", "--%s: '%s' is not a number of threads",
                           option_name(OPTION_JOBS), options->jobs_given);
    }
    if (options->jobs_given && options->id_map) {
        return usage_error("inspect", "--%s: with --%s files are done one after the other",
                           option_name(OPTION_JOBS), option_name(OPTION_ID_MAP));
    }
    options->jobs = jobs < MAX_JOBS ? (unsigned)jobs : MAX_JOBS;
    return EXIT_DONE;
}

/* Files below a folder keep their path below OUT, which is made; with files from several places OUT
 * has to be there. */
static enum exit_code check_output(const struct options *options, const struct named_files *files)
{
    bool below = true;
    for (size_t i = 0; i < files->count; i++) {
        below = below && files->items[i].below;
    }
    if (options->output && files->count > 1 && !below && !path_is_directory(options->output)) {
        return usage_error("inspect",
                           "with several files -o must name a folder that exists, and %s "
                           "does not",
                           options->output);
    }
    return EXIT_DONE;
}

/* Everything that can be refused by the command line alone is refused here, before a file is read.
 * The key of --key is read last: it is the first thing that opens a file. */
static enum exit_code check_options(struct options *options, const struct option_reader *reader,
                                    const struct named_files *files)
{
    if (options->output && options->in_place) {
        return usage_error("inspect", "-o and --in-place exclude each other");
    }
    if (check_output(options, files) != EXIT_DONE) {
        return EXIT_USAGE;
    }
    if (options->id_map && is_standard(options->id_map)) {
        return usage_error("inspect", "an id map is continued, so --id-map has to name a file");
    }
    if (options->output && options->report && is_standard(options->output) &&
        is_standard(options->report)) {
        return usage_error("inspect", "-o and --report cannot both be standard output");
    }
    enum exit_code code = standard_check("inspect", options->output, reader->operand_count,
                                         reader->operands);
    if (code != EXIT_DONE) {
        return code;
    }
    code = check_effects(options);
    code = code == EXIT_DONE ? check_cache(options) : code;
    code = code == EXIT_DONE ? read_jobs(options) : code;
    struct output_places places = places_of(options, files);
    code = code == EXIT_DONE ? places_check(&places) : code;
    if (code != EXIT_DONE) {
        return code;
    }
    code = write_request_read(&options->write, "inspect");
    if (code != EXIT_DONE) {
        return code;
    }
    /* not earlier: a word of --layout that is wrong is what has to be corrected */
    if (selects_nothing(options) && options->write.options.layout != ILP_WRITE_COMPACT) {
        return usage_error("inspect", "nothing to do: pass --inspect-returns or --rules");
    }
    return write_request_open(&options->write);
}

/* Every option is shown to the cache's key as well, which leaves out those that change no
 * output. */
static enum exit_code parse(const char *name, struct option_reader *reader, struct options *options,
                            bool *finished)
{
    enum option_id option;
    *finished = true;
    while ((option = options_next(reader)) != OPTION_END) {
        patch_key_option(&options->key, option, reader->value);
        switch (option) {
        case OPTION_INSPECT_RETURNS: options->inspect_returns = true; break;
        case OPTION_OUTPUT: options->output = reader->value; break;
        case OPTION_IN_PLACE: options->in_place = true; break;
        case OPTION_ID_MAP: options->id_map = reader->value; break;
        case OPTION_CACHE: options->cache = reader->value; break;
        case OPTION_EMBED: options->embed = true; break;
        case OPTION_DRY_RUN: options->dry_run = true; break;
        case OPTION_REPORT: options->report = reader->value; break;
        case OPTION_QUIET: options->quiet = true; break;
        case OPTION_PROGRESS: options->progress = true; break;
        case OPTION_JOBS: options->jobs_given = reader->value; break;
        case OPTION_VERBOSE: options->verbose = true; break;
        case OPTION_FRAMEWORK: options->framework = true; break;
        case OPTION_INCLUDE: option_list_add(&options->filter.include, reader->value); break;
        case OPTION_EXCLUDE: option_list_add(&options->filter.exclude, reader->value); break;
        case OPTION_HELP: return print_help(TAKEN_BY_INSPECT, help, help_end);
        default:
            if (!request_option(&options->request, option, reader->value) &&
                !write_option(&options->write, option, reader->value)) {
                return option_error("inspect", reader);
            }
        }
    }
    /* without rules the command's name is the request */
    bool selects = options->request.rules.count != 0;
    options->inspect_returns = options->inspect_returns ||
                               (strcmp(name, "inspect") == 0 && !selects);
    *finished = false;
    return EXIT_DONE;
}

/* Before @- is read. */
static enum exit_code check_input(const struct options *options, const struct option_reader *reader)
{
    const char *key = options->write.key;
    const struct option_list *rules = &options->request.rules;
    enum exit_code code = rules_check_input(&options->request, "inspect", reader->operand_count,
                                            reader->operands);
    for (size_t i = 0; i < rules->count && code == EXIT_DONE; i++) {
        code = standard_input_once("inspect", "--rules", rules->items[i], "--key", key);
    }
    return code == EXIT_DONE ? standard_input_check("inspect", "--key", key, reader->operand_count,
                                                    reader->operands)
                             : code;
}

/* `finish` is for work in place: what an interrupted run left in a folder is completed or undone
 * before its files are listed. */
static enum exit_code inspect_operands(struct options *options, const struct option_reader *reader)
{
    struct named_files files;
    const struct operand_options operands = {.command = "inspect",
                                             .output = options->output,
                                             .finish = !options->output && !options->dry_run,
                                             .filter = options->filter};
    enum exit_code code = check_input(options, reader);
    if (code != EXIT_DONE) {
        return code;
    }
    code = named_files_open(&files, &operands, reader->operands, reader->operand_count);
    code = code == EXIT_DONE ? check_options(options, reader, &files) : code;
    code = code == EXIT_DONE ? inspect_output(options, &files) : code;
    named_files_close(&files);
    return code;
}

/* SIGPIPE is ignored, because a summary without a reader (`| head`) does not stop the work: files
 * that are patched in part would be worse than output that is lost. */
enum exit_code cmd_inspect(int argc, char **argv)
{
    struct options options = {0};
    struct option_reader reader;
    bool finished;
    (void)argc;
    options_begin(&reader, TAKEN_BY_INSPECT, argv, false);
    enum exit_code code = parse(argv[0], &reader, &options, &finished);
    if (!finished && code == EXIT_DONE) {
        signal(SIGPIPE, SIG_IGN);
        code = inspect_operands(&options, &reader);
    }
    patch_key_free(&options.key);
    free(options.filter.include.items);
    free(options.filter.exclude.items);
    request_options_end(&options.request);
    write_request_close(&options.write);
    return code;
}
