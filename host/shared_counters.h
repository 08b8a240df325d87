/* What a process with the profiler has counted so far, where it outlives the process: in the head
 * of the file for what the profiler says (ENV_STATUS), which `ilpatch run` makes and every process
 * maps. A count is one store in memory; it is there even if the process is killed, and on a full
 * disk, since the room is taken beforehand.
 *
 *   head: slots, one for each process | lines (profiler/status.h) */
#ifndef SHARED_COUNTERS_H
#define SHARED_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "ilpatch.h"

struct shared_counters_slot {
    _Atomic uint32_t process;    /* its number; 0: free */
    _Atomic uint32_t ended;      /* the runtime was shut down, and all has been said */
    _Atomic uint32_t lost;       /* so many writes of values failed, */
    _Atomic uint32_t lost_error; /* the last with this errno */
    uint32_t by_reason[ILP_REASON_COUNT];
};

/* Processes beyond these are not counted unless they end by themselves. */
enum { SHARED_COUNTERS_SLOTS = 24 };

struct shared_counters {
    char magic[8];
    uint32_t size; /* of the head, as its maker has it */
    struct shared_counters_slot slots[SHARED_COUNTERS_SLOTS];
};

/* Takes the room for the head, and for some lines behind it. False: errno says why. */
bool shared_counters_make(const char *path);

/* A slot for this process, for as long as it lives; NULL: the file has no head, or no slot is
 * left. */
struct shared_counters_slot *shared_counters_join(const char *path);

/* The slot is gone, and stays taken: what was counted counts. */
void shared_counters_leave(struct shared_counters_slot *slot);

/* The head of an open file, which then stands at the first line; without one at its beginning, and
 * no slot is taken. */
void shared_counters_read(FILE *file, struct shared_counters *counters);

/* Notes that something could not be written. Leaves errno as it is. */
void shared_counters_lose(struct shared_counters_slot *slot, int error);

#endif
