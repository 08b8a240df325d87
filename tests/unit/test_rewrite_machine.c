/* src/inspect/async/rewrite_machine.c: what becomes of each method of a C# assembly where the
 * results of async methods and the values of iterators are selected, and of its bodies. Iterators
 * that are made by hand are in test_iterator.c; that all of it runs is for tests/runtime. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

static struct ilp_bytes assembly_bytes;
static struct ii_inspector inspector;

static int setup(void **state)
{
    (void)state;
    assembly_bytes = load("good-csharp.dll");
    struct ib_image b;
    ii_begin(&b, "Inspector");
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    ii_method(&b, "MyInspector", II_TAKES_NAME);
    ii_method(&b, "MyInspector", "00 03 01 1C 0E 1C");
    ii_method(&b, "MyArguments", "00 02 1C 1D 1C 0E");
    inspector = ii_inspector_of(&b);
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
        {"", "Program", "Later", ILP_REASON_ASYNC_RESULT, 0},
        {"", "<Later>d__3", "MoveNext", ILP_REASON_SETS_RESULT, 1},
        {"args='yes'", "Program", "Later", ILP_REASON_ASYNC_RESULT, 0},
        {"args='yes'", "<Later>d__3", "MoveNext", ILP_REASON_SETS_RESULT, 1},
        {"args='yes'", "<Later>d__3", "SetStateMachine", ILP_REASON_VOID, 0},
        {"args='yes' iterators='current'", "Program", "Count", ILP_REASON_ITERATOR, 0},
        {"async='result'", "Program", "Later", ILP_REASON_ASYNC_RESULT, 0},
        {"async='result'", "<Later>d__3", "MoveNext", ILP_REASON_SETS_RESULT, 1},
        {"async='result'", "<Later>d__3", "SetStateMachine", ILP_REASON_VOID, 0},
        {"async='result'", "Program", "Count", ILP_REASON_INSPECTED, 1},
        {"async='task'", "Program", "Later", ILP_REASON_INSPECTED, 1},
        {"async='task'", "<Later>d__3", "MoveNext", ILP_REASON_VOID, 0},
        {"iterators='current'", "Program", "Count", ILP_REASON_ITERATOR, 0},
        {"iterators='current'", "<Count>d__2", "MoveNext", ILP_REASON_YIELDS, 1},
        {"iterators='current'", "Program", "Later", ILP_REASON_ASYNC_RESULT, 0},
        {"iterators='current' async='task'", "Program", "Later", ILP_REASON_INSPECTED, 1},
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

/* ---- async methods made by hand ---- */

/* N.C::M (MethodDef 1) is the kickoff method, N.C+m::MoveNext (2) its machine's; field 1 is a
 * builder that is generic, field 2 one that is not. */
enum { KICKOFF = 1, MOVE_NEXT };

#define FIELD(n) "7C 0" #n " 00 00 04 "

static struct ilp_image *machine_with(const char *returns, const char *kickoff,
                                      const char *move_next)
{
    static const uint8_t named[] = "\x01\x00\x05N.C+m\x00";
    char signature[64];
    struct ib_image b;
    snprintf(signature, sizeof signature, "00 00 %s", returns);
    ii_begin(&b, "App");
    ilp_token attribute = ii_type_ref(&b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                      "AsyncStateMachineAttribute");
    ii_type_ref(&b, II_MSCORLIB, "N", "Builder`1"); /* TypeRef 5 */
    ii_type_ref(&b, II_MSCORLIB, "N", "Builder");
    ii_type_ref(&b, II_MSCORLIB, "N", "Task`1");
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "M", signature), kickoff);
    ii_type(&b, "", "m", II_OBJECT);
    IB_ROW(&b, Field, 1, ib_string(&b, "of one"), ii_blob(&b, "06 15 11 15 01 08"));
    IB_ROW(&b, Field, 1, ib_string(&b, "of none"), ii_blob(&b, "06 11 19"));
    ii_body(&b, ii_method(&b, "MoveNext", "20 00 01"), move_next);
    IB_ROW(&b, NestedClass, 3, 2);
    ilp_token builder = ILP_TOKEN(ILP_TypeSpec,
                                  IB_ROW(&b, TypeSpec, ii_blob(&b, "15 11 15 01 08")));
    IB_ROW(&b, MemberRef, builder, ib_string(&b, "Start"), ii_blob(&b, "30 01 01 01 10 1E 00"));
    IB_ROW(&b, MemberRef, builder, ib_string(&b, "SetResult"), ii_blob(&b, "20 01 01 13 00"));
    ilp_rid constructor = IB_ROW(&b, MemberRef, attribute, ib_string(&b, ".ctor"),
                                 ii_blob(&b, "20 01 01 1C"));
    IB_ROW(&b, MethodSpec, ILP_TOKEN(ILP_MemberRef, 1), ii_blob(&b, "0A 01 11 0C"));
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_MethodDef, KICKOFF),
           ILP_TOKEN(ILP_MemberRef, constructor), ib_blob(&b, named, 10));
    return built_pe(&b, (struct ib_pe){0});
}

