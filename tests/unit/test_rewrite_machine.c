/* src/inspect/async/rewrite_machine.c: what becomes of each method of a C# assembly where the
 * results of async methods and the values of iterators are selected, and of its bodies. Iterators
 * that are made by hand are in test_iterator.c; that all of it runs is for tests/runtime. */
#include "tests/unit/inspect_image.h"

static struct ilp_bytes assembly_bytes;
static struct ii_inspector inspector;

static int setup(void **state)
{
    (void)state;
    assembly_bytes = load("good-csharp.dll");
    inspector = ii_inspector(II_TAKES_NAME);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ii_inspector_close(&inspector);
    drop(assembly_bytes);
    return 0;
}

static struct ilp_rules *rules_of(const char *attributes)
{
    struct ilp_rules *rules;
    char xml[200];
    snprintf(xml, sizeof xml, "<rules><include %s/></rules>", attributes);
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    struct ilp_bytes bytes = {(const uint8_t *)xml, strlen(xml)};
    assert_int_equal(ilp_rules_add(rules, bytes, "r.xml", NULL), ILP_OK);
    return rules;
}

struct results {
    struct ilp_image *image;
    const char *type;   /* the results of this type's method */
    const char *method; /* are counted */
    unsigned count;
    enum ilp_reason reason;
    uint32_t inspected;
};

static ilp_status take(void *user, ilp_token token, const struct ilp_method_result *result,
                       struct ilp_error *error)
{
    struct results *results = user;
    ilp_rid method = ILP_TOKEN_RID(token);
    (void)error;
    ilp_rid owner = ilp_owner_of_method(results->image, method);
    if (strcmp(name_at(results->image, ILP_MethodDef, method, ILP_MethodDef_Name),
               results->method) == 0 &&
        strcmp(name_at(results->image, ILP_TypeDef, owner, ILP_TypeDef_TypeName), results->type) ==
            0) {
        results->count++;
        results->reason = result->reason;
        results->inspected = result->inspected;
    }
    return ILP_OK;
}

static void test_reasons(void **state)
{
    static const struct {
        const char *attributes, *type, *method;
        enum ilp_reason reason;
        uint32_t inspected;
    } cases[] = {
        {"async='result'", "Program", "Later", ILP_REASON_ASYNC_RESULT, 0},
        {"async='result'", "<Later>d__3", "MoveNext", ILP_REASON_SETS_RESULT, 1},
        {"async='result'", "<Later>d__3", "SetStateMachine", ILP_REASON_VOID, 0},
        {"async='result'", "Program", "Count", ILP_REASON_INSPECTED, 1},
        {"async='task'", "Program", "Later", ILP_REASON_INSPECTED, 1},
        {"async='task'", "<Later>d__3", "MoveNext", ILP_REASON_VOID, 0},
        {"iterators='current'", "Program", "Count", ILP_REASON_ITERATOR, 0},
        {"iterators='current'", "<Count>d__2", "MoveNext", ILP_REASON_YIELDS, 1},
        {"iterators='current'", "Program", "Later", ILP_REASON_INSPECTED, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_image *image = open_image(assembly_bytes, ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        struct ilp_rules *rules = rules_of(cases[i].attributes);
        struct results results = {image, cases[i].type, cases[i].method, 0, 0, 0};
        struct ilp_report report = {&results, take};
        struct ilp_request request = {
            .inspectors = (const struct ilp_inspector *const *)&inspector.inspector,
            .inspector_count = 1,
            .rules = rules};
        assert_int_equal(ilp_inspect_returns(image, edit, &request, &report, NULL), ILP_OK);
        if (results.count != 1 || results.reason != cases[i].reason ||
            results.inspected < cases[i].inspected ||
            (results.inspected != 0) != (cases[i].inspected != 0)) {
            fail_msg("%s, %s.%s: %u times, %s, %u", cases[i].attributes, cases[i].type,
                     cases[i].method, results.count, ilp_reason_code(results.reason),
                     results.inspected);
        }
        ilp_rules_close(rules);
        ilp_edit_close(edit);
        ilp_image_close(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
