/* What an inspector gets after the value: name, id or handle, as bytes, and which of them
 * where. */
#include "tests/unit/inspect_image.h"

struct bench {
    struct ilp_image *inspector_image;
    struct ilp_inspector *inspector;
    struct ii_emitter emitter;
    struct ilp_image *app;
    struct ilp_rewriter *rewriter;
    ilp_token method;
};

/* `forms`: signatures of methods MyInspector, NULL after the last. System.RuntimeMethodHandle is
 * TypeRef 4. */
static void open_inspector(struct bench *bench, const char *const *forms)
{
    struct ib_image b;
    ii_begin(&b, "Inspector");
    ii_type_ref(&b, II_MSCORLIB, "System", "RuntimeMethodHandle");
    ii_type_ref(&b, II_MSCORLIB, "Other", "RuntimeMethodHandle");
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    for (; *forms; forms++) {
        ilp_token method = ii_method(&b, "MyInspector", *forms);
        if (strncmp(*forms, "10", 2) == 0) {
            IB_ROW(&b, GenericParam, 0, 0, method, ib_string(&b, "T"));
        }
    }
    bench->inspector_image = built_root(&b);
    assert_int_equal(ilp_inspector_open(&bench->inspector, bench->inspector_image, NULL, NULL),
                     ILP_OK);
}

static ilp_status open_rewriter(struct bench *bench, uint32_t module_number,
                                const struct ilp_rules *rules, struct ilp_error *error)
{
    const struct ilp_inspector *inspectors[] = {bench->inspector};
    struct ilp_request request = {.inspectors = inspectors,
                                  .inspector_count = 1,
                                  .module_number = module_number,
                                  .rules = rules};
    return ilp_rewriter_open(&bench->rewriter, bench->app, &request, &bench->emitter.interface,
                             error);
}

static void begin(struct bench *bench, const char *const *forms, const char *returns,
                  uint32_t module_number)
{
    struct ib_image b;
    *bench = (struct bench){.app = NULL};
    open_inspector(bench, forms);
    ii_emitter_begin(&bench->emitter);
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ii_method(&b, "First", "00 00 01");
    bench->method = ii_method(&b, "M", returns);
    bench->app = built_root(&b);
    assert_int_equal(open_rewriter(bench, module_number, NULL, NULL), ILP_OK);
}

static void end(struct bench *bench)
{
    ilp_rewriter_close(bench->rewriter);
    ii_emitter_end(&bench->emitter);
    close_built(bench->app);
    ilp_inspector_close(bench->inspector);
    close_built(bench->inspector_image);
}

static struct ilp_method_result rewrite(struct bench *bench, uint8_t pass)
{
    static const uint8_t body[] = {0x0A, 0x14, 0x2A};
    struct ilp_rule_action action = {.pass = pass};
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, bench->method, &action,
                                        (struct ilp_bytes){body, sizeof body}, &result, NULL),
                     ILP_OK);
    return result;
}

/* What is between `ldnull` and `ret`. */
static void inserts(const struct ilp_method_result *result, const char *inserted)
{
    struct ii_hex expected = ii_hex(inserted);
    assert_int_equal(result->reason, ILP_REASON_INSPECTED);
    assert_int_equal(result->body.size, expected.size + 3);
    assert_memory_equal(result->body.data + 2, expected.data, expected.size);
}

#define OBJECT_ID     "00 02 01 1C 0A"
#define OBJECT_HANDLE "00 02 01 1C 11 11"
#define ASK_CLASS     "assembly_ref Inspector 1.2.3.4\ntype_ref 23000101 Test.Inspector\n"

/* The id is the module's number and the token, whichever bits they have; nothing is requested
 * it. */
