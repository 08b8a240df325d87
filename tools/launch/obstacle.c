/* Finds what prevents attaching. See obstacle.h.
 *
 * Checks are in an order in which a later one needs what the earlier ones found to be good: a
 * process of another user shows no libraries, one of another runtime has no version to compare, and
 * so on. The first obstacle is the one to remove first; what comes after it may be a consequence.
 *
 *   not .NET > other user > Mono, NativeAOT > processor > version > diagnostics off, no socket
 *      > a profiler > C library > suspended at its start > a folder without room for a copy
 *
 * A fact that is not known never counts as an obstacle: the attempt will show. */
#include "tools/launch/obstacle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file_io.h"
#include "host/path.h"
#include "host/process_files.h"
#include "tools/launch/other_profilers.h"
#include "tools/tool.h"

enum {
    FIRST_VERSION = 8
}; /* the first .NET version with late start-up hooks, and with everything else attach needs */

/* The profiler's own file says for which processor it is and which glibc it needs; both stay 0 if
 * it cannot be read, and are then not compared. */
void profiler_needs_read(struct profiler_needs *needs, const char *path)
{
    struct ilp_bytes file;
    *needs = (struct profiler_needs){.path = path};
    if (elf_kind(path, &needs->elf_class, &needs->elf_machine) && file_map_open(&file, path)) {
        elf_needs_glibc(file, &needs->glibc);
        file_map_close(&file);
    }
}

/* The word in JSON, and before a line of `doctor`. */
const char *obstacle_word(enum obstacle_id id)
{
    static const char *const words[OBSTACLE_COUNT] = {
#define OBSTACLE(id, word) [OBSTACLE_##id] = word,
#include "tools/launch/obstacles.def"
    };
    return words[id];
}

void obstacle_free(struct obstacle *obstacle)
{
    free(obstacle->reason);
    free(obstacle->advice);
    *obstacle = (struct obstacle){.id = OBSTACLE_NONE};
}

static struct obstacle obstacle(enum obstacle_id id, char *reason, char *advice)
{
    return (struct obstacle){id, need(reason), advice};
}

static char *copied(const char *text)
{
    return need(strdup(text));
}

/* The advice for all cases in which the profiler cannot get in. */
static char *patch_instead(const struct dotnet_process *process)
{
    return process->assembly
               ? format_text("Patch the files instead: ilpatch inspect %s", process->assembly)
               : copied("Patch the files instead: ilpatch inspect App.dll");
}

/* ---- the checks; each returns OBSTACLE_NONE if it does not apply ---- */

static const struct obstacle none = {.id = OBSTACLE_NONE};

/* Unknown for other users' processes. */
static struct obstacle find_no_runtime(const struct dotnet_process *process,
                                       const struct profiler_needs *needs)
{
    (void)needs;
    return process->runtime != RUNTIME_NONE || (!process->is_open && !process_acts_for(0))
               ? none
               : obstacle(OBSTACLE_NOT_DOTNET, copied("it is not a .NET program"),
                          copied("'ilpatch ps' lists those that are."));
}

/* The runtime's socket belongs to its user, and the profiler accepts that user and root. */
static struct obstacle find_other_user(const struct dotnet_process *process,
                                       const struct profiler_needs *needs)
{
    (void)needs;
    return process_acts_for(process->state.user)
               ? none
               : obstacle(OBSTACLE_OTHER_USER, copied("it belongs to another user"),
                          copied("Run ilpatch as that user, or as root."));
}

/* Neither has ICorProfilerInfo: Mono's profiler interface is another one, and ahead-of-time code is
 * never compiled by a JIT. */
static struct obstacle find_other_runtime(const struct dotnet_process *process,
                                          const struct profiler_needs *needs)
{
    (void)needs;
    switch (process->runtime) {
    case RUNTIME_MONO:
        return obstacle(OBSTACLE_MONO,
                        copied("it runs on Mono, which has another profiling interface"),
                        patch_instead(process));
    case RUNTIME_NATIVE_AOT:
        return obstacle(OBSTACLE_NATIVE_AOT,
                        copied("it is compiled ahead of time (PublishAot) and has no runtime that "
                               "takes a profiler"),
                        copied("Publish without PublishAot."));
    default: return none;
    }
}

