/* The output buffer: what it writes, that measuring gives the same sizes, and that a failure
 * sticks. */
#include "metadata_test.h"

#include "base/buf.h"
#include "base/cursor.h"

struct bench {
    struct memory memory;
    struct ilpi_alloc alloc;
    struct ilpi_buf buf;     /* with storage */
    struct ilpi_buf measure; /* without */
};

static struct bench *bench_begin(struct bench *bench, size_t fail_at)
{
    *bench = (struct bench){.memory = {.fail_at = fail_at}};
    struct ilp_allocator allocator = memory_allocator(&bench->memory);
    ilpi_alloc_init(&bench->alloc, &allocator);
    bench->buf.alloc = &bench->alloc;
    return bench;
}

static void bench_end(struct bench *bench)
{
    ilpi_buf_free(&bench->buf);
    ilpi_buf_free(&bench->measure);
    assert_int_equal(bench->buf.size, 0);
    assert_int_equal(bench->alloc.used, 0);
    memory_is_empty(&bench->memory);
}

static void holds(struct bench *bench, const void *bytes, size_t size)
{
    assert_int_equal(bench->buf.status, ILP_OK);
    assert_int_equal(bench->measure.status, ILP_OK);
    assert_null(bench->measure.data);
    assert_int_equal(bench->measure.size, size);
    same_bytes(ilpi_buf_bytes(&bench->buf), (struct ilp_bytes){bytes, size});
}

/* Everything once, into a buffer of either kind. */
static void put_all(struct ilpi_buf *buf)
{
    ilpi_buf_u8(buf, 0x01);
    ilpi_buf_u16(buf, 0x0302);
    ilpi_buf_u32(buf, 0x07060504);
    ilpi_buf_u64(buf, 0x0F0E0D0C0B0A0908);
    ilpi_buf_bytes_add(buf, "xyz", 3);
    ilpi_buf_bytes_add(buf, NULL, 0);
    ilpi_buf_zeros(buf, 1);
    ilpi_buf_align(buf, 4);
    ilpi_buf_text(buf, "t");
    ilpi_buf_align(buf, 4);
    ilpi_buf_format(buf, "%d-%s", 42, "f");
    ilpi_buf_packed(buf, 0x80);
}

static const uint8_t all[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F"
                             "xyz\0\0t\0\0\0"
                             "42-f\x80\x80";

static void writes_and_measures(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 0);
    put_all(&bench.buf);
    put_all(&bench.measure);
    holds(&bench, all, sizeof all - 1);
    bench_end(&bench);
}

static void stores_are_little_endian(void **state)
{
    (void)state;
    uint8_t bytes[4];
    ilpi_store_u16(bytes, 0x8182);
    assert_memory_equal(bytes, "\x82\x81", 2);
    ilpi_store_u32(bytes, 0x81828384);
    assert_memory_equal(bytes, "\x84\x83\x82\x81", 4);
}

static void packed_integers_come_back(void **state)
{
    (void)state;
    static const struct {
        uint32_t value;
        size_t size;
    } edges[] = {{0, 1},      {1, 1},      {0x7F, 1},   {0x80, 2},       {0x81, 2},
                 {0x3FFF, 2}, {0x4000, 4}, {0x4001, 4}, {0x12345678, 4}, {0x1FFFFFFF, 4}};
    for (size_t i = 0; i < COUNT(edges); i++) {
        struct bench bench;
        bench_begin(&bench, 0);
        ilpi_buf_packed(&bench.buf, edges[i].value);
        ilpi_buf_packed(&bench.measure, edges[i].value);
        assert_int_equal(ilpi_packed_size(edges[i].value), edges[i].size);
        assert_int_equal(bench.measure.size, edges[i].size);
        struct ilpi_cursor at = ilpi_cursor_over(ilpi_buf_bytes(&bench.buf), 0, "", NULL);
        assert_int_equal(ilpi_read_packed(&at), edges[i].value);
        assert_int_equal(ilpi_cursor_left(&at), 0);
        assert_int_equal(at.status, ILP_OK);
        bench_end(&bench);
    }
}

/* ilpi_buf_format() has a small buffer of 256 bytes on the way. */
static void formats_of_any_length(void **state)
{
    (void)state;
    for (int length = 250; length <= 260; length++) {
        struct bench bench;
        bench_begin(&bench, 0);
        ilpi_buf_format(&bench.buf, "%0*d", length, 7);
        ilpi_buf_format(&bench.measure, "%0*d", length, 7);
        ilpi_buf_u8(&bench.buf, '!');
        ilpi_buf_u8(&bench.measure, '!');
        assert_int_equal(bench.buf.size, length + 1);
        assert_int_equal(bench.measure.size, length + 1);
        assert_memory_equal(bench.buf.data + length - 2, "07!", 3);
        bench_end(&bench);
    }
}

static void grows_past_any_capacity(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 0);
    for (uint32_t i = 0; i < 10000; i++) {
        ilpi_buf_u32(&bench.buf, i);
    }
    assert_int_equal(bench.buf.size, 40000);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(ilpi_load_u32(bench.buf.data + 4 * (size_t)i), i);
    }
    assert_true(bench.memory.calls < 20); /* doubling, not one step a time */
    bench_end(&bench);
}

static void a_failure_sticks(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 3; n++) {
        struct bench bench;
        bench_begin(&bench, n);
        for (unsigned i = 0; i < 1000; i++) {
            ilpi_buf_u8(&bench.buf, (uint8_t)i);
        }
        assert_int_equal(bench.buf.status, ILP_E_NO_MEMORY);
        size_t size = bench.buf.size;
        assert_true(size < 1000);
        assert_null(ilpi_buf_reserve(&bench.buf, 0));
        put_all(&bench.buf); /* would fit by now, but is not written */
        assert_int_equal(bench.buf.size, size);
        assert_int_equal(bench.buf.status, ILP_E_NO_MEMORY);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(bench.buf.data[i], (uint8_t)i);
        }
        bench_end(&bench);
    }
}

static void a_long_format_that_fails_leaves_the_size(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 1);
    ilpi_buf_format(&bench.buf, "%0300d", 7);
    assert_int_equal(bench.buf.status, ILP_E_NO_MEMORY);
    assert_int_equal(bench.buf.size, 0);
    bench_end(&bench);
}

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 0);
    ilpi_buf_u8(&bench.buf, 1);
    ilpi_buf_u8(&bench.measure, 1);
    assert_null(ilpi_buf_reserve(&bench.buf, SIZE_MAX));
    assert_null(ilpi_buf_reserve(&bench.measure, SIZE_MAX));
    assert_int_equal(bench.buf.status, ILP_E_NO_MEMORY);
    assert_int_equal(bench.measure.status, ILP_E_NO_MEMORY);
    assert_int_equal(bench.buf.size, 1);
    assert_int_equal(bench.measure.size, 1);
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_measures),
        cmocka_unit_test(stores_are_little_endian),
        cmocka_unit_test(packed_integers_come_back),
        cmocka_unit_test(formats_of_any_length),
        cmocka_unit_test(grows_past_any_capacity),
        cmocka_unit_test(a_failure_sticks),
        cmocka_unit_test(a_long_format_that_fails_leaves_the_size),
        cmocka_unit_test(sizes_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