static void test_id(void **state)
{
    (void)state;
    static const char *const object[] = {OBJECT_ID, NULL};
    static const char *const typed[] = {"00 02 08 08 0A", NULL};
    static const char *const generic[] = {"10 01 02 01 1E 00 0A", NULL};
    static const struct {
        const char *const *forms;
        const char *returns;
        uint32_t number;
        int64_t id;
        const char *requests;
        const char *inserted;
    } rounds[] = {
        {object, "00 00 0E", 1, 0x106000002,
         ASK_CLASS "member_ref 01000102 MyInspector 00 02 01 1C 0A\n",
         "25 21 02 00 00 06 01 00 00 00 28 03 01 00 0A"},
        {typed, "00 00 08", 0x12345678, 0x1234567806000002,
         ASK_CLASS "member_ref 01000102 MyInspector 00 02 08 08 0A\n",
         "21 02 00 00 06 78 56 34 12 28 03 01 00 0A"},
        {generic, "00 00 08", 0x7FFFFFFF, 0x7FFFFFFF06000002,
         ASK_CLASS
         "member_ref 01000102 MyInspector 10 01 02 01 1E 00 0A\nmethod_spec 0A000103 0A 01 08\n",
         "25 21 02 00 00 06 FF FF FF 7F 28 04 01 00 2B"},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, rounds[i].forms, rounds[i].returns, rounds[i].number);
        struct ilp_method_result result = rewrite(&bench, ILP_PASS_ID);
        inserts(&result, rounds[i].inserted);
        assert_int_equal(result.passes, ILP_PASS_ID);
        assert_true(result.id == rounds[i].id);
        assert_false(result.nameless);
        ii_requested(&bench.emitter, rounds[i].requests);
        end(&bench);
    }
}

/* The handle's type is the core library's, made once. */
static void test_handle(void **state)
{
    (void)state;
    static const char *const forms[] = {OBJECT_HANDLE, "00 02 01 08 11 11", NULL};
    struct bench bench;
    begin(&bench, forms, "00 00 0E", 0);
    struct ilp_method_result result = rewrite(&bench, ILP_PASS_HANDLE);
    inserts(&result, "25 D0 02 00 00 06 28 04 01 00 0A");
    assert_int_equal(result.passes, ILP_PASS_HANDLE);
    assert_true(result.id == 0);
    /* TypeDefOrRef of TypeRef 103 is 40D, as two bytes 84 0D (II.23.2.8) */
    ii_requested(&bench.emitter,
                 ASK_CLASS "type_ref 23000001 System.RuntimeMethodHandle\n"
                           "member_ref 01000102 MyInspector 00 02 01 1C 11 84 0D\n");
    end(&bench);

    begin(&bench, forms, "00 00 08", 0);
    result = rewrite(&bench, ILP_PASS_HANDLE);
    inserts(&result, "25 D0 02 00 00 06 28 04 01 00 0A");
    ii_requested(&bench.emitter,
                 ASK_CLASS "type_ref 23000001 System.RuntimeMethodHandle\n"
                           "member_ref 01000102 MyInspector 00 02 01 08 11 84 0D\n");
    end(&bench);
}

/* The form that is requested, and for a name that need not be taken the value alone. */
static void test_choice(void **state)
{
    (void)state;
    static const char *const all[] = {II_TAKES_OBJECT, II_TAKES_NAME, OBJECT_ID, OBJECT_HANDLE,
                                      NULL};
    static const char *const unnamed[] = {II_TAKES_OBJECT, OBJECT_ID, OBJECT_HANDLE, NULL};
    static const char *const mixed[] = {"00 01 01 08", OBJECT_ID, NULL};
    struct bench bench;
    for (uint8_t pass = 0; pass < ILP_PASS_COUNT; pass++) {
        begin(&bench, all, "00 00 08", 1);
        assert_int_equal(rewrite(&bench, pass).passes, pass);
        end(&bench);
        begin(&bench, unnamed, "00 00 08", 1);
        assert_int_equal(rewrite(&bench, pass).passes,
                         pass == ILP_PASS_NAME ? ILP_PASS_VALUE : pass);
        end(&bench);
    }
    /* the typed method has no id, that for objects has one */
    begin(&bench, mixed, "00 00 08", 1);
    struct ilp_method_result result = rewrite(&bench, ILP_PASS_ID);
    assert_int_equal(result.passes, ILP_PASS_ID);
    assert_true(result.boxed);
    assert_false(rewrite(&bench, ILP_PASS_VALUE).boxed);
    end(&bench);
    begin(&bench, mixed, "00 00 0E", 1);
    assert_int_equal(rewrite(&bench, ILP_PASS_VALUE).reason, ILP_REASON_NO_OVERLOAD);
    end(&bench);
}

