/* ilpatch run: starts a program with the profiler in it, and waits for its end.
 *
 *   options -> environment variables -> the program, unchanged -> what the profiler said -> the program's exit code
 *
 * A runtime that does not load a profiler says nothing, so the profiler itself has to say that it is there: it writes
 * into a file of ours (status.h), and if that stays empty, what may be the cause is told.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arguments.h"
#include "profiler_environment.h"
#include "request.h"
#include "text_out.h"

static const char help[] =
    "ilpatch run [options] -- PROGRAM [ARGUMENT...]\n"
    "\n"
    "Starts PROGRAM, and shows what methods return in it. No file is changed: a profiler in the process rewrites each\n"
    "method when it is compiled. PROGRAM is what starts the application: dotnet App.dll, or ./App.\n"
    "\n"
    "      --inspect-returns     every method that no rule decides about; what is done without --rules\n"
    "      --framework           look at the shared frameworks' methods, too\n"
    "      --rules RULES.xml     which methods, and how (may be repeated; ilpatch rules --help)\n"
    "      --where CONDITIONS    only methods that meet them, as in a rule file\n"
    "      --affected-by BUG     only methods that a bug of the profiling interface concerns\n"
    "      --target TARGET       what the program runs as, for --affected-by: auto, anycpu, x86, x64, arm, arm64\n"
    "      --inspector FILE      call the inspector in this assembly instead of the stock one\n"
    "      --reference-path DIR  look for referenced assemblies there, too (may be repeated)\n"
    "  -o, --output OUT          write values to OUT instead of standard error (%p in it: the process's number)\n"
    "      --children            processes that PROGRAM starts, too (for dotnet run, dotnet test)\n"
    "      --print-env           print the environment variables instead, to be set by hand\n"
    "  -q, --quiet               no summary\n"
    "  -v, --verbose             tell of every module that is left alone, and why\n"
    "  -h, --help                this text\n"
    "\n"
    "The exit code is that of PROGRAM, or 128 and the number of the signal that ended it; 2 and 3 as for other commands\n"
    "if it could not be started.\n";

enum { OPTION_CHILDREN = 1, OPTION_FRAMEWORK, OPTION_PRINT_ENV };

static const struct option options[] = {
    {"inspect-returns", no_argument, NULL, 'i'},
    {"output", required_argument, NULL, 'o'},
    {"framework", no_argument, NULL, OPTION_FRAMEWORK},
    {"children", no_argument, NULL, OPTION_CHILDREN},
    {"print-env", no_argument, NULL, OPTION_PRINT_ENV},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    REQUEST_OPTIONS,
    {NULL, 0, NULL, 0},
};

struct run {
    struct request_options given;
    struct request request;
    bool every;
    bool framework;
    bool children;
    bool print;
    bool quiet;
    bool verbose;
    const char *output;
    char **program; /* with its arguments */
    char status[64]; /* the file's name */
    struct variables variables;
};

/* ---- what is set ---- */

/* A path that means the same in another folder. */
static char *full_path(const char *path)
{
    char *full = realpath(path, NULL);
    if (full) {
        return full;
    }
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    full = here ? path_join(here, path) : need(strdup(path));
    free(here);
    return full;
}

static void add_option(struct arguments *line, const char *option, const char *value, bool is_path)
{
    char *full = is_path ? full_path(value) : NULL;
    arguments_add(line, option);
    arguments_add(line, full ? full : value);
    free(full);
}

/* The options again, for the profiler. */
static char *options_text(const struct run *run)
{
    const struct request_options *given = &run->given;
    struct arguments line = {NULL};
    if (run->every) {
        arguments_add(&line, "--inspect-returns");
    }
    if (run->framework) {
        arguments_add(&line, "--framework");
    }
    for (size_t i = 0; i < given->rule_count; i++) {
        add_option(&line, "--rules", given->rules[i], true);
    }
    for (size_t i = 0; i < given->where_count; i++) {
        add_option(&line, "--where", given->wheres[i], false);
    }
    if (given->affected_by) {
        add_option(&line, "--affected-by", given->affected_by, false);
    }
    if (given->target) {
        add_option(&line, "--target", given->target, false);
    }
    if (given->inspector) {
        add_option(&line, "--inspector", given->inspector, true);
    }
    for (size_t i = 0; i < given->reference_count; i++) {
        add_option(&line, "--reference-path", given->reference_paths[i], true);
    }
    return line.text ? line.text : need(strdup(""));
}

