/* The one way to read untrusted bytes: a bounded cursor whose first error sticks.
 *
 * After the first failure every read returns zero or an empty span and the cursor is at its end, so
 * a parser may read a whole structure and check the status once. The error keeps the file offset of
 * the failed read, and names the structure in the specification's words. The one bounds test is `n
 * > (size_t)(end - at)`: subtract, never add. */
#ifndef ILPI_CURSOR_H
#define ILPI_CURSOR_H

#include <string.h>

#include "base/error.h"

/* Reads forward over bytes that are not trusted. After the first failure every read gives 0 or
 * nothing, and `status` stays, so that callers check once per structure. */
struct ilpi_cursor {
    const uint8_t *at; /* borrowed */
    const uint8_t *end;
    const uint8_t *start; /* where `origin` is counted from */
    uint64_t origin;      /* file offset of `start` */
    const char *place;  /* what is being read, for the error: "TypeDef row", "fat method header" */
    ilp_status failure; /* the status of a failed read, usually ILP_E_TRUNCATED */
    ilp_status status;  /* ILP_OK, or the first failure */
    struct ilp_error *error; /* filled at the first failure; may be NULL */
};

static inline struct ilpi_cursor ilpi_cursor_over(struct ilp_bytes bytes, uint64_t origin,
                                                  const char *place, struct ilp_error *error)
{
    /* NULL + 0 is undefined in C11 (6.5.6) */
    const uint8_t *start = bytes.data ? bytes.data : (const uint8_t *)"";
    return (struct ilpi_cursor){
        .at = start,
        .end = start + bytes.size,
        .start = start,
        .origin = origin,
        .place = place,
        .failure = ILP_E_TRUNCATED,
        .error = error,
    };
}

static inline size_t ilpi_cursor_left(const struct ilpi_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

static inline uint64_t ilpi_cursor_offset(const struct ilpi_cursor *cursor)
{
    return cursor->origin + (uint64_t)(cursor->at - cursor->start);
}

/* The cold half of every read: records the first failure and ends the input. */
static inline ilp_status ilpi_cursor_fail(struct ilpi_cursor *cursor, ilp_status status,
                                          const char *what)
{
    if (cursor->status == ILP_OK) {
        cursor->status = ilpi_fail(cursor->error, status, ilpi_cursor_offset(cursor), 0, "%s: %s",
                                   cursor->place, what);
        cursor->at = cursor->end;
    }
    return cursor->status;
}

/* True when n more bytes are left; else the error sticks. */
static inline bool ilpi_cursor_need(struct ilpi_cursor *cursor, size_t n)
{
    if (n > (size_t)(cursor->end - cursor->at)) {
        ilpi_cursor_fail(cursor, cursor->failure, "the data ends too early");
        return false;
    }
    return true;
}

/* Little-endian, at any alignment: all numbers of PE files and metadata are, but compressed ones
 * (II.23.2). The caller has checked the bounds. */
static inline uint16_t ilpi_load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t ilpi_load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t ilpi_load_u64(const uint8_t *p)
{
    return ilpi_load_u32(p) | (uint64_t)ilpi_load_u32(p + 4) << 32;
}

static inline uint8_t ilpi_read_u8(struct ilpi_cursor *cursor)
{
    return ilpi_cursor_need(cursor, 1) ? *cursor->at++ : 0;
}

static inline uint16_t ilpi_read_u16(struct ilpi_cursor *cursor)
{
    if (!ilpi_cursor_need(cursor, 2)) {
        return 0;
    }
    cursor->at += 2;
    return ilpi_load_u16(cursor->at - 2);
}

static inline uint32_t ilpi_read_u32(struct ilpi_cursor *cursor)
{
    if (!ilpi_cursor_need(cursor, 4)) {
        return 0;
    }
    cursor->at += 4;
    return ilpi_load_u32(cursor->at - 4);
}

static inline uint64_t ilpi_read_u64(struct ilpi_cursor *cursor)
{
    if (!ilpi_cursor_need(cursor, 8)) {
        return 0;
    }
    cursor->at += 8;
    return ilpi_load_u64(cursor->at - 8);
}

/* A compressed unsigned integer, 1, 2 or 4 bytes, big-endian (II.23.2).
 *
 *   0xxxxxxx                                7 bits
 *   10xxxxxx xxxxxxxx                      14
 *   110xxxxx xxxxxxxx xxxxxxxx xxxxxxxx    29
 *
 * A value in more bytes than it needs is accepted: runtimes do, too. */
static inline uint32_t ilpi_read_packed(struct ilpi_cursor *cursor)
{
    uint32_t first = ilpi_read_u8(cursor);
    if ((first & 0x80) == 0) {
        return first;
    }
    if ((first & 0x40) == 0) {
        uint32_t second = ilpi_read_u8(cursor);
        return cursor->status == ILP_OK ? (first & 0x3F) << 8 | second : 0;
    }
    if ((first & 0x20) != 0) {
        ilpi_cursor_fail(cursor, cursor->failure, "not a compressed integer (II.23.2)");
        return 0;
    }
    if (!ilpi_cursor_need(cursor, 3)) {
        return 0;
    }
    cursor->at += 3;
    return (first & 0x1F) << 24 | (uint32_t)cursor->at[-3] << 16 | (uint32_t)cursor->at[-2] << 8 |
           cursor->at[-1];
}

/* The next n bytes, borrowed; empty after a failure. */
static inline struct ilp_bytes ilpi_read_bytes(struct ilpi_cursor *cursor, size_t n)
{
    if (!ilpi_cursor_need(cursor, n)) {
        return (struct ilp_bytes){cursor->end, 0};
    }
    cursor->at += n;
    return (struct ilp_bytes){cursor->at - n, n};
}

static inline void ilpi_skip(struct ilpi_cursor *cursor, size_t n)
{
    ilpi_read_bytes(cursor, n);
}

/* Skips to the next multiple of `alignment` (a power of two), counted from `start`. */
static inline void ilpi_read_align(struct ilpi_cursor *cursor, size_t alignment)
{
    size_t past = (size_t)(cursor->at - cursor->start) & (alignment - 1);
    if (past != 0) {
        ilpi_skip(cursor, alignment - past);
    }
}

/* A NUL-terminated string of at most `limit` characters; empty after a failure. */
static inline const char *ilpi_read_cstring(struct ilpi_cursor *cursor, size_t limit)
{
    size_t left = ilpi_cursor_left(cursor);
    const uint8_t *text = cursor->at;
    /* one byte more than the limit, for the NUL */
    const uint8_t *nul = memchr(text, 0, left < limit + 1 ? left : limit + 1);
    if (!nul) {
        ilpi_cursor_fail(cursor, cursor->failure, "a name does not end");
        return "";
    }
    cursor->at = nul + 1;
    return (const char *)text;
}

/* A cursor over the next n bytes, which this one skips; errors go to the same place. */
static inline struct ilpi_cursor ilpi_cursor_sub(struct ilpi_cursor *cursor, size_t n,
                                                 const char *place)
{
    uint64_t origin = ilpi_cursor_offset(cursor);
    struct ilpi_cursor sub = ilpi_cursor_over(ilpi_read_bytes(cursor, n), origin, place,
                                              cursor->error);
    sub.failure = cursor->failure;
    sub.status = cursor->status;
    return sub;
}

#endif
