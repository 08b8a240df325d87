/* The rewriter: body bytes + signature + what to call -> new body bytes. Knows no host: tokens come
 * from an emitter.
 *
 *   plan (policy, overload; decode, stack) -> sites (which ret) -> emit (tokens, sequence, patch,
 *   body_write) */
#ifndef ILPI_REWRITER_H
#define ILPI_REWRITER_H

#include "inspect/module_context.h"
#include "inspect/scratch.h"

struct ilp_rewriter {
    struct ilpi_alloc alloc;
    struct ilpi_module_context module;
    struct ilpi_scratch scratch;
};

#endif
