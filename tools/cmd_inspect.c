/* ilpatch --inspect-returns: the main job on files.
 *
 *   FILE (or FILE.orig) -> image -> rewriter -> edit -> temporary file, complete and on the disk
 *                                                         -> inspector and .deps.json beside it
 *                                                         -> original kept as FILE.orig, file put in place
 *
 * Nothing is replaced before everything that can fail has been done.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "companion.h"
#include "originals.h"
#include "references.h"
#include "report.h"

static const char help[] =
    "ilpatch --inspect-returns [options] FILE...\n"
    "\n"
    "Changes each assembly so that its methods show what they return. Without -o the patched assembly\n"
    "takes FILE's place, since that is where the runtime looks for it, and the original stays beside it as\n"
    "FILE.orig, from which the next run starts. The inspector MyProfiler.dll is put beside the output.\n"
    "\n"
    "  -o, --output OUT          write OUT instead; with several FILEs OUT is a folder\n"
    "      --in-place            replace FILE without keeping the original\n"
    "      --inspector X.dll     call X.dll's MyInspector(object) or (object, string) instead\n"
    "      --reference-path DIR  look for referenced assemblies there, too (may be repeated)\n"
    "      --report FILE.json    write the answer for every method\n"
    "  -q, --quiet               no summary\n"
    "  -h, --help                this text\n"
    "\n"
    "At run time the environment decides where the values go:\n"
    "  ILPATCH_OUTPUT=FILE       into a file instead of standard error (%p: the process id)\n"
    "  ILPATCH_COUNT=1           only count them\n"
    "  ILPATCH_TOSTRING=1        call ToString() of the program's own types\n"
    "\n"
    "Examples:\n"
    "  ilpatch --inspect-returns bin/Release/net10.0/App.dll\n"
    "  ilpatch --inspect-returns -o /tmp/patched/Lib.dll --report answers.json Lib.dll\n";

struct options {
    bool inspect_returns;
    bool in_place;
    bool quiet;
    const char *output;
    const char *inspector;
    const char *report;
    const char **reference_paths;
    size_t reference_count;
};

enum { OPTION_INSPECT_RETURNS = 256, OPTION_IN_PLACE, OPTION_INSPECTOR, OPTION_REFERENCE, OPTION_REPORT };

static const struct option long_options[] = {
    {"inspect-returns", no_argument, NULL, OPTION_INSPECT_RETURNS},
    {"output", required_argument, NULL, 'o'},
    {"in-place", no_argument, NULL, OPTION_IN_PLACE},
    {"inspector", required_argument, NULL, OPTION_INSPECTOR},
    {"reference-path", required_argument, NULL, OPTION_REFERENCE},
    {"report", required_argument, NULL, OPTION_REPORT},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* One file in work. */
struct job {
    const struct options *options;
    const struct companion *companion;
    struct references *references;
    struct report *report;
    const char *file;   /* as it was given */
    char *output_path;
    char *kept;         /* FILE.orig */
    const char *input;  /* FILE or `kept` */
    bool first_time;    /* FILE.orig has to be made */
    struct ilp_error error; /* what went wrong, for the report */
};

/* ---- failing ---- */

