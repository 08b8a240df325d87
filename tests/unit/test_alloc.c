/* Memory: the limit, growth, and arenas. */
#include "metadata_test.h"

#include <stdalign.h>

#include "base/list.h"
#include "base/sanitizers.h"

static struct ilpi_alloc alloc_over(struct memory *memory, size_t limit)
{
    struct ilpi_alloc alloc;
    *memory = (struct memory){0};
    struct ilp_allocator allocator = memory_allocator(memory);
    allocator.limit = limit;
    ilpi_alloc_init(&alloc, &allocator);
    return alloc;
}

/* ---- resize ---- */

static void the_limit_counts_what_is_out(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 100);
    void *a = ilpi_resize(&alloc, NULL, 0, 60);
    assert_non_null(a);
    assert_null(ilpi_resize(&alloc, NULL, 0, 41));
    assert_int_equal(alloc.used, 60);
    void *b = ilpi_resize(&alloc, NULL, 0, 40);
    assert_non_null(b);
    assert_null(ilpi_resize(&alloc, a, 60, 61));
    assert_int_equal(alloc.used, 100); /* the old block is still there */
    a = ilpi_resize(&alloc, a, 60, 10);
    assert_non_null(a);
    assert_int_equal(alloc.used, 50);
    b = ilpi_resize(&alloc, b, 40, 90);
    assert_non_null(b);
    assert_null(ilpi_resize(&alloc, NULL, 0, SIZE_MAX)); /* no sum that wraps */
    assert_null(ilpi_resize(&alloc, a, 10, 0));
    assert_null(ilpi_resize(&alloc, b, 90, 0));
    assert_int_equal(alloc.used, 0);
    memory_is_empty(&memory);
}

static void a_refusal_by_the_hook_changes_nothing(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    memory.fail_at = 2;
    void *a = ilpi_resize(&alloc, NULL, 0, 8);
    assert_non_null(a);
    assert_null(ilpi_resize(&alloc, a, 8, 16));
    assert_int_equal(alloc.used, 8);
    a = ilpi_resize(&alloc, a, 8, 16);
    assert_non_null(a);
    ilpi_resize(&alloc, a, 16, 0);
    memory_is_empty(&memory);
}

static void without_a_hook_memory_comes_from_malloc(void **state)
{
    (void)state;
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    char *text = ilpi_resize(&alloc, NULL, 0, 6);
    assert_non_null(text);
    memcpy(text, "hello", 6);
    text = ilpi_resize(&alloc, text, 6, 60000);
    assert_non_null(text);
    assert_string_equal(text, "hello");
    assert_null(ilpi_resize(&alloc, text, 60000, 0));
    assert_int_equal(alloc.used, 0);
}

/* ---- one job of many ---- */

static void a_jobs_own_limit_is_not_a_lack_of_memory(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc outer = alloc_over(&memory, 2 << 20);
    struct ilpi_alloc job;
    struct ilp_error error = {0};
    ilpi_alloc_init_within(&job, &outer, 1 << 20);
    void *block = ilpi_resize(&job, NULL, 0, 1 << 19);
    assert_non_null(block);
    assert_int_equal(outer.used, 1 << 19);
    assert_int_equal(ilpi_alloc_check(&job, 1 << 19, &error), ILP_OK);
    assert_int_equal(ilpi_alloc_check(&job, (1 << 19) + 1, &error), ILP_E_TOO_LARGE);
    assert_string_equal(error.message, "more than 1 MB of memory would be needed");
    assert_int_equal(ilpi_alloc_status(&job, ILP_E_NO_MEMORY, &error), ILP_E_NO_MEMORY);
    assert_null(ilpi_resize(&job, NULL, 0, 1 << 20));
    assert_int_equal(ilpi_alloc_status(&job, ILP_OK, &error), ILP_OK);
    assert_int_equal(ilpi_alloc_status(&job, ILP_E_BAD_BODY, &error), ILP_E_BAD_BODY);
    assert_int_equal(ilpi_alloc_status(&job, ILP_E_NO_MEMORY, &error), ILP_E_TOO_LARGE);
    ilpi_resize(&job, block, 1 << 19, 0);
    assert_int_equal(outer.used, 0);
    memory_is_empty(&memory);
}

