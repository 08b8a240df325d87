/* The memory of a fuzz target: counted, so that a target can promise how much is taken and that all
 * is given back; and it may end. */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

struct fuzz_memory {
    size_t out;
    size_t most; /* that were out at a time */
    size_t calls;
    size_t fails_at; /* the allocation that fails with all that follow; 0: none */
};

/* For struct ilp_allocator, with a struct fuzz_memory as user. */
static inline void *fuzz_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    struct fuzz_memory *memory = user;
    if (new_size == 0) {
        memory->out -= old_size;
        free(block);
        return NULL;
    }
    memory->calls++;
    void *new = memory->fails_at != 0 && memory->calls >= memory->fails_at
                    ? NULL
                    : realloc(block, new_size);
    memory->out += new ? new_size - old_size : 0;
    memory->most = memory->out > memory->most ? memory->out : memory->most;
    return new;
}

#endif
