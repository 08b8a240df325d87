/* Encodes records, for spool_write.c. Inlined where the kind is constant, so that its numbers and
 * texts are counted at compile time. */
#ifndef ILPI_SPOOL_RECORD_H
#define ILPI_SPOOL_RECORD_H

#include "base/bytes.h"
#include "trace/spool.h"

#define NUMBER_SIZE 10u /* maximum size of a 64-bit LEB128 number */

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The content of a record after its time: numbers, then texts (spool.def). */
struct said {
    const uint64_t *numbers;
    const struct ilp_bytes *texts;
    uint32_t number_count, text_count;
};

#define SAID_NUMBERS(count, ...) \
    .numbers = (const uint64_t[count]){__VA_ARGS__}, .number_count = (count)
#define SAID_TEXTS(count, ...) \
    .texts = (const struct ilp_bytes[count]){__VA_ARGS__}, .text_count = (count)

static ALWAYS_INLINE uint8_t *put_number(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static ALWAYS_INLINE size_t text_size(struct ilp_bytes text)
{
    return text.size < ILPI_SPOOL_TEXT ? text.size : ILPI_SPOOL_TEXT;
}

static ALWAYS_INLINE uint8_t *put_text(uint8_t *at, struct ilp_bytes text)
{
    size_t size = text_size(text);
    at = put_number(at, size);
    if (size <= ILPI_SHORT) {
        ilpi_copy_short(at, text.data, size);
    } else {
        memcpy(at, text.data, size);
    }
    return at + size;
}

static ALWAYS_INLINE uint8_t *put_said(uint8_t *at, const struct said *said)
{
    for (uint32_t i = 0; i < said->number_count; i++) {
        at = put_number(at, said->numbers[i]);
    }
    for (uint32_t i = 0; i < said->text_count; i++) {
        at = put_text(at, said->texts[i]);
    }
    return at;
}

/* Everything except its code, which is at `at`. The fields are those of spool.def:
 * tests/unit/test_spool_read.c reads each kind. */
static ALWAYS_INLINE uint8_t *put_fields(uint8_t *at, uint64_t delta, const struct said *said)
{
    return put_said(put_number(at + 1, delta), said);
}

/* Writes the code last, since a process may be killed at any time; before it the zero that ends the
 * chunk, since a room may hold old bytes there. */
static ALWAYS_INLINE void put_code(uint8_t *code, enum ilpi_spool_kind kind, uint8_t *end)
{
    *end = 0;
    __atomic_store_n(code, (uint8_t)kind, __ATOMIC_RELEASE);
}

/* The maximum size of all that. */
static ALWAYS_INLINE size_t record_room(const struct said *said)
{
    size_t room = 1 + NUMBER_SIZE * (size_t)(1 + said->number_count + said->text_count) + 1;
    for (uint32_t i = 0; i < said->text_count; i++) {
        room += text_size(said->texts[i]);
    }
    return room;
}

#endif
