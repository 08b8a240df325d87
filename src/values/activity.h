/* The System.Diagnostics.Activity that is current on a thread, from the memory of objects alone:
 *
 *   Thread._executionContext -> ExecutionContext.m_localValues -> a map of AsyncLocal objects and
 *   their values -> Activity._traceId, _spanId, _id
 *
 * as Activity.Current finds it in .NET 7 to 10. Names and forms that are not as there give nothing:
 * an id is never guessed. Runs where shape_put() may (shape.h). */
#ifndef ILPI_VALUES_ACTIVITY_H
#define ILPI_VALUES_ACTIVITY_H

#include "values/shape.h"

struct activity_source {
    const struct object_types *types;
    /* Whether this AsyncLocal<Activity> is the one of Activity.Current: a program may have others.
     */
    enum ilp_truth (*is_current)(void *user, const void *local);
    void *user;
};

/* Of a W3C trace id and span id the digits; of a hierarchical id all of it. */
enum { ACTIVITY_TRACE_DIGITS = 32, ACTIVITY_SPAN_DIGITS = 16 };

/* UTF-16 in the objects, so it is there as long as they are not moved. */
struct activity {
    const char *unknown;         /* why nothing is known of it, for people; NULL: what follows is */
    const uint8_t *trace, *span; /* both or none */
    const uint8_t *id;           /* without them; NULL: there is none */
    int32_t id_length;
};

/* `thread`: a System.Threading.Thread; NULL has none. */
struct activity activity_of(const struct activity_source *source, const void *thread);

#endif
