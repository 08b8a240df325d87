/* Callbacks about the compilation of methods:
 *
 *   JITCompilationStarted           the body is replaced before it is compiled
 *   JITCachedFunctionSearchStarted  native code of such a method, or that inlined it, is rejected
 *   JITInlining                     it is not inlined, since its calls would not be seen
 *   GetReJITParameters              the new body, in an attached process
 *   JITCompilationFinished,         it was compiled (compilations.h)
 *   ReJITCompilationStarted, -Finished
 *
 * Others are about the JIT's verdicts on tail calls (tail/calls.h). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "elt/contract.h"
#include "profiler/clr/callback.h"
#include "profiler/clr/missed_inlines.h"
#include "profiler/clr/rejit_guard.h"
#include "profiler/compile_stack.h"
#include "profiler/hooks/methods.h"
#include "profiler/profiler.h"
#include "profiler/status.h"
#include "profiler/tail/calls.h"

/* The runtime's questions about a method. */
enum question { ABOUT_BODY, ABOUT_NATIVE, IT_BEGINS, IT_BEGINS_AGAIN /* by ReJIT */ };

/* A method as the runtime names it, with a copy of its facts, which stays valid without the lock: a
 * method is decided once; it may only be given up later. */
struct method_answer {
    FunctionID function; /* 0: unknown */
    ModuleID module;
    ilp_token token;
    const uint8_t *body; /* NULL: it is not rewritten */
    const uint8_t *old;  /* of a method that was given up, else NULL */
    bool has_map;
    bool is_recompiled; /* GetReJITParameters passes its body */
    bool native_is_right;
    bool has_failed; /* its last compilation failed */
};

/* Compilations of new bodies that began in this thread and have not ended: at 0, ends need no
 * look-up. A failed one stays counted. */
static _Thread_local unsigned begun;

static void note_beginning(struct profiler *profiler, struct module *module,
                           struct method_answer *answer, bool rejit)
{
    bool failed = !compilation_begins(&module->compilations, answer->function, rejit);
    const struct guarded_method guarded = {answer->module, answer->token, answer->function, failed,
                                           DEADLINE_NONE};
    begun++;
    answer->has_failed = failed;
    if (rejit) {
        rejit_guard_add(profiler, &guarded);
    } else if (failed) {
        method_give_up(profiler, module, answer->token);
    }
}

/* The record of a method of a watched module, which may be rewritten by now; NULL: none. Under the
 * lock. */
static struct method *find(struct profiler *profiler, ModuleID id, ilp_token token,
                           struct module **module)
{
    *module = profiler->is_idle ? NULL : module_find(profiler, id);
    bool waits = !*module || ((*module)->calls_assemblies && atomic_load(&profiler->waits));
    *module = waits ? NULL : *module;
    return waits ? NULL : method_find(profiler, *module, token);
}

/* All that a callback needs is copied under the lock; it is used after that, since the functions of
 * the runtime that it calls may wait for other threads. */
static void find_answer(struct profiler *profiler, struct method_answer *answer,
                        enum question question)
{
    struct module *module;
    pthread_mutex_lock(&profiler->lock);
    struct method *method = find(profiler, answer->module, answer->token, &module);
    /* for a method with ReJIT, other compilations are of its old body */
    bool begins = module && (question == IT_BEGINS_AGAIN ||
                             (question == IT_BEGINS && !module->is_recompiled));
    if (method && method->body && begins) {
        method->is_compiled |= question == IT_BEGINS_AGAIN || !module->is_recompiled;
        note_beginning(profiler, module, answer, question == IT_BEGINS_AGAIN);
    }
    if (method) {
        answer->body = method->body;
        answer->old = method->is_given_up ? method->old : NULL;
        answer->has_map = method->map_count != 0;
        answer->is_recompiled = module->is_recompiled;
    }
    if (question == ABOUT_NATIVE && module) {
        answer->native_is_right = native_code_is_right(profiler, module, answer->token);
    }
    pthread_mutex_unlock(&profiler->lock);
}

static struct method_answer look_up(struct profiler *profiler, FunctionID function,
                                    enum question question)
{
    struct method_answer answer = {.function = function, .native_is_right = true};
    ClassID class;
    void *info = profiler->info;
    HRESULT result = CALL(ICorProfilerInfo, GetFunctionInfo, info)(info, function, &class,
                                                                   &answer.module, &answer.token);
    if (result >= 0) {
        find_answer(profiler, &answer, question);
    }
    return answer;
}

/* Records a successful compilation. */
static void note_end(struct profiler *profiler, FunctionID function, bool rejit)
{
    ModuleID id;
    ilp_token token;
    ClassID class;
    void *info = profiler->info;
    if (begun == 0 ||
        CALL(ICorProfilerInfo, GetFunctionInfo, info)(info, function, &class, &id, &token) < 0) {
        return;
    }
    pthread_mutex_lock(&profiler->lock);
    struct module *module = profiler->is_idle ? NULL : module_find(profiler, id);
    if (module && compilation_ends(&module->compilations, function, rejit)) {
        begun--;
    }
    pthread_mutex_unlock(&profiler->lock);
}

/* A copy of a method's map, for debuggers and stack traces, owned by the caller. NULL: none, or no
 * memory. */
