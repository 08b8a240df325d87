/* What the tests of src/il share: memory that is counted and can fail, inputs of exact size, short
 * code. */
#ifndef IL_TEST_H
#define IL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "il/body.h"
#include "il/patch.h"
#include "il/stack.h"

/* An allocator whose `fail_at`-th allocation or growth fails, counted from 1; 0: none does. */
struct test_alloc {
    struct ilpi_alloc alloc;
    size_t calls;
    size_t fail_at;
};

static inline void *test_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    struct test_alloc *test = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (++test->calls == test->fail_at) {
        return NULL;
    }
    /* always moves, so that a pointer kept over a growth shows under ASan */
    void *moved = malloc(new_size);
    assert_non_null(moved);
    if (block) {
        memcpy(moved, block, old_size < new_size ? old_size : new_size);
        free(block);
    }
    return moved;
}

static inline void test_alloc_init(struct test_alloc *test, size_t fail_at)
{
    *test = (struct test_alloc){.fail_at = fail_at};
    struct ilp_allocator allocator = {.resize = test_resize, .user = test};
    ilpi_alloc_init(&test->alloc, &allocator);
}

/* A copy on the heap with nothing after it: one byte too far shows under ASan. Free .data. */
static inline struct ilp_bytes exact(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return (struct ilp_bytes){copy, size};
}

static inline void free_bytes(struct ilp_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__})
#define SIZE(...)  (sizeof(BYTES(__VA_ARGS__)))

/* The initialiser of a struct ilp_bytes: CODE(0x00, 0x2A). */
#define CODE(...)                             \
    {                                         \
        BYTES(__VA_ARGS__), SIZE(__VA_ARGS__) \
    }

/* Small, fast, the same everywhere. */
static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static inline uint32_t below(uint32_t *state, uint32_t limit)
{
    return next_random(state) % limit;
}

/* A method that is patched: decoded from a copy of `bytes`, patched as often as one likes. */
struct patching {
    struct test_alloc alloc;
    struct ilpi_code code;
    struct ilpi_patch patch;
    struct ilp_body body;
    struct ilp_error error;
};

static inline void patching_begin(struct patching *patching, struct ilp_bytes bytes,
                                  struct ilp_eh_clause *clauses, size_t clause_count)
{
    *patching = (struct patching){
        .code = {.alloc = &patching->alloc.alloc},
        .patch = {.alloc = &patching->alloc.alloc},
        .body = {.clauses = clauses, .clause_count = clause_count},
    };
    test_alloc_init(&patching->alloc, 0);
    patching->body.code = exact(bytes.data, bytes.size);
    assert_int_equal(ilpi_code_decode(&patching->code, &patching->body, &patching->error), ILP_OK);
}

static inline ilp_status patching_apply(struct patching *patching,
                                        const struct ilpi_insertion *insertions, size_t count)
{
    return ilpi_patch_apply(&patching->patch, &patching->code, &patching->body, insertions, count,
                            &patching->error);
}

static inline void patching_end(struct patching *patching)
{
    free_bytes(patching->body.code);
    ilpi_patch_free(&patching->patch);
    ilpi_code_free(&patching->code);
    assert_int_equal(patching->alloc.alloc.used, 0);
}

#endif
