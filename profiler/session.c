/* The life of the profiler in a process:
 *
 *   Initialize            a watch begins, with its event mask
 *   ModuleLoadFinished    waits for the inspector
 *   ModuleUnloadStarted   the module's record is freed
 *   Shutdown              counts and reports
 *
 * and, in an attached process:
 *
 *   InitializeForAttach      nothing yet
 *   ProfilerAttachComplete   a thread waits for commands (attached.h). With the first one a watch
 *                            begins, and loaded methods are recompiled,
 *   ModuleLoadFinished       also those whose native code cannot be rejected later. When the last
 *                            command leaves, the watch ends, and another one may begin */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "elt/contract.h"
#include "host/path.h"
#include "profiler/attached.h"
#include "profiler/choice.h"
#include "profiler/cost_limit.h"
#include "profiler/clr/bodies.h"
#include "profiler/clr/callback.h"
#include "profiler/clr/missed_inlines.h"
#include "profiler/clr/rejit_guard.h"
#include "profiler/file_limit.h"
#include "profiler/hooks/hooks.h"
#include "profiler/messages.h"
#include "profiler/off_switches.h"
#include "profiler/output.h"
#include "profiler/ids.h"
#include "profiler/process_report.h"
#include "profiler/profiler.h"
#include "profiler/settings.h"
#include "profiler/shown_line.h"
#include "profiler/status.h"
#include "profiler/tail/calls.h"
#include "profiler/value_counts.h"
#include "profiler/value_spool.h"
#include "host/process.h"
#include "host/profiler_environment.h"

/* The profiler of this process, while it works. */
static _Atomic(struct profiler *) current;

/* In a forked copy, which has one thread and no working runtime: what happens there is not the
 * program's, and the original process reports what was copied. */
static void forget_copy(void)
{
    struct profiler *profiler = atomic_exchange(&current, NULL);
    if (profiler) {
        attached_forget(profiler->attached);
    }
    hooks_forget();
    value_spool_forget();
    shown_line_forked();
    output_forget();
}

/* Frees a watch's memory. No thread uses it. */
static void close_watch(struct profiler *profiler)
{
    while (profiler->modules) {
        module_forget(profiler, profiler->modules->id);
    }
    shapes_close(profiler->shapes);
    ids_close(profiler->ids);
    process_report_close(profiler->report);
    inspectors_close(profiler->inspectors);
    choice_close();
    if (profiler->settings) {
        settings_close(profiler->settings);
    }
}

/* Frees everything that is not the runtime's: bodies in use by compiled code are. */
static void session_close(struct profiler *profiler)
{
    atomic_store(&current, NULL);
    value_spool_close();
    attached_close(profiler->attached);
    tail_calls_close(profiler->tail_calls);
    close_watch(profiler);
    missed_inlines_close(profiler->missed);
    if (profiler->info10) {
        CALL(IUnknown, Release, profiler->info10)(profiler->info10);
    }
    if (profiler->info) {
        CALL(IUnknown, Release, profiler->info)(profiler->info);
    }
    output_close();
    status_close();
    runtime_close(&profiler->runtime);
    free(profiler->program);
    pthread_mutex_destroy(&profiler->lock);
    pthread_mutex_destroy(&profiler->staying);
}

static void watch_forks(void)
{
    if (pthread_atfork(NULL, NULL, forget_copy) != 0) {
        memory_failed();
    }
}

static void report_loaded(struct profiler *profiler)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    status_line("loaded", "%s %ld", profiler->runtime.version_text, (long)process_own());
    atomic_store(&current, profiler);
    pthread_once(&once, watch_forks);
}

/* Flags of the high word need ICorProfilerInfo5; without it they are left out. */
HRESULT session_set_mask(struct profiler *profiler, ULONG mask, ULONG high)
{
    struct guid id = guid_of(ID_ICorProfilerInfo5);
    void *info5;
    if (high != 0 &&
        CALL(IUnknown, QueryInterface, profiler->info)(profiler->info, &id, &info5) >= 0) {
        HRESULT result = CALL(ICorProfilerInfo5, SetEventMask2, info5)(info5, mask, high);
        CALL(IUnknown, Release, info5)(info5);
        return result;
    }
    return CALL(ICorProfilerInfo, SetEventMask, profiler->info)(profiler->info, mask);
}

