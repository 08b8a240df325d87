/* Reports the JIT's verdicts on tail calls: events have names only, and the token is that of the
 * method that the thread is compiling (compile_stack.h). See calls.h. */
#include "profiler/tail/calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/compile_stack.h"
#include "profiler/clr/event_pipe.h"
#include "profiler/status.h"
#include "profiler/tail/event.h"

struct tail_calls {
    struct event_pipe events;
    atomic_uint implicit[TAIL_OUTCOME_COUNT];
    atomic_uint unread;
};

/* The token is 0 if it has none. */
static struct compiled_method method_of(const struct profiler *profiler, FunctionID function)
{
    struct compiled_method method = {.function = function};
    ClassID class;
    if (CALL(ICorProfilerInfo, GetFunctionInfo,
             profiler->info)(profiler->info, function, &class, &method.module, &method.token) < 0) {
        method = (struct compiled_method){.function = function};
    }
    return method;
}

/* ---- reports ---- */

/* A line consists of fields. */
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

/* Whether the IL may contain the prefix: the two bytes occur. They may be part of a number, too; a
 * reader of the file knows. */
static bool may_have_prefix(const struct profiler *profiler, const struct compiled_method *method)
{
    static const uint8_t prefix[] = {0xFE, 0x14};
    const uint8_t *body;
    ULONG size;
    return CALL(ICorProfilerInfo, GetILFunctionBody,
                profiler->info)(profiler->info, method->module, method->token, &body, &size) >= 0 &&
           memmem(body, size, prefix, sizeof prefix);
}

static void report_tail_method(struct profiler *profiler, const char *word,
                               const struct compiled_method *method)
{
    if (method->token != 0 && may_have_prefix(profiler, method)) {
        char *path = path_of(profiler, method->module);
        status_line(word, "%08X\t%s", method->token, path ? path : "");
        free(path);
    }
}

void tail_calls_method_begins(struct profiler *profiler, FunctionID function)
{
    struct compiled_method method = method_of(profiler, function);
    compile_stack_push(&method);
    report_tail_method(profiler, "tail-method", &method);
}

void tail_calls_dynamic_method_begins(FunctionID function)
{
    compile_stack_push(&(struct compiled_method){.function = function});
}

/* Code from the image was compiled elsewhere, so the JIT gives no verdicts on it. */
void tail_calls_method_is_native(struct profiler *profiler, FunctionID function)
{
    struct compiled_method method = method_of(profiler, function);
    report_tail_method(profiler, "tail-native", &method);
}

/* ---- events ---- */

static void report_tail_call(struct profiler *profiler, struct tail_event *event)
{
    static const struct compiled_method nothing;
    const struct compiled_method *top = compile_stack_top();
    const struct compiled_method *now = top ? top : &nothing;
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

/* Explicit tail calls are reported one by one, implicit ones counted: there are thousands. */
void tail_calls_event(struct profiler *profiler, uintptr_t provider, uint32_t id,
                      struct ilp_bytes payload)
{
    struct tail_calls *calls = profiler->tail_calls;
    struct tail_event event;
    if ((id != EVENT_TAIL_CALL_SUCCEEDED && id != EVENT_TAIL_CALL_FAILED) ||
        !event_pipe_is_of_runtime(&calls->events, provider)) {
        return;
    }
    if (!tail_event_read(&event, id, payload)) {
        atomic_fetch_add(&calls->unread, 1);
    } else if (event.prefixed) {
        report_tail_call(profiler, &event);
    } else {
        atomic_fetch_add(&calls->implicit[event.outcome], 1);
    }
}

/* ---- opening and closing ---- */

struct tail_calls *tail_calls_open(void *unknown)
{
    struct tail_calls *calls = new_items(1, sizeof *calls);
    if (!calls) {
        status_line("tail-failed", "out of memory");
        return NULL;
    }
    if (!event_pipe_start(&calls->events, unknown, "tail-failed")) {
        event_pipe_close(&calls->events);
        free(calls);
        return NULL;
    }
    compile_stack_reset();
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
