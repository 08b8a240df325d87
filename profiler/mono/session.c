/* The profiler in a Mono process, from its first call to its last:
 *
 *   mono_profiler_init_ilpatch   the options, from the environment, as in CoreCLR
 *   ...                          images.h, loader.h
 *   runtime_shutdown_end         counts and reports */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "host/memory.h"
#include "host/path.h"
#include "host/process.h"
#include "host/profiler_environment.h"
#include "profiler/file_limit.h"
#include "profiler/messages.h"
#include "profiler/mono/images.h"
#include "profiler/mono/loader.h"
#include "profiler/mono/process.h"
#include "profiler/output.h"
#include "profiler/profiler.h"
#include "profiler/status.h"

/* Mono accepts one profiler per name. */
static struct mono_process session;

/* Reports results at the end, once. `waits`: for other threads that write. */
static void report_session_end(bool waits)
{
    struct file_limit limit;
    if (!atomic_load(&session.works) || atomic_exchange(&session.ended, true)) {
        return;
    }
    output_flush(waits);
    file_limit_hold(&limit, false);
    status_counts(status_slot()->by_reason);
    process_report_write(session.patching.report);
    status_method_repeated();
    status_end();
    file_limit_release(&limit);
}

static void shutdown_end(void *user)
{
    (void)user;
    report_session_end(true);
}

/* Mono does not always shut down a process that ends by exit(). */
__attribute__((destructor)) static void exit_without_shutdown(void)
{
    report_session_end(false);
}

/* In a forked copy of the process. */
static void forget_copy(void)
{
    atomic_store(&session.ended, true);
    output_forget();
}

/* So that the profiler is not loaded into child processes. */
static bool hide_environment(void)
{
    char library[4096];
    struct variables hidden = {.count = 0};
    if (!ilpi_library_path(MONO_PROFILER_FILE, library, sizeof library)) {
        return false;
    }
    char *folder = path_directory(library);
    session.inspector = folder ? path_join(folder, INSPECTOR_FILE) : NULL;
    free(folder);
    variables_add_hidden_mono(&hidden, library);
    variables_set(&hidden);
    return session.inspector != NULL;
}

/* "6.8.0.105 (Debian ...)" */
static void note_version(void)
{
    char *text = session.mono.get_runtime_build_info();
    snprintf(session.version, sizeof session.version, "Mono %.*s",
             text ? (int)strcspn(text, " ") : 0, text);
    session.mono.free(text);
}

static bool begin(void)
{
    struct variables variables = {.count = 0};
    if (!mono_functions_find(&session.mono)) {
        status_line("failed", "this Mono has another profiling interface than 6.8");
        return false;
    }
    note_version();
    if (!patching_open(&session.patching, session.version)) {
        return false;
    }
    if (request_calls(settings_request(session.patching.settings), false)) {
        output_open(variable_output());
        settings_add_variables(session.patching.settings, &variables);
        variables_set(&variables);
    }
    status_line("loaded", "%s %ld", session.version, (long)process_own());
    return true;
}

static void watch(void)
{
    void *handle = session.mono.profiler_create(&session);
    images_watch(&session, handle);
    loader_watch(&session, handle);
    session.mono.profiler_set_runtime_shutdown_end_callback(handle, shutdown_end);
    if (pthread_atfork(NULL, NULL, forget_copy) != 0) {
        memory_failed();
    }
}

/* Called by Mono for --profile=ilpatch; all options are in the environment. */
__attribute__((visibility("default"))) void mono_profiler_init_ilpatch(const char *description);

void mono_profiler_init_ilpatch(const char *description)
{
    (void)description;
    status_open(getenv(ENV_STATUS));
    messages_open();
    if (!ilpi_mutex_open(&session.lock) || !hide_environment()) {
        status_line("failed", "out of memory");
        return;
    }
    if (begin()) {
        atomic_store(&session.works, true);
        watch();
    } else {
        patching_close(&session.patching);
    }
}
