/* host/deps_json.c and json_edit.c: the entry of an inspector in .deps.json files, added and taken
 * out again, byte for byte. What the command does with them is in tests/command. */
#include "tests/unit/folder_tree.h"

#include "host/deps_json.h"
#include "host/resolve/json_file.h"

static struct tree tree;

static int begin(void **state)
{
    (void)state;
    tree_begin(&tree);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tree_end(&tree);
    return 0;
}

#define PATH "App.deps.json"

static const struct ilp_assembly_name inspector = {
    .name = "My", .culture = "", .version = {1, 2, 3, 4}};
static const struct ilp_assembly_name other = {
    .name = "Other", .culture = "", .version = {5, 0, 0, 0}};

/* Of a file; "" where there is none. Valid until the next call. */
static const char *text_of(const char *path)
{
    static char text[4096];
    FILE *file = fopen(tree_path(&tree, path), "rbe");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file) {
        fclose(file);
    }
    return text;
}

static bool is_there(const char *path)
{
    return access(tree_path(&tree, path), F_OK) == 0;
}

typedef enum exit_code change_fn(struct transaction *changes,
                                 const struct ilp_assembly_name *assembly);

static bool replaced;

static enum exit_code add(struct transaction *changes, const struct ilp_assembly_name *assembly)
{
    return deps_add(changes, tree.folder, assembly, &replaced);
}

static enum exit_code take_out(struct transaction *changes,
                               const struct ilp_assembly_name *assembly)
{
    return deps_remove(changes, tree.folder, assembly);
}

static enum exit_code change(change_fn *work, const struct ilp_assembly_name *assembly)
{
    struct transaction changes = {.folder = NULL};
    replaced = false;
    assert_true(transaction_begin(&changes, tree.folder, true));
    enum exit_code code = work(&changes, assembly);
    if (code == EXIT_DONE) {
        assert_true(transaction_commit(&changes));
    }
    transaction_end(&changes);
    return code;
}

/* ---- files, and what becomes of them ---- */

#define TARGET "\"runtimeTarget\": { \"name\": \"net10\" }"
#define IN_TARGET                                                                     \
    "\"My/1.2.3\": { \"runtime\": { \"My.dll\": { \"assemblyVersion\": \"1.2.3.4\", " \
    "\"fileVersion\": \"1.2.3.4\" } } }"
#define IN_LIBRARIES \
    "\"My/1.2.3\": { \"type\": \"reference\", \"serviceable\": false, \"sha512\": \"\" }"

