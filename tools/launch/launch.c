/* Starts a program with the profiler. See launch.h.
 *
 *   launch_set()        finds the profiler; refuses what can never work (preflight_refuse())
 *   launch_program()    status file and rings -> warnings -> the program -> lines that are left
 *                       -> status -> an explanation, if the profiler was not loaded
 *
 * Status file and rings are files in memory that are passed on by name (/proc/PID/fd/N), and our
 * descriptors keep them until the end: they are there after the processes have been killed, and
 * nothing is left on disk. */
#include "tools/launch/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/line_ring.h"
#include "host/shared_counters.h"
#include "host/text_list.h"
#include "host/path.h"
#include "host/temporary.h"
#include "host/process.h"
#include "tools/launch/child.h"
#include "tools/launch/left_lines.h"
#include "tools/launch/preflight.h"
#include "tools/tool.h"
#include "inspect/reasons.h"

/* ---- variables ---- */

/*   DIR/ilpatch   DIR/NAME                  as built, or unpacked
 *                 DIR/../lib/ilpatch/NAME   as `make install` has it
 *
 * By its full path, since the program may run in another folder. */
enum exit_code launch_find_installed(const char *name, char **path)
{
    char *directory = process_own_folder();
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
    report_message(
        "%s is not there: it is installed beside ilpatch or in ../lib/ilpatch of it (%s); install "
        "ilpatch again",
        name, directory);
    free(directory);
    return EXIT_BAD_INPUT;
}

/* What preflight.c compares, borrowed. */
static struct preflight preflight_of(const struct launch *launch)
{
    return (struct preflight){.program = launch->program ? launch->program[0] : NULL,
                              .arguments = launch->program,
                              .profiler = launch->profiler,
                              .inspector = launch->inspector,
                              .children = launch->children,
                              .replace = launch->replace,
                              .mono = launch->mono};
}

bool launch_is_for_mono(struct launch *launch)
{
    return launch->mono && launch->program && launch->program[0] &&
           launch_target(launch)->kind == TARGET_MONO;
}

static enum exit_code set_runtime(struct launch *launch)
{
    struct preflight preflight = preflight_of(launch);
    char *inspector = NULL;
    enum exit_code code = preflight_refuse(&preflight);
    if (code == EXIT_DONE && launch->inspector) {
        code = launch_find_installed(INSPECTOR_FILE, &inspector);
    }
    if (code == EXIT_DONE) {
        variables_add_runtime(&launch->variables, launch->profiler, inspector);
    }
    free(inspector);
    return code;
}

/* It embeds the stock inspector. Mono finds a profiler by its name beside the others, so the file
 * must be there under that name. */
static enum exit_code set_mono(struct launch *launch)
{
    char *folder = path_directory(launch->profiler);
    char *file = path_join(folder, MONO_PROFILER_FILE);
    bool found = file_exists(file);
    if (found) {
        variables_add_mono(&launch->variables, launch->profiler);
    } else {
        report_message("%s is not there: install ilpatch again", file);
    }
    free(file);
    free(folder);
    return found ? EXIT_DONE : EXIT_BAD_INPUT;
}

/* The profiler hides the variables from child processes, unless ENV_CHILDREN is set. */
enum exit_code launch_set(struct launch *launch)
{
    enum exit_code code = launch_find_installed(PROFILER_FILE, &launch->profiler);
    if (code == EXIT_DONE) {
        code = launch_is_for_mono(launch) ? set_mono(launch) : set_runtime(launch);
    }
    if (code == EXIT_DONE && launch->children) {
        variables_add(&launch->variables, ENV_CHILDREN, need(strdup("1")));
    }
    return code;
}

/* Assemblies of inspectors other than the stock one. */
static char *inspectors_text(const struct request *request)
{
    char *text = NULL;
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        const struct inspector_file *inspector = &request->inspector_files[i];
        if (!inspector->stock && !inspector->native) {
            char *full = path_full(ilp_image_name(inspector->assembly));
            text_list_add(&text, ':', full);
            free(full);
        }
    }
    return text;
}

/* Parsed rules are passed in memory, so that each process need not read XML; they are only good for
 * a profiler of the same version, which `by_hand` does not promise. */
void launch_set_options(struct launch *launch, const struct profiler_options *options,
                        const struct request *request, bool by_hand)
{
    variables_add(&launch->variables, ENV_OPTIONS,
                  by_hand ? profiler_options_command_line(options)
                          : profiler_options_text(options));
    char *inspectors = inspectors_text(request);
    if (inspectors) {
        variables_add(&launch->variables, ENV_INSPECTORS, inspectors);
    }
    int parsed = by_hand || !request->parsed ? -1 : parsed_rules_file(request->parsed);
    if (parsed >= 0) { /* without it the process parses the rules itself */
        launch->parsed = parsed;
        variables_add(&launch->variables, ENV_RULES, need(shared_counters_name(parsed)));
    }
}

