/* Truncating a file removes its mapped pages, and touching one raises SIGBUS: `truncate` or a log
 * rotator would end the program because of us. The handler replaces such pages by anonymous memory,
 * and the program continues. */
#ifndef ILPI_CUT_OFF_H
#define ILPI_CUT_OFF_H

#include <stdbool.h>
#include <stddef.h>

/* Watches a mapped part of a file, of whole pages. The first call installs the handler, which
 * passes faults in other memory to the previous one. False: too many. */
bool cut_off_watch(void *memory, size_t size);
void cut_off_forget(const void *memory); /* call it before unmapping */

/* Whether a watched file was truncated since the last cut_off_begin(). */
bool cut_off_happened(void);
void cut_off_begin(void);

/* Whether the handler is installed: it stays, and the library with it. */
bool cut_off_has_handler(void);

#endif
