/* A request for one inspector and every method. */
#ifndef ONE_REQUEST_H
#define ONE_REQUEST_H

#include "ilpatch.h"

/* Lives until the block ends that it is in. Arguments may be NULL, but for the inspector. */
#define ONE_REQUEST(inspector_, resolver_, allocator_)                                \
    (&(struct ilp_request){.inspectors = &(const struct ilp_inspector *){inspector_}, \
                           .inspector_count = 1,                                      \
                           .resolver = resolver_,                                     \
                           .allocator = allocator_})

#endif
