/* What the mutators of the fuzz targets share: choices, and numbers that are nearly right. Linked
 * to libFuzzer alone. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <string.h>

#include "il/code.h"
#include "il/body.h"

/* libFuzzer's own mutation, and its hook for ours. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

struct choices {
    uint64_t state;
};

/* Below n, which may be 0. */
static inline uint32_t choose(struct choices *choices, uint32_t n)
{
    choices->state = choices->state * 6364136223846793005u + 1442695040888963407u;
    return n != 0 ? (uint32_t)(choices->state >> 33) % n : 0;
}

/* A value that is more likely to be taken than any: `most` is the highest that is valid. */
static inline uint32_t choose_near(struct choices *choices, uint32_t value, uint32_t most)
{
    switch (choose(choices, 8)) {
    case 0: return value + 1;
    case 1: return value - 1;
    case 2: return 0;
    case 3: return most;
    case 4: return most + 1;
    case 5: return value ^ 1u << choose(choices, 32);
    case 6: return UINT32_MAX >> choose(choices, 32);
    default: return choose(choices, most + 1);
    }
}

/* Where `bytes`, which are within `data`, may be written to. */
static inline uint8_t *writable(uint8_t *data, const uint8_t *bytes)
{
    return data + (bytes - data);
}

/* Changes one thing of the method body that begins at `body`: an instruction, a branch, an EH
 * clause, the header. `rows` are those of each table, or NULL. False: it has no body. */
bool mutate_il(uint8_t *body, size_t size, const uint32_t *rows, struct choices *choices);

#endif
