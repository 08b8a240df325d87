/* A thread's records as calls that nest: what trees, timelines and spans are made of.
 *
 *   LEAVE, TAILCALL, UNWIND   end the call of their method. Calls above it have ended as well,
 *                             at an unknown time
 *   CALLS                     is several calls at once, until the LEAVE that ends the path
 *   VALUE, THROWN             are calls inside the open ones, without duration
 *   an end without a call     was entered before tracing began, or its record was lost:
 *                             counted, and left out
 *   GAP, the thread's end     end what is open
 *
 * If a process counted its calls, the time of an event is the number of calls entered before it.
 *
 * With `subtract` the clock stops while hooks run, according to their measured cost, so that every
 * output has the same times. It never runs backward: if a hook was faster than the measured cost,
 * only the actual time is subtracted. */
#ifndef ILPI_CALLS_H
#define ILPI_CALLS_H

#include "trace/spool_read.h"

/* How a call ended. */
enum ilpi_call_end {
    CALL_RETURNED,
    CALL_TAILCALLED, /* by a tail call: its frame is gone, its callee continues */
    CALL_UNWOUND,    /* by an exception */
    CALL_UNSEEN,     /* earlier; its own record is missing */
    CALL_RUNNING     /* not yet, at the end of the spool */
};

/* An open call. */
struct ilpi_call {
    /* index into the process's methods; methods.count: undefined */
    uint32_t method;
    uint32_t note; /* for the visitor's use */
    uint64_t start;
    struct ilp_bytes arguments; /* borrowed from the file */
};

/* Calls nested deeper than this are counted, but not passed to the visitor. */
#define ILPI_MAX_CALL_DEPTH ((size_t)1 << 18)

/* The memory of a spool and one report of it, besides 1.75 times the size of its file. */
#define ILPI_REPORT_BYTES ((size_t)13 << 20)

/* What remains of that for the report and the open calls. */
size_t ilpi_report_room(const struct ilpi_spool_file *file);

/* Facts about a thread, complete after its last record. */
struct ilpi_thread_story {
    uint64_t system_id;
    struct ilp_bytes name; /* borrowed from the file; may be empty */
    uint64_t first;        /* times of the first and of the last record */
    uint64_t last;
    uint64_t calls;
    uint64_t unmatched;  /* end records without a call */
    uint64_t unseen;     /* calls that ended unseen, inside others that ended */
    uint64_t running;    /* calls open at the end */
    uint64_t past_limit; /* calls too deep to be shown */
    uint64_t lost;       /* number of lost records */
    uint64_t gaps;
    size_t deepest;
    bool ended; /* the thread ended normally */
};

/* How a call ends, and when. */
struct ilpi_call_ending {
    enum ilpi_call_end how;
    uint64_t time;
    /* its returned value or exception, borrowed from the file; NULL: not recorded */
    struct ilp_bytes value;
};

/* Several calls of one path, and how the ones that did not return ended. */
struct ilpi_counted_calls {
    uint64_t calls;
    uint64_t tailcalls;
    uint64_t unwound;
    uint64_t unknown; /* unseen, or not yet */
};

/* All may be NULL. `calls` are the `depth` open ones; the last one is entered or left, and its note
 * may be set. `count` follows an enter that counts for several calls. */
struct ilpi_call_visitor {
    void *user;
    ilp_status (*enter)(void *user, struct ilpi_call *calls, size_t depth, struct ilp_error *error);
    ilp_status (*leave)(void *user, const struct ilpi_call *calls, size_t depth,
                        const struct ilpi_call_ending *ending, struct ilp_error *error);
    void (*count)(void *user, const struct ilpi_call *call,
                  const struct ilpi_counted_calls *counted);
};

/* Visits every call of a thread. `story` is always up to date, so the visitor may read it. */
ilp_status ilpi_visit_calls(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                            const struct ilpi_traced_thread *thread, bool subtract,
                            const struct ilpi_call_visitor *visitor,
                            struct ilpi_thread_story *story, struct ilp_error *error);

#endif
