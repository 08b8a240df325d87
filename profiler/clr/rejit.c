/* Recompiles methods that run already (ReJIT). In a running process native code can no longer be
 * rejected, so ReJIT is requested at once for everything that would have been rejected: inspected
 * methods, and methods whose precompiled code has inlined them, loaded or not. The runtime knows
 * what the JIT itself has inlined.
 *
 * The runtime compiles a requested method at its next call, and then queries its body
 * (GetReJITParameters). Calls in progress finish in the old code. With REJIT_INLINING_CALLBACKS it
 * also queries inliners; otherwise a requested method that has inlined another one would be
 * compiled from its old IL (.NET 10.0.12). */
#include <stdlib.h>

#include "profiler/profiler.h"
#include "profiler/settings.h"
#include "profiler/status.h"
#include "profiler/clr/missed_inlines.h"
#include "host/deadline.h"
#include "host/process.h"
#include "host/profiler_environment.h"

/* Two arrays of one length, as the runtime takes them. Owned by who has made it. */
struct request_list {
    ModuleID *modules;
    ilp_token *methods;
    ULONG count;
};

/* Decides about every method of a module. Only decisions are made under the lock; the runtime is
 * called afterwards. */
static struct request_list collect(struct profiler *profiler, ModuleID id)
{
    struct request_list list = {.count = 0};
    pthread_mutex_lock(&profiler->lock);
    struct module *module = profiler->is_idle ? NULL : module_find(profiler, id);
    if (module) {
        list.modules = new_items((size_t)module->method_count + 1, sizeof *list.modules);
        list.methods = new_items((size_t)module->method_count + 1, sizeof *list.methods);
    }
    if (module && (!list.modules || !list.methods)) {
        status_line("failed", "out of memory: methods of %s are not recompiled", module->path);
    }
    for (ilp_rid rid = 1; list.modules && list.methods && rid <= module->method_count; rid++) {
        ilp_token token = ILP_TOKEN(ILP_MethodDef, rid);
        if (!native_code_is_right(profiler, module, token)) {
            list.modules[list.count] = id;
            list.methods[list.count++] = token;
            rejit_note(profiler, id, token);
        }
    }
    pthread_mutex_unlock(&profiler->lock);
    return list;
}

/* ---- reverting ---- */

/* Both lists have `room` elements; one that could not grow keeps the other consistent, since `room`
 * is set last. */
void rejit_note(struct profiler *profiler, ModuleID id, ilp_token method)
{
    struct recompiled *all = &profiler->recompiled;
    if (all->count == all->room) {
        ULONG room = all->room != 0 ? 2 * all->room : 1024;
        ModuleID *modules = grow_items(all->modules, room, sizeof *modules);
        all->modules = modules ? modules : all->modules;
        ilp_token *methods = modules ? grow_items(all->methods, room, sizeof *methods) : NULL;
        all->methods = methods ? methods : all->methods;
        if (!methods) {
            all->incomplete = true;
            return;
        }
        all->room = room;
    }
    all->modules[all->count] = id;
    all->methods[all->count++] = method;
}

/* Statuses of single methods are ignored: they were not compiled again, or are not any more. */
static void revert(struct profiler *profiler, ULONG count, ModuleID *modules, ilp_token *methods)
{
    if (count == 0) {
        return;
    }
    HRESULT *answers = new_items((size_t)count + 1, sizeof *answers);
    HRESULT result = answers ? CALL(ICorProfilerInfo4, RequestRevert, profiler->info10)(
                                   profiler->info10, count, modules, methods, answers)
                             : E_FAIL;
    if (result < 0) {
        status_line("message",
                    "%u methods keep the code that they have: the runtime returns 0x%08X", count,
                    (unsigned)result);
    }
    free(answers);
}

/* With the original IL, for good: the runtime then gets no other one. */
static void request_again(struct profiler *profiler, struct request_list list)
{
    HRESULT result = list.count != 0 ? CALL(ICorProfilerInfo4, RequestReJIT, profiler->info10)(
                                           profiler->info10, list.count, list.modules, list.methods)
                                     : S_OK;
    if (result < 0) {
        status_line("message",
                    "%u methods keep calls of methods that the JIT inlined before: the runtime "
                    "returns 0x%08X",
                    list.count, (unsigned)result);
    }
}