/* Whether values are read from C, by the unmanaged inspector or for a trace. Under the lock. */
static bool shows_values(const struct profiler *profiler)
{
    const struct trace_settings *trace = profiler->is_idle ? NULL
                                                           : settings_trace(profiler->settings);
    return !profiler->is_idle && (profiler->unmanaged || (trace && trace->values));
}

/* Whether the runtime should report classes. */
static bool wants_classes(const struct profiler *profiler)
{
    return shows_values(profiler) && shapes_want_classes(profiler->shapes);
}

/* `traced` is the flags of the hooks, 0 without. */
static HRESULT set_mask(struct profiler *profiler, ULONG traced)
{
    ULONG mask = traced != 0
                     ? traced
                     : MONITOR_JIT_COMPILATION | MONITOR_CACHE_SEARCHES | MONITOR_MODULE_LOADS;
    mask |= wants_classes(profiler) ? MONITOR_CLASS_LOADS : 0;
    ULONG high = settings_explains_tail_calls(profiler->settings) ? HIGH_MONITOR_EVENT_PIPE : 0;
    return session_set_mask(profiler, mask, high);
}

/* Lines of the stock inspector are written here as well, so that all lines are in order and losses
 * are counted. */
static bool writes_values(const struct profiler *profiler)
{
    bool managed = !settings_trace(profiler->settings) &&
                   request_calls(settings_request(profiler->settings), false);
    return profiler->unmanaged || managed;
}

static void set_inspector_variables(const struct profiler *profiler, void *unknown)
{
    struct variables variables = {.count = 0};
    settings_add_variables(profiler->settings, &variables);
    variables_add(&variables, ENV_PROFILER, unmanaged_addresses());
    environment_set(unknown, &variables);
    variables_free(&variables);
}

static bool open_runtime(struct profiler *profiler, void *unknown)
{
    struct guid info3 = guid_of(ID_ICorProfilerInfo3);
    if (CALL(IUnknown, QueryInterface, unknown)(unknown, &info3, &profiler->info) < 0) {
        profiler->info = NULL;
        status_line("failed",
                    "the runtime is older than .NET Framework 4 and lacks ICorProfilerInfo3");
        return false;
    }
    runtime_open(&profiler->runtime, profiler->info);
    return true;
}

/* Opens the output for values that the profiler shows itself. */
static bool begin_values(struct profiler *profiler)
{
    struct settings *settings = profiler->settings;
    const struct choice_settings *choice = settings_choice(settings);
    const char *spool = settings_spool(settings);
    bool wanted = settings_wants_unmanaged(settings);
    bool alone = !settings_wants_others(settings);
    profiler->unmanaged = wanted &&
                          unmanaged_is_possible(profiler->info, &profiler->runtime, alone);
    if (wanted && !profiler->unmanaged && alone) {
        return false;
    }
    unmanaged_begin_watch();
    if (profiler->unmanaged) {
        choice_open(choice);
        cost_limit_open(choice->max_cost);
        shown_line_open((struct shown_beside){choice->time, choice->thread, choice->json,
                                              variable_is_on(ENV_ELAPSED),
                                              settings_values(settings)->limits.width});
    }
    if (profiler->unmanaged && choice->count) {
        value_counts_open(choice->json);
    }
    if (profiler->unmanaged && spool &&
        !value_spool_open(spool, settings_has_command(settings), &profiler->runtime)) {
        return false;
    }
    unmanaged_set_only_counts(variable_is_on(ENV_COUNT));
    unmanaged_set_values(settings_values(settings));
    unmanaged_set_activities(shapes_activities(profiler->shapes));
    unmanaged_set_rules(settings_request(settings)->rules);
    return true;
}

