/* Portable PDBs within assemblies: unpacked, moved along, and packed again; with the records that a
 * C# compiler adds for iterators and async methods. What else there is to moving is in
 * test_symbols.c. */
#include "tests/unit/embedded_pdb.h"

#include "base/crypto.h"
#include "base/library.h"
#include "il/body.h"
#include "symbols/symbols.h"

static struct ilp_bytes pdb_bytes, assembly_bytes;

static int setup(void **state)
{
    (void)state;
    pdb_bytes = load("good-portable.pdb");
    assembly_bytes = with_embedded(load("good-csharp.dll"), pdb_bytes);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    drop(assembly_bytes);
    drop(pdb_bytes);
    return 0;
}

/* Every body as it was, which is a new one for the symbols. */
static struct ilp_edit *edit_all(struct ilp_image *image)
{
    struct ilp_edit *edit = open_edit(image);
    struct ilp_arena *arena;
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        struct ilp_bytes bytes = ilp_image_rva(image, rva, NULL);
        struct ilp_body body;
        if (rva != 0) {
            assert_int_equal(ilp_body_read(&body, bytes, 0, arena, NULL), ILP_OK);
            bytes.size = body.size;
            assert_int_equal(ilp_edit_set_body(edit, rid, bytes, NULL), ILP_OK);
        }
    }
    ilp_arena_close(arena);
    return edit;
}

/* All that is after the first instruction moves by `distance`. */
static ilp_status move(struct ilp_symbols *symbols, struct ilp_edit *edit, uint32_t distance,
                       struct ilp_bytes *pdb, struct ilp_symbols_link *link)
{
    const struct ilp_il_map map[] = {{0, 0}, {1, 1 + distance}};
    for (ilp_rid rid = 1; rid <= ilp_row_count(edit->image, ILP_MethodDef); rid++) {
        ILPI_TRY(ilp_symbols_move(symbols, ILP_TOKEN(ILP_MethodDef, rid), map, 2, NULL));
    }
    return ilp_symbols_write(symbols, edit, pdb, link, NULL);
}

static struct ilp_bytes write_with(struct ilp_edit *edit, const struct ilp_symbols_link *link)
{
    struct ilp_write_options options = {.symbols = ILP_SYMBOLS_UPDATE, .link = link};
    struct collector written = {.fail_after = 0};
    struct ilp_sink sink = {&written, collect};
    struct ilp_write_info info;
    assert_int_equal(ilp_edit_write(edit, &options, &sink, &info, NULL), ILP_OK);
    assert_true(info.symbols_updated);
    return taken(written.bytes);
}

/* Without an entry that leads to a file, no id has to be compared. */
static void test_opens(void **state)
{
    (void)state;
    for (unsigned named = 0; named < 2; named++) {
        struct ilp_bytes copy = exact(assembly_bytes.data, assembly_bytes.size);
        if (!named) {
            ilpi_store_u32(debug_entry(copy, ILPI_DEBUG_CODEVIEW) + ILPI_DEBUG_AT_TYPE, 0);
        }
        struct ilp_image *image = open_image(copy, ILP_LAYOUT_FILE);
        struct ilp_symbols_info info;
        struct ilp_symbols *symbols;
        ilp_image_symbols(image, &info);
        assert_int_equal(info.kind, ILP_SYMBOLS_EMBEDDED);
        assert_int_equal(ilp_symbols_open(&symbols, image, (struct ilp_bytes){NULL, 0}, NULL, NULL),
                         ILP_OK);
        same_bytes(ilpi_buf_bytes(&symbols->unpacked), pdb_bytes);
        ilp_symbols_close(symbols);
        ilp_image_close(image);
        drop(copy);
    }
}