/* Assemblies of inspectors that are not the stock one. */
static char *inspectors_text(const struct run *run)
{
    char *text = NULL;
    for (size_t i = 0; i < run->request.companion_count; i++) {
        const struct companion *companion = &run->request.companions[i];
        if (!companion->stock) {
            char *full = full_path(ilp_image_name(companion->assembly));
            char *longer = format_text("%s%s%s", text ? text : "", text ? ":" : "", full);
            free(full);
            free(text);
            text = longer;
        }
    }
    return text;
}

/* A file that is installed with the command: beside it, or in lib/ilpatch. */
static enum exit_code find_installed(const char *name, char **path)
{
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    char *directory = path_directory(self);
    static const char *const places[] = {"", "/../lib/ilpatch"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char *candidate = format_text("%s%s/%s", directory, places[i], name);
        char *full = realpath(candidate, NULL);
        free(candidate);
        if (full) {
            free(directory);
            *path = full;
            return EXIT_DONE;
        }
    }
    tell("%s is not there: it is installed beside ilpatch or in ../lib/ilpatch of it (%s)", name, directory);
    free(directory);
    return EXIT_BAD_INPUT;
}

static enum exit_code set_variables(struct run *run)
{
    char *profiler = NULL;
    char *inspector = NULL;
    enum exit_code code = find_installed("libilpatch_profiler.so", &profiler);
    if (code == EXIT_DONE) {
        code = find_installed("MyProfiler.dll", &inspector);
    }
    if (code == EXIT_DONE) {
        variables_add_runtime(&run->variables, profiler, inspector);
        variables_add(&run->variables, ENV_OPTIONS, options_text(run));
        char *inspectors = inspectors_text(run);
        if (inspectors) {
            variables_add(&run->variables, ENV_INSPECTORS, inspectors);
        }
        if (run->output) {
            variables_add(&run->variables, ENV_OUTPUT, full_path(run->output));
        }
        if (run->children) {
            variables_add(&run->variables, ENV_CHILDREN, need(strdup("1")));
        }
    }
    free(profiler);
    free(inspector);
    return code;
}

