/* speedscope's file format, with an evented profile for each thread:
 *
 *   {"$schema", "shared": {"frames": [{"name", "file"}, ...]},
 *    "profiles": [{"type": "evented", "unit", "startValue", "endValue", "name",
 *                  "events": [{"type": "O"|"C", "frame", "at"}, ...]}]}
 *
 * Frames are methods; those of a process stand behind those of the ones before it.
 */
#include "tools/export/timeline.h"

#include <inttypes.h>

struct speedscope {
    size_t frame; /* of the process's first method */
    size_t profiles;
    bool in_profile;
    bool several; /* processes: their threads have names that tell them apart */
};

static void write_frames(const struct trace *trace, struct speedscope *speedscope, FILE *out)
{
    struct traced traced = {.file = NULL};
    struct name name;
    bool comma = false;
    while (next_process(trace, &traced)) {
        for (uint32_t i = 0; i <= traced.process->method_count; i++) {
            fputs(comma ? ",\n{\"name\":" : "\n{\"name\":", out);
            json_out_bytes(out, method_name(traced.process, i, &name));
            if (i < traced.process->method_count) {
                fputs(",\"file\":", out);
                json_out_bytes(out, traced.process->methods[i].module);
            }
            fputc('}', out);
            comma = true;
        }
    }
    speedscope->several = traced.number != 0;
}

/* A thread begins with its first call; one without any does not appear. */
static void begin_profile(struct timeline *timeline, uint64_t at)
{
    struct speedscope *speedscope = timeline->user;
    fprintf(timeline->out, "%s\n{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"startValue\":%" PRIu64 ",\"events\":[",
            speedscope->profiles++ != 0 ? "," : "", at);
    speedscope->in_profile = true;
}

static void event(struct timeline *timeline, char type, uint32_t method, uint64_t time)
{
    struct speedscope *speedscope = timeline->user;
    uint64_t at = trace_time(timeline, time);
    bool first = !speedscope->in_profile;
    if (first) {
        begin_profile(timeline, at);
    }
    fprintf(timeline->out, "%s\n{\"type\":\"%c\",\"frame\":%zu,\"at\":%" PRIu64 "}", first ? "" : ",", type,
            speedscope->frame + method, at);
}

static void enter(struct timeline *timeline, struct ilpi_call *calls, size_t depth)
{
    event(timeline, 'O', calls[depth - 1].method, calls[depth - 1].start);
}

static void leave(struct timeline *timeline, const struct ilpi_call *calls, size_t depth, enum ilpi_call_end how,
                  uint64_t time, struct ilp_bytes value)
{
    (void)how;
    (void)value;
    event(timeline, 'C', calls[depth - 1].method, time);
}

static void write_profile_name(struct timeline *timeline, bool several)
{
    struct name name;
    struct name longer;
    struct ilp_bytes text = thread_name(&timeline->story, timeline->thread->number, &name);
    if (several) {
        size_t size = text.size < ILPI_SPOOL_TEXT ? text.size : ILPI_SPOOL_TEXT;
        memcpy(longer.text, text.data, size);
        int added = snprintf(longer.text + size, sizeof longer.text - size, " (process %u)", timeline->traced.process->number);
        text = (struct ilp_bytes){(const uint8_t *)longer.text, size + (size_t)added};
    }
    json_out_bytes(timeline->out, text);
}

static void thread_end(struct timeline *timeline)
{
    struct speedscope *speedscope = timeline->user;
    if (speedscope->in_profile) {
        fprintf(timeline->out, "],\"endValue\":%" PRIu64 ",\"name\":", trace_time(timeline, timeline->story.last));
        write_profile_name(timeline, speedscope->several);
        fputc('}', timeline->out);
        speedscope->in_profile = false;
    }
}

static void process_end(struct timeline *timeline)
{
    struct speedscope *speedscope = timeline->user;
    speedscope->frame += timeline->traced.process->method_count + 1;
}

ilp_status write_speedscope(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    static const struct timeline_writer writer = {
        .enter = enter, .leave = leave, .thread_end = thread_end, .process_end = process_end};
    struct speedscope speedscope = {.frame = 0};
    fprintf(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"ilpatch %s\",",
            ilp_version());
    fputs("\"shared\":{\"frames\":[", out);
    write_frames(trace, &speedscope, out);
    fputs("]},\"profiles\":[", out);
    ILPI_TRY(write_timeline(trace, &writer, &speedscope, out, error));
    if (speedscope.profiles == 0) { /* a file without any is refused */
        fputs("\n{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"startValue\":0,\"events\":[],\"endValue\":0,"
              "\"name\":\"no calls\"}", out);
    }
    fputs("\n]}\n", out);
    return ILP_OK;
}
