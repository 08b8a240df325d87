/* Events of the runtime's provider about a tail call: two events of the JIT, delivered in the
 * process.
 *
 *   MethodJitTailCallSucceeded   3 x method, TailPrefix, TailCallType
 *   MethodJitTailCallFailed      3 x method, TailPrefix, FailReason
 *
 * A method is three strings: its type, its name, its signature. The runtime writes them, but names
 * come from the metadata of whatever it has loaded, so everything is checked. */
#ifndef ILPI_TAIL_EVENT_H
#define ILPI_TAIL_EVENT_H

#include "base/cursor.h"
#include "host/tail_outcome.h"
#include "profiler/clr/event_pipe.h"

/* Longer names are truncated. */
#define TAIL_TEXT_SIZE 1024u

struct tail_method {
    char type[TAIL_TEXT_SIZE];
    char name[TAIL_TEXT_SIZE];
    char signature[TAIL_TEXT_SIZE];
};

struct tail_event {
    struct tail_method compiled; /* the method being compiled */
    struct tail_method caller;   /* "<null>" with .NET 10 */
    struct tail_method callee;
    bool prefixed;
    enum tail_outcome outcome;
    char reason[TAIL_TEXT_SIZE]; /* why it was refused */
};

/* False for anything but one of the two complete events. Bytes after its end are ignored: later
 * versions append fields. */
bool tail_event_read(struct tail_event *event, uint32_t id, struct ilp_bytes payload);

#endif
