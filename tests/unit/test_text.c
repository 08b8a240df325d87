/* Method bodies as text. */
#include "il_test.h"

#include <stdio.h>

static void name_token(void *user, struct ilpi_buf *buf, ilp_token token)
{
    ilpi_buf_format(buf, "%s%X", (const char *)user, (unsigned)token);
}

static void assert_text(struct ilp_bytes bytes, const struct ilp_eh_clause *clauses, size_t count,
                        bool named, const char *expected)
{
    struct test_alloc alloc;
    struct ilp_eh_clause copy[4];
    char name[] = "token ";
    const struct ilpi_il_names names = {name, name_token, NULL};
    test_alloc_init(&alloc, 0);
    if (count > 0) {
        memcpy(copy, clauses, count * sizeof copy[0]);
    }
    struct ilpi_buf buf = {.alloc = &alloc.alloc};
    struct ilp_body body = {
        .code = exact(bytes.data, bytes.size), .clauses = copy, .clause_count = count};
    ilpi_body_text(&buf, &body, named ? &names : NULL);
    ilpi_buf_u8(&buf, 0);
    assert_int_equal(buf.status, ILP_OK);
    assert_string_equal((const char *)buf.data, expected);
    ilpi_buf_free(&buf);
    free_bytes(body.code);
}

static void every_kind_of_operand(void **state)
{
    (void)state;
    const struct ilp_bytes code = CODE(
        0x00, 0x1F, 0xFF, 0x0E, 0xFF, 0xFE, 0x09, 0xFF, 0xFF, /* */
        0x20, 0, 0, 0, 0x80, 0x21, 0, 0, 0, 0, 0, 0, 0, 0x80, /* */
        0x72, 1, 0, 0, 0x70, 0xFE, 0x15, 2, 0, 0, 2, 0x29, 3, 0, 0, 0x11, 0x2B, 0, 0x38, 0xFB, 0xFF,
        0xFF, 0xFF, 0x45, 0, 0, 0, 0, 0x45, 2, 0, 0, 0, 0, 0, 0, 0, 0xF3, 0xFF, 0xFF, 0xFF, 0x2A);
    assert_text(code, NULL, 0, true,
                "    IL_0000:  nop\n"
                "    IL_0001:  ldc.i4.s   -1\n"
                "    IL_0003:  ldarg.s    255\n"
                "    IL_0005:  ldarg      65535\n"
                "    IL_0009:  ldc.i4     -2147483648\n"
                "    IL_000e:  ldc.i8     -9223372036854775808\n"
                "    IL_0017:  ldstr      token 70000001\n"
                "    IL_001c:  initobj    token 2000002\n"
                "    IL_0022:  calli      token 11000003\n"
                "    IL_0027:  br.s       IL_0029\n"
                "    IL_0029:  br         IL_0029\n"
                "    IL_002e:  switch     ()\n"
                "    IL_0033:  switch     (IL_0040, IL_0033)\n"
                "    IL_0040:  ret\n");
    assert_text((struct ilp_bytes)CODE(0xFE, 0x16, 2, 0, 0, 0x1B, 0x6F, 3, 0, 0, 0x0A), NULL, 0,
                false,
                "    IL_0000:  constrained. 0x1B000002\n"
                "    IL_0006:  callvirt   0x0A000003\n");
}

static void assert_real(bool single, uint64_t bits, const char *expected)
{
    uint8_t bytes[9] = {single ? 0x22 : 0x23};
    char text[80];
    for (size_t i = 0; i < 8; i++) {
        bytes[1 + i] = (uint8_t)(bits >> (8 * i));
    }
    snprintf(text, sizeof text, "    IL_0000:  ldc.r%c     %s\n", single ? '4' : '8', expected);
    assert_text((struct ilp_bytes){bytes, single ? 5 : 9}, NULL, 0, false, text);
}

static void reals_read_back_as_what_they_are(void **state)
{
    (void)state;
    assert_real(true, 0x3F800000, "1.0");
    assert_real(true, 0x80000000, "-0.0");
    assert_real(true, 0x3DCCCCCD, "0.1");
    assert_real(true, 0x3F800001, "1.0000001");
    assert_real(true, 0x7F7FFFFF, "3.4028235e+38");
    assert_real(true, 1, "1.4013e-45");
    assert_real(true, 0x7F800000, "float32(0x7F800000)");
    assert_real(true, 0xFFC00001, "float32(0xFFC00001)");
    assert_real(false, 0x3FB999999999999A, "0.1");
    assert_real(false, 0x3FF0000000000001, "1.0000000000000002");
    assert_real(false, 0x433FFFFFFFFFFFFF, "9007199254740991.0");
    assert_real(false, 0x7FF8000000000000, "float64(0x7FF8000000000000)");
}

static void clauses_follow_the_code(void **state)
{
    (void)state;
    const struct ilp_eh_clause clauses[] = {
        {ILPI_EH_CATCH, 0, 1, 1, 0x10, 0x01000002},
        {ILPI_EH_FILTER, 0, 1, 0x10000, 1, 2},
        {ILPI_EH_FINALLY, 0, 1, UINT32_MAX, UINT32_MAX, 0},
        {ILPI_EH_FAULT, 0, 0, 0, 0, 0},
    };
    assert_text((struct ilp_bytes)CODE(0x2A), clauses, 4, true,
                "    IL_0000:  ret\n"
                "  .try IL_0000 to IL_0001 catch token 1000002 handler IL_0001 to IL_0011\n"
                "  .try IL_0000 to IL_0001 filter IL_0002 handler IL_10000 to IL_10001\n"
                "  .try IL_0000 to IL_0001 finally handler IL_ffffffff to IL_1fffffffe\n"
                "  .try IL_0000 to IL_0000 fault handler IL_0000 to IL_0000\n");
}

static void what_is_no_code_is_bytes(void **state)
{
    (void)state;
    assert_text((struct ilp_bytes)CODE(0x2B, 0x80, 0x24, 0x2A), NULL, 0, false,
                "    IL_0000:  br.s       IL_-007e\n"
                "    IL_0002:  .bytes     24 2A\n");
    assert_text((struct ilp_bytes)CODE(0x45, 9, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
                NULL, 0, false,
                "    IL_0000:  .bytes     45 09 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B\n"
                "    IL_0010:  .bytes     0C\n");
    assert_text((struct ilp_bytes){NULL, 0}, NULL, 0, false, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_operand),
        cmocka_unit_test(reals_read_back_as_what_they_are),
        cmocka_unit_test(clauses_follow_the_code),
        cmocka_unit_test(what_is_no_code_is_bytes),
    };
    return cmocka_run_group_tests_name("il/text", tests, NULL, NULL);
}
