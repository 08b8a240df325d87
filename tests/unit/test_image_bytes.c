/* Small files cut at every length and changed at every byte: opening, walking, rewriting and
 * writing must neither crash nor leak, whatever the bytes say. */
#include "metadata_test.h"

#include "image_walk.h"
#include "base/sanitizers.h"

struct bench {
    struct ilp_bytes inspector_bytes;
    struct ilp_image *inspector_image;
    struct ilp_inspector *inspector;
};

#define MOST_ROWS  40u
#define MOST_BYTES ((size_t)256 * 1024)

/* Opens and, where that works, uses everything. True when it opened. */
static bool try_layout(const struct bench *bench, struct ilp_bytes bytes, enum ilp_layout layout)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = {.resize = memory_resize, .user = &memory};
    struct ilp_error error = {0};
    struct ilp_image *image = NULL;
    ilp_status status = ilp_image_open(&image, bytes, layout, "t", &allocator, &error);
    if (status == ILP_OK) {
        walk_image(image, MOST_ROWS);
        walk_rewrite(image, bench->inspector, MOST_BYTES);
        walk_compact(image, MOST_BYTES);
        ilp_image_close(image);
    } else {
        assert_null(image);
        assert_int_equal(error.status, status);
        assert_int_equal(ilp_status_class(status), ILP_CLASS_DATA);
        assert_true(error.message[0] != '\0');
        assert_true(error.offset <= bytes.size);
    }
    memory_is_empty(&memory);
    return status == ILP_OK;
}

static bool try_bytes(const struct bench *bench, struct ilp_bytes bytes)
{
    return try_layout(bench, bytes, ILP_LAYOUT_FILE);
}

/* ---- cut ---- */

static void every_length(void **state)
{
    static const char *const names[] = {"good-small.dll", "good-uncompressed.dll",
                                        "good-pe32plus.dll", "good-portable.pdb", "good-r2r.dll"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes whole = load(names[i]);
        struct ilp_image *image = open_image(whole, ILP_LAYOUT_FILE);
        uint64_t end = image->root_offset + image->root.size;
        ilp_image_close(image);
        for (size_t size = 0; size <= whole.size; size++) {
            struct ilp_bytes cut = exact(whole.data, size);
            /* metadata is whole or refused; bodies stand before it, the rest is not looked at */
            assert_int_equal(try_bytes(*state, cut), size >= end);
            drop(cut);
        }
        drop(whole);
    }
}

/* ---- changed ---- */

/* Values for bytes that are not tried with all 255. */
static const uint8_t flips[] = {0x01, 0x02, 0x10, 0x80, 0xFF};

/* All changes take minutes under a sanitizer: there it is every fifth one, and the fuzzers go on
 * from there. */
#ifdef HAS_ADDRESS_SANITIZER
#define ONE_OF 5u
#else
#define ONE_OF 1u
#endif

static void change_one(const struct bench *bench, struct ilp_bytes bytes, size_t at, uint8_t flip)
{
    static unsigned changes;
    if (changes++ % ONE_OF != 0) {
        return;
    }
    uint8_t *byte = (uint8_t *)(uintptr_t)bytes.data + at;
    *byte ^= flip;
    try_bytes(bench, bytes);
    *byte ^= flip;
}

static void change_region(const struct bench *bench, struct ilp_bytes bytes, size_t from, size_t to)
{
    for (size_t at = from; at < to && at < bytes.size; at++) {
        for (unsigned flip = 1; flip <= 0xFF; flip++) {
            change_one(bench, bytes, at, (uint8_t)flip);
        }
    }
}

/* Headers, CLI header, metadata root and the head of the table stream, with all values. */
static void every_header_byte(void **state)
{
    struct ilp_bytes bytes = load("good-small.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    size_t table_end = image->pe.section_table_offset + 40;
    size_t cli = (size_t)image->pe.cli_offset;
    size_t root = (size_t)image->root_offset;
    size_t rows = (size_t)(image->tables[ILP_Module].rows - bytes.data);
    ilp_image_close(image);
    change_region(*state, bytes, 0, 2);
    change_region(*state, bytes, 0x3C, 0x40);
    change_region(*state, bytes, 0x80, table_end);
    change_region(*state, bytes, cli, cli + 72);
    change_region(*state, bytes, root, rows);
    drop(bytes);
}

static void every_other_byte(void **state)
{
    static const char *const names[] = {"good-small.dll", "good-uncompressed.dll",
                                        "good-no-us.dll"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes bytes = load(names[i]);
        for (size_t at = 0x200; at < bytes.size; at++) {
            for (size_t k = 0; k < COUNT(flips); k++) {
                change_one(*state, bytes, at, flips[k]);
            }
        }
        drop(bytes);
    }
}

/* Compilers' files have more tables and longer signatures: one change a byte. */
static void every_byte_of_larger_files(void **state)
{
    static const char *const names[] = {"good-pe32plus.dll", "good-portable.pdb",
                                        "good-security.dll", "good-il.dll",
                                        "good-r2r.dll",      "good-r2r-bubble.dll"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes bytes = load(names[i]);
        for (size_t at = 0; at < bytes.size; at++) {
            change_one(*state, bytes, at, flips[at % COUNT(flips)]);
        }
        drop(bytes);
    }
}

/* A module in memory, as a profiler sees it: cut and changed. */
static void every_byte_of_a_mapped_module(void **state)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_file file = ib_pe_file(&b, (struct ib_pe){.section_alignment = 0x400});
    ib_end(&b);
    struct ilp_bytes bytes = taken(ib_map(file.data, file.size));
    free(file.data);
    for (size_t at = 0; at < bytes.size; at++) {
        struct ilp_bytes cut = exact(bytes.data, at);
        try_layout(*state, cut, ILP_LAYOUT_MAPPED);
        drop(cut);
        for (size_t k = 0; k < COUNT(flips); k++) {
            uint8_t *byte = (uint8_t *)(uintptr_t)bytes.data + at;
            *byte ^= flips[k];
            try_layout(*state, bytes, ILP_LAYOUT_MAPPED);
            *byte ^= flips[k];
        }
    }
    assert_true(try_layout(*state, bytes, ILP_LAYOUT_MAPPED));
    drop(bytes);
}

static void unchanged_files_are_good(void **state)
{
    static const char *const names[] = {
        "good-small.dll",    "good-uncompressed.dll", "good-no-us.dll", "good-pe32plus.dll",
        "good-portable.pdb", "good-security.dll",     "good-il.dll",    "good-csharp.dll",
        "good-r2r.dll",      "good-r2r-bubble.dll"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes bytes = load(names[i]);
        assert_true(try_bytes(*state, bytes));
        drop(bytes);
    }
}

static int setup(void **state)
{
    static struct bench bench;
    struct ib_image b;
    ib_begin(&b);
    ib_inspector(&b);
    bench.inspector_bytes = taken_file(ib_pe_file(&b, (struct ib_pe){0}));
    ib_end(&b);
    bench.inspector_image = open_image(bench.inspector_bytes, ILP_LAYOUT_FILE);
    *state = &bench;
    return ilp_inspector_open(&bench.inspector, bench.inspector_image, NULL, NULL) == ILP_OK ? 0
                                                                                             : -1;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    ilp_inspector_close(bench->inspector);
    ilp_image_close(bench->inspector_image);
    drop(bench->inspector_bytes);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_files_are_good),
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_header_byte),
        cmocka_unit_test(every_other_byte),
        cmocka_unit_test(every_byte_of_larger_files),
        cmocka_unit_test(every_byte_of_a_mapped_module),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
