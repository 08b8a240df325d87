/* src/inspect/sequence.c: the inserted instructions, and what is requested from the emitter for
 * them, in which order. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

/* Rewrites one method after the other; every body is `ldnull; ret`, which is deep enough for any
 * type. */
struct bench {
    struct ii_inspector inspector;
    struct ii_emitter emitter;
    struct ilp_image *app;
    struct ilp_rewriter *rewriter;
};

static void bench_begin(struct bench *bench, struct ib_image *b, const char *form,
                        const struct ilp_resolver *resolver)
{
    bench->inspector = ii_inspector(form);
    bench->app = built_root(b);
    ii_emitter_begin(&bench->emitter);
    assert_int_equal(ilp_rewriter_open(&bench->rewriter, bench->app,
                                       ONE_REQUEST(bench->inspector.inspector, resolver, NULL),
                                       &bench->emitter.interface, NULL),
                     ILP_OK);
}

static void bench_end(struct bench *bench)
{
    ilp_rewriter_close(bench->rewriter);
    ii_emitter_end(&bench->emitter);
    close_built(bench->app);
    ii_inspector_close(&bench->inspector);
}

/* `inserted`: what is between `ldnull` and `ret`. */
static void rewrites(struct bench *bench, ilp_token method, const char *requests,
                     const char *inserted)
{
    static const uint8_t body[] = {0x0A, 0x14, 0x2A};
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, method, NULL,
                                        (struct ilp_bytes){body, sizeof body}, &result, NULL),
                     ILP_OK);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    ii_requested(&bench->emitter, requests);
    struct ii_hex expected = ii_hex(inserted);
    assert_int_equal(result.body.size, expected.size + 3);
    assert_int_equal(result.body.data[0], (expected.size + 2) << 2 | 2);
    assert_int_equal(result.body.data[1], 0x14);
    assert_memory_equal(result.body.data + 2, expected.data, expected.size);
    assert_int_equal(result.body.data[result.body.size - 1], 0x2A);
}

static void test_with_name(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token structure = ii_type(&b, "N", "S", II_VALUE_TYPE);
    ii_type(&b, "N", "C", II_OBJECT);
    ilp_token number = ii_method(&b, "Number", "00 00 08");
    ilp_token again = ii_method(&b, "Again", "00 00 08");
    ilp_token text = ii_method(&b, "Text", "00 00 0E");
    ilp_token named = ii_method(&b, "Named", "00 00 20 11 11 08");
    ilp_token list = ii_method(&b, "Generic", "00 00 15 11 08 01 08");
    assert_int_equal(structure, ILP_TOKEN(ILP_TypeDef, 2));
    bench_begin(&bench, &b, II_TAKES_NAME, NULL);
    /* the name first, since it is what a full heap refuses; then the box, then the inspector,
     * once */
    rewrites(&bench, number,
             "user_string N.C::Number\n"
             "type_ref 23000001 System.Int32\n"
             "assembly_ref Inspector 1.2.3.4\n"
             "type_ref 23000103 Test.Inspector\n"
             "member_ref 01000104 MyInspector 00 02 01 1C 0E\n",
             "25 8C 02 01 00 01 72 01 01 00 70 28 05 01 00 0A");
    rewrites(&bench, again, "user_string N.C::Again\n",
             "25 8C 02 01 00 01 72 06 01 00 70 28 05 01 00 0A");
    rewrites(&bench, text, "user_string N.C::Text\n", "25 72 07 01 00 70 28 05 01 00 0A");
    /* the type that the signature names, without its modifier */
    rewrites(&bench, named, "user_string N.C::Named\n",
             "25 8C 02 00 00 02 72 08 01 00 70 28 05 01 00 0A");
    rewrites(&bench, list, "user_string N.C::Generic\ntype_spec 15 11 08 01 08\n",
             "25 8C 0A 01 00 1B 72 09 01 00 70 28 05 01 00 0A");
    bench_end(&bench);
}

static void test_without_name(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ilp_token text = ii_method(&b, "Text", "00 00 0E");
    ilp_token number = ii_method(&b, "Number", "00 00 0D");
    bench_begin(&bench, &b, II_TAKES_OBJECT, NULL);
    rewrites(&bench, text,
             "assembly_ref Inspector 1.2.3.4\n"
             "type_ref 23000101 Test.Inspector\n"
             "member_ref 01000102 MyInspector 00 01 01 1C\n",
             "25 28 03 01 00 0A");
    rewrites(&bench, number, "type_ref 23000001 System.Double\n",
             "25 8C 04 01 00 01 28 03 01 00 0A");
    bench_end(&bench);
}

