/* The trace event format (JSON object form), which Perfetto and chrome://tracing read:
 *
 *   {"traceEvents": [{"ph": "B", "name", "cat", "ts", "pid", "tid", "args"}, ..., {"ph": "E", ...}], ...}
 *
 * B and E rather than X: they nest by their order, also where clocks are too coarse to tell. E has the name, too: some
 * readers pair them by it. "ts" is microseconds, "cat" the method's module; how a call ended is told where it did not
 * return.
 */
#include "tools/export/timeline.h"

#include <inttypes.h>

struct chrome {
    bool comma;
};

/* Readers take what has the same number for the same process. Spools may be of several systems, or of a number used twice, so
 * those behind the first one have numbers that no system gives: Linux has at most MOST_PROCESSES. */
#define MOST_PROCESSES ((uint64_t)1 << 22)

static uint64_t process_number(const struct timeline *timeline)
{
    uint64_t spool = (uint64_t)(timeline->traced.file - timeline->trace->files);
    return spool * MOST_PROCESSES + timeline->traced.process->number;
}

/* The beginning of an event, up to its arguments. */
static void begin_event(struct timeline *timeline, char phase)
{
    struct chrome *chrome = timeline->user;
    uint64_t thread = timeline->story.system_id != 0 ? timeline->story.system_id
                      : timeline->thread             ? timeline->thread->number
                                                     : 0;
    fprintf(timeline->out, "%s\n{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, chrome->comma ? "," : "", phase,
            process_number(timeline), thread);
    chrome->comma = true;
}

static void write_time(struct timeline *timeline, uint64_t time)
{
    uint64_t at = trace_time(timeline, time);
    fprintf(timeline->out, ",\"ts\":%" PRIu64 ".%03u", at / 1000, (unsigned)(at % 1000));
}

/* Names of processes and threads, for what shows them. */
static void write_metadata(struct timeline *timeline, const char *what, struct ilp_bytes name)
{
    begin_event(timeline, 'M');
    fprintf(timeline->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    json_out_bytes(timeline->out, name);
    fputs("}}", timeline->out);
}

static void process(struct timeline *timeline)
{
    struct name name;
    timeline->thread = NULL;
    timeline->story = (struct ilpi_thread_story){.system_id = 0};
    write_metadata(timeline, "process_name", process_name(timeline->traced.process, &name));
}

/* The beginning of a call's event, up to its category or its arguments. */
static void begin_call_event(struct timeline *timeline, char phase, uint64_t time, const struct ilpi_call *call)
{
    struct name name;
    begin_event(timeline, phase);
    write_time(timeline, time);
    fputs(",\"name\":", timeline->out);
    json_out_bytes(timeline->out, method_name(timeline->traced.process, call->method, &name));
}

static void enter(struct timeline *timeline, struct ilpi_call *calls, size_t depth)
{
    const struct ilpi_traced_process *traced = timeline->traced.process;
    const struct ilpi_call *call = &calls[depth - 1];
    begin_call_event(timeline, 'B', call->start, call);
    fputs(",\"cat\":", timeline->out);
    json_out_bytes(timeline->out, call->method < traced->method_count ? traced->methods[call->method].module : bytes_of(""));
    if (call->arguments.data) {
        fputs(",\"args\":{\"arguments\":", timeline->out);
        json_out_bytes(timeline->out, call->arguments);
        fputc('}', timeline->out);
    }
    fputc('}', timeline->out);
}

static void leave(struct timeline *timeline, const struct ilpi_call *calls, size_t depth, enum ilpi_call_end how,
                  uint64_t time, struct ilp_bytes value)
{
    begin_call_event(timeline, 'E', time, &calls[depth - 1]);
    if (how != CALL_RETURNED) { /* and then it has no value */
        fprintf(timeline->out, ",\"args\":{\"end\":\"%s\"}", end_name(how));
    } else if (value.data) {
        fputs(",\"args\":{\"value\":", timeline->out);
        json_out_bytes(timeline->out, value);
        fputc('}', timeline->out);
    }
    fputc('}', timeline->out);
}

static void thread_end(struct timeline *timeline)
{
    struct name name;
    write_metadata(timeline, "thread_name", thread_name(&timeline->story, timeline->thread->number, &name));
}

ilp_status write_chrome(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    static const struct timeline_writer writer = {.process = process, .enter = enter, .leave = leave, .thread_end = thread_end};
    struct chrome chrome = {.comma = false};
    fprintf(out, "{\"displayTimeUnit\":\"ns\","
                 "\"otherData\":{\"writer\":\"ilpatch %s\",\"hook cost subtracted\":\"%s\"},\"traceEvents\":[",
            ilp_version(), trace->subtract ? "yes" : "no");
    ILPI_TRY(write_timeline(trace, &writer, &chrome, out, error));
    fputs("\n]}\n", out);
    return ILP_OK;
}
