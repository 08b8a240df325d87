/* What writes a spool: the process, its threads, and their rooms. See spool_write.h. */
#ifndef ILPI_SPOOL_THREAD_H
#define ILPI_SPOOL_THREAD_H

#include <stdatomic.h>

#include "trace/spool.h"

enum { ILPI_THREAD_ROOMS = 4 };
enum { ILPI_REPEAT_BITS = 11 }; /* of slots: so many values are found again */

/* A chunk is followed by the next multiple of 8. */
#define ILPI_CHUNK_PLACE(size) (((size_t)(size) + 7) & ~(size_t)7)

/* Memory of ILPI_CHUNK_SIZE bytes that is part of the spool already, and as much of it as a thread
 * has at a time, one more as each is full: memory that was used before is written several times
 * faster than the file's next pages are made. */
struct ilpi_spool_rooms {
    void *user;
    /* Without a record: the first byte after a chunk's head is zero. NULL: there is none, and if
     * one is `needed` it is said why. */
    uint8_t *(*take)(void *user, bool needed);
    void (*give_back)(void *user, uint8_t *room);
    void (*leave)(void *user, uint8_t *room); /* with records; no thread writes there */
    /* Puts the parts one after the other where the spool ends, at most 2 * ILPI_THREAD_ROOMS. */
    ilp_status (*append)(void *user, const struct ilp_bytes *parts, size_t count);
};

/* Of a process, shared by its threads. */
struct ilpi_spool {
    struct ilp_sink sink;
    /* for chunks of threads; NULL: they go to the sink. Borrowed */
    const struct ilpi_spool_rooms *rooms;
    uint32_t process;
    atomic_uint_least32_t sequence; /* of thread 0 */
    atomic_uint_least64_t lost;     /* records, in all threads */
};

/* What spool_short.h writes at a time: the code, and eight bytes after it, whatever time, id and
 * the zero after them take. */
#define ILPI_SHORT_ROOM 9u

/* Of a thread; no other one uses it, but for ilpi_spool_thread_close(). */
struct ilpi_spool_thread {
    struct ilpi_spool *spool;
    uint32_t number;
    uint32_t sequence;
    uint64_t begun;                           /* the chunk */
    uint64_t time;                            /* of the record before */
    uint64_t lost;                            /* records so far */
    uint32_t records;                         /* in the chunk */
    enum ilpi_spool_kind begun_kind;          /* of ilpi_spool_begin_value() */
    uint8_t *begun_fields;                    /* of it: what follows its time */
    uint16_t repeats[1u << ILPI_REPEAT_BITS]; /* where values are in the chunk (spool_repeat.h) */
    uint8_t *rooms[ILPI_THREAD_ROOMS];        /* those that it has, */
    uint32_t sizes[ILPI_THREAD_ROOMS];        /* of their chunks */
    unsigned room_count, full;                /* the first ones are full */
    uint8_t *chunk;                           /* a room, or `own`; NULL: there is no room */
    uint32_t limit;                           /* of `size` */
    uint32_t short_limit;                     /* the same, of spool_short.h; 0: no room */
    atomic_uint_least32_t size;               /* of the chunk, head and whole records */
    atomic_int state;                         /* enum in spool_write.c: who may write the chunk */
    _Alignas(8) uint8_t own[ILPI_CHUNK_SIZE]; /* the chunk where there are no rooms */
};

#endif
