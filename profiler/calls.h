/* The calls that a thread is in, with what is known of their entry: arguments as text, and what
 * conditions say of them.
 *
 * A call is known by the address of a local of its method. The stack grows down, so a call whose
 * frame ends below the stack pointer is over, be it that the method returned or that an exception
 * left it; so is one whose local in the same frame is another call's. What an exception left in a
 * frame that ends further up stays until then: that is one call at most for each local of a frame
 * that there was. A method that was inlined is in the frame of another, and above or below its
 * local: so the order of locals says nothing.
 *
 * Used by the thread itself, where values/shape.h may run: neither waits nor calls the runtime. */
#ifndef ILPI_CALLS_H
#define ILPI_CALLS_H

#include "condition/condition.h"
#include "values/line.h"

struct call {
    uintptr_t local;
    uintptr_t frame; /* where the frame ends: the stack pointer at its entry */
    int64_t id;
    uint64_t begin;   /* hooks_now() at its entry, and again when its text has its end */
    uint32_t next;    /* how many arguments have been passed, or left out */
    uint32_t shown;   /* of them, how many are in the text */
    bool over;        /* the text has its end */
    bool refused;     /* a condition is not met, whatever is returned: there is no text */
    size_t at;        /* of the text in the thread's memory, */
    size_t outcomes;  /* and of the outcomes */
    struct line line; /* the text; its memory is calls_line()'s to say */
};

/* How much of these a call may have. */
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
    bool lost; /* there was no memory for one */
};

void calls_close(struct calls *calls);

/* A call begins. Valid until the next one does. NULL: there is no memory; then no call is known any
 * more, so that none is taken for this one. */
struct call *calls_begin(struct calls *calls, uintptr_t local, int64_t id, uintptr_t frame,
                         struct call_room room);

/* The call that began last, if it is of this method; else NULL. `stack`, here and below: nothing
 * that is in use is below that. */
struct call *calls_last(struct calls *calls, int64_t id, uintptr_t stack);

/* Its text, to be written on. */
struct line *calls_line(const struct calls *calls, struct call *call);

/* Its outcomes, to be set. */
struct ilpi_condition_result *calls_outcomes(const struct calls *calls, const struct call *call);

/* Its text has its end, and takes no more memory than it has. */
void calls_end_text(struct calls *calls, struct call *call);

/* The call of a method with that local; local 0: the last one of the method. NULL: none is
 * known. */
struct call *calls_find(struct calls *calls, uintptr_t local, int64_t id, uintptr_t stack);

/* It returns: it is over, and all that began after it. Text and outcomes stay until the next call
 * begins. */
void calls_leave(struct calls *calls, const struct call *call);

#endif
