/* The JIT's verdicts on tail calls, told. See calls.h. */
#include "profiler/tail/calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/tail/event_pipe.h"
#include "profiler/status.h"
#include "profiler/tail/event.h"

struct tail_calls {
    struct event_pipe events;
    atomic_uintptr_t provider; /* the runtime's, once it is known */
    atomic_uint implicit[TAIL_OUTCOME_COUNT];
    atomic_uint unread;
};

/* ---- what a thread compiles ---- */

struct compiled {
    FunctionID function;
    ModuleID module;
    ilp_token token;
};

/* Methods within each other: compiling one may run code, which is compiled before. Deeper ones are
 * not told apart. */
enum { MAX_NESTED = 32 };

static _Thread_local struct {
    unsigned session; /* in which all of it began */
    unsigned depth;
    struct compiled methods[MAX_NESTED];
} compiling;

/* Counts those that were opened: what a thread has begun in one has no end in another. */
static atomic_uint session;

static void leave_other_session(void)
{
    unsigned now = atomic_load(&session);
    if (compiling.session != now) {
        compiling.session = now;
        compiling.depth = 0;
    }
}

static const struct compiled *compiled_now(void)
{
    static const struct compiled nothing;
    leave_other_session();
    return compiling.depth != 0 && compiling.depth <= MAX_NESTED
               ? &compiling.methods[compiling.depth - 1]
               : &nothing;
}

/* Without a token if it has none. */
static struct compiled method_of(const struct profiler *profiler, FunctionID function)
{
    struct compiled method = {.function = function};
    ClassID class;
    if (CALL(ICorProfilerInfo, GetFunctionInfo,
             profiler->info)(profiler->info, function, &class, &method.module, &method.token) < 0) {
        method = (struct compiled){.function = function};
    }
    return method;
}

static void begin(const struct compiled *method)
{
    leave_other_session();
    if (compiling.depth++ < MAX_NESTED) {
        compiling.methods[compiling.depth - 1] = *method;
    }
}

/* What is not paired, for whatever reason, goes with what is around it. */
void tail_calls_method_ends(FunctionID function)
{
    leave_other_session();
    for (unsigned i = compiling.depth; i > 0; i--) {
        if (i > MAX_NESTED || compiling.methods[i - 1].function == function) {
            compiling.depth = i - 1;
            return;
        }
    }
}

/* ---- what is reported ---- */

/* A line has one field behind the other. */
static void make_field(char *text)
{
    for (; *text != '\0'; text++) {
        *text = (unsigned char)*text < ' ' ? '?' : *text;
    }
}

/* The file of the method's module; NULL: no memory. */
static char *path_of(struct profiler *profiler, ModuleID id)
{
    if (id == 0) {
        return copy_text("");
    }
    pthread_mutex_lock(&profiler->lock);
    const struct module *module = module_find(profiler, id);
    char *path = module ? copy_text(module->path) : NULL;
    pthread_mutex_unlock(&profiler->lock);
    if (path) {
        make_field(path);
    }
    return path;
}

/* Whether the prefix may be in the IL: its two bytes are. They may be part of a number, too; who
 * has the file will see. */
static bool may_have_prefix(const struct profiler *profiler, const struct compiled *method)
{
    static const uint8_t prefix[] = {0xFE, 0x14};
    const uint8_t *body;
    ULONG size;
    return CALL(ICorProfilerInfo, GetILFunctionBody,
                profiler->info)(profiler->info, method->module, method->token, &body, &size) >= 0 &&
           memmem(body, size, prefix, sizeof prefix);
}

static void tell_method(struct profiler *profiler, const char *word, const struct compiled *method)
{
    if (method->token != 0 && may_have_prefix(profiler, method)) {
        char *path = path_of(profiler, method->module);
        status_line(word, "%08X\t%s", method->token, path ? path : "");
        free(path);
    }
}

void tail_calls_method_begins(struct profiler *profiler, FunctionID function)
{
    struct compiled method = method_of(profiler, function);
    begin(&method);
    tell_method(profiler, "tail-method", &method);
}

void tail_calls_dynamic_method_begins(FunctionID function)
{
    begin(&(struct compiled){.function = function});
}

void tail_calls_method_is_native(struct profiler *profiler, FunctionID function)
{
    struct compiled method = method_of(profiler, function);
    tell_method(profiler, "tail-native", &method);
}

/* ---- events ---- */

static bool is_of_runtime(struct tail_calls *calls, uintptr_t provider)
{
    uintptr_t known = atomic_load(&calls->provider);
    if (known == 0 && event_pipe_is_of_runtime(&calls->events, provider)) {
        atomic_store(&calls->provider, provider);
        known = provider;
    }
    return provider == known;
}

static void tell_call(struct profiler *profiler, struct tail_event *event)
{
    const struct compiled *now = compiled_now();
    char *fields[] = {event->reason,      event->compiled.type, event->compiled.name,
                      event->callee.type, event->callee.name,   event->callee.signature};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        make_field(fields[i]);
    }
    char *path = path_of(profiler, now->module);
    status_line("tail-call", "%08X\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", now->token, path ? path : "",
                tail_outcome_word(event->outcome), fields[0], fields[1], fields[2], fields[3],
                fields[4], fields[5]);
    free(path);
}

void tail_calls_event(struct profiler *profiler, uintptr_t provider, uint32_t id,
                      struct ilp_bytes payload)
{
    struct tail_calls *calls = profiler->tail_calls;
    struct tail_event event;
    if ((id != EVENT_TAIL_CALL_SUCCEEDED && id != EVENT_TAIL_CALL_FAILED) ||
        !is_of_runtime(calls, provider)) {
        return;
    }
    if (!tail_event_read(&event, id, payload)) {
        atomic_fetch_add(&calls->unread, 1);
    } else if (event.prefixed) {
        tell_call(profiler, &event);
    } else {
        atomic_fetch_add(&calls->implicit[event.outcome], 1);
    }
}

/* ---- from start to end ---- */

struct tail_calls *tail_calls_open(void *unknown)
{
    struct tail_calls *calls = new_items(1, sizeof *calls);
    if (!calls) {
        status_line("tail-failed", "out of memory");
        return NULL;
    }
    if (!event_pipe_start(&calls->events, unknown)) {
        free(calls);
        return NULL;
    }
    atomic_fetch_add(&session, 1);
    return calls;
}

void tail_calls_finish(struct tail_calls *calls)
{
    if (!calls) {
        return;
    }
    event_pipe_stop(&calls->events);
    for (unsigned i = 0; i < TAIL_OUTCOME_COUNT; i++) {
        status_line("tail-implicit", "%s\t%u", tail_outcome_word((enum tail_outcome)i),
                    atomic_load(&calls->implicit[i]));
    }
    if (atomic_load(&calls->unread) != 0) {
        status_line("tail-failed", "%u events of this runtime cannot be read",
                    atomic_load(&calls->unread));
    }
}

void tail_calls_close(struct tail_calls *calls)
{
    if (calls) {
        event_pipe_close(&calls->events);
        free(calls);
    }
}