static void what_the_outer_one_lacks_is_a_lack_of_memory(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc outer = alloc_over(&memory, 100);
    struct ilpi_alloc job;
    ilpi_alloc_init_within(&job, &outer, 1000);
    assert_null(ilpi_resize(&job, NULL, 0, 200));
    assert_int_equal(ilpi_alloc_status(&job, ILP_E_NO_MEMORY, NULL), ILP_E_NO_MEMORY);
    memory_is_empty(&memory);
}

/* ---- what others take ---- */

static void what_others_take_counts_within_all_limits(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc outer = alloc_over(&memory, 100);
    struct ilpi_alloc job;
    ilpi_alloc_init_within(&job, &outer, 0);
    assert_true(ilpi_alloc_charge(&job, 50));
    assert_int_equal(job.used, 50);
    assert_int_equal(outer.used, 50);
    assert_false(ilpi_alloc_is_short(&job));
    assert_true(ilpi_alloc_charge(&job, 1));
    assert_true(ilpi_alloc_is_short(&job));
    assert_false(ilpi_alloc_charge(&job, 50));
    assert_true(outer.full);
    assert_int_equal(job.used, 51);
    assert_int_equal(outer.used, 51);
    assert_null(ilpi_resize(&job, NULL, 0, 50));
    ilpi_alloc_discharge(&job, 51);
    assert_int_equal(job.used, 0);
    assert_int_equal(outer.used, 0);
    memory_is_empty(&memory);
}

/* ---- grow ---- */

static void growing_doubles(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    void *items = NULL;
    size_t capacity = 0;
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 0, 4, NULL), ILP_OK);
    assert_null(items);
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 1, 4, NULL), ILP_OK);
    assert_int_equal(capacity, 16);
    memcpy(items, "0123456789ABCDEF", 16);
    void *before = items;
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 16, 4, NULL), ILP_OK);
    assert_ptr_equal(items, before);
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 17, 4, NULL), ILP_OK);
    assert_int_equal(capacity, 32);
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 100, 4, NULL), ILP_OK);
    assert_int_equal(capacity, 100); /* what is known at once is not rounded */
    assert_memory_equal(items, "0123456789ABCDEF", 16);
    assert_int_equal(alloc.used, 400);
    ilpi_resize(&alloc, items, capacity * 4, 0);
    memory_is_empty(&memory);
}

/* A list of one is not one of many. */
static void large_items_begin_few(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    void *items = NULL;
    size_t capacity = 0;
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 1, 48, NULL), ILP_OK);
    assert_int_equal(capacity, 1);
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 2, 48, NULL), ILP_OK);
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 3, 48, NULL), ILP_OK);
    assert_int_equal(capacity, 4);
    ilpi_trim(&alloc, &items, &capacity, 3, 48);
    assert_int_equal(capacity, 3);
    assert_int_equal(alloc.used, 3 * 48);
    ilpi_trim(&alloc, &items, &capacity, 0, 48);
    assert_null(items);
    memory_is_empty(&memory);
}

static void growing_too_far_fails_and_changes_nothing(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 1024);
    void *items = NULL;
    size_t capacity = 0;
    assert_int_equal(ilpi_grow(&alloc, &items, &capacity, 16, 8, NULL), ILP_OK);
    static const struct {
        size_t count;
        size_t size;
    } bad[] = {
        {129, 8}, {SIZE_MAX, 1}, {SIZE_MAX / 2 + 2, 1}, {SIZE_MAX / 8 + 1, 8}, {SIZE_MAX, 8}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct ilp_error error = {0};
        void *before = items;
        assert_int_equal(ilpi_grow(&alloc, &items, &capacity, bad[i].count, 8, &error),
                         ILP_E_NO_MEMORY);
        assert_int_equal(error.status, ILP_E_NO_MEMORY);
        assert_true(error.offset == UINT64_MAX);
        assert_ptr_equal(items, before);
        assert_int_equal(capacity, 16);
    }
    ilpi_resize(&alloc, items, capacity * 8, 0);
    memory_is_empty(&memory);
}

