/* The calls of a process as bars of a timeline: no more of them than a limit, however many calls
 * there are.
 *
 * When there are too many, those that took longest stay, a quarter of the limit. Of the others
 * those that follow each other in one call become a run: one bar from the first of them to the
 * last, with what they took together and how many calls it is, all that they called included. A
 * call takes no less than what it calls, so a call that stays is always within one that does. */
#ifndef ILPI_CALL_BARS_H
#define ILPI_CALL_BARS_H

#include "trace/calls.h"

#define ILPI_RUN           UINT32_MAX /* the method of runs */
#define ILPI_MAX_BAR_DEPTH 256u       /* deeper calls have no bar */
#define ILPI_LEAST_BARS    2048u      /* a limit is no less */

struct ilpi_call_bar {
    uint64_t start;
    uint64_t length;
    uint64_t busy;   /* of a run: what its calls took together */
    uint64_t calls;  /* of a run, all in it; of a call, itself and all within it */
    uint32_t method; /* index into the process's methods, their count, or ILPI_RUN */
    uint32_t thread; /* index into the process's threads */
    uint16_t depth;  /* 0: called by none that is known */
    bool open;       /* while its thread is read */
    enum ilpi_call_end how;
};

struct ilpi_call_bars {
    struct ilpi_spool_file *file;
    const struct ilpi_traced_process *process;
    /* thread by thread, in each in the order in which they begin, a call before those it makes */
    ILPI_LIST(struct ilpi_call_bar) bars;
    size_t limit;
    uint64_t *lengths; /* owned: room to choose the longest */
    uint64_t least;    /* calls that took less are in runs */
    uint64_t in_runs;  /* so many */
    uint64_t deeper;   /* calls have no bar: they are too deep, */
    uint64_t left_out; /* or there is no room for one more */
};

/* Reads all threads of the process. Close it in any case. There is room for `limit` of them where
 * ilpi_report_room() has four times as much. */
ilp_status ilpi_call_bars_open(struct ilpi_call_bars *bars, struct ilpi_spool_file *file,
                               struct ilpi_traced_process *process, bool subtract, size_t limit,
                               struct ilp_error *error);
void ilpi_call_bars_close(struct ilpi_call_bars *bars);

#endif
