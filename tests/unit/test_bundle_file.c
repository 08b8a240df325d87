/* host/bundle_file.c, file_view.c and native_address.c: single-file programs as folders, what a
 * program starts, and native functions by their names; in a temporary folder. */
#include "tests/unit/folder_tree.h"

#include "bundle_builder.h"
#include "host/bundle_file.h"
#include "host/message.h"
#include "host/native_address.h"
#include "host/resolve/path_list.h"

static struct tree tree;
static char reported[1024];

static void take_message(void *user, const char *text)
{
    (void)user;
    snprintf(reported, sizeof reported, "%s", text);
}

static const struct reporter reporter = {NULL, take_message, NULL};

static int begin(void **state)
{
    (void)state;
    tree_begin(&tree);
    reported[0] = '\0';
    reporter_set(&reporter);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tree_end(&tree);
    return 0;
}

#define BYTES(text)                               \
    {                                             \
        (const uint8_t *)(text), sizeof(text) - 1 \
    }

static const struct bb_file files[] = {
    {"App.dll", ILP_BUNDLE_ASSEMBLY, BYTES("the application"), 0},
    {"de/App.resources.dll", ILP_BUNDLE_ASSEMBLY, BYTES("der Text"), 0},
    {"Main.runtimeconfig.json", ILP_BUNDLE_RUNTIME_CONFIG_JSON, BYTES("{}"), 0},
    {"Main.dll", ILP_BUNDLE_ASSEMBLY, BYTES("what is started"), 0},
};

static void put_bundle(const char *path, size_t count)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf buf = {.alloc = &alloc};
    bb_build(&buf,
             "\x7F"
             "ELF",
             6, files, count);
    tree_bytes(&tree, path, buf.data, buf.size);
    ilpi_buf_free(&buf);
}

static void check_file(const char *path, struct ilp_bytes expected)
{
    struct file_view view;
    assert_true(file_view_open(&view, tree_path(&tree, path)));
    same_bytes(view.bytes, expected);
    file_view_close(&view);
}

/* What is inside has a path, as if the bundle were a folder. */
static void test_views(void **state)
{
    struct file_view view;
    struct path_list list = {NULL, 0};
    (void)state;
    put_bundle("App", 4);
    check_file("App/App.dll", files[0].bytes);
    check_file("App/de/App.resources.dll", files[1].bytes);
    assert_false(file_view_open(&view, tree_path(&tree, "App/None.dll")));
    assert_false(file_view_open(&view, tree_path(&tree, "App/App.dll/None.dll")));
    assert_false(file_view_open(&view, tree_path(&tree, "None/App.dll")));
    assert_true(path_is_there(tree_path(&tree, "App/Main.dll")));
    assert_false(path_is_there(tree_path(&tree, "App/None.dll")));
    path_list_entries(&list, tree_path(&tree, "App"), ".dll");
    assert_true(list.count >= 2);
    assert_string_equal(list.items[0], tree_path(&tree, "App/App.dll"));
    path_list_free(&list);
}

static void test_extracted(void **state)
{
    struct bundle_file file;
    struct ilp_error error;
    size_t count;
    (void)state;
    put_bundle("App", 4);
    assert_true(bundle_file_open(&file, tree_path(&tree, "App"), &error));
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(file.bundle, &count);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bundle_extract(&file, &entries[i], tree_path(&tree, "out/of/it")),
                         EXIT_DONE);
    }
    check_file("out/of/it/App.dll", files[0].bytes);
    check_file("out/of/it/de/App.resources.dll", files[1].bytes);
    assert_string_equal(reported, "");
    /* a file in the way */
    assert_int_equal(bundle_extract(&file, &entries[0], tree_path(&tree, "App")),
                     EXIT_CANNOT_WRITE);
    assert_non_null(strstr(reported, "App/App.dll: cannot write: "));
    bundle_file_close(&file);
}

static void test_no_bundles(void **state)
{
    struct bundle_file file;
    struct ilp_error error;
    (void)state;
    assert_false(bundle_file_open(&file, tree_path(&tree, "None"), &error));
    assert_string_equal(error.message, "cannot read: No such file or directory");
    tree_file(&tree, "App",
              "\x7F"
              "ELF, and nothing after it");
    assert_false(bundle_file_open(&file, tree_path(&tree, "App"), &error));
    assert_true(error.message[0] != '\0');
}

/* ---- what is started ---- */

static void check_started(char *found, const char *expected)
{
    if (!found || !expected || strcmp(found, expected) != 0) {
        assert_true(!found && !expected);
    }
    free(found);
}

/* The configuration's name says which one it is; else the bundle's own. */
static void test_started(void **state)
{
    enum ilp_file_kind kind;
    (void)state;
    put_bundle("App", 4);
    check_started(started_assembly(tree_path(&tree, "App"), &kind),
                  tree_path(&tree, "App/Main.dll"));
    assert_int_equal(kind, ILP_FILE_BUNDLE);
    put_bundle("App.exe", 2);
    check_started(started_assembly(tree_path(&tree, "App.exe"), &kind),
                  tree_path(&tree, "App.exe/App.dll"));
    put_bundle("Other", 2);
    check_started(started_assembly(tree_path(&tree, "Other"), &kind), NULL);
    check_started(started_assembly(tree_path(&tree, "None"), &kind), NULL);
    assert_int_equal(kind, ILP_FILE_UNKNOWN);
    check_started(started_assembly("-", &kind), NULL);
    check_started(program_assembly(tree_path(&tree, "App")), tree_path(&tree, "App/Main.dll"));
    assert_non_null(strstr(reported, "App/Main.dll is taken"));
    reported[0] = '\0';
    check_started(host_assembly(tree_path(&tree, "App")), tree_path(&tree, "App"));
    check_started(program_assembly(tree_path(&tree, "None")), tree_path(&tree, "None"));
    assert_string_equal(reported, "");
}

/* ---- native functions ---- */

static void test_native_functions(void **state)
{
    static const struct {
        const char *library, *symbol;
        const char *reported; /* NULL: it is found */
    } cases[] = {
        {"libc.so.6", "puts", NULL},
        {"m.so.6", "cos", NULL}, /* libm.so.6 */
        {"libc.so.6", "no_such_function", "libc.so.6 has no function no_such_function"},
        {"no-such-library", "f", "no-such-library: cannot load it, so f cannot be called: "},
        {"/no/such/library.so", "f", "/no/such/library.so: cannot load it, so f cannot be called"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_native native = {.call = i % 2 == 0 ? ILP_NATIVE_PINVOKE
                                                       : ILP_NATIVE_PINVOKE_NO_TRANSITION,
                                    .library = cases[i].library,
                                    .symbol = cases[i].symbol};
        reported[0] = '\0';
        assert_int_equal(native_address_find(&native),
                         cases[i].reported ? EXIT_BAD_INPUT : EXIT_DONE);
        assert_int_equal(native.address != 0, cases[i].reported == NULL);
        assert_int_equal(native.call,
                         i % 2 == 0 ? ILP_NATIVE_CALLI : ILP_NATIVE_CALLI_NO_TRANSITION);
        if (!strstr(reported, cases[i].reported ? cases[i].reported : "")) {
            fail_msg("%s!%s: %s", cases[i].library, cases[i].symbol, reported);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_views, begin, end),
        cmocka_unit_test_setup_teardown(test_extracted, begin, end),
        cmocka_unit_test_setup_teardown(test_no_bundles, begin, end),
        cmocka_unit_test_setup_teardown(test_started, begin, end),
        cmocka_unit_test_setup_teardown(test_native_functions, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
