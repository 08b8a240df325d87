/* The cursor: every read at and past its end, compressed integers at all their boundaries, and that
 * the first error sticks. */
#include "metadata_test.h"

#include "base/cursor.h"

#define ORIGIN 0x1000u

static struct ilpi_cursor over(struct ilp_bytes bytes, struct ilp_error *error)
{
    return ilpi_cursor_over(bytes, ORIGIN, "here", error);
}

static void numbers_are_little_endian(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x01, 0x83, 0x82, 0x87, 0x86, 0x85, 0x84, 0x8F,
                                    0x8E, 0x8D, 0x8C, 0x8B, 0x8A, 0x89, 0x88};
    struct ilp_bytes input = exact(bytes, sizeof bytes);
    struct ilpi_cursor at = over(input, NULL);
    assert_int_equal(ilpi_read_u8(&at), 0x01);
    assert_int_equal(ilpi_read_u16(&at), 0x8283);
    assert_int_equal(ilpi_read_u32(&at), 0x84858687);
    assert_true(ilpi_read_u64(&at) == 0x88898A8B8C8D8E8F);
    assert_int_equal(ilpi_cursor_left(&at), 0);
    assert_int_equal(ilpi_cursor_offset(&at), ORIGIN + sizeof bytes);
    assert_int_equal(at.status, ILP_OK);
    drop(input);
}

/* One kind of read a row; each must take exactly `size` bytes. */
enum read { U8, U16, U32, U64, BYTES, SKIP, PACKED4 };
static const struct {
    enum read read;
    size_t size;
} reads[] = {{U8, 1}, {U16, 2}, {U32, 4}, {U64, 8}, {BYTES, 5}, {SKIP, 3}, {PACKED4, 4}};

static uint64_t do_read(struct ilpi_cursor *at, enum read read)
{
    switch (read) {
    case U8: return ilpi_read_u8(at);
    case U16: return ilpi_read_u16(at);
    case U32: return ilpi_read_u32(at);
    case U64: return ilpi_read_u64(at);
    case BYTES: return ilpi_read_bytes(at, 5).size;
    case SKIP: ilpi_skip(at, 3); return 0;
    case PACKED4: return ilpi_read_packed(at);
    }
    return 0;
}

static void reads_take_what_is_there_and_nothing_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(reads); i++) {
        for (size_t size = 0; size <= reads[i].size; size++) {
            uint8_t bytes[8];
            memset(bytes, 0xC0, sizeof bytes);
            struct ilp_bytes input = exact(bytes, size);
            struct ilp_error error = {0};
            struct ilpi_cursor at = over(input, &error);
            uint64_t value = do_read(&at, reads[i].read);
            if (size == reads[i].size) {
                assert_int_equal(at.status, ILP_OK);
                assert_true(value != 0 || reads[i].read == SKIP || reads[i].read == PACKED4);
                assert_int_equal(ilpi_cursor_left(&at), 0);
            } else {
                assert_int_equal(at.status, ILP_E_TRUNCATED);
                assert_true(value == 0);
                assert_int_equal(error.status, ILP_E_TRUNCATED);
                assert_in_range(error.offset, ORIGIN, ORIGIN + size);
                assert_string_equal(error.message, "here: the data ends too early");
            }
            drop(input);
        }
    }
}