/* What a file can have and a process cannot. */
static enum exit_code check_request(const struct run *run)
{
    char *place = request_passes_ids(&run->request);
    if (place) {
        tell("%s passes ids, which are for files that are patched: there --id-map keeps what they mean", place);
        free(place);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < run->request.companion_count; i++) {
        if (run->request.companions[i].native) {
            tell("native functions as inspectors are for files that are patched");
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

/* For a shell: within single quotes all is as it stands, but the quote itself. */
static void print_variables(const struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        printf("export %s='", variables->items[i].name);
        for (const char *at = variables->items[i].value; *at != '\0'; at++) {
            fputs(*at == '\'' ? "'\\''" : (char[]){*at, '\0'}, stdout);
        }
        fputs("'\n", stdout);
    }
}

/* ---- the program ---- */

static pid_t child;

static void pass_on(int number)
{
    kill(child, number);
}

static void start(const struct run *run)
{
    for (size_t i = 0; i < run->variables.count; i++) {
        setenv(run->variables.items[i].name, run->variables.items[i].value, 1);
    }
    signal(SIGXFSZ, SIG_DFL); /* as it was before main() */
    execvp(run->program[0], run->program);
    tell("%s: cannot start it: %s", run->program[0], strerror(errno));
    _exit(EXIT_BAD_INPUT);
}

/* The terminal gives its signals to both; what is sent to us alone goes on to the program. */
static int wait_for_end(void)
{
    int status = 0;
    struct sigaction passing = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    sigaction(SIGTERM, &passing, NULL);
    sigaction(SIGHUP, &passing, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- what the profiler said ---- */

struct said {
    bool loaded;
    bool failed;
    unsigned inspected;
    unsigned left;
    unsigned modules; /* of which nothing is inspected */
};

static void take_line(const struct run *run, struct said *said, const char *word, const char *text)
{
    char code[64];
    unsigned count;
    if (strcmp(word, "loaded") == 0) {
        said->loaded = true;
    } else if (strcmp(word, "failed") == 0) {
        said->failed = true;
        tell("the profiler did not start: %s", text);
    } else if (strcmp(word, "count") == 0 && sscanf(text, "%63s %u", code, &count) == 2) {
        bool inspected = strcmp(code, ilp_reason_code(ILP_REASON_INSPECTED)) == 0;
        said->inspected += inspected ? count : 0;
        said->left += inspected ? 0 : count;
    } else if (strcmp(word, "module") == 0) {
        said->modules++;
        if (run->verbose) {
            tell("left alone: %s", text);
        }
    } else if (strcmp(word, "method") == 0) {
        tell("method %s", text);
    }
}

static struct said read_status(const struct run *run)
{
    struct said said = {.loaded = false};
    char line[4096];
    FILE *file = fopen(run->status, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *tab = strchr(line, '\t');
        if (tab) {
            *tab = '\0';
            take_line(run, &said, line, tab + 1);
        }
    }
    if (file) {
        fclose(file);
    }
    return said;
}

static bool is_zero(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "0") == 0;
}

/* The runtime does not say why it left a profiler out. */
static void explain_silence(const struct run *run)
{
    static const char *const switches[] = {"DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics",
                                           "DOTNET_EnableDiagnostics_Profiler"};
    tell("%s ended, but the profiler was not loaded into it, so no value was shown", run->program[0]);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (is_zero(switches[i])) {
            tell("  %s=0 is set: the runtime takes no profiler then; unset it", switches[i]);
            return;
        }
    }
    tell("  Is it a .NET program, of .NET Core 3.1 or later, for the same processor as ilpatch?");
    tell("  A program compiled with PublishAot has no IL any more.");
    tell("  If it starts the .NET process itself, as dotnet run and dotnet test do, say --children.");
}

static void tell_end(const struct run *run)
{
    struct said said = read_status(run);
    if (!said.loaded && !said.failed) {
        explain_silence(run);
    } else if (said.loaded && !run->quiet) {
        tell("%u methods inspected, %u left as they are, %u modules left alone (--verbose tells why)", said.inspected,
             said.left, said.modules);
    }
}

static enum exit_code run_program(struct run *run)
{
    snprintf(run->status, sizeof run->status, "/tmp/ilpatch-run-XXXXXX");
    int file = mkostemp(run->status, O_CLOEXEC);
    if (file < 0) {
        tell("%s: cannot write: %s", run->status, strerror(errno));
        return EXIT_CANNOT_WRITE;
    }
    close(file);
    variables_add(&run->variables, ENV_STATUS, need(strdup(run->status)));
    fflush(stdout);
    child = fork();
    if (child == 0) {
        start(run);
    }
    int code = child < 0 ? EXIT_CANNOT_WRITE : wait_for_end();
    tell_end(run);
    unlink(run->status);
    return (enum exit_code)code;
}

/* ---- command line ---- */

static enum exit_code parse(struct run *run, int argc, char **argv, bool *done)
{
    int option;
    *done = false;
    while ((option = getopt_long(argc, argv, "+:o:qvh", options, NULL)) != -1) {
        switch (option) {
        case 'i': run->every = true; break;
        case 'o': run->output = optarg; break;
        case 'q': run->quiet = true; break;
        case 'v': run->verbose = true; break;
        case OPTION_FRAMEWORK: run->framework = true; break;
        case OPTION_CHILDREN: run->children = true; break;
        case OPTION_PRINT_ENV: run->print = true; break;
        case 'h':
            fputs(help, stdout);
            *done = true;
            return EXIT_DONE;
        default:
            if (!request_option(&run->given, option, optarg)) {
                return option_error("run", option, argv, "oqvh");
            }
        }
    }
    run->every = run->every || run->given.rule_count == 0;
    run->program = argv + optind;
    if (!run->print && !run->program[0]) {
        return usage_error("run", "which program? for example: ilpatch run -- dotnet App.dll");
    }
    return EXIT_DONE;
}

enum exit_code cmd_run(int argc, char **argv)
{
    struct run run = {.program = NULL};
    bool done;
    request_options_begin(&run.given, argc);
    enum exit_code code = parse(&run, argc, argv, &done);
    if (code == EXIT_DONE && !done) {
        code = request_open(&run.request, &run.given, run.every, "run");
        if (code == EXIT_DONE) {
            code = check_request(&run);
        }
        if (code == EXIT_DONE) {
            code = set_variables(&run);
        }
        if (code == EXIT_DONE) {
            if (run.print) {
                print_variables(&run.variables);
            } else {
                code = run_program(&run);
            }
        }
        request_close(&run.request);
    }
    variables_free(&run.variables);
    request_options_end(&run.given);
    return code;
}
