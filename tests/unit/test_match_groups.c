/* src/rules/match.c: how all, any and not sum up what is true, false and not known. */
#include "tests/unit/rules_test.h"
#include "tests/unit/test_inputs.h"

#define YES     ILP_YES
#define NO      ILP_NO
#define UNKNOWN ILP_UNKNOWN

/* ---- tables ---- */

static const char *const atoms[] = {
    [ILP_NO] = "<method name='none'/>",
    [ILP_YES] = "<method name='Gone'/>",
    [ILP_UNKNOWN] = "<return kind='enum'/>",
};

static enum ilp_tristate and_of(enum ilp_tristate a, enum ilp_tristate b)
{
    if (a == NO || b == NO) {
        return NO;
    }
    return a == YES && b == YES ? YES : UNKNOWN;
}

static enum ilp_tristate not_of(enum ilp_tristate a)
{
    if (a == UNKNOWN) {
        return UNKNOWN;
    }
    return a == YES ? NO : YES;
}

static enum ilp_tristate or_of(enum ilp_tristate a, enum ilp_tristate b)
{
    return not_of(and_of(not_of(a), not_of(b)));
}

/* All tables of three conditions in each group, and in no group. */
static void test_groups(void **state)
{
    for (unsigned i = 0; i < 27; i++) {
        const enum ilp_tristate a = (enum ilp_tristate)(i % 3);
        const enum ilp_tristate b = (enum ilp_tristate)(i / 3 % 3);
        const enum ilp_tristate c = (enum ilp_tristate)(i / 9);
        const enum ilp_tristate every = and_of(a, and_of(b, c));
        const struct {
            const char *before;
            const char *after;
            enum ilp_tristate outcome;
        } groups[] = {
            {"", "", every},
            {"<all>", "</all>", every},
            {"<any>", "</any>", or_of(a, or_of(b, c))},
            {"<not>", "</not>", not_of(every)},
            {"<not><any>", "</any></not>", and_of(not_of(a), and_of(not_of(b), not_of(c)))},
            {"<not><not><all>", "</all></not></not>", every},
        };
        for (size_t j = 0; j < COUNT(groups); j++) {
            char text[400];
            struct ilp_selection selection;
            snprintf(text, sizeof text, "%s%s%s%s%s", groups[j].before, atoms[a], atoms[b],
                     atoms[c], groups[j].after);
            rt_select(*state, "Gone", text, ILP_TARGET_AUTO, &selection);
            if (selection.included != groups[j].outcome) {
                fail_msg("%s: %d", text, selection.included);
            }
        }
    }
}

/* ---- random trees ---- */

static uint32_t random_below(uint32_t limit)
{
    static uint32_t state = 0x9E3779B9;
    return xorshift_below(&state, limit);
}

static void put(struct ib_bytes *text, const char *more)
{
    ib_put(text, more, strlen(more));
}

/* Writes a condition, and says what it is. */
static enum ilp_tristate put_tree(struct ib_bytes *text, unsigned depth)
{
    static const char *const names[] = {"all", "any", "not"};
    uint32_t kind = random_below(depth < 4 ? 6 : 3);
    if (kind < 3) {
        put(text, atoms[kind]);
        return (enum ilp_tristate)kind;
    }
    kind -= 3;
    enum ilp_tristate sum = kind == 1 ? NO : YES;
    put(text, "<");
    put(text, names[kind]);
    put(text, ">");
    for (uint32_t n = 1 + random_below(3); n != 0; n--) {
        enum ilp_tristate next = put_tree(text, depth + 1);
        sum = kind == 1 ? or_of(sum, next) : and_of(sum, next);
    }
    put(text, "</");
    put(text, names[kind]);
    put(text, ">");
    return kind == 2 ? not_of(sum) : sum;
}

static void test_random_groups(void **state)
{
    unsigned found[3] = {0};
    for (unsigned i = 0; i < 3000; i++) {
        struct ib_bytes text = {0};
        struct ilp_selection selection;
        enum ilp_tristate expected = put_tree(&text, 0);
        ib_number(&text, 0, 1);
        rt_select(*state, "Gone", (const char *)text.data, ILP_TARGET_AUTO, &selection);
        if (selection.included != expected) {
            fail_msg("%s: %d, expected %d", (const char *)text.data, selection.included, expected);
        }
        found[expected]++;
        ib_free(&text);
    }
    assert_true(found[NO] > 500 && found[YES] > 500 && found[UNKNOWN] > 500);
}

/* ---- several conditions ---- */

static void test_combined(void **state)
{
    static const struct rt_case cases[] = {
        {"get_P",
         "<namespace like='M.*'/><method role='accessor' static='no'/><return kind='primitive'/>",
         YES},
        {"get_P",
         "<namespace like='M.*'/><method role='accessor' static='yes'/><return kind='primitive'/>",
         NO},
        {"get_P", "<namespace like='X.*'/><return kind='primitive'/>", NO},
        {"Three",
         "<any><return type='S.Three'/><return type='S.Mixed'/></any><not><method "
         "like='get_*'/></not>",
         YES},
        {"Three", "<not><any><return type='S.Three'/><return type='S.Mixed'/></any></not>", NO},
        {"Gone", "<return kind='struct'/><method name='Int'/>", NO},
        {"Gone", "<method name='Int'/><return kind='struct'/>", NO},
        {"Gone", "<method name='Gone'/><return kind='struct'/>", UNKNOWN},
        {"Gone", "<not><return kind='struct'/></not>", UNKNOWN},
        /* each by itself */
        {"Gone", "<any><return kind='struct'/><return kind='enum'/></any>", UNKNOWN},
    };
    RT_CHECK(*state, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_random_groups),
        cmocka_unit_test(test_combined),
    };
    return cmocka_run_group_tests(tests, rt_setup, rt_teardown);
}
