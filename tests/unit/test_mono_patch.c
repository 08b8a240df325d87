/* An assembly and its symbols, patched in memory, by options that can and cannot be used. */
#include "tests/unit/embedded_pdb.h"
#include "tests/unit/mono_process.h"

/* ---- options ---- */

/* The process says it, and is left alone. */
static void is_refused(const char *options, const char *text)
{
    tree_begin(&tree);
    begin_environment(options);
    if (open_process()) {
        fail_msg("%s can be used", options);
    }
    assert_false(atomic_load(&process.works));
    end_process();
    says(text);
    says("failed\t");
}

static void test_options(void **state)
{
    (void)state;
    is_refused("--no-such", "the options in ILPATCH_OPTIONS cannot be used\n");
    is_refused("--json", "--json needs CoreCLR");
    is_refused("--trace /tmp/spool", "--trace needs CoreCLR");
    is_refused("--inspector /nowhere/Own.dll", "/nowhere/Own.dll");
    is_refused("--id-map / --inspect-returns", "the file of ids cannot be used\n");
}

static void test_no_options(void **state)
{
    (void)state;
    tree_begin(&tree);
    begin_environment("");
    unsetenv(ENV_OPTIONS);
    assert_true(open_process());
    assert_null(process.patching.report);
    assert_null(process.patching.ids);
    end_process();
    assert_string_equal(status_text, "");
}

/* ---- ids ---- */

/* In the tree, as an option of a command line. */
static const char *ids_options(const char *ids)
{
    static char options[640];
    tree_file(&tree, "rules.xml", "<rules><include pass='id'><type like='N.*'/></include></rules>");
    snprintf(options, sizeof options, "--rules %s --id-map %s", tree_path(&tree, "rules.xml"), ids);
    return options;
}

static void test_ids(void **state)
{
    char ids[512], name[64];
    (void)state;
    tree_begin(&tree);
    snprintf(name, sizeof name, "ids.%ld", (long)getpid());
    begin_in_tree(ids_options(tree_path(&tree, "ids.%p")));
    assert_true(patches("/app/App.exe", app));
    read_text(tree_path(&tree, name), ids, sizeof ids);
    assert_non_null(strstr(ids, "\"token\": \"0x06000001\", \"name\": \"N.C::Int\""));
    end_process();
    does_not_say("unwritten\t");
}

static void test_ids_are_not_written(void **state)
{
    (void)state;
    tree_begin(&tree);
    tree_file(&tree, "ids/other", "");
    begin_in_tree(ids_options(tree_path(&tree, "ids/file")));
    unlink(tree_path(&tree, "ids/other"));
    rmdir(tree_path(&tree, "ids"));
    assert_true(patches("/app/App.exe", app));
    end_process();
    says("unwritten\tthe file of ids ");
    says("/ids/file\n");
}

/* ---- symbols ---- */

/* Of good-csharp.dll as App.dll in the tree. The name in its link is good-csharp.pdb. */
static mono_image *patch_csharp(struct ilp_bytes assembly)
{
    mono_image *image = played_open(tree_path(&tree, "App.dll"), assembly);
    assert_true(is_patched(image));
    return image;
}

/* They are those of the patched assembly. */
static void are_symbols_of(const mono_image *image)
{
    struct ilp_image *patched = open_image(played_bytes(image), ILP_LAYOUT_FILE);
    struct ilp_symbols *symbols;
    assert_int_equal(ilp_symbols_open(&symbols, patched, image->symbols, NULL, NULL), ILP_OK);
    ilp_symbols_close(symbols);
    ilp_image_close(patched);
}

static void test_pdb(void **state)
{
    struct ilp_bytes assembly = load("good-csharp.dll"), pdb = load("good-portable.pdb");
    (void)state;
    begin_process("--inspect-returns");
    tree_bytes(&tree, "App.pdb", pdb.data, pdb.size);
    mono_image *image = patch_csharp(assembly);
    assert_non_null(image->symbols.data);
    are_symbols_of(image);
    played_close(image);
    end_process();
    does_not_say("message\t");
    drop(assembly);
    drop(pdb);
}