static const struct {
    const char *before, *after; /* NULL: it stays as it is */
} files[] = {
    {"{ " TARGET ", \"targets\": { \"net10\": { \"a\": {} } }, \"libraries\": { \"a\": 1 } }",
     "{ " TARGET ", \"targets\": { \"net10\": { " IN_TARGET
     ", \"a\": {} } }, \"libraries\": { " IN_LIBRARIES ", \"a\": 1 } }"},
    /* lines, and no libraries at all */
    {"{\n  " TARGET ",\n  \"targets\": {\n    \"net10\": {}\n  }\n}\n",
     "{\n  \"libraries\": { " IN_LIBRARIES " },\n  " TARGET
     ",\n  \"targets\": {\n    \"net10\": {" IN_TARGET "}\n  }\n}\n"},
    /* what a parser would lose: comments, a mark, escapes, bytes after the end */
    {"\xEF\xBB\xBF{ /* {,\" */ \"runtimeTarget\": \"n\\u0065t10\", \"targets\": { \"other\": 1.50,"
     " \"net10\"\t: { // one\n \"a\": [ \"}\", { } ] } }, \"libraries\": { } } the end",
     "\xEF\xBB\xBF{ /* {,\" */ \"runtimeTarget\": \"n\\u0065t10\", \"targets\": { \"other\": 1.50,"
     " \"net10\"\t: { " IN_TARGET
     ", // one\n \"a\": [ \"}\", { } ] } }, \"libraries\": {" IN_LIBRARIES " } } the end"},
    /* not a manifest of the host, or one that lists the assembly itself */
    {"{}", NULL},
    {"[]", NULL},
    {"{ " TARGET ", \"targets\": { \"net8\": { } } }", NULL},
    {"{ " TARGET ", \"targets\": { \"net10\": 1 } }", NULL},
    {"{ " TARGET ", \"targets\": { \"net10\": { } }, \"libraries\": 1 }", NULL},
    {"{ " TARGET ", \"targets\": { \"net10\": { \"My/1.2.3\": { } } } }", NULL},
};

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        const char *after = files[i].after ? files[i].after : files[i].before;
        tree_file(&tree, PATH, files[i].before);
        assert_int_equal(change(add, &inspector), EXIT_DONE);
        assert_string_equal(text_of(PATH), after);
        assert_int_equal(is_there(PATH ".orig"), files[i].after != NULL);
        assert_int_equal(change(add, &inspector), EXIT_DONE); /* it is there */
        assert_string_equal(text_of(PATH), after);
        assert_int_equal(change(take_out, &inspector), EXIT_DONE);
        assert_string_equal(text_of(PATH), files[i].before);
        assert_false(is_there(PATH ".orig"));
        assert_int_equal(change(take_out, &inspector), EXIT_DONE); /* it is not */
        assert_string_equal(text_of(PATH), files[i].before);
    }
}

/* Inspectors come and go in any order; the original is back with the last. */
static void test_two_inspectors(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        tree_file(&tree, PATH, files[0].before);
        assert_int_equal(change(add, &inspector), EXIT_DONE);
        assert_int_equal(change(add, &other), EXIT_DONE);
        assert_non_null(strstr(text_of(PATH), "\"Other/5.0.0\""));
        assert_int_equal(change(take_out, first ? &inspector : &other), EXIT_DONE);
        assert_int_equal(strstr(text_of(PATH), "\"Other/5.0.0\"") != NULL, first);
        assert_int_equal(strstr(text_of(PATH), "\"My/1.2.3\"") != NULL, !first);
        assert_true(is_there(PATH ".orig"));
        assert_int_equal(change(take_out, first ? &other : &inspector), EXIT_DONE);
        assert_string_equal(text_of(PATH), files[0].before);
        assert_false(is_there(PATH ".orig"));
    }
}

static void append(const char *path, const char *text)
{
    FILE *file = fopen(tree_path(&tree, path), "abe");
    assert_true(file && fputs(text, file) >= 0);
    fclose(file);
}

/* What was changed since stays; only the entry goes. */
static void test_changed_since(void **state)
{
    char expected[512];
    (void)state;
    tree_file(&tree, PATH, files[0].before);
    assert_int_equal(change(add, &inspector), EXIT_DONE);
    append(PATH, "\n\n");
    assert_int_equal(change(take_out, &inspector), EXIT_DONE);
    snprintf(expected, sizeof expected, "%s\n\n", files[0].before);
    assert_string_equal(text_of(PATH), expected);
}

/* A build has written the file again: what was kept is of the one before. */
static void test_built_again(void **state)
{
    char rebuilt[512];
    (void)state;
    snprintf(rebuilt, sizeof rebuilt, "%s\n", files[0].before);
    tree_file(&tree, PATH, files[0].before);
    assert_int_equal(change(add, &inspector), EXIT_DONE);
    assert_false(replaced);
    tree_file(&tree, PATH, rebuilt);
    assert_int_equal(change(add, &inspector), EXIT_DONE);
    assert_true(replaced);
    assert_string_equal(text_of(PATH ".orig"), rebuilt);
    assert_int_equal(change(take_out, &inspector), EXIT_DONE);
    assert_string_equal(text_of(PATH), rebuilt);
    assert_false(is_there(PATH ".orig"));
}

