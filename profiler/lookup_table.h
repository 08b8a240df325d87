/* What was found out once of a thing, by its address, and found again by any thread without a lock.
 * Entries are added and dropped by one thread at a time, under a lock of the user's. None is freed
 * while others read: one that was dropped is used again.
 *
 * A user's entry begins with a struct lookup_entry; what follows is written between
 * lookup_table_place() and lookup_entry_set(). */
#ifndef ILPI_LOOKUP_TABLE_H
#define ILPI_LOOKUP_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lookup_entry {
    struct lookup_entry *_Atomic next;
    _Atomic uintptr_t address; /* 0: none, it can be used again */
    uint32_t part;             /* of what is there: a method's token; 0 */
};

/* Zeroed but for the size; memory is taken with the first entry. */
struct lookup_table {
    size_t entry_size;
    struct lookup_entry *_Atomic *_Atomic buckets;
};

enum { LOOKUP_BUCKETS = 4096 };

static inline size_t lookup_bucket_of(uintptr_t address, uint32_t part)
{
    return ((address ^ part) * 0x9E3779B97F4A7C15u) >> 32 & (LOOKUP_BUCKETS - 1);
}

/* NULL: there is no entry. `address` is not 0. Inline, since each object that is shown asks. */
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

/* An entry for this, which is not found before it is set; NULL: no memory. */
void *lookup_table_place(struct lookup_table *table, uintptr_t address, uint32_t part);
void lookup_entry_set(struct lookup_entry *entry, uintptr_t address, uint32_t part);

/* Drops entries that `goes` is true of. */
void lookup_table_drop(struct lookup_table *table, bool (*goes)(const void *entry, uintptr_t id),
                       uintptr_t id);

/* Nobody reads any more. */
void lookup_table_close(struct lookup_table *table);

#endif
