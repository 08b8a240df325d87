/* Where values go that are shown from C: standard error, or a file (ILPATCH_OUTPUT), "%p" in it being the process's
 * number. A line is one write(2) at the file's end, so that lines of threads and of the stock inspector do not mix. */
#ifndef ILPI_OUTPUT_H
#define ILPI_OUTPUT_H

#include <stddef.h>

/* A path with the process's number for "%p" in it. Owned by the caller. */
char *path_of_process(const char *path);

/* Opens the file; NULL or "": there is none. Where that fails it is told, and standard error has to do. What is in the file
 * goes, unless processes that are started from this one write there, too (ENV_CHILDREN). */
void output_open(const char *path);

/* May wait for whoever reads. What cannot be written is counted (board.h), and changes nothing for the program. Leaves errno as
 * it was: it may be called between a system call and the look at its error. */
void output_line(const char *bytes, size_t size);

#endif