/* The runtime's library, since under an emulator the program has another processor. */
static bool runtime_kind(const struct dotnet_process *process, unsigned *elf_class,
                         unsigned *machine)
{
    int file = process->core ? process_open_file(process->process, process->core) : -1;
    char *path = need(file >= 0 ? process_file_path(file) : process_program_file(process->process));
    bool known = (!process->core || file >= 0) && elf_kind(path, elf_class, machine);
    free(path);
    if (file >= 0) {
        close(file);
    }
    return known;
}

/* Within one machine: x86 and x64, or an emulated program. */
static struct obstacle find_processor(const struct dotnet_process *process,
                                      const struct profiler_needs *needs)
{
    unsigned elf_class, machine;
    if ((!process->core && !process->is_bundle) || needs->elf_class == 0 ||
        !runtime_kind(process, &elf_class, &machine) ||
        (elf_class == needs->elf_class && machine == needs->elf_machine)) {
        return none;
    }
    const char *theirs = elf_machine_name(elf_class, machine);
    return obstacle(OBSTACLE_PROCESSOR,
                    format_text("its runtime is for %s, and this ilpatch for %s", theirs,
                                elf_machine_name(needs->elf_class, needs->elf_machine)),
                    format_text("Use an ilpatch built for %s.", theirs));
}

/* By the first number; unknown versions pass. */
static struct obstacle find_version(const struct dotnet_process *process,
                                    const struct profiler_needs *needs)
{
    (void)needs;
    char room[64];
    const char *version = dotnet_process_version(process, room, sizeof room);
    unsigned long major = version ? strtoul(version, NULL, 10) : 0;
    return major == 0 || major >= FIRST_VERSION
               ? none
               : obstacle(OBSTACLE_TOO_OLD,
                          format_text("it runs on .NET %s: attach needs .NET %d or later", version,
                                      FIRST_VERSION),
                          copied("Start it with ilpatch run, or patch the files: ilpatch inspect"));
}

/* A variable that switches diagnostics off comes first: it is why there is no socket. */
static struct obstacle find_server(const struct dotnet_process *process,
                                   const struct profiler_needs *needs)
{
    (void)needs;
    const char *off = dotnet_process_switched_off(process);
    if (off) {
        return obstacle(OBSTACLE_DIAGNOSTICS_OFF,
                        format_text("%s=%s is set in it: its runtime loads no profiler then", off,
                                    dotnet_process_variable(process, off)),
                        copied("Start it without that variable."));
    }
    if (process->error != 0) {
        return obstacle(OBSTACLE_UNREACHABLE,
                        format_text("its files cannot be reached: %s: %s", process->temporary,
                                    strerror(process->error)),
                        copied("Run ilpatch as root, or in its container."));
    }
    return process->has_server
               ? none
               : obstacle(OBSTACLE_NO_SOCKET,
                          format_text("it has no diagnostics socket in %s: it is about to start or "
                                      "end, or that was removed",
                                      process->temporary),
                          copied("Start it again, with ilpatch run for example."));
}

/* Our own one that listens is not an obstacle, it is joined. One that was loaded at the start does
 * not listen. */
static struct obstacle find_profiler(const struct dotnet_process *process,
                                     const struct profiler_needs *needs)
{
    (void)needs;
    if (process->profiler && !dotnet_process_listens(process)) {
        return obstacle(OBSTACLE_OWN_PROFILER,
                        copied("a profiler is in it already, and stays: ilpatch's own, which was "
                               "started with it"),
                        copied("Start the process again."));
    }
    if (!process->other_profiler) {
        return none;
    }
    const char *class = dotnet_process_variable(process, "CORECLR_PROFILER");
    if (class && other_profiler_by_library(process->other_profiler) &&
        other_profiler_by_library(process->other_profiler) != other_profiler_by_class(class)) {
        class = NULL; /* it was attached, or is part of another one */
    }
    char *text = need(other_profiler_text(class, process->other_profiler));
    struct obstacle found =
        obstacle(OBSTACLE_OTHER_PROFILER,
                 format_text("a profiler is in it already, and a runtime takes one only: %s", text),
                 patch_instead(process));
    free(text);
    return found;
}

