/* OpenTelemetry spans as the OTLP file exporter writes them: each line an ExportTraceServiceRequest in OTLP's JSON form
 * (ids in hexadecimal, 64-bit numbers as strings), so that a collector's otlpjsonfile receiver takes it.
 *
 * A process is a trace and its outermost span, a thread a span below it, a call a span below its caller's. Span ids come
 * from counting, so the same spool gives the same ids.
 */
#include "tools/export/timeline.h"

#include <inttypes.h>

#include "base/hash.h"

#define LINE_BYTES 262144u /* a line ends with the first span past about so many */

enum span_status { STATUS_UNSET = 0, STATUS_ERROR = 2 };

struct otlp {
    bool in_line;
    size_t bytes;   /* about so many in the line */
    size_t written; /* spans in it */
    char trace_id[33];
    uint64_t last; /* of the process */
};

/* A span, but for its attributes. */
struct span {
    uint64_t id;
    uint64_t parent; /* 0: none */
    struct ilp_bytes name;
    uint64_t start;
    uint64_t end;
    const char *failure; /* NULL: the status is not set */
};

/* ---- ids ---- */

/* A different number for each one, and 0 for 0 alone (the last steps of splitmix64: each can be undone). */
static uint64_t mixed(uint64_t number)
{
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
    number = (number ^ number >> 27) * 0x94D049BB133111EBu;
    return number ^ number >> 31;
}

/* The process itself is thread 0, a thread is its own call 0. */
static uint64_t span_id(uint32_t thread, uint32_t call)
{
    return mixed(((uint64_t)thread << 32 | call) + 1);
}

static void make_trace_id(struct otlp *otlp, const struct traced *traced)
{
    const uint64_t said[4] = {traced->process->number, traced->process->wall, traced->process->start, traced->number};
    XXH128_hash_t hash = XXH3_128bits(said, sizeof said);
    snprintf(otlp->trace_id, sizeof otlp->trace_id, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64 | 1);
}

/* ---- lines ---- */

static void attribute(FILE *out, const char *key, struct ilp_bytes value)
{
    fprintf(out, "{\"key\":\"%s\",\"value\":{\"stringValue\":", key);
    json_out_bytes(out, value);
    fputs("}}", out);
}

/* Numbers have a sign in OTLP, and a reader refuses what is out of their range. */
static void number_attribute(FILE *out, const char *key, uint64_t value)
{
    fprintf(out, "{\"key\":\"%s\",\"value\":{\"intValue\":\"%" PRId64 "\"}}", key, (int64_t)value);
}

static void begin_line(struct timeline *timeline)
{
    struct otlp *otlp = timeline->user;
    const struct ilpi_traced_process *process = timeline->traced.process;
    struct name name;
    fputs("{\"resourceSpans\":[{\"resource\":{\"attributes\":[", timeline->out);
    attribute(timeline->out, "service.name", process_name(process, &name));
    fputc(',', timeline->out);
    number_attribute(timeline->out, "process.pid", process->number);
    fputc(',', timeline->out);
    attribute(timeline->out, "process.command_line", process->command);
    fputc(',', timeline->out);
    attribute(timeline->out, "process.runtime.description", process->runtime);
    fprintf(timeline->out, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"ilpatch\",\"version\":\"%s\"},\"spans\":[",
            ilp_version());
    otlp->in_line = true;
    otlp->bytes = 0;
    otlp->written = 0;
}

static void end_line(struct timeline *timeline)
{
    struct otlp *otlp = timeline->user;
    if (otlp->in_line) {
        fputs("]}]}]}\n", timeline->out);
        otlp->in_line = false;
    }
}

static uint64_t wall_time(const struct timeline *timeline, uint64_t time)
{
    const struct ilpi_traced_process *process = timeline->traced.process;
    return process->wall + (time > process->start ? time - process->start : 0);
}

