/* profiler/precode.c: stubs as CoreCLR makes them, one bit otherwise, and where no stub is. */
#include "tests/unit/metadata_test.h"

#include <sys/mman.h>

#include "profiler/precode.h"

enum { X64_PAGE = 0x4000 };

/* As .NET 10.0.12 has it, its data 0x4000 bytes after it. */
static const uint8_t x64[PRECODE_SIZE] = {0xFF, 0x25, 0xFA, 0x3F, 0x00, 0x00, 0x4C, 0x8B,
                                          0x15, 0xFB, 0x3F, 0x00, 0x00, 0xFF, 0x25, 0xFD,
                                          0x3F, 0x00, 0x00, 0x90, 0x66, 0x2E, 0x0F, 0x1F};

/* ldr x11, .+0x4000; br x11; dmb ishld; ldr x12, .+0x3FFC; ldr x11, .+0x4000; br x11 */
static const uint8_t arm64[PRECODE_SIZE] = {0x0B, 0x00, 0x02, 0x58, 0x60, 0x01, 0x1F, 0xD6,
                                            0xBF, 0x39, 0x03, 0xD5, 0xEC, 0xFF, 0x01, 0x58,
                                            0x0B, 0x00, 0x02, 0x58, 0x60, 0x01, 0x1F, 0xD6};

/* Of a P/Invoke method. */
static const uint8_t import_x64[PRECODE_SIZE] = {0x4C, 0x8B, 0x15, 0xF9, 0x3F, 0x00, 0x00, 0xFF,
                                                 0x25, 0xFB, 0x3F, 0x00, 0x00, 0x90, 0x66, 0x90,
                                                 0xFF, 0x25, 0xFA, 0x3F, 0x00, 0x00, 0x4C, 0x8B};

