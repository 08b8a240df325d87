/* A process in which the functions of Mono are not found, as in this one: it is left alone, and the
 * reason is reported. */
#include <dlfcn.h>

#include "profiler/mono/functions.h"
#include "tests/unit/folder_tree.h"

static void test_not_found(void **state)
{
    struct mono_functions functions;
    (void)state;
    assert_false(mono_functions_find(&functions));
}

static void test_reported(void **state)
{
    const char *build = getenv("BUILD");
    char path[256], status_text[256];
    struct tree tree;
    void (*begin)(const char *description);
    (void)state;
    tree_begin(&tree);
    setenv("ILPATCH_STATUS", tree_path(&tree, "status"), 1);
    snprintf(path, sizeof path, "%s/libmono-profiler-ilpatch.so", build ? build : "build");
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    assert_non_null(library);
    *(void **)&begin = dlsym(library, "mono_profiler_init_ilpatch");
    assert_non_null(begin);
    begin("ilpatch");
    struct ilp_bytes status = load_path(tree_path(&tree, "status"));
    snprintf(status_text, sizeof status_text, "%.*s", (int)status.size, (const char *)status.data);
    assert_string_equal(status_text,
                        "failed\tthis Mono has another profiling interface than 6.8\n");
    drop(status);
    tree_end(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_found),
                                       cmocka_unit_test(test_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
