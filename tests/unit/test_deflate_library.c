/* Each library by itself: what was packed comes out as it went in, also by the other one; a stream
 * that is cut anywhere, or is of another length, does not. */
#include "metadata_test.h"

#include "base/deflate_library.h"

static const struct library {
    ilp_status (*unpack)(struct ilp_bytes packed, uint8_t *to, size_t size);
    ilp_status (*pack)(struct ilpi_buf *to, struct ilp_bytes bytes);
} libraries[] = {
    {ilpi_libdeflate_unpack, ilpi_libdeflate_pack},
    {ilpi_zlib_unpack, ilpi_zlib_pack},
};

#define EACH(library)                          \
    const struct library *library = libraries; \
    library != libraries + COUNT(libraries);   \
    library++

/* "return " forty times, by zlib at level 9. */
static const uint8_t packed[] = {0x2B, 0x4A, 0x2D, 0x29, 0x2D, 0xCA, 0x53,
                                 0x28, 0x1A, 0xA5, 0x50, 0x29, 0x00};
enum { UNPACKED = 280 };

static ilp_status unpack(const struct library *library, const uint8_t *bytes, size_t packed_size,
                         uint8_t *to, size_t size)
{
    struct ilp_bytes input = exact(bytes, packed_size);
    ilp_status status = library->unpack(input, to, size);
    drop(input);
    return status;
}

static void what_was_packed_comes_out(void **state)
{
    (void)state;
    for (EACH(library)) {
        uint8_t *to = malloc(UNPACKED);
        assert_int_equal(unpack(library, packed, sizeof packed, to, UNPACKED), ILP_OK);
        for (size_t i = 0; i < UNPACKED; i++) {
            assert_int_equal(to[i], "return "[i % 7]);
        }
        free(to);
    }
}

static void a_cut_stream_is_refused(void **state)
{
    (void)state;
    for (EACH(library)) {
        for (size_t size = 0; size < sizeof packed; size++) {
            uint8_t *to = malloc(UNPACKED);
            assert_int_equal(unpack(library, packed, size, to, UNPACKED), ILP_E_BAD_DEFLATE);
            free(to);
        }
    }
}

static void bytes_after_the_end_are_ignored(void **state)
{
    (void)state;
    for (EACH(library)) {
        uint8_t longer[sizeof packed + 100] = {0};
        uint8_t *to = malloc(UNPACKED);
        memcpy(longer, packed, sizeof packed);
        assert_int_equal(unpack(library, longer, sizeof longer, to, UNPACKED), ILP_OK);
        free(to);
    }
}

static void another_length_is_refused(void **state)
{
    (void)state;
    for (EACH(library)) {
        for (size_t size = 0; size < 2 * UNPACKED; size++) {
            uint8_t *to = malloc(size);
            assert_int_equal(unpack(library, packed, sizeof packed, to, size),
                             size == UNPACKED ? ILP_OK : ILP_E_BAD_DEFLATE);
            free(to);
        }
    }
}

/* Of a changed byte a library may notice nothing: raw streams have no checksum. It writes where it
 * may, and no further. What zlib takes, libdeflate takes as the same bytes. */
static void changed_bytes_do_no_harm(void **state)
{
    (void)state;
    for (size_t at = 0; at < sizeof packed; at++) {
        for (unsigned value = 0; value < 256; value++) {
            uint8_t changed[sizeof packed];
            uint8_t *to[COUNT(libraries)];
            ilp_status status[COUNT(libraries)];
            memcpy(changed, packed, sizeof packed);
            changed[at] = (uint8_t)value;
            for (size_t i = 0; i < COUNT(libraries); i++) {
                to[i] = malloc(UNPACKED);
                status[i] = unpack(&libraries[i], changed, sizeof changed, to[i], UNPACKED);
                assert_true(status[i] == ILP_OK || status[i] == ILP_E_BAD_DEFLATE);
            }
            if (status[1] == ILP_OK) {
                assert_int_equal(status[0], ILP_OK);
                assert_memory_equal(to[0], to[1], UNPACKED);
            }
            free(to[0]);
            free(to[1]);
        }
    }
}

static void nothing_packs_to_nothing(void **state)
{
    (void)state;
    static const uint8_t empty[] = {0x03, 0x00}; /* one empty last block */
    for (EACH(library)) {
        assert_int_equal(unpack(library, empty, sizeof empty, NULL, 0), ILP_OK);
        assert_int_equal(unpack(library, empty, 0, NULL, 0), ILP_E_BAD_DEFLATE);
    }
}

/* Bytes that compress, but not too well; with `noise`, not at all. */
static void fill(struct ilpi_buf *to, size_t size, bool noise)
{
    uint32_t seed = 1;
    for (size_t n = 0; n < size; n++) {
        seed = seed * 1103515245u + 12345u;
        ilpi_buf_u8(to, (uint8_t)(seed >> 16 & (noise ? 0xFF : 0x1F)));
    }
}

/* Packs after what is there already, unpacks with each library, and packs the same once more. */
static void pack_and_unpack(const struct library *packer, size_t size, bool noise)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, &allocator);
    struct ilpi_buf plain = {.alloc = &alloc};
    struct ilpi_buf stream = {.alloc = &alloc};
    struct ilpi_buf again = {.alloc = &alloc};
    fill(&plain, size, noise);
    ilpi_buf_u8(&stream, 0x55);
    assert_int_equal(packer->pack(&stream, ilpi_buf_bytes(&plain)), ILP_OK);
    assert_int_equal(stream.data[0], 0x55);
    assert_true(noise || size < 1000 || stream.size < size * 3 / 4);
    for (EACH(library)) {
        uint8_t *to = malloc(size + 1);
        assert_int_equal(unpack(library, stream.data + 1, stream.size - 1, to, size), ILP_OK);
        same_bytes((struct ilp_bytes){to, size}, ilpi_buf_bytes(&plain));
        free(to);
    }
    ilpi_buf_u8(&again, 0x55);
    assert_int_equal(packer->pack(&again, ilpi_buf_bytes(&plain)), ILP_OK);
    same_bytes(ilpi_buf_bytes(&again), ilpi_buf_bytes(&stream));
    ilpi_buf_free(&plain);
    ilpi_buf_free(&stream);
    ilpi_buf_free(&again);
    memory_is_empty(&memory);
}

/* Sizes around the step in which zlib's output grows. */
static void what_is_packed_here_comes_out(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, 65536, 300001};
    (void)state;
    for (EACH(library)) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            pack_and_unpack(library, sizes[i], false);
            pack_and_unpack(library, sizes[i], true);
        }
    }
}

static void no_memory_for_the_stream(void **state)
{
    (void)state;
    for (EACH(library)) {
        struct memory memory = {.fail_at = 1};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilpi_alloc alloc;
        ilpi_alloc_init(&alloc, &allocator);
        struct ilpi_buf stream = {.alloc = &alloc};
        assert_int_equal(library->pack(&stream, (struct ilp_bytes){packed, 1}), ILP_E_NO_MEMORY);
        memory_is_empty(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_packed_comes_out),
        cmocka_unit_test(a_cut_stream_is_refused),
        cmocka_unit_test(bytes_after_the_end_are_ignored),
        cmocka_unit_test(another_length_is_refused),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(nothing_packs_to_nothing),
        cmocka_unit_test(what_is_packed_here_comes_out),
        cmocka_unit_test(no_memory_for_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
