/* Where values go that are shown from C:
 *
 *   a file or device (ILPATCH_OUTPUT)   buffered (line_buffer.h): complete, and may wait for it
 *   standard error, a pipe, a terminal  at once: a line is one write(2) at the file's end, so that
 *                                       lines of threads do not mix
 *   a command that is attached          in its ring (host/line_ring.h): no thread waits, and what
 *                                       has no room is lost, and counted
 *
 * "%p" in the file's name is the process's number. */
#ifndef ILPI_OUTPUT_H
#define ILPI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct line_ring;

/* Opens the file; NULL or "": there is none. Where that fails it is reported, and standard error
 * has to do. What is in the file goes, unless processes that are started from this one write there,
 * too (ENV_CHILDREN). */
void output_open(const char *path);

/* What a command has opened that is attached to the process; -1: the standard error of the process.
 * With a ring, which is owned from now on, lines go there, and the file is a pipe that wakes the
 * command. Without one, what is not taken at once is lost, and counted. */
void output_give(int file, struct line_ring *ring);

/* Whether no lines are wanted any more: the command has gone, */
bool output_is_over(void);

/* Whether lines go into a ring, and so may be put by whoever must not wait. */
bool output_never_waits(void);

/* The descriptor that lines go to, or over which a command learns of them. */
int output_file(void);

/* or this was called, which closes what it has opened. */
void output_end(void);

/* The process is about to end: what has been kept back is written, and from now on each line at
 * once. `waits`: for other threads that write, as line_buffer_end() has it. */
void output_flush(bool waits);

/* In a copy of the process (fork). */
void output_forget(void);

/* When no thread can write any more. */
void output_close(void);

/* May wait for whoever reads, unless it is a command that is attached. What cannot be written is
 * counted (shared_counters.h), and changes nothing for the program. Leaves errno as it was: it may
 * be called between a system call and the look at its error. */
void output_line(const char *bytes, size_t size);

#endif
