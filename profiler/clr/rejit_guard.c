/* Detects failed ReJIT compilations: a list of methods with a deadline each, in a thread that waits
 * for the next one. See rejit_guard.h. A method that is compiled in time is removed from the list;
 * one that is not, or that fails, gets its old code back.
 *
 *   GetReJITParameters -> added --compiled--------------------------> removed
 *                           \--deadline, or compiled a second time--> in_work: reverted -> removed
 *
 * The runtime does not report that the JIT has refused a body: JITCompilationFinished does not
 * come. A call of such a method would fail each time, so the old code is better than no code. */
#include "profiler/clr/rejit_guard.h"

#include <stdlib.h>

#include "base/list.h"
#include "host/memory.h"
#include "host/process.h"
#include "host/profiler_environment.h"
#include "host/value_options.h"
#include "profiler/own_thread.h"
#include "profiler/profiler.h"
#include "profiler/status.h"

/* A compilation that takes longer counts as failed, or is reverted needlessly: on a machine that is
 * very busy. A failed one is found earlier if the method is called again. */
enum { COMPILED_WITHIN_MS = 10000, LONGEST_MS = 3600000, GUARD_LOOK_MS = 10 };

/* A caller of a failed method waits this long for its old code: that takes a millisecond, unless a
 * large assembly is being recompiled. */
enum { WAIT_MS = 2000, WAIT_LOOK_MS = 1 };

struct rejit_guard {
    pthread_cond_t begins; /* a method was added; with the profiler's lock, as the next one */
    pthread_cond_t fails;  /* a method has failed */
    struct ilpi_alloc alloc;
    ILPI_LIST(struct guarded_method) methods;
    uint32_t compiled_within;      /* ms */
    struct guarded_method in_work; /* is being reverted; its `method` is 0: none is */
};

void rejit_guard_add(struct profiler *profiler, const struct guarded_method *method)
{
    struct rejit_guard *guard = profiler->guard;
    struct guarded_method added = *method;
    if (!guard) {
        return;
    }
    added.due = deadline_after(guard->compiled_within);
    if (ILPI_LIST_ADD(&guard->alloc, &guard->methods, added, NULL) != ILP_OK) {
        memory_failed();
    }
    pthread_cond_signal(&guard->begins);
    if (method->has_failed) {
        pthread_cond_signal(&guard->fails);
    }
}

/* Removes a failed method from the list, as well as compiled ones. A method that loads an assembly
 * while it is compiled waits for the requests of that one, which is not its own time. Under the
 * lock. */
static bool take_failed(struct profiler *profiler, struct guarded_method *failed)
{
    struct rejit_guard *guard = profiler->guard;
    bool waits = atomic_load(&profiler->requests) != 0;
    size_t left = 0;
    bool found = false;
    for (size_t i = 0; i < guard->methods.count; i++) {
        struct guarded_method *method = &guard->methods.items[i];
        method->due = waits ? deadline_after(guard->compiled_within) : method->due;
        const struct module *module = module_find(profiler, method->module);
        if (!module || (!method->has_failed &&
                        compilation_has_ended(&module->compilations, method->function, true))) {
            continue;
        }
        if (!found && (method->has_failed || deadline_left(method->due) == 0)) {
            *failed = *method;
            found = true;
        } else {
            guard->methods.items[left++] = *method;
        }
    }
    guard->methods.count = left;
    return found;
}

/* Whether a failed method still waits for its revert. */
static bool waits_for_old_code(struct profiler *profiler, ModuleID module, ilp_token method)
{
    const struct rejit_guard *guard = profiler->guard;
    bool waits = false;
    pthread_mutex_lock(&profiler->lock);
    for (size_t i = 0; i < guard->methods.count && !waits; i++) {
        const struct guarded_method *item = &guard->methods.items[i];
        waits = item->has_failed && item->module == module && item->method == method;
    }
    waits = waits || (guard->in_work.module == module && guard->in_work.method == method);
    pthread_mutex_unlock(&profiler->lock);
    return waits;
}

/* For a thread that is about to call a method which has failed: a short wait is better than an
 * exception in the program. */
void rejit_guard_wait(struct profiler *profiler, ModuleID module, ilp_token method)
{
    const struct deadline until = deadline_after(WAIT_MS);
    while (profiler->guard && waits_for_old_code(profiler, module, method) &&
           deadline_left(until) != 0) {
        process_pause(WAIT_LOOK_MS);
    }
}

/* Waits until the next check is due, or a method has failed. Under the lock, which is released
 * meanwhile. */
static void pause_till_next(struct profiler *profiler)
{
    enum { BILLION = 1000000000 };
    const uint64_t until = deadline_after(GUARD_LOOK_MS).at;
    const struct timespec time = {(time_t)(until / BILLION), (long)(until % BILLION)};
    pthread_cond_timedwait(&profiler->guard->fails, &profiler->lock, &time);
}

/* The lock is released while the runtime is called, since reverting waits for other threads.
 * `in_work` is what others see meanwhile. */
static void *run(void *argument)
{
    struct profiler *profiler = argument;
    pthread_mutex_lock(&profiler->lock);
    for (;;) {
        struct guarded_method failed;
        while (profiler->guard->methods.count == 0) {
            pthread_cond_wait(&profiler->guard->begins, &profiler->lock);
        }
        bool found = take_failed(profiler, &failed);
        struct module *module = found ? module_find(profiler, failed.module) : NULL;
        if (module) {
            method_give_up(profiler, module, failed.method);
            profiler->guard->in_work = failed;
        }
        if (found) {
            pthread_mutex_unlock(&profiler->lock);
            rejit_take_back(profiler, 1, &failed.module, &failed.method);
            pthread_mutex_lock(&profiler->lock);
            profiler->guard->in_work.method = 0;
        } else {
            pause_till_next(profiler);
        }
    }
    return NULL;
}

/* When a watch ends, all methods are reverted anyway. */
void rejit_guard_clear(struct profiler *profiler)
{
    if (profiler->guard) {
        profiler->guard->methods.count = 0;
    }
}

/* For waits on the clock of deadlines. */
static void init_timed(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* The variable is for tests and slow machines. */
static uint32_t limit(void)
{
    const char *text = getenv(ENV_COMPILED_WITHIN);
    uint32_t given = text ? value_limit_read(text, 1, LONGEST_MS) : 0;
    return given != 0 ? given : COMPILED_WITHIN_MS;
}

/* The thread is started with the first watch and stays. */
void rejit_guard_open(struct profiler *profiler)
{
    if (profiler->guard) {
        return;
    }
    struct rejit_guard *guard = new_items(1, sizeof *guard);
    pthread_t thread;
    if (guard) {
        ilpi_alloc_init(&guard->alloc, NULL);
        pthread_cond_init(&guard->begins, NULL);
        init_timed(&guard->fails);
        guard->compiled_within = limit();
        profiler->guard = guard;
    }
    if (!guard || !own_thread_start(&thread, run, profiler) || pthread_detach(thread) != 0) {
        profiler->guard = NULL;
        free(guard);
        status_line("message", "no thread can be started: a method that cannot be compiled again "
                               "does not get its old code back");
    }
}
