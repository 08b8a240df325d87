/* Digests of files (origin.c): by pieces as at once, and each byte is in one piece. */
#include "metadata_test.h"
#include "pe/origin.h"

struct reader {
    struct ilp_bytes left;
};

static void read_piece(const void *user, struct ilp_bytes piece)
{
    struct reader *reader = *(struct reader *const *)user;
    assert_ptr_equal(piece.data, reader->left.data);
    assert_true(piece.size != 0 && piece.size <= reader->left.size);
    reader->left.data += piece.size;
    reader->left.size -= piece.size;
    assert_true(reader->left.size == 0 || piece.size % 65536 == 0); /* pages of any system */
}

static void test_digest_by_pieces(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 1 << 20, (1 << 20) + 1, 3000000};
    static uint8_t bytes[3000000];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * i >> 5);
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct reader reader = {{bytes, sizes[i]}};
        struct reader *at = &reader;
        struct ilp_digest whole;
        struct ilp_digest digest;
        ilp_digest_of(reader.left, &whole);
        ilpi_digest_by_pieces(reader.left, &digest, read_piece, &at);
        assert_memory_equal(&digest, &whole, sizeof digest);
        assert_int_equal(reader.left.size, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest_by_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
