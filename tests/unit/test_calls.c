/* Calls that nest, from records that may not: ends without a beginning and beginnings without an
 * end, gaps, depth, and the clock that hooks are taken out of. */
#include "spool_builder.h"

#include "trace/calls.h"

/* What a visitor was called with, as text: "(N" at a call, ")how" at its end, with times if
 * requested. */
struct visits {
    char text[512];
    size_t size;
    bool times;
};

static void append(struct visits *visits, const char *lead, uint64_t number)
{
    visits->size += (size_t)snprintf(visits->text + visits->size,
                                     sizeof visits->text - visits->size, "%s%llu", lead,
                                     (unsigned long long)number);
}

static ilp_status enter(void *user, struct ilpi_call *calls, size_t depth, struct ilp_error *error)
{
    struct visits *visits = user;
    (void)error;
    append(visits, "(", calls[depth - 1].method + 1);
    if (visits->times) {
        append(visits, "@", calls[depth - 1].start);
    }
    calls[depth - 1].note = (uint32_t)depth;
    if (calls[depth - 1].arguments.data) {
        visits->size += (size_t)snprintf(
            visits->text + visits->size, sizeof visits->text - visits->size, "[%.*s]",
            (int)calls[depth - 1].arguments.size, (const char *)calls[depth - 1].arguments.data);
    }
    return ILP_OK;
}

static ilp_status leave(void *user, const struct ilpi_call *calls, size_t depth,
                        const struct ilpi_call_ending *ending, struct ilp_error *error)
{
    static const char *const ends[] = {")", ")t", ")u", ")?", ")..."};
    struct visits *visits = user;
    (void)error;
    assert_int_equal(calls[depth - 1].note, depth);
    assert_true(ending->time >= calls[depth - 1].start);
    visits->size += (size_t)snprintf(visits->text + visits->size,
                                     sizeof visits->text - visits->size, "%s", ends[ending->how]);
    if (ending->value.data) {
        visits->size += (size_t)snprintf(visits->text + visits->size,
                                         sizeof visits->text - visits->size, "=%.*s",
                                         (int)ending->value.size, (const char *)ending->value.data);
    }
    if (visits->times) {
        append(visits, "@", ending->time);
    }
    return ILP_OK;
}

static struct ilpi_thread_story visited(struct ilp_bytes bytes, struct visits *visits,
                                        bool subtract)
{
    struct ilpi_spool_file file;
    struct ilpi_thread_story story;
    struct ilp_error error;
    const struct ilpi_call_visitor visitor = {visits, enter, leave, NULL};
    assert_int_equal(ilpi_spool_open(&file, bytes, NULL, &error), ILP_OK);
    assert_int_equal(ilpi_visit_calls(&file, &file.processes.items[0],
                                      &file.processes.items[0].threads.items[0], subtract, &visitor,
                                      &story, &error),
                     ILP_OK);
    ilpi_spool_close(&file);
    drop(bytes);
    return story;
}

static struct ilpi_thread_story nests(const char *events, const char *expected)
{
    struct visits visits = {.size = 0};
    struct ilpi_thread_story story = visited(built_from(events), &visits, false);
    assert_string_equal(visits.text, expected);
    return story;
}

static void calls_nest(void **state)
{
    (void)state;
    struct ilpi_thread_story story = nests("1 2 -2 2 =2:42 -1", "(1(2)(2)=42)");
    assert_int_equal(story.calls, 3);
    assert_int_equal(story.deepest, 2);
    assert_int_equal(story.system_id, 70);
    assert_true(story.ended);
    nests("1 1 1 -1 -1 -1", "(1(1(1)))");
}

static void tail_calls_and_exceptions_end_calls(void **state)
{
    (void)state;
    nests("1 2 t2 3 t3 4 -4 -1", "(1(2)t(3)t(4))");
    nests("1 2 3 u3 u2 4 -4 -1", "(1(2(3)u)u(4))");
}

/* The time of their ends is all that is known. */
static void values_alone_are_calls(void **state)
{
    (void)state;
    struct visits visits = {.times = true};
    struct ilpi_thread_story story = nests("v2:42 w3:43 1 v2:44 -1", "(2)=42(3[x=1])=43(1(2)=44)");
    assert_int_equal(story.calls, 4);
    assert_int_equal(story.unmatched, 0);
    nests("x2:bad y3:bad v2:42", "(2)u=bad(3[x=1])u=bad(2)=42");
    visited(built_from("v2:42"), &visits, false);
    char *begin = strchr(visits.text, '@'), *end = strrchr(visits.text, '@');
    assert_ptr_not_equal(begin, end);
    assert_int_equal(strtoull(begin + 1, NULL, 10), strtoull(end + 1, NULL, 10));
}

