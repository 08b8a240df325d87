/* What formats with a timeline share: each thread's calls as a stream, with everything an event
 * needs. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "tools/export/format.h"

/* The state of a writer. */
struct timeline {
    const struct trace *trace;
    struct exported_process traced;          /* the process in work */
    const struct ilpi_traced_thread *thread; /* the thread in work; not valid in `process` */
    struct ilpi_thread_story story;          /* of the thread: up to date in each callback */
    FILE *out;
    void *user; /* the format's */
};

/* A format's callbacks; any of them may be NULL. calls[0] to calls[depth - 1] are the open calls of
 * the thread, of which the last one begins or ends. In `thread_end` the story is complete: a name
 * that was set late is in it. */
struct timeline_writer {
    void (*process)(struct timeline *timeline);
    void (*enter)(struct timeline *timeline, struct ilpi_call *calls, size_t depth);
    void (*leave)(struct timeline *timeline, const struct ilpi_call *calls, size_t depth,
                  const struct ilpi_call_ending *ending);
    void (*thread_end)(struct timeline *timeline);
    void (*process_end)(struct timeline *timeline);
};

ilp_status write_timeline(const struct trace *trace, const struct timeline_writer *writer,
                          void *user, FILE *out, struct ilp_error *error);

#endif