/* Moves those that can be reverted to the front and returns their number: the old code of the
 * others calls methods that were watched. */
static ULONG sort_out(struct profiler *profiler, struct request_list list)
{
    ULONG left = 0;
    pthread_mutex_lock(&profiler->lock);
    for (ULONG i = 0; i < list.count; i++) {
        const ModuleID module = list.modules[i];
        const ilp_token method = list.methods[i];
        if (!missed_inlines_claim(profiler->missed, module, method)) {
            list.modules[i] = list.modules[left];
            list.methods[i] = list.methods[left];
            list.modules[left] = module;
            list.methods[left++] = method;
        }
    }
    pthread_mutex_unlock(&profiler->lock);
    return left;
}

/* For methods that are given up one by one. */
void rejit_take_back(struct profiler *profiler, ULONG count, ModuleID *modules, ilp_token *methods)
{
    pthread_mutex_lock(&profiler->staying);
    ULONG left = sort_out(profiler, (struct request_list){modules, methods, count});
    revert(profiler, left, modules, methods);
    request_again(profiler, (struct request_list){modules + left, methods + left, count - left});
    pthread_mutex_unlock(&profiler->staying);
}

/* `staying` keeps modules from being unloaded between the list and the request; the profiler's lock
 * is not held during requests, which may wait for threads in callbacks. */
void rejit_take_all_back(struct profiler *profiler)
{
    pthread_mutex_lock(&profiler->staying);
    pthread_mutex_lock(&profiler->lock);
    struct recompiled all = profiler->recompiled;
    profiler->recompiled = (struct recompiled){.count = 0};
    pthread_mutex_unlock(&profiler->lock);
    ULONG left = sort_out(profiler, (struct request_list){all.modules, all.methods, all.count});
    revert(profiler, left, all.modules, all.methods);
    if (all.incomplete) {
        status_line("message", "out of memory: some methods keep the code that they have");
    }
    pthread_mutex_unlock(&profiler->staying);
    free(all.modules);
    free(all.methods);
}

/* At the end of a watch: what was compiled meanwhile has calls where the JIT would have inlined. */
void rejit_request_missed(struct profiler *profiler)
{
    struct request_list due = {.count = 0};
    if (!profiler->missed) {
        return;
    }
    pthread_mutex_lock(&profiler->staying);
    pthread_mutex_lock(&profiler->lock);
    missed_inlines_take(profiler->missed, &due.modules, &due.methods, &due.count);
    unsigned kept = missed_inlines_take_kept(profiler->missed);
    pthread_mutex_unlock(&profiler->lock);
    request_again(profiler, due);
    pthread_mutex_unlock(&profiler->staying);
    free(due.modules);
    free(due.methods);
    if (kept != 0) {
        status_line("message",
                    "%u method%s compiled while methods were watched and cannot be compiled again: "
                    "what they call of these stays a call where the JIT would inline it",
                    kept, kept == 1 ? " was" : "s were");
    }
}

/* A garbage collection would wait for them as well: to the runtime they are managed code. During
 * one it refuses. SuspendRuntime returns when no thread is in managed code any more, so after it
 * none is between reading and calling what is about to be freed. */
bool rejit_wait_for_threads(struct profiler *profiler)
{
    enum { STOP_PATIENCE = 10000, PACE = 1 /* ms */ };
    const struct deadline until = deadline_after(STOP_PATIENCE);
    void *info = profiler->info10;
    HRESULT result;
    while ((result = CALL(ICorProfilerInfo10, SuspendRuntime, info)(info)) < 0 &&
           deadline_left(until) != 0) {
        process_pause(PACE);
    }
    if (result >= 0) {
        CALL(ICorProfilerInfo10, ResumeRuntime, info)(info);
    }
    return result >= 0;
}

/* ---- a module ---- */

/* Methods of collectible modules are not requested; they are seen when they are compiled. Without
 * its inspectors the watch does not start. `staying` must be held, because of the runtime: it first
 * collects inliners, including methods of collectible modules, and accesses them after it has
 * collected all (crashes of .NET 10.0.12). */
