/* Collects facts about a process. See dotnet_process.h.
 *
 * All of it is from /proc, without stopping the process, which may therefore change or end
 * meanwhile: each fact is read once, and a fact that cannot be read is absent, not an error. Only a
 * process of another user hides most of it (is_open); then it is known by its name and its socket.
 *
 *   /proc/PID/stat, status   state, user, numbers      -> is it there, whose is it
 *   /proc/PID/environ        variables                 -> TMPDIR, switches, a profiler
 *   /proc/PID/maps           libraries                 -> CoreCLR, Mono, libc, profilers
 *   TMPDIR                   the diagnostics socket    -> does it have a server
 *   /proc/PID/cmdline        arguments                 -> what was started
 *   the program's file       bundle, NativeAOT         -> if no runtime is mapped
 */
#include "tools/launch/dotnet_process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/control.h"
#include "host/local_socket.h"
#include "host/file_view.h"
#include "host/library_names.h"
#include "host/path.h"
#include "host/process_files.h"
#include "tools/launch/diagnostics_find.h"
#include "tools/launch/launch.h"
#include "tools/launch/other_profilers.h"
#include "tools/launch/target.h"
#include "tools/tool.h"

/* ---- mapped files ---- */

/* A library is mapped in several parts, and each has a line with its path. */
static void note(char **place, const char *path)
{
    if (!*place) {
        *place = need(strdup(path));
    }
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The profiler library that its environment names. */
static const char *named_profiler(const struct dotnet_process *process)
{
    const char *path = dotnet_process_variable(process, "CORECLR_PROFILER_PATH_64");
    return path ? path : dotnet_process_variable(process, "CORECLR_PROFILER_PATH");
}

/* The first of several wins (note()). A profiler that the environment names counts only if it is
 * mapped: the runtime may have refused it. */
static void note_library(struct dotnet_process *process, const char *path)
{
    const char *name = path_name(path);
    const char *named = named_profiler(process);
    if (strcmp(name, RUNTIME_LIBRARY) == 0) {
        note(&process->core, path);
    } else if (begins_with(name, "libmonosgen-2.0.so") || begins_with(name, "mono-sgen")) {
        process->runtime = RUNTIME_MONO;
    } else if (strcmp(name, PROFILER_FILE) == 0) {
        note(&process->profiler, path);
    } else if (begins_with(name, "ld-musl-")) {
        process->is_musl = true;
    } else if (strcmp(name, "libc.so.6") == 0 ||
               (begins_with(name, "libc-2.") && ends_with(name, ".so"))) {
        note(&process->libc, path);
    } else if (strcmp(name, "System.Private.CoreLib.dll") == 0) {
        process->has_core_library = true;
    }
    if (strcmp(name, PROFILER_FILE) != 0 &&
        (other_profiler_by_library(path) || (named && strcmp(path_name(named), name) == 0))) {
        note(&process->other_profiler, path);
    }
}

static void read_maps(struct dotnet_process *process)
{
    struct process_maps *maps = process_maps_open(process->process);
    const char *path;
    while (maps && (path = process_maps_next(maps)) != NULL) {
        note_library(process, path);
    }
    process_maps_close(maps);
}

/* ---- its program ---- */

/* The limit of a program's size that is read. */
#define LARGEST_PROGRAM (256u << 20)

/* Through /proc/PID/exe, so it is the file that runs, also if another one has its path now. */
static enum ilp_file_kind kind_of_program(process_id process)
{
    struct file_view view;
    enum ilp_file_kind kind = ILP_FILE_UNKNOWN;
    char *path = need(process_program_file(process));
    if (file_view_open(&view, path)) {
        kind = view.bytes.size <= LARGEST_PROGRAM ? ilp_file_kind_of(view.bytes) : kind;
        file_view_close(&view);
    }
    free(path);
    return kind;
}

/* By the location of the runtime: a library, or the program itself. A single-file program has
 * CoreCLR inside, so no library is mapped; its file shows the bundle. What cannot be read is taken
 * for CoreCLR if it has a diagnostics server or is called dotnet. */
static void find_runtime(struct dotnet_process *process)
{
    if (process->runtime == RUNTIME_NONE && !process->core && process->is_open) {
        enum ilp_file_kind kind = kind_of_program(process->process);
        process->is_bundle = kind == ILP_FILE_BUNDLE;
        process->runtime = kind == ILP_FILE_NATIVE_AOT ? RUNTIME_NATIVE_AOT : RUNTIME_NONE;
    }
    if (process->runtime == RUNTIME_NONE &&
        (process->core || process->is_bundle || process->has_server || process->is_host)) {
        process->runtime = RUNTIME_CORECLR;
    }
}

/* Its command line, and the file in it that was started. */
static void read_arguments(struct dotnet_process *process)
{
    struct process_texts texts;
    struct text_file line;
    const char *started = NULL;
    process_arguments(process->process, &texts);
    if (!text_open(&line)) {
        need(NULL);
    }
    for (const char *at = NULL; (at = process_texts_next(&texts, at)) != NULL;) {
        fprintf(line.out, "%s%s", ftell(line.out) > 0 ? " " : "", at);
        started = !started && names_assembly(at) ? at : started;
    }
    process->program = need(text_close(&line));
    process->is_host = texts.bytes && strcmp(path_name(texts.bytes), DOTNET_PROGRAM) == 0 &&
                       !process->is_open;
    char *folder = started && !path_is_absolute(started) ? process_working_folder(process->process)
                                                         : NULL;
    process->assembly = folder    ? need(path_join(folder, started))
                        : started ? need(strdup(started))
                                  : process_program(process->process);
    free(folder);
    process_texts_free(&texts);
}

/* ---- its diagnostics server ---- */

/* What is not visible to us is assumed to be like ours. */
static void find_server(struct dotnet_process *process)
{
    const char *set = process->environment.bytes ? dotnet_process_variable(process, "TMPDIR")
                                                 : getenv("TMPDIR");
    process->folder = diagnostics_open_folder(process->process, set, &process->temporary);
    process->error = process->folder < 0 ? errno : 0;
    process->has_server = process->error == 0 &&
                          diagnostics_find(&process->server, process->process, process->state.user,
                                           process->state.own_number, process->folder,
                                           process->temporary);
}

/* The environment comes first, since note_library() and find_server() read variables. Zombies and
 * dead processes (Z, X) are not there. */
bool dotnet_process_open(struct dotnet_process *process, process_id number)
{
    struct process_state own;
    *process = (struct dotnet_process){.process = number, .folder = -1};
    if (!process_state_read(number, &process->state) || process->state.state == 'Z' ||
        process->state.state == 'X') {
        return false;
    }
    process->is_open = process_environment(number, &process->environment);
    /* a deeper PID namespace than ours, or other files under the same paths */
    process->is_contained = process_state_read(process_own(), &own) &&
                            (process->state.namespaces > own.namespaces ||
                             (process->is_open && !process_has_our_files(number)));
    read_maps(process);
    find_server(process);
    read_arguments(process);
    find_runtime(process);
    return true;
}

void dotnet_process_close(struct dotnet_process *process)
{
    char *const texts[] = {process->program,       process->assembly, process->temporary,
                           process->core,          process->libc,     process->profiler,
                           process->other_profiler};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        free(texts[i]);
    }
    process_texts_free(&process->environment);
    process_info_free(&process->info);
    diagnostics_close(&process->server);
    if (process->folder >= 0) {
        close(process->folder);
    }
    *process = (struct dotnet_process){.folder = -1};
}

