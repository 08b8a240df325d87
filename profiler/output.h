/* The output of values shown from C:
 *
 *   a file or device (variable_output)  buffered (line_buffer.h): complete; writers may wait
 *   standard error, a pipe, a terminal  at once: a line is one write(2) in append mode, so that
 *                                       lines of threads do not mix
 *   a command that is attached          in its ring (host/line_ring.h): no thread waits; lines
 *                                       without room are lost, and counted
 *
 * "%p" in the file's name is the process's number. */
#ifndef ILPI_OUTPUT_H
#define ILPI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "host/deadline.h"

/* Opens the file; NULL or "": none. A failure is reported, and standard error is used. The file is
 * truncated, unless other processes may have written to it. */
void output_open(const char *path);

/* ---- attached commands ---- */

/* The number of commands with a ring. */
enum { OUTPUT_SINKS = 8 };

/* Lines are dropped until output_resume(). Closes the commands' descriptors, so that each sees the
 * end. */
void output_end(void);

/* The same without closing. */
void output_pause(void);

/* Lines go to a command's file, which is taken over; -1: the process's standard error. What cannot
 * be written at once is lost, and counted. */
void output_give(int file);

/* Lines also go to a command's ring, with a pipe to wake it: both are received descriptors, taken
 * over. The sink's number; -1: too many, or an invalid ring. */
int output_add(int pipe, int lines);

/* The ring of a sink, if it is not the command's: rings are never unmapped, since a thread may be
 * about to put a line, so the next command gets a free existing one. -1: the command's own.
 * Borrowed. */
int output_ring(int sink);

/* Removes a command's sink. */
void output_remove(int sink);

/* From now on lines go there. */
void output_resume(void);

/* A line for one command, even while others are dropped. Waits for room; false: timeout, which is
 * counted, or the command has gone. */
bool output_line_to(int sink, const char *bytes, size_t size, struct deadline until);

/* Whether lines are dropped. */
bool output_is_over(void);

/* Whether lines go into a ring, and may be put by threads that must not wait. */
bool output_never_waits(void);

/* The descriptor for lines, unless they go into a ring. */
int output_file(void);

/* Before the process ends: writes buffered lines, and from now on each line at once. `waits`: for
 * other writing threads, as in line_buffer_end(). */
void output_flush(bool waits);

/* In a forked copy of the process. */
void output_forget(void);

/* When no thread can write any more. */
void output_close(void);

/* May wait for a reader, except an attached command. Lines that cannot be written are counted
 * (shared_counters.h), without effect on the program. Preserves errno: it may be called between a
 * system call and the test of its error. */
void output_line(const char *bytes, size_t size);

#endif