/* The written assembly holds the PDB that was made, under the hash that it names. */
static void test_round_trip(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(assembly_bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = edit_all(image);
    struct ilp_symbols *symbols, *again;
    struct ilp_symbols_link link;
    struct ilp_bytes pdb, none = {NULL, 0};
    assert_int_equal(ilp_symbols_open(&symbols, image, none, NULL, NULL), ILP_OK);
    assert_int_equal(move(symbols, edit, 50, &pdb, &link), ILP_OK);
    assert_int_equal(ilp_symbols_write(symbols, edit, &pdb, &link, NULL), ILP_E_MISUSE);
    struct ilp_bytes written = write_with(edit, &link);
    struct ilp_image *changed = open_image(written, ILP_LAYOUT_FILE);
    assert_int_equal(ilp_symbols_open(&again, changed, none, NULL, NULL), ILP_OK);
    same_bytes(ilpi_buf_bytes(&again->unpacked), pdb);
    struct ilpi_debug_entry checksum;
    uint8_t digest[ILPI_DIGEST_MAX];
    size_t size;
    assert_true(ilpi_debug_find(&changed->pe, ILPI_DEBUG_PDB_CHECKSUM, false, &checksum));
    same_bytes(checksum.data, link.checksum);
    assert_memory_equal(checksum.data.data, "SHA256", 7);
    struct ilp_bytes without_id = exact(pdb.data, pdb.size); /* that is what the hash is of */
    memset((uint8_t *)(uintptr_t)without_id.data +
               (again->pdb->pdb_stream->bytes.data - again->unpacked.data),
           0, 20);
    assert_int_equal(ilpi_digest(ilpi_hash_by_name("SHA256"), without_id, digest, &size), ILP_OK);
    assert_int_equal(checksum.data.size, 7 + size);
    assert_memory_equal(checksum.data.data + 7, digest, size);
    drop(without_id);
    ilp_symbols_close(again);
    ilp_image_close(changed);
    drop(written);
    ilp_symbols_close(symbols);
    ilp_edit_close(edit);
    ilp_image_close(image);
}

/* Where an async method waits and goes on: of its record, all offsets but those of a catch handler
 * that there is none of. */
static void read_steps(struct ilp_bytes pdb, uint32_t *offsets, size_t room, size_t *count)
{
    static const uint8_t kind[] = {0xC5, 0x2A, 0xFD, 0x54, 0x25, 0xE9, 0x1A, 0x40,
                                   0x9C, 0x2A, 0xF9, 0x4F, 0x17, 0x10, 0x72, 0xF8};
    struct ilp_image *image = open_image(pdb, ILP_LAYOUT_METADATA);
    *count = 0;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_CustomDebugInformation); rid++) {
        struct ilp_bytes guid = ilp_guid(image, ilp_cell(image, ILP_CustomDebugInformation, rid,
                                                         ILP_CustomDebugInformation_Kind));
        struct ilp_bytes blob = ilp_blob(image, ilp_cell(image, ILP_CustomDebugInformation, rid,
                                                         ILP_CustomDebugInformation_Value));
        if (guid.size == 16 && memcmp(guid.data, kind, 16) == 0) {
            for (size_t at = 4; at + 8 < blob.size; at += 9) { /* a method's row in one byte */
                assert_true(*count + 2 <= room);
                offsets[(*count)++] = ilpi_load_u32(blob.data + at);
                offsets[(*count)++] = ilpi_load_u32(blob.data + at + 4);
            }
        }
    }
    ilp_image_close(image);
}

static void test_steps_move(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(assembly_bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = edit_all(image);
    struct ilp_symbols *symbols;
    struct ilp_symbols_link link;
    struct ilp_bytes pdb;
    uint32_t before[8], after[8];
    size_t count, count_after;
    assert_int_equal(ilp_symbols_open(&symbols, image, pdb_bytes, NULL, NULL), ILP_OK);
    assert_int_equal(move(symbols, edit, 300, &pdb, &link), ILP_OK);
    assert_int_equal(link.embedded.size, 0); /* a file beside the assembly stays one */
    read_steps(pdb_bytes, before, COUNT(before), &count);
    read_steps(pdb, after, COUNT(after), &count_after);
    assert_true(count != 0);
    assert_int_equal(count, count_after);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(after[i], before[i] + 300);
    }
    ilp_symbols_close(symbols);
    ilp_edit_close(edit);
    ilp_image_close(image);
}

