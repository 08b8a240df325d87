/* The map finds what was added, however much there is, and whatever allocation fails. */
#include "metadata_test.h"

#include "base/map.h"

static uint32_t find(const struct ilpi_map *map, uint64_t hash)
{
    struct ilpi_map_search search = ilpi_map_find(map, hash);
    return ilpi_map_next(&search);
}

static void what_is_added_is_found(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    struct ilpi_map map = {.slots = NULL};
    ilpi_alloc_init(&alloc, &allocator);
    assert_int_equal(find(&map, 0), 0);
    for (uint32_t i = 1; i <= 10000; i++) {
        assert_int_equal(ilpi_map_add(&map, &alloc, (uint64_t)i << 12, i, NULL), ILP_OK);
    }
    assert_int_equal(ilpi_map_reserve(&map, &alloc, 10001, NULL), ILP_OK);
    struct ilpi_map_search search = ilpi_map_find(&map, 3);
    assert_int_equal(ilpi_map_next(&search), 0);
    ilpi_map_add_found(&map, &search, 3000);
    assert_int_equal(find(&map, 3), 3000);
    search = ilpi_map_find(&map, 7 << 12);
    assert_int_equal(ilpi_map_next(&search), 7);
    ilpi_map_replace(&map, &search, 70);
    assert_int_equal(ilpi_map_next(&search), 0);
    assert_int_equal(map.count, 10001);
    assert_true(map.capacity >= 2 * map.count);
    for (uint32_t i = 1; i <= 10000; i++) {
        assert_int_equal(find(&map, (uint64_t)i << 12), i == 7 ? 70 : i);
        assert_int_equal(find(&map, ((uint64_t)i << 12) + 1), 0);
    }
    ilpi_map_free(&map, &alloc);
    memory_is_empty(&memory);
}

static void numbers_of_one_hash_are_all_found_within_the_limit(void **state)
{
    (void)state;
    struct ilpi_alloc alloc;
    struct ilpi_map map = {.limit = 100};
    ilpi_alloc_init(&alloc, NULL);
    for (uint32_t i = 1; i <= 300; i++) {
        assert_int_equal(ilpi_map_add(&map, &alloc, 5, i, NULL), ILP_OK);
    }
    struct ilpi_map_search search = ilpi_map_find(&map, 5);
    for (uint32_t i = 1; i <= 100; i++) {
        assert_in_range(ilpi_map_next(&search), 1, 100);
    }
    assert_int_equal(ilpi_map_next(&search), 0); /* the others found no slot within the limit */
    ilpi_map_add_found(&map, &search, 301);      /* nor does this one */
    assert_int_equal(map.count, 100);
    assert_int_equal(find(&map, 6), 0);
    ilpi_map_free(&map, &alloc);
    assert_true(!map.slots && map.capacity == 0 && map.count == 0 && map.limit == 100);
}

static void a_failure_changes_nothing(void **state)
{
    (void)state;
    struct memory memory = {.fail_at = 2};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    struct ilpi_map map = {.slots = NULL};
    struct ilp_error error;
    uint32_t added = 0;
    ilpi_alloc_init(&alloc, &allocator);
    while (ilpi_map_add(&map, &alloc, added + 1, added + 1, &error) == ILP_OK) {
        added++;
    }
    assert_int_equal(error.status, ILP_E_NO_MEMORY);
    assert_int_equal(map.count, added);
    for (uint32_t i = 1; i <= added; i++) {
        assert_int_equal(find(&map, i), i);
    }
    assert_int_equal(ilpi_map_reserve(&map, &alloc, SIZE_MAX, &error), ILP_E_NO_MEMORY);
    assert_int_equal(ilpi_map_add(&map, &alloc, added + 1, added + 1, &error), ILP_OK);
    ilpi_map_free(&map, &alloc);
    memory_is_empty(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_found),
        cmocka_unit_test(numbers_of_one_hash_are_all_found_within_the_limit),
        cmocka_unit_test(a_failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
