/* Writes metadata heaps: II.24.2.3 (#Strings), II.24.2.4 (#US and #Blob). An entry that was added
 * before is found again by its hash and not stored twice; entries of the original are not searched.
 *
 *   stream   | base: the original, unchanged | added |
 *   offset   0                               base.size
 *
 * So every old offset keeps its meaning, and a new one is base.size plus the offset in `added`. To
 * find entries of the original, all of them would have to be hashed, also in a file of which one
 * method changes. */
#include "metadata/heap_build.h"

#include <string.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/utf8.h"

void ilpi_heap_edit_init(struct ilpi_heap_edit *heap, struct ilpi_alloc *alloc,
                         struct ilp_bytes base, size_t limit)
{
    *heap = (struct ilpi_heap_edit){.base = base, .added = {.alloc = alloc}, .limit = limit};
}

void ilpi_heap_edit_free(struct ilpi_heap_edit *heap)
{
    ilpi_map_free(&heap->entries, heap->added.alloc);
    ilpi_buf_free(&heap->added);
}

/* The offset of the entry in `added`, plus one; 0: there is none. The map has no lengths, but the
 * comparison is safe: no entry is a prefix of another one, since names end with their NUL and the
 * others begin with their length. */
static uint32_t find_entry(const struct ilpi_heap_edit *heap, const uint8_t *entry, size_t size,
                           struct ilpi_map_search *search)
{
    *search = ilpi_map_find(&heap->entries, XXH3_64bits(entry, size));
    uint32_t at;
    while ((at = ilpi_map_next(search)) != 0) {
        if (size <= heap->added.size - (at - 1) &&
            memcmp(heap->added.data + at - 1, entry, size) == 0) {
            break;
        }
    }
    return at;
}

/* Equal entries are stored once: found by their hash among the added ones. The old heap is not
 * searched, which would need an index of all of it. */
ilp_status ilpi_heap_edit_add(struct ilpi_heap_edit *heap, const struct ilpi_buf *entry,
                              uint32_t *offset, struct ilp_error *error)
{
    if (entry->status == ILP_E_TOO_LARGE) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "an entry of a metadata heap has at most %u bytes", (1u << 29) - 1);
    }
    if (entry->status != ILP_OK) {
        return ilpi_fail_memory(error, entry->size);
    }
    /* Before the search, since growing moves the slots that a search refers to. */
    ILPI_TRY(ilpi_map_reserve(&heap->entries, heap->added.alloc, heap->entries.count + 1, error));
    struct ilpi_map_search search;
    uint32_t found = find_entry(heap, entry->data, entry->size, &search);
    if (found != 0) {
        *offset = (uint32_t)(heap->base.size + found - 1);
        return ILP_OK;
    }
    /* A new stream begins with its empty entry, at offset 0. */
    size_t empty = ilpi_heap_edit_size(heap) == 0 ? 1 : 0;
    size_t at = heap->added.size + empty;
    /* Subtractions only: base.size and `at` come from the file, and a sum of them could wrap where
     * size_t has 32 bits. */
    if (heap->base.size > heap->limit || at > heap->limit - heap->base.size ||
        entry->size > heap->limit - heap->base.size - at) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "a metadata heap would grow past %zu bytes", heap->limit);
    }
    uint8_t *to = ilpi_buf_reserve(&heap->added, empty + entry->size);
    if (!to) {
        heap->added.status = ILP_OK; /* nothing was added: the heap is unchanged */
        return ilpi_fail_memory(error, empty + entry->size);
    }
    memset(to, 0, empty);
    memcpy(to + empty, entry->data, entry->size);
    *offset = (uint32_t)(heap->base.size + at);
    ilpi_map_add_found(&heap->entries, &search, (uint32_t)at + 1);
    return ILP_OK;
}

void ilpi_entry_string(struct ilpi_buf *entry, const char *text)
{
    ilpi_buf_bytes_add(entry, text, strlen(text) + 1);
}

