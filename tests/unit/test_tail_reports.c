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
    struct tail_told told = {.lines = NULL};
    (void)state;
    assert_true(tail_told_take(&told, "tail-call", call));
    assert_true(tail_told_take(&told, "tail-native", "06000003\t/a.dll"));
    assert_true(tail_told_take(&told, "tail-method", "06000001\t/b.dll"));
    assert_true(
        tail_told_take(&told, "tail-call", "00000000\t\tfast\t\tN.C\tM\tN.D\tCallee\tint32  ()"));
    tail_told_sort(&told);
    assert_int_equal(told.count, 4);
    assert_int_equal(told.lines[0].method, 0);
    assert_int_equal(told.lines[0].outcome, TAIL_FAST);
    assert_string_equal(told.lines[1].path, "/a.dll");
    assert_int_equal(told.lines[1].kind, TAIL_TOLD_NATIVE);
    assert_int_equal(told.lines[2].method, 0x06000001);
    assert_int_equal(told.lines[2].kind, TAIL_TOLD_METHOD);
    assert_int_equal(told.lines[3].kind, TAIL_TOLD_CALL);
    assert_int_equal(told.lines[3].outcome, TAIL_REFUSED);
    assert_string_equal(told.lines[3].reason, "because");
    assert_string_equal(told.lines[3].caller_name, "M");
    assert_string_equal(told.lines[3].callee_type, "N.D");
    assert_string_equal(told.lines[3].callee_signature, "int32  ()");
    tail_told_free(&told);
}

static void counts_add_up(void **state)
{
    struct tail_told told = {.lines = NULL};
    (void)state;
    assert_false(told.ended);
    assert_true(tail_told_take(&told, "tail-implicit", "fast\t3"));
    assert_true(tail_told_take(&told, "tail-implicit", "fast\t4")); /* another process */
    assert_true(tail_told_take(&told, "tail-implicit", "slow\t4"));
    assert_true(tail_told_take(&told, "tail-failed", "no"));
    assert_true(tail_told_take(&told, "tail-failed", "no, really"));
    assert_int_equal(told.implicit[TAIL_FAST], 7);
    assert_true(told.ended);
    assert_string_equal(told.failed, "no, really");
    tail_told_free(&told);
}

static void other_words_are_left(void **state)
{
    struct tail_told told = {.lines = NULL};
    (void)state;
    assert_false(tail_told_take(&told, "count", "inspected 3"));
    assert_false(tail_told_take(&told, "tail", call));
    assert_int_equal(told.count, 0);
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
    struct tail_told told = {.lines = NULL};
    char cut[sizeof call];
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_true(tail_told_take(&told, "tail-method", lines[i]));
    }
    assert_true(tail_told_take(&told, "tail-call",
                               "06000002\t/b.dll\tgone\t\tN.C\tM\tN.D\tCallee\tint32  ()"));
    for (size_t size = 0; size < sizeof call - sizeof "int32  ()"; size++) {
        memcpy(cut, call, size);
        cut[size] = '\0';
        assert_true(tail_told_take(&told, "tail-call", cut));
    }
    assert_int_equal(told.count, 0);
    tail_told_free(&told);
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