static void lists_grow_by_what_is_added(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 17 * sizeof(uint64_t));
    ILPI_LIST(uint64_t) list = {0};
    for (uint64_t i = 0; i < 16; i++) {
        assert_int_equal(ILPI_LIST_ADD(&alloc, &list, i * i, NULL), ILP_OK);
    }
    struct ilp_error error = {0};
    assert_int_equal(ILPI_LIST_ADD(&alloc, &list, 0, &error), ILP_E_NO_MEMORY);
    assert_int_equal(error.status, ILP_E_NO_MEMORY);
    assert_int_equal(list.count, 16);
    assert_int_equal(list.capacity, 16);
    assert_int_equal(list.items[15], 225);
    ILPI_LIST_FREE(&alloc, &list);
    assert_null(list.items);
    assert_int_equal(ILPI_LIST_RESERVE(&alloc, &list, 3, NULL), ILP_OK);
    assert_true(list.count == 0 && list.capacity >= 3);
    ILPI_LIST_FREE(&alloc, &list);
    memory_is_empty(&memory);
}

/* ---- arenas ---- */

static void arenas_give_zeroed_aligned_separate_memory(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    struct ilp_arena arena = {.alloc = &alloc};
    static const size_t sizes[] = {0,  1,    2,    15,   16,    17, 1000, 16384,
                                   16, 8000, 8000, 8000, 40000, 1,  3,    16383};
    uint8_t *got[COUNT(sizes)];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        got[i] = ilpi_arena_alloc(&arena, sizes[i]);
        assert_non_null(got[i]);
        assert_int_equal((uintptr_t)got[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(got[i][k], 0);
            got[i][k] = (uint8_t)(i + 1);
        }
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(got[i][k], i + 1);
        }
    }
    ilpi_arena_free(&arena);
    memory_is_empty(&memory);
}

static void small_allocations_share_a_chunk(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    struct ilp_arena arena = {.alloc = &alloc};
    for (unsigned i = 0; i < 1000; i++) {
        assert_non_null(ilpi_arena_alloc(&arena, 16));
    }
#ifdef HAS_ADDRESS_SANITIZER /* which is to see each of them */
    assert_int_equal(memory.calls, 1000);
#else
    assert_int_equal(memory.calls, 6); /* of 512, 1024, ... 16384 bytes */
    assert_true(alloc.used < 33000);
    for (unsigned i = 0; i < 1020; i++) {
        assert_non_null(ilpi_arena_alloc(&arena, 16));
    }
    assert_int_equal(memory.calls, 7);
#endif
    ilpi_arena_free(&arena);
    memory_is_empty(&memory);
}

static void resetting_keeps_one_chunk_and_clears_it(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    struct ilp_arena arena = {.alloc = &alloc};
    ilpi_arena_reset(&arena); /* of nothing */
    for (unsigned round = 0; round < 10; round++) {
        for (unsigned i = 0; i < 20; i++) {
            uint8_t *bytes = ilpi_arena_alloc(&arena, 1600);
            assert_non_null(bytes);
            for (unsigned k = 0; k < 1600; k++) {
                assert_int_equal(bytes[k], 0);
            }
            memset(bytes, 0xFF, 1600);
        }
        ilpi_arena_reset(&arena);
        assert_int_equal(memory.blocks, 1);
    }
    ilpi_arena_free(&arena);
    memory_is_empty(&memory);
}

static void arenas_refuse_sizes_that_wrap(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 1 << 20);
    struct ilp_arena arena = {.alloc = &alloc};
    assert_null(ilpi_arena_alloc(&arena, SIZE_MAX));
    assert_null(ilpi_arena_alloc(&arena, SIZE_MAX - 15));
    assert_null(ilpi_arena_alloc(&arena, SIZE_MAX - 40));
    assert_null(ilpi_arena_alloc(&arena, SIZE_MAX - 100));
    assert_null(ilpi_arena_array(&arena, SIZE_MAX / 2, 3));
    assert_null(ilpi_arena_array(&arena, SIZE_MAX / 4 + 1, 4));
    assert_null(ilpi_arena_alloc(&arena, 1 << 20)); /* the header comes on top */
    assert_non_null(ilpi_arena_array(&arena, SIZE_MAX, 0));
    assert_non_null(ilpi_arena_array(&arena, 0, SIZE_MAX));
    ilpi_arena_free(&arena);
    memory_is_empty(&memory);
}

