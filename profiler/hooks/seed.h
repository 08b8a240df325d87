/* Where a walk of the current thread's stack begins (check.c). */
#ifndef ILPI_HOOKS_SEED_H
#define ILPI_HOOKS_SEED_H

#include <stdbool.h>
#include <stdint.h>

/* A CONTEXT. The runtime may read more than the documented size: vector registers were added
 * later. */
struct hooks_seed {
    _Alignas(16) uint8_t context[0x2000];
    uint32_t size; /* documented size */
};

/* Called in a hook: the registers of the compiled code that called it. False: not found, or the
 * CONTEXT of this machine is not implemented. */
bool hooks_seed_find(struct hooks_seed *seed);

#endif