static void what_is_missing_is_reported(void **state)
{
    (void)state;
    struct ilpi_thread_story story = nests("-5 1 2 3 -1 -2 4", "(1(2(3)?)?)(4)...");
    assert_int_equal(story.unmatched, 2);
    assert_int_equal(story.unseen, 2);
    assert_int_equal(story.running, 1);
    story = nests("1 2 g 3 -3", "(1(2)?)?(3)");
    assert_int_equal(story.gaps, 1);
    nests("77 -77", "(10)"); /* not defined: the one after those that are */
}

static void calls_too_deep_are_counted(void **state)
{
    (void)state;
    struct built *built = built_begin();
    size_t depth = ILPI_MAX_CALL_DEPTH + 1000;
    for (size_t i = 0; i < depth; i++) {
        ilpi_spool_enter(&built->thread, built->now++, 1, text_bytes(NULL));
    }
    for (size_t i = 0; i < depth; i++) {
        ilpi_spool_leave(&built->thread, built->now++, 1, text_bytes(NULL));
    }
    struct ilpi_spool_file file;
    struct ilpi_thread_story story;
    struct ilp_error error;
    const struct ilpi_call_visitor visitor = {NULL, NULL, NULL, NULL};
    struct ilp_bytes bytes = built_end(built);
    assert_int_equal(ilpi_spool_open(&file, bytes, NULL, &error), ILP_OK);
    assert_int_equal(ilpi_visit_calls(&file, &file.processes.items[0],
                                      &file.processes.items[0].threads.items[0], false, &visitor,
                                      &story, &error),
                     ILP_OK);
    assert_int_equal(story.past_limit, 1000);
    assert_int_equal(story.deepest, ILPI_MAX_CALL_DEPTH);
    assert_int_equal(story.running + story.unseen + story.unmatched, 0);
    ilpi_spool_close(&file);
    drop(bytes);
}

static void timed(uint64_t pair, uint64_t inside, const char *events, const char *expected)
{
    struct built *built = built_begin();
    struct visits visits = {.times = true};
    ilpi_spool_cost(&built->spool, built->now, pair, inside);
    ilpi_spool_brief_cost(&built->spool, built->now, inside);
    built_events(built, events);
    visited(built_end(built), &visits, true);
    assert_string_equal(visits.text, expected);
}

static void hooks_are_taken_out_of_the_time(void **state)
{
    (void)state;
    timed(0, 0, "1 +100 2 +50 -2 -1", "(1@1010(2@1120)@1180)@1190");
    /* of the inner call's 60 ns 5 are its own hooks'; the outer one's 180 have 20 - 5 more in them,
     * and its own 5 */
    timed(20, 5, "1 +100 2 +50 -2 +50 -1", "(1@1010(2@1120)@1175)@1215");
    /* a hook that was faster than that: the clock stops, and goes on from there */
    timed(200, 5, "1 2 -2 2 -2 +500 -1", "(1@1010(2@1020)@1025(2@1025)@1030)@1340");
    /* a brief call lasts no time, and what it costs is before that */
    timed(20, 5, "1 +100 b2 +50 b2 -1", "(1@1010(2@1115)@1115(2@1170)@1170)@1175");
    timed(20, 15, "1 b2 b2 -1", "(1@1010(2@1010)@1010(2@1010)@1010)@1010");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct ilp_bytes bytes = built_from("1 2 3 -3 -2 -1");
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilpi_spool_file file;
        struct ilpi_thread_story story;
        struct ilp_error error;
        struct visits visits = {.size = 0};
        const struct ilpi_call_visitor visitor = {&visits, enter, leave, NULL};
        status = ilpi_spool_open(&file, bytes, &allocator, &error);
        if (status == ILP_OK) {
            status = ilpi_visit_calls(&file, &file.processes.items[0],
                                      &file.processes.items[0].threads.items[0], false, &visitor,
                                      &story, &error);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        ilpi_spool_close(&file);
        memory_is_empty(&memory);
        assert_true(n < 50);
    }
    drop(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_nest),
        cmocka_unit_test(values_alone_are_calls),
        cmocka_unit_test(tail_calls_and_exceptions_end_calls),
        cmocka_unit_test(what_is_missing_is_reported),
        cmocka_unit_test(calls_too_deep_are_counted),
        cmocka_unit_test(hooks_are_taken_out_of_the_time),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