/* In this order, as each step uses those before. Callbacks see the watch when is_idle is cleared,
 * at the end; what fails before that leaves nothing to undo for them. */
bool session_begin_watch(struct profiler *profiler, struct settings *settings, const char *report)
{
    unsigned failures = memory_failures();
    profiler->by_reason = status_slot()->by_reason;
    profiler->settings = settings;
    profiler->shapes = profiler->settings
                           ? shapes_open(profiler->info, &profiler->runtime,
                                         settings_values(profiler->settings)->redaction)
                           : NULL;
    if (!profiler->shapes) {
        status_line("failed", "%s",
                    profiler->settings ? "out of memory"
                                       : "the options in " ENV_OPTIONS " cannot be used");
        return false;
    }
    if (profiler->runtime.folder) {
        settings_set_framework(profiler->settings, profiler->runtime.folder);
    }
    profiler->inspectors = inspectors_open(settings_request(profiler->settings));
    /* until they are found loaded; a trace calls none */
    atomic_store(&profiler->waits, !settings_trace(profiler->settings) &&
                                       request_calls(settings_request(profiler->settings), false));
    bool failed;
    profiler->ids = ids_open(settings_id_map(profiler->settings), &failed);
    if (failed) {
        status_line("failed", "the file of ids cannot be used");
        return false;
    }
    profiler->off_switches = off_switches_open(settings_request(profiler->settings), profiler->info,
                                               &profiler->runtime);
    if (!begin_values(profiler)) {
        return false;
    }
    if (writes_values(profiler)) {
        set_inspector_variables(profiler, profiler->info);
    }
    profiler->report = process_report_open(report, settings_request(profiler->settings),
                                           profiler->runtime.version_text);
    if (memory_failures() != failures || !profiler->inspectors) {
        status_line("failed", "out of memory");
        return false;
    }
    report_loaded(profiler);
    pthread_mutex_lock(&profiler->lock);
    profiler->is_idle = false;
    pthread_mutex_unlock(&profiler->lock);
    return true;
}

/* If a thread cannot be suspended, it may be anywhere: memory it may use is not freed. */
static void leave_watch(struct profiler *profiler)
{
    rejit_guard_clear(profiler);
    bool quiet = rejit_wait_for_threads(profiler);
    hooks_release(quiet);
    value_spool_release(quiet);
    if (quiet) {
        close_watch(profiler);
    } else {
        for (struct module *module = profiler->modules; module; module = module->next) {
            unmanaged_leave(module->unmanaged);
        }
        choice_close();
    }
    profiler->modules = NULL;
    profiler->shapes = NULL;
    profiler->ids = NULL;
    profiler->report = NULL;
    profiler->inspectors = NULL;
    profiler->settings = NULL;
    profiler->tracer = (struct ilpi_tracer){.enter = 0};
    profiler->left_modules.count = 0;
    profiler->left_modules.is_full = false;
    profiler->unmanaged = profiler->ended = profiler->is_ending = false;
}

/* New compilations use old bodies from is_idle on; then everything is reverted, and callers that
 * were not inlined are compiled again. Modules are reported as long as their images are read. The
 * process may end before this does: then the results are reported there. */
void session_end_watch(struct profiler *profiler)
{
    hooks_close();
    value_spool_close();
    pthread_mutex_lock(&profiler->lock);
    profiler->is_idle = profiler->is_ending = true;
    pthread_mutex_unlock(&profiler->lock);
    rejit_take_all_back(profiler);
    missed_inlines_stop(profiler->missed);
    rejit_request_missed(profiler);
    session_set_mask(profiler, MONITOR_MODULE_LOADS, 0);
    pthread_mutex_lock(&profiler->lock);
    session_report_end(profiler);
    leave_watch(profiler);
    pthread_mutex_unlock(&profiler->lock);
    session_set_mask(profiler, 0, 0);
}

