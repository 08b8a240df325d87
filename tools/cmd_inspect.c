/* ilpatch --inspect-returns: the command line of the main job, and all its files one after the other
 * (patch_file.c).
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "patch_file.h"

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
    struct patch_request request = {options->output, options->in_place, options->quiet,
                                    &companion,      references,        &report};
    for (int i = 0; i < count && companion.inspector; i++) {
        show_progress(i, count, files[i]);
        enum exit_code code = patch_file(&request, files[i]);
        worst = code > worst ? code : worst;
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
    if (options->output && count > 1 && !path_is_directory(options->output)) {
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
