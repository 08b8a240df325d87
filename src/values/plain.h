/* Digits, and characters without escapes, written if there is room: most of a line. */
#ifndef ILPI_VALUES_PLAIN_H
#define ILPI_VALUES_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PLAIN_DIGITS = 20,      /* maximum of a number */
    PLAIN_STRING_CLOSE = 28 /* kept free after a string: `"... (2147483647+ chars)`, brackets */
};

/* ---- numbers ---- */

/* Writes backwards from `end`. */
static inline void plain_digits(char *end, uint64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (; value >= 100; value /= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (value % 100), 2);
    }
    if (value < 10) {
        *--end = (char)('0' + value);
    } else {
        end -= 2;
        memcpy(end, pairs + 2 * value, 2);
    }
}

/* Powers of 10. */
extern const uint64_t plain_powers[PLAIN_DIGITS];

/* The number of bits times log10(2), 1233 / 4096, is the number of digits or one less: the power
 * decides. The table has one for each result. */
static inline unsigned plain_digit_count(uint64_t value)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
    unsigned least = bits * 1233 >> 12; /* times log10(2) */
    return least + ((value | 1) >= plain_powers[least]);
}

/* "007": the last digits. */
static inline void plain_padded(char *to, uint64_t value, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; value /= 10) {
        to[i] = (char)('0' + value % 10);
    }
}

/* ---- text ---- */

/* Characters that need no escape, in any quotes and notation. */
static inline bool plain_is(uint16_t unit)
{
    return unit >= ' ' && unit < 0x7F && unit != '"' && unit != '\'' && unit != '\\';
}

/* The same for the eight bytes of a word. Below 0x80 a sum does not carry into the next byte, and
 * bit 7 is the result:
 *
 *   byte + (0x80 - ' ')     set from the space on
 *   ~(byte + 1)             not set for 0x7F alone
 *   (byte ^ '"') + 0x7F     not set for the quote alone: only there the exclusive or is 0 */
#define BYTES(byte) ((uint64_t)(byte)*0x0101010101010101u)

static inline bool plain_are(uint64_t bytes)
{
    const uint64_t high = BYTES(0x80), below = BYTES(0x7F);
    uint64_t plain = (bytes + BYTES(0x80 - ' ')) & ~(bytes + BYTES(1)) &
                     ((bytes ^ BYTES('"')) + below) & ((bytes ^ BYTES('\'')) + below) &
                     ((bytes ^ BYTES('\\')) + below);
    return (bytes & high) == 0 && (plain & high) == high;
}

/* Copies the leading plain characters of at most `most`; returns their number. Of four units below
 * 0x80 the zero bytes are dropped:
 *
 *   units   00dd 00cc 00bb 00aa     as a number of a little-endian machine
 *   pairs   0000 ddcc 0000 bbaa
 *   bytes             ddcc bbaa     tested twice, since plain_are() takes eight bytes */
static inline size_t plain_copy(char *to, const uint8_t *utf16, size_t most)
{
    size_t count = 0;
    for (; most - count >= 4; count += 4) {
        uint64_t units;
        memcpy(&units, utf16 + 2 * count, sizeof units);
        uint64_t pairs = (units | units >> 8) & 0x0000FFFF0000FFFFu;
        uint32_t bytes = (uint32_t)(pairs | pairs >> 16);
        if ((units & 0xFF80FF80FF80FF80u) != 0 || !plain_are((uint64_t)bytes << 32 | bytes)) {
            break;
        }
        memcpy(to + count, &bytes, sizeof bytes);
    }
    for (; count < most; count++) {
        uint16_t unit;
        memcpy(&unit, utf16 + 2 * count, sizeof unit);
        if (!plain_is(unit)) {
            break;
        }
        to[count] = (char)unit;
    }
    return count;
}

/* A literal of plain characters only; 0: it has others, or does not fit. */
static inline size_t plain_string(char *to, size_t room, const uint8_t *utf16, size_t length)
{
    if (room < PLAIN_STRING_CLOSE + 2 || length > room - PLAIN_STRING_CLOSE - 2 ||
        plain_copy(to + 1, utf16, length) != length) {
        return 0;
    }
    to[0] = to[1 + length] = '"';
    return length + 2;
}

#endif
