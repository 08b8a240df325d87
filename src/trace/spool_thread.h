/* The writer of a spool: the process, its threads, and their rooms. See spool_write.h. */
#ifndef ILPI_SPOOL_THREAD_H
#define ILPI_SPOOL_THREAD_H

#include <stdatomic.h>

#include "trace/spool.h"

enum { ILPI_THREAD_ROOMS = 4 };
enum { ILPI_REPEAT_BITS = 11 }; /* number of slots, as a power of two */

/* A chunk is followed by the next multiple of 8. */
#define ILPI_CHUNK_PLACE(size) (((size_t)(size) + 7) & ~(size_t)7)

/* Memory of ILPI_CHUNK_SIZE bytes inside the spool, and the rooms of a thread; it gets one more
 * whenever all are full. Rewriting memory is several times faster than extending the file by new
 * pages. */
struct ilpi_spool_rooms {
    void *user;
    /* An empty room: the first byte after a chunk's head is zero. NULL: there is none; if one is
     * `needed`, the reason is reported. */
    uint8_t *(*take)(void *user, bool needed);
    void (*give_back)(void *user, uint8_t *room);
    void (*leave)(void *user, uint8_t *room); /* a room with records that no thread writes any
                                                 more */
    /* Appends the parts, at most 2 * ILPI_THREAD_ROOMS, to the end of the spool. */
    ilp_status (*append)(void *user, const struct ilp_bytes *parts, size_t count);
};

/* Of a process; shared by its threads. */
struct ilpi_spool {
    struct ilp_sink sink;
    /* for chunks of threads; NULL: use the sink. Borrowed */
    const struct ilpi_spool_rooms *rooms;
    uint32_t process;
    atomic_uint_least32_t sequence; /* of thread 0 */
    atomic_uint_least64_t lost;     /* number of lost records, in all threads */
};

/* The bytes that spool_short.h writes at once: the code, and eight bytes after it, whatever time,
 * id and the final zero take. */
#define ILPI_SHORT_ROOM 9u

/* Of a thread; others only call ilpi_spool_thread_close(). */
struct ilpi_spool_thread {
    struct ilpi_spool *spool;
    uint32_t number;
    uint32_t sequence;
    uint64_t begun;                           /* the chunk */
    uint64_t time;                            /* of the previous record */
    uint64_t lost;                            /* number of lost records */
    uint32_t records;                         /* in the chunk */
    enum ilpi_spool_kind begun_kind;          /* of ilpi_spool_begin_value() */
    uint8_t *begun_fields;                    /* of it: what follows its time */
    uint16_t repeats[1u << ILPI_REPEAT_BITS]; /* offsets of values in the chunk (spool_repeat.h) */
    uint8_t *rooms[ILPI_THREAD_ROOMS];        /* the thread's rooms */
    uint32_t sizes[ILPI_THREAD_ROOMS];        /* of their chunks */
    unsigned room_count, full;                /* the first `full` ones are full */
    uint8_t *chunk;                           /* a room, or `own`; NULL: none */
    uint32_t limit;                           /* upper bound of `size` */
    uint32_t short_limit;                     /* the same for spool_short.h; 0: no room */
    atomic_uint_least32_t size;               /* of the chunk, head and complete records */
    atomic_int state;                         /* enum in spool_write.c: who may write the chunk */
    _Alignas(8) uint8_t own[ILPI_CHUNK_SIZE]; /* the chunk if there are no rooms */
};

#endif
