/* Memory that runs out: malloc() and its kin for the program and all libraries that it loads. The
 * n-th call fails, alone or with all that follow. Not under ASan, whose malloc() is its own. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static struct {
    volatile bool counts; /* a compiler takes malloc() for one that reads nothing */
    bool for_good;        /* after the first failure all others fail as well */
    unsigned long fails_at;
    atomic_ulong calls; /* of all threads */
    atomic_long blocks; /* out */
} failing;

static bool runs_out(void)
{
    unsigned long call = failing.counts ? atomic_fetch_add(&failing.calls, 1) + 1 : 0;
    bool out = failing.counts && failing.fails_at != 0 &&
               (failing.for_good ? call >= failing.fails_at : call == failing.fails_at);
    errno = out ? ENOMEM : errno;
    return out;
}

static void *counted(void *block)
{
    failing.blocks += failing.counts && block;
    return block;
}

EXPORTED void *malloc(size_t size)
{
    return runs_out() ? NULL : counted(__libc_malloc(size));
}

EXPORTED void *calloc(size_t count, size_t size)
{
    return runs_out() ? NULL : counted(__libc_calloc(count, size));
}

EXPORTED void *realloc(void *block, size_t size)
{
    if (size != 0 && runs_out()) {
        return NULL;
    }
    void *larger = __libc_realloc(block, size);
    failing.blocks += failing.counts ? (larger != NULL) - (block != NULL) : 0;
    return larger;
}

EXPORTED void free(void *block)
{
    failing.blocks -= failing.counts && block;
    __libc_free(block);
}

static inline void failing_begin(unsigned long fails_at, bool for_good)
{
    failing.fails_at = fails_at;
    failing.for_good = for_good;
    atomic_store(&failing.calls, 0);
    atomic_store(&failing.blocks, 0);
    failing.counts = true;
}

#endif
