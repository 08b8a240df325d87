/* Single-file bundles: manifests of each version, read and written again; and none with a wrong
 * offset leads out of the file. */
#include "metadata_test.h"

#include "bundle_builder.h"

#define BYTES(text)                               \
    {                                             \
        (const uint8_t *)(text), sizeof(text) - 1 \
    }

/* "return " forty times, compressed. */
static const uint8_t packed[] = {0x2B, 0x4A, 0x2D, 0x29, 0x2D, 0xCA, 0x53,
                                 0x28, 0x1A, 0xA5, 0x50, 0x29, 0x00};

static const struct bb_file files[] = {
    {"App.dll", ILP_BUNDLE_ASSEMBLY, BYTES("the application"), 0},
    {"de/App.resources.dll", ILP_BUNDLE_ASSEMBLY, BYTES("der Text"), 0},
    {"App.runtimeconfig.json", ILP_BUNDLE_RUNTIME_CONFIG_JSON, BYTES("{}"), 0},
    {"App.deps.json", ILP_BUNDLE_DEPS_JSON, BYTES("{ }"), 0},
    {"Packed.dll", ILP_BUNDLE_ASSEMBLY, {packed, sizeof packed}, 280}, /* from version 6 on */
};

static size_t file_count(uint32_t version)
{
    return version >= 6 ? 5 : 4;
}

static struct ilp_bytes built(uint32_t version)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf buf = {.alloc = &alloc};
    bb_build(&buf,
             "\x7F"
             "ELF",
             version, files, file_count(version));
    struct ilp_bytes bytes = exact(buf.data, buf.size);
    ilpi_buf_free(&buf);
    return bytes;
}

static struct ilp_bundle *opened(struct ilp_bytes bytes)
{
    struct ilp_bundle *bundle;
    struct ilp_error error;
    if (ilp_bundle_open(&bundle, bytes, NULL, &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
    return bundle;
}

static void contents_are(const struct ilp_bundle *bundle, const char *path,
                         struct ilp_bytes expected)
{
    struct ilp_arena *arena;
    struct ilp_bytes contents;
    struct ilp_error error;
    const struct ilp_bundle_entry *entry = ilp_bundle_find(bundle, path);
    assert_non_null(entry);
    assert_int_equal(ilp_arena_open(&arena, NULL, &error), ILP_OK);
    assert_int_equal(ilp_bundle_read(bundle, entry, arena, &contents, &error), ILP_OK);
    same_bytes(contents, expected);
    ilp_arena_close(arena);
}

static const uint32_t versions[] = {1, 2, 6};

static void every_version_is_read(void **state)
{
    (void)state;
    for (size_t v = 0; v < 3; v++) {
        size_t count;
        struct ilp_bytes bytes = built(versions[v]);
        struct ilp_bundle *bundle = opened(bytes);
        const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, &count);
        assert_int_equal(ilp_file_kind_of(bytes), ILP_FILE_BUNDLE);
        assert_int_equal(count, file_count(versions[v]));
        for (size_t i = 0; i < 4; i++) {
            assert_string_equal(entries[i].path, files[i].path);
            assert_int_equal(entries[i].type, files[i].type);
            contents_are(bundle, files[i].path, files[i].bytes);
        }
        if (count == 5) {
            char text[281] = "";
            for (unsigned i = 0; i < 40; i++) {
                strcat(text, "return ");
            }
            contents_are(bundle, "Packed.dll", (struct ilp_bytes){(const uint8_t *)text, 280});
        }
        assert_null(ilp_bundle_find(bundle, "app.dll"));
        ilp_bundle_close(bundle);
        drop(bytes);
    }
}

/* What opens is read through and through. */
static void walk(struct ilp_bytes bytes)
{
    struct ilp_bundle *bundle;
    struct ilp_error error;
    ilp_status status = ilp_bundle_open(&bundle, bytes, NULL, &error);
    if (status != ILP_OK) {
        assert_int_equal(status, ILP_E_BAD_BUNDLE);
        assert_true(error.message[0] != '\0');
        return;
    }
    size_t count;
    struct ilp_arena *arena;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, &count);
    assert_int_equal(ilp_arena_open(&arena, NULL, &error), ILP_OK);
    for (size_t i = 0; i < count; i++) {
        struct ilp_bytes contents;
        ilp_arena_reset(arena);
        status = ilp_bundle_read(bundle, &entries[i], arena, &contents, &error);
        assert_true(status == ILP_OK || status == ILP_E_BAD_DEFLATE);
        struct ilp_bytes copy = status == ILP_OK ? exact(contents.data, contents.size)
                                                 : exact("", 0);
        drop(copy);
        assert_true(entries[i].path[0] != '/' && strncmp(entries[i].path, "../", 3) != 0);
    }
    struct collector out = {0};
    struct ilp_sink sink = {&out, collect};
    struct ilp_bundle_change change = {
        .path = "New.dll", .type = ILP_BUNDLE_ASSEMBLY, .bytes = BYTES("new")};
    assert_int_equal(ilp_bundle_write(bundle, &change, 1, &sink, &error), ILP_OK);
    free(out.bytes.data);
    ilp_arena_close(arena);
    ilp_bundle_close(bundle);
}

