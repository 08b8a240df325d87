/* A thread's records as calls that nest: what trees, timelines and spans are made of.
 *
 *   LEAVE, TAILCALL, UNWIND   end the call that they name. Those above it have ended, too, but
 *                             nobody said when
 *   CALLS                     is several calls at once, down to the LEAVE that ends the path
 *   VALUE, THROWN             are calls within those that are open, of no duration
 *   an end without a call     was entered before tracing began, or where records were lost:
 *                             counted, and left out
 *   GAP, the thread's end     end what is open
 *
 * Of a process whose calls were counted, time is a number of calls: how many were entered before.
 *
 * With `subtract` the clock stands still while hooks work, as far as their cost is known: so every
 * output has the same times. It never runs backward: where a hook was faster than the cost says, no
 * more is taken away than there is. */
#ifndef ILPI_CALLS_H
#define ILPI_CALLS_H

#include "trace/spool_read.h"

/* How a call ended. */
enum ilpi_call_end {
    CALL_RETURNED,
    CALL_TAILCALLED, /* by a tail call: its frame is gone, what it called goes on */
    CALL_UNWOUND,    /* by an exception */
    CALL_UNSEEN,     /* before this time; its own record is not there */
    CALL_RUNNING     /* not yet, as far as the spool goes */
};

struct ilpi_call {
    /* index into the process's methods; methods.count: one that is not defined */
    uint32_t method;
    uint32_t note; /* the visitor's */
    uint64_t start;
    struct ilp_bytes arguments; /* borrowed from the file */
};

/* More than this many calls within each other are counted, but not given to the visitor. */
#define ILPI_MAX_CALL_DEPTH ((size_t)1 << 18)

/* What a spool and one report of it may take, besides 1.75 times the bytes of its file. */
#define ILPI_REPORT_BYTES ((size_t)13 << 20)

/* What is left of that for the report and the calls that are open. */
size_t ilpi_report_room(const struct ilpi_spool_file *file);

/* What is known of the thread when all has been read. */
struct ilpi_thread_story {
    uint64_t system_id;
    struct ilp_bytes name; /* borrowed from the file; empty if it has none */
    uint64_t first;        /* times of the first and of the last record */
    uint64_t last;
    uint64_t calls;
    uint64_t unmatched;  /* ends without a call */
    uint64_t unseen;     /* calls without an end, while others around them ended */
    uint64_t running;    /* calls without an end at the end */
    uint64_t past_limit; /* calls too deep to be shown */
    uint64_t lost;       /* records */
    uint64_t gaps;
    size_t deepest;
    bool ended; /* in order */
};

/* How a call ends, and when. */
struct ilpi_call_ending {
    enum ilpi_call_end how;
    uint64_t time;
    /* what it returned, or the exception, borrowed from the file; NULL: not recorded */
    struct ilp_bytes value;
};

/* Several calls of one path, and how those of them ended that did not return. */
struct ilpi_counted_calls {
    uint64_t calls;
    uint64_t tailcalls;
    uint64_t unwound;
    uint64_t unknown; /* unseen, or not yet */
};

/* All may be NULL. `calls` are those that are open, `depth` of them; the last one is what is
 * entered or left, and may be noted in. `count` follows an enter that stands for several. */
struct ilpi_call_visitor {
    void *user;
    ilp_status (*enter)(void *user, struct ilpi_call *calls, size_t depth, struct ilp_error *error);
    ilp_status (*leave)(void *user, const struct ilpi_call *calls, size_t depth,
                        const struct ilpi_call_ending *ending, struct ilp_error *error);
    void (*count)(void *user, const struct ilpi_call *call,
                  const struct ilpi_counted_calls *counted);
};

/* Every call of a thread. `story` is kept up to date all the time, so the visitor may look. */
ilp_status ilpi_visit_calls(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                            const struct ilpi_traced_thread *thread, bool subtract,
                            const struct ilpi_call_visitor *visitor,
                            struct ilpi_thread_story *story, struct ilp_error *error);

#endif
