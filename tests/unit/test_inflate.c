/* Compressed data, by whichever library is there: what was packed comes out; errors name the place.
 * test_deflate_library.c has each library by itself. */
#include "metadata_test.h"

#include "base/inflate.h"

static void what_is_packed_comes_out(void **state)
{
    static const char text[] = "return return return return";
    (void)state;
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf stream = {.alloc = &alloc};
    uint8_t to[sizeof text];
    assert_int_equal(
        ilpi_deflate(&stream, (struct ilp_bytes){(const uint8_t *)text, sizeof text}, NULL),
        ILP_OK);
    assert_int_equal(ilpi_inflate(ilpi_buf_bytes(&stream), to, sizeof to, 0, "here", NULL), ILP_OK);
    assert_memory_equal(to, text, sizeof text);
    ilpi_buf_free(&stream);
}

static void errors_name_the_place(void **state)
{
    static const uint8_t reserved[] = {0x07}; /* the last block, of a type that there is not */
    (void)state;
    struct ilp_error error;
    uint8_t to[1];
    assert_int_equal(ilpi_inflate((struct ilp_bytes){reserved, sizeof reserved}, to, sizeof to,
                                  0x40, "here", &error),
                     ILP_E_BAD_DEFLATE);
    assert_int_equal(error.status, ILP_E_BAD_DEFLATE);
    assert_int_equal(error.offset, 0x40);
    assert_string_equal(error.message, "here: its compressed data is not valid");
}

static void no_memory_for_the_stream(void **state)
{
    static const uint8_t byte[] = {0};
    (void)state;
    struct memory memory = {.fail_at = 1};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, &allocator);
    struct ilpi_buf stream = {.alloc = &alloc};
    struct ilp_error error;
    assert_int_equal(ilpi_deflate(&stream, (struct ilp_bytes){byte, 1}, &error), ILP_E_NO_MEMORY);
    assert_int_equal(error.status, ILP_E_NO_MEMORY);
    memory_is_empty(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_out),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(no_memory_for_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
