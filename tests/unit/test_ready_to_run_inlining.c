/* src/pe/ready_to_run_inlining.c: the table of inlined methods, in each of its forms. */
#include "pe/ready_to_run.h"
#include "write_test.h"

enum {
    X64_LINUX = 0xFD1D,
    INLINING_INFO2 = 114,
    CROSS_MODULE = 119,
    FLAGS = 3,
    FLAG_MODULES = 0x40
};

/* A number below 64 is a byte, in which it is shifted left. */
#define N(number) (uint8_t)((number) << 1)

/* One bucket, from byte 3 on, of two entries: a byte of the hash, and the entry's place relative to
 * this number's. */
#define TWO_ENTRIES(first, second) 0x00, 2, 6, 0xAA, N((first)-4), 0xBB, N((second)-6)

/* In each of them 2 is inlined in 1 and 3, and 1 in 2; the sample has three methods. */
static const uint8_t old_form[] = {
    TWO_ENTRIES(7, 11), N(3),      N(2 << 1),     N(1 << 1), N(2 << 1), N(4),
    N(1 << 1),          N(2 << 1), N(1 << 1 | 1), N(7), /* and in 3 of module 7 */
};
static const uint8_t new_form[] = {
    TWO_ENTRIES(7, 11), N(3), N(2 << 2), N(1), N(2), N(5),
    N(1 << 2 | 2),      N(2), N(9),      N(1), N(2), /* first those of imports 9 and 10 */
};
static const uint8_t form_with_modules[] = {
    TWO_ENTRIES(7, 12), N(4), N(2 << 2), N(0),          N(1 << 1), N(2 << 1), N(5),
    N(1 << 2),          N(0), N(2 << 1), N(1 << 1 | 1), N(7),
};
static const uint8_t of_others[] = {
    TWO_ENTRIES(7, 11),
    N(3),
    N(2 << 2),
    N(5),
    N(1 << 1), /* 2 of module 5 */
    N(2),
    N(1 << 2 | 1),
    N(1 << 1), /* the IL of import 1 */
};

static struct ib_file file_with(unsigned section, const void *bytes, size_t size, uint32_t flags)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_file file = ib_r2r_file(&b, X64_LINUX);
    ib_end(&b);
    ib_r2r_section(&file, section, bytes, (uint32_t)size);
    ib_set32(file.data, file.r2r + 8, flags);
    return file;
}

static ilp_status open_inlining(struct ilp_inlining **inlining, const struct ib_file *file)
{
    struct ilp_image *image = open_image((struct ilp_bytes){file->data, file->size},
                                         ILP_LAYOUT_FILE);
    ilp_status status = ilp_inlining_open(inlining, image, NULL, NULL);
    ilp_image_close(image);
    return status;
}

static void assert_inlined(const struct ilp_inlining *inlining, ilp_rid inliner, size_t count,
                           ilp_rid only)
{
    size_t found;
    const ilp_rid *rids = ilp_inlined(inlining, inliner, &found);
    assert_int_equal(found, count);
    if (count != 0) {
        assert_int_equal(rids[0], only);
    }
}

static void assert_pairs(unsigned section, const void *bytes, size_t size, uint32_t flags)
{
    struct ib_file file = file_with(section, bytes, size, flags);
    struct ilp_inlining *inlining;
    assert_int_equal(open_inlining(&inlining, &file), ILP_OK);
    assert_inlined(inlining, 1, 1, 2);
    assert_inlined(inlining, 2, 1, 1);
    assert_inlined(inlining, 3, 1, 2);
    assert_inlined(inlining, 0, 0, 0);
    assert_inlined(inlining, 4, 0, 0);
    assert_inlined(inlining, UINT32_MAX, 0, 0);
    ilp_inlining_close(inlining);
    free(file.data);
}

static void pairs_are_found_in_each_form(void **state)
{
    (void)state;
    assert_pairs(INLINING_INFO2, old_form, sizeof old_form, FLAGS);
    assert_pairs(CROSS_MODULE, new_form, sizeof new_form, FLAGS);
    assert_pairs(CROSS_MODULE, form_with_modules, sizeof form_with_modules, FLAGS | FLAG_MODULES);
}

