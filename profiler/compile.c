/* Methods on their way to native code:
 *
 *   JITCompilationStarted           the body is replaced before it is compiled
 *   JITCachedFunctionSearchStarted  native code of such a method, or with copies of it, is refused
 *   JITInlining                     nor is it inlined, where it could not be seen
 *   GetReJITParameters              the new body, in a process that was running already
 *
 * The others are about what the JIT makes of tail calls (tail/calls.h).
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "elt/contract.h"
#include "profiler/clr/callback.h"
#include "profiler/profiler.h"
#include "profiler/status.h"
#include "profiler/tail/calls.h"

/* What is known of a method: a copy, which stays right without the lock, for a method is decided
 * once. */
struct method_answer {
    ModuleID module;
    ilp_token token;
    const uint8_t *body; /* NULL: it stays as it is */
    bool has_map;
    bool is_recompiled; /* its body is given on request (GetReJITParameters) */
    bool native_is_right;
};

/* The record of a method of a module that is watched, and may be rewritten by now; NULL: there is
 * none. Under the lock. */
static const struct method *find(struct profiler *profiler, ModuleID id, ilp_token token,
                                 struct module **module)
{
    *module = profiler->is_idle ? NULL : module_find(profiler, id);
    bool waits = !*module || ((*module)->calls_assemblies && atomic_load(&profiler->waits));
    *module = waits ? NULL : *module;
    return waits ? NULL : method_find(profiler, *module, token);
}

/* A method, as the runtime names it. */
static struct method_answer look_up(struct profiler *profiler, FunctionID function,
                                    bool about_native)
{
    struct method_answer answer = {.native_is_right = true};
    struct module *module;
    ClassID class;
    void *info = profiler->info;
    HRESULT result = CALL(ICorProfilerInfo, GetFunctionInfo, info)(info, function, &class,
                                                                   &answer.module, &answer.token);
    if (result < 0) {
        return answer;
    }
    pthread_mutex_lock(&profiler->lock);
    const struct method *method = find(profiler, answer.module, answer.token, &module);
    if (method) {
        answer.body = method->body;
        answer.has_map = method->map_count != 0;
        answer.is_recompiled = module->is_recompiled;
    }
    if (about_native && module) {
        answer.native_is_right = native_code_is_right(profiler, module, answer.token);
    }
    pthread_mutex_unlock(&profiler->lock);
    return answer;
}

/* The map of a method, for debuggers and stack traces: a copy, which is the caller's. NULL: there
 * is none, or no memory. */
static struct cor_il_map *copy_map(const struct method *method)
{
    size_t size = method->map_count * sizeof *method->map;
    struct cor_il_map *map = size != 0 ? malloc(size) : NULL;
    if (map) {
        memcpy(map, method->map, size);
    }
    return map;
}

/* The runtime takes a map over and frees it. */
static void give_map(struct profiler *profiler, FunctionID function,
                     const struct method_answer *answer)
{
    struct module *module;
    pthread_mutex_lock(&profiler->lock);
    const struct method *method = find(profiler, answer->module, answer->token, &module);
    struct cor_il_map *map = method ? copy_map(method) : NULL;
    ULONG count = map ? method->map_count : 0;
    pthread_mutex_unlock(&profiler->lock);
    if (map) {
        CALL(ICorProfilerInfo, SetILInstrumentedCodeMap, profiler->info)
        (profiler->info, function, 1, count, map);
    }
}

static HRESULT STDCALL jit_compilation_started(void *self, FunctionID function,
                                               UNUSED BOOL safe_to_block)
{
    contract_callback("JITCompilationStarted");
    struct profiler *profiler = profiler_of(self);
    void *info = profiler->info;
    struct method_answer answer = look_up(profiler, function, false);
    if (answer.body && !answer.is_recompiled &&
        CALL(ICorProfilerInfo, SetILFunctionBody, info)(info, answer.module, answer.token,
                                                        answer.body) >= 0 &&
        answer.has_map) {
        give_map(profiler, function, &answer);
    }
    if (profiler->tail_calls) {
        tail_calls_method_begins(profiler, function);
    }
    return S_OK;
}

