/* What the runtime tells of, and what is made of it:
 *
 *   Initialize                      says what is to be told
 *   ModuleLoadFinished              waits for the inspector
 *   JITCompilationStarted           the body is replaced before it is compiled
 *   JITCachedFunctionSearchStarted  native code of such a method, or with copies of it, is refused
 *   JITInlining                     nor is it inlined, where it could not be seen
 *   ModuleUnloadStarted             the module's record goes
 *
 * and, in a process that was running already:
 *
 *   InitializeForAttach             says what is to be told
 *   ProfilerAttachComplete          what has been loaded is compiled anew,
 *   ModuleLoadFinished              and what has native code that cannot be refused
 *   GetReJITParameters              the new body
 *
 * Everything else is answered S_OK, in functions of the right shape: where the callee takes arguments off the stack, one
 * for all would not do.
 */
#include "profiler/callback.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elt/contract.h"
#include "profiler/bodies.h"
#include "profiler/hooks.h"
#include "profiler/output.h"
#include "profiler/settings.h"
#include "profiler/status.h"
#include "profiler/tail_calls.h"
#include "profiler_environment.h"

struct callback {
    const struct callback_table *table;
    struct callback_table functions;
    atomic_uint references;
    struct profiler profiler;
};

#define UNUSED __attribute__((unused))
#define ARGS0
#define ARGS1(a) , UNUSED a a_
#define ARGS2(a, b) ARGS1(a), UNUSED b b_
#define ARGS3(a, b, c) ARGS2(a, b), UNUSED c c_
#define ARGS4(a, b, c, d) ARGS3(a, b, c), UNUSED d d_
#define ARGS5(a, b, c, d, e) ARGS4(a, b, c, d), UNUSED e e_
#define ARGS12(a, b, c, d, e, f, g, h, i, j, k, l) \
    ARGS5(a, b, c, d, e), UNUSED f f_, UNUSED g g_, UNUSED h h_, UNUSED i i_, UNUSED j j_, UNUSED k k_, UNUSED l l_