static void test_embedded_pdb(void **state)
{
    struct ilp_bytes pdb = load("good-portable.pdb");
    struct ilp_bytes assembly = with_embedded(load("good-csharp.dll"), pdb);
    (void)state;
    begin_process("--inspect-returns");
    mono_image *image = patch_csharp(assembly);
    assert_null(image->symbols.data);
    are_symbols_of(image);
    played_close(image);
    end_process();
    drop(assembly);
    drop(pdb);
}

/* Those of a build that was patched before stay beside it; nothing is put in their place. */
static void test_pdb_of_other_build(void **state)
{
    struct ilp_bytes assembly = load("good-csharp.dll"), pdb = load("good-portable.pdb");
    (void)state;
    begin_process("--inspect-returns");
    tree_bytes(&tree, "App.pdb", pdb.data, pdb.size);
    tree_file(&tree, "App.pdb.orig", "of another build");
    mono_image *image = patch_csharp(assembly);
    assert_non_null(image->symbols.data);
    are_symbols_of(image);
    played_close(image);
    end_process();
    drop(assembly);
    drop(pdb);
}

/* mono/metadata/mono-debug.h: magic, versions, MVID, and twenty numbers, the file's size first. */
static void test_no_lines(void **state)
{
    static const uint8_t head[] = {0x14, 0xA6, 0x7F, 0xFD, 0x23, 0x26, 0xE8, 0x45,
                                   50,   0,    0,    0,    0,    0,    0,    0};
    static const uint8_t zeros[19 * 4];
    uint8_t mvid[16];
    (void)state;
    for (uint8_t i = 0; i < 16; i++) {
        mvid[i] = (uint8_t)(0x90 + i);
    }
    struct ilp_bytes written = make_mdb(mvid);
    assert_int_equal(written.size, 112);
    assert_memory_equal(written.data, head, sizeof head);
    assert_memory_equal(written.data + 16, mvid, sizeof mvid);
    assert_int_equal(ilpi_load_u32(written.data + 32), 112);
    assert_memory_equal(written.data + 36, zeros, sizeof zeros);
    drop(written);
}

/* Mono gets others in the place of those in its own format, of the patched assembly's MVID. */
static void test_mdb(void **state)
{
    uint8_t before[16], after[16];
    (void)state;
    mvid_of(app, before);
    struct ilp_bytes mdb = make_mdb(before);
    begin_process("--inspect-returns");
    tree_bytes(&tree, "App.exe.mdb", mdb.data, mdb.size);
    mono_image *image = played_open(tree_path(&tree, "App.exe"), app);
    assert_true(is_patched(image));
    mvid_of(played_bytes(image), after);
    assert_memory_not_equal(before, after, 16);
    struct ilp_bytes expected = make_mdb(after);
    same_bytes(image->symbols, expected);
    played_close(image);
    /* which it does not find by another name */
    rename(tree_path(&tree, "App.exe.mdb"), tree_path(&tree, "App.exe.mdb.orig"));
    image = played_open(tree_path(&tree, "App.exe"), app);
    assert_true(is_patched(image));
    assert_null(image->symbols.data);
    played_close(image);
    end_process();
    does_not_say("message\t");
    drop(expected);
    drop(mdb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_no_options),
                                       cmocka_unit_test(test_ids),
                                       cmocka_unit_test(test_ids_are_not_written),
                                       cmocka_unit_test(test_pdb),
                                       cmocka_unit_test(test_embedded_pdb),
                                       cmocka_unit_test(test_pdb_of_other_build),
                                       cmocka_unit_test(test_no_lines),
                                       cmocka_unit_test(test_mdb)};
    return cmocka_run_group_tests(tests, make_app, drop_app);
}
