/* The rooms of a thread, for spool_write.c. */
#ifndef ILPI_SPOOL_ROOMS_H
#define ILPI_SPOOL_ROOMS_H

#include "trace/spool_thread.h"

/* One for the next chunk; NULL: there is none. Where all that the thread may have are full, their
 * chunks are appended first. */
uint8_t *ilpi_spool_next_room(struct ilpi_spool_thread *thread);

/* The chunk in it is complete, and waits there for others. */
void ilpi_spool_fill_room(struct ilpi_spool_thread *thread, uint32_t size);

/* Appends what the thread has; its rooms go to the next ones. */
void ilpi_spool_give_rooms_back(struct ilpi_spool_thread *thread);

#endif
