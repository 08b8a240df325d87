/* Cached facts by address, looked up by any thread without a lock. One thread at a time adds and
 * drops entries, under the user's lock. None is freed while others read: a dropped entry is reused.
 *
 * A user's entry begins with a struct lookup_entry; the rest is written between
 * lookup_table_place() and lookup_entry_set(). Invariant: an entry with an address is complete. */
#ifndef ILPI_LOOKUP_TABLE_H
#define ILPI_LOOKUP_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lookup_entry {
    struct lookup_entry *_Atomic next;
    _Atomic uintptr_t address; /* 0: free */
    uint32_t part;             /* a second key, such as a method's token; 0 */
};

/* Zeroed except for the size; memory is allocated with the first entry. */
struct lookup_table {
    size_t entry_size;
    struct lookup_entry *_Atomic *_Atomic buckets;
};

enum { LOOKUP_BUCKETS = 4096 };

static inline size_t lookup_bucket_of(uintptr_t address, uint32_t part)
{
    return ((address ^ part) * 0x9E3779B97F4A7C15u) >> 32 & (LOOKUP_BUCKETS - 1);
}

/* NULL: no entry. `address` must not be 0. Inline, since it is called for each shown object. */
static inline void *lookup_table_find(const struct lookup_table *table, uintptr_t address,
                                      uint32_t part)
{
    struct lookup_entry *_Atomic *buckets = atomic_load(&table->buckets);
    struct lookup_entry *at = buckets ? atomic_load(&buckets[lookup_bucket_of(address, part)])
                                      : NULL;
    while (at && (atomic_load(&at->address) != address || at->part != part)) {
        at = atomic_load(&at->next);
    }
    return at;
}

/* An entry for this key, invisible until it is set; NULL: no memory. */
void *lookup_table_place(struct lookup_table *table, uintptr_t address, uint32_t part);
void lookup_entry_set(struct lookup_entry *entry, uintptr_t address, uint32_t part);

/* Drops entries for which `goes` is true. */
void lookup_table_drop(struct lookup_table *table, bool (*goes)(const void *entry, uintptr_t id),
                       uintptr_t id);

/* When no thread reads any more. */
void lookup_table_close(struct lookup_table *table);

#endif
