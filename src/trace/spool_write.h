/* Writing a spool, from within hooks: no lock, no allocation, no call into the runtime.
 *
 *   records -> a thread's own chunk
 *                in a room of the spool: what it has is part of that from the first record on; it
 *                is appended when all rooms of the thread are full
 *                in its own memory: it goes to the sink when it is full, or 250 ms old
 *
 * A thread's chunk is written by that thread alone, so nothing is shared but the sink, which has to
 * take whole chunks from several threads at a time, and the rooms. Where a sink fails, or there is
 * no room, records are counted as lost, and tracing goes on. */
#ifndef ILPI_SPOOL_WRITE_H
#define ILPI_SPOOL_WRITE_H

#include "trace/spool_thread.h"

void ilpi_spool_init(struct ilpi_spool *spool, struct ilp_sink sink,
                     const struct ilpi_spool_rooms *rooms, uint32_t process);

/* ---- of the process: written at once, from any thread ----
 * Times are nanoseconds of CLOCK_MONOTONIC, here and below. */

/* First of all; `wall` is the time of day in nanoseconds since 1970. */
void ilpi_spool_head(struct ilpi_spool *spool, uint64_t time, uint64_t wall, const char *command,
                     const char *runtime);

/* What a call that is traced costs, as it was measured, and how much of that is within its own two
 * times. */
void ilpi_spool_cost(struct ilpi_spool *spool, uint64_t time, uint64_t pair, uint64_t inside);

/* What one of a method that has BRIEF records costs. */
void ilpi_spool_brief_cost(struct ilpi_spool *spool, uint64_t time, uint64_t pair);

/* "fast" or "slow", and why. */
void ilpi_spool_path(struct ilpi_spool *spool, uint64_t time, const char *path, const char *reason);

/* Calls are counted by path, and have no times. */
void ilpi_spool_untimed(struct ilpi_spool *spool, uint64_t time);

/* Before the first record with this id. */
void ilpi_spool_method(struct ilpi_spool *spool, uint64_t time, uint64_t id, const char *module,
                       const char *type, const char *name, const char *signature);

void ilpi_spool_switch(struct ilpi_spool *spool, uint64_t time, bool on);
void ilpi_spool_end(struct ilpi_spool *spool, uint64_t time);

/* ---- of a thread: by itself ----
 * A time before that of the record before, such as 0, is that one. */

/* `number` is given once in the life of a process, from 1 on. */
void ilpi_spool_thread_begin(struct ilpi_spool_thread *thread, struct ilpi_spool *spool,
                             uint32_t number, uint64_t time, uint64_t system_id);
void ilpi_spool_thread_name(struct ilpi_spool_thread *thread, uint64_t time, const char *name);

/* Without text (data NULL) the short form. */
void ilpi_spool_enter(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      struct ilp_bytes arguments);
void ilpi_spool_leave(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      struct ilp_bytes value);
/* Of a kind that has a method alone: ENTER, LEAVE, BRIEF. */
void ilpi_spool_call(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind, uint64_t time,
                     uint64_t method);
void ilpi_spool_tailcall(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method);
void ilpi_spool_unwind(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method);

/* A call that was not entered by a record has returned a value, or an exception has left it;
 * without arguments (data NULL) the short form. Its text is written where it stays: at most
 * ILPI_SPOOL_TEXT bytes from what this gives on, and then the record is ended, before anything else
 * is recorded. NULL: there is no room, and it is lost. */
uint8_t *ilpi_spool_begin_value(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                                bool thrown, struct ilp_bytes arguments);
void ilpi_spool_end_value(struct ilpi_spool_thread *thread, uint8_t *text, size_t size);

/* Calls of one path, how many of them ended how, and how many are open. What they called follows,
 * and ilpi_spool_leave() ends the path. */
struct ilpi_spool_counts {
    uint64_t calls;
    uint64_t tailcalls;
    uint64_t unwound;
    uint64_t open;
};
void ilpi_spool_calls(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      const struct ilpi_spool_counts *counts);

/* Calls from here on are not within those that are open: hooks were not listened to for a while. */
void ilpi_spool_gap(struct ilpi_spool_thread *thread, uint64_t time);

/* So many records were not even made, for want of something else. */
void ilpi_spool_lost(struct ilpi_spool_thread *thread, uint64_t count);

/* Ends the chunk, and begins another one. */
void ilpi_spool_flush(struct ilpi_spool_thread *thread);

/* The thread's last record, written. */
void ilpi_spool_thread_end(struct ilpi_spool_thread *thread, uint64_t time);

/* By another thread, after ilpi_spool_thread_close(): records of a thread go on in a chunk of their
 * own, through `heir`. */
void ilpi_spool_thread_continue(struct ilpi_spool_thread *heir,
                                const struct ilpi_spool_thread *closed);

/* By another thread, when the process ends: writes what there is while the thread itself may go on.
 * What that records from now on is lost, and the memory has to stay. */
void ilpi_spool_thread_close(struct ilpi_spool_thread *thread);

/* Then, when it does not go on: leaves its rooms. */
void ilpi_spool_thread_leave(struct ilpi_spool_thread *thread);

#endif
