/* The entry of a call, kept for its value: arguments as text, and outcomes of conditions on them.
 *
 *   enter --begin()--> argument --pass()--> ... argument --pass()--> value --leave()
 *
 * Used by the thread itself, under the rules of values/shape.h. */
#ifndef ILPI_ENTRY_H
#define ILPI_ENTRY_H

#include "profiler/calls.h"
#include "profiler/choice.h"
#include "profiler/shown_line.h"

struct kept_shape;

/* How an argument is read. */
struct entry_argument {
    const struct kept_shape *kept; /* NULL: it is neither shown nor tested, or withheld */
    enum secrecy secrecy;
    bool withheld;
    bool tested;   /* a condition compares it */
    bool doubtful; /* it may refer to memory that is not an object reference yet, or any more */
};

/* Of a method. */
struct entry_method {
    const struct entry_argument *arguments; /* the passed ones; NULL: entries are not known */
    uint32_t argument_count;
    uint32_t first;                    /* 1: the first of them is `this`, which is not shown */
    bool shows;                        /* the others are shown */
    bool at_end;                       /* passed when the call ends: its duration is unknown */
    const struct shown_method *method; /* with the shown ones */
    const struct choice_method *choice;
};

/* Whether anything depends on the entry; `only_counts`: the text does not. */
bool entry_is_needed(const struct entry_method *entry, bool only_counts);

/* `local` and `frame` are for calls_begin(). */
void entry_begin(struct calls *calls, const struct entry_method *entry, uintptr_t local, int64_t id,
                 uintptr_t frame);

/* The argument that the last begun call expects next; NULL: none, or nothing depends on it. */
const struct entry_argument *entry_waits_for(const struct call *call,
                                             const struct entry_method *entry);

/* Passes it; NULL: it cannot be read, or was not needed. */
void entry_pass(struct calls *calls, struct call *call, const struct entry_method *entry,
                struct choice_thread *thread, const struct shaped_value *value);

/* The entry of a call that returns. */
struct left_call {
    struct choice_call choice;
    struct shown_call call;
    bool shows; /* `call` is for the line */
};

/* Ends a call whose value is at `value`: its local, except for a null reference. Valid until the
 * next call begins. A call that an exception leaves is kept: it may continue, if a finally block
 * replaces the exception by one that is caught. */
struct left_call entry_leave(struct calls *calls, const struct entry_method *entry,
                             const void *value, int64_t id, uintptr_t stack, bool threw);

#endif