static void first_error_sticks_and_ends_the_input(void **state)
{
    (void)state;
    struct ilp_bytes input = exact("\x01\x02\x03", 3);
    struct ilp_error error = {0};
    struct ilpi_cursor at = over(input, &error);
    assert_int_equal(ilpi_read_u8(&at), 1);
    assert_int_equal(ilpi_read_u32(&at), 0);
    assert_int_equal(error.offset, ORIGIN + 1);
    at.place = "elsewhere";
    for (size_t i = 0; i < COUNT(reads); i++) {
        assert_true(do_read(&at, reads[i].read) == 0);
    }
    assert_string_equal(ilpi_read_cstring(&at, 10), "");
    ilpi_read_align(&at, 4);
    struct ilpi_cursor sub = ilpi_cursor_sub(&at, 0, "sub");
    assert_int_equal(sub.status, ILP_E_TRUNCATED);
    assert_int_equal(ilpi_cursor_left(&at), 0);
    assert_int_equal(ilpi_cursor_fail(&at, ILP_E_BAD_PE, "later"), ILP_E_TRUNCATED);
    assert_int_equal(at.status, ILP_E_TRUNCATED);
    assert_int_equal(error.offset, ORIGIN + 1);
    assert_string_equal(error.message, "here: the data ends too early");
    drop(input);
}

static void failure_says_what_a_short_read_means(void **state)
{
    (void)state;
    struct ilp_error error = {0};
    struct ilpi_cursor at = over((struct ilp_bytes){NULL, 0}, &error);
    at.failure = ILP_E_BAD_SIGNATURE;
    assert_int_equal(ilpi_read_u8(&at), 0);
    assert_int_equal(at.status, ILP_E_BAD_SIGNATURE);
    assert_int_equal(error.status, ILP_E_BAD_SIGNATURE);
    at = over((struct ilp_bytes){NULL, 0}, NULL); /* nowhere to say it */
    assert_int_equal(ilpi_read_u8(&at), 0);
    assert_int_equal(at.status, ILP_E_TRUNCATED);
}

static void huge_sizes_do_not_wrap(void **state)
{
    (void)state;
    struct ilp_bytes input = exact("abcd", 4);
    static const size_t sizes[] = {5, SIZE_MAX, SIZE_MAX - 3, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ilpi_cursor at = over(input, NULL);
        assert_int_equal(ilpi_read_bytes(&at, sizes[i]).size, 0);
        assert_int_equal(at.status, ILP_E_TRUNCATED);
        at = over(input, NULL);
        struct ilpi_cursor sub = ilpi_cursor_sub(&at, sizes[i], "sub");
        assert_int_equal(sub.status, ILP_E_TRUNCATED);
        assert_int_equal(ilpi_cursor_left(&sub), 0);
    }
    drop(input);
}

/* ---- compressed integers (II.23.2) ---- */

static const struct {
    const char *bytes;
    size_t size;
    uint32_t value;
} packed[] = {
    {"\x00", 1, 0},
    {"\x03", 1, 3},
    {"\x7F", 1, 0x7F},
    {"\x80\x80", 2, 0x80},
    {"\xAE\x57", 2, 0x2E57},
    {"\xBF\xFF", 2, 0x3FFF},
    {"\xC0\x00\x40\x00", 4, 0x4000},
    {"\xDF\xFF\xFF\xFF", 4, 0x1FFFFFFF},
    {"\x80\x00", 2, 0}, /* not the shortest, but read by every runtime */
    {"\x80\x7F", 2, 0x7F},
    {"\xC0\x00\x00\x00", 4, 0},
    {"\xC0\x00\x3F\xFF", 4, 0x3FFF},
};

static void packed_integers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(packed); i++) {
        for (size_t size = 0; size <= packed[i].size; size++) {
            struct ilp_bytes input = exact(packed[i].bytes, size);
            struct ilpi_cursor at = over(input, NULL);
            uint32_t value = ilpi_read_packed(&at);
            bool whole = size == packed[i].size;
            assert_int_equal(value, whole ? packed[i].value : 0);
            assert_int_equal(at.status, whole ? ILP_OK : ILP_E_TRUNCATED);
            assert_int_equal(ilpi_cursor_left(&at), 0);
            drop(input);
        }
    }
}

