/* Spans of bytes, compared and copied. An empty span may have no address, which memcmp() and
 * memcpy() do not take. */
#ifndef ILPI_BYTES_H
#define ILPI_BYTES_H

#include <string.h>

#include "ilpatch.h"

static inline bool ilpi_bytes_equal(struct ilp_bytes left, struct ilp_bytes right)
{
    return left.size == right.size &&
           (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

enum { ILPI_SHORT = 32 };

/* memcpy() of at most ILPI_SHORT bytes, without a call. Both ends are loaded before either is
 * stored, each with a fixed size that compilers turn into one instruction; they may overlap:
 *
 *   11 bytes   0 1 2 3 4 5 6 7 8 9 10
 *   head       x x x x x x x x
 *   tail             x x x x x x x x */
static inline void ilpi_copy_short(void *to, const void *from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if (size >= 16) {
        uint8_t head[16], tail[16]; /* which overlap */
        memcpy(head, in, 16);
        memcpy(tail, in + size - 16, 16);
        memcpy(out, head, 16);
        memcpy(out + size - 16, tail, 16);
    } else if (size >= 8) {
        uint8_t head[8], tail[8];
        memcpy(head, in, 8);
        memcpy(tail, in + size - 8, 8);
        memcpy(out, head, 8);
        memcpy(out + size - 8, tail, 8);
    } else if (size >= 4) {
        uint8_t head[4], tail[4];
        memcpy(head, in, 4);
        memcpy(tail, in + size - 4, 4);
        memcpy(out, head, 4);
        memcpy(out + size - 4, tail, 4);
    } else if (size != 0) {
        uint8_t middle = in[size / 2], last = in[size - 1];
        out[0] = in[0];
        out[size / 2] = middle;
        out[size - 1] = last;
    }
}

#endif