static void copies_are_copies(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    struct ilp_arena arena = {.alloc = &alloc};
    char text[] = "copied";
    char *copy = ilpi_arena_copy(&arena, text, sizeof text);
    text[0] = '!';
    assert_string_equal(copy, "copied");
    assert_non_null(ilpi_arena_copy(&arena, NULL, 0));
    ilpi_arena_free(&arena);
    memory_is_empty(&memory);
}

static void texts_take_no_more_than_they_have(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    struct ilp_arena arena = {.alloc = &alloc};
    const char *first = ilpi_arena_text(&arena, "one", 2);
    const char *second = ilpi_arena_text(&arena, NULL, 0);
    const char *third = ilpi_arena_text(&arena, "three", 5);
    assert_string_equal(first, "on");
    assert_string_equal(second, "");
    assert_string_equal(third, "three");
#ifndef HAS_ADDRESS_SANITIZER
    assert_ptr_equal(second, first + 3);
    assert_ptr_equal(third, first + 4);
#endif
    assert_int_equal((uintptr_t)ilpi_arena_alloc(&arena, 1) % alignof(max_align_t), 0);
    assert_null(ilpi_arena_text(&arena, "", SIZE_MAX));
    ilpi_arena_free(&arena);
    memory_is_empty(&memory);
}

static void releasing_forgets_what_came_later(void **state)
{
    (void)state;
    struct memory memory;
    struct ilpi_alloc alloc = alloc_over(&memory, 0);
    struct ilp_arena arena = {.alloc = &alloc};
    struct ilpi_arena_mark empty = ilpi_arena_mark(&arena);
    const char *kept = ilpi_arena_text(&arena, "kept", 4);
    size_t used = alloc.used;
    struct ilpi_arena_mark mark = ilpi_arena_mark(&arena);
    for (unsigned i = 0; i < 100; i++) {
        assert_non_null(ilpi_arena_alloc(&arena, 3 * i));
    }
    assert_true(alloc.used > used);
    ilpi_arena_release(&arena, mark);
    assert_int_equal(alloc.used, used);
    assert_string_equal(kept, "kept");
#ifndef HAS_ADDRESS_SANITIZER
    assert_ptr_equal(ilpi_arena_text(&arena, "later", 5), kept + 5);
#endif
    ilpi_arena_release(&arena, empty);
    assert_int_equal(alloc.used, 0);
    memory_is_empty(&memory);
}

static void public_arenas_own_their_memory(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilp_arena *arena;
    assert_int_equal(ilp_arena_open(&arena, &allocator, NULL), ILP_OK);
    assert_non_null(ilpi_arena_alloc(arena, 50000));
    ilp_arena_reset(arena);
    assert_non_null(ilpi_arena_alloc(arena, 5));
    ilp_arena_close(arena);
    memory_is_empty(&memory);
    ilp_arena_close(NULL);

    struct ilp_error error = {0};
    memory = (struct memory){.fail_at = 1};
    assert_int_equal(ilp_arena_open(&arena, &allocator, &error), ILP_E_NO_MEMORY);
    assert_null(arena);
    assert_int_equal(error.status, ILP_E_NO_MEMORY);
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    ilp_arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_counts_what_is_out),
        cmocka_unit_test(a_refusal_by_the_hook_changes_nothing),
        cmocka_unit_test(without_a_hook_memory_comes_from_malloc),
        cmocka_unit_test(a_jobs_own_limit_is_not_a_lack_of_memory),
        cmocka_unit_test(what_the_outer_one_lacks_is_a_lack_of_memory),
        cmocka_unit_test(what_others_take_counts_within_all_limits),
        cmocka_unit_test(growing_doubles),
        cmocka_unit_test(large_items_begin_few),
        cmocka_unit_test(growing_too_far_fails_and_changes_nothing),
        cmocka_unit_test(lists_grow_by_what_is_added),
        cmocka_unit_test(arenas_give_zeroed_aligned_separate_memory),
        cmocka_unit_test(small_allocations_share_a_chunk),
        cmocka_unit_test(resetting_keeps_one_chunk_and_clears_it),
        cmocka_unit_test(arenas_refuse_sizes_that_wrap),
        cmocka_unit_test(copies_are_copies),
        cmocka_unit_test(texts_take_no_more_than_they_have),
        cmocka_unit_test(releasing_forgets_what_came_later),
        cmocka_unit_test(public_arenas_own_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
