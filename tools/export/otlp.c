/* OpenTelemetry spans in the format of the OTLP file exporter: each line is an
 * ExportTraceServiceRequest in OTLP's JSON form (ids in hexadecimal, 64-bit numbers as strings),
 * which a collector's otlpjsonfile receiver reads.
 *
 * A process is a trace with an outermost span, a thread a span below it, a call a span below its
 * caller's. Span ids are derived from counters, so the same spool gives the same ids. */
#include "tools/export/timeline.h"

#include <inttypes.h>

#include "base/hash.h"

#define LINE_BYTES 262144u /* a line ends after the span that exceeds this */

/* OTLP's enums SpanKind and Status.StatusCode (trace.proto). */
#define SPAN_KIND_INTERNAL 1u
#define STATUS_ERROR       2u

/* `json` is of one line at a time; `last` is the end of the process's last thread, for the span of
 * the process. */
struct otlp {
    struct ilpi_json json;
    bool in_line;
    size_t bytes; /* bytes in the line, approximately */
    char trace_id[33];
    uint64_t last; /* of the process */
};

/* A span without its attributes. */
struct span {
    uint64_t id;
    uint64_t parent; /* 0: none */
    struct ilp_bytes name;
    uint64_t start;
    uint64_t end;
    const char *failure; /* NULL: the status is not set */
};

/* ---- ids ---- */

/* A bijection that maps only 0 to 0 (the last steps of splitmix64, which are invertible). */
static uint64_t mixed(uint64_t number)
{
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
    number = (number ^ number >> 27) * 0x94D049BB133111EBu;
    return number ^ number >> 31;
}

/* The process is thread 0, a thread is its own call 0. Unique within a trace, and never 0, which
 * OTLP takes for "none": the counter begins at 1, and mixed() maps only 0 to 0. */
static uint64_t span_id(uint32_t thread, uint32_t call)
{
    return mixed(((uint64_t)thread << 32 | call) + 1);
}

/* By what identifies a process: its number, its start by both clocks, and its position among the
 * spools. The lowest bit keeps it from being 0. */
static void make_trace_id(struct otlp *otlp, const struct exported_process *traced)
{
    const uint64_t said[4] = {traced->process->number, traced->process->wall,
                              traced->process->start, traced->number};
    XXH128_hash_t hash = XXH3_128bits(said, sizeof said);
    snprintf(otlp->trace_id, sizeof otlp->trace_id, "%016" PRIx64 "%016" PRIx64, hash.high64,
             hash.low64 | 1);
}

/* ---- lines ---- */

static void attribute(struct ilpi_json *json, const char *key, struct ilp_bytes value)
{
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "key", key);
    ilpi_json_object(json, "value", ILPI_JSON_INLINE);
    ilpi_json_bytes(json, "stringValue", value);
    ilpi_json_end(json);
    ilpi_json_end(json);
}

/* OTLP numbers are signed; readers refuse others. */
static void number_attribute(struct ilpi_json *json, const char *key, uint64_t value)
{
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "key", key);
    ilpi_json_object(json, "value", ILPI_JSON_INLINE);
    ilpi_json_signed_text(json, "intValue", (int64_t)value);
    ilpi_json_end(json);
    ilpi_json_end(json);
}

/* A line may be read without those before it, so each has the resource of its process. */
static void write_resource(struct ilpi_json *json, const struct ilpi_traced_process *process)
{
    struct name name;
    ilpi_json_object(json, "resource", ILPI_JSON_INLINE);
    ilpi_json_array(json, "attributes", ILPI_JSON_INLINE);
    attribute(json, "service.name", process_name(process, &name));
    number_attribute(json, "process.pid", process->number);
    attribute(json, "process.command_line", process->command);
    attribute(json, "process.runtime.description", process->runtime);
    ilpi_json_end(json);
    ilpi_json_end(json);
}

#define LINE_LEVELS 6u /* those left open by begin_line() */

/*   {"resourceSpans": [{"resource", "scopeSpans": [{"scope", "spans": [ ... spans ...
 *   1                 23                          45                  6   levels that stay open */
static void begin_line(struct timeline *timeline)
{
    struct otlp *otlp = timeline->user;
    struct ilpi_json *json = &otlp->json;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_array(json, "resourceSpans", ILPI_JSON_INLINE);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    write_resource(json, timeline->traced.process);
    ilpi_json_array(json, "scopeSpans", ILPI_JSON_INLINE);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_object(json, "scope", ILPI_JSON_INLINE);
    ilpi_json_string(json, "name", "ilpatch");
    ilpi_json_string(json, "version", ilp_version());
    ilpi_json_end(json);
    ilpi_json_array(json, "spans", ILPI_JSON_INLINE);
    otlp->in_line = true;
    otlp->bytes = 0;
}

/* Closes what begin_line() has left open, if a line is open at all. */
static void end_line(struct otlp *otlp)
{
    for (unsigned i = 0; i < LINE_LEVELS && otlp->in_line; i++) {
        ilpi_json_end(&otlp->json);
    }
    if (otlp->in_line) {
        ilpi_json_finish(&otlp->json);
        otlp->in_line = false;
    }
}

