/* Lines for a file, buffered until there are many, or some time has passed: in a ring that outlives
 * the process (host/line_ring.h), so that the command can write the lines of a killed process.
 *
 *   threads with lines --line_buffer_put--> ring --own thread, or who finds it full--> file
 *
 * Without a command nothing is buffered: lines are written at once. */
#ifndef ILPI_LINE_BUFFER_H
#define ILPI_LINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Starts, with a ring of the file in ENV_LINES, which may be NULL. `file` is what `write` writes
 * to; one thread calls it at a time. Without a ring there is no buffer. */
void line_buffer_open(const char *name, int file, void (*write)(const char *bytes, size_t size));

/* False: no buffer. Waits for the file if the ring is full. */
bool line_buffer_put(const char *bytes, size_t size);

/* Stops buffering, and writes the buffered lines. `waits`: for threads that write or put a line;
 * otherwise their lines are left to the command. */
void line_buffer_end(bool waits);

/* In a forked copy of the process, whose lines are not buffered. */
void line_buffer_forget(void);

/* When no thread has lines any more. */
void line_buffer_close(void);

#endif