/* For a shell: in single quotes every character is literal, except the quote. */
void launch_print(const struct launch *launch)
{
    for (size_t i = 0; i < launch->variables.count; i++) {
        printf("export %s='", launch->variables.items[i].name);
        for (const char *at = launch->variables.items[i].value; *at != '\0'; at++) {
            fputs(*at == '\'' ? "'\\''" : (char[]){*at, '\0'}, stdout);
        }
        fputs("'\n", stdout);
    }
}

/* ---- status ---- */

/* "N ERRNO", of a process for which shared memory has no slot. */
static void take_lost(struct launch *launch, const char *text)
{
    char *end;
    unsigned long lost = strtoul(text, &end, 10);
    if (lost != 0) {
        launch->lost += (unsigned)lost;
        launch->lost_error = (int)strtoul(end, NULL, 10);
    }
}

/* The first word of a line decides who takes it. What concerns every command is handled here: how
 * many processes were there, and why nothing is shown. */
static void take_line(struct launch *launch, const char *word, const char *text)
{
    if (strcmp(word, "loaded") == 0) {
        launch->loaded++;
    } else if (strcmp(word, "inspector") == 0) {
        launch->shown++;
    } else if (strcmp(word, "ended") == 0) {
        launch->ended++;
    } else if (strcmp(word, "missing") == 0) {
        free(launch->missing);
        launch->missing = need(strdup(text));
    } else if (strcmp(word, "failed") == 0) {
        launch->failed = true;
        report_message("the profiler did not start: %s", text);
    } else if (strcmp(word, "unwritable") == 0) {
        launch->unwritable = true;
        report_message("%s", text);
    } else if (strcmp(word, "message") == 0) {
        report_message("%s", text);
    } else if (strcmp(word, "lost") == 0) {
        take_lost(launch, text);
    } else if (launch->take) {
        launch->take(launch->user, word, text);
    }
}

/* Takes the counts of processes, however they ended. A slot is in shared memory, so it is right
 * also for a process that was killed. The counts are given out as lines, "count REASON N". */
static void take_counters(struct launch *launch, const struct shared_counters *counters)
{
    char text[128];
    for (unsigned i = 0; i < SHARED_COUNTERS_SLOTS; i++) {
        const struct shared_counters_slot *slot = &counters->slots[i];
        launch->lost += slot->lost;
        launch->lost_error = slot->lost != 0 ? (int)slot->lost_error : launch->lost_error;
        for (unsigned reason = 0; reason < ILPI_REASON_COUNT && launch->take; reason++) {
            if (slot->by_reason[reason] != 0) {
                snprintf(text, sizeof text, "%s %u", ilp_reason_code(reason),
                         slot->by_reason[reason]);
                launch->take(launch->user, "count", text);
            }
        }
    }
}

/*   counters of all slots | WORD \t TEXT \n | WORD \t TEXT \n | ... | a line that is being written
 *
 * Only complete lines are taken, and launch->read is their size: the next call goes on from there.
 * The file is opened by its name each time, because a descriptor that is shared with processes
 * would share its position. */
void launch_read_lines(struct launch *launch)
{
    char *line = NULL;
    size_t room = 0;
    struct shared_counters counters;
    FILE *file = fopen(launch->status, "re");
    if (file) {
        shared_counters_read(file, &counters);
        fseek(file, launch->read, SEEK_CUR);
    }
    for (ssize_t size; file && (size = getline(&line, &room, file)) > 0 && line[size - 1] == '\n';
         launch->read += (long)size) {
        line[strcspn(line, "\n")] = '\0';
        char *tab = strchr(line, '\t');
        if (tab) {
            *tab = '\0';
            take_line(launch, line, tab + 1);
        }
    }
    free(line);
    if (file) {
        fclose(file);
    }
}

void launch_read_counts(struct launch *launch)
{
    struct shared_counters counters;
    FILE *file = fopen(launch->status, "re");
    if (file) {
        shared_counters_read(file, &counters);
        take_counters(launch, &counters);
        fclose(file);
    }
}

void launch_read_status(struct launch *launch)
{
    launch_read_counts(launch);
    launch_read_lines(launch);
}

int launch_make_status(struct launch *launch)
{
    int file = shared_counters_make();
    if (file < 0) {
        report_message("cannot make a file in memory: %s", strerror(errno));
    } else {
        launch->status = need(shared_counters_name(file));
    }
    return file;
}

/* Without memory for rings, or if a file size limit forbids them, lines are not buffered. */
static int make_rings(struct launch *launch)
{
    int rings = launch->output ? line_rings_make(LINE_RINGS) : -1;
    if (rings >= 0) {
        variables_add(&launch->variables, ENV_LINES, need(shared_counters_name(rings)));
    }
    return rings;
}

/* In a process that another command follows: its file and its rings are not for this program, whose
 * profiler would truncate the one. "" is as none. */