static void methods_of_other_modules_are_left_out(void **state)
{
    (void)state;
    struct ib_file file = file_with(CROSS_MODULE, of_others, sizeof of_others,
                                    FLAGS | FLAG_MODULES);
    struct ilp_inlining *inlining;
    assert_int_equal(open_inlining(&inlining, &file), ILP_OK);
    for (ilp_rid rid = 1; rid <= 3; rid++) {
        assert_inlined(inlining, rid, 0, 0);
    }
    ilp_inlining_close(inlining);
    free(file.data);
}

static void image_without_the_table_has_none(void **state)
{
    (void)state;
    struct ib_file file = file_with(102, "abc", 3, FLAGS);
    struct ilp_inlining *inlining;
    assert_int_equal(open_inlining(&inlining, &file), ILP_OK);
    assert_inlined(inlining, 1, 0, 0);
    ilp_inlining_close(inlining);
    ib_set32(file.data, file.cli + 64, 0); /* no ManagedNativeHeader */
    assert_int_equal(open_inlining(&inlining, &file), ILP_OK);
    ilp_inlining_close(inlining);
    free(file.data);
}

/* Numbers of each length, signed and not, seen through the places that entries are at. */
static void numbers_of_every_length(void **state)
{
    static const struct {
        uint8_t bytes[5];
        unsigned size;
        uint32_t inliner;
    } numbers[] = {{{0x06}, 1, 3},
                   {{0x0D, 0x00}, 2, 3},
                   {{0x1B, 0, 0}, 3, 3},
                   {{0x37, 0, 0, 0}, 4, 3},
                   {{0x0F, 3, 0, 0, 0}, 5, 3}};
    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        /* the entry is in front of its bucket's number, so the distance is negative: 3 - 11 */
        uint8_t table[24] = {0x00, 9, 11, N(2), N(2 << 2)};
        memcpy(table + 5, numbers[i].bytes, numbers[i].size);
        table[10] = 0xAA;
        table[11] = (uint8_t)(-16); /* -8, shifted left */
        struct ib_file file = file_with(CROSS_MODULE, table, sizeof table, FLAGS);
        struct ilp_inlining *inlining;
        assert_int_equal(open_inlining(&inlining, &file), ILP_OK);
        assert_inlined(inlining, numbers[i].inliner, 1, 2);
        ilp_inlining_close(inlining);
        free(file.data);
    }
}

/* Each shorter table and each changed byte is read or refused; neither reads beyond it. */
static void broken_tables(void **state)
{
    (void)state;
    for (size_t size = 1; size < sizeof form_with_modules; size++) {
        struct ib_file file = file_with(CROSS_MODULE, form_with_modules, size,
                                        FLAGS | FLAG_MODULES);
        struct ilp_inlining *inlining;
        assert_true(open_inlining(&inlining, &file) != ILP_OK);
        assert_null(inlining);
        free(file.data);
    }
    for (size_t at = 0; at < sizeof form_with_modules; at++) {
        for (unsigned value = 0; value < 256; value++) {
            uint8_t table[sizeof form_with_modules];
            memcpy(table, form_with_modules, sizeof table);
            table[at] = (uint8_t)value;
            struct ib_file file = file_with(CROSS_MODULE, table, sizeof table,
                                            FLAGS | FLAG_MODULES);
            struct ilp_inlining *inlining;
            if (open_inlining(&inlining, &file) == ILP_OK) {
                ilp_inlining_close(inlining);
            }
            free(file.data);
        }
    }
}

/* Many entries at one place would make more pairs than there are bytes. */
static void entries_that_overlap_are_refused(void **state)
{
    uint8_t table[64] = {0x00, 2, 42};
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        table[3 + 2 * i] = 0xAA;
        table[4 + 2 * i] = N(43 - (4 + 2 * i));
    }
    static const uint8_t entry[] = {N(6), N(2 << 2), N(1), N(0), N(0), N(0), N(0)};
    memcpy(table + 43, entry, sizeof entry);
    struct ib_file file = file_with(CROSS_MODULE, table, sizeof table, FLAGS);
    struct ilp_inlining *inlining;
    assert_int_equal(open_inlining(&inlining, &file), ILP_E_BAD_PE);
    free(file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_found_in_each_form),
        cmocka_unit_test(methods_of_other_modules_are_left_out),
        cmocka_unit_test(image_without_the_table_has_none),
        cmocka_unit_test(numbers_of_every_length),
        cmocka_unit_test(broken_tables),
        cmocka_unit_test(entries_that_overlap_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