void session_paint_lines(const struct profiler *profiler)
{
    shown_line_paint(color_is_wanted(settings_color(profiler->settings), output_file()));
}

/* What cannot be used ends the profiler and not the process: with CANCEL_ACTIVATION the runtime
 * continues without it, and reports nothing. */
static HRESULT STDCALL initialize(void *self, void *unknown)
{
    struct profiler *profiler = profiler_of(self);
    status_open(getenv(ENV_STATUS));
    messages_open();
    environment_hide(unknown);
    if (!open_runtime(profiler, unknown)) {
        return E_FAIL;
    }
    if (!session_begin_watch(profiler, settings_open(getenv(ENV_OPTIONS), true),
                             getenv(ENV_REPORT))) {
        return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
    }
    value_counts_begin(-1);
    if (writes_values(profiler)) {
        output_open(variable_output());
        session_paint_lines(profiler);
    }
    if (settings_trace(profiler->settings)) {
        hooks_answer(callback_functions(self));
    }
    HRESULT result = set_mask(profiler, hooks_prepare(profiler));
    if (result >= 0 && settings_trace(profiler->settings) &&
        !hooks_open(callback_functions(self))) {
        return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
    }
    if (result >= 0 && settings_explains_tail_calls(profiler->settings)) {
        profiler->tail_calls = tail_calls_open(unknown);
    }
    return result;
}

/* The rest follows when a command connects. The data is the path for that. */
static HRESULT STDCALL initialize_for_attach(void *self, void *unknown, void *bytes, ULONG size)
{
    struct profiler *profiler = profiler_of(self);
    struct guid info10 = guid_of(ID_ICorProfilerInfo10);
    const char *path = bytes;
    profiler->is_idle = true;
    hooks_answer(callback_functions(self));
    output_end();
    messages_open();
    if (!bytes || size < 2 || memchr(path, '\0', size) != path + size - 1 ||
        !open_runtime(profiler, unknown)) {
        return E_INVALIDARG;
    }
    if (CALL(IUnknown, QueryInterface, unknown)(unknown, &info10, &profiler->info10) < 0) {
        profiler->info10 = NULL;
        return E_FAIL;
    }
    profiler->attached = attached_listen(profiler, path);
    return profiler->attached
               ? CALL(ICorProfilerInfo, SetEventMask, profiler->info)(profiler->info, 0)
               : CORPROF_E_PROFILER_CANCEL_ACTIVATION;
}

/* Reports the results. Once, and without calls to the runtime. */
void session_report_end(struct profiler *profiler)
{
    if (profiler->ended) {
        return;
    }
    struct file_limit limit;
    file_limit_hold(&limit, false);
    status_counts(profiler->by_reason);
    off_switches_report(profiler);
    if (profiler->unmanaged) {
        choice_report_end();
        cost_limit_report();
        unmanaged_report_end();
    }
    for (struct module *module = profiler->modules; module; module = module->next) {
        process_report_module(profiler->report, module);
        ids_write(profiler->ids, module);
    }
    process_report_write(profiler->report);
    status_method_repeated();
    const char *missing = inspectors_missing(profiler->inspectors);
    if (missing) {
        status_line("missing", "%s", missing);
    }
    status_end();
    profiler->ended = true;
    file_limit_release(&limit);
}

/* The process ends, perhaps in the midst of the end of a watch. */
static void report_end_of_process(struct profiler *profiler)
{
    if (!profiler->is_idle || profiler->is_ending) {
        value_counts_write_all();
        session_report_end(profiler);
    }
}

static HRESULT STDCALL attach_complete(void *self)
{
    attached_serve(profiler_of(self)->attached);
    return S_OK;
}

static HRESULT STDCALL detach_succeeded(void *self)
{
    attached_wait(profiler_of(self)->attached);
    return S_OK;
}