static struct cor_il_map *copy_map(const struct method *method)
{
    size_t size = method->map_count * sizeof *method->map;
    struct cor_il_map *map = size != 0 ? malloc(size) : NULL;
    if (map) {
        memcpy(map, method->map, size);
    }
    return map;
}

/* The runtime takes over a map and frees it. An empty one replaces that of a body that was given
 * up. */
static void give_map(struct profiler *profiler, const struct method_answer *answer)
{
    struct module *module;
    pthread_mutex_lock(&profiler->lock);
    const struct method *method = find(profiler, answer->module, answer->token, &module);
    struct cor_il_map *map = method && !answer->old ? copy_map(method) : NULL;
    ULONG count = map ? method->map_count : 0;
    pthread_mutex_unlock(&profiler->lock);
    if (map || answer->old) {
        CALL(ICorProfilerInfo, SetILInstrumentedCodeMap, profiler->info)
        (profiler->info, answer->function, 1, count, map);
    }
}

/* In an attached process. */
static void note_compiled(struct profiler *profiler, const struct method_answer *answer, bool rejit)
{
    if (profiler->missed) {
        compile_stack_push(&(struct compiled_method){.function = answer->function,
                                                     .module = answer->module,
                                                     .token = answer->token,
                                                     .is_rejit = rejit});
    }
}

/* The runtime compiles what SetILFunctionBody has set; for code that is compiled again with ReJIT
 * the body is given in GetReJITParameters instead. */
static HRESULT STDCALL jit_compilation_started(void *self, FunctionID function,
                                               UNUSED BOOL safe_to_block)
{
    contract_callback("JITCompilationStarted");
    struct profiler *profiler = profiler_of(self);
    void *info = profiler->info;
    struct method_answer answer = look_up(profiler, function, IT_BEGINS);
    const uint8_t *body = answer.old ? answer.old : answer.body;
    if (body && !answer.is_recompiled &&
        CALL(ICorProfilerInfo, SetILFunctionBody, info)(info, answer.module, answer.token, body) >=
            0) {
        if (answer.has_map || answer.old) {
            give_map(profiler, &answer);
        }
        if (profiler_traces_il(profiler)) {
            hooks_map(function);
        }
    }
    if (profiler->tail_calls) {
        tail_calls_method_begins(profiler, function);
    }
    note_compiled(profiler, &answer, false);
    return S_OK;
}

static HRESULT STDCALL dynamic_jit_started(void *self, FunctionID function,
                                           UNUSED BOOL safe_to_block, UNUSED const uint8_t *body,
                                           UNUSED ULONG size)
{
    if (profiler_of(self)->tail_calls) {
        tail_calls_dynamic_method_begins(function);
    }
    note_compiled(profiler_of(self), &(struct method_answer){.function = function}, false);
    return S_OK;
}

static HRESULT STDCALL jit_finished(void *self, FunctionID function, HRESULT result,
                                    UNUSED BOOL safe_to_block)
{
    if (result >= 0) {
        note_end(profiler_of(self), function, false);
    }
    compile_stack_pop(function);
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
    } else if (profiler->missed) {
        missed_inlines_event(profiler, provider, id, (struct ilp_bytes){payload, size});
    }
    return S_OK;
}

static HRESULT STDCALL cache_search_started(void *self, FunctionID function, BOOL *use_cached)
{
    *use_cached = look_up(profiler_of(self), function, ABOUT_NATIVE).native_is_right;
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
    *should_inline = !look_up(profiler_of(self), callee, ABOUT_BODY).body;
    return S_OK;
}

/* A method whose IL is unchanged gets none, and is compiled from what it has. The runtime copies
 * both. */
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

/* This call is lost, since the runtime compiles the body it already has; later calls are not. */
static HRESULT STDCALL rejit_started(void *self, FunctionID function, UNUSED ReJITID id,
                                     BOOL safe_to_block)
{
    struct profiler *profiler = profiler_of(self);
    struct method_answer answer = look_up(profiler, function, IT_BEGINS_AGAIN);
    if (answer.has_failed && safe_to_block) {
        rejit_guard_wait(profiler, answer.module, answer.token);
    }
    if (profiler_traces_il(profiler)) {
        hooks_map(function);
    }
    note_compiled(profiler, &answer, true);
    return S_OK;
}

static HRESULT STDCALL rejit_finished(void *self, FunctionID function, UNUSED ReJITID id,
                                      HRESULT result, UNUSED BOOL safe_to_block)
{
    if (result >= 0) {
        note_end(profiler_of(self), function, true);
    }
    compile_stack_pop(function);
    return S_OK;
}

static HRESULT STDCALL rejit_error(void *self, ModuleID id, ilp_token token,
                                   UNUSED FunctionID function, HRESULT result)
{
    struct profiler *profiler = profiler_of(self);
    pthread_mutex_lock(&profiler->lock);
    const struct module *module = profiler->is_idle ? NULL : module_find(profiler, id);
    status_line("method", "%08X %s: cannot recompile: the runtime returns 0x%08X", token,
                module ? module->path : "", (unsigned)result);
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
    functions->ReJITCompilationStarted = rejit_started;
    functions->ReJITCompilationFinished = rejit_finished;
    functions->ReJITError = rejit_error;
}
