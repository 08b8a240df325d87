/* Tracks callers to compile again: a map from methods, so that a caller with many such calls is
 * listed once. See missed_inlines.h. MISSED_LIMIT bounds the list; callers beyond it are counted
 * and keep their calls.
 *
 *   a caller is compiled while a method that it calls has another body by ReJIT
 *     -> the JIT does not inline that method: MethodJitInliningFailed, on the same thread
 *     -> the caller on top of the compile stack is noted
 *     -> the watch ends -> rejit_request_missed(): it is compiled again, with its own IL
 */
#include "profiler/clr/missed_inlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/map.h"
#include "host/memory.h"
#include "profiler/clr/event_pipe.h"
#include "profiler/compile_stack.h"
#include "profiler/own_thread.h"
#include "profiler/profiler.h"
#include "profiler/status.h"

/* Further ones are not recorded, but counted with those that keep their calls. */
enum { MISSED_LIMIT = 1 << 16 };

struct missed_method {
    ModuleID module;
    ilp_token method;
    bool is_due; /* it was compiled like this, or needs a revert, since the last request */
};

/* Under the profiler's lock, except the events' session, which its own thread starts and stops. */
struct missed_inlines {
    struct event_pipe events;
    struct ilpi_alloc alloc;
    ILPI_LIST(struct missed_method) methods;
    struct ilpi_map places; /* 1 + index, by module and token */
    unsigned due, kept;
};

/* ---- the methods ---- */

static uint64_t hash_of(ModuleID module, ilp_token method)
{
    const uint64_t key[] = {module, method};
    return XXH3_64bits(key, sizeof key);
}

static struct missed_method *find(const struct missed_inlines *missed, ModuleID module,
                                  ilp_token method)
{
    struct ilpi_map_search search = ilpi_map_find(&missed->places, hash_of(module, method));
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        struct missed_method *item = &missed->methods.items[place - 1];
        if (item->module == module && item->method == method) {
            return item;
        }
    }
    return NULL;
}

static bool add(struct missed_inlines *missed, ModuleID module, ilp_token method)
{
    struct missed_method item = {.module = module, .method = method};
    struct ilpi_alloc *alloc = &missed->alloc;
    if (missed->methods.count == MISSED_LIMIT) {
        return false;
    }
    if (ILPI_LIST_ADD(alloc, &missed->methods, item, NULL) != ILP_OK) {
        memory_failed();
        return false;
    }
    if (ilpi_map_add(&missed->places, alloc, hash_of(module, method),
                     (uint32_t)missed->methods.count, NULL) != ILP_OK) {
        memory_failed();
        missed->methods.count--;
        return false;
    }
    return true;
}

/* True: it is on the list, and due. So a method that would be reverted is requested again
 * instead. */
bool missed_inlines_claim(struct missed_inlines *missed, ModuleID module, ilp_token method)
{
    if (!missed) {
        return false;
    }
    struct missed_method *item = find(missed, module, method);
    if (item && !item->is_due) {
        item->is_due = true;
        missed->due++;
    }
    return item != NULL;
}

/* The arrays are the caller's; without memory for them nothing is taken. */
void missed_inlines_take(struct missed_inlines *missed, ModuleID **modules, ilp_token **methods,
                         ULONG *count)
{
    *count = 0;
    *modules = new_items((size_t)missed->due + 1, sizeof **modules);
    *methods = new_items((size_t)missed->due + 1, sizeof **methods);
    if (!*modules || !*methods) {
        return;
    }
    for (size_t i = 0; i < missed->methods.count; i++) {
        struct missed_method *item = &missed->methods.items[i];
        if (item->is_due) {
            (*modules)[*count] = item->module;
            (*methods)[(*count)++] = item->method;
            item->is_due = false;
        }
    }
    missed->due = 0;
}

unsigned missed_inlines_take_kept(struct missed_inlines *missed)
{
    unsigned kept = missed->kept;
    missed->kept = 0;
    return kept;
}

/* The payload of MethodJitInliningFailed: three methods of three strings each, FailAlways,
 * FailReason. True if the reason is that the method has another body by ReJIT. */
static bool is_of_rejit(struct ilp_bytes payload)
{
    /* the same in .NET Core 3.1 to .NET 10 */
    static const char reason[] = "ReJIT methods cannot be inlined";
    enum { METHOD_STRINGS = 3 * 3 };
    struct ilpi_cursor cursor = ilpi_cursor_over(payload, 0, "event", NULL);
    for (unsigned i = 0; i < METHOD_STRINGS; i++) {
        while (ilpi_read_u16(&cursor) != 0) {
        }
    }
    ilpi_read_u32(&cursor);
    for (const char *at = reason; *at != '\0'; at++) {
        if (ilpi_read_u16(&cursor) != (uint8_t)*at) {
            return false;
        }
    }
    return cursor.status == ILP_OK;
}

/* A method compiled by ReJIT is reverted, unless it was recorded before. Under the lock. */
static void note(struct missed_inlines *missed, const struct compiled_method *method, bool stays)
{
    if (missed_inlines_claim(missed, method->module, method->token) || method->is_rejit) {
        return;
    }
    if (stays || !add(missed, method->module, method->token)) {
        missed->kept++;
        return;
    }
    missed_inlines_claim(missed, method->module, method->token);
}

/* Called for each event of the runtime's provider, so the cheap tests come first, and the lock
 * last. */
void missed_inlines_event(struct profiler *profiler, uintptr_t provider, uint32_t id,
                          struct ilp_bytes payload)
{
    struct compiled_method *method = compile_stack_top();
    if (id != EVENT_INLINING_FAILED || !method || method->is_noted || !is_of_rejit(payload) ||
        !event_pipe_is_of_runtime(&profiler->missed->events, provider)) {
        return;
    }
    method->is_noted = true;
    bool stays = method->token == 0 || module_is_collectible(profiler, method->module);
    pthread_mutex_lock(&profiler->lock);
    note(profiler->missed, method, stays);
    pthread_mutex_unlock(&profiler->lock);
}

/* ---- opening and closing ---- */

static void *start(void *argument)
{
    struct profiler *profiler = argument;
    event_pipe_start(&profiler->missed->events, profiler->info, "message");
    return NULL;
}

static void *stop(void *argument)
{
    struct missed_inlines *missed = argument;
    event_pipe_stop(&missed->events);
    return NULL;
}

/* A thread that starts or stops a session becomes a runtime thread, which may not call what
 * profiler threads may (CORPROF_E_UNSUPPORTED_CALL_SEQUENCE). */
static bool in_another_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    return own_thread_start(&thread, function, argument) && pthread_join(thread, NULL) == 0;
}

/* May be called for each watch: the list stays, the session is started. */
void missed_inlines_listen(struct profiler *profiler)
{
    if (!profiler->missed) {
        struct missed_inlines *missed = new_items(1, sizeof *missed);
        if (!missed) {
            return;
        }
        ilpi_alloc_init(&missed->alloc, NULL);
        profiler->missed = missed;
    }
    compile_stack_reset();
    if (!in_another_thread(start, profiler)) {
        status_line("message", "no thread can be started: methods that are compiled meanwhile keep "
                               "calls of watched methods");
    }
}

void missed_inlines_stop(struct missed_inlines *missed)
{
    if (missed) {
        in_another_thread(stop, missed);
    }
}

void missed_inlines_close(struct missed_inlines *missed)
{
    if (missed) {
        event_pipe_close(&missed->events);
        ILPI_LIST_FREE(&missed->alloc, &missed->methods);
        ilpi_map_free(&missed->places, &missed->alloc);
        free(missed);
    }
}