/* A typed method takes the value as it is; its signature names the type as the app does. */
static void test_typed(void **state)
{
    (void)state;
    static const struct {
        const char *form;
        const char *returns;
        const char *requests;
        const char *inserted;
    } rounds[] = {
        {"00 01 01 08", "00 00 08", "member_ref 01000102 MyInspector 00 01 01 08\n",
         "25 28 03 01 00 0A"},
        {"00 01 01 0E", "00 00 20 0D 0E", "member_ref 01000102 MyInspector 00 01 01 0E\n",
         "25 28 03 01 00 0A"},
        {"00 01 01 1D 1D 08", "00 00 1D 1D 08",
         "member_ref 01000102 MyInspector 00 01 01 1D 1D 08\n", "25 28 03 01 00 0A"},
        /* what replaces the value needs no copy of it */
        {"00 01 08 08", "00 00 08", "member_ref 01000102 MyInspector 00 01 08 08\n",
         "28 03 01 00 0A"},
        {"00 01 14 08 02 00 00 14 08 02 00 00", "00 00 14 08 02 00 00",
         "member_ref 01000102 MyInspector 00 01 14 08 02 00 00 14 08 02 00 00\n", "28 03 01 00 0A"},
        /* any type: the method's own parameter, and an instance for each type */
        {"10 01 01 01 1E 00", "00 00 08",
         "member_ref 01000102 MyInspector 10 01 01 01 1E 00\nmethod_spec 0A000103 0A 01 08\n",
         "25 28 04 01 00 2B"},
        {"10 01 01 01 1E 00", "00 00 15 11 08 01 0E",
         "member_ref 01000102 MyInspector 10 01 01 01 1E 00\nmethod_spec 0A000103 0A 01 15 11 08 "
         "01 0E\n",
         "25 28 04 01 00 2B"},
        {"10 01 01 1E 00 1E 00", "00 00 1C",
         "member_ref 01000102 MyInspector 10 01 01 1E 00 1E 00\nmethod_spec 0A000103 0A 01 1C\n",
         "28 04 01 00 2B"},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        struct ib_image b;
        char requests[256];
        ii_begin(&b, "App");
        ii_type(&b, "N", "S", II_VALUE_TYPE);
        ii_type(&b, "N", "C", II_OBJECT);
        ilp_token method = ii_method(&b, "M", rounds[i].returns);
        bench_begin(&bench, &b, rounds[i].form, NULL);
        snprintf(requests, sizeof requests,
                 "assembly_ref Inspector 1.2.3.4\ntype_ref 23000101 Test.Inspector\n%s",
                 rounds[i].requests);
        rewrites(&bench, method, requests, rounds[i].inserted);
        bench_end(&bench);
    }
}

/* With the name: it is between the value and the call, and is requested first. */
static void test_typed_with_name(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ilp_token method = ii_method(&b, "M", "00 00 08");
    bench_begin(&bench, &b, "00 02 08 08 0E", NULL);
    rewrites(
        &bench, method,
        "user_string N.C::M\nassembly_ref Inspector 1.2.3.4\ntype_ref 23000102 Test.Inspector\n"
        "member_ref 01000103 MyInspector 00 02 08 08 0E\n",
        "72 01 01 00 70 28 04 01 00 0A");
    bench_end(&bench);

    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    method = ii_method(&b, "M", "00 00 08");
    ilp_token other = ii_method(&b, "Other", "00 00 0E");
    bench_begin(&bench, &b, "10 01 02 01 1E 00 0E", NULL);
    rewrites(
        &bench, method,
        "user_string N.C::M\nassembly_ref Inspector 1.2.3.4\ntype_ref 23000102 Test.Inspector\n"
        "member_ref 01000103 MyInspector 10 01 02 01 1E 00 0E\nmethod_spec 0A000104 0A 01 08\n",
        "25 72 01 01 00 70 28 05 01 00 2B");
    /* the method itself is requested once, its instance each time */
    rewrites(&bench, other, "user_string N.C::Other\nmethod_spec 0A000104 0A 01 0E\n",
             "25 72 06 01 00 70 28 07 01 00 2B");
    bench_end(&bench);
}