/* A name that #US has no room for: the id, if an overload takes it and the user knows what it
 * means; else the method is left. */
static void test_no_room(void **state)
{
    (void)state;
    static const char *const both[] = {II_TAKES_NAME, OBJECT_ID, NULL};
    static const char *const named[] = {II_TAKES_NAME, NULL};
    static const char *const other[] = {"00 02 01 08 0E", OBJECT_ID, NULL};
    static const struct {
        const char *const *forms;
        uint32_t number;
        bool done;
    } rounds[] = {{both, 1, true}, {both, 0, false}, {named, 1, false}, {other, 1, false}};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, rounds[i].forms, "00 00 08", rounds[i].number);
        bench.emitter.fail_at = 1;
        bench.emitter.failure = ILP_E_TOO_LARGE;
        struct ilp_method_result result = rewrite(&bench, ILP_PASS_NAME);
        assert_int_equal(result.reason, rounds[i].done ? ILP_REASON_INSPECTED : ILP_REASON_LIMIT);
        assert_int_equal(result.nameless, rounds[i].done);
        if (rounds[i].done) {
            inserts(&result, "25 8C 01 01 00 01 21 02 00 00 06 01 00 00 00 28 04 01 00 0A");
            assert_int_equal(result.passes, ILP_PASS_ID);
            assert_true(result.id == 0x106000002);
        }
        /* the next one has its name again */
        result = rewrite(&bench, ILP_PASS_NAME);
        assert_int_equal(result.passes, ILP_PASS_NAME);
        assert_false(result.nameless);
        end(&bench);
    }
}

static void misuses(struct bench *bench, uint8_t pass)
{
    struct ilp_rule_action action = {.pass = pass};
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, bench->method, &action,
                                        (struct ilp_bytes){NULL, 0}, &result, NULL),
                     ILP_E_MISUSE);
}

static void test_missing(void **state)
{
    (void)state;
    static const char *const ids[] = {OBJECT_ID, NULL};
    static const char *const others[] = {"00 02 01 1C 11 15", "00 02 01 1C 0B", "00 02 01 1C 08",
                                         II_TAKES_OBJECT, NULL};
    struct bench bench;
    begin(&bench, ids, "00 00 08", 1);
    misuses(&bench, ILP_PASS_NAME); /* there is neither a form with it nor one without */
    misuses(&bench, ILP_PASS_VALUE);
    misuses(&bench, ILP_PASS_HANDLE);
    end(&bench);
    begin(&bench, ids, "00 00 08", 0); /* the id would have no meaning */
    misuses(&bench, ILP_PASS_ID);
    end(&bench);
    begin(&bench, others, "00 00 08", 1); /* a handle of another namespace, ulong, int */
    assert_int_equal(bench.inspector->overload_count, 1);
    misuses(&bench, ILP_PASS_ID);
    misuses(&bench, ILP_PASS_HANDLE);
    end(&bench);
}

/* Rules are checked before anything is done. */
static void test_rules(void **state)
{
    (void)state;
    static const char *const forms[] = {II_TAKES_NAME, NULL};
    static const struct {
        const char *word;
        const char *message;
    } rounds[] = {
        {"id", "Inspector has no method that takes a value and an id (a long), which the rule in "
               "line 1 of r.xml requests "
               "with pass=\"id\""},
        {"handle", "has no method that takes a value and a RuntimeMethodHandle, which"},
        {"value", "has no method that takes a value alone, which"},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        struct ilp_rules *rules;
        struct ilp_error error;
        char xml[128];
        snprintf(xml, sizeof xml, "<rules><include pass=\"%s\"/></rules>", rounds[i].word);
        assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
        assert_int_equal(ilp_rules_add(rules, (struct ilp_bytes){(const uint8_t *)xml, strlen(xml)},
                                       "r.xml", NULL),
                         ILP_OK);
        begin(&bench, forms, "00 00 08", 1);
        ilp_rewriter_close(bench.rewriter);
        assert_int_equal(open_rewriter(&bench, 1, rules, &error), ILP_E_BAD_INSPECTOR);
        assert_non_null(strstr(error.message, rounds[i].message));
        end(&bench);
        ilp_rules_close(rules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_id),      cmocka_unit_test(test_handle),
        cmocka_unit_test(test_choice),  cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
