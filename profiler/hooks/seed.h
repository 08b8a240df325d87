/* Where a walk of the thread's own stack begins (check.c). */
#ifndef ILPI_HOOKS_SEED_H
#define ILPI_HOOKS_SEED_H

#include <stdbool.h>
#include <stdint.h>

/* A CONTEXT. What the runtime reads may be longer than what is published: vector registers came
 * later. */
struct hooks_seed {
    _Alignas(16) uint8_t context[0x2000];
    uint32_t size; /* of what is published */
};

/* From within a hook: the registers of the compiled code that called it. False: there is none, or
 * what a CONTEXT looks like on this machine is not known here. */
bool hooks_seed_find(struct hooks_seed *seed);

#endif
