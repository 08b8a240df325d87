/* Opens a process and checks that attach can get in. See attachable.h.
 *
 * The order is from what needs nothing of the process to what asks it: our own installation, the
 * process's existence, the info of its server, obstacles (obstacle.c), then the files that it has
 * to see. All missing files are reported, not the first one only. */
#include "tools/launch/attachable.h"

#include <stdlib.h>

#include "host/profiler_environment.h"
#include "tools/launch/launch.h"
#include "tools/launch/obstacle.h"
#include "tools/launch/preflight.h"
#include "tools/launch/seen_files.h"
#include "tools/tool.h"

enum {
    INFO_PATIENCE = 2000,  /* ms for its server to describe itself */
    UNLOAD_PATIENCE = 1500 /* ms */
};

/* After a refused attempt the runtime takes a while to unload the profiler. The library is mapped
 * until then, and does not listen; without waiting, it would look like a profiler that was loaded
 * at the start. */
static void wait_for_unload(struct dotnet_process *process)
{
    enum { UNLOAD_PAUSE = 10 /* ms */ };
    const struct deadline until = deadline_after(UNLOAD_PATIENCE);
    while (process->profiler && !dotnet_process_listens(process) && deadline_left(until) != 0) {
        process_pause(UNLOAD_PAUSE);
        if (!process_has_library(process->process, PROFILER_FILE)) {
            free(process->profiler);
            process->profiler = NULL;
        }
    }
}

/* Reports what the stock inspector lacks, if it cannot be loaded. In a container the path would be
 * that of another file here. A trimmed program lacks assemblies that the inspector refers to, and
 * the runtime would fail to load it inside the process. */
static bool is_trimmed(const struct dotnet_process *process)
{
    struct target target;
    if (process->is_contained) {
        return false;
    }
    char *program = need(process_program(process->process));
    target_open(&target, (char *[]){program, NULL});
    bool trimmed = preflight_is_trimmed(&target);
    target_close(&target);
    free(program);
    return trimmed;
}

static bool sees_all(const struct dotnet_process *process, const struct own_paths *paths)
{
    bool sees = true;
    for (size_t i = 0; i < paths->read_count; i++) {
        sees = seen_file_is_there(process, paths->reads[i]) && sees;
    }
    for (size_t i = 0; i < paths->written_count; i++) {
        sees = seen_folder_is_there(process, paths->written[i]) && sees;
    }
    return sees;
}

/* Refuses known obstacles; the runtime may still refuse others. */
enum exit_code attachable_open(struct dotnet_process *process, process_id number,
                               const struct own_paths *paths, bool inspector)
{
    struct profiler_needs needs;
    char *profiler = NULL;
    *process = (struct dotnet_process){.folder = -1};
    enum exit_code code = launch_find_installed(PROFILER_FILE, &profiler);
    if (code != EXIT_DONE) {
        return code;
    }
    if (!dotnet_process_open(process, number)) {
        report_message("cannot find process %ld. Run 'ilpatch ps' to list .NET processes",
                       (long)number);
        free(profiler);
        return EXIT_BAD_INPUT;
    }
    dotnet_process_receive(process, dotnet_process_request(process), deadline_after(INFO_PATIENCE));
    wait_for_unload(process);
    profiler_needs_read(&needs, profiler);
    struct obstacle found = obstacle_find(process, &needs);
    if (found.id != OBSTACLE_NONE) {
        report_message("cannot attach to process %ld: %s", (long)number, found.reason);
        if (found.advice) {
            report_message("  %s", found.advice);
        }
    }
    bool stops = found.id != OBSTACLE_NONE || !sees_all(process, paths) ||
                 (inspector && is_trimmed(process));
    obstacle_free(&found);
    free(profiler);
    return stops ? EXIT_BAD_INPUT : EXIT_DONE;
}