#define TASK        "15 12 1D 01 08"
#define START(n)    "42 12 00 " FIELD(n) "12 00 28 01 00 00 2B 14 2A"
#define NO_START    "0A 14 2A"
#define SETS(n)     "36 02 " FIELD(n) "17 28 02 00 00 0A 2A"
#define THROWS      "0A 14 7A"
#define ENDS_BADLY  "06 24"
#define STARTS_NONE "0A 24 24"

static void test_by_hand(void **state)
{
    static const struct {
        const char *name, *returns, *kickoff, *move_next;
        enum ilp_reason kickoff_reason, move_next_reason;
    } cases[] = {
        {"sets a result", TASK, START(1), SETS(1), ILP_REASON_ASYNC_RESULT, ILP_REASON_SETS_RESULT},
        {"always throws", TASK, START(1), THROWS, ILP_REASON_ASYNC_RESULT, ILP_REASON_NO_RETURN},
        {"has none", "1C", START(2), THROWS, ILP_REASON_VOID, ILP_REASON_VOID},
        {"no builder", TASK, NO_START, SETS(1), ILP_REASON_INSPECTED, ILP_REASON_VOID},
        {"MoveNext is bad", TASK, START(1), ENDS_BADLY, ILP_REASON_ASYNC_RESULT,
         ILP_REASON_BAD_BODY},
        {"the kickoff is bad", TASK, STARTS_NONE, THROWS, ILP_REASON_BAD_BODY, ILP_REASON_VOID},
        {"its body is none", TASK, "03 2A", THROWS, ILP_REASON_BAD_BODY, ILP_REASON_BAD_BODY},
        {"its signature is bad", "FF", START(1), SETS(1), ILP_REASON_BAD_SIGNATURE,
         ILP_REASON_SETS_RESULT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_image *image = machine_with(cases[i].returns, cases[i].kickoff,
                                               cases[i].move_next);
        struct ilp_rewriter *rewriter;
        assert_int_equal(ilp_rewriter_open(&rewriter, image,
                                           ONE_REQUEST(inspector.inspector, NULL, NULL), NULL,
                                           NULL),
                         ILP_OK);
        for (ilp_rid method = KICKOFF; method <= MOVE_NEXT; method++) {
            struct ilp_method_result result;
            enum ilp_reason expected = method == KICKOFF ? cases[i].kickoff_reason
                                                         : cases[i].move_next_reason;
            assert_int_equal(ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, method), NULL,
                                                (struct ilp_bytes){NULL, 0}, &result, NULL),
                             ILP_OK);
            if (result.reason != expected) {
                fail_msg("%s: %u is %s (%s)", cases[i].name, method, ilp_reason_code(result.reason),
                         result.detail);
            }
        }
        ilp_rewriter_close(rewriter);
        close_built(image);
    }
}

/* Whether MoveNext passes the arguments, and why not. */
static void test_arguments_by_hand(void **state)
{
    static const struct {
        const char *kickoff, *move_next, *without;
        bool passed;
    } cases[] = {
        {START(1), SETS(1), NULL, true},
        {"4A 2B 00 12 00 " FIELD(1) "12 00 28 01 00 00 2B 14 2A", SETS(1), "state-machine", false},
        {"4A 2B 00 12 00 " FIELD(1) "12 00 28 01 00 00 2B 14 2A", THROWS, NULL, false},
        {START(1), THROWS, NULL, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct ilp_rule_action action = {.arguments = true};
        struct ilp_image *image = machine_with(TASK, cases[i].kickoff, cases[i].move_next);
        struct ilp_method_result result;
        struct ilp_rewriter *rewriter;
        assert_int_equal(ilp_rewriter_open(&rewriter, image,
                                           ONE_REQUEST(inspector.inspector, NULL, NULL), NULL,
                                           NULL),
                         ILP_OK);
        assert_int_equal(ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, MOVE_NEXT), &action,
                                            (struct ilp_bytes){NULL, 0}, &result, NULL),
                         ILP_OK);
        assert_int_equal(result.arguments, cases[i].passed);
        assert_int_equal(result.at_end, cases[i].passed);
        if (cases[i].without) {
            assert_string_equal(result.without_arguments, cases[i].without);
        } else {
            assert_null(result.without_arguments);
        }
        ilp_rewriter_close(rewriter);
        close_built(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments_by_hand),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
