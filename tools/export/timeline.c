/* Streams the calls of threads. See timeline.h.
 *
 * One process after the other, one thread after the other, each call at its start and its end: what
 * a format has to hold is the stack of one thread. A writer does not report failures; the stream's
 * error is looked at after each call of it, so a full disk ends the work early. */
#include "tools/export/timeline.h"

/* What the callbacks of ilpi_visit_calls() need. */
struct stream {
    struct timeline *timeline;
    const struct timeline_writer *writer;
};

/* The reason of a failed write is the stream's: write_to() of convert.c reads it there. */
static ilp_status written(const struct timeline *timeline, struct ilp_error *error)
{
    return ferror(timeline->out)
               ? ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0, "cannot write")
               : ILP_OK;
}

static ilp_status enter(void *user, struct ilpi_call *calls, size_t depth, struct ilp_error *error)
{
    const struct stream *stream = user;
    if (stream->writer->enter) {
        stream->writer->enter(stream->timeline, calls, depth);
    }
    return written(stream->timeline, error);
}

static ilp_status leave(void *user, const struct ilpi_call *calls, size_t depth,
                        const struct ilpi_call_ending *ending, struct ilp_error *error)
{
    const struct stream *stream = user;
    if (stream->writer->leave) {
        stream->writer->leave(stream->timeline, calls, depth, ending);
    }
    return written(stream->timeline, error);
}

/* A format without this part has NULL for it. */
static void call_writer(struct timeline *timeline, void (*part)(struct timeline *timeline))
{
    if (part) {
        part(timeline);
    }
}

static ilp_status write_thread(struct timeline *timeline, const struct timeline_writer *writer,
                               struct ilp_error *error)
{
    struct stream stream = {timeline, writer};
    const struct ilpi_call_visitor visitor = {&stream, enter, leave, NULL};
    ILPI_TRY(ilpi_visit_calls(timeline->traced.file, timeline->traced.process, timeline->thread,
                              timeline->trace->subtract, &visitor, &timeline->story, error));
    call_writer(timeline, writer->thread_end);
    return written(timeline, error);
}

/* process                              for each process of the spools
 *   enter  enter leave  leave          for each thread, nested as the calls were
 *   thread_end                         also of a thread without calls
 * process_end */
ilp_status write_timeline(const struct trace *trace, const struct timeline_writer *writer,
                          void *user, FILE *out, struct ilp_error *error)
{
    struct timeline timeline = {.trace = trace, .out = out, .user = user};
    while (next_process(trace, &timeline.traced)) {
        const struct ilpi_traced_process *process = timeline.traced.process;
        call_writer(&timeline, writer->process);
        for (size_t i = 0; i < process->threads.count; i++) {
            timeline.thread = &process->threads.items[i];
            ILPI_TRY(write_thread(&timeline, writer, error));
        }
        call_writer(&timeline, writer->process_end);
    }
    return ILP_OK;
}
