/* Values that a thread has recorded before in its chunk: most methods return few different ones,
 * and a reference takes a fifth of what their text takes, in time as well, since each byte goes
 * through the system.
 *
 *   VALUE         code  time  | method  size  text...
 *                             ^ what is compared, as bytes
 *   VALUE_AGAIN   code  time  back
 *                 ^ `back` bytes after that place
 *
 * A place in the table counts only if the same bytes are there, so an entry of an earlier chunk, or
 * of another value, does no harm, and nothing is cleared. */
#ifndef ILPI_SPOOL_REPEAT_H
#define ILPI_SPOOL_REPEAT_H

#include <string.h>

#include "base/cursor.h"
#include "trace/spool_thread.h"

/* Shorter texts gain little by it. */
enum { LEAST_REPEATED = 16 };

/* Of the method's number and the text, but for its last bytes, which were written just now, one by
 * one: a processor waits until these can be read as a word. Of a long text only some words, so
 * values that differ elsewhere share a slot, which the later one has. */
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

/* Where the same is in the chunk, which the text ends so far; NULL: nowhere that is known, and this
 * is found from now on. */
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