static void leave_out_inherited(struct launch *launch, int rings)
{
    if (!launch->output && getenv(ENV_RUN_OUTPUT)) {
        variables_add(&launch->variables, ENV_RUN_OUTPUT, need(strdup("")));
    }
    if (rings < 0 && getenv(ENV_LINES)) {
        variables_add(&launch->variables, ENV_LINES, need(strdup("")));
    }
}

/* After the program, before the status is read: it adds to the losses that are reported with it. */
static void end_rings(struct launch *launch, int rings)
{
    if (rings >= 0) {
        struct lost_lines lost = left_lines_write(rings, launch->output);
        launch->lost += lost.count;
        launch->lost_error = lost.count != 0 ? lost.error : launch->lost_error;
        close(rings);
    }
}

/* Explains a failure, after what was reported before the start.
 *   loaded == 0               the profiler was never loaded
 *   missing                   an inspector that was requested was not
 *   shown < loaded            the stock inspector was not, in one of the processes
 */
static void explain(const struct launch *launch, const struct target *target)
{
    if (launch->loaded == 0 && !launch->failed && !launch->unwritable) {
        struct preflight preflight = preflight_of(launch);
        preflight_explain(&preflight, target);
    } else if (launch->missing) {
        report_message(
            "%s: the inspector was not loaded, so nothing was shown: another assembly of its name "
            "may be in the program",
            launch->missing);
    } else if (launch->inspector && launch->shown < launch->loaded) {
        report_message(
            "the inspector was not loaded, so nothing was shown: the program ended before Main, "
            "or start-up hooks are "
            "switched off in it (StartupHookSupport; --inspector unmanaged needs none)");
    }
}

/* The system cannot start an assembly; dotnet can. */
static void report_not_started(const char *program, int error)
{
    if ((ends_with(program, ".dll") || ends_with(program, ".exe")) && file_exists(program)) {
        report_message("%s: cannot start it: %s; dotnet starts it: -- dotnet %s", program,
                       strerror(error), program);
    } else if (error == ENOENT && !strchr(program, '/')) {
        report_message("%s: cannot start it: it was not found in PATH. Pass a path, such as ./%s",
                       program, program);
    } else {
        report_message("%s: cannot start it: %s", program, strerror(error));
    }
}

/* Warnings do not prevent the start, but the inspector is left out if it would end the program.
 * True: a warning has said that nothing will be shown, and the end needs no explanation. */
static bool warn(struct launch *launch, const struct target *target)
{
    struct preflight preflight = preflight_of(launch);
    if (preflight_warn(&preflight, target)) {
        return true;
    }
    bool trimmed = launch->inspector && preflight_is_trimmed(target);
    if (trimmed) {
        variables_leave_out_hook(&launch->variables);
    }
    return trimmed;
}

/* When first needed, since --print-env needs it not at all. */
const struct target *launch_target(struct launch *launch)
{
    if (!launch->target_is_open) {
        target_open(&launch->target, launch->program);
        launch->target_is_open = true;
    }
    return &launch->target;
}

/* The result of a program that was started is its own code, whatever was reported; the callers add
 * theirs. */
enum exit_code launch_program(struct launch *launch)
{
    int error;
    int status = launch_make_status(launch);
    if (status < 0) {
        return EXIT_CANNOT_WRITE;
    }
    variables_add(&launch->variables, ENV_STATUS, need(strdup(launch->status)));
    int rings = make_rings(launch);
    leave_out_inherited(launch, rings);
    const struct target *target = launch_target(launch);
    bool warned = warn(launch, target);
    /* an executable one would be run by a shell */
    bool is_assembly = target->kind == TARGET_ASSEMBLY;
    struct child child = {.path = is_assembly ? target->path : NULL,
                          .found = target->path,
                          .arguments = launch->program,
                          .variables = &launch->variables};
    int code = child_run(&child, &error);
    end_rings(launch, rings);
    if (error != 0) {
        report_not_started(launch->program[0], error);
    } else {
        launch_read_status(launch);
        if (!warned) {
            explain(launch, target);
        }
    }
    close(status);
    return (enum exit_code)code;
}

const char *launch_lost_reason(const struct launch *launch)
{
    return launch->lost_error == LOST_CUT_OFF
               ? "it was made shorter while the program ran, so recording ended"
               : strerror(launch->lost_error);
}

void launch_report_lost(const struct launch *launch)
{
    report_message("%u line%s could not be written: %s", launch->lost, plural(launch->lost),
                   launch_lost_reason(launch));
}

/* For a launch in any state, also one that was only zeroed. */
void launch_close(struct launch *launch)
{
    if (launch->target_is_open) {
        target_close(&launch->target);
        launch->target_is_open = false;
    }
    variables_free(&launch->variables);
    if (launch->parsed > 0) {
        close(launch->parsed);
    }
    free(launch->profiler);
    free(launch->status);
    free(launch->missing);
    launch->profiler = launch->status = launch->missing = NULL;
}