int dotnet_process_request(const struct dotnet_process *process)
{
    return process->has_server && !process_is_stopped(&process->state)
               ? diagnostics_request_info(&process->server)
               : -1;
}

void dotnet_process_receive(struct dotnet_process *process, int connection, struct deadline until)
{
    if (connection >= 0) {
        diagnostics_receive_info(connection, until, &process->info);
    }
}

/* ---- derived facts ---- */

const char *dotnet_process_variable(const struct dotnet_process *process, const char *name)
{
    return process_texts_variable(&process->environment, name);
}

/* ".../Microsoft.NETCore.App/10.0.12/libcoreclr.so" The server's info is more exact; the folder's
 * name is there without it. */
const char *dotnet_process_version(const struct dotnet_process *process, char *room, size_t size)
{
    if (process->info.version && process->info.version[0] != '\0') {
        return process->info.version;
    }
    char *folder = process->core ? need(path_directory(process->core)) : NULL;
    const char *name = folder ? path_name(folder) : "";
    bool is_version = name[0] >= '0' && name[0] <= '9' && strchr(name, '.');
    snprintf(room, size, "%s", name);
    free(folder);
    return is_version ? room : NULL;
}

/* The runtime reads the values as hexadecimal, and ignores what is not a number. */
const char *dotnet_process_switched_off(const struct dotnet_process *process)
{
    static const char *const switches[][2] = {
        {"DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics"},
        {"DOTNET_EnableDiagnostics_IPC", "COMPlus_EnableDiagnostics_IPC"},
        {"DOTNET_EnableDiagnostics_Profiler", "COMPlus_EnableDiagnostics_Profiler"},
    };
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        for (size_t spelling = 0; spelling < 2; spelling++) {
            const char *name = switches[i][spelling];
            const char *value = dotnet_process_variable(process, name);
            char *end = NULL;
            unsigned long number = value ? strtoul(value, &end, 16) : 0;
            if (value && end != value) { /* the newer spelling has precedence */
                if (number == 0) {
                    return name;
                }
                break;
            }
        }
    }
    return NULL;
}

bool dotnet_process_act_as_its_user(const struct dotnet_process *process)
{
    const struct process_state *state = &process->state;
    bool acts = process_user() == state->user || process_act_as(state->user, state->group);
    if (!acts) {
        report_message("cannot act as the user of process %ld: %s", (long)process->process,
                       strerror(errno));
    }
    return acts;
}

/* By the socket's owner and whether its listener is alive; it is not connected to, because the
 * profiler would take that for a command. */
bool dotnet_process_listens(const struct dotnet_process *process)
{
    user_id owner;
    char *path = process->has_server ? control_path(process->server.path) : NULL;
    bool listens = path && local_socket_owner(path, &owner) && owner == process->state.user &&
                   !local_socket_is_abandoned(path);
    free(path);
    return listens;
}
