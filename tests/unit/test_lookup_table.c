/* profiler/lookup_table.c: entries by address and part, dropped and used again. */
#include "metadata_test.h"

#include "profiler/lookup_table.h"

struct number {
    struct lookup_entry entry;
    unsigned value;
};

/* More than there are lists, so that some have several. */
enum { MANY = 20000, STEP = 8 };

static struct number *add(struct lookup_table *table, uintptr_t address, uint32_t part,
                          unsigned value)
{
    struct number *number = lookup_table_place(table, address, part);
    assert_non_null(number);
    assert_null(lookup_table_find(table, address, part));
    number->value = value;
    lookup_entry_set(&number->entry, address, part);
    return number;
}

static unsigned value_of(const struct lookup_table *table, uintptr_t address, uint32_t part)
{
    const struct number *number = lookup_table_find(table, address, part);
    return number ? number->value : 0;
}

static void test_find(void **state)
{
    struct lookup_table table = {.entry_size = sizeof(struct number)};
    (void)state;
    assert_int_equal(value_of(&table, STEP, 0), 0);
    for (unsigned i = 1; i <= MANY; i++) {
        add(&table, i * (uintptr_t)STEP, i % 3, i);
    }
    for (unsigned i = 1; i <= MANY; i++) {
        assert_int_equal(value_of(&table, i * (uintptr_t)STEP, i % 3), i);
        assert_int_equal(value_of(&table, i * (uintptr_t)STEP, i % 3 + 1), 0);
        assert_int_equal(value_of(&table, i * (uintptr_t)STEP + 1, i % 3), 0);
    }
    lookup_table_close(&table);
    assert_int_equal(value_of(&table, STEP, 1), 0);
    lookup_table_close(&table);
}

static bool is_multiple(const void *entry, uintptr_t id)
{
    const struct number *number = entry;
    assert_int_not_equal(atomic_load(&number->entry.address), 0);
    return number->value % id == 0;
}

/* An entry that was dropped is not queried again. */
static void test_drop(void **state)
{
    struct lookup_table table = {.entry_size = sizeof(struct number)};
    (void)state;
    lookup_table_drop(&table, is_multiple, 2);
    for (unsigned i = 1; i <= MANY; i++) {
        add(&table, i * (uintptr_t)STEP, 0, i);
    }
    lookup_table_drop(&table, is_multiple, 7);
    for (unsigned i = 1; i <= MANY; i++) {
        assert_int_equal(value_of(&table, i * (uintptr_t)STEP, 0), i % 7 == 0 ? 0 : i);
    }
    lookup_table_drop(&table, is_multiple, 2);
    add(&table, 14 * STEP, 0, 99);
    assert_int_equal(value_of(&table, 14 * STEP, 0), 99);
    lookup_table_close(&table);
}

/* What is not set yet is nothing, and what is nothing any more is used again. */
static void test_place(void **state)
{
    struct lookup_table table = {.entry_size = sizeof(struct number)};
    (void)state;
    void *placed = lookup_table_place(&table, STEP, 0);
    assert_non_null(placed);
    assert_null(lookup_table_find(&table, STEP, 0));
    assert_ptr_equal(lookup_table_place(&table, STEP, 0), placed);
    lookup_table_drop(&table, is_multiple, 1);
    assert_ptr_equal(add(&table, STEP, 0, 1), placed);
    lookup_table_drop(&table, is_multiple, 1);
    assert_ptr_equal(add(&table, STEP, 0, 2), placed);
    lookup_table_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
