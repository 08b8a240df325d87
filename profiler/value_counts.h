/* How many values each method has returned (--count): counted per thread, so that a value costs an
 * addition, and written once for each reader: when the process ends, or a command that is attached
 * leaves, which has joined at some moment and sees what was counted since. */
#ifndef ILPI_VALUE_COUNTS_H
#define ILPI_VALUE_COUNTS_H

#include "ilpatch.h"
#include "profiler/thread_list.h"

/* Methods are numbered from 1; a thread's counters are allocated some at a time, and never move. */
enum { COUNTS_IN_CHUNK = 1024, COUNT_CHUNKS = 256 };

/* What one thread needs; zeroed before its first value, and closed by the thread itself. */
struct value_counts {
    struct listed_thread listed;
    _Atomic uint64_t *_Atomic chunks[COUNT_CHUNKS]; /* written by the thread alone */
};

/* Before any value comes; `json`: as data/count.schema.json has it. It may be opened again:
 * then it goes on. */
void value_counts_open(bool json);

/* Nothing is counted any more, and no reader gets anything. */
void value_counts_close(void);
bool value_counts_are_open(void);

/* The number of a method, under the profiler's lock; `name` is as lines have it. With the token it
 * says which method it is. Without memory, or when there are no numbers left, it is 0, which stands
 * for all such methods. */
uint32_t value_counts_method(ilp_token method, const char *name, size_t size);

/* One more value. Without memory it is counted as one of method 0. */
void value_counts_add_first(struct value_counts *counts, uint32_t method);

static inline void value_counts_add(struct value_counts *counts, uint32_t method)
{
    _Atomic uint64_t *chunk = atomic_load_explicit(&counts->chunks[method / COUNTS_IN_CHUNK],
                                                   memory_order_relaxed);
    if (!chunk) {
        value_counts_add_first(counts, method);
        return;
    }
    count_own(&chunk[method % COUNTS_IN_CHUNK]);
}

/* The thread has ended: what it has counted is kept. */
void value_counts_end_thread(struct value_counts *counts);

/* ---- readers ---- */

/* A command's sink (output.h); -1: what output_line() writes to. What is counted from now on is for
 * it. */
void value_counts_begin(int sink);

/* It leaves: a line for each method that has returned since, those with the most values first.
 * Threads may still run. It is written once. */
void value_counts_write(int sink);

/* The same for all that there are. */
void value_counts_write_all(void);

#endif
