/* A metadata heap that grows: the original is a view, new entries are collected after it. */
#ifndef ILPI_HEAP_BUILD_H
#define ILPI_HEAP_BUILD_H

#include "base/buf.h"
#include "base/map.h"

/* A heap that grows: offsets below base.size are the old stream's, so no old index changes. */
struct ilpi_heap_edit {
    struct ilp_bytes base; /* borrowed: the stream as it was */
    struct ilpi_buf added;
    struct ilpi_map entries; /* the offsets of entries in `added`, plus one */
    size_t limit;            /* upper bound of offsets */
};

void ilpi_heap_edit_init(struct ilpi_heap_edit *heap, struct ilpi_alloc *alloc,
                         struct ilp_bytes base, size_t limit);
void ilpi_heap_edit_free(struct ilpi_heap_edit *heap);

/* Size of the stream, old and new bytes. */
static inline size_t ilpi_heap_edit_size(const struct ilpi_heap_edit *heap)
{
    return heap->base.size + heap->added.size;
}

/* Adds an encoded entry (with length prefix or terminator) or finds the equal one added before. No
 * entry is a prefix of another one. */
ilp_status ilpi_heap_edit_add(struct ilpi_heap_edit *heap, const struct ilpi_buf *entry,
                              uint32_t *offset, struct ilp_error *error);

/* Encodes one entry: a #Strings name, a #Blob blob, a #US string from UTF-8. */
void ilpi_entry_string(struct ilpi_buf *entry, const char *text);
void ilpi_entry_blob(struct ilpi_buf *entry, struct ilp_bytes blob);
void ilpi_entry_user_string(struct ilpi_buf *entry, struct ilp_bytes utf8);

#endif
