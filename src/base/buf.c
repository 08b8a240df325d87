/* The growing output buffer. See buf.h.
 *
 *   alloc NULL          measures: `size` grows, nothing is stored
 *   status not OK       all calls do nothing, until the owner resets it */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIRST_BYTES ((size_t)128) /* names and small bodies fit */

/* Capacity grows by a factor (ilpi_grow()), so n bytes appended one by one cost a constant for
 * each. Without an allocator only the size is counted. */
uint8_t *ilpi_buf_reserve_more(struct ilpi_buf *buf, size_t n)
{
    if (buf->status != ILP_OK) {
        return NULL;
    }
    if (n > SIZE_MAX - buf->size) {
        buf->status = ILP_E_NO_MEMORY;
        return NULL;
    }
    size_t at = buf->size;
    if (buf->alloc && n > buf->capacity - at) {
        void *data = buf->data;
        size_t wanted = at + n < FIRST_BYTES ? FIRST_BYTES : at + n;
        buf->status = ilpi_grow(buf->alloc, &data, &buf->capacity, wanted, 1, NULL);
        buf->data = data;
        if (buf->status != ILP_OK) {
            return NULL;
        }
    }
    buf->size = at + n;
    return buf->alloc && buf->data ? buf->data + at : NULL;
}

void ilpi_buf_bytes_add(struct ilpi_buf *buf, const void *bytes, size_t size)
{
    uint8_t *to = ilpi_buf_reserve(buf, size);
    if (to && size != 0) {
        memcpy(to, bytes, size);
    }
}

void ilpi_buf_u8(struct ilpi_buf *buf, uint8_t value)
{
    ilpi_buf_bytes_add(buf, &value, 1);
}

void ilpi_buf_u16(struct ilpi_buf *buf, uint16_t value)
{
    uint8_t bytes[2];
    ilpi_store_u16(bytes, value);
    ilpi_buf_bytes_add(buf, bytes, sizeof bytes);
}

void ilpi_buf_u32(struct ilpi_buf *buf, uint32_t value)
{
    uint8_t bytes[4];
    ilpi_store_u32(bytes, value);
    ilpi_buf_bytes_add(buf, bytes, sizeof bytes);
}

/* Two halves, the low one first. */
void ilpi_buf_u64(struct ilpi_buf *buf, uint64_t value)
{
    ilpi_buf_u32(buf, (uint32_t)value);
    ilpi_buf_u32(buf, (uint32_t)(value >> 32));
}

/* The bytes of the 4-byte form, of which the shorter forms are the last ones with another mark in
 * the first byte (II.23.2). */
void ilpi_buf_packed(struct ilpi_buf *buf, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)(0xC0 | value >> 24), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 8), (uint8_t)value};
    size_t size = ilpi_packed_size(value);
    if (size == 2) {
        bytes[2] |= 0x80;
    }
    ilpi_buf_bytes_add(buf, bytes + sizeof bytes - size, size);
}

/* For padding: without memory to write to the size grows all the same. */
void ilpi_buf_zeros(struct ilpi_buf *buf, size_t n)
{
    uint8_t *to = ilpi_buf_reserve(buf, n);
    if (to) {
        memset(to, 0, n);
    }
}

void ilpi_buf_align(struct ilpi_buf *buf, size_t alignment)
{
    ilpi_buf_zeros(buf, (alignment - buf->size % alignment) % alignment);
}

void ilpi_buf_text(struct ilpi_buf *buf, const char *text)
{
    ilpi_buf_bytes_add(buf, text, strlen(text));
}

/* Formatted twice if it does not fit the first time: with the size known, the second always
 * fits. */
void ilpi_buf_format(struct ilpi_buf *buf, const char *format, ...)
{
    char small[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    if ((size_t)length < sizeof small) {
        ilpi_buf_bytes_add(buf, small, (size_t)length);
        return;
    }
    uint8_t *to = ilpi_buf_reserve(buf, (size_t)length + 1); /* vsnprintf ends with a NUL */
    if (to) {
        va_start(arguments, format);
        vsnprintf((char *)to, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    if (buf->status == ILP_OK) { /* also when measuring: the NUL is not a part of the text */
        buf->size--;
    }
}

/* As a sink, for writers that know no buffer. */
static ilp_status write_to_buf(void *user, const void *bytes, size_t size)
{
    struct ilpi_buf *buf = user;
    ilpi_buf_bytes_add(buf, bytes, size);
    return buf->status;
}

struct ilp_sink ilpi_buf_sink(struct ilpi_buf *buf)
{
    return (struct ilp_sink){buf, write_to_buf};
}

void ilpi_buf_free(struct ilpi_buf *buf)
{
    if (buf->alloc) {
        ilpi_resize(buf->alloc, buf->data, buf->capacity, 0);
    }
    *buf = (struct ilpi_buf){.alloc = buf->alloc};
}
