/* The rooms of a thread, for spool_write.c. */
#ifndef ILPI_SPOOL_ROOMS_H
#define ILPI_SPOOL_ROOMS_H

#include "trace/spool_thread.h"

/* A room for the next chunk; NULL: there is none. If all rooms that the thread may have are full,
 * their chunks are appended first. */
uint8_t *ilpi_spool_next_room(struct ilpi_spool_thread *thread);

/* Marks its chunk as complete: it stays until several are appended. */
void ilpi_spool_fill_room(struct ilpi_spool_thread *thread, uint32_t size);

/* Appends the thread's chunks; its rooms are free for other threads. */
void ilpi_spool_give_rooms_back(struct ilpi_spool_thread *thread);

#endif
