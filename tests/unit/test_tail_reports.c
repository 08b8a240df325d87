/* tools/launch/tail_reports.c: status lines about tail calls, whole and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/launch/tail_reports.c" /* the library has no tools in it */

void *need(void *memory)
{
    assert_non_null(memory);
    return memory;
}

static const char call[] = "06000002\t/b.dll\trefused\tbecause\tN.C\tM\tN.D\tCallee\tint32  ()";

static void lines_are_taken_and_sorted(void **state)
{
    struct tail_reports reports = {.lines = NULL};
    (void)state;
    assert_true(tail_reports_take(&reports, "tail-call", call));
    assert_true(tail_reports_take(&reports, "tail-native", "06000003\t/a.dll"));
    assert_true(tail_reports_take(&reports, "tail-method", "06000001\t/b.dll"));
    assert_true(tail_reports_take(&reports, "tail-call",
                                  "00000000\t\tfast\t\tN.C\tM\tN.D\tCallee\tint32  ()"));
    tail_reports_sort(&reports);
    assert_int_equal(reports.count, 4);
    assert_int_equal(reports.lines[0].method, 0);
    assert_int_equal(reports.lines[0].outcome, TAIL_FAST);
    assert_string_equal(reports.lines[1].path, "/a.dll");
    assert_int_equal(reports.lines[1].kind, TAIL_REPORT_NATIVE);
    assert_int_equal(reports.lines[2].method, 0x06000001);
    assert_int_equal(reports.lines[2].kind, TAIL_REPORT_METHOD);
    assert_int_equal(reports.lines[3].kind, TAIL_REPORT_CALL);
    assert_int_equal(reports.lines[3].outcome, TAIL_REFUSED);
    assert_string_equal(reports.lines[3].reason, "because");
    assert_string_equal(reports.lines[3].caller_name, "M");
    assert_string_equal(reports.lines[3].callee_type, "N.D");
    assert_string_equal(reports.lines[3].callee_signature, "int32  ()");
    tail_reports_free(&reports);
}

static void counts_add_up(void **state)
{
    struct tail_reports reports = {.lines = NULL};
    (void)state;
    assert_false(reports.ended);
    assert_true(tail_reports_take(&reports, "tail-implicit", "fast\t3"));
    assert_true(tail_reports_take(&reports, "tail-implicit", "fast\t4")); /* another process */
    assert_true(tail_reports_take(&reports, "tail-implicit", "slow\t4"));
    assert_true(tail_reports_take(&reports, "tail-failed", "no"));
    assert_true(tail_reports_take(&reports, "tail-failed", "no, really"));
    assert_int_equal(reports.implicit[TAIL_FAST], 7);
    assert_true(reports.ended);
    assert_string_equal(reports.failed, "no, really");
    tail_reports_free(&reports);
}

static void other_words_are_left(void **state)
{
    struct tail_reports reports = {.lines = NULL};
    (void)state;
    assert_false(tail_reports_take(&reports, "count", "inspected 3"));
    assert_false(tail_reports_take(&reports, "tail", call));
    assert_int_equal(reports.count, 0);
}

static void broken_lines_are_left_out(void **state)
{
    static const char *const lines[] = {"",
                                        "\t",
                                        "06000002",
                                        "02000002\t/b.dll",
                                        "x\t/b.dll",
                                        "6000002\t/b.dll",
                                        "06000002\t/b.dll\tmore"};
    struct tail_reports reports = {.lines = NULL};
    char cut[sizeof call];
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_true(tail_reports_take(&reports, "tail-method", lines[i]));
    }
    assert_true(tail_reports_take(&reports, "tail-call",
                                  "06000002\t/b.dll\tgone\t\tN.C\tM\tN.D\tCallee\tint32  ()"));
    for (size_t size = 0; size < sizeof call - sizeof "int32  ()"; size++) {
        memcpy(cut, call, size);
        cut[size] = '\0';
        assert_true(tail_reports_take(&reports, "tail-call", cut));
    }
    assert_int_equal(reports.count, 0);
    tail_reports_free(&reports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_taken_and_sorted),
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(other_words_are_left),
        cmocka_unit_test(broken_lines_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
