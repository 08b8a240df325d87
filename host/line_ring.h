/* Lines on their way out of a process, in memory that outlives it: a file in memory that a command
 * makes, with a ring for each process.
 *
 *   threads of the process --line_ring_put--> | taken ... lines ... head | --line_ring_read--> one
 *                                                                                           reader
 *
 * A line is a record: its size and state, then its bytes, in whole words. A thread reserves a
 * record by adding to `head`, copies the line, and marks the record as done, so no thread waits for
 * another one, and lines are in one order. Memory that no record has is zero. A process that is
 * killed leaves records that were not done: they are left out. Of the record that a thread has
 * reserved and not yet given a size, all is zero, so the next one is found.
 *
 * Who reads is one thread at a time: of the process while it runs (profiler/line_buffer.h), of the
 * command when it has ended (tools/launch/left_lines.h), or of the command alone, where lines go to
 * it (tools/launch/attach.c). Either side may be wrong about what it writes there: the other one
 * reads and writes within the ring alone, and the file keeps its size (file_map.h). */
#ifndef LINE_RING_H
#define LINE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/process.h"

enum {
    LINE_RINGS = 24,            /* in a file for a program; further processes have none */
    LINE_RING_ROOM = 1 << 20,   /* bytes of records */
    LINE_RING_LONGEST = 1 << 18 /* a line */
};

#define LINE_RING_UNWRITTEN UINT64_MAX

struct line_ring {
    char magic[8];          /* of the file: only the first ring has it */
    _Atomic uint64_t owner; /* the process, its number and when it was started; 0: free */
    uint64_t device, inode; /* of the file that its lines go to */
    /* the end of records, as it counts on for ever, */
    _Alignas(64) _Atomic uint64_t head;
    _Atomic uint32_t closed; /* no more lines are put here, */
    _Atomic uint32_t waits;  /* the reader wants to be woken by the next one */
    /* the first record that has not been read, */
    _Alignas(64) _Atomic uint64_t taken;
    _Atomic uint64_t freed; /* and up to where memory is zero again, for the next round */
    /* That record was about to be written to the file at this offset, LINE_RING_UNWRITTEN: none
     * was; so it is seen whether that was done before a kill. */
    _Atomic uint64_t written;
    _Atomic uint64_t offset;
    _Alignas(64) char bytes[LINE_RING_ROOM];
};

/* ---- the file ---- */

/* Makes one for so many processes; -1: errno says why. Processes of this user open it by a name, as
 * the file of shared_counters.h: shared_counters_name(). */
int line_rings_make(unsigned count);

/* Opens such a name; -1: it is not one, or something else has the name now. */
int line_rings_open(const char *name);

/* How many rings are in a file; 0: it is not such a file. */
unsigned line_rings_count(int file);

/* One of them; NULL: errno says why. */
struct line_ring *line_ring_map(int file, unsigned index);
void line_ring_unmap(struct line_ring *ring);

/* A ring for this process, open and empty: the first that is free, or whose process has ended and
 * left nothing. So after one that no process has had there is no other that one has had: a ring
 * takes no memory before it is needed. NULL: there is none. */
struct line_ring *line_ring_join(int file);

/* The process that has a ring, 0 if none has had it, and whether it still runs. */
process_id line_ring_process(const struct line_ring *ring);
bool line_ring_is_used(const struct line_ring *ring);

/* ---- lines ---- */

enum line_put {
    LINE_PUT,
    LINE_PUT_WAKE, /* it is there, and the reader waits for it */
    LINE_NO_ROOM   /* it is not: there is no room, it is too long, or the ring is closed */
};

/* From any thread; never waits, and makes no call of the system. */
enum line_put line_ring_put(struct line_ring *ring, const char *bytes, size_t size);

/* What can be read: of a process that runs up to a record that is not done, of one that has ended
 * all that are done. */
enum line_ring_state { LINE_RING_LIVE, LINE_RING_LEFT };

/* Copies whole lines from *position on, which is the end of what was copied then; `room` is at
 * least LINE_RING_LONGEST. 0: there are none. */
size_t line_ring_read(const struct line_ring *ring, uint64_t *position, char *to, size_t room,
                      enum line_ring_state state);

/* What was read up to there is done with. */
void line_ring_take(struct line_ring *ring, uint64_t position);

/* Whether all has been taken. */
bool line_ring_is_empty(const struct line_ring *ring);

/* The next line wakes the reader. False: there is one already. */
bool line_ring_wait(struct line_ring *ring);

#endif