#define CALLBACK(slot, version, name, args)             \
    static HRESULT STDCALL ignore_##name(UNUSED void *self args) \
    {                                                   \
        contract_callback(#name);                       \
        return S_OK;                                    \
    }
#include "profiler/corprof.def"

/* ---- IUnknown ---- */

static HRESULT STDCALL query_interface(void *self, const struct guid *id, void **out)
{
    struct callback *callback = self;
    bool known = false;
    for (unsigned i = ID_ICorProfilerCallback; i <= ID_ICorProfilerCallback11 && !known; i++) {
        known = guid_is(id, i);
    }
    *out = known || guid_is(id, ID_IUnknown) ? self : NULL;
    if (!*out) {
        return E_NOINTERFACE;
    }
    atomic_fetch_add(&callback->references, 1);
    return S_OK;
}

static ULONG STDCALL add_ref(void *self)
{
    return atomic_fetch_add(&((struct callback *)self)->references, 1) + 1;
}

/* The profiler of this process, once it works. */
static _Atomic(struct profiler *) current;

/* All that is not the runtime's: bodies, which compiled code uses, are. */
static void close_profiler(struct profiler *profiler)
{
    atomic_store(&current, NULL);
    tail_calls_close(profiler->tail_calls);
    while (profiler->modules) {
        module_forget(profiler, profiler->modules->id);
    }
    process_report_close(profiler->report);
    if (profiler->settings) {
        settings_close(profiler->settings);
    }
    if (profiler->info10) {
        CALL(IUnknown, Release, profiler->info10)(profiler->info10);
    }
    if (profiler->info) {
        CALL(IUnknown, Release, profiler->info)(profiler->info);
    }
    free(profiler->frameworks);
    free(profiler->program);
    pthread_mutex_destroy(&profiler->lock);
}

static ULONG STDCALL release(void *self)
{
    struct callback *callback = self;
    unsigned left = atomic_fetch_sub(&callback->references, 1) - 1;
    if (left == 0) {
        close_profiler(&callback->profiler);
        free(callback);
    }
    return left;
}

/* ---- from start to end ---- */

static struct profiler *profiler_of(void *self)
{
    return &((struct callback *)self)->profiler;
}

static void tell_loaded(struct profiler *profiler)
{
    void *info = profiler->info;
    uint16_t instance, version[4] = {0};
    int kind;
    ULONG length = 0;
    CALL(ICorProfilerInfo3, GetRuntimeInformation, info)(info, &instance, &kind, &version[0], &version[1],
                                                         &version[2], &version[3], 0, &length, NULL);
    snprintf(profiler->runtime, sizeof profiler->runtime, "%u.%u.%u", version[0], version[1], version[2]);
    status_line("loaded", "%s %ld", profiler->runtime, (long)getpid());
    profiler->report = process_report_open(settings_request(profiler->settings), profiler->runtime);
    atomic_store(&current, profiler);
}

/* `traced` is what hooks need, 0 without any. The second half of the mask is newer than what else is needed. */
static HRESULT set_mask(struct profiler *profiler, ULONG traced)
{
    ULONG mask = traced != 0 ? traced : MONITOR_JIT_COMPILATION | MONITOR_CACHE_SEARCHES | MONITOR_MODULE_LOADS;
    ULONG high = settings_explains_tail_calls(profiler->settings) ? HIGH_MONITOR_EVENT_PIPE : 0;
    struct guid id = guid_of(ID_ICorProfilerInfo5);
    void *info5;
    if (high != 0 && CALL(IUnknown, QueryInterface, profiler->info)(profiler->info, &id, &info5) >= 0) {
        HRESULT result = CALL(ICorProfilerInfo5, SetEventMask2, info5)(info5, mask, high);
        CALL(IUnknown, Release, info5)(info5);
        return result;
    }
    return CALL(ICorProfilerInfo, SetEventMask, profiler->info)(profiler->info, mask);
}

/* In a process that was running already, the stock inspector cannot have met the profiler: then only one of the two shows
 * values. */
static bool may_show_values(const struct profiler *profiler)
{
    const struct request *request = settings_request(profiler->settings);
    bool managed = false;
    for (size_t i = 0; i < request->companion_count; i++) {
        managed = managed || !request->companions[i].native;
    }
    return settings_wants_unmanaged(profiler->settings) && !(profiler->info10 && managed);
}

static HRESULT begin(struct profiler *profiler, void *unknown, const char *options, const char *output)
{
    struct guid info3 = guid_of(ID_ICorProfilerInfo3);
    if (CALL(IUnknown, QueryInterface, unknown)(unknown, &info3, &profiler->info) < 0) {
        profiler->info = NULL;
        status_line("failed", "the runtime is older than .NET Framework 4 and lacks ICorProfilerInfo3");
        return E_FAIL;
    }
    profiler->settings = settings_open(options);
    if (!profiler->settings) {
        status_line("failed", "the options in " ENV_OPTIONS " cannot be used");
        return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
    }
    bool failed;
    profiler->ids = ids_open(settings_id_map(profiler->settings), &failed);
    if (failed) {
        status_line("failed", "the file of ids cannot be used");
        return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
    }
    if (may_show_values(profiler)) {
        profiler->unmanaged = unmanaged_is_possible(profiler->info);
        output_open(output);
        environment_tell(unknown, ENV_PROFILER, unmanaged_addresses());
    }
    tell_loaded(profiler);
    return S_OK;
}

static HRESULT STDCALL initialize(void *self, void *unknown)
{
    struct profiler *profiler = profiler_of(self);
    status_open(getenv(ENV_STATUS));
    atomic_store(&profiler->waits, variables_have_inspector());
    environment_hide(unknown);
    HRESULT result = begin(profiler, unknown, getenv(ENV_OPTIONS), getenv(ENV_OUTPUT));
    if (result < 0) {
        return result;
    }
    result = set_mask(profiler, hooks_mask(profiler));
    if (result >= 0 && settings_trace(profiler->settings) && !hooks_open(&((struct callback *)self)->functions)) {
        return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
    }
    if (result >= 0 && settings_explains_tail_calls(profiler->settings)) {
        profiler->tail_calls = tail_calls_open(unknown);
    }
    return result;
}

/* What `ilpatch attach` sends: texts with a NUL behind each. */
enum { DATA_STATUS, DATA_OUTPUT, DATA_OPTIONS, DATA_TEXTS };

static bool read_data(const char *data, size_t size, const char *texts[DATA_TEXTS])
{
    for (unsigned i = 0; i < DATA_TEXTS; i++) {
        size_t length = strnlen(data, size);
        if (length == size) {
            return false;
        }
        texts[i] = data;
        data += length + 1;
        size -= length + 1;
    }
    return size == 0;
}

static HRESULT STDCALL initialize_for_attach(void *self, void *unknown, void *data, ULONG size)
{
    struct profiler *profiler = profiler_of(self);
    struct guid info10 = guid_of(ID_ICorProfilerInfo10);
    const char *texts[DATA_TEXTS];
    if (!data || !read_data(data, size, texts)) {
        return E_INVALIDARG;
    }
    status_open(texts[DATA_STATUS]);
    atomic_store(&profiler->waits, true); /* until it is seen that the inspector is there */
    if (CALL(IUnknown, QueryInterface, unknown)(unknown, &info10, &profiler->info10) < 0) {
        profiler->info10 = NULL;
        status_line("failed", "the runtime is older than .NET Core 3.0 and compiles nothing anew");
        return E_FAIL;
    }
    HRESULT result = begin(profiler, unknown, texts[DATA_OPTIONS], texts[DATA_OUTPUT]);
    return result < 0 ? result
                      : CALL(ICorProfilerInfo, SetEventMask, profiler->info)(
                            profiler->info, MONITOR_JIT_COMPILATION | MONITOR_MODULE_LOADS | ENABLE_REJIT);
}

static void tell_counts(const struct profiler *profiler)
{
    for (unsigned reason = 0; reason < ILP_REASON_COUNT; reason++) {
        if (profiler->by_reason[reason] != 0) {
            status_line("count", "%s %u", ilp_reason_code(reason), profiler->by_reason[reason]);
        }
    }
}

/* What is known at the end. It is told once, and nothing is asked of the runtime for it. */
static void tell_end(struct profiler *profiler)
{
    if (profiler->ended) {
        return;
    }
    tell_counts(profiler);
    for (struct module *module = profiler->modules; module; module = module->next) {
        process_report_module(profiler->report, module);
        ids_write(profiler->ids, module);
    }
    process_report_write(profiler->report);
    status_line("ended", "%ld", (long)getpid());
    profiler->ended = true;
}

static HRESULT STDCALL attach_complete(void *self)
{
    struct profiler *profiler = profiler_of(self);
    rejit_modules(profiler);
    pthread_mutex_lock(&profiler->lock);
    tell_counts(profiler);
    pthread_mutex_unlock(&profiler->lock);
    return S_OK;
}

static HRESULT STDCALL shut_down(void *self)
{
    struct profiler *profiler = profiler_of(self);
    hooks_close();
    tail_calls_finish(profiler->tail_calls);
    pthread_mutex_lock(&profiler->lock);
    bodies_write(profiler);
    tell_end(profiler);
    pthread_mutex_unlock(&profiler->lock);
    return S_OK;
}

/* A process that native code ends by exit() is not shut down by its runtime, whose threads may still run. */
__attribute__((destructor)) static void exit_without_shutdown(void)
{
    struct profiler *profiler = atomic_exchange(&current, NULL);
    if (profiler) {
        hooks_close();
    }
    if (profiler && pthread_mutex_trylock(&profiler->lock) == 0) {
        tell_end(profiler);
        pthread_mutex_unlock(&profiler->lock);
    }
}

/* Start-up hooks are run before Main, unless the program switches them off. */
static HRESULT STDCALL module_load_finished(void *self, ModuleID id, HRESULT result)
{
    contract_callback("ModuleLoadFinished");
    struct profiler *profiler = profiler_of(self);
    if (result >= 0 && atomic_load(&profiler->waits) && module_is_named(profiler, id, INSPECTOR_FILE)) {
        atomic_store(&profiler->waits, false);
        status_line("inspector", "%ld", (long)getpid());
    }
    if (profiler->info10 && result >= 0) {
        rejit_module(profiler, id);
    }
    return S_OK;
}

static HRESULT STDCALL module_unload_started(void *self, ModuleID id)
{
    struct profiler *profiler = profiler_of(self);
    pthread_mutex_lock(&profiler->lock);
    module_forget(profiler, id);
    pthread_mutex_unlock(&profiler->lock);
    return S_OK;
}

/* ---- methods ---- */

/* What is known of a method: a copy, which stays right without the lock, for a method is decided once. Whether its native
 * code is right is said on request. */
static struct method find_answer(struct profiler *profiler, ModuleID id, ilp_token token, bool *native_is_right)
{
    struct method answer = {.body = NULL};
    pthread_mutex_lock(&profiler->lock);
    struct module *module = module_find(profiler, id);
    bool waits = module->calls_assemblies && atomic_load(&profiler->waits);
    const struct method *method = waits ? NULL : method_find(profiler, module, token);
    if (method) {
        answer = *method;
    }
    if (native_is_right) {
        *native_is_right = waits || native_code_is_right(profiler, module, token);
    }
    pthread_mutex_unlock(&profiler->lock);
    return answer;
}

/* A method, as the runtime names it. */
struct answer {
    ModuleID module;
    ilp_token token;
    struct method method;
    bool native_is_right;
};

static struct answer look_up(struct profiler *profiler, FunctionID function, bool about_native)
{
    struct answer answer = {.native_is_right = true};
    ClassID class;
    if (CALL(ICorProfilerInfo, GetFunctionInfo, profiler->info)(profiler->info, function, &class, &answer.module,
                                                                &answer.token) < 0) {
        return answer;
    }
    answer.method = find_answer(profiler, answer.module, answer.token, about_native ? &answer.native_is_right : NULL);
    return answer;
}

/* The runtime takes a map over and frees it. */
static struct cor_il_map *copy_map(const struct method *method)
{
    size_t size = method->map_count * sizeof *method->map;
    struct cor_il_map *map = malloc(size != 0 ? size : 1);
    return map ? memcpy(map, method->map, size) : NULL;
}

static HRESULT STDCALL jit_compilation_started(void *self, FunctionID function, UNUSED BOOL safe_to_block)
{
    contract_callback("JITCompilationStarted");
    struct profiler *profiler = profiler_of(self);
    void *info = profiler->info;
    struct answer answer = look_up(profiler, function, false);
    struct cor_il_map *map = answer.method.body ? copy_map(&answer.method) : NULL;
    if (map && CALL(ICorProfilerInfo, SetILFunctionBody, info)(info, answer.module, answer.token,
                                                               answer.method.body) >= 0) {
        CALL(ICorProfilerInfo, SetILInstrumentedCodeMap, info)(info, function, 1, answer.method.map_count, map);
    } else {
        free(map);
    }
    if (profiler->tail_calls) {
        tail_calls_method_begins(profiler, function);
    }
    return S_OK;
}

static HRESULT STDCALL dynamic_jit_started(void *self, FunctionID function, UNUSED BOOL safe_to_block,
                                           UNUSED const uint8_t *body, UNUSED ULONG size)
{
    if (profiler_of(self)->tail_calls) {
        tail_calls_dynamic_method_begins(function);
    }
    return S_OK;
}

static HRESULT STDCALL jit_finished(UNUSED void *self, FunctionID function, UNUSED HRESULT result,
                                    UNUSED BOOL safe_to_block)
{
    tail_calls_method_ends(function);
    return S_OK;
}

static HRESULT STDCALL event_delivered(void *self, uintptr_t provider, ULONG id, UNUSED ULONG version,
                                       UNUSED ULONG metadata_size, UNUSED const uint8_t *metadata, ULONG size,
                                       const uint8_t *payload, UNUSED const struct guid *activity,
                                       UNUSED const struct guid *related, UNUSED ThreadID thread, UNUSED ULONG frames,
                                       UNUSED uintptr_t *stack)
{
    struct profiler *profiler = profiler_of(self);
    if (profiler->tail_calls) {
        tail_calls_event(profiler, provider, id, (struct ilp_bytes){payload, size});
    }
    return S_OK;
}

static HRESULT STDCALL cache_search_started(void *self, FunctionID function, BOOL *use_cached)
{
    *use_cached = look_up(profiler_of(self), function, true).native_is_right;
    return S_OK;
}

static HRESULT STDCALL cache_search_finished(void *self, FunctionID function, int result)
{
    struct profiler *profiler = profiler_of(self);
    if (profiler->tail_calls && result == CACHED_FUNCTION_FOUND) {
        tail_calls_method_is_native(profiler, function);
    }
    return S_OK;
}

static HRESULT STDCALL jit_inlining(void *self, UNUSED FunctionID caller, FunctionID callee, BOOL *should_inline)
{
    *should_inline = !look_up(profiler_of(self), callee, false).method.body;
    return S_OK;
}

/* A method whose IL stays gets none, and is compiled from what it has. The runtime copies both. */
static HRESULT STDCALL rejit_parameters(void *self, ModuleID id, ilp_token token, void *control)
{
    struct method method = find_answer(profiler_of(self), id, token, NULL);
    if (!method.body) {
        return S_OK;
    }
    CALL(ICorProfilerFunctionControl, SetILInstrumentedCodeMap, control)(control, method.map_count, method.map);
    return CALL(ICorProfilerFunctionControl, SetILFunctionBody, control)(control, method.size, method.body);
}

static HRESULT STDCALL rejit_error(void *self, ModuleID id, ilp_token token, UNUSED FunctionID function, HRESULT result)
{
    struct profiler *profiler = profiler_of(self);
    pthread_mutex_lock(&profiler->lock);
    status_line("method", "%08X %s: the runtime answers 0x%08X when it shall be compiled anew", token,
                module_find(profiler, id)->path, (unsigned)result);
    pthread_mutex_unlock(&profiler->lock);
    return S_OK;
}

/* A profiler that changes code is not one that is only notified. */
static HRESULT STDCALL load_as_notification_only(UNUSED void *self, BOOL *notification_only)
{
    *notification_only = 0;
    return S_OK;
}

void *callback_make(void)
{
    struct callback *callback = calloc(1, sizeof *callback);
    if (!callback) {
        return NULL;
    }
    callback->functions = (struct callback_table){
        .QueryInterface = query_interface,
        .AddRef = add_ref,
        .Release = release,
#define CALLBACK(slot, version, name, args) .name = ignore_##name,
#include "profiler/corprof.def"
    };
    callback->functions.Initialize = initialize;
    callback->functions.Shutdown = shut_down;
    callback->functions.InitializeForAttach = initialize_for_attach;
    callback->functions.ProfilerAttachComplete = attach_complete;
    callback->functions.ModuleLoadFinished = module_load_finished;
    callback->functions.ModuleUnloadStarted = module_unload_started;
    callback->functions.JITCompilationStarted = jit_compilation_started;
    callback->functions.JITCachedFunctionSearchStarted = cache_search_started;
    callback->functions.JITCachedFunctionSearchFinished = cache_search_finished;
    callback->functions.JITCompilationFinished = jit_finished;
    callback->functions.DynamicMethodJITCompilationStarted = dynamic_jit_started;
    callback->functions.DynamicMethodJITCompilationFinished = jit_finished;
    callback->functions.EventPipeEventDelivered = event_delivered;
    callback->functions.JITInlining = jit_inlining;
    callback->functions.GetReJITParameters = rejit_parameters;
    callback->functions.ReJITError = rejit_error;
    callback->functions.LoadAsNotificationOnly = load_as_notification_only;
    callback->table = &callback->functions;
    atomic_init(&callback->references, 1);
    pthread_mutex_init(&callback->profiler.lock, NULL);
    return callback;
}