/* Other threads may still run, so nothing is freed. */
static HRESULT STDCALL shut_down(void *self)
{
    struct profiler *profiler = profiler_of(self);
    hooks_close();
    value_spool_close();
    tail_calls_finish(profiler->tail_calls);
    pthread_mutex_lock(&profiler->lock);
    if (!profiler->is_idle) {
        bodies_write(profiler);
        output_flush(true);
    }
    report_end_of_process(profiler);
    pthread_mutex_unlock(&profiler->lock);
    attached_unlink(profiler->attached);
    return S_OK;
}

/* A process that native code ends by exit() is not shut down by its runtime, whose threads may
 * still run. */
__attribute__((destructor)) static void exit_without_shutdown(void)
{
    struct profiler *profiler = atomic_exchange(&current, NULL);
    if (profiler) {
        hooks_close();
        value_spool_close();
        output_flush(false);
        attached_unlink(profiler->attached);
    }
    if (profiler && pthread_mutex_trylock(&profiler->lock) == 0) {
        report_end_of_process(profiler);
        pthread_mutex_unlock(&profiler->lock);
    }
}

/* Start-up hooks run before Main, unless the program disables them. */
static HRESULT STDCALL module_load_finished(void *self, ModuleID id, HRESULT result)
{
    contract_callback("ModuleLoadFinished");
    struct profiler *profiler = profiler_of(self);
    if (result >= 0 && atomic_load(&profiler->waits) && module_completes_inspectors(profiler, id) &&
        atomic_exchange(&profiler->waits, false)) {
        status_line("inspector", "%ld", (long)process_own());
    }
    pthread_mutex_lock(&profiler->lock);
    if (result >= 0 && shows_values(profiler)) {
        module_comes(profiler, id);
    }
    pthread_mutex_unlock(&profiler->lock);
    if (profiler->info10 && result >= 0) {
        rejit_module(profiler, id);
    }
    return S_OK;
}

/* Before any use of the class. */
static HRESULT STDCALL class_load_finished(void *self, ClassID id, HRESULT result)
{
    contract_callback("ClassLoadFinished");
    struct profiler *profiler = profiler_of(self);
    pthread_mutex_lock(&profiler->lock);
    struct struct_layout *layout = result >= 0 && wants_classes(profiler)
                                       ? struct_layout_read(profiler->info, id)
                                       : NULL;
    if (layout) {
        shapes_class_comes(profiler->shapes, layout);
    }
    pthread_mutex_unlock(&profiler->lock);
    return S_OK;
}

/* `staying` before `lock`, here as everywhere. A watch that ends still has its modules. */
static HRESULT STDCALL module_unload_started(void *self, ModuleID id)
{
    struct profiler *profiler = profiler_of(self);
    pthread_mutex_lock(&profiler->staying);
    pthread_mutex_lock(&profiler->lock);
    off_switches_module_goes(id);
    module_forget(profiler, id);
    if (profiler->shapes) {
        shapes_module_goes(profiler->shapes, id);
    }
    unmanaged_leave_number(id);
    pthread_mutex_unlock(&profiler->lock);
    pthread_mutex_unlock(&profiler->staying);
    return S_OK;
}

/* A profiler that changes code is not a notification profiler. */
static HRESULT STDCALL load_as_notification_only(UNUSED void *self, BOOL *notification_only)
{
    *notification_only = 0;
    return S_OK;
}

/* Callbacks about methods are compile.c's; those of a trace are installed when it is requested
 * (hooks_open). */
void *callback_make(void)
{
    void *callback = callback_open(session_close);
    if (!callback) {
        return NULL;
    }
    struct callback_table *functions = callback_functions(callback);
    functions->Initialize = initialize;
    functions->Shutdown = shut_down;
    functions->InitializeForAttach = initialize_for_attach;
    functions->ProfilerAttachComplete = attach_complete;
    functions->ProfilerDetachSucceeded = detach_succeeded;
    functions->ModuleLoadFinished = module_load_finished;
    functions->ClassLoadFinished = class_load_finished;
    functions->ModuleUnloadStarted = module_unload_started;
    functions->LoadAsNotificationOnly = load_as_notification_only;
    compile_answer(functions);
    return callback;
}
