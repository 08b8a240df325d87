/* src/inspect/tail/legal.c: which calls may be tail calls. The methods of tests/files/tail/legal.il
 * are named for the obstacle of their call before ret: "OBSTACLE: what". A name without a colon
 * means none. */
#include "metadata_test.h"

static struct ilp_image *nothing_else(void *user, const struct ilp_assembly_name *name)
{
    (void)user, (void)name;
    return NULL;
}

static void test_calls_have_the_obstacle_they_are_named_for(void **state)
{
    (void)state;
    struct ilp_image *image = open_image(load("tail/legal.dll"), ILP_LAYOUT_FILE);
    const struct ilp_resolver resolver = {.open = nothing_else};
    struct ilp_tail_editor *editor;
    unsigned wrong = 0, obstacles = 0, plain = 0;
    assert_int_equal(ilp_tail_editor_open(&editor, image, &resolver, NULL, NULL), ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        const struct ilp_tail_call *calls;
        size_t count;
        const char *name = name_at(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
        const char *colon = strchr(name, ':');
        struct ilp_error error = {0};
        if (ilp_tail_calls(editor, rid, &calls, &count, &error) != ILP_OK) {
            fail_msg("%s: %s", name, error.message);
        }
        if (!strchr(name, ' ')) {
            assert_int_equal(count, 0); /* what is called */
            continue;
        }
        assert_int_equal(count, 1);
        assert_int_equal(calls[0].kind, ILP_TAIL_PLAIN);
        const char *found = calls[0].obstacle ? calls[0].obstacle : "";
        size_t length = colon ? (size_t)(colon - name) : 0;
        if (strlen(found) != length || memcmp(found, name, length) != 0) {
            print_error("%s: found: %s\n", name, found);
            wrong++;
        }
        *(colon ? &obstacles : &plain) += 1;
    }
    assert_int_equal(wrong, 0);
    assert_in_range(obstacles, 20, 100);
    assert_in_range(plain, 10, 100);
    ilp_tail_editor_close(editor);
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_have_the_obstacle_they_are_named_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
