/* Returned values, one per line, thread by thread: for grep, sort and awk.
 *
 *   seconds thread Type.Method(arguments) -> value
 *   seconds thread Type.Method(arguments) threw exception
 *
 * Seconds count from the start of the first process, with nine digits after the point and a fixed
 * width, so that sorting the lines orders all threads and processes by time. */
#include "tools/export/timeline.h"

#include <inttypes.h>

/* A call without a recorded value has no line. The value of a call that an exception ended is the
 * exception. */
static void leave(struct timeline *timeline, const struct ilpi_call *calls, size_t depth,
                  const struct ilpi_call_ending *ending)
{
    const struct ilpi_call *call = &calls[depth - 1];
    uint64_t time = trace_time(timeline->trace, ending->time);
    struct name name;
    FILE *out = timeline->out;
    if (!ending->value.data) {
        return;
    }
    if (!takes_value(timeline->trace, timeline->traced.process, call->method, ending->time,
                     ending->value)) {
        return;
    }
    fprintf(out, "%6" PRIu64 ".%09" PRIu64 " %" PRIu64 " ", time / 1000000000, time % 1000000000,
            timeline->story.system_id);
    text_out_bytes(out, method_name(timeline->trace, timeline->traced.process, call->method, &name),
                   false);
    fputc('(', out);
    text_out_bytes(out, call->arguments, false);
    fputs(ending->how == CALL_UNWOUND ? ") threw " : ") -> ", out);
    text_out_bytes(out, ending->value, false);
    fputc('\n', out);
}

ilp_status write_lines(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    static const struct timeline_writer writer = {.leave = leave};
    return write_timeline(trace, &writer, NULL, out, error);
}