static HRESULT STDCALL dynamic_jit_started(void *self, FunctionID function,
                                           UNUSED BOOL safe_to_block, UNUSED const uint8_t *body,
                                           UNUSED ULONG size)
{
    if (profiler_of(self)->tail_calls) {
        tail_calls_dynamic_method_begins(function);
    }
    return S_OK;
}

static HRESULT STDCALL jit_finished(void *self, FunctionID function, UNUSED HRESULT result,
                                    UNUSED BOOL safe_to_block)
{
    if (profiler_of(self)->tail_calls) {
        tail_calls_method_ends(function);
    }
    return S_OK;
}

static HRESULT STDCALL event_delivered(void *self, uintptr_t provider, ULONG id,
                                       UNUSED ULONG version, UNUSED ULONG metadata_size,
                                       UNUSED const uint8_t *metadata, ULONG size,
                                       const uint8_t *payload, UNUSED const struct guid *activity,
                                       UNUSED const struct guid *related, UNUSED ThreadID thread,
                                       UNUSED ULONG frames, UNUSED uintptr_t *stack)
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

static HRESULT STDCALL jit_inlining(void *self, UNUSED FunctionID caller, FunctionID callee,
                                    BOOL *should_inline)
{
    *should_inline = !look_up(profiler_of(self), callee, false).body;
    return S_OK;
}

/* A method whose IL stays gets none, and is compiled from what it has. The runtime copies both. */
static HRESULT STDCALL rejit_parameters(void *self, ModuleID id, ilp_token token, void *control)
{
    struct profiler *profiler = profiler_of(self);
    struct module *module;
    uint8_t *body = NULL;
    ULONG size = 0;
    pthread_mutex_lock(&profiler->lock);
    const struct method *method = find(profiler, id, token, &module);
    struct cor_il_map *map = method ? copy_map(method) : NULL;
    ULONG count = map ? method->map_count : 0;
    if (method && method->body && (body = new_items(method->size, 1)) != NULL) {
        size = method->size;
        memcpy(body, method->body, size);
    }
    if (!profiler->is_idle) {
        rejit_note(profiler, id, token);
    }
    pthread_mutex_unlock(&profiler->lock);
    HRESULT result = S_OK;
    if (body && map) {
        CALL(ICorProfilerFunctionControl, SetILInstrumentedCodeMap, control)(control, count, map);
    }
    if (body) {
        result = CALL(ICorProfilerFunctionControl, SetILFunctionBody, control)(control, size, body);
    }
    free(map);
    free(body);
    return result;
}

static HRESULT STDCALL rejit_error(void *self, ModuleID id, ilp_token token,
                                   UNUSED FunctionID function, HRESULT result)
{
    struct profiler *profiler = profiler_of(self);
    pthread_mutex_lock(&profiler->lock);
    const struct module *module = profiler->is_idle ? NULL : module_find(profiler, id);
    status_line("method", "%08X %s: the runtime answers 0x%08X when it shall be compiled anew",
                token, module ? module->path : "", (unsigned)result);
    pthread_mutex_unlock(&profiler->lock);
    return S_OK;
}

void compile_answer(struct callback_table *functions)
{
    functions->JITCompilationStarted = jit_compilation_started;
    functions->JITCachedFunctionSearchStarted = cache_search_started;
    functions->JITCachedFunctionSearchFinished = cache_search_finished;
    functions->JITCompilationFinished = jit_finished;
    functions->DynamicMethodJITCompilationStarted = dynamic_jit_started;
    functions->DynamicMethodJITCompilationFinished = jit_finished;
    functions->EventPipeEventDelivered = event_delivered;
    functions->JITInlining = jit_inlining;
    functions->GetReJITParameters = rejit_parameters;
    functions->ReJITError = rejit_error;
}
