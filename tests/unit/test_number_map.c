/* The map finds what was put in, however many there are, and whatever allocation fails. */
#include "metadata_test.h"

#include "base/number_map.h"

static void what_is_put_in_is_found(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    struct ilpi_number_map map = {.slots = NULL};
    ilpi_alloc_init(&alloc, &allocator);
    assert_int_equal(ilpi_number_find(&map, 0), ILPI_NO_NUMBER);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(ilpi_number_set(&map, &alloc, (uint64_t)i << 32, i, NULL), ILP_OK);
    }
    assert_int_equal(ilpi_number_set(&map, &alloc, (uint64_t)7 << 32, 70, NULL), ILP_OK);
    assert_int_equal(map.count, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(ilpi_number_find(&map, (uint64_t)i << 32), i == 7 ? 70 : i);
        assert_int_equal(ilpi_number_find(&map, ((uint64_t)i << 32) + 1), ILPI_NO_NUMBER);
    }
    ilpi_number_map_free(&map, &alloc);
    memory_is_empty(&memory);
}

static void a_failure_changes_nothing(void **state)
{
    (void)state;
    struct memory memory = {.fail_at = 2};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    struct ilpi_number_map map = {.slots = NULL};
    struct ilp_error error;
    uint32_t added = 0;
    ilpi_alloc_init(&alloc, &allocator);
    while (ilpi_number_set(&map, &alloc, added, added, &error) == ILP_OK) {
        added++;
    }
    assert_int_equal(error.status, ILP_E_NO_MEMORY);
    assert_int_equal(map.count, added);
    for (uint32_t i = 0; i < added; i++) {
        assert_int_equal(ilpi_number_find(&map, i), i);
    }
    assert_int_equal(ilpi_number_set(&map, &alloc, added, added, &error), ILP_OK);
    ilpi_number_map_free(&map, &alloc);
    memory_is_empty(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_in_is_found),
        cmocka_unit_test(a_failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
