/* speedscope's file format, with an evented profile for each thread:
 *
 *   {"$schema", "shared": {"frames": [{"name", "file"}, ...]},
 *    "profiles": [{"type": "evented", "unit", "startValue", "endValue", "name",
 *                  "events": [{"type": "O"|"C", "frame", "at"}, ...]}]}
 *
 * Frames are methods; those of a process follow those of the processes before it. */
#include "tools/export/timeline.h"

/* `frame` is the number of frames of the processes before: frames of all processes are one list. */
struct speedscope {
    struct ilpi_json json;
    size_t frame;     /* of the process's first method */
    bool any_profile; /* one was begun, in any thread */
    bool in_profile;  /* the thread in work has begun one: its object is open */
    bool several;     /* several processes: names of threads include theirs */
};

/* They come before the profiles in the file, so all methods of all processes are listed first. One
 * more for each process, for calls of undefined methods. */
static void write_frames(const struct trace *trace, struct speedscope *speedscope)
{
    struct ilpi_json *json = &speedscope->json;
    struct exported_process traced = {.file = NULL};
    struct name name;
    ilpi_json_array(json, "frames", ILPI_JSON_HANGING);
    while (next_process(trace, &traced)) {
        for (uint32_t i = 0; i <= traced.process->methods.count; i++) {
            ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
            ilpi_json_bytes(json, "name", method_name(trace, traced.process, i, &name));
            if (i < traced.process->methods.count) {
                ilpi_json_bytes(json, "file", traced.process->methods.items[i].module);
            }
            ilpi_json_end(json);
        }
    }
    ilpi_json_end(json);
    speedscope->several = traced.number != 0;
}

/* A profile begins with the thread's first call; a thread without calls has none. */
static void begin_profile(struct speedscope *speedscope, uint64_t at)
{
    struct ilpi_json *json = &speedscope->json;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "type", "evented");
    ilpi_json_string(json, "unit", "nanoseconds");
    ilpi_json_unsigned(json, "startValue", at);
    ilpi_json_array(json, "events", ILPI_JSON_HANGING);
    speedscope->any_profile = true;
    speedscope->in_profile = true;
}

/* The members after the events are those that are known last; readers do not mind the order. */
static void end_profile(struct speedscope *speedscope, uint64_t at, struct ilp_bytes name)
{
    struct ilpi_json *json = &speedscope->json;
    ilpi_json_end(json);
    ilpi_json_unsigned(json, "endValue", at);
    ilpi_json_bytes(json, "name", name);
    ilpi_json_end(json);
    speedscope->in_profile = false;
}

/* O and C nest by their order, as in a stack. */
static void event(struct timeline *timeline, const char *type, uint32_t method, uint64_t time)
{
    struct speedscope *speedscope = timeline->user;
    struct ilpi_json *json = &speedscope->json;
    uint64_t at = trace_time(timeline->trace, time);
    if (!speedscope->in_profile) {
        begin_profile(speedscope, at);
    }
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "type", type);
    /* an undefined method has the number methods.count (trace/calls.h): the extra frame */
    ilpi_json_unsigned(json, "frame", speedscope->frame + method);
    ilpi_json_unsigned(json, "at", at);
    ilpi_json_end(json);
}

/* calls[] is the thread's stack, and its last call is the one that begins. */
static void enter(struct timeline *timeline, struct ilpi_call *calls, size_t depth)
{
    event(timeline, "O", calls[depth - 1].method, calls[depth - 1].start);
}

static void leave(struct timeline *timeline, const struct ilpi_call *calls, size_t depth,
                  const struct ilpi_call_ending *ending)
{
    event(timeline, "C", calls[depth - 1].method, ending->time);
}

/* The thread's name, with its process's if there are several. */
static struct ilp_bytes profile_name(const struct timeline *timeline, bool several,
                                     struct name *name)
{
    struct name shorter;
    struct ilp_bytes text = thread_name(&timeline->story, timeline->thread->number,
                                        several ? &shorter : name);
    if (!several) {
        return text;
    }
    size_t size = text.size < ILPI_SPOOL_TEXT ? text.size : ILPI_SPOOL_TEXT;
    memcpy(name->text, text.data, size);
    int added = snprintf(name->text + size, sizeof name->text - size, " (process %u)",
                         timeline->traced.process->number);
    return (struct ilp_bytes){(const uint8_t *)name->text, size + (size_t)added};
}

static void thread_end(struct timeline *timeline)
{
    struct speedscope *speedscope = timeline->user;
    struct name name;
    if (speedscope->in_profile) {
        end_profile(speedscope, trace_time(timeline->trace, timeline->story.last),
                    profile_name(timeline, speedscope->several, &name));
    }
}

/* The frames of the next process follow, with the one for undefined methods. */
static void process_end(struct timeline *timeline)
{
    struct speedscope *speedscope = timeline->user;
    speedscope->frame += timeline->traced.process->methods.count + 1;
}

ilp_status write_speedscope(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    static const struct timeline_writer writer = {
        .enter = enter, .leave = leave, .thread_end = thread_end, .process_end = process_end};
    struct speedscope speedscope = {.frame = 0};
    struct ilpi_json *json = &speedscope.json;
    ilpi_json_begin(json, text_out_sink(out), ILPI_JSON_COMPACT);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    ilpi_json_format(json, "exporter", "ilpatch %s", ilp_version());
    ilpi_json_object(json, "shared", ILPI_JSON_INLINE);
    write_frames(trace, &speedscope);
    ilpi_json_end(json);
    ilpi_json_array(json, "profiles", ILPI_JSON_LINES_ALWAYS);
    ILPI_TRY(write_timeline(trace, &writer, &speedscope, out, error));
    if (!speedscope.any_profile) { /* readers refuse a file without profiles */
        begin_profile(&speedscope, 0);
        end_profile(&speedscope, 0, bytes_of("no calls"));
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
    ilpi_json_finish(json);
    return json_status(json, error);
}