/* The versions that its libc defines are compared with those that the profiler needs. A read of the
 * file is bounded, since the process names it. */
static struct obstacle find_libc(const struct dotnet_process *process,
                                 const struct profiler_needs *needs)
{
    enum { LARGEST_LIBC = 64 << 20 };
    uint8_t *bytes;
    size_t size;
    struct glibc_version theirs = {0, 0};
    if (process->is_musl) {
        return obstacle(OBSTACLE_MUSL,
                        copied("its C library is musl, and the profiler is built for glibc"),
                        patch_instead(process));
    }
    if (process->libc &&
        process_read_file(process->process, process->libc, LARGEST_LIBC, &bytes, &size)) {
        elf_has_glibc((struct ilp_bytes){bytes, size}, &theirs);
        free(bytes);
    }
    return theirs.major == 0 || !glibc_version_is_before(theirs, needs->glibc)
               ? none
               : obstacle(OBSTACLE_GLIBC,
                          format_text("its C library is glibc %u.%u, and the profiler needs %u.%u "
                                      "or later",
                                      theirs.major, theirs.minor, needs->glibc.major,
                                      needs->glibc.minor),
                          patch_instead(process));
}

/* A runtime that waits to be resumed at its start has only itself mapped. Not visible for one
 * inside the program's file. */
static struct obstacle find_suspended(const struct dotnet_process *process,
                                      const struct profiler_needs *needs)
{
    (void)needs;
    static const char *const names[] = {"DOTNET_DefaultDiagnosticPortSuspend",
                                        "COMPlus_DefaultDiagnosticPortSuspend"};
    for (size_t i = 0; i < 2 && process->core && !process->has_core_library; i++) {
        const char *value = dotnet_process_variable(process, names[i]);
        if (value && strtoul(value, NULL, 16) != 0) {
            return obstacle(OBSTACLE_SUSPENDED,
                            format_text("it waits at its start until a tool resumes it (%s=%s)",
                                        names[i], value),
                            copied("Resume it first, or start it with ilpatch run instead."));
        }
    }
    return none;
}

/* The folder for a copy of the profiler. In a container without our files the profiler is copied
 * there; `noexec` keeps it from being mapped as code. */
static struct obstacle find_folder(const struct dotnet_process *process,
                                   const struct profiler_needs *needs)
{
    if (!needs->path || process_sees_file(process->process, needs->path)) {
        return none;
    }
    struct folder_traits traits = folder_traits(process->folder);
    if (!traits.is_read_only && !traits.is_no_exec) {
        return none;
    }
    return obstacle(traits.is_read_only ? OBSTACLE_FOLDER_READ_ONLY : OBSTACLE_FOLDER_NO_EXEC,
                    format_text("it does not see %s, and its folder for temporary files, %s, where "
                                "a copy would go, is mounted %s",
                                needs->path, process->temporary,
                                traits.is_read_only ? "read-only" : "noexec"),
                    copied("Install ilpatch in its container as well, under the same path, or "
                           "set TMPDIR for it to another folder."));
}

typedef struct obstacle find_obstacle(const struct dotnet_process *process,
                                      const struct profiler_needs *needs);

struct obstacle obstacle_find(const struct dotnet_process *process,
                              const struct profiler_needs *needs)
{
    static find_obstacle *const finders[] = {
        find_no_runtime, find_other_user, find_other_runtime, find_processor, find_version,
        find_server,     find_profiler,   find_libc,          find_suspended, find_folder};
    struct obstacle found = none;
    for (size_t i = 0; i < sizeof finders / sizeof finders[0] && found.id == OBSTACLE_NONE; i++) {
        found = finders[i](process, needs);
    }
    return found;
}
