/* A caller's resolver for several threads: only one calls its callbacks at a time, and the symbols'
 * callback is called once. */
#ifndef ILPI_SHARED_RESOLVER_H
#define ILPI_SHARED_RESOLVER_H

#include "base/error.h"
#include "base/thread.h"

/* The caller's resolver, which need not be usable by several threads, under a lock. */
struct ilpi_shared_resolver {
    struct ilp_resolver interface;
    const struct ilp_resolver *inner; /* borrowed */
    struct ilpi_mutex mutex;
    bool requested; /* symbols were requested */
    struct ilp_symbols *symbols;
    struct ilp_error why; /* or why there are none */
};

/* False: the lock cannot be made. `shared` must not move. */
bool ilpi_shared_resolver_open(struct ilpi_shared_resolver *shared,
                               const struct ilp_resolver *inner);
void ilpi_shared_resolver_close(struct ilpi_shared_resolver *shared);

#endif