/* A file of that name that is none of ours stays, and is not what the manifest becomes again. */
static void test_foreign_original(void **state)
{
    (void)state;
    tree_file(&tree, PATH, files[0].before);
    tree_file(&tree, PATH ".orig", "a letter");
    assert_int_equal(change(add, &inspector), EXIT_DONE);
    assert_false(replaced);
    assert_string_equal(text_of(PATH), files[0].after);
    assert_int_equal(change(take_out, &inspector), EXIT_DONE);
    assert_string_equal(text_of(PATH), files[0].before);
    assert_string_equal(text_of(PATH ".orig"), "a letter");
}

/* What the host cannot read is refused, and all other files stay as they are, too. */
static void test_unreadable(void **state)
{
    (void)state;
    assert_int_equal(deps_check(tree.folder), EXIT_DONE);
    tree_file(&tree, PATH, files[0].before);
    assert_int_equal(deps_check(tree.folder), EXIT_DONE);
    tree_file(&tree, "Bad.deps.json", "{ \"a\": 1, \"a\": 2 }");
    assert_int_equal(deps_check(tree.folder), EXIT_BAD_INPUT);
    assert_int_equal(change(add, &inspector), EXIT_BAD_INPUT);
    assert_string_equal(text_of(PATH), files[0].before);
    assert_string_equal(text_of("Bad.deps.json"), "{ \"a\": 1, \"a\": 2 }");
    assert_false(is_there(PATH ".orig"));
    assert_int_equal(deps_check(tree_path(&tree, "missing")), EXIT_BAD_INPUT);
}

/* An object with so many elements of a list, and so many blanks. */
static bool is_accepted(size_t elements, size_t blanks)
{
    struct ib_bytes text = {0};
    struct json_document document;
    ib_put(&text, "{\"a\":[", 6);
    for (size_t i = 0; i < elements; i++) {
        ib_put(&text, i != 0 ? ",1" : "1", i != 0 ? 2 : 1);
    }
    memset(ib_more(&text, blanks), ' ', blanks);
    ib_put(&text, "]} // ,,,,,", 11); /* of comments nothing counts, nor of texts */
    bool accepted = json_document_open(&document, (struct ilp_bytes){text.data, text.size});
    assert_true(accepted || strstr(document.error, "it is larger than 4 MB") ||
                strstr(document.error, "it has more than 50000 commas, colons and opening "
                                       "brackets"));
    json_document_close(&document);
    ib_free(&text);
    return accepted;
}

static void test_limits(void **state)
{
    (void)state;
    assert_true(is_accepted(50000 - 2, 0)); /* {, :, [ and a comma less than elements */
    assert_false(is_accepted(50000 - 1, 0));
    assert_true(is_accepted(1, (4 << 20) - 18));
    assert_false(is_accepted(1, (4 << 20) - 17));
}

/* Links to nowhere and folders are passed over, as the host does. */
static void test_no_files(void **state)
{
    (void)state;
    assert_int_equal(symlink("nowhere", tree_path(&tree, "Link.deps.json")), 0);
    assert_int_equal(mkdir(tree_path(&tree, "Folder.deps.json"), 0700), 0);
    assert_int_equal(deps_check(tree.folder), EXIT_DONE);
    assert_int_equal(change(add, &inspector), EXIT_DONE);
    assert_int_equal(change(take_out, &inspector), EXIT_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_files, begin, end),
        cmocka_unit_test_setup_teardown(test_two_inspectors, begin, end),
        cmocka_unit_test_setup_teardown(test_changed_since, begin, end),
        cmocka_unit_test_setup_teardown(test_built_again, begin, end),
        cmocka_unit_test_setup_teardown(test_foreign_original, begin, end),
        cmocka_unit_test_setup_teardown(test_unreadable, begin, end),
        cmocka_unit_test_setup_teardown(test_no_files, begin, end),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
