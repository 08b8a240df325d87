/* The mutator of fuzz_body: a byte of options before the body. */
#include "tests/fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    struct choices choices = {seed};
    bool own = size > 1 && choose(&choices, 3) != 0;
    unsigned times = 1 + choose(&choices, 4);
    bool done = false;
    for (unsigned i = 0; own && i < times; i++) {
        done |= mutate_il(data + 1, size - 1, NULL, &choices);
    }
    return done ? size : LLVMFuzzerMutate(data, size, max_size);
}
