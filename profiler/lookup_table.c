/* A table with look-up without a lock: buckets of entries in chains that only grow. See
 * lookup_table.h. An entry is linked when its `next` is set, and is found when its address is set,
 * so a reader never sees half of one. */
#include "profiler/lookup_table.h"

#include <stdlib.h>

/* Under the caller's lock; readers take none. An entry is never freed while the table is open, so a
 * reader that meets it may go on: address 0 marks a free one, which is used again. */
void *lookup_table_place(struct lookup_table *table, uintptr_t address, uint32_t part)
{
    struct lookup_entry *_Atomic *buckets = atomic_load(&table->buckets);
    if (!buckets) {
        buckets = calloc(LOOKUP_BUCKETS, sizeof *buckets);
        if (!buckets) {
            return NULL;
        }
        atomic_store(&table->buckets, buckets);
    }
    struct lookup_entry *_Atomic *bucket = &buckets[lookup_bucket_of(address, part)];
    struct lookup_entry *entry = atomic_load(bucket);
    while (entry && atomic_load(&entry->address) != 0) {
        entry = atomic_load(&entry->next);
    }
    if (!entry && (entry = calloc(1, table->entry_size)) != NULL) {
        atomic_store(&entry->next, atomic_load(bucket));
        atomic_store(bucket, entry);
    }
    return entry;
}

void lookup_entry_set(struct lookup_entry *entry, uintptr_t address, uint32_t part)
{
    entry->part = part;
    atomic_store(&entry->address, address);
}

void lookup_table_drop(struct lookup_table *table, bool (*goes)(const void *entry, uintptr_t id),
                       uintptr_t id)
{
    struct lookup_entry *_Atomic *buckets = atomic_load(&table->buckets);
    for (size_t i = 0; buckets && i < LOOKUP_BUCKETS; i++) {
        struct lookup_entry *at = atomic_load(&buckets[i]);
        for (; at; at = atomic_load(&at->next)) {
            if (atomic_load(&at->address) != 0 && goes(at, id)) {
                atomic_store(&at->address, 0);
            }
        }
    }
}

void lookup_table_close(struct lookup_table *table)
{
    struct lookup_entry *_Atomic *buckets = atomic_load(&table->buckets);
    for (size_t i = 0; buckets && i < LOOKUP_BUCKETS; i++) {
        struct lookup_entry *at = atomic_load(&buckets[i]);
        while (at) {
            struct lookup_entry *next = atomic_load(&at->next);
            free(at);
            at = next;
        }
    }
    free((void *)buckets);
    atomic_store(&table->buckets, NULL);
}
