/* profiler/unmanaged.c, in a played runtime: calls with their arguments, their values and the
 * exceptions that leave them; as lines, as JSON, in a spool, and counted. */
#include "tests/unit/played_calls.h"

static void pass(const int32_t *number, const int32_t *local, int64_t id)
{
    played.enter(local, 0, id);
    played.reference(number, sizeof *number, id);
    if (id == played.add) {
        played.object(NULL, sizeof(void *), id);
    }
}

/* In a thread, whose end is seen, too: calls that return and one that throws. */
static void *play(void *unused)
{
    const int32_t first = 3, second = -1;
    int32_t local = 42;
    (void)unused;
    pass(&first, &local, played.add);
    played.show(&local, sizeof local, played.add);
    write_line();
    local = 43;
    played.show(&local, sizeof local, played.add); /* its entry was not seen */
    write_line();
    pass(&second, &local, played.add);
    played.exception(NULL, &local, played.add);
    write_line();
    pass(&first, &local, played.note);
    played.leave(&local, 0, played.note);
    write_line();
    return NULL;
}

static void run(struct session *session, bool writes)
{
    start(session, writes);
    in_thread(play);
    session_end(session);
}

#define ALL "--inspector unmanaged --inspect-returns --args --exceptions"

static void test_lines(void **state)
{
    struct session session;
    (void)state;
    begin(&session, ALL);
    run(&session, true);
    assert_string_equal(session.output, "N.C::Add(#1: 3, #2: null) -> 42 (System.Int32)\n"
                                        "N.C::Add -> 43 (System.Int32)\n"
                                        "N.C::Add(#1: -1, #2: null) threw null\n"
                                        "N.C::Note(#1: 3) -> void\n");
}

/* Of those that meet a condition. */
static void test_conditions(void **state)
{
    static const struct {
        const char *when, *lines;
    } rounds[] = {
        {"args.0==3", "N.C::Add(#1: 3, #2: null) -> 42 (System.Int32)\n"
                      "N.C::Note(#1: 3) -> void\n"},
        {"args.0<0", "N.C::Add(#1: -1, #2: null) threw null\n"},
        {"value==43", "N.C::Add -> 43 (System.Int32)\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct session session;
        char options[256];
        snprintf(options, sizeof options, ALL " --when %s", rounds[i].when);
        begin(&session, options);
        run(&session, true);
        assert_string_equal(session.output, rounds[i].lines);
    }
}

static void test_json(void **state)
{
    static const char *const parts[] = {"\"args\":{\"#1\":3,\"#2\":null}", "\"value\":\"42\"",
                                        "\"exception\":{", "\"System.Void\""};
    struct session session;
    (void)state;
    begin(&session, ALL " --json");
    run(&session, true);
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!strstr(session.output, parts[i])) {
            fail_msg("no %s: %s", parts[i], session.output);
        }
    }
}

/* ---- the thread ---- */

/* An exception leaves get_CurrentThread(), and its method: the thread is never passed. */
static __attribute__((noinline)) void abandon(void)
{
    int32_t local = 1;
    played.show(&local, sizeof local, played.add);
    assert_int_equal(played.wants(), 1);
}

/* What get_CurrentThread() calls is not shown. */
static __attribute__((noinline)) void call_within(void)
{
    const int32_t first = 3;
    int32_t nested = 43;
    pass(&first, &nested, played.note);
    played.leave(&nested, 0, played.note);
    assert_int_equal(played.wants(), 0);
    played.show(&nested, sizeof nested, played.add);
    assert_int_equal(played.wants(), 0);
    played.write_out(); /* get_CurrentThread() itself */
}

static void *play_threads(void *unused)
{
    int32_t local = 42;
    (void)unused;
    assert_int_equal(played.wants(), 0); /* there is no line */
    played.show(&local, sizeof local, played.add);
    assert_int_equal(played.wants(), 1);
    call_within();
    played.thread(NULL);
    played.write_out();
    assert_int_equal(played.wants(), 0);
    played.thread(NULL); /* as no caller does */
    local = 44;
    played.show(&local, sizeof local, played.add);
    write_line();
    abandon();
    local = 45;
    played.show(&local, sizeof local, played.add);
    write_line();
    return NULL;
}

static void test_threads(void **state)
{
    struct session session;
    (void)state;
    begin(&session, ALL " --json");
    start(&session, true);
    assert_non_null(played.wants);
    in_thread(play_threads);
    session_end(&session);
    const char *at = session.output;
    for (unsigned value = 42; value <= 45; value++) {
        char expected[32];
        snprintf(expected, sizeof expected, "\"value\":\"%u\"", value);
        if (value == 43) {
            assert_null(strstr(session.output, expected));
            continue;
        }
        at = strstr(at, expected);
        assert_non_null(at);
    }
    assert_null(strstr(session.output, "trace"));
}

static void test_spool(void **state)
{
    struct session session;
    char options[512];
    (void)state;
    begin(&session, "");
    snprintf(options, sizeof options, ALL " --spool %s", session.spool_path);
    setenv("ILPATCH_OPTIONS", options, 1);
    run(&session, false);
    assert_string_equal(session.output, "");
    session_says(&session, "recorded\t");
}

static void test_counts(void **state)
{
    struct session session;
    (void)state;
    begin(&session, ALL " --count");
    run(&session, false);
    assert_string_equal(session.output, "           2  N.C::Add\n");
    begin(&session, ALL " --count --when value>42");
    run(&session, false);
    assert_string_equal(session.output, "           1  N.C::Add\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_json),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_spool), cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
