/* src/base/utf8.h: what is read is what would be written. */
#include "base/utf8.h"

#include "metadata_test.h"

static void all_code_points(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint8_t text[4] = {0};
        uint32_t read;
        unsigned size = ilpi_utf8_write(text, code);
        if (ilpi_utf8_length(text[0]) != size || ilpi_utf8_read(text, size, &read) != size ||
            read != code || ilpi_utf8_read(text, size - 1, &read) != 0) {
            fail_msg("U+%04X", (unsigned)code);
        }
    }
}

/* Each first byte, each second one, and after these some of each kind: a sequence that is read has
 * no other form, so neither an overlong one nor one with a first byte that begins none is. */
static void all_sequences(void **state)
{
    static const uint8_t others[] = {0x00, 0x41, 0x7F, 0x80, 0x81, 0xBF, 0xC2, 0xF8, 0xFF};
    enum { OTHERS = sizeof others };
    (void)state;
    for (uint32_t i = 0; i < 0x10000u * OTHERS * OTHERS; i++) {
        uint32_t rest = i >> 16, code;
        const uint8_t text[] = {(uint8_t)(i >> 8), (uint8_t)i, others[rest % OTHERS],
                                others[rest / OTHERS]};
        uint8_t written[4];
        unsigned size = ilpi_utf8_read(text, sizeof text, &code);
        if (size != 0 && (code > 0x10FFFF || ilpi_utf8_write(written, code) != size ||
                          memcmp(text, written, size) != 0)) {
            fail_msg("%02X %02X %02X %02X: %u bytes, U+%04X", text[0], text[1], text[2], text[3],
                     size, (unsigned)code);
        }
    }
}

static void bytes_that_are_no_sequence(void **state)
{
    static const char text[] = "\xF8\x90\x80\x80z\xFC\x9F\xBF\xBF\x80";
    size_t at = 0;
    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        uint32_t code = ilpi_utf8_next((const uint8_t *)text, sizeof text - 1, &at);
        assert_int_equal(code, text[i] == 'z' ? 'z' : 0xFFFD);
        assert_int_equal(at, i + 1);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_code_points),
        cmocka_unit_test(all_sequences),
        cmocka_unit_test(bytes_that_are_no_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