static enum exit_code fail(struct job *job, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells what went wrong and keeps it for the report. */
static enum exit_code fail(struct job *job, enum exit_code code, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    need(vasprintf(&text, format, arguments) >= 0 ? text : NULL);
    va_end(arguments);
    tell("%s", text);
    job->error.status = code == EXIT_USAGE ? ILP_E_MISUSE : ILP_E_CALLBACK;
    job->error.offset = UINT64_MAX;
    snprintf(job->error.message, sizeof job->error.message, "%s", text);
    free(text);
    return code;
}

static enum exit_code fail_writing(struct job *job, const char *path, int error)
{
    return fail(job, EXIT_CANNOT_WRITE, "%s: cannot write: %s", path, strerror(error));
}

/* The library has filled job->error. */
static enum exit_code fail_as_said(const struct job *job)
{
    tell_error(job->file, &job->error);
    return exit_code_of(&job->error);
}

/* ---- paths ---- */

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static enum exit_code find_output(struct job *job)
{
    const char *output = job->options->output;
    job->input = job->file;
    job->output_path =
        is_directory(output) ? path_join(output, path_name(job->file)) : need(strdup(output));
    if (file_is_same(job->file, job->output_path)) {
        return fail(job, EXIT_USAGE, "%s: -o names the file itself; leave -o out to replace it",
                    job->file);
    }
    char *inspector = format_text("%s.dll", job->companion->name.name);
    bool taken = strcmp(path_name(job->output_path), inspector) == 0;
    free(inspector);
    if (taken) {
        return fail(job, EXIT_USAGE, "%s: the inspector itself has to be there", job->output_path);
    }
    job->kept = format_text("%s.orig", job->file);
    if (original_of(job->file, job->kept) == ORIGINAL_INPUT) {
        job->input = job->kept;
    }
    return EXIT_DONE;
}

/* A link stays one: what it leads to is replaced, and the original is kept there. */
static enum exit_code find_input(struct job *job)
{
    if (job->options->output) {
        return find_output(job);
    }
    job->output_path = path_through_link(job->file);
    job->input = job->output_path;
    if (ends_with(job->file, ".orig")) {
        return fail(job, EXIT_USAGE, "%s is an original that is kept: name the file it belongs to",
                    job->file);
    }
    job->kept = format_text("%s.orig", job->output_path);
    enum original original = original_of(job->output_path, job->kept);
    if (original == ORIGINAL_OTHER) {
        return fail(job, EXIT_CANNOT_WRITE,
                    "%s was not made from %s (was it rebuilt?): move %s away first", job->file,
                    job->kept, job->kept);
    }
    if (original == ORIGINAL_INPUT) {
        job->input = job->kept;
    }
    job->first_time = original == ORIGINAL_NONE && !job->options->in_place;
    return EXIT_DONE;
}

/* ---- one file ---- */

static enum exit_code place_companion(struct job *job)
{
    char *directory = path_directory(job->output_path);
    enum exit_code code = companion_place(job->companion, directory);
    free(directory);
    if (code != EXIT_DONE) { /* the details have been told */
        job->error = (struct ilp_error){ILP_E_CALLBACK, UINT64_MAX, 0, "the inspector was not placed"};
    }
    return code;
}

/* Everything that can fail comes first; the last two steps are a link and a rename. */
static enum exit_code put_in_place(struct job *job, struct output *output)
{
    int error = 0;
    enum exit_code code = place_companion(job);
    if (code != EXIT_DONE) {
        output_abandon(output);
        return code;
    }
    if (job->first_time && !file_keep_as(job->output_path, job->kept, &error)) {
        output_abandon(output);
        return fail_writing(job, job->kept, error);
    }
    if (!output_commit(output)) {
        if (job->first_time) {
            unlink(job->kept);
        }
        return fail_writing(job, job->output_path, output->error);
    }
    return EXIT_DONE;
}

static enum exit_code write_patched(struct job *job, struct ilp_edit *edit,
                                    struct ilp_write_info *written)
{
    struct output output;
    if (!output_begin(&output, job->output_path, job->input)) {
        output_abandon(&output);
        return fail_writing(job, job->output_path, output.error);
    }
    output.durable = !job->options->output; /* it takes the place of the file itself */
    struct ilp_sink sink = output_sink(&output);
    if (ilp_edit_write(edit, &sink, written, &job->error) != ILP_OK) {
        output_abandon(&output);
        return output.error != 0 ? fail_writing(job, job->output_path, output.error)
                                 : fail_as_said(job);
    }
    return put_in_place(job, &output);
}

/* Nothing to do: the output is the input. What was patched before still calls the inspector. */
static enum exit_code write_unchanged(struct job *job, struct ilp_bytes bytes)
{
    struct file_view there;
    bool same = file_view_open(&there, job->output_path) && bytes_equal(there.bytes, bytes);
    file_view_close(&there);
    int error = 0;
    if (!same && !file_write(job->output_path, bytes, job->input, &error)) {
        return fail_writing(job, job->output_path, error);
    }
    return job->report->by_reason[ILP_REASON_ALREADY] != 0 ? place_companion(job) : EXIT_DONE;
}

static void tell_summary(const struct job *job, const struct ilp_write_info *written)
{
    if (job->options->quiet) {
        return;
    }
    printf("%s: ", job->file);
    report_summary(job->report, stdout);
    if (written->symbols_dropped) {
        fputs("; link to symbols dropped (they no longer match)", stdout);
    }
    if (written->certificate_dropped) {
        fputs("; Authenticode signature dropped", stdout);
    }
    if (written->strong_name_stale) {
        fputs("; strong name kept but no longer valid (runtimes accept it in full trust)", stdout);
    }
    putchar('\n');
    if (job->report->by_reason[ILP_REASON_UNRESOLVED] != 0) {
        printf("  some value types could not be found: name their folder with --reference-path\n");
    }
}

static enum exit_code work(struct job *job, struct ilp_image *image, struct ilp_bytes bytes)
{
    struct ilp_edit *edit;
    struct ilp_write_info written = {0};
    struct ilp_resolver resolver = references_resolver(job->references);
    struct ilp_report callbacks = report_callbacks(job->report);
    enum exit_code code;
    report_module_begin(job->report, image, job->file, job->output_path);
    need(ilp_edit_open(&edit, image, NULL, &job->error) == ILP_OK ? edit : NULL);
    if (ilp_inspect_returns(image, edit, job->companion->inspector, &resolver, &callbacks, NULL,
                            &job->error) != ILP_OK) {
        code = fail_as_said(job);
    } else {
        code = ilp_edit_is_empty(edit) ? write_unchanged(job, bytes)
                                       : write_patched(job, edit, &written);
    }
    ilp_edit_close(edit);
    report_module_end(job->report, code == EXIT_DONE ? &written : NULL,
                      code == EXIT_DONE ? NULL : &job->error);
    if (code == EXIT_DONE) {
        tell_summary(job, &written);
        for (unsigned i = 0; i < ILP_REASON_COUNT; i++) {
            if (job->report->by_reason[i] != 0 &&
                ilp_reason_kind((enum ilp_reason)i) == ILP_REASON_REFUSED) {
                code = EXIT_INCOMPLETE;
            }
        }
    }
    return code;
}

static enum exit_code inspect_file(struct job *job)
{
    struct file_view view = {{NULL, 0}, false};
    struct ilp_image *image;
    enum exit_code code = find_input(job);
    if (code == EXIT_DONE && !file_view_open(&view, job->input)) {
        code = fail(job, EXIT_BAD_INPUT, "%s: cannot read: %s", job->input, strerror(errno));
    }
    if (code == EXIT_DONE && view.bytes.size >= 4 && memcmp(view.bytes.data, "BSJB", 4) == 0) {
        code = fail(job, EXIT_BAD_INPUT, "%s: metadata alone, as in a Portable PDB: no assembly", job->file);
    }
    references_set_target(job->references, job->file);
    if (code == EXIT_DONE && ilp_image_open(&image, view.bytes, ILP_LAYOUT_FILE, job->file, NULL,
                                            &job->error) != ILP_OK) {
        code = fail_as_said(job);
    }
    if (code != EXIT_DONE) {
        report_module_failed(job->report, job->file, &job->error);
    } else {
        code = work(job, image, view.bytes);
        ilp_image_close(image);
    }
    file_view_close(&view);
    return code;
}

/* ---- all files ---- */

static void show_progress(int done, int all, const char *file)
{
    if (all > 1 && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K[%d/%d] %s", done + 1, all, file);
        if (done + 1 == all) {
            fputs("\r\033[K", stderr);
        }
    }
}

static enum exit_code inspect_files(const struct options *options, int count, char **files,
                                    FILE *report_file)
{
    struct companion companion;
    struct report report;
    enum exit_code worst = companion_open(&companion, options->inspector);
    report_begin(&report, report_file);
    struct references *references =
        references_open(options->reference_paths, options->reference_count);
    for (int i = 0; i < count && companion.inspector; i++) {
        struct job job = {.options = options, .companion = &companion, .references = references,
                          .report = &report, .file = files[i]};
        show_progress(i, count, files[i]);
        enum exit_code code = inspect_file(&job);
        worst = code > worst ? code : worst;
        free(job.output_path);
        free(job.kept);
    }
    report_end(&report);
    references_close(references);
    companion_close(&companion);
    return worst;
}

static enum exit_code fail_report(const char *path, int error)
{
    tell("%s: cannot write: %s", path, strerror(error));
    return EXIT_CANNOT_WRITE;
}

/* The report, like every output, appears only when it is complete; but a pipe or a terminal is no file
 * that could be replaced. */
static enum exit_code inspect_with_report(const struct options *options, int count, char **files)
{
    struct output output = {.fd = -1};
    struct stat info;
    const char *path = options->report;
    bool direct = path && stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    if (!path) {
        return inspect_files(options, count, files, NULL);
    }
    if (!direct && !output_begin(&output, path, NULL)) {
        output_abandon(&output);
        return fail_report(path, output.error);
    }
    FILE *file = direct ? fopen(path, "we") : need(fdopen(dup(output.fd), "w"));
    if (!file) {
        return fail_report(path, errno);
    }
    enum exit_code code = inspect_files(options, count, files, file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        output.error = errno;
    }
    if (direct) {
        return output.error != 0 ? fail_report(path, output.error) : code;
    }
    return output_commit(&output) ? code : fail_report(path, output.error);
}

/* Two files of one name would be written to one place. */
static const char *name_given_twice(int count, char **files)
{
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (strcmp(path_name(files[i]), path_name(files[j])) == 0) {
                return path_name(files[i]);
            }
        }
    }
    return NULL;
}