static void packed_integers_have_no_fourth_form(void **state)
{
    (void)state;
    for (unsigned first = 0xE0; first <= 0xFF; first++) {
        uint8_t bytes[5] = {(uint8_t)first, 0, 0, 0, 0};
        struct ilp_error error = {0};
        struct ilpi_cursor at = over((struct ilp_bytes){bytes, sizeof bytes}, &error);
        at.failure = ILP_E_BAD_SIGNATURE;
        assert_int_equal(ilpi_read_packed(&at), 0);
        assert_int_equal(at.status, ILP_E_BAD_SIGNATURE);
        assert_string_equal(error.message, "here: not a compressed integer (II.23.2)");
    }
}

/* ---- names, alignment, cursors within cursors ---- */

static void cstrings_end_within_their_limit(void **state)
{
    (void)state;
    struct ilp_bytes input = exact("abc\0de", 6);
    struct ilpi_cursor at = over(input, NULL);
    assert_string_equal(ilpi_read_cstring(&at, 3), "abc");
    assert_int_equal(ilpi_cursor_offset(&at), ORIGIN + 4);
    assert_string_equal(ilpi_read_cstring(&at, 10), ""); /* no NUL */
    assert_int_equal(at.status, ILP_E_TRUNCATED);

    struct ilp_error error = {0};
    at = over(input, &error);
    assert_string_equal(ilpi_read_cstring(&at, 2), ""); /* longer than the limit */
    assert_int_equal(at.status, ILP_E_TRUNCATED);
    assert_int_equal(error.offset, ORIGIN);
    assert_string_equal(error.message, "here: a name does not end");
    drop(input);
}

static void alignment_counts_from_the_start(void **state)
{
    (void)state;
    struct ilp_bytes input = exact("\1\2\3\4\5\6", 6);
    for (size_t skipped = 0; skipped <= 4; skipped++) {
        struct ilpi_cursor at = ilpi_cursor_over(input, 1, "odd origin", NULL);
        ilpi_skip(&at, skipped);
        ilpi_read_align(&at, 4);
        assert_int_equal(ilpi_cursor_offset(&at), skipped == 0 ? 1 : 5);
        assert_int_equal(at.status, ILP_OK);
    }
    struct ilpi_cursor at = over(input, NULL);
    ilpi_skip(&at, 5);
    ilpi_read_align(&at, 4);
    assert_int_equal(at.status, ILP_E_TRUNCATED);
    drop(input);
}

static void sub_cursors_hold_their_bytes_and_no_others(void **state)
{
    (void)state;
    struct ilp_bytes input = exact("\1\2\3\4\5", 5);
    struct ilp_error error = {0};
    struct ilpi_cursor at = over(input, &error);
    at.failure = ILP_E_BAD_BODY;
    ilpi_skip(&at, 1);
    struct ilpi_cursor sub = ilpi_cursor_sub(&at, 2, "inner");
    assert_int_equal(ilpi_cursor_offset(&sub), ORIGIN + 1);
    assert_int_equal(ilpi_cursor_left(&sub), 2);
    assert_int_equal(ilpi_read_u8(&at), 4); /* the outer one has gone on */
    assert_int_equal(ilpi_read_u16(&sub), 0x0302);
    assert_int_equal(ilpi_read_u8(&sub), 0);
    assert_int_equal(sub.status, ILP_E_BAD_BODY);
    assert_int_equal(error.offset, ORIGIN + 3);
    assert_string_equal(error.message, "inner: the data ends too early");
    assert_int_equal(at.status, ILP_OK);
    assert_int_equal(ilpi_read_u8(&at), 5);
    drop(input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(reads_take_what_is_there_and_nothing_more),
        cmocka_unit_test(first_error_sticks_and_ends_the_input),
        cmocka_unit_test(failure_says_what_a_short_read_means),
        cmocka_unit_test(huge_sizes_do_not_wrap),
        cmocka_unit_test(packed_integers),
        cmocka_unit_test(packed_integers_have_no_fourth_form),
        cmocka_unit_test(cstrings_end_within_their_limit),
        cmocka_unit_test(alignment_counts_from_the_start),
        cmocka_unit_test(sub_cursors_hold_their_bytes_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
