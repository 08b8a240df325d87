/* The current System.Diagnostics.Activity of a thread, read from the memory of objects:
 *
 *   Thread._executionContext -> ExecutionContext.m_localValues -> a map of AsyncLocal objects and
 *   their values -> Activity._traceId, _spanId, _id
 *
 * as Activity.Current finds it in .NET 7 to 10. Other names and forms give no result: an id is
 * never guessed. Runs where shape_put() may (shape.h). */
#ifndef ILPI_VALUES_ACTIVITY_H
#define ILPI_VALUES_ACTIVITY_H

#include "values/shape.h"

/* What the profiler knows of the process. Borrowed during a call. */
struct activity_source {
    const struct object_types *types; /* shapes of objects, by which fields are found */
    /* Whether this AsyncLocal<Activity> belongs to Activity.Current: a program may have others. */
    enum ilp_tristate (*is_current)(void *user, const void *local);
    void *user; /* of is_current() */
};

/* The digits of a W3C trace id and span id; of a hierarchical id everything. */
enum { ACTIVITY_TRACE_DIGITS = 32, ACTIVITY_SPAN_DIGITS = 16 };

/* UTF-16 inside the objects, valid as long as they do not move. */
struct activity {
    const char *unknown;         /* why it is unknown, for messages; NULL: it is known */
    const uint8_t *trace, *span; /* both or none */
    const uint8_t *id;           /* of an activity without them; NULL: none */
    int32_t id_length;
};

/* `thread`: a System.Threading.Thread; NULL gives none. */
struct activity activity_of(const struct activity_source *source, const void *thread);

#endif
