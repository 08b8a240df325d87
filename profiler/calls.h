/* The calls that a thread is in, with what their lines say of the entry: their arguments as text.
 *
 * A call is known by the address of a local of its method. The stack grows down, so what lies below
 * the stack pointer is over, be it that the method returned or that an exception left it. What lies
 * above may be over as well; nothing finds it but a later call at the same address, which takes its
 * place. A method that was inlined lies in the frame of another, and above or below its
 * local: so the order of the addresses says nothing more.
 *
 * Used by the thread itself, where values/shape.h may run: neither waits nor calls the runtime. */
#ifndef ILPI_CALLS_H
#define ILPI_CALLS_H

#include "values/line.h"

struct call {
    uintptr_t local;
    int64_t id;
    uint64_t begin;   /* hooks_now() at its entry, and again when its text has its end */
    uint32_t next;    /* how many arguments have been passed, or left out */
    uint32_t shown;   /* of them, how many are in the text */
    bool over;        /* the text has its end */
    size_t at;        /* of the text in the thread's memory */
    struct line line; /* the text; its memory is calls_line()'s to say */
};

struct calls {
    struct call *items;
    size_t count, room;
    char *text;
    size_t text_size, text_room;
};

void calls_close(struct calls *calls);

/* A call begins, with a text of so many bytes at most. `stack` is below all that is not over. NULL:
 * there is no memory. Valid until the next one begins. */
struct call *calls_begin(struct calls *calls, uintptr_t local, int64_t id, uintptr_t stack,
                         size_t room);

/* The call that began last, if it is of this method; else NULL. */
struct call *calls_last(struct calls *calls, int64_t id, uintptr_t stack);

/* Its text, to be written on. */
struct line *calls_line(const struct calls *calls, struct call *call);

/* Its text has its end, and takes no more memory than it has. */
void calls_end_text(struct calls *calls, struct call *call);

/* The call of a method with that local; local 0: the last one of the method. NULL: none is
 * known. */
struct call *calls_find(const struct calls *calls, uintptr_t local, int64_t id);

/* It returns: it is over, and all that began after it. The text stays until the next call
 * begins. */
void calls_leave(struct calls *calls, const struct call *call);

#endif
