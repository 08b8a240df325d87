/* Calls as bars: all of them where there is room, else the longest, and runs of the others that
 * have as many calls and as much time. */
#include "spool_builder.h"

#include "trace/call_bars.h"

struct drawn {
    struct ilp_bytes bytes;
    struct ilpi_spool_file file;
    struct ilpi_call_bars bars;
};

static void draw(struct drawn *drawn, struct ilp_bytes bytes, size_t limit)
{
    struct ilp_error error;
    drawn->bytes = bytes;
    assert_int_equal(ilpi_spool_open(&drawn->file, bytes, NULL, &error), ILP_OK);
    assert_int_equal(ilpi_call_bars_open(&drawn->bars, &drawn->file,
                                         &drawn->file.processes.items[0], false, limit, &error),
                     ILP_OK);
}

static void wiped(struct drawn *drawn)
{
    ilpi_call_bars_close(&drawn->bars);
    ilpi_spool_close(&drawn->file);
    drop(drawn->bytes);
}

static void every_call_has_a_bar(void **state)
{
    static const char *const ends[] = {"", " tail", " thrown", " unseen", " running"};
    struct drawn drawn;
    char text[512];
    size_t size = 0;
    (void)state;
    draw(&drawn, built_from("1 2 t2 2 3 -2 u1 v4:7 5 6 g 1 2"), 0);
    for (size_t i = 0; i < drawn.bars.bars.count; i++) {
        const struct ilpi_call_bar *bar = &drawn.bars.bars.items[i];
        size += (size_t)sprintf(text + size, "%u:M%u %llu+%llu of %llu%s\n", bar->depth,
                                bar->method + 1, (unsigned long long)bar->start,
                                (unsigned long long)bar->length, (unsigned long long)bar->calls,
                                ends[bar->how]);
    }
    assert_string_equal(text, "0:M1 1010+60 of 4 thrown\n"
                              "1:M2 1020+10 of 1 tail\n"
                              "1:M2 1040+20 of 2\n"
                              "2:M3 1050+10 of 1 unseen\n"
                              "0:M4 1080+0 of 1\n"
                              "0:M5 1090+20 of 2 unseen\n"
                              "1:M6 1100+10 of 1 unseen\n"
                              "0:M1 1120+10 of 2 running\n"
                              "1:M2 1130+0 of 1 running\n");
    assert_int_equal(drawn.bars.least + drawn.bars.in_runs + drawn.bars.deeper, 0);
    wiped(&drawn);
}

/* ---- too many ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

/* Two threads of calls within each other, at most `deepest`; each event takes up to `most`. */
static struct ilp_bytes many_calls(uint64_t seed, unsigned calls, unsigned deepest, uint32_t most)
{
    struct built *built = built_begin();
    random_state = seed;
    for (unsigned thread = 1; thread <= 2; thread++) {
        uint64_t open[300];
        unsigned depth = 0;
        for (unsigned i = 0; i < calls || depth != 0;) {
            built->now += most > 1 ? random_below(random_below(most) + 1) : most;
            if (i < calls && depth < deepest && random_below(20) < 11) {
                open[depth] = 1 + random_below(9);
                ilpi_spool_enter(&built->thread, built->now, open[depth++], text_bytes(NULL));
                i++;
            } else if (depth != 0) {
                ilpi_spool_leave(&built->thread, built->now, open[--depth], text_bytes(NULL));
            }
        }
        if (thread == 1) {
            ilpi_spool_thread_end(&built->thread, built->now);
            ilpi_spool_thread_begin(&built->thread, &built->spool, 2, built->now, 71);
        }
    }
    return built_end(built);
}

static bool is_same(const struct ilpi_call_bar *a, const struct ilpi_call_bar *b)
{
    return a->start == b->start && a->length == b->length && a->method == b->method &&
           a->thread == b->thread && a->depth == b->depth && a->calls == b->calls &&
           a->how == b->how;
}

/* A run is what follows in the full list until it has as many calls. */
static size_t check_run(const struct ilpi_call_bars *all, size_t at,
                        const struct ilpi_call_bar *run, uint64_t least)
{
    uint64_t busy = 0;
    uint64_t calls = 0;
    uint64_t end = 0;
    assert_int_equal(run->start, all->bars.items[at].start);
    while (calls < run->calls) {
        const struct ilpi_call_bar *call = &all->bars.items[at];
        assert_true(call->depth == run->depth && call->thread == run->thread);
        assert_true(call->length < least);
        busy += call->length;
        end = call->start + call->length;
        at += call->calls;
        calls += call->calls;
    }
    assert_int_equal(calls, run->calls);
    assert_int_equal(busy, run->busy);
    assert_int_equal(end, run->start + run->length);
    return at;
}

static void check_many(struct ilp_bytes bytes)
{
    struct drawn all, few;
    size_t size = bytes.size;
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, size);
    draw(&all, bytes, 1 << 20);
    draw(&few, (struct ilp_bytes){copy, size}, 0);
    assert_int_equal(all.bars.least + all.bars.in_runs + all.bars.left_out, 0);
    assert_true(few.bars.bars.count <= ILPI_LEAST_BARS);
    assert_int_equal(few.bars.left_out, 0);
    assert_int_equal(few.bars.deeper, all.bars.deeper);
    uint64_t in_runs = 0;
    size_t at = 0;
    for (size_t i = 0; i < few.bars.bars.count; i++) {
        const struct ilpi_call_bar *bar = &few.bars.bars.items[i];
        const struct ilpi_call_bar *before = i != 0 ? bar - 1 : NULL;
        if (bar->method != ILPI_RUN) {
            assert_true(is_same(bar, &all.bars.bars.items[at++]));
            assert_true(bar->length >= few.bars.least);
            continue;
        }
        assert_false(before && before->method == ILPI_RUN && before->depth == bar->depth &&
                     before->thread == bar->thread);
        at = check_run(&all.bars, at, bar, few.bars.least);
        in_runs += bar->calls;
    }
    assert_int_equal(at, all.bars.bars.count);
    assert_int_equal(in_runs, few.bars.in_runs);
    wiped(&all);
    wiped(&few);
}

static void the_longest_stay_and_others_are_in_runs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        check_many(many_calls(seed, 500u << seed % 6, 1 + (unsigned)seed * 5, 2000));
    }
    check_many(many_calls(1, 5000, 1, 100));
    check_many(many_calls(1, 5000, 3, 1)); /* many are as long as each other, */
    check_many(many_calls(1, 5000, 3, 0)); /* or take no time */
    check_many(many_calls(1, 5000, 255, 50));
}

static void too_deep_ones_are_counted(void **state)
{
    struct built *built = built_begin();
    struct drawn drawn;
    (void)state;
    for (unsigned i = 0; i < ILPI_MAX_BAR_DEPTH + 3; i++) {
        built_events(built, "1");
    }
    draw(&drawn, built_end(built), 0);
    assert_int_equal(drawn.bars.bars.count, ILPI_MAX_BAR_DEPTH);
    assert_int_equal(drawn.bars.deeper, 3);
    assert_int_equal(drawn.bars.bars.items[0].calls, ILPI_MAX_BAR_DEPTH + 3);
    wiped(&drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_has_a_bar),
        cmocka_unit_test(the_longest_stay_and_others_are_in_runs),
        cmocka_unit_test(too_deep_ones_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
