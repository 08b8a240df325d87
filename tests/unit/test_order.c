/* Rows sorted by a key (order.c): as by a comparison, with all lengths of keys. */
#include "metadata_test.h"

enum { MOST = 3000 };

static void check_sorted(uint32_t mask, unsigned shift, size_t count)
{
    static struct ilpi_keyed rows[MOST];
    static struct ilpi_keyed expected[MOST];
    static struct ilpi_keyed room[MOST];
    uint32_t state = 2463534242u + mask;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        rows[i] = (struct ilpi_keyed){(state & mask) << shift, (ilp_rid)i + 1};
        expected[i] = rows[i];
    }
    ilpi_keyed_sort(expected, count);
    ilpi_keyed_sort_table(rows, room, count);
    assert_memory_equal(rows, expected, count * sizeof *rows);
}

static void test_sorts_tables(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 255, 256, 257, MOST};
    static const struct {
        uint32_t mask;
        unsigned shift;
    } keys[] = {{0, 0}, {1, 0}, {0xFF, 0}, {0xFF, 12}, {0x3, 30}, {0xFFFF, 16}, {0xFFFFFFFFu, 0}};
    for (size_t i = 0; i < COUNT(counts); i++) {
        for (size_t k = 0; k < COUNT(keys); k++) {
            check_sorted(keys[k].mask, keys[k].shift, counts[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
