/* Repeated values of a thread within a chunk: most methods return few different values, and a
 * reference takes a fifth of the size of their text, and of its time, since each byte goes through
 * the system.
 *
 *   VALUE         code  time  | method  size  text...
 *                             ^ what is compared, as bytes
 *   VALUE_AGAIN   code  time  back
 *                 ^ `back` bytes after that offset
 *
 * An entry of the table counts only if the same bytes are at its offset, so stale entries, and
 * those of other values, are harmless, and nothing is cleared. */
#ifndef ILPI_SPOOL_REPEAT_H
#define ILPI_SPOOL_REPEAT_H

#include <string.h>

#include "base/cursor.h"
#include "trace/spool_thread.h"

/* Shorter texts gain little by it. */
enum { LEAST_REPEATED = 16 };

/* A hash of the method's number and the text except its last bytes: those were just written one by
 * one, and a processor stalls when they are read as a word. Of a long text only some words are
 * hashed; values that differ elsewhere share a slot, which the latest one gets. */
static inline size_t repeat_slot(uint8_t method, const uint8_t *text, size_t size)
{
    size_t step = size < 8 * sizeof(uint64_t) ? sizeof(uint64_t) : size / 8;
    uint64_t mixed = size << 8 | method;
    for (size_t at = 0; at + 2 * sizeof(uint64_t) <= size; at += step) {
        mixed = (mixed ^ ilpi_load_u64(text + at)) * UINT64_C(0x9E3779B97F4A7C15);
        mixed ^= mixed >> 32;
    }
    return mixed & ((1u << ILPI_REPEAT_BITS) - 1);
}

/* Where the same value is in the chunk, whose last text it is; NULL: unknown, and this one is
 * entered. */
static inline const uint8_t *repeat_find(struct ilpi_spool_thread *thread, const uint8_t *fields,
                                         const uint8_t *text, size_t size)
{
    uint16_t *slot = &thread->repeats[repeat_slot(*fields, text, size)];
    const uint8_t *before = thread->chunk + *slot;
    size_t head = (size_t)(text - fields);
    bool same = *slot >= ILPI_CHUNK_HEAD && before + head + size < fields;
    for (size_t i = 0; i < head && same; i++) {
        same = before[i] == fields[i];
    }
    if (same && memcmp(before + head, text, size) == 0) {
        return before;
    }
    *slot = (uint16_t)(fields - thread->chunk);
    return NULL;
}

#endif
