/* Kinds of files: each by its first bytes, cut anywhere without harm, and native programs by what
 * is in them. */
#include "metadata_test.h"

static const struct {
    const char *bytes;
    size_t size;
    enum ilp_file_kind kind;
} starts[] = {
#define START(text, kind)                       \
    {                                           \
        text, sizeof(text) - 1, ILP_FILE_##kind \
    }
    START("MZ", UNKNOWN), /* without what must follow */
    START("BSJB", METADATA),
    START("\x7F"
          "ELF",
          ELF),
    START("\xCF\xFA\xED\xFE", MACH_O),
    START("\xCE\xFA\xED\xFE", MACH_O),
    START("\xCA\xFE\xBA\xBE", MACH_O),
    START("\0asm", WASM),
    START("\0asm\1\0\0\0 a segment: WbIL", WEBCIL_WASM),
    START("WbIL", WEBCIL),
    START("PK\3\4", ZIP),
    START("PK\5\6", ZIP),
    START("Microsoft C/C++ MSF 7.00", WINDOWS_PDB),
    START("\x14\xA6\x7F\xFD\x23\x26\xE8\x45", MDB),
    START("!<arch>\n", ARCHIVE),
    START("XALZ", COMPRESSED),
    START("<?xml", XML),
    START("\xEF\xBB\xBF<?xml", XML),
    START("#!", SCRIPT),
    START("M", UNKNOWN),
    START("{ }", UNKNOWN),
    START("", UNKNOWN),
};

static void first_bytes_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct ilp_bytes bytes = exact(starts[i].bytes, starts[i].size);
        assert_int_equal(ilp_file_kind_of(bytes), starts[i].kind);
        assert_true(ilp_file_kind_text(starts[i].kind)[0] != '\0' &&
                    ilp_file_kind_advice(starts[i].kind)[0] != '\0');
        drop(bytes);
    }
    assert_string_equal(ilp_file_kind_text((enum ilp_file_kind)100), "");
    assert_string_equal(ilp_file_kind_advice((enum ilp_file_kind)100), "");
}

static void an_assembly_is_one(void **state)
{
    (void)state;
    struct ilp_bytes whole = load("good-csharp.dll");
    struct ilp_bytes native = load("unsupported-native-pe.dll");
    assert_int_equal(ilp_file_kind_of(whole), ILP_FILE_PE);
    assert_int_equal(ilp_file_kind_of(native), ILP_FILE_NATIVE_PE);
    for (size_t size = 2; size < 0x200; size++) {
        struct ilp_bytes cut = exact(whole.data, size);
        enum ilp_file_kind kind = ilp_file_kind_of(cut);
        assert_true(kind == ILP_FILE_PE || kind == ILP_FILE_NATIVE_PE || kind == ILP_FILE_UNKNOWN);
        drop(cut);
    }
    drop(native);
    drop(whole);
}

/* An ELF file of one section header, that of the names. */
static struct ilp_bytes elf(const char *names, size_t size)
{
    uint8_t file[0x100] = {0x7F, 'E', 'L', 'F', 2, 1};
    file[0x28] = 0x40; /* e_shoff */
    file[0x40 + 0x18] = 0x80;
    file[0x40 + 0x20] = (uint8_t)size;
    memcpy(file + 0x80, names, size);
    return exact(file, 0x80 + size);
}

static void sections_show_native_aot(void **state)
{
    (void)state;
    static const char names[] = "\0.text\0__managedcode";
    struct ilp_bytes aot = elf(names, sizeof names);
    struct ilp_bytes other = elf(names, 7);
    assert_int_equal(ilp_file_kind_of(aot), ILP_FILE_NATIVE_AOT);
    assert_int_equal(ilp_file_kind_of(other), ILP_FILE_ELF);
    for (size_t size = 4; size < aot.size; size++) {
        struct ilp_bytes cut = exact(aot.data, size);
        assert_int_equal(ilp_file_kind_of(cut), ILP_FILE_ELF);
        drop(cut);
    }
    drop(other);
    drop(aot);
}

/* What the SDK puts into its hosts: an offset, zero if no bundle follows, and a hash. */
static void hosts_are_distinguished(void **state)
{
    (void)state;
    uint8_t host[0x80] = {0x7F, 'E', 'L', 'F'};
    static const uint8_t signature[] = {0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38,
                                        0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
                                        0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18,
                                        0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE};
    memcpy(host + sizeof host - sizeof signature, signature, sizeof signature);
    struct ilp_bytes apphost = exact(host, sizeof host);
    assert_int_equal(ilp_file_kind_of(apphost), ILP_FILE_APPHOST);
    host[sizeof host - sizeof signature - 8] = 0x40;
    struct ilp_bytes bundle = exact(host, sizeof host);
    assert_int_equal(ilp_file_kind_of(bundle), ILP_FILE_BUNDLE);
    drop(bundle);
    drop(apphost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_bytes_decide),
        cmocka_unit_test(an_assembly_is_one),
        cmocka_unit_test(sections_show_native_aot),
        cmocka_unit_test(hosts_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