/* The spool's clock is monotonic; the time of day is known for the start of the process. */
static uint64_t wall_time(const struct timeline *timeline, uint64_t time)
{
    const struct ilpi_traced_process *process = timeline->traced.process;
    return process->wall + (time > process->start ? time - process->start : 0);
}

/* Begins a span, up to its attributes. */
static struct ilpi_json *begin_span(struct timeline *timeline, const struct span *span)
{
    struct otlp *otlp = timeline->user;
    struct ilpi_json *json = &otlp->json;
    if (!otlp->in_line) {
        begin_line(timeline);
    }
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "traceId", otlp->trace_id);
    ilpi_json_hex(json, "spanId", span->id);
    if (span->parent != 0) {
        ilpi_json_hex(json, "parentSpanId", span->parent);
    }
    ilpi_json_bytes(json, "name", span->name);
    ilpi_json_unsigned(json, "kind", SPAN_KIND_INTERNAL);
    ilpi_json_unsigned_text(json, "startTimeUnixNano", wall_time(timeline, span->start));
    ilpi_json_unsigned_text(json, "endTimeUnixNano", wall_time(timeline, span->end));
    ilpi_json_object(json, "status", ILPI_JSON_INLINE);
    if (span->failure) {
        ilpi_json_unsigned(json, "code", STATUS_ERROR);
        ilpi_json_string(json, "message", span->failure);
    }
    ilpi_json_end(json);
    ilpi_json_array(json, "attributes", ILPI_JSON_INLINE);
    return json;
}

/* `bytes` is an estimate, which is enough: lines only have to be of a manageable size. */
static void end_span(struct timeline *timeline, size_t bytes)
{
    struct otlp *otlp = timeline->user;
    ilpi_json_end(&otlp->json);
    ilpi_json_end(&otlp->json);
    otlp->bytes += bytes;
    if (otlp->bytes > LINE_BYTES) {
        end_line(otlp);
    }
}

/* ---- spans ---- */

static void process(struct timeline *timeline)
{
    struct otlp *otlp = timeline->user;
    make_trace_id(otlp, &timeline->traced);
    otlp->last = timeline->traced.process->start;
}

/* The number of the call within its thread, which leave() needs for its own id and for those of its
 * callees. It begins at 1, since the call itself is counted already: 0 is the thread's own span. */
static void enter(struct timeline *timeline, struct ilpi_call *calls, size_t depth)
{
    calls[depth - 1].note = (uint32_t)timeline->story.calls;
}

/* A span is written when its end is known, so callees come before their caller; readers put them in
 * order by their ids. */
static void leave(struct timeline *timeline, const struct ilpi_call *calls, size_t depth,
                  const struct ilpi_call_ending *ending)
{
    const struct ilpi_traced_process *traced = timeline->traced.process;
    const struct ilpi_call *call = &calls[depth - 1];
    uint32_t thread = timeline->thread->number;
    struct name name;
    struct name raw;
    struct span span = {
        .id = span_id(thread, call->note),
        .parent = span_id(thread, depth > 1 ? calls[depth - 2].note : 0),
        .name = method_name(timeline->trace, traced, call->method, &name),
        .start = call->start,
        .end = ending->time,
        .failure = ending->how == CALL_UNWOUND ? "left by an exception" : NULL,
    };
    struct ilpi_json *json = begin_span(timeline, &span);
    number_attribute(json, "thread.id", timeline->story.system_id);
    attribute(json, "code.function.name", raw_method_name(traced, call->method, &raw));
    attribute(json, "dotnet.module",
              call->method < traced->methods.count ? traced->methods.items[call->method].module
                                                   : bytes_of(""));
    attribute(json, "dotnet.end", bytes_of(end_name(ending->how)));
    if (call->arguments.data) {
        attribute(json, "dotnet.arguments", call->arguments);
    }
    if (ending->value.data) {
        attribute(json, "dotnet.value", ending->value);
    }
    /* 600 for keys, ids, times and the module; the name comes twice, raw and readable */
    end_span(timeline, 600 + 2 * span.name.size + call->arguments.size + ending->value.size);
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
    struct ilpi_json *json = begin_span(timeline, &span);
    number_attribute(json, "thread.id", timeline->story.system_id);
    end_span(timeline, 400);
}

/* The outermost span is the last one of the process, and ends the line: a line has one resource. */
static void process_end(struct timeline *timeline)
{
    struct otlp *otlp = timeline->user;
    struct name name;
    const struct ilpi_traced_process *traced = timeline->traced.process;
    struct span span = {.id = span_id(0, 0),
                        .name = process_name(traced, &name),
                        .start = traced->start,
                        .end = otlp->last};
    struct ilpi_json *json = begin_span(timeline, &span);
    number_attribute(json, "process.pid", traced->number);
    end_span(timeline, 400);
    end_line(otlp);
}

ilp_status write_otlp(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    static const struct timeline_writer writer = {.process = process,
                                                  .enter = enter,
                                                  .leave = leave,
                                                  .thread_end = thread_end,
                                                  .process_end = process_end};
    struct otlp otlp = {.in_line = false};
    ilpi_json_begin(&otlp.json, text_out_sink(out), ILPI_JSON_COMPACT);
    ILPI_TRY(write_timeline(trace, &writer, &otlp, out, error));
    return json_status(&otlp.json, error);
}
