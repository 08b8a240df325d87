/* What a process with the profiler has counted so far, where it outlives the process: in the head
 * of the file for what the profiler says (ENV_STATUS), which the command makes and every process
 * maps. A count is one store in memory; it is there even if the process is killed, and on a full
 * disk.
 *
 *   head: slots, one for each process | lines (profiler/status.h)
 *
 * It is a file in memory that none can make shorter (F_SEAL_SHRINK): a mapped page that is cut off
 * would be a SIGBUS in the application. It has no name that could be planted: a process opens it by
 * the command's descriptor, /proc/PID/fd/N, so it is gone with the command, and is never made
 * again. */
#ifndef SHARED_COUNTERS_H
#define SHARED_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "ilpatch.h"
#include "inspect/reasons.h"

struct shared_counters_slot {
    _Atomic uint32_t process;    /* its number; 0: free */
    _Atomic uint32_t ended;      /* the runtime was shut down, and all has been said */
    _Atomic uint32_t lost;       /* so many writes of values failed, */
    _Atomic uint32_t lost_error; /* the last for this reason */
    uint32_t by_reason[ILPI_REASON_COUNT];
};

/* Processes beyond these are not counted unless they end by themselves. */
enum { SHARED_COUNTERS_SLOTS = 24 };

struct shared_counters {
    char magic[8];
    uint32_t size; /* of the head, as its maker has it */
    struct shared_counters_slot slots[SHARED_COUNTERS_SLOTS];
};

/* Makes the file, with an empty head; what is written to the descriptor is added at the end. -1:
 * errno says why. */
int shared_counters_make(void);

/* The name by which processes of this user open it while this process has it. Owned by the caller;
 * NULL: no memory. */
char *shared_counters_name(int file);

/* Whether a name is of that form, and not one that somebody has given to a file. */
bool shared_counters_is_name(const char *name);

/* Opens such a name, as shared_counters_make() has it. -1: the command is gone, or something else
 * has the name now. */
int shared_counters_open(const char *name);

/* Whether a descriptor is one of such a file, made by this user or by root. */
bool shared_counters_is_file(int file);

/* A slot for this process, for as long as it lives; NULL: it is not such a file, or no slot is
 * left. */
struct shared_counters_slot *shared_counters_join(int file);

/* The slot is gone, and stays taken: what was counted counts. */
void shared_counters_leave(struct shared_counters_slot *slot);

/* The head of an open file, which then stands at the first line; without one at its beginning, and
 * no slot is taken. */
void shared_counters_read(FILE *file, struct shared_counters *counters);

/* In the place of an errno: somebody made the file shorter (profiler/cut_off.h). */
enum { LOST_CUT_OFF = 1 << 16 };

/* Notes that so many things could not be written, and why: an errno, or LOST_CUT_OFF. Leaves errno
 * as it is. */
void shared_counters_lose(struct shared_counters_slot *slot, uint32_t count, int error);

#endif