static void each_bit(uint32_t (*decode)(const uint8_t *), const uint8_t *stub, unsigned size)
{
    uint8_t other[PRECODE_SIZE];
    for (unsigned bit = 0; bit < 8 * size; bit++) {
        memcpy(other, stub, sizeof other);
        other[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(decode(other), 0);
    }
}

static void test_x64(void **state)
{
    uint8_t other[PRECODE_SIZE];
    (void)state;
    assert_int_equal(precode_x64(x64), X64_PAGE);
    assert_int_equal(precode_arm64(x64), 0);
    each_bit(precode_x64, x64, 19); /* the rest is never run */
    memcpy(other, x64, sizeof other);
    for (unsigned page = 0x800; page <= 0x20000; page *= 2) {
        other[3] = other[10] = other[16] = (uint8_t)((page - 1) >> 8);
        other[4] = other[11] = other[17] = (uint8_t)((page - 1) >> 16);
        assert_int_equal(precode_x64(other), page >= 0x1000 && page <= 0x10000 ? page : 0);
    }
    other[3] = other[10] = other[16] = 0x2F; /* 0x13000 */
    assert_int_equal(precode_x64(other), 0);
}

static void test_arm64(void **state)
{
    (void)state;
    assert_int_equal(precode_arm64(arm64), X64_PAGE);
    assert_int_equal(precode_x64(arm64), 0);
    each_bit(precode_arm64, arm64, sizeof arm64);
}

static void test_import_x64(void **state)
{
    (void)state;
    assert_int_equal(precode_import_x64(import_x64), X64_PAGE);
    assert_int_equal(precode_x64(import_x64), 0);
    assert_int_equal(precode_import_x64(x64), 0);
    each_bit(precode_import_x64, import_x64, 13);
}

/* Code and data as the runtime maps them, and nothing after them. */
struct mapped {
    uint8_t *code;
    uint64_t *data;
};

static struct mapped map_stub(const uint8_t *stub)
{
    struct mapped mapped;
    mapped.code = mmap(NULL, 3 * X64_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0);
    assert_true(mapped.code != MAP_FAILED);
    memcpy(mapped.code, stub, PRECODE_SIZE);
    mapped.data = (uint64_t *)(void *)(mapped.code + X64_PAGE);
    mapped.data[0] = (uintptr_t)mapped.code + 6;
    mapped.data[1] = 0x7F0000001238;
    mapped.data[2] = 0x7F0000002345;
    munmap(mapped.code + (size_t)2 * X64_PAGE, X64_PAGE);
    return mapped;
}

static FunctionID method_of(const struct mapped *mapped)
{
    return precode_method((uintptr_t)mapped->code);
}

static void test_methods(void **state)
{
#if defined(__x86_64__)
    const uint8_t *stub = x64;
#elif defined(__aarch64__)
    const uint8_t *stub = arm64;
#else
    const uint8_t *stub = NULL;
#endif
    (void)state;
    assert_int_equal(precode_method(0), 0);
    assert_int_equal(precode_method(0xFFFF), 0);
    assert_int_equal(precode_method(UINTPTR_MAX), 0);
    if (!stub) {
        skip();
    }
    struct mapped mapped = map_stub(stub);
    assert_int_equal(method_of(&mapped), 0x7F0000001238);
    mapped.data[1] = 0x7F0000001239; /* nothing that the runtime would allocate */
    assert_int_equal(method_of(&mapped), 0);
    mapped.data[1] = 0x38;
    assert_int_equal(method_of(&mapped), 0);
    mapped.data[1] = 0x7F0000001238;
    mapped.data[2] = 0;
    assert_int_equal(method_of(&mapped), 0);
    mapped.data[2] = 0x7F0000002345;
    mapped.data[0] = 0;
    assert_int_equal(method_of(&mapped), 0);
    assert_int_equal(precode_method((uintptr_t)mapped.code + 1), 0);
    /* the stub or its data reaches into what is not mapped */
    assert_int_equal(precode_method((uintptr_t)mapped.code + 2 * X64_PAGE - 8), 0);
    memcpy(mapped.code + 2 * X64_PAGE - PRECODE_SIZE, stub, PRECODE_SIZE);
    assert_int_equal(precode_method((uintptr_t)mapped.code + 2 * X64_PAGE - PRECODE_SIZE), 0);
    munmap(mapped.code, X64_PAGE);
    assert_int_equal(method_of(&mapped), 0);
    munmap(mapped.data, X64_PAGE);
}

static void test_imported_methods(void **state)
{
    (void)state;
#if defined(__x86_64__)
    struct mapped mapped = map_stub(import_x64);
    mapped.data[0] = 0x7F0000001238;
    mapped.data[1] = 0x7F0000002345;
    for (unsigned type = 0; type < 256; type++) { /* as .NET 8 and 9, and .NET 10 have it */
        mapped.data[2] = 0x7F00 << 8 | type;
        assert_int_equal(method_of(&mapped), type == 0x4C || type == 3 ? 0x7F0000001238 : 0);
    }
    mapped.data[2] = 3;
    mapped.data[0] = 0x7F0000001239;
    assert_int_equal(method_of(&mapped), 0);
    mapped.data[0] = 0x7F0000001238;
    mapped.data[1] = 0;
    assert_int_equal(method_of(&mapped), 0);
    munmap(mapped.data, X64_PAGE);
    assert_int_equal(method_of(&mapped), 0);
    munmap(mapped.code, X64_PAGE);
#else
    skip();
#endif
}

static void test_readable(void **state)
{
    static const uint64_t word[2];
    (void)state;
    assert_true(precode_is_readable((uintptr_t)word));
    assert_false(precode_is_readable((uintptr_t)word + 1));
    assert_false(precode_is_readable(0));
    assert_false(precode_is_readable(8));
    assert_false(precode_is_readable(UINTPTR_MAX - 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_x64),
        cmocka_unit_test(test_arm64),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_import_x64),
        cmocka_unit_test(test_imported_methods),
        cmocka_unit_test(test_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
