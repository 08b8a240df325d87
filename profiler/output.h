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

#include "host/deadline.h"

/* Opens the file; NULL or "": there is none. Where that fails it is reported, and standard error
 * has to do. What is in the file goes, unless processes that are started from this one write there,
 * too (ENV_CHILDREN). */
void output_open(const char *path);

/* ---- commands that are attached ---- */

/* So many commands have a ring at a time. */
enum { OUTPUT_SINKS = 8 };

/* No line is wanted until output_resume(): what threads still bring is left out. What commands have
 * opened is closed, so that each sees the end. */
void output_end(void);

/* The same, but what commands have opened stays. */
void output_pause(void);

/* Lines go to a file that a command has opened, which is owned from now on; -1: the standard error
 * of the process. What is not taken at once is lost, and counted. */
void output_give(int file);

/* Lines go into a ring for a command, too, which is woken by a pipe: both are the descriptors that
 * it has sent, owned from now on. The sink's number; -1: there are too many, or it is no such
 * ring. */
int output_add(int pipe, int lines);

/* The ring of a sink, if it is another one than the command's: no ring is ever unmapped, since some
 * thread may be about to put a line there, so the next command gets the one that is free. -1: it is
 * that one. Borrowed. */
int output_ring(int sink);

/* One command less. */
void output_remove(int sink);

/* From now on lines go there. */
void output_resume(void);

/* A line for one command, also when no others are wanted. Waits until there is room for it; false:
 * there was none in time, which is counted, or the command has gone. */
bool output_line_to(int sink, const char *bytes, size_t size, struct deadline until);

/* Whether no lines are wanted. */
bool output_is_over(void);

/* Whether lines go into a ring, and so may be put by whoever must not wait. */
bool output_never_waits(void);

/* The descriptor that lines go to where they go into no ring. */
int output_file(void);

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