/* A method that is new has a row as well, or none of the PDB's methods would have its own. */
static void test_new_methods(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(assembly_bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_symbols *symbols;
    struct ilp_symbols_link link;
    struct ilp_bytes pdb;
    ilp_rid rid;
    uint32_t methods = ilp_row_count(image, ILP_MethodDef);
    uint32_t signature = ilp_cell(image, ILP_MethodDef, 1, ILP_MethodDef_Signature);
    const uint32_t cells[] = {0, 0, 0x16, 1, signature, 1};
    assert_int_equal(ilp_edit_add_row(edit, ILP_MethodDef, cells, &rid, NULL), ILP_OK);
    assert_int_equal(ilp_symbols_open(&symbols, image, pdb_bytes, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_symbols_write(symbols, edit, &pdb, &link, NULL), ILP_OK);
    struct ilp_image *written = open_image(pdb, ILP_LAYOUT_METADATA);
    assert_int_equal(ilp_row_count(written, ILP_MethodDebugInformation), methods + 1);
    ilp_image_close(written);
    ilp_symbols_close(symbols);
    ilp_edit_close(edit);
    ilp_image_close(image);
}

static ilp_status open_entry(struct ilp_bytes data, struct ilp_error *error)
{
    struct ilp_bytes file = with_entry(load("good-csharp.dll"), DEBUG_REPRODUCIBLE,
                                       ILPI_DEBUG_EMBEDDED_PDB, data);
    struct ilp_image *image = open_image(file, ILP_LAYOUT_FILE);
    struct ilp_symbols *symbols;
    ilp_status status = ilp_symbols_open(&symbols, image, (struct ilp_bytes){NULL, 0}, NULL, error);
    ilp_symbols_close(symbols);
    ilp_image_close(image);
    drop(file);
    return status;
}

static void test_bad_entries(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } entries[] = {{"MPDB\1\0\0", 7},                 /* ends within its head */
                   {"MPDC\1\0\0\0\3\0", 10},          /* another mark */
                   {"MPDB\xFF\xFF\xFF\xFF\3\0", 10},  /* more than two gigabytes */
                   {"MPDB\0\0\1\0\3\0", 10},          /* more than so few bytes can hold */
                   {"MPDB\1\0\0\0\3\0", 10},          /* nothing, where a byte is said to be */
                   {"MPDB\1\0\0\0\xFF\xFF\xFF", 11}}; /* not compressed data */
    (void)state;
    for (size_t i = 0; i < COUNT(entries); i++) {
        struct ilp_error error = {.status = ILP_OK};
        struct ilp_bytes data = {(const uint8_t *)entries[i].bytes, entries[i].size};
        assert_int_equal(open_entry(data, &error), ILP_E_BAD_SYMBOLS);
        assert_int_equal(error.status, ILP_E_BAD_SYMBOLS);
        assert_true(error.message[0] != '\0');
    }
}

/* Fails at every allocation in turn. */
static void test_memory(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(assembly_bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = edit_all(image);
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory failing = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&failing);
        struct ilp_symbols *symbols;
        struct ilp_symbols_link link;
        struct ilp_bytes pdb;
        status = ilp_symbols_open(&symbols, image, (struct ilp_bytes){NULL, 0}, &allocator, NULL);
        if (status == ILP_OK) {
            status = move(symbols, edit, 9, &pdb, &link);
            ilp_symbols_close(symbols);
        }
        assert_true(status == ILP_E_NO_MEMORY || (status == ILP_OK && failing.calls < n));
        memory_is_empty(&failing);
    }
    ilp_edit_close(edit);
    ilp_image_close(image);
}

/* ---- libcrypto without memory ---- */

static bool hash_fails;

static void *crypto_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return hash_fails ? NULL : malloc(size);
}

static void *crypto_realloc(void *old, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return hash_fails ? NULL : realloc(old, size);
}

static void crypto_free(void *old, const char *file, int line)
{
    (void)file;
    (void)line;
    free(old);
}

/* Before libcrypto's first allocation. False: there is none, or it is linked. */
static bool take_its_memory(void)
{
    struct ilpi_library_error error;
    void *library = ilpi_library_open("libcrypto.so.3", &error);
    void *found = library ? ilpi_library_find(library, "CRYPTO_set_mem_functions") : NULL;
    int (*set)(void *(*)(size_t, const char *, int), void *(*)(void *, size_t, const char *, int),
               void (*)(void *, const char *, int));
    memcpy(&set, &found, sizeof set);
    return set && set(crypto_malloc, crypto_realloc, crypto_free) == 1;
}

static bool takes_memory;

/* A checksum is left out without a library for it, but not because the memory for it ran out. */
static void test_no_memory_for_the_hash(void **state)
{
    (void)state;
    if (!takes_memory) {
        skip();
    }
    struct ilp_image *image = open_image(assembly_bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = edit_all(image);
    struct ilp_bytes none = {NULL, 0}, pdb;
    for (unsigned fails = 0; fails < 2; fails++) {
        struct ilp_symbols *symbols;
        struct ilp_symbols_link link;
        assert_int_equal(ilp_symbols_open(&symbols, image, none, NULL, NULL), ILP_OK);
        hash_fails = fails != 0;
        ilp_status status = move(symbols, edit, 9, &pdb, &link);
        hash_fails = false;
        assert_int_equal(status, fails ? ILP_E_NO_MEMORY : ILP_OK);
        ilp_symbols_close(symbols);
    }
    ilp_edit_close(edit);
    ilp_image_close(image);
}

int main(void)
{
    takes_memory = take_its_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opens),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_steps_move),
        cmocka_unit_test(test_new_methods),
        cmocka_unit_test(test_bad_entries),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_memory_for_the_hash),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
