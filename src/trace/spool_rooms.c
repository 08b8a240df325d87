/* Chunks in rooms, appended several at a time, which is faster than one by one. See spool_rooms.h.
 *
 *   rooms[0 .. full)            chunks that are complete
 *   rooms[full]                 the growing one; or none while the next is being looked for
 *   .. room_count               empty ones */
#include "trace/spool_rooms.h"

#include "trace/spool_chunk.h"

static void take_room(struct ilpi_spool_thread *thread, bool needed)
{
    const struct ilpi_spool_rooms *rooms = thread->spool->rooms;
    uint8_t *room = rooms->take(rooms->user, needed);
    if (room) {
        thread->rooms[thread->room_count++] = room;
    }
}

/* Empties a room after its chunk was written. A concurrent reader, or one after the process was
 * killed just now, finds its records, none, or those of the next chunk, which has another
 * number. */
static void empty_room(uint8_t *room, uint32_t next)
{
    __atomic_store_n(room + ILPI_CHUNK_HEAD, 0, __ATOMIC_RELEASE);
    ilpi_store_u32(room + CHUNK_SEQUENCE, next);
    atomic_thread_fence(memory_order_release);
}

/* Leaves a room with its chunk to the reader. */
static void leave_room(const struct ilpi_spool_rooms *rooms, uint8_t *room, size_t size)
{
    memset(room + size, 0, ILPI_CHUNK_SIZE - size);
    seal(room, room, size);
    rooms->leave(rooms->user, room);
}

/* Appends the full chunks, each as its head and its records. */
static bool append_chunks(const struct ilpi_spool_thread *thread)
{
    const struct ilpi_spool_rooms *rooms = thread->spool->rooms;
    _Alignas(8) uint8_t heads[ILPI_THREAD_ROOMS][ILPI_CHUNK_HEAD];
    struct ilp_bytes parts[2 * ILPI_THREAD_ROOMS];
    for (unsigned i = 0; i < thread->full; i++) {
        const uint8_t *room = thread->rooms[i];
        const size_t size = thread->sizes[i];
        memcpy(heads[i], room, ILPI_CHUNK_HEAD);
        seal(heads[i], room, size);
        parts[2 * i] = (struct ilp_bytes){heads[i], ILPI_CHUNK_HEAD};
        parts[2 * i + 1] = (struct ilp_bytes){room + ILPI_CHUNK_HEAD,
                                              ILPI_CHUNK_PLACE(size) - ILPI_CHUNK_HEAD};
    }
    return rooms->append(rooms->user, parts, (size_t)2 * thread->full) == ILP_OK;
}

/* Empties rooms with full chunks. A chunk that could not be appended stays in its room. */
static void empty_rooms(struct ilpi_spool_thread *thread)
{
    bool written = append_chunks(thread);
    for (unsigned i = 0; i < thread->full; i++) {
        if (written) {
            empty_room(thread->rooms[i], thread->sequence + i);
        } else {
            leave_room(thread->spool->rooms, thread->rooms[i], thread->sizes[i]);
        }
    }
    if (!written) {
        thread->room_count -= thread->full;
        memmove(thread->rooms, thread->rooms + thread->full,
                thread->room_count * sizeof *thread->rooms);
    }
    thread->full = 0;
}

/* One more room while there may be, else all are written and used again. The first must be had;
 * later ones only if the reserve has some to spare. */
uint8_t *ilpi_spool_next_room(struct ilpi_spool_thread *thread)
{
    if (thread->full == thread->room_count && thread->full < ILPI_THREAD_ROOMS) {
        take_room(thread, thread->full == 0);
    }
    if (thread->full == thread->room_count && thread->full != 0) {
        empty_rooms(thread);
        if (thread->room_count == 0) {
            take_room(thread, true);
        }
    }
    return thread->full < thread->room_count ? thread->rooms[thread->full] : NULL;
}

void ilpi_spool_fill_room(struct ilpi_spool_thread *thread, uint32_t size)
{
    memset(thread->chunk + size, 0, ILPI_CHUNK_PLACE(size) - size);
    thread->sizes[thread->full++] = size;
}

/* Written first: a room that is given back may be another thread's at once. */
void ilpi_spool_give_rooms_back(struct ilpi_spool_thread *thread)
{
    const struct ilpi_spool_rooms *rooms = thread->spool->rooms;
    if (thread->full != 0) {
        empty_rooms(thread);
    }
    while (thread->room_count != 0) {
        rooms->give_back(rooms->user, thread->rooms[--thread->room_count]);
    }
    thread->chunk = NULL;
    thread->short_limit = 0;
}
