/* profiler/calls.c: which call a line belongs to. */
#include "metadata_test.h"

#include "profiler/calls.h"

enum { ROOM = 64 };

static struct call *begin(struct calls *calls, uintptr_t local, int64_t id, uintptr_t stack,
                          const char *text)
{
    struct call *call = calls_begin(calls, local, id, stack, ROOM);
    assert_non_null(call);
    struct line *line = calls_line(calls, call);
    line_part(line, ROOM);
    line_put(line, text);
    calls_end_text(calls, call);
    return call;
}

static void is_text(struct calls *calls, uintptr_t local, int64_t id, const char *text)
{
    struct call *call = calls_find(calls, local, id);
    if (!text) {
        assert_null(call);
        return;
    }
    assert_non_null(call);
    const struct line *line = calls_line(calls, call);
    assert_int_equal(line->size, strlen(text));
    assert_memory_equal(line->to, text, line->size);
}

static void test_nested(void **state)
{
    (void)state;
    struct calls calls = {.count = 0};
    begin(&calls, 0x1000, 1, 0xF00, "outer");
    begin(&calls, 0xE00, 1, 0xD00, "recursion");
    begin(&calls, 0xC00, 2, 0xB00, "inner");
    is_text(&calls, 0xC00, 1, NULL);
    is_text(&calls, 0xC00, 2, "inner");
    is_text(&calls, 0xE00, 1, "recursion");
    is_text(&calls, 0, 1, "recursion");
    calls_leave(&calls, calls_find(&calls, 0xE00, 1)); /* and with it what an exception left */
    is_text(&calls, 0xC00, 2, NULL);
    is_text(&calls, 0x1000, 1, "outer");
    calls_leave(&calls, calls_find(&calls, 0x1000, 1));
    assert_int_equal(calls.count, 0);
    assert_int_equal(calls.text_size, 0);
    calls_close(&calls);
}

/* What an exception left goes by itself. */
static void test_left(void **state)
{
    (void)state;
    struct calls calls = {.count = 0};
    begin(&calls, 0x1000, 1, 0xF00, "outer");
    for (unsigned i = 0; i < 1000; i++) {
        begin(&calls, 0xE00, 2, 0xD00, "same place");
    }
    assert_int_equal(calls.count, 2);
    begin(&calls, 0xC00, 3, 0xB00, "below");
    assert_non_null(calls_begin(&calls, 0xE80, 4, 0xE10, ROOM));
    assert_int_equal(calls.count, 2);
    is_text(&calls, 0x1000, 1, "outer");
    calls_close(&calls);
}

/* A method that was inlined has its local above or below that of the method around it. */
static void test_inlined(void **state)
{
    (void)state;
    struct calls calls = {.count = 0};
    begin(&calls, 0x1000, 1, 0xF00, "around");
    begin(&calls, 0x1010, 2, 0xF00, "above");
    is_text(&calls, 0x1010, 2, "above");
    is_text(&calls, 0x1000, 1, "around");
    calls_leave(&calls, calls_find(&calls, 0x1010, 2));
    is_text(&calls, 0x1000, 1, "around");
    calls_close(&calls);
}

/* Only a call whose text has no end yet gets arguments. */
static void test_last(void **state)
{
    (void)state;
    struct calls calls = {.count = 0};
    assert_null(calls_last(&calls, 1, 0xF00));
    struct call *call = calls_begin(&calls, 0x1000, 1, 0xF00, ROOM);
    assert_ptr_equal(calls_last(&calls, 1, 0xF00), call);
    assert_null(calls_last(&calls, 2, 0xF00));
    begin(&calls, 0xE00, 2, 0xD00, "below");
    assert_null(calls_last(&calls, 1, 0xD00));
    assert_non_null(calls_last(&calls, 1, 0xF00));
    calls_end_text(&calls, calls_last(&calls, 1, 0xF00));
    assert_null(calls_last(&calls, 1, 0xF00));
    calls_close(&calls);
}

/* The memory grows, and texts stay what they are. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEPTH = 5000 };
    struct calls calls = {.count = 0};
    char text[ROOM];
    for (uintptr_t i = 0; i < DEPTH; i++) {
        snprintf(text, sizeof text, "call %u", (unsigned)i);
        begin(&calls, 0x100000 - 16 * i, 7, 0x100000 - 16 * i - 8, text);
    }
    for (uintptr_t i = DEPTH; i-- > 0;) {
        snprintf(text, sizeof text, "call %u", (unsigned)i);
        is_text(&calls, 0x100000 - 16 * i, 7, text);
        calls_leave(&calls, calls_find(&calls, 0x100000 - 16 * i, 7));
    }
    assert_int_equal(calls.count, 0);
    calls_close(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested), cmocka_unit_test(test_left), cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_last),   cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
