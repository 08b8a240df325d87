/* What is built in an arena, with every room that may be left in it, and each allocation failing in
 * turn. */
#ifndef ARENA_ROOM_H
#define ARENA_ROOM_H

#include "metadata_test.h"

#include "base/alloc.h"

typedef ilp_status build_in_arena(struct ilp_arena *arena);

/* `left` bytes are left in the first chunk, and the allocation after so many others fails. */
static inline ilp_status built_in_room(build_in_arena *build, size_t left, unsigned fails)
{
    enum { CHUNK = 16 * 1024 };
    struct memory memory = {.fail_at = 0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilp_arena *arena;
    assert_int_equal(ilp_arena_open(&arena, &allocator, NULL), ILP_OK);
    assert_non_null(ilpi_arena_alloc(arena, CHUNK - left));
    memory.fail_at = memory.calls + fails;
    ilp_status status = build(arena);
    assert_true(status == ILP_OK || ilp_status_class(status) == ILP_CLASS_MEMORY);
    ilp_arena_close(arena);
    memory_is_empty(&memory);
    return status;
}

static inline void build_in_every_room(build_in_arena *build, size_t most_left)
{
    assert_int_not_equal(built_in_room(build, 0, 1), ILP_OK);
    for (size_t left = 0; left < most_left; left += 16) {
        unsigned fails = 1;
        while (built_in_room(build, left, fails) != ILP_OK) {
            assert_true(++fails < 64);
        }
    }
}

#endif
