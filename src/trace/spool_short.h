/* Records of calls without text, nearly all of a trace: written in one step, with one check for
 * room. For hooks. */
#ifndef ILPI_SPOOL_SHORT_H
#define ILPI_SPOOL_SHORT_H

#include "base/buf.h"
#include "trace/spool_write.h"

/* An id in its encoding, made once for each method. */
struct ilpi_short_id {
    uint32_t bytes;
    uint32_t size; /* 0: longer than three bytes */
};

#define ILPI_SHORT_TIME ((uint64_t)1 << 14) /* two bytes */

static inline struct ilpi_short_id ilpi_short_id(uint64_t id)
{
    struct ilpi_short_id made = {0, 0};
    for (uint64_t rest = id; id < (uint64_t)1 << 21 && (made.size == 0 || rest != 0); rest >>= 7) {
        uint32_t more = rest >= 0x80 ? 0x80 : 0;
        made.bytes |= ((uint32_t)(rest & 0x7F) | more) << 8 * made.size++;
    }
    return made;
}

/* ENTER, LEAVE or CALL; the same bytes as from ilpi_spool_enter() and its kin. `id` is that of
 * `method`, and must have a size. As in spool_record.h the code is written last. */
static inline void ilpi_spool_short(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind,
                                    uint64_t time, uint64_t method, struct ilpi_short_id id)
{
    uint32_t size = atomic_load_explicit(&thread->size, memory_order_relaxed);
    uint64_t delta = time - thread->time;
    if (size > thread->short_limit || delta >= ILPI_SHORT_TIME) {
        ilpi_spool_call(thread, kind, time, method);
        return;
    }
    uint8_t *code = thread->chunk + size;
    uint32_t more = delta >= 0x80;
    uint32_t time_size = 1 + more;
    uint64_t fields = (delta & 0x7F) | more << 7 | delta >> 7 << 8;
    ilpi_store_u64(code + 1, fields | (uint64_t)id.bytes << 8 * time_size);
    __atomic_store_n(code, (uint8_t)kind, __ATOMIC_RELEASE);
    thread->time = time;
    atomic_store_explicit(&thread->size, size + 1 + time_size + id.size, memory_order_release);
}

#endif
