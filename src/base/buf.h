/* The cursor's mirror: a growing output buffer with a sticky error.
 *
 * A buffer without storage (alloc NULL) only measures: `size` is what would have been written.
 */
#ifndef ILPI_BUF_H
#define ILPI_BUF_H

#include <string.h>

#include "base/alloc.h"

/* A zeroed one with `alloc` set is empty and ready. Errors are checked once, at the end: until then
 * appending to a failed buffer does nothing. */
struct ilpi_buf {
    struct ilpi_alloc *alloc; /* NULL: measure only */
    uint8_t *data;            /* owned; free with ilpi_buf_free() */
    size_t size;
    size_t capacity;
    ilp_status status; /* ILP_OK, or ILP_E_NO_MEMORY from the first failure on */
};

static inline struct ilp_bytes ilpi_buf_bytes(const struct ilpi_buf *buf)
{
    return (struct ilp_bytes){buf->data, buf->size};
}

/* Room for n more bytes, counted as written; NULL when measuring or after a failure. */
uint8_t *ilpi_buf_reserve_more(struct ilpi_buf *buf, size_t n);
static inline uint8_t *ilpi_buf_reserve(struct ilpi_buf *buf, size_t n)
{
    if (!buf->data || buf->status != ILP_OK || n > buf->capacity - buf->size) {
        return ilpi_buf_reserve_more(buf, n);
    }
    buf->size += n;
    return buf->data + buf->size - n;
}

void ilpi_buf_u8(struct ilpi_buf *buf, uint8_t value);
void ilpi_buf_u16(struct ilpi_buf *buf, uint16_t value);
void ilpi_buf_u32(struct ilpi_buf *buf, uint32_t value);
void ilpi_buf_u64(struct ilpi_buf *buf, uint64_t value);

/* A compressed unsigned integer (II.23.2). The caller has checked that it is below 2^29. */
void ilpi_buf_packed(struct ilpi_buf *buf, uint32_t value);

/* `bytes` must not be a part of the buffer, which may move. */
void ilpi_buf_bytes_add(struct ilpi_buf *buf, const void *bytes, size_t size);
void ilpi_buf_zeros(struct ilpi_buf *buf, size_t n);

/* Zeros up to the next multiple of `alignment`, counted from the start of the buffer. */
void ilpi_buf_align(struct ilpi_buf *buf, size_t alignment);
void ilpi_buf_text(struct ilpi_buf *buf, const char *text);
void ilpi_buf_format(struct ilpi_buf *buf, const char *format, ...) ILPI_PRINTF(2, 3);

/* Writes are appended to the buffer; its status is the sink's. */
struct ilp_sink ilpi_buf_sink(struct ilpi_buf *buf);

void ilpi_buf_free(struct ilpi_buf *buf);

/* Little-endian, at any alignment, as ilpi_load_u16() and its like read it. */
static inline void ilpi_store_u16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void ilpi_store_u32(uint8_t *p, uint32_t value)
{
    ilpi_store_u16(p, (uint16_t)value);
    ilpi_store_u16(p + 2, (uint16_t)(value >> 16));
}

/* One instruction: gcc 12 emits several for byte stores when it knows some of the values. */
static inline void ilpi_store_u64(uint8_t *p, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(p, &value, sizeof value);
}

/* The bytes a compressed integer takes (II.23.2). */
static inline size_t ilpi_packed_size(uint32_t value)
{
    if (value < 0x80) {
        return 1;
    }
    return value < 0x4000 ? 2 : 4;
}

#endif