/* II.23.1.16: each primitive by its name in the core library. */
static void test_primitives(void **state)
{
    (void)state;
    static const struct {
        const char *signature;
        const char *name;
    } primitives[] = {
        {"00 00 02", "Boolean"}, {"00 00 03", "Char"},    {"00 00 04", "SByte"},
        {"00 00 05", "Byte"},    {"00 00 06", "Int16"},   {"00 00 07", "UInt16"},
        {"00 00 08", "Int32"},   {"00 00 09", "UInt32"},  {"00 00 0A", "Int64"},
        {"00 00 0B", "UInt64"},  {"00 00 0C", "Single"},  {"00 00 0D", "Double"},
        {"00 00 18", "IntPtr"},  {"00 00 19", "UIntPtr"},
    };
    static const uint8_t body[] = {0x0A, 0x14, 0x2A};
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ilp_token warm = ii_method(&b, "Warm", "00 00 0E");
    for (size_t i = 0; i < COUNT(primitives); i++) {
        ii_method(&b, "M", primitives[i].signature);
    }
    bench_begin(&bench, &b, II_TAKES_OBJECT, NULL);
    for (size_t i = 0; i <= COUNT(primitives); i++) {
        struct ilp_method_result result;
        char requests[64];
        assert_int_equal(ilp_rewrite_method(bench.rewriter, warm + (ilp_token)i, NULL,
                                            (struct ilp_bytes){body, sizeof body}, &result, NULL),
                         ILP_OK);
        if (i != 0) {
            snprintf(requests, sizeof requests, "type_ref 23000001 System.%s\n",
                     primitives[i - 1].name);
            ii_requested(&bench.emitter, requests);
        }
        bench.emitter.lines.size = 0;
    }
    bench_end(&bench);
}

/* A core library that only a base type knows becomes a reference when a primitive needs it, and not
 * before. */
static void test_core_reference(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct bench bench;
    struct ib_image b;
    ii_begin_bare(&b, "Base");
    ii_type(&b, "B", "Base", ii_type_ref(&b, ii_assembly_ref(&b, "Core"), "System", "Object"));
    ii_serve(&assemblies, &b);
    ii_begin_bare(&b, "App");
    ii_type(&b, "N", "C", ii_type_ref(&b, ii_assembly_ref(&b, "Base"), "B", "Base"));
    ilp_token text = ii_method(&b, "Text", "00 00 0E");
    ilp_token number = ii_method(&b, "Number", "00 00 08");
    ilp_token outcome = ii_method(&b, "Truth", "00 00 02");
    bench_begin(&bench, &b, II_TAKES_OBJECT, &resolver);
    rewrites(&bench, text,
             "assembly_ref Inspector 1.2.3.4\n"
             "type_ref 23000101 Test.Inspector\n"
             "member_ref 01000102 MyInspector 00 01 01 1C\n",
             "25 28 03 01 00 0A");
    rewrites(&bench, number, "assembly_ref Core 4.0.0.0\ntype_ref 23000104 System.Int32\n",
             "25 8C 05 01 00 01 28 03 01 00 0A");
    rewrites(&bench, outcome, "type_ref 23000104 System.Boolean\n",
             "25 8C 06 01 00 01 28 03 01 00 0A");
    bench_end(&bench);
    ii_close(&assemblies);
}

/* "Ns.Type::" is kept from one method to the next, which must not show. */
static void test_names_follow_types(void **state)
{
    (void)state;
    static const uint8_t body[] = {0x0A, 0x14, 0x2A};
    struct bench bench;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token methods[5];
    methods[0] = ii_method(&b, "Global", "00 00 0E");
    ii_type(&b, "N", "Outer", II_OBJECT);
    methods[1] = ii_method(&b, "A", "00 00 0E");
    methods[2] = ii_method(&b, "LongerThanA", "00 00 0E");
    ii_type(&b, "", "Inner", II_OBJECT);
    IB_ROW(&b, NestedClass, 3, 2);
    methods[3] = ii_method(&b, "B", "00 00 0E");
    methods[4] = ii_method(&b, "", "00 00 0E");
    bench_begin(&bench, &b, II_TAKES_NAME, NULL);
    static const unsigned order[] = {0, 1, 2, 1, 3, 4, 1, 0, 3};
    static const char *const names[] = {"Global", "N.Outer::A", "N.Outer::LongerThanA",
                                        "N.Outer/Inner::B", "N.Outer/Inner::"};
    for (size_t i = 0; i < COUNT(order); i++) {
        struct ilp_method_result result;
        char requests[64];
        bench.emitter.lines.size = 0;
        assert_int_equal(ilp_rewrite_method(bench.rewriter, methods[order[i]], NULL,
                                            (struct ilp_bytes){body, sizeof body}, &result, NULL),
                         ILP_OK);
        snprintf(requests, sizeof requests, "user_string %s\n", names[order[i]]);
        if (i != 0) { /* the first one requests the inspector, too */
            ii_requested(&bench.emitter, requests);
        } else {
            assert_memory_equal(bench.emitter.lines.data, requests, strlen(requests));
        }
    }
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_name),
        cmocka_unit_test(test_without_name),
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_typed_with_name),
        cmocka_unit_test(test_primitives),
        cmocka_unit_test(test_core_reference),
        cmocka_unit_test(test_names_follow_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
