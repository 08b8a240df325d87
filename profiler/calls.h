/* The open calls of a thread, with the state of their entry: arguments as text, and outcomes of
 * conditions on them.
 *
 * A call is identified by the address of a local of its method. The stack grows down, so a call
 * whose frame ends below the stack pointer is over, whether it returned or was left by an
 * exception; so is one whose local in the same frame belongs to a newer call. A call left by an
 * exception in a frame that ends further up stays until then: at most one per local of a frame. An
 * inlined method is in the frame of another, above or below its local, so the order of locals has
 * no meaning.
 *
 * Used by the thread itself, where values/shape.h may run: neither waits nor calls the runtime. */
#ifndef ILPI_CALLS_H
#define ILPI_CALLS_H

#include "condition/condition.h"
#include "values/line.h"

struct call {
    uintptr_t local;
    uintptr_t frame; /* the end of the frame: the stack pointer at entry */
    int64_t id;
    uint64_t begin;   /* hooks_now() at entry, set again when its text is complete */
    uint32_t next;    /* number of arguments passed, or withheld */
    uint32_t shown;   /* number of those in the text */
    bool over;        /* the text is complete */
    bool refused;     /* a condition is not met, whatever is returned: no text is made */
    size_t at;        /* of the text in the thread's memory */
    size_t outcomes;  /* of the outcomes */
    struct line line; /* the text; calls_line() sets its memory */
};

/* The limits of a call. */
struct call_room {
    size_t text;
    uint32_t outcomes;
};

struct calls {
    struct call *items;
    size_t count, room;
    char *text;
    size_t text_size, text_room;
    struct ilpi_condition_result *outcomes;
    size_t outcome_count, outcome_room;
    bool lost; /* a call had no memory */
};

void calls_close(struct calls *calls);

/* Begins a call. Valid until the next one begins. NULL: no memory; then all calls are forgotten, so
 * that none is mistaken for this one. */
struct call *calls_begin(struct calls *calls, uintptr_t local, int64_t id, uintptr_t frame,
                         struct call_room room);

/* The last begun call, if it is of this method; else NULL. `stack`, here and below: no address
 * below is in use. */
struct call *calls_last(struct calls *calls, int64_t id, uintptr_t stack);

/* Its text, to append to. */
struct line *calls_line(const struct calls *calls, struct call *call);

/* Its outcomes, to be set. */
struct ilpi_condition_result *calls_outcomes(const struct calls *calls, const struct call *call);

/* Completes its text, and frees unused memory. */
void calls_end_text(struct calls *calls, struct call *call);

/* The call of a method with that local; local 0: the last one of the method. NULL: unknown. */
struct call *calls_find(struct calls *calls, uintptr_t local, int64_t id, uintptr_t stack);

/* Ends it, and all calls that began after it. Text and outcomes are valid until the next call
 * begins. */
void calls_leave(struct calls *calls, const struct call *call);

#endif