static void every_cut_and_every_byte(void **state)
{
    (void)state;
    static const uint8_t values[] = {0x00, 0x01, 0x7F, 0x80, 0xFF, '/', '.'};
    for (size_t v = 0; v < 3; v++) {
        struct ilp_bytes whole = built(versions[v]);
        for (size_t size = 0; size < whole.size; size++) {
            struct ilp_bytes cut = exact(whole.data, size);
            struct ilp_bundle *bundle;
            assert_int_equal(ilp_bundle_open(&bundle, cut, NULL, NULL), ILP_E_BAD_BUNDLE);
            drop(cut);
        }
        for (size_t at = BB_HEADER_PLACE; at < whole.size; at++) {
            uint8_t *byte = (uint8_t *)(uintptr_t)whole.data + at;
            uint8_t old = *byte;
            for (size_t i = 0; i < sizeof values; i++) {
                *byte = values[i];
                walk(whole);
            }
            *byte = old;
        }
        drop(whole);
    }
}

static void paths_that_lead_elsewhere_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {"/etc/passwd", "../up.dll", "a/../../up", "..",      "a/..",
                                        "./a",         "a//b",      "..\\up.dll", "a\\..\\b"};
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct ilp_bundle *bundle;
        struct bb_file file = {paths[i], ILP_BUNDLE_ASSEMBLY, BYTES("x"), 0};
        struct ilpi_buf buf = {.alloc = &alloc};
        bb_build(&buf,
                 "\x7F"
                 "ELF",
                 6, &file, 1);
        assert_int_equal(ilp_bundle_open(&bundle, ilpi_buf_bytes(&buf), NULL, NULL),
                         ILP_E_BAD_BUNDLE);
        ilpi_buf_free(&buf);
    }
}

/* A file is replaced, one is added, all others stay as they are, at the place where they were. */
static void changed_files_are_written(void **state)
{
    (void)state;
    const struct ilp_bundle_change changes[] = {
        {.path = "App.dll", .type = ILP_BUNDLE_UNKNOWN, .bytes = BYTES("another application")},
        {.path = "App.deps.json", .type = ILP_BUNDLE_UNKNOWN, .bytes = BYTES("{  }")},
        {.path = "New.dll", .type = ILP_BUNDLE_ASSEMBLY, .bytes = BYTES("new")},
    };
    for (size_t v = 0; v < 3; v++) {
        struct ilp_bytes bytes = built(versions[v]);
        struct ilp_bundle *bundle = opened(bytes);
        struct collector out = {0};
        struct ilp_sink sink = {&out, collect};
        struct ilp_digest origin;
        struct ilp_digest digest;
        size_t count;
        assert_false(ilp_bundle_origin(bundle, &origin));
        assert_int_equal(ilp_bundle_write(bundle, changes, 3, &sink, NULL), ILP_OK);
        struct ilp_bytes written = taken(out.bytes);
        assert_memory_equal(written.data + BB_HEADER_PLACE + 8, bytes.data + BB_HEADER_PLACE + 8,
                            bytes.size - BB_HEADER_PLACE - 8);
        struct ilp_bundle *again = opened(written);
        ilp_bundle_entries(again, &count);
        assert_int_equal(count, file_count(versions[v]) + 1);
        for (size_t i = 0; i < 3; i++) {
            contents_are(again, changes[i].path, changes[i].bytes);
            assert_int_equal(ilp_bundle_find(again, changes[i].path)->offset % 4096, 0);
        }
        contents_are(again, files[1].path, files[1].bytes);
        assert_int_equal(ilp_bundle_find(again, "New.dll")->type, ILP_BUNDLE_ASSEMBLY);
        assert_int_equal(ilp_bundle_find(again, "App.deps.json")->type, ILP_BUNDLE_DEPS_JSON);
        assert_true(ilp_bundle_origin(again, &origin));
        ilp_digest_of(bytes, &digest);
        assert_memory_equal(&origin, &digest, sizeof origin);
        ilp_bundle_close(again);
        ilp_bundle_close(bundle);
        drop(written);
        drop(bytes);
    }
}