static void begin_span(struct timeline *timeline, const struct span *span)
{
    struct otlp *otlp = timeline->user;
    FILE *out = timeline->out;
    if (!otlp->in_line) {
        begin_line(timeline);
    }
    fprintf(out, "%s{\"traceId\":\"%s\",\"spanId\":\"%016" PRIx64 "\",", otlp->written++ != 0 ? "," : "", otlp->trace_id,
            span->id);
    if (span->parent != 0) {
        fprintf(out, "\"parentSpanId\":\"%016" PRIx64 "\",", span->parent);
    }
    fputs("\"name\":", out);
    json_out_bytes(out, span->name);
    fprintf(out, ",\"kind\":1,\"startTimeUnixNano\":\"%" PRIu64 "\",\"endTimeUnixNano\":\"%" PRIu64 "\",",
            wall_time(timeline, span->start), wall_time(timeline, span->end));
    fputs("\"status\":{", out);
    if (span->failure) {
        fprintf(out, "\"code\":%d,\"message\":\"%s\"", STATUS_ERROR, span->failure);
    }
    fputs("},\"attributes\":[", out);
}

static void end_span(struct timeline *timeline, size_t bytes)
{
    struct otlp *otlp = timeline->user;
    fputs("]}", timeline->out);
    otlp->bytes += bytes;
    if (otlp->bytes > LINE_BYTES) {
        end_line(timeline);
    }
}

/* ---- what becomes a span ---- */

static void process(struct timeline *timeline)
{
    struct otlp *otlp = timeline->user;
    make_trace_id(otlp, &timeline->traced);
    otlp->last = timeline->traced.process->start;
}

static void enter(struct timeline *timeline, struct ilpi_call *calls, size_t depth)
{
    calls[depth - 1].note = (uint32_t)timeline->story.calls;
}

static void leave(struct timeline *timeline, const struct ilpi_call *calls, size_t depth, enum ilpi_call_end how,
                  uint64_t time, struct ilp_bytes value)
{
    const struct ilpi_traced_process *traced = timeline->traced.process;
    const struct ilpi_call *call = &calls[depth - 1];
    uint32_t thread = timeline->thread->number;
    struct name name;
    struct span span = {
        .id = span_id(thread, call->note),
        .parent = span_id(thread, depth > 1 ? calls[depth - 2].note : 0),
        .name = method_name(traced, call->method, &name),
        .start = call->start,
        .end = time,
        .failure = how == CALL_UNWOUND ? "left by an exception" : NULL,
    };
    begin_span(timeline, &span);
    number_attribute(timeline->out, "thread.id", timeline->story.system_id);
    fputc(',', timeline->out);
    attribute(timeline->out, "code.function.name", span.name);
    fputc(',', timeline->out);
    attribute(timeline->out, "dotnet.module",
              call->method < traced->method_count ? traced->methods[call->method].module : bytes_of(""));
    fputc(',', timeline->out);
    attribute(timeline->out, "dotnet.end", bytes_of(end_name(how)));
    if (call->arguments.data) {
        fputc(',', timeline->out);
        attribute(timeline->out, "dotnet.arguments", call->arguments);
    }
    if (value.data) {
        fputc(',', timeline->out);
        attribute(timeline->out, "dotnet.value", value);
    }
    end_span(timeline, 600 + 2 * span.name.size + call->arguments.size + value.size);
}

static void thread_end(struct timeline *timeline)
{
    struct otlp *otlp = timeline->user;
    struct name name;
    uint32_t thread = timeline->thread->number;
    struct span span = {
        .id = span_id(thread, 0),
        .parent = span_id(0, 0),
        .name = thread_name(&timeline->story, thread, &name),
        .start = timeline->story.first,
        .end = timeline->story.last,
    };
    otlp->last = span.end > otlp->last ? span.end : otlp->last;
    begin_span(timeline, &span);
    number_attribute(timeline->out, "thread.id", timeline->story.system_id);
    end_span(timeline, 400);
}

static void process_end(struct timeline *timeline)
{
    const struct otlp *otlp = timeline->user;
    struct name name;
    const struct ilpi_traced_process *traced = timeline->traced.process;
    struct span span = {.id = span_id(0, 0), .name = process_name(traced, &name), .start = traced->start, .end = otlp->last};
    begin_span(timeline, &span);
    number_attribute(timeline->out, "process.pid", traced->number);
    end_span(timeline, 400);
    end_line(timeline);
}

ilp_status write_otlp(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    static const struct timeline_writer writer = {
        .process = process, .enter = enter, .leave = leave, .thread_end = thread_end, .process_end = process_end};
    struct otlp otlp = {.in_line = false};
    return write_timeline(trace, &writer, &otlp, out, error);
}
