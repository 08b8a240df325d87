/* The head of a chunk, as it is written: spool.h has its fields. */
#ifndef ILPI_SPOOL_CHUNK_H
#define ILPI_SPOOL_CHUNK_H

#include <string.h>

#include "base/buf.h"
#include "trace/spool.h"

static inline void put_head(uint8_t *chunk, uint32_t process, uint32_t thread, uint32_t sequence,
                            uint64_t time)
{
    ilpi_store_u32(chunk + CHUNK_PROCESS, process);
    ilpi_store_u32(chunk + CHUNK_THREAD, thread);
    ilpi_store_u32(chunk + CHUNK_SEQUENCE, sequence);
    ilpi_store_u64(chunk + CHUNK_TIME, time);
}

/* Writes magic and size in one store, for concurrent readers. Chunks are at multiples of 8. */
static inline void put_state(uint8_t *chunk, uint32_t magic, size_t size)
{
    typedef uint64_t __attribute__((may_alias)) word;
    uint8_t bytes[sizeof(word)];
    word state;
    ilpi_store_u32(bytes + CHUNK_MAGIC, magic);
    ilpi_store_u32(bytes + CHUNK_SIZE, (uint32_t)(size - ILPI_CHUNK_HEAD));
    memcpy(&state, bytes, sizeof state);
    __atomic_store_n((word *)(void *)chunk, state, __ATOMIC_RELEASE);
}

/* Turns `head`, which may be a copy, into that of a complete chunk. */
static inline void seal(uint8_t *head, const uint8_t *chunk, size_t size)
{
    ilpi_store_u32(head + CHUNK_CHECK, ilpi_chunk_check(chunk, size));
    put_state(head, ILPI_SPOOL_MAGIC, size);
}

#endif
