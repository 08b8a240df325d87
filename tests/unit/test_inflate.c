/* Compressed data: what zlib packed comes out as it went in; a stream that is cut anywhere, or
 * is of another length, does not. */
#include "metadata_test.h"

#include "base/inflate.h"

/* "return " forty times, by zlib at level 9. */
static const uint8_t packed[] = {0x2B, 0x4A, 0x2D, 0x29, 0x2D, 0xCA, 0x53,
                                 0x28, 0x1A, 0xA5, 0x50, 0x29, 0x00};
enum { UNPACKED = 280 };

static ilp_status unpack(struct ilp_bytes input, size_t size, uint8_t *to, struct ilp_error *error)
{
    return ilpi_inflate(input, to, size, 0x40, "here", error);
}

static void what_was_packed_comes_out(void **state)
{
    (void)state;
    struct ilp_error error;
    struct ilp_bytes input = exact(packed, sizeof packed);
    uint8_t *to = malloc(UNPACKED);
    assert_int_equal(unpack(input, UNPACKED, to, &error), ILP_OK);
    for (size_t i = 0; i < UNPACKED; i++) {
        assert_int_equal(to[i], "return "[i % 7]);
    }
    free(to);
    drop(input);
}

static void a_cut_stream_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof packed; size++) {
        struct ilp_error error;
        struct ilp_bytes input = exact(packed, size);
        uint8_t *to = malloc(UNPACKED);
        assert_int_equal(unpack(input, UNPACKED, to, &error), ILP_E_BAD_DEFLATE);
        assert_int_equal(error.offset, 0x40);
        free(to);
        drop(input);
    }
}

static void another_length_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < 2 * UNPACKED; size++) {
        struct ilp_bytes input = exact(packed, sizeof packed);
        uint8_t *to = malloc(size + 1);
        assert_int_equal(unpack(input, size, to, NULL),
                         size == UNPACKED ? ILP_OK : ILP_E_BAD_DEFLATE);
        free(to);
        drop(input);
    }
}

/* Of a changed byte zlib may notice nothing: raw streams have no checksum. It writes where it may,
 * and no further. */
static void changed_bytes_do_no_harm(void **state)
{
    (void)state;
    for (size_t at = 0; at < sizeof packed; at++) {
        for (unsigned value = 0; value < 256; value++) {
            struct ilp_bytes input = exact(packed, sizeof packed);
            uint8_t *to = malloc(UNPACKED);
            ((uint8_t *)(uintptr_t)input.data)[at] = (uint8_t)value;
            ilp_status status = unpack(input, UNPACKED, to, NULL);
            assert_true(status == ILP_OK || status == ILP_E_BAD_DEFLATE);
            free(to);
            drop(input);
        }
    }
}

static void nothing_packs_to_nothing(void **state)
{
    (void)state;
    static const uint8_t empty[] = {0x03, 0x00}; /* one empty last block */
    uint8_t none;
    assert_int_equal(unpack((struct ilp_bytes){empty, sizeof empty}, 0, &none, NULL), ILP_OK);
    assert_int_equal(unpack((struct ilp_bytes){empty, 0}, 0, &none, NULL), ILP_E_BAD_DEFLATE);
}

/* Bytes that compress, but not too well; sizes around the step in which output grows. */
static void what_is_packed_here_comes_out(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, 65536, 300001};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct memory memory = {0};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilpi_alloc alloc;
        ilpi_alloc_init(&alloc, &allocator);
        struct ilpi_buf plain = {.alloc = &alloc};
        struct ilpi_buf stream = {.alloc = &alloc};
        uint32_t seed = 1;
        for (size_t n = 0; n < sizes[i]; n++) {
            seed = seed * 1103515245u + 12345u;
            ilpi_buf_u8(&plain, (uint8_t)(seed >> 16 & 0x1F));
        }
        assert_int_equal(ilpi_deflate(&stream, ilpi_buf_bytes(&plain), NULL), ILP_OK);
        assert_true(sizes[i] < 1000 || stream.size < sizes[i] * 3 / 4);
        uint8_t *to = malloc(sizes[i] + 1);
        assert_int_equal(unpack(ilpi_buf_bytes(&stream), sizes[i], to, NULL), ILP_OK);
        same_bytes((struct ilp_bytes){to, sizes[i]}, ilpi_buf_bytes(&plain));
        free(to);
        ilpi_buf_free(&plain);
        ilpi_buf_free(&stream);
        memory_is_empty(&memory);
    }
}

static void no_memory_for_the_stream(void **state)
{
    (void)state;
    struct memory memory = {.fail_at = 1};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, &allocator);
    struct ilpi_buf stream = {.alloc = &alloc};
    assert_int_equal(ilpi_deflate(&stream, (struct ilp_bytes){packed, 1}, NULL), ILP_E_NO_MEMORY);
    memory_is_empty(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_packed_comes_out),
        cmocka_unit_test(a_cut_stream_is_refused),
        cmocka_unit_test(another_length_is_refused),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(nothing_packs_to_nothing),
        cmocka_unit_test(what_is_packed_here_comes_out),
        cmocka_unit_test(no_memory_for_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
