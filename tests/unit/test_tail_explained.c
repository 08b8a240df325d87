/* tools/launch/tail_explained.c: which call a verdict of the JIT's belongs to, by names that the
 * runtime writes in its own way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/launch/tail_explained.c" /* the library has no tools in it */
#include "tools/launch/tail_reports.c"
#include "host/file_view.h"

void *need(void *memory)
{
    assert_non_null(memory);
    return memory;
}

/* Without files: calls are found by the names that events have. */
bool file_view_open(struct file_view *view, const char *path)
{
    (void)view, (void)path;
    return false;
}

void file_view_close(struct file_view *view)
{
    (void)view;
}

void token_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token)
{
    (void)image, (void)buf, (void)token;
}

static void types_have_two_forms(void **state)
{
    (void)state;
    assert_true(types_are_equal("N.C", "N.C"));
    assert_true(types_are_equal("N.Outer+Inner", "N.Outer/Inner"));
    assert_true(types_are_equal("N.C`1[System.__Canon]", "class N.C`1<!0>"));
    assert_true(types_are_equal("N.S`1[System.Int32]", "valuetype N.S`1<int32>"));
    assert_true(types_are_equal("", ""));
    assert_false(types_are_equal("N.C", "N.D"));
    assert_false(types_are_equal("N.C", "N.C2"));
    assert_false(types_are_equal("N.C2", "N.C"));
    assert_false(types_are_equal("N.C`1[X]", "class N.C`2<!0,!1>"));
    assert_false(types_are_equal("N.Outer/Inner", "N.Outer+Inner"));
}

static void names_may_be_of_an_implementation(void **state)
{
    (void)state;
    assert_true(names_are_equal("M", "M"));
    assert_true(names_are_equal("N.I.M", "M"));
    assert_false(names_are_equal("xM", "M"));
    assert_false(names_are_equal("M", "N.I.M"));
    assert_true(names_are_equal("<null>", "<null>"));
}

static void parameters_are_counted(void **state)
{
    (void)state;
    assert_int_equal(parameter_count("void  ()"), 0);
    assert_int_equal(parameter_count("int32  (int32)"), 1);
    assert_int_equal(
        parameter_count("instance class A`2<int32,int32>  (class B`2<int32,!0>,int32)"), 2);
    assert_int_equal(parameter_count("int32  (int32[0...,0...],int64)"), 2);
    assert_int_equal(parameter_count("void  (method int32 *(int32,int32),int32)"), 2);
    assert_int_equal(parameter_count("void  (int32"), 1); /* cut off */
    assert_int_equal(parameter_count("no signature"), 0);
    assert_int_equal(parameter_count("x  ("), 1);
    assert_int_equal(parameter_count(""), 0);
}

static void a_verdict_finds_its_call(void **state)
{
    struct key keys[] = {{"M", (char *)"N.C", 1},
                         {"M", (char *)"N.D", 1},
                         {"M", (char *)"N.D", 2},
                         {"Other", (char *)"N.D", 2}};
    struct tail_report line = {
        .callee_type = "N.D", .callee_name = "M", .callee_signature = "void  (int32,int32)"};
    struct method_sites sites = {.count = 4, .keys = keys};
    bool marks[4];
    (void)state;
    assert_int_equal(mark(&sites, &line, marks), 1);
    assert_true(!marks[0] && !marks[1] && marks[2] && !marks[3]);
    line.callee_signature = "void  ()"; /* of none: then they are alike */
    assert_int_equal(mark(&sites, &line, marks), 2);
    assert_true(!marks[0] && marks[1] && marks[2] && !marks[3]);
    line.callee_type = "N.E";
    assert_int_equal(mark(&sites, &line, marks), 3);
    line.callee_name = "Nobody";
    assert_int_equal(mark(&sites, &line, marks), 0);
    sites.count = 1; /* then it is that */
    assert_int_equal(mark(&sites, &line, marks), 1);
    sites.count = 0;
    assert_int_equal(mark(&sites, &line, marks), 0);
}

static void without_a_file_names_are_the_runtimes(void **state)
{
    static const char *const calls[] = {
        "06000002\t/a.dll\tfast\t\tN.C\tM\tN.D\tX\tvoid  ()",
        "06000002\t/a.dll\trefused\tbecause\tN.C\tM\tN.D\tX\tvoid  ()",
        "06000002\t/a.dll\trefused\tbecause\tN.C\tM\tN.D\tX\tvoid  ()",
        "06000002\t/a.dll\thelper\t\tN.C\tM\tN.D\tY\tvoid  ()",
        "00000000\t\trefused\tno\tN.C\tM\tN.D\tX\tvoid  ()",
    };
    struct tail_reports reports = {.lines = NULL};
    (void)state;
    assert_true(tail_reports_take(&reports, "tail-method", "06000001\t/a.dll"));
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        assert_true(tail_reports_take(&reports, "tail-call", calls[i]));
    }
    struct tail_explained explained = tail_explain(&reports);
    assert_int_equal(explained.count, 3);
    assert_int_equal(tail_site_answer(&explained.sites[0]), TAIL_REFUSED);
    assert_string_equal(explained.sites[0].reasons, "no");
    assert_int_equal(tail_site_answer(&explained.sites[1]), TAIL_MIXED);
    assert_int_equal(explained.sites[1].times[TAIL_REFUSED], 2);
    assert_string_equal(explained.sites[1].reasons, "because");
    assert_string_equal(explained.sites[1].callee, "N.D::X void  ()");
    assert_false(explained.sites[1].known);
    assert_int_equal(tail_site_answer(&explained.sites[2]), TAIL_HELPER);
    assert_int_equal(explained.totals[TAIL_MIXED], 1);
    tail_explained_free(&explained);
    tail_reports_free(&reports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_two_forms),
        cmocka_unit_test(names_may_be_of_an_implementation),
        cmocka_unit_test(parameters_are_counted),
        cmocka_unit_test(a_verdict_finds_its_call),
        cmocka_unit_test(without_a_file_names_are_the_runtimes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
