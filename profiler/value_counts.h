/* How many values each method has returned (--count): counted per thread, so that a value costs an
 * addition, and written once for each reader: when the process ends, or when an attached command
 * leaves, with the counts since it joined. */
#ifndef ILPI_VALUE_COUNTS_H
#define ILPI_VALUE_COUNTS_H

#include "ilpatch.h"
#include "profiler/thread_list.h"

/* Methods are numbered from 1; a thread's counters are allocated in chunks, and never move. */
enum { COUNTS_IN_CHUNK = 1024, COUNT_CHUNKS = 256 };

/* The state of one thread; zeroed before its first value, and closed by the thread itself. */
struct value_counts {
    struct listed_thread listed;
    _Atomic uint64_t *_Atomic chunks[COUNT_CHUNKS]; /* written by the thread alone */
};

/* Call it before any value; `json`: in the form of data/count.schema.json. When it is opened again
 * it continues. */
void value_counts_open(bool json);

/* Counting stops, and readers get nothing more. */
void value_counts_close(void);
bool value_counts_are_open(void);

/* The number of a method, under the profiler's lock; `name` is as in lines, and together with the
 * token identifies the method. Without memory or free numbers it is 0, which is used for all such
 * methods. */
uint32_t value_counts_method(ilp_token method, const char *name, size_t size);

/* Counts a value. Without memory it is counted for method 0. */
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

/* The thread has ended: its counts are kept. */
void value_counts_end_thread(struct value_counts *counts);

/* ---- readers ---- */

/* A command's sink (output.h); -1: output_line()'s output. It gets the counts from now on. */
void value_counts_begin(int sink);

/* It leaves: writes a line for each method that has returned since, by falling count. Threads may
 * still run. Written once. */
void value_counts_write(int sink);

/* The same for all readers. */
void value_counts_write_all(void);

#endif
