/* src/rules/hint.c: which type a rule means by a name that is not quite its own. */
#include "rules/hint.h"
#include "rules_test.h"

static void test_hints(void **state)
{
    static const struct {
        const char *conditions;
        enum ilpi_hint hint;
        const char *name;
    } cases[] = {
        {"<type name='T.One.Outer.Inner'/>", ILPI_HINT_TYPE, "T.One.Outer`1/Inner`2"},
        {"<type name='T.One.Outer`1.Inner`2'/>", ILPI_HINT_TYPE, "T.One.Outer`1/Inner`2"},
        {"<type name='T.One.Outer/Inner/Deep'/>", ILPI_HINT_TYPE, "T.One.Outer`1/Inner`2/Deep"},
        {"<type name='Outer.Inner'/>", ILPI_HINT_TYPE, "T.One.Outer`1/Inner`2"},
        {"<type name='Deep'/>", ILPI_HINT_TYPE, "T.One.Outer`1/Inner`2/Deep"},
        {"<type name='S.Box'/>", ILPI_HINT_TYPE, "S.Box`1"},
        {"<any><type name='S.Box'/><type name='S.Three'/></any>", ILPI_HINT_TYPE, "S.Box`1"},
        {"<all><namespace name='S'/><type name='Three'/></all>", ILPI_HINT_TYPE, "S.Three"},
        {"<type name='S.Three'/>", ILPI_HINT_THERE, NULL},
        {"<method name='Three'/>", ILPI_HINT_THERE, NULL},
        {"<not><type name='Three'/></not>", ILPI_HINT_THERE, NULL},
        {"<type like='Three'/>", ILPI_HINT_THERE, NULL},
        {"<type name='hree'/>", ILPI_HINT_NONE, NULL},
        {"<type name='S.Three.More'/>", ILPI_HINT_NONE, NULL},
        {"<type name='`'/>", ILPI_HINT_NONE, NULL},
        {"<type name=''/>", ILPI_HINT_NONE, NULL},
    };
    const struct rt_app *app = *state;
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char xml[200];
        struct ilpi_buf name = {.alloc = &alloc};
        snprintf(xml, sizeof xml, "<rules><include>%s</include></rules>", cases[i].conditions);
        struct ilp_rules *rules = rt_rules(xml);
        enum ilpi_hint hint = ilpi_rule_hint(rules, 0, app->image, &name);
        if (hint != cases[i].hint ||
            (hint == ILPI_HINT_TYPE && strcmp((const char *)name.data, cases[i].name) != 0)) {
            fail_msg("%s: %d %s", cases[i].conditions, hint,
                     hint == ILPI_HINT_TYPE ? (const char *)name.data : "");
        }
        ilpi_buf_free(&name);
        ilp_rules_close(rules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hints)};
    return cmocka_run_group_tests(tests, rt_setup, rt_teardown);
}