static void request(struct profiler *profiler, ModuleID id)
{
    if (atomic_load(&profiler->waits) || module_is_collectible(profiler, id)) {
        return;
    }
    struct request_list list = collect(profiler, id);
    if (list.count != 0) {
        HRESULT result = CALL(ICorProfilerInfo10, RequestReJITWithInliners, profiler->info10)(
            profiler->info10, REJIT_BLOCK_INLINING | REJIT_INLINING_CALLBACKS, list.count,
            list.modules, list.methods);
        if (result < 0) {
            status_line("failed", "cannot recompile %u methods: the runtime returns 0x%08X",
                        list.count, (unsigned)result);
        }
    }
    free(list.modules);
    free(list.methods);
}

static void begin_requests(struct profiler *profiler)
{
    atomic_fetch_add(&profiler->requests, 1);
    pthread_mutex_lock(&profiler->staying);
}

static void end_requests(struct profiler *profiler)
{
    pthread_mutex_unlock(&profiler->staying);
    atomic_fetch_sub(&profiler->requests, 1);
}

/* For a module that is loaded while a watch is on. */
void rejit_module(struct profiler *profiler, ModuleID id)
{
    begin_requests(profiler);
    request(profiler, id);
    end_requests(profiler);
}

/* All modules are looked at, though one may complete them: each is noted. */
static bool has_inspectors(struct profiler *profiler, const ModuleID *ids, ULONG count)
{
    bool complete = false;
    for (ULONG i = 0; i < count; i++) {
        complete = module_completes_inspectors(profiler, ids[i]) || complete;
    }
    return complete;
}

/* The loaded modules; none is unloaded while `staying` is held and the runtime reports modules: one
 * that it does not report may be freed at any moment. */
static ModuleID *enumerate(struct profiler *profiler, ULONG *count)
{
    void *modules = NULL;
    ULONG all = 0;
    *count = 0;
    if (CALL(ICorProfilerInfo3, EnumModules, profiler->info)(profiler->info, &modules) < 0) {
        return NULL;
    }
    CALL(ICorProfilerModuleEnum, GetCount, modules)(modules, &all);
    ModuleID *ids = new_items((size_t)all + 1, sizeof *ids);
    if (ids) {
        CALL(ICorProfilerModuleEnum, Next, modules)(modules, all, ids, count);
    }
    CALL(IUnknown, Release, modules)(modules);
    *count = *count < all ? *count : all;
    return ids;
}

static void report_missing(struct profiler *profiler)
{
    pthread_mutex_lock(&profiler->lock);
    const char *missing = inspectors_missing(profiler->inspectors);
    pthread_mutex_unlock(&profiler->lock);
    if (missing) {
        status_line("failed",
                    "the inspector %s was not loaded: another assembly of its name may be in the "
                    "program",
                    missing);
    } else {
        status_line("failed",
                    "the inspector was not loaded: start-up hooks are switched off in the program"
                    " (StartupHookSupport); --inspector unmanaged needs none");
    }
}

/* Inspectors must be loaded before a method that calls them can be compiled; and the runtime may
 * have loaded them earlier. */
bool rejit_is_possible(struct profiler *profiler)
{
    ULONG got;
    bool found = !request_calls(settings_request(profiler->settings), false);
    if (!found) {
        ModuleID *ids = enumerate(profiler, &got);
        found = has_inspectors(profiler, ids, got);
        free(ids);
    }
    if (!found) {
        report_missing(profiler);
    }
    atomic_store(&profiler->waits, !found);
    return found;
}

/* Shapes get all modules first, then methods are requested: a requested method may be compiled at
 * once, by any thread. */
void rejit_modules(struct profiler *profiler)
{
    ULONG got;
    begin_requests(profiler);
    ModuleID *ids = enumerate(profiler, &got);
    if (!ids) {
        status_line("failed", "cannot list the runtime's modules");
    }
    pthread_mutex_lock(&profiler->lock);
    unmanaged_keep_numbers(ids, got);
    for (ULONG i = 0; i < got && profiler->unmanaged; i++) {
        module_comes(profiler, ids[i]);
    }
    pthread_mutex_unlock(&profiler->lock);
    for (ULONG i = 0; i < got; i++) {
        request(profiler, ids[i]);
    }
    end_requests(profiler);
    free(ids);
}