static enum exit_code check_options(const struct options *options, int count, char **files)
{
    if (count == 0) {
        return usage_error("inspect", "no file is named");
    }
    if (!options->inspect_returns) {
        return usage_error("inspect", "nothing to do: say --inspect-returns");
    }
    if (options->output && options->in_place) {
        return usage_error("inspect", "-o and --in-place exclude each other");
    }
    if (options->output && count > 1 && !is_directory(options->output)) {
        return usage_error("inspect", "with several files -o must name a folder that exists, and %s "
                                      "does not",
                           options->output);
    }
    for (int i = 0; i < count && options->report; i++) {
        if (file_is_same(options->report, files[i])) {
            return usage_error("inspect", "--report would replace %s", files[i]);
        }
    }
    const char *twice = options->output ? name_given_twice(count, files) : NULL;
    if (twice) {
        return usage_error("inspect", "two files are named %s, and -o has room for one", twice);
    }
    return EXIT_DONE;
}

static enum exit_code parse(int argc, char **argv, struct options *options, bool *finished)
{
    int option;
    opterr = 0;
    *finished = true;
    while ((option = getopt_long(argc, argv, ":o:qh", long_options, NULL)) != -1) {
        switch (option) {
        case OPTION_INSPECT_RETURNS:
            options->inspect_returns = true;
            break;
        case 'o':
            options->output = optarg;
            break;
        case OPTION_IN_PLACE:
            options->in_place = true;
            break;
        case OPTION_INSPECTOR:
            options->inspector = optarg;
            break;
        case OPTION_REFERENCE:
            options->reference_paths[options->reference_count++] = optarg;
            break;
        case OPTION_REPORT:
            options->report = optarg;
            break;
        case 'q':
            options->quiet = true;
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_DONE;
        default:
            return option_error("inspect", option, argv, ":o:qh");
        }
    }
    *finished = false;
    return check_options(options, argc - optind, argv + optind);
}

/* A summary that nobody reads any more does not stop the work. */
enum exit_code cmd_inspect(int argc, char **argv)
{
    struct options options = {0};
    bool finished;
    options.reference_paths = need(calloc((size_t)argc, sizeof *options.reference_paths));
    options.inspect_returns = strcmp(argv[0], "inspect") == 0;
    enum exit_code code = parse(argc, argv, &options, &finished);
    if (!finished && code == EXIT_DONE) {
        signal(SIGPIPE, SIG_IGN);
        code = inspect_with_report(&options, argc - optind, argv + optind);
    }
    free(options.reference_paths);
    return code;
}
