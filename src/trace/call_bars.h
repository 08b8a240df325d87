/* The calls of a process as bars of a timeline: bounded by a limit, however many calls there are.
 *
 * When there are too many, the longest calls stay, up to a quarter of the limit. Of the others,
 * consecutive calls of one caller are merged into a run: one bar from the first to the last, with
 * their total time and the number of calls, including callees. A call takes at least as long as its
 * callees, so a call that stays is always inside one that stays. */
#ifndef ILPI_CALL_BARS_H
#define ILPI_CALL_BARS_H

#include "trace/calls.h"

#define ILPI_RUN           UINT32_MAX /* the method of runs */
#define ILPI_MAX_BAR_DEPTH 256u       /* deeper calls have no bar */
#define ILPI_LEAST_BARS    2048u      /* the lowest limit */

/* A call, or a run of calls too short for bars of their own. */
struct ilpi_call_bar {
    uint64_t start;
    uint64_t length;
    uint64_t busy;   /* of a run: the total time of its calls */
    uint64_t calls;  /* of a run, all in it; of a call, itself and its callees */
    uint32_t method; /* index into the process's methods, their count, or ILPI_RUN */
    uint32_t thread; /* index into the process's threads */
    uint16_t depth;  /* 0: no known caller */
    bool open;       /* while its thread is read */
    enum ilpi_call_end how;
};

/* The longest calls of a process, as many as there is room for. */
struct ilpi_call_bars {
    struct ilpi_spool_file *file;
    const struct ilpi_traced_process *process;
    /* by thread; in each by start time, a call before its callees */
    ILPI_LIST(struct ilpi_call_bar) bars;
    size_t limit;
    uint64_t *lengths; /* owned: scratch for choosing the longest */
    uint64_t least;    /* shorter calls are in runs */
    uint64_t in_runs;  /* number of those */
    uint64_t deeper;   /* calls without a bar, since they are too deep */
    uint64_t left_out; /* or since there is no room */
};

/* Reads all threads of the process. Close it in any case. `limit` bars are possible if
 * ilpi_report_room() is four times their size. */
ilp_status ilpi_call_bars_open(struct ilpi_call_bars *bars, struct ilpi_spool_file *file,
                               struct ilpi_traced_process *process, bool subtract, size_t limit,
                               struct ilp_error *error);
void ilpi_call_bars_close(struct ilpi_call_bars *bars);

#endif
