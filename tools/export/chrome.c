/* The trace event format (JSON object form), which Perfetto and chrome://tracing read:
 *
 *   {"traceEvents": [{"ph": "B", "name", "cat", "ts", "pid", "tid", "args"}, ..., {"ph": "E",
 *   ...}], ...}
 *
 * B and E rather than X: they nest by their order, even if times are too coarse to show it. E also
 * has the name, since some readers pair by it. "ts" is microseconds, "cat" the method's module; the
 * raw name of a method is an argument if it is different; how a call ended is one if it did not
 * return. */
#include "tools/export/timeline.h"

#include <inttypes.h>

/* Readers merge processes with equal numbers. Spools may come from several systems, or reuse a
 * number, so processes of later spools get numbers that no system assigns: Linux has at most
 * MOST_PROCESSES. */
#define MOST_PROCESSES ((uint64_t)1 << 22)

/* The first spool keeps the system's numbers. */
static uint64_t process_number(const struct timeline *timeline)
{
    uint64_t spool = (uint64_t)(timeline->traced.file - timeline->trace->files);
    return spool * MOST_PROCESSES + timeline->traced.process->number;
}

/* The system's number; the spool's if that is unknown. */
static uint64_t thread_number(const struct timeline *timeline)
{
    if (timeline->story.system_id != 0) {
        return timeline->story.system_id;
    }
    return timeline->thread ? timeline->thread->number : 0;
}

/* Begins an event, up to its time. */
static struct ilpi_json *begin_event(struct timeline *timeline, const char *phase)
{
    struct ilpi_json *json = timeline->user;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "ph", phase);
    ilpi_json_unsigned(json, "pid", process_number(timeline));
    ilpi_json_unsigned(json, "tid", thread_number(timeline));
    return json;
}

/* Microseconds. */
static void write_time(struct ilpi_json *json, uint64_t time)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%" PRIu64 ".%03u", time / 1000,
                        (unsigned)(time % 1000));
    ilpi_json_raw(json, "ts", (struct ilp_bytes){(const uint8_t *)text, (size_t)size});
}

static void write_arguments(struct ilpi_json *json, const char *name, struct ilp_bytes value)
{
    ilpi_json_object(json, "args", ILPI_JSON_INLINE);
    ilpi_json_bytes(json, name, value);
    ilpi_json_end(json);
}

/* Names of processes and threads. Phase M: such events have no time and may be anywhere in the
 * file. */
static void write_metadata(struct timeline *timeline, const char *what, struct ilp_bytes name)
{
    struct ilpi_json *json = begin_event(timeline, "M");
    ilpi_json_string(json, "name", what);
    write_arguments(json, "name", name);
    ilpi_json_end(json);
}

static void process(struct timeline *timeline)
{
    struct name name;
    /* The event belongs to no thread: the last process's would give it a number. */
    timeline->thread = NULL;
    timeline->story = (struct ilpi_thread_story){.system_id = 0};
    write_metadata(timeline, "process_name", process_name(timeline->traced.process, &name));
}

/* Begins a call's event, up to its category or its arguments. */
static struct ilpi_json *begin_call_event(struct timeline *timeline, const char *phase,
                                          uint64_t time, const struct ilpi_call *call)
{
    struct name name;
    struct ilpi_json *json = begin_event(timeline, phase);
    write_time(json, trace_time(timeline->trace, time));
    ilpi_json_bytes(json, "name",
                    method_name(timeline->trace, timeline->traced.process, call->method, &name));
    return json;
}

/* "args" only if there is something in it: most events have none, and files are large. */
static void enter(struct timeline *timeline, struct ilpi_call *calls, size_t depth)
{
    const struct ilpi_traced_process *traced = timeline->traced.process;
    const struct ilpi_call *call = &calls[depth - 1];
    struct ilpi_json *json = begin_call_event(timeline, "B", call->start, call);
    ilpi_json_bytes(json, "cat",
                    call->method < traced->methods.count
                        ? traced->methods.items[call->method].module
                        : bytes_of(""));
    struct name name;
    bool renamed = readable_method_name(timeline->trace, traced, call->method, &name).data != NULL;
    if (renamed || call->arguments.data) {
        ilpi_json_object(json, "args", ILPI_JSON_INLINE);
        if (renamed) {
            ilpi_json_bytes(json, "method", raw_method_name(traced, call->method, &name));
        }
        if (call->arguments.data) {
            ilpi_json_bytes(json, "arguments", call->arguments);
        }
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

static void leave(struct timeline *timeline, const struct ilpi_call *calls, size_t depth,
                  const struct ilpi_call_ending *ending)
{
    struct ilpi_json *json = begin_call_event(timeline, "E", ending->time, &calls[depth - 1]);
    if (ending->how != CALL_RETURNED) { /* also of an exception only the kind of end is shown */
        write_arguments(json, "end", bytes_of(end_name(ending->how)));
    } else if (ending->value.data) {
        write_arguments(json, "value", ending->value);
    }
    ilpi_json_end(json);
}

/* After the thread's calls, since its name may have been set while it ran. */
static void thread_end(struct timeline *timeline)
{
    struct name name;
    write_metadata(timeline, "thread_name",
                   thread_name(&timeline->story, timeline->thread->number, &name));
}

ilp_status write_chrome(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    static const struct timeline_writer writer = {
        .process = process, .enter = enter, .leave = leave, .thread_end = thread_end};
    struct ilpi_json json;
    ilpi_json_begin(&json, text_out_sink(out), ILPI_JSON_COMPACT);
    ilpi_json_object(&json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(&json, "displayTimeUnit", "ns");
    ilpi_json_object(&json, "otherData", ILPI_JSON_INLINE);
    ilpi_json_format(&json, "writer", "ilpatch %s", ilp_version());
    ilpi_json_string(&json, "hook cost subtracted", trace->subtract ? "yes" : "no");
    ilpi_json_end(&json);
    ilpi_json_array(&json, "traceEvents", ILPI_JSON_LINES_ALWAYS);
    ILPI_TRY(write_timeline(trace, &writer, &json, out, error));
    ilpi_json_end(&json);
    ilpi_json_end(&json);
    ilpi_json_finish(&json);
    return json_status(&json, error);
}
