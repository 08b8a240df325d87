/* The entry of a call, as its value finds it: arguments as text, and what conditions say of them.
 *
 *   enter --begin()--> argument --pass()--> ... argument --pass()--> value --leave()
 *
 * Used by the thread itself, where values/shape.h may run. */
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
    bool doubtful; /* what it leads to may be no object reference yet, or no more */
};

/* Of a method. */
struct entry_method {
    const struct entry_argument *arguments; /* those that are passed; NULL: no entry is known */
    uint32_t argument_count;
    uint32_t first; /* 1: `this` is the first of them, and not shown */
    bool shows;     /* the others are shown */
    bool at_end;    /* they are passed when the call ends: how long it took is not known */
    const struct shown_method *method; /* with those that are shown */
    const struct choice_method *choice;
};

/* Whether anything depends on the entry; `only_counts`: no text does. */
bool entry_is_needed(const struct entry_method *entry, bool only_counts);

/* `local` and `frame` are for calls_begin(). */
void entry_begin(struct calls *calls, const struct entry_method *entry, uintptr_t local, int64_t id,
                 uintptr_t frame);

/* The argument that the call which began last waits for; NULL: none, or nothing depends on it. */
const struct entry_argument *entry_waits_for(const struct call *call,
                                             const struct entry_method *entry);

/* That argument; NULL: it cannot be read, or was not waited for. */
void entry_pass(struct calls *calls, struct call *call, const struct entry_method *entry,
                struct choice_thread *thread, const struct shaped_value *value);

/* What is known of a call that returns. */
struct left_call {
    struct choice_call choice;
    struct shown_call call;
    bool shows; /* `call` is for the line */
};

/* Its value is at `value`: in the call's local, but for a reference that is null. Valid until the
 * next call begins. One that an exception leaves may go on, if a finally block replaces
 * that by one which is caught: so it is not forgotten. */
struct left_call entry_leave(struct calls *calls, const struct entry_method *entry,
                             const void *value, int64_t id, uintptr_t stack, bool threw);

#endif