/* A compressed integer ends at 2^29 - 1 (II.23.2). */
static void put_size(struct ilpi_buf *entry, size_t size)
{
    if (size >= 1u << 29) {
        entry->status = ILP_E_TOO_LARGE;
        return;
    }
    ilpi_buf_packed(entry, (uint32_t)size);
}

void ilpi_entry_blob(struct ilpi_buf *entry, struct ilp_bytes blob)
{
    put_size(entry, blob.size);
    ilpi_buf_bytes_add(entry, blob.data, blob.size);
}

/* The final byte is 1 when comparing a character needs more than its bytes (II.24.2.4): when any
 * unit has a bit set in its upper byte, or a lower byte that is one of those below. */
static inline bool is_special_ascii(uint8_t c)
{
    return (c >= 0x01 && c <= 0x08) || (c >= 0x0E && c <= 0x1F) || c == 0x27 || c == 0x2D ||
           c == 0x7F;
}

static bool is_special(uint32_t code)
{
    return code > 0xFF || is_special_ascii((uint8_t)code);
}

/* Writes UTF-16 units if `entry` is given; returns their number. Called twice, to measure and to
 * write, because the length prefix has 1, 2 or 4 bytes and is stored first. */
static size_t utf16(struct ilpi_buf *entry, struct ilp_bytes utf8, bool *special)
{
    size_t units = 0;
    for (size_t at = 0; at < utf8.size;) {
        uint32_t code = ilpi_utf8_next(utf8.data, utf8.size, &at);
        bool pair = code > 0xFFFF;
        units += pair ? 2 : 1;
        *special |= is_special(code);
        if (entry) {
            ilpi_buf_u16(entry, pair ? ilpi_utf16_high(code) : (uint16_t)code);
            if (pair) {
                ilpi_buf_u16(entry, ilpi_utf16_low(code));
            }
        }
    }
    return units;
}

/* Names consist of characters from '.' up, and of these only the last, DEL, is special: groups of
 * eight are checked at once, and only others byte by byte. The last group may overlap the one
 * before. False: the text is not ASCII.
 *
 * The sums find the groups that need a closer look. In a byte b, `b - '.'` sets the top bit if b <
 * '.', `b + 1` if b is DEL, and b itself if it is not ASCII. Borrows and carries pass between bytes
 * only from a byte that is found anyway, so they can add groups, but cannot hide one. */
static bool is_ascii(struct ilp_bytes text, bool *special)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint8_t *bytes = text.data;
    uint8_t seen = 0;
    for (size_t i = 0; i < text.size; i += 8) {
        size_t at = text.size - i >= 8 || text.size < 8 ? i : text.size - 8;
        uint64_t eight = text.size >= 8 ? ilpi_load_u64(bytes + at) : 0;
        if ((((eight - ones * '.') | (eight + ones) | eight) & ones * 0x80) != 0) {
            for (size_t j = at; j < at + 8 && j < text.size; j++) {
                seen |= bytes[j];
                *special |= is_special_ascii(bytes[j]);
            }
        }
    }
    return seen < 0x80;
}

/* In a function of its own with `restrict`, so that compilers vectorise the loop. */
static void widen(uint8_t *restrict to, const uint8_t *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[2 * i] = from[i];
        to[2 * i + 1] = 0;
    }
}

/* II.24.2.4: the size in bytes, the UTF-16 units, and a byte that is 1 if any unit needs more than
 * a simple comparison. */
void ilpi_entry_user_string(struct ilpi_buf *entry, struct ilp_bytes utf8)
{
    bool special = false;
    if (is_ascii(utf8, &special)) { /* nearly all names: each byte becomes a unit */
        put_size(entry, utf8.size * 2 + 1);
        uint8_t *to = ilpi_buf_reserve(entry, utf8.size * 2 + 1);
        if (to) {
            widen(to, utf8.data, utf8.size);
            to[2 * utf8.size] = special;
        }
        return;
    }
    special = false;
    put_size(entry, utf16(NULL, utf8, &special) * 2 + 1);
    special = false;
    utf16(entry, utf8, &special);
    ilpi_buf_u8(entry, special);
}
