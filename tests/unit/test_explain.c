/* src/rules/explain.c: what is reported of conditions and methods, and of bugs. */
#include "tests/unit/rules_test.h"

#define YES     ILP_YES
#define NO      ILP_NO
#define UNKNOWN ILP_UNKNOWN

static void put(struct ib_bytes *text, const char *more)
{
    ib_put(text, more, strlen(more));
}

/* ---- ilp_affected ---- */

static void test_affected(void **state)
{
    static const struct {
        const char *method;
        enum ilp_tristate outcome;
        const char *why;
    } cases[] = {
        {"Three", YES, "returns struct of 12 bytes, runs on anycpu"},
        {"BoxT", YES, "returns struct, runs on anycpu"},
        {"Int", NO, "returns primitive, runs on anycpu"},
        {"ValueTask", YES, "returns struct, runs on anycpu"},
        {"Gone", UNKNOWN, "it may return an enum or a struct: G.What could not be found"},
    };
    struct rt_app *app = *state;
    struct ilp_rules *rules = rt_rules("<rules/>");
    struct ilp_selector *selector = rt_selector(app, rules, ILP_TARGET_AUTO);
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum ilp_tristate outcome;
        const char *why;
        assert_int_equal(ilp_affected(selector, rt_method(app->image, cases[i].method),
                                      ILP_BUG_X86_STRUCT_RETURN, &outcome, &why, NULL),
                         ILP_OK);
        assert_int_equal(outcome, cases[i].outcome);
        assert_string_equal(why, cases[i].why);
    }
    struct ilp_selection selection;
    struct ilp_error error;
    uint32_t methods = ilp_row_count(app->image, ILP_MethodDef);
    const ilp_token wrong[] = {0, ILP_TOKEN(ILP_MethodDef, 0),
                               ILP_TOKEN(ILP_MethodDef, methods + 1), ILP_TOKEN(ILP_TypeDef, 1),
                               0xFFFFFFFF};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(ilp_select(selector, wrong[i], &selection, &error), ILP_E_MISUSE);
        assert_int_equal(selection.rule, ILP_NO_RULE);
    }
    ilp_selector_close(selector);
    ilp_rules_close(rules);
}

/* ---- traces ---- */

struct traces {
    struct ib_bytes text;
    unsigned stop_at;
};

static ilp_status write_trace(void *user, const struct ilp_rule_trace *trace)
{
    static const char *const outcomes[] = {[NO] = "no", [YES] = "yes", [UNKNOWN] = "unknown"};
    struct traces *traces = user;
    char line[300];
    snprintf(line, sizeof line, "%u:%u %*s%s %s: %s\n", trace->rule, trace->line,
             (int)trace->depth * 2, "", outcomes[trace->outcome], trace->condition, trace->fact);
    put(&traces->text, line);
    return traces->stop_at != 0 && --traces->stop_at == 0 ? ILP_E_CALLBACK : ILP_OK;
}

static const char explained_rules[] =
    "<rules>\n<exclude enabled='no'/>\n"
    "<exclude><method role='accessor' visibility='public'/>\n<body tail-calls='no' "
    "min-size='1'/></exclude>\n"
    "<include><any><not>\n<type arity='1' nested='no' visibility='public'/></not>\n"
    "<attribute like='*' on='type method'/></any>\n"
    "<return kind='struct' larger-than='8'/><affected-by bug='x86-struct-return'/>\n"
    "<assembly version='1.0' name='App'/><method static='yes' virtual='no' arity='0' "
    "compiler-generated='no'/>"
    "</include>\n<include/></rules>";

static void test_findings(void **state)
{
    static const char expected[] = "1:3 no <method role=\"accessor\">: ordinary\n"
                                   "1:3 yes <method visibility=\"public\">: public\n"
                                   "1:4 no <body tail-calls=\"no\">: no body\n"
                                   "1:4 no <body min-size=\"1\">: no body\n"
                                   "1:0 no : \n"
                                   "2:6     yes <type arity=\"1\">: 1\n"
                                   "2:6     yes <type nested=\"no\">: no\n"
                                   "2:6     yes <type visibility=\"public\">: public\n"
                                   "2:5   no <not>: \n"
                                   "2:7   no <attribute like=\"*\">: none\n"
                                   "2:5 no <any>: \n"
                                   "2:8 yes <return kind=\"struct\">: struct\n"
                                   "2:8 yes <return larger-than=\"8\">: 12 bytes\n"
                                   "2:8 yes <affected-by bug=\"x86-struct-return\">: returns "
                                   "struct of 12 bytes, runs on anycpu\n"
                                   "2:9 yes <assembly version=\"1.0\">: 1.2.3.4\n"
                                   "2:9 yes <assembly name=\"App\">: App\n"
                                   "2:9 yes <method static=\"yes\">: yes\n"
                                   "2:9 yes <method virtual=\"no\">: no\n"
                                   "2:9 yes <method arity=\"0\">: 0\n"
                                   "2:9 yes <method compiler-generated=\"no\">: no\n"
                                   "2:0 no : \n"
                                   "3:0 yes : \n";
    struct rt_app *app = *state;
    struct ilp_rules *rules = rt_rules(explained_rules);
    struct ilp_selector *selector = rt_selector(app, rules, ILP_TARGET_AUTO);
    struct traces traces = {0};
    struct ilp_selection selection;
    struct ilp_error error;
    ilp_token method = rt_method(app->image, "Three");
    assert_int_equal(ilp_explain(selector, method, write_trace, &traces, &selection, NULL), ILP_OK);
    ib_number(&traces.text, 0, 1);
    assert_string_equal((const char *)traces.text.data, expected);
    assert_int_equal(selection.rule, 3);
    /* whoever listens can end it, at any finding */
    for (unsigned i = 1; i <= 22; i++) {
        traces = (struct traces){
            .text = {.data = traces.text.data, .capacity = traces.text.capacity}, .stop_at = i};
        assert_int_equal(ilp_explain(selector, method, write_trace, &traces, &selection, &error),
                         ILP_E_CALLBACK);
    }
    ib_free(&traces.text);
    ilp_selector_close(selector);
    ilp_rules_close(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affected),
        cmocka_unit_test(test_findings),
    };
    return cmocka_run_group_tests(tests, rt_setup, rt_teardown);
}
