/* Reading the memory of values: the layout of objects, and unaligned loads. */
#ifndef ILPI_VALUES_READ_H
#define ILPI_VALUES_READ_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Offsets after the pointer to an object's type. The profiler compares the first two with the
 * runtime's report (GetStringLayout2) before it shows anything.
 *
 *   class, boxed value    type | fields, or the value
 *   string                type | length, i32 | UTF-16 units
 *   vector                type | length, i32 | elements, at the runtime's offset
 *   array with a rank     type | length of all, i32 | an i32 for each length, ... | elements */
enum {
    LENGTH_OFFSET = sizeof(void *), /* of strings and arrays */
    CHARS_OFFSET = sizeof(void *) + 4,
    BOUNDS_OFFSET = 2 * sizeof(void *), /* of arrays with a rank */
    BOXED_OFFSET = sizeof(void *)       /* of a boxed value, and of the fields of a class */
};

/* Nothing is ever mapped below: a T& to there refers to nothing. System.Private.CoreLib 10 has
 * such, with a mark in the lowest bit (StaticsHelpers.VolatileReadAsByref). */
enum { FIRST_PAGES = 0x10000 };

/* An entry of a dictionary or a set is free if its `next` is not above this: -1 ends a chain, -2
 * ends the list of free entries, and -3 - n is the free entry after which n follows. */
enum { FIRST_FREE = -2 };

static inline uint64_t read_unsigned(const uint8_t *value, uint32_t size)
{
    uint64_t number = 0;
    uint32_t word;
    uint16_t half;
    switch (size) {
    case 1: return value[0];
    case 2: memcpy(&half, value, sizeof half); return half;
    case 4: memcpy(&word, value, sizeof word); return word;
    case 8: memcpy(&number, value, sizeof number); return number;
    default: break;
    }
    for (uint32_t i = 0; i < size && i < sizeof number; i++) {
        number |= (uint64_t)value[i] << (8 * i);
    }
    return number;
}

/* Shifts the sign bit to the top and back. C11 leaves the right shift of a negative number to the
 * compiler (6.5.7); gcc and clang keep the sign. */
static inline int64_t read_signed(const uint8_t *value, uint32_t size)
{
    unsigned spare = 64 - 8 * (size < 8 ? size : 8);
    return size == 0 ? 0 : (int64_t)(read_unsigned(value, size) << spare) >> spare;
}

static inline const uint8_t *read_pointer(const uint8_t *value)
{
    const uint8_t *pointer;
    memcpy(&pointer, value, sizeof pointer);
    return pointer;
}

/* A DateTime's ticks of 100 ns since year 1; its two high bits are the kind. */
static inline uint64_t read_ticks(const uint8_t *value)
{
    return read_unsigned(value, sizeof(uint64_t)) & UINT64_MAX >> 2;
}

/* A decimal: flags (scale, sign), the high 32 bits, the low 64 bits. */
struct read_decimal {
    uint32_t words[3]; /* the lowest first */
    unsigned scale;
    bool negative;
};

static inline struct read_decimal read_decimal(const uint8_t *value)
{
    uint32_t flags = (uint32_t)read_unsigned(value, 4);
    return (struct read_decimal){{(uint32_t)read_unsigned(value + 8, 4),
                                  (uint32_t)read_unsigned(value + 12, 4),
                                  (uint32_t)read_unsigned(value + 4, 4)},
                                 flags >> 16 & 0xFF,
                                 flags >> 31 != 0};
}

static inline int32_t read_length(const uint8_t *at)
{
    int32_t length;
    memcpy(&length, at, sizeof length);
    return length;
}

#endif
