/* Writes a spool from hooks: no lock, no allocation, no call into the runtime.
 *
 *   records -> a thread's own chunk
 *                in a room of the spool: its records are part of the spool at once; it is appended
 *                when all rooms of the thread are full
 *                in its own memory: it goes to the sink when it is full, or 250 ms old
 *
 * Only its thread writes a chunk, so only the rooms and the sink are shared; the sink must accept
 * complete chunks from several threads. If a sink fails, or there is no room, records are counted
 * as lost, and tracing continues. */
#ifndef ILPI_SPOOL_WRITE_H
#define ILPI_SPOOL_WRITE_H

#include "trace/spool_thread.h"

void ilpi_spool_init(struct ilpi_spool *spool, struct ilp_sink sink,
                     const struct ilpi_spool_rooms *rooms, uint32_t process);

/* ---- of the process: written at once, from any thread ----
 * Times are nanoseconds of CLOCK_MONOTONIC, here and below. */

/* The first record; `wall` is the time of day in nanoseconds since 1970. */
void ilpi_spool_head(struct ilpi_spool *spool, uint64_t time, uint64_t wall, const char *command,
                     const char *runtime);

/* The measured cost of a traced call, and how much of it is between its own two times. */
void ilpi_spool_cost(struct ilpi_spool *spool, uint64_t time, uint64_t pair, uint64_t inside);

/* The cost of a call with a BRIEF record. */
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

/* ---- of a thread: written by itself ---- A time before that of the previous record, such as 0, is
 * replaced by that one. */

/* `number` is unique in a process, from 1 on. */
void ilpi_spool_thread_begin(struct ilpi_spool_thread *thread, struct ilpi_spool *spool,
                             uint32_t number, uint64_t time, uint64_t system_id);
void ilpi_spool_thread_name(struct ilpi_spool_thread *thread, uint64_t time, const char *name);

/* Without text (data NULL) in the short form. */
void ilpi_spool_enter(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      struct ilp_bytes arguments);
void ilpi_spool_leave(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      struct ilp_bytes value);
/* For kinds with a method only: ENTER, LEAVE, BRIEF. */
void ilpi_spool_call(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind, uint64_t time,
                     uint64_t method);
void ilpi_spool_tailcall(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method);
void ilpi_spool_unwind(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method);

/* A call without an enter record returned a value, or ended by an exception; without arguments
 * (data NULL) in the short form. The text is written in place: up to ILPI_SPOOL_TEXT bytes at the
 * returned address; then end the record before recording anything else. NULL: no space, the record
 * is lost. */
uint8_t *ilpi_spool_begin_value(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                                bool thrown, struct ilp_bytes arguments);
void ilpi_spool_end_value(struct ilpi_spool_thread *thread, uint8_t *text, size_t size);

/* Calls of one path, by how they ended, and those still open. Their callees follow, and
 * ilpi_spool_leave() ends the path. */
struct ilpi_spool_counts {
    uint64_t calls;
    uint64_t tailcalls;
    uint64_t unwound;
    uint64_t open;
};
void ilpi_spool_calls(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      const struct ilpi_spool_counts *counts);

/* Later calls are not inside the open ones: hooks did not record for a while. */
void ilpi_spool_gap(struct ilpi_spool_thread *thread, uint64_t time);

/* Records that were never made, for lack of another resource. */
void ilpi_spool_lost(struct ilpi_spool_thread *thread, uint64_t count);

/* Ends the chunk, and begins another one. */
void ilpi_spool_flush(struct ilpi_spool_thread *thread);

/* The thread's last record, written. */
void ilpi_spool_thread_end(struct ilpi_spool_thread *thread, uint64_t time);

/* Called by another thread, after ilpi_spool_thread_close(): records of a thread continue in a
 * chunk of their own, through `heir`. */
void ilpi_spool_thread_continue(struct ilpi_spool_thread *heir,
                                const struct ilpi_spool_thread *closed);

/* Called by another thread, when the process ends: writes the chunk while the thread itself may
 * continue. Its later records are lost, and its memory must stay. */
void ilpi_spool_thread_close(struct ilpi_spool_thread *thread);

/* Then, if the thread does not continue: gives up its rooms. */
void ilpi_spool_thread_leave(struct ilpi_spool_thread *thread);

#endif
