/* See rejit_guard.h. */
#include "profiler/clr/rejit_guard.h"

#include <stdlib.h>

#include "base/list.h"
#include "host/memory.h"
#include "host/process.h"
#include "profiler/own_thread.h"
#include "profiler/profiler.h"
#include "profiler/status.h"

/* A compilation that takes longer has failed, or gets its old code back for nothing: it waits for
 * whoever decides about all methods of a large assembly. One that has failed is found sooner, when
 * the method is called again. */
enum { COMPILED_WITHIN_MS = 10000, GUARD_LOOK_MS = 10 };

struct rejit_guard {
    pthread_cond_t begins; /* there is a method; with the profiler's lock */
    struct ilpi_alloc alloc;
    ILPI_LIST(struct guarded_method) methods;
};

void rejit_guard_add(struct profiler *profiler, const struct guarded_method *method)
{
    struct rejit_guard *guard = profiler->guard;
    struct guarded_method added = *method;
    if (!guard) {
        return;
    }
    added.due = deadline_after(COMPILED_WITHIN_MS);
    if (ILPI_LIST_ADD(&guard->alloc, &guard->methods, added, NULL) != ILP_OK) {
        memory_failed();
    }
    pthread_cond_signal(&guard->begins);
}

/* Takes a method that has failed off the list; those that have been compiled, too. Under the
 * lock. */
static bool take_failed(struct profiler *profiler, struct guarded_method *failed)
{
    struct rejit_guard *guard = profiler->guard;
    size_t left = 0;
    bool found = false;
    for (size_t i = 0; i < guard->methods.count; i++) {
        const struct guarded_method *method = &guard->methods.items[i];
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
        }
        pthread_mutex_unlock(&profiler->lock);
        if (found) {
            rejit_take_back(profiler, 1, &failed.module, &failed.method);
        } else {
            process_pause(GUARD_LOOK_MS);
        }
        pthread_mutex_lock(&profiler->lock);
    }
    return NULL;
}

void rejit_guard_clear(struct profiler *profiler)
{
    if (profiler->guard) {
        profiler->guard->methods.count = 0;
    }
}

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
        profiler->guard = guard;
    }
    if (!guard || !own_thread_start(&thread, run, profiler) || pthread_detach(thread) != 0) {
        profiler->guard = NULL;
        free(guard);
        status_line("message", "no thread can be started: a method that cannot be compiled again "
                               "does not get its old code back");
    }
}
