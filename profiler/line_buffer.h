/* Lines for a file, in memory until there are many of them, or a moment has passed: a ring that
 * outlives the process (host/line_ring.h), so that the command writes what a process has left that
 * was killed.
 *
 *   threads with lines --line_buffer_put--> ring --own thread, or who finds it full--> file
 *
 * Without a command, or when it has gone, nothing is kept back: all is written at once. */
#ifndef ILPI_LINE_BUFFER_H
#define ILPI_LINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Begins, with a ring of the file that ENV_LINES names, which may be NULL. `file` is where `write`
 * writes to; it is called by one thread at a time. Where there is no ring, there is no buffer. */
void line_buffer_open(const char *name, int file, void (*write)(const char *bytes, size_t size));

/* False: there is no buffer. Waits for the file where the ring is full. */
bool line_buffer_put(const char *bytes, size_t size);

/* From now on all is written at once, and what has been kept back now. `waits`: for other threads,
 * which write or are about to put a line; else what they have is left to the command. */
void line_buffer_end(bool waits);

/* In a copy of the process (fork), whose lines are not buffered. */
void line_buffer_forget(void);

/* When no thread has lines any more. */
void line_buffer_close(void);

#endif
