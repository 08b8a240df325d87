/* Counts of processes with the profiler, in memory that outlives them: the head of the status file
 * (ENV_STATUS), which the command makes and every process maps. Counting is one store; it survives
 * a kill, and works on a full disk.
 *
 *   head: slots, one for each process | lines (profiler/status.h)
 *
 * It is a file in memory, sealed against shrinking (F_SEAL_SHRINK): a truncated mapped page would
 * be a SIGBUS in the application. It has no name that could be planted: a process opens it by the
 * command's descriptor, /proc/PID/fd/N, so it disappears with the command, and is never made
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
    _Atomic uint32_t ended;      /* the runtime was shut down, and everything was reported */
    _Atomic uint32_t lost;       /* number of failed writes of values */
    _Atomic uint32_t lost_error; /* errno of the last failure */
    uint32_t by_reason[ILPI_REASON_COUNT];
};

/* Further processes are not counted, unless they end by themselves. */
enum { SHARED_COUNTERS_SLOTS = 24 };

struct shared_counters {
    char magic[8];
    uint32_t size; /* of the head, in its maker's version */
    struct shared_counters_slot slots[SHARED_COUNTERS_SLOTS];
};

/* Makes the file, with an empty head; the descriptor appends to it. -1: see errno. */
int shared_counters_make(void);

/* The name by which processes of this user open it while this process has it. Owned by the caller;
 * NULL: no memory. */
char *shared_counters_name(int file);

/* Whether a name has that form, unlike names of files. */
bool shared_counters_is_name(const char *name);

/* Opens such a name, in the mode of shared_counters_make(). -1: the command is gone, or another
 * file has the name now. */
int shared_counters_open(const char *name);

/* Whether a descriptor is such a file, made by this user or by root. */
bool shared_counters_is_file(int file);

/* A slot for this process, while it lives; NULL: not such a file, or no slot is left. */
struct shared_counters_slot *shared_counters_join(int file);

/* Unmaps the slot, which stays taken, since its counts are still used. */
void shared_counters_leave(struct shared_counters_slot *slot);

/* Reads the head of an open file, which is then positioned at the first line; without a head at the
 * start, and no slot is taken. */
void shared_counters_read(FILE *file, struct shared_counters *counters);

/* In place of an errno: the file was truncated (profiler/cut_off.h). */
enum { LOST_CUT_OFF = 1 << 16 };

/* Counts losses, with the reason: an errno, or LOST_CUT_OFF. Preserves errno. */
void shared_counters_lose(struct shared_counters_slot *slot, uint32_t count, int error);

#endif
