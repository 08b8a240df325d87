/* What the runtime's event provider reports of a tail call: two events of the JIT's, as they come
 * in the process.
 *
 *   MethodJitTailCallSucceeded   3 x method, TailPrefix, TailCallType
 *   MethodJitTailCallFailed      3 x method, TailPrefix, FailReason
 *
 * A method is three strings: its type, its name, its signature. It is the runtime that writes them,
 * but names come from the metadata of whatever it has loaded, so all of it is checked. */
#ifndef ILPI_TAIL_EVENT_H
#define ILPI_TAIL_EVENT_H

#include "base/cursor.h"
#include "host/tail_outcome.h"
#include "profiler/clr/event_pipe.h"

/* Longer names are cut. */
#define TAIL_TEXT_SIZE 1024u

struct tail_method {
    char type[TAIL_TEXT_SIZE];
    char name[TAIL_TEXT_SIZE];
    char signature[TAIL_TEXT_SIZE];
};

struct tail_event {
    struct tail_method compiled; /* what the JIT works on */
    struct tail_method caller;   /* "<null>" with .NET 10 */
    struct tail_method callee;
    bool prefixed;
    enum tail_outcome outcome;
    char reason[TAIL_TEXT_SIZE]; /* why it is refused */
};

/* False for anything that is not one of the two events, whole. Bytes behind its end are left alone:
 * later versions of an event append fields. */
bool tail_event_read(struct tail_event *event, uint32_t id, struct ilp_bytes payload);

#endif
