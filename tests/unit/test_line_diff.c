/* Pairs of lines, against a table of longest common subsequences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/diff/line_diff.c" /* the library has no tools in it */

#define MAX_LINES 64u

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

/* Exact copies, so that a read too far shows under ASan. The pairs are checked: equal keys,
 * rising. */
static uint32_t pairs_of(const uint32_t *old_keys, uint32_t old_count, const uint32_t *new_keys,
                         uint32_t new_count, uint32_t rounds)
{
    uint32_t *old_copy = malloc((old_count + 1) * sizeof *old_copy);
    uint32_t *new_copy = malloc((new_count + 1) * sizeof *new_copy);
    uint32_t *partner = malloc((old_count + 1) * sizeof *partner);
    uint32_t pairs = 0;
    uint32_t next = 0;
    assert_true(old_copy && new_copy && partner);
    memcpy(old_copy + 1, old_keys, old_count * sizeof *old_copy);
    memcpy(new_copy + 1, new_keys, new_count * sizeof *new_copy);
    struct line_keys old_text = {old_copy + 1, old_count};
    struct line_keys new_text = {new_copy + 1, new_count};
    assert_true(line_diff(old_text, new_text, rounds, partner + 1));
    for (uint32_t i = 0; i < old_count; i++) {
        uint32_t other = partner[i + 1];
        if (other != LINE_DIFF_NONE) {
            assert_true(other >= next && other < new_count);
            assert_int_equal(old_keys[i], new_keys[other]);
            next = other + 1;
            pairs++;
        }
    }
    free(old_copy);
    free(new_copy);
    free(partner);
    return pairs;
}

static uint32_t longest_common(const uint32_t *old_keys, uint32_t old_count,
                               const uint32_t *new_keys, uint32_t new_count)
{
    uint32_t longest[MAX_LINES + 1][MAX_LINES + 1] = {{0}};
    for (uint32_t i = 0; i < old_count; i++) {
        for (uint32_t j = 0; j < new_count; j++) {
            uint32_t up = longest[i][j + 1];
            uint32_t left = longest[i + 1][j];
            uint32_t without = up > left ? up : left;
            longest[i + 1][j + 1] = old_keys[i] == new_keys[j] ? longest[i][j] + 1 : without;
        }
    }
    return longest[old_count][new_count];
}

/* New lines made from old ones by leaving out, putting in and changing, or of their own. */
static uint32_t random_new(const uint32_t *old_keys, uint32_t old_count, uint32_t alphabet,
                           uint32_t *new_keys)
{
    uint32_t count = 0;
    uint32_t rate = 1 + random_below(8);
    for (uint32_t i = 0; i < old_count && count + 2 < MAX_LINES; i++) {
        switch (random_below(rate * 3)) {
        case 0: break;
        case 1:
            new_keys[count++] = random_below(alphabet);
            new_keys[count++] = old_keys[i];
            break;
        case 2: new_keys[count++] = random_below(alphabet); break;
        default: new_keys[count++] = old_keys[i]; break;
        }
    }
    return count;
}

static void fewest_differences(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t old_keys[MAX_LINES];
        uint32_t new_keys[MAX_LINES];
        uint32_t old_count = random_below(MAX_LINES);
        uint32_t alphabet = 1 + random_below(old_count + 1);
        for (uint32_t i = 0; i < old_count; i++) {
            old_keys[i] = random_below(alphabet);
        }
        uint32_t new_count = random_new(old_keys, old_count, alphabet, new_keys);
        if (n % 4 == 0 || new_count == 0) {
            new_count = random_below(MAX_LINES);
            for (uint32_t i = 0; i < new_count; i++) {
                new_keys[i] = random_below(old_count + new_count);
            }
        }
        uint32_t best = longest_common(old_keys, old_count, new_keys, new_count);
        assert_int_equal(pairs_of(old_keys, old_count, new_keys, new_count, LINE_DIFF_ROUNDS),
                         best);
        /* cut short, the pairs are still pairs, and the search ends */
        for (uint32_t rounds = 1; rounds < 8; rounds++) {
            assert_true(pairs_of(old_keys, old_count, new_keys, new_count, rounds) <= best);
        }
    }
}

static void one_side_empty(void **state)
{
    (void)state;
    const uint32_t keys[] = {0, 1, 0};
    assert_int_equal(pairs_of(keys, 0, keys, 0, LINE_DIFF_ROUNDS), 0);
    assert_int_equal(pairs_of(keys, 3, keys, 0, LINE_DIFF_ROUNDS), 0);
    assert_int_equal(pairs_of(keys, 0, keys, 3, LINE_DIFF_ROUNDS), 0);
    assert_int_equal(pairs_of(keys, 3, keys, 3, LINE_DIFF_ROUNDS), 3);
}

/* Equal lines that can be paired in several ways: those in front stay together. */
static void repeated_lines(void **state)
{
    (void)state;
    const uint32_t old_keys[] = {0, 1, 1};
    const uint32_t new_keys[] = {0, 1, 1, 1, 1};
    uint32_t partner[3];
    assert_true(line_diff((struct line_keys){old_keys, 3}, (struct line_keys){new_keys, 5},
                          LINE_DIFF_ROUNDS, partner));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(partner[i], i);
    }
}

/* What is all different costs a search that is cut short again and again, not the square. The new
 * side is the old one backward, and then noise of the same few keys. */
static void large_and_different(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    static uint32_t old_keys[COUNT];
    static uint32_t new_keys[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        old_keys[i] = i;
        new_keys[i] = COUNT - 1 - i;
    }
    assert_true(pairs_of(old_keys, COUNT, new_keys, COUNT, 256) >= 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        old_keys[i] = random_below(200);
        new_keys[i] = random_below(200);
    }
    assert_true(pairs_of(old_keys, COUNT, new_keys, COUNT, 256) > COUNT / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewest_differences),
        cmocka_unit_test(one_side_empty),
        cmocka_unit_test(repeated_lines),
        cmocka_unit_test(large_and_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
