/* Buffers lines of a process in memory that outlives it: a file in memory made by a command, with a
 * ring for each process.
 *
 *   threads of the process --line_ring_put--> | taken ... lines ... head | --line_ring_read--> one
 *                                                                                           reader
 *
 * A line is a record: its size and state, then its bytes, in whole words. A thread reserves a
 * record by adding to `head`, copies the line, and marks the record as done: no thread waits for
 * another, and lines have one order. Memory outside of records is zero. Records that a killed
 * process did not finish are skipped; one that was reserved without a size yet is all zero, so the
 * next record is found.
 *
 *   0 --reserve--> RESERVED, size --copy--> DONE --read, take--> 0
 *
 * There is one reader at a time: a thread of the process while it runs (profiler/line_buffer.h),
 * the command when it has ended (tools/launch/left_lines.h), or always the command, if it prints
 * the lines (tools/launch/attach.c). Neither side trusts the other: each accesses the ring's memory
 * only, and the file keeps its size (file_map.h). */
#ifndef LINE_RING_H
#define LINE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/process.h"

enum {
    LINE_RINGS = 24,            /* rings of a file; further processes have none */
    LINE_RING_ROOM = 1 << 20,   /* bytes of records */
    LINE_RING_LONGEST = 1 << 18 /* the limit of a line */
};

#define LINE_RING_UNWRITTEN UINT64_MAX

struct line_ring {
    char magic[8];           /* of the file: only in the first ring */
    _Atomic uint32_t writer; /* of the file: 1 + the ring whose lines are being written; 0: none */
    _Atomic uint64_t owner;  /* the process, by number and start time; 0: free */
    uint64_t device, inode;  /* of the file that its lines are written to */
    /* the end of records, a position that only grows */
    _Alignas(64) _Atomic uint64_t head;
    _Atomic uint32_t closed; /* no more lines are accepted */
    _Atomic uint32_t waits;  /* the reader wants to be woken by the next line */
    /* position of the first record that was not taken */
    _Alignas(64) _Atomic uint64_t taken;
    _Atomic uint64_t freed; /* memory up to here is zero again */
    /* The records from `written` on, or LINE_RING_UNWRITTEN, were about to be written to the file,
     * at that offset and of that length in bytes: shows after a kill how much was
     * (line_output.h). */
    _Atomic uint64_t written;
    _Atomic uint64_t offset;
    _Atomic uint64_t length;
    _Alignas(64) char bytes[LINE_RING_ROOM];
};

/* ---- the file ---- */

/* Makes a file with `count` rings; -1: see errno. Processes of this user open it by a name, like
 * the file of shared_counters.h: shared_counters_name(). */
int line_rings_make(unsigned count);

/* Opens it by such a name; -1: invalid, or another file has the name now. */
int line_rings_open(const char *name);

/* The number of rings in a file; 0: it is not such a file. */
unsigned line_rings_count(int file);

/* Maps one of them; NULL: see errno. */
struct line_ring *line_ring_map(int file, unsigned index);
void line_ring_unmap(struct line_ring *ring);

/* An open and empty ring for this process, and its number (may be NULL): the first that is free, or
 * whose process has ended and left nothing. So used rings come first: a ring takes no memory before
 * it is needed. NULL: there is none. */
struct line_ring *line_ring_join(int file, unsigned *number);

/* The process of a ring, 0 if it never had one, and whether that still runs. */
process_id line_ring_process(const struct line_ring *ring);
bool line_ring_is_used(const struct line_ring *ring);

/* ---- lines ---- */

enum line_put {
    LINE_PUT,
    LINE_PUT_WAKE, /* accepted, and the reader waits for it */
    LINE_NO_ROOM   /* not accepted: no room, too long, or the ring is closed */
};

/* From any thread; never waits, and makes no system call. */
enum line_put line_ring_put(struct line_ring *ring, const char *bytes, size_t size);

/* What can be read: of a running process up to a record that is not done, of an ended one all
 * records that are. */
enum line_ring_state { LINE_RING_LIVE, LINE_RING_LEFT };

/* Copies whole lines from *position on, and advances it; `room` must be at least LINE_RING_LONGEST.
 * 0: there are none. */
size_t line_ring_read(const struct line_ring *ring, uint64_t *position, char *to, size_t room,
                      enum line_ring_state state);

/* Frees the records up to there. */
void line_ring_take(struct line_ring *ring, uint64_t position);

/* Whether all records were taken. */
bool line_ring_is_empty(const struct line_ring *ring);

/* Requests to be woken by the next line. False: there is one already. */
bool line_ring_wait(struct line_ring *ring);

#endif