/* Where the manifest says in front where the .deps.json is, that is its new place. */
static void places_in_front_follow(void **state)
{
    (void)state;
    struct ilp_bundle_change change = {
        .path = "App.deps.json", .type = ILP_BUNDLE_UNKNOWN, .bytes = BYTES("{  }")};
    struct ilp_bytes bytes = built(6);
    struct ilp_bundle *bundle = opened(bytes);
    struct collector out = {0};
    struct ilp_sink sink = {&out, collect};
    assert_int_equal(ilp_bundle_write(bundle, &change, 1, &sink, NULL), ILP_OK);
    struct ilp_bytes written = taken(out.bytes);
    struct ilp_bundle *again = opened(written);
    const uint8_t *header = written.data + ilpi_load_u64(written.data + BB_HEADER_PLACE);
    const uint8_t *places = header + 12 + 1 + header[12];
    const struct ilp_bundle_entry *config = ilp_bundle_find(again, "App.runtimeconfig.json");
    assert_true(ilpi_load_u64(places) == ilp_bundle_find(again, "App.deps.json")->offset);
    assert_true(ilpi_load_u64(places + 8) == 4);
    assert_true(ilpi_load_u64(places + 16) == config->offset);
    assert_true(ilpi_load_u64(places + 24) == config->size);
    assert_true(ilpi_load_u64(places + 32) == 1); /* flags */
    ilp_bundle_close(again);
    ilp_bundle_close(bundle);
    drop(written);
    drop(bytes);
}

static void without_changes_it_is_the_same(void **state)
{
    (void)state;
    struct ilp_bytes bytes = built(6);
    struct ilp_bundle *bundle = opened(bytes);
    struct collector out = {0};
    struct ilp_sink sink = {&out, collect};
    assert_int_equal(ilp_bundle_write(bundle, NULL, 0, &sink, NULL), ILP_OK);
    struct ilp_bytes written = taken(out.bytes);
    same_bytes(bytes, written);
    drop(written);
    ilp_bundle_close(bundle);
    drop(bytes);
}

static void signed_hosts_are_refused(void **state)
{
    (void)state;
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf buf = {.alloc = &alloc};
    bb_build(&buf, "\xCF\xFA\xED\xFE", 6, files, 5);
    struct ilp_bundle *bundle = opened(ilpi_buf_bytes(&buf));
    struct ilp_sink sink = {NULL, NULL}; /* is not called */
    struct ilp_bundle_change change = {
        .path = "New.dll", .type = ILP_BUNDLE_ASSEMBLY, .bytes = BYTES("new")};
    assert_int_equal(ilp_bundle_write(bundle, &change, 1, &sink, NULL), ILP_E_SIGNED_HOST);
    ilp_bundle_close(bundle);
    ilpi_buf_free(&buf);
}

/* As in test_reserved.c, before the first byte is written. */
static void reserved_members_are_zero(void **state)
{
    (void)state;
    struct ilp_bytes bytes = built(6);
    struct ilp_bundle *bundle = opened(bytes);
    struct ilp_sink sink = {NULL, NULL}; /* is not called */
    struct ilp_bundle_change change = {.path = "New.dll", .reserved = {0, 1}};
    assert_int_equal(ilp_bundle_write(bundle, &change, 1, &sink, NULL), ILP_E_MISUSE);
    ilp_bundle_close(bundle);
    drop(bytes);
}

/* A reader refuses such a manifest. */
static void bad_changes_are_refused(void **state)
{
    (void)state;
    static const struct ilp_bundle_change bad[] = {{.path = ""},
                                                   {.path = "/New.dll"},
                                                   {.path = "../New.dll"},
                                                   {.path = "a/./New.dll"},
                                                   {.path = "a\\..\\New.dll"},
                                                   {.path = "a//New.dll"},
                                                   {.path = "New.dll", .type = ILP_BUNDLE_TYPES}};
    struct ilp_bytes bytes = built(6);
    struct ilp_bundle *bundle = opened(bytes);
    struct ilp_sink sink = {NULL, NULL}; /* is not called */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct ilp_bundle_change changes[] = {{.path = "Good.dll"}, bad[i]};
        struct ilp_error error = {0};
        assert_int_equal(ilp_bundle_write(bundle, changes, 2, &sink, &error), ILP_E_MISUSE);
        assert_int_equal(error.status, ILP_E_MISUSE);
    }
    ilp_bundle_close(bundle);
    drop(bytes);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    struct ilp_bytes bytes = built(6);
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status == ILP_E_NO_MEMORY; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct collector out = {0};
        struct ilp_sink sink = {&out, collect};
        struct ilp_bundle_change change = {
            .path = "New.dll", .type = ILP_BUNDLE_ASSEMBLY, .bytes = BYTES("new")};
        struct ilp_bundle *bundle;
        status = ilp_bundle_open(&bundle, bytes, &allocator, NULL);
        if (status == ILP_OK) {
            status = ilp_bundle_write(bundle, &change, 1, &sink, NULL);
        }
        ilp_bundle_close(bundle);
        free(out.bytes.data);
        memory_is_empty(&memory);
        assert_true(n < 100);
    }
    assert_int_equal(status, ILP_OK);
    drop(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_read),
        cmocka_unit_test(every_cut_and_every_byte),
        cmocka_unit_test(paths_that_lead_elsewhere_are_refused),
        cmocka_unit_test(changed_files_are_written),
        cmocka_unit_test(places_in_front_follow),
        cmocka_unit_test(without_changes_it_is_the_same),
        cmocka_unit_test(signed_hosts_are_refused),
        cmocka_unit_test(reserved_members_are_zero),
        cmocka_unit_test(bad_changes_are_refused),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
