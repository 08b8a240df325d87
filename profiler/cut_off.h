/* Whoever makes a file shorter takes the pages that others have mapped of it, and the next one that
 * is touched is a SIGBUS: `truncate` or a log rotator would end the program for our sake. In the
 * place of pages that are gone memory is put that belongs to no file, and the program goes on. */
#ifndef ILPI_CUT_OFF_H
#define ILPI_CUT_OFF_H

#include <stdbool.h>
#include <stddef.h>

/* Watches a mapped part of a file, whose size is one of whole pages. The first one takes the
 * signal, which means for all other memory what it meant before. False: there are too many. */
bool cut_off_watch(void *memory, size_t size);
void cut_off_forget(const void *memory); /* before it is unmapped */

/* Whether that has happened to any of them, in the life of this process. */
bool cut_off_happened(void);

#endif
