/* profiler/calls.c: which call a line belongs to. */
#include "metadata_test.h"

#include "profiler/calls.h"

/* One test requests more memory than there is. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

enum { ROOM = 64 };
static const struct call_room room = {ROOM, 0};

/* Below all calls: none is over by itself. */
enum { STACK = 0x100 };

static struct call *begin(struct calls *calls, uintptr_t local, int64_t id, uintptr_t stack,
                          const char *text)
{
    struct call *call = calls_begin(calls, local, id, stack, room);
    assert_non_null(call);
    struct line *line = calls_line(calls, call);
    line_part(line, ROOM);
    line_put(line, text);
    calls_end_text(calls, call);
    return call;
}

static void is_text(struct calls *calls, uintptr_t local, int64_t id, const char *text)
{
    struct call *call = calls_find(calls, local, id, STACK);
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
    calls_leave(&calls,
                calls_find(&calls, 0xE00, 1, STACK)); /* and with it what an exception left */
    is_text(&calls, 0xC00, 2, NULL);
    is_text(&calls, 0x1000, 1, "outer");
    calls_leave(&calls, calls_find(&calls, 0x1000, 1, STACK));
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
    assert_non_null(calls_begin(&calls, 0xE80, 4, 0xE10, room));
    assert_int_equal(calls.count, 2);
    is_text(&calls, 0x1000, 1, "outer");
    calls_close(&calls);
}

/* Calls that exceptions left one after the other, from one caller; their frames and locals
 * differ. */
static void test_thrown(void **state)
{
    static const struct {
        uintptr_t local, frame;
    } throwers[] = {{0xE80, 0xE00}, {0xE40, 0xD00}, {0xEC0, 0xD80}};
    struct calls calls = {.count = 0};
    (void)state;
    begin(&calls, 0x1000, 1, 0xF00, "outer");
    for (unsigned i = 0; i < 1000; i++) {
        for (unsigned j = 0; j < COUNT(throwers); j++) {
            begin(&calls, throwers[j].local, 2 + j, throwers[j].frame, "thrower");
            is_text(&calls, throwers[j].local, 2 + j, "thrower"); /* it may still go on */
        }
        assert_true(calls.count <= 1 + COUNT(throwers));
    }
    is_text(&calls, 0x1000, 1, "outer");
    calls_close(&calls);
}

/* What its finally block calls is below its frame. */
static void test_goes_on(void **state)
{
    struct calls calls = {.count = 0};
    (void)state;
    begin(&calls, 0x1000, 1, 0xF00, "caught");
    begin(&calls, 0xEF8, 2, 0xE00, "of the finally block");
    is_text(&calls, 0x1000, 1, "caught");
    calls_close(&calls);
}

/* Methods that were inlined in one frame, which exceptions leave again and again. */
static void test_same_frame(void **state)
{
    static const uintptr_t locals[] = {0x1010, 0xFF0, 0x1020};
    struct calls calls = {.count = 0};
    (void)state;
    begin(&calls, 0x1000, 1, 0xF00, "around");
    for (unsigned i = 0; i < 1000; i++) {
        for (unsigned j = 0; j < COUNT(locals); j++) {
            begin(&calls, locals[j], 2 + j, 0xF00, "inlined");
            is_text(&calls, locals[j], 2 + j, "inlined");
        }
        assert_true(calls.count <= 1 + COUNT(locals));
    }
    is_text(&calls, 0x1000, 1, "around");
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
    calls_leave(&calls, calls_find(&calls, 0x1010, 2, STACK));
    is_text(&calls, 0x1000, 1, "around");
    calls_close(&calls);
}

/* Only a call whose text has no end yet gets arguments. */
static void test_last(void **state)
{
    (void)state;
    struct calls calls = {.count = 0};
    assert_null(calls_last(&calls, 1, 0xF00));
    struct call *call = calls_begin(&calls, 0x1000, 1, 0xF00, room);
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
        calls_leave(&calls, calls_find(&calls, 0x100000 - 16 * i, 7, STACK));
    }
    assert_int_equal(calls.count, 0);
    calls_close(&calls);
}

/* What an exception left, found by no address but by its method alone, is over as well. */
static void test_left_by_name(void **state)
{
    (void)state;
    struct calls calls = {.count = 0};
    begin(&calls, 0x1000, 1, 0xF00, "outer");
    begin(&calls, 0xE00, 1, 0xD00, "recursion");
    struct call *call = calls_find(&calls, 0, 1, 0xF00);
    assert_non_null(call);
    assert_int_equal(call->local, 0x1000);
    assert_int_equal(calls.count, 1);
    calls_close(&calls);
}

/* Each call has its own, whatever is in between. */
static void test_outcomes(void **state)
{
    enum { DEPTH = 500, EACH = 3 };
    struct calls calls = {.count = 0};
    (void)state;
    for (uint16_t i = 0; i < DEPTH; i++) {
        uintptr_t local = 0x100000 - 16 * (uintptr_t)i;
        struct call *call = calls_begin(&calls, local, 7, local - 8, (struct call_room){0, EACH});
        assert_non_null(call);
        struct ilpi_condition_result *outcomes = calls_outcomes(&calls, call);
        for (uint16_t j = 0; j < EACH; j++) {
            outcomes[j] = (struct ilpi_condition_result){j, i};
        }
        calls_end_text(&calls, call);
        struct call *other = calls_begin(&calls, local - 1, 8, local - 8, (struct call_room){9, 1});
        assert_non_null(other); /* an exception leaves it */
        calls_outcomes(&calls, other)[0] = (struct ilpi_condition_result){77, 77};
    }
    for (uint16_t i = DEPTH; i-- > 0;) {
        struct call *call = calls_find(&calls, 0x100000 - 16 * (uintptr_t)i, 7, STACK);
        assert_non_null(call);
        const struct ilpi_condition_result *outcomes = calls_outcomes(&calls, call);
        calls_leave(&calls, call);
        for (uint16_t j = 0; j < EACH; j++) {
            assert_int_equal(outcomes[j].outcome, j);
            assert_int_equal(outcomes[j].column, i);
        }
    }
    assert_int_equal(calls.outcome_count, 0);
    calls_close(&calls);
}

/* Then none is taken for another one's. */
static void test_no_memory(void **state)
{
    (void)state;
    struct calls calls = {.count = 0};
    begin(&calls, 0x1000, 1, 0xF00, "outer");
    assert_false(calls.lost);
    assert_null(calls_begin(&calls, 0xE00, 1, 0xD00, (struct call_room){SIZE_MAX / 16, 0}));
    assert_true(calls.lost);
    is_text(&calls, 0x1000, 1, NULL);
    is_text(&calls, 0, 1, NULL);
    begin(&calls, 0xE00, 1, 0xD00, "again");
    is_text(&calls, 0xE00, 1, "again");
    calls_close(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),       cmocka_unit_test(test_left),
        cmocka_unit_test(test_thrown),       cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_same_frame),   cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_last),         cmocka_unit_test(test_deep),
        cmocka_unit_test(test_left_by_name), cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
