/* Where values go that are shown from C: standard error, or a file (ILPATCH_OUTPUT), "%p" in it
 * being the process's number. A line is one write(2) at the file's end, so that lines of threads
 * and of the stock inspector do not mix. */
#ifndef ILPI_OUTPUT_H
#define ILPI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the file; NULL or "": there is none. Where that fails it is reported, and standard error
 * has to do. What is in the file goes, unless processes that are started from this one write there,
 * too (ENV_CHILDREN). */
void output_open(const char *path);

/* What a command has opened that is attached to the process; -1: the standard error of the process.
 * What is not taken at once is lost, and counted. */
void output_give(int file);

/* Whether nobody wants lines any more: the command has gone, */
bool output_is_over(void);

/* or this was called, which closes what it has opened. */
void output_end(void);

/* When no thread can write any more. */
void output_close(void);

/* May wait for whoever reads. What cannot be written is counted (shared_counters.h), and changes
 * nothing for the program. Leaves errno as it was: it may be called between a system call and the
 * look at its error. */
void output_line(const char *bytes, size_t size);

#endif
