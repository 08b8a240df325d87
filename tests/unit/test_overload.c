/* src/inspect/overload.c: which of an inspector's methods takes which value. What is called is
 * known by the MemberRef, and for a generic one the MethodSpec, that are requested from the
 * emitter. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

#define DONE ILP_REASON_INSPECTED
#define NONE ILP_REASON_NO_OVERLOAD
#define BY_NAME               \
    {                         \
        .pass = ILP_PASS_NAME \
    }
#define ALONE                  \
    {                          \
        .pass = ILP_PASS_VALUE \
    }

/* The methods of an inspector by letters: capital ones take the name, too. */
static const struct {
    char letter;
    const char *signature;
    int generic; /* flags of its GenericParam; -1: none */
} methods[] = {
    {'o', "00 01 01 1C", -1},             /* object */
    {'i', "00 01 01 08", -1},             /* int */
    {'r', "00 01 08 08", -1},             /* int, which it replaces */
    {'s', "00 01 01 0E", -1},             /* string */
    {'e', "00 01 01 11 15", -1},          /* [mscorlib]System.DayOfWeek */
    {'d', "00 01 01 11 11", -1},          /* [mscorlib]System.Decimal */
    {'l', "00 01 01 15 11 19 01 08", -1}, /* [mscorlib]System.Span`1<int> */
    {'u', "00 01 01 19", -1},             /* nuint */
    {'g', "10 01 01 01 1E 00", 0},        /* any type */
    {'a', "10 01 01 01 1E 00", 0x20},     /* any type, byref-like ones as well */
    {'x', "10 01 01 1E 00 1E 00", 0},     /* any type, which it replaces */
};

/* TypeRefs after those of ii_begin(), in the inspector and in the app. */
static void add_refs(struct ib_image *b)
{
    ii_type_ref(b, II_MSCORLIB, "System", "Decimal");        /* 11 */
    ii_type_ref(b, II_MSCORLIB, "System", "DayOfWeek");      /* 15 */
    ii_type_ref(b, II_MSCORLIB, "System", "Span`1");         /* 19 */
    ii_type_ref(b, ii_assembly_ref(b, "Gone"), "G", "What"); /* 1D */
    ii_type_ref(b, II_MSCORLIB, "System", "TypedReference"); /* 21 */
}

struct bench {
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
    struct ii_inspector inspector;
    struct ii_emitter emitter;
    struct ilp_image *app;
    struct ilp_rewriter *rewriter;
    ilp_token method;
};

static void serve_mscorlib(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    ilp_token value_type = ii_type(&b, "System", "ValueType", ILP_TOKEN(ILP_TypeDef, 2));
    ilp_token enumeration = ii_type(&b, "System", "Enum", value_type);
    ii_type(&b, "System", "Decimal", value_type);
    ii_type(&b, "System", "DayOfWeek", enumeration);
    ilp_token span = ii_type(&b, "System", "Span`1", value_type);
    ii_type(&b, "System", "TypedReference", value_type);
    ii_attribute(&b, span,
                 ii_type(&b, "System.Runtime.CompilerServices", "IsByRefLikeAttribute", 0));
    ii_serve(assemblies, &b);
}

static struct ii_inspector inspector_of(const char *letters)
{
    struct ii_inspector made;
    struct ib_image b;
    ii_begin(&b, "Inspector");
    add_refs(&b);
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    for (; *letters; letters++) {
        size_t i = 0;
        while (methods[i].letter != (*letters | 0x20)) {
            assert_true(++i < COUNT(methods));
        }
        struct ii_hex signature = ii_hex(methods[i].signature);
        if ((*letters & 0x20) == 0) { /* one parameter more, at the end */
            signature.data[methods[i].generic >= 0 ? 2 : 1] = 2;
            signature.data[signature.size++] = ILP_ELEMENT_STRING;
        }
        ilp_token method = ILP_TOKEN(ILP_MethodDef,
                                     IB_ROW(&b, MethodDef, 0, 0, 0x16, ib_string(&b, "MyInspector"),
                                            ib_blob(&b, signature.data, signature.size), 1));
        if (methods[i].generic >= 0) {
            IB_ROW(&b, GenericParam, 0, (uint32_t)methods[i].generic, method, ib_string(&b, "T"));
        }
    }
    made.image = built_root(&b);
    assert_int_equal(ilp_inspector_open(&made.inspector, made.image, NULL, NULL), ILP_OK);
    return made;
}

static void begin(struct bench *bench, const char *overloads, const char *returns, bool resolves)
{
    struct ib_image b;
    *bench = (struct bench){.assemblies = {.count = 0}};
    serve_mscorlib(&bench->assemblies);
    bench->resolver = ii_resolver(&bench->assemblies);
    bench->inspector = inspector_of(overloads);
    ii_emitter_begin(&bench->emitter);
    ii_begin(&b, "App");
    add_refs(&b);
    ii_type(&b, "N", "Own", II_ENUM); /* 08 */
    ilp_token class = ii_type(&b, "N", "C`2", II_OBJECT);
    IB_ROW(&b, GenericParam, 0, 0, class, ib_string(&b, "T"));
    IB_ROW(&b, GenericParam, 1, 0x20, class, ib_string(&b, "U"));
    char signature[64];
    snprintf(signature, sizeof signature, "20 00 %s", returns);
    bench->method = ii_method(&b, "M", signature);
    bench->app = built_root(&b);
    assert_int_equal(ilp_rewriter_open(&bench->rewriter, bench->app,
                                       ONE_REQUEST(bench->inspector.inspector,
                                                   resolves ? &bench->resolver : NULL, NULL),
                                       &bench->emitter.interface, NULL),
                     ILP_OK);
}

static void end(struct bench *bench)
{
    ilp_rewriter_close(bench->rewriter);
    ii_emitter_end(&bench->emitter);
    close_built(bench->app);
    ii_inspector_close(&bench->inspector);
    ii_close(&bench->assemblies);
}

/* `ldnull; ret` with a fat header and MaxStack 1. */
static struct ilp_method_result rewrite(struct bench *bench, const struct ilp_rule_action *action)
{
    struct ii_hex body = ii_hex("03 30 01 00 02 00 00 00 00 00 00 00 14 2A");
    struct ilp_method_result result;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, bench->method, action,
                                        (struct ilp_bytes){body.data, body.size}, &result, NULL),
                     ILP_OK);
    return result;
}

/* The signature in the MemberRef that was requested, after a '*' that of the MethodSpec; "" if
 * none was. */
static void called(struct bench *bench, char *text, size_t size)
{
    ib_number(&bench->emitter.lines, 0, 1);
    const char *member = strstr((const char *)bench->emitter.lines.data, "member_ref ");
    const char *spec = strstr((const char *)bench->emitter.lines.data, "method_spec ");
    text[0] = '\0';
    if (member) {
        member = strstr(member, "MyInspector ") + strlen("MyInspector ");
        snprintf(text, size, "%.*s", (int)strcspn(member, "\n"), member);
    }
    if (spec) {
        spec += strlen("method_spec 12345678 ");
        snprintf(text + strlen(text), size - strlen(text), " * %.*s", (int)strcspn(spec, "\n"),
                 spec);
    }
    bench->emitter.lines.size = 0;
}

#define ANY(type)      "10 01 01 01 1E 00 * 0A 01 " type
#define ANY_NAME(type) "10 01 02 01 1E 00 0E * 0A 01 " type
#define OBJECT         "00 01 01 1C"
#define OBJECT_NAME    "00 02 01 1C 0E"
#define SPAN           "15 11 19 01 08"

static const struct {
    const char *overloads;
    const char *returns;
    struct ilp_rule_action action;
    enum ilp_reason answer;
    const char *called;
} cases[] = {
    /* typed before generic before object, whatever is first */
    {"ogi", "08", BY_NAME, DONE, "00 01 01 08"},
    {"igo", "08", BY_NAME, DONE, "00 01 01 08"},
    {"og", "08", BY_NAME, DONE, ANY("08")},
    {"o", "08", BY_NAME, DONE, OBJECT},
    {"ogs", "08", BY_NAME, DONE, ANY("08")},
    {"os", "08", BY_NAME, DONE, OBJECT},
    {"s", "08", BY_NAME, NONE, ""},
    {"isg", "0E", BY_NAME, DONE, "00 01 01 0E"},
    {"og", "1C", BY_NAME, DONE, ANY("1C")},
    {"o", "1C", BY_NAME, DONE, OBJECT},
    {"i", "1C", BY_NAME, NONE, ""},
    /* the type has to be exactly this one */
    {"io", "09", BY_NAME, DONE, OBJECT},
    {"io", "11 08", BY_NAME, DONE, OBJECT},
    {"io", "02", BY_NAME, DONE, OBJECT},
    {"io", "18", BY_NAME, DONE, OBJECT},
    {"i", "1D 08", BY_NAME, NONE, ""},
    {"eo", "11 15", BY_NAME, DONE, "00 01 01 11 15"},
    {"eo", "11 08", BY_NAME, DONE, OBJECT},
    {"do", "11 11", BY_NAME, DONE, "00 01 01 11 11"},
    {"do", "11 15", BY_NAME, DONE, OBJECT},
    /* modifiers of what is returned do not count */
    {"i", "20 05 08", BY_NAME, DONE, "00 01 01 08"},
    {"g", "20 05 08", BY_NAME, DONE, ANY("08")},
    /* with the name where the rule passes it and the method takes it, and the form comes before
     * it */
    {"iI", "08", BY_NAME, DONE, "00 02 01 08 0E"},
    {"Ii", "08", BY_NAME, DONE, "00 02 01 08 0E"},
    {"iI", "08", ALONE, DONE, "00 01 01 08"},
    {"io", "08", ALONE, DONE, "00 01 01 08"},
    {"Io", "08", ALONE, DONE, OBJECT},
    {"Ig", "08", ALONE, DONE, ANY("08")},
    {"IOs", "08", ALONE, NONE, ""},
    {"iO", "08", BY_NAME, DONE, "00 01 01 08"},
    {"gO", "08", BY_NAME, DONE, ANY("08")},
    {"gG", "08", BY_NAME, DONE, ANY_NAME("08")},
    {"gG", "08", ALONE, DONE, ANY("08")},
    {"oO", "08", BY_NAME, DONE, OBJECT_NAME},
    {"oO", "08", ALONE, DONE, OBJECT},
    /* type parameters are no type */
    {"ig", "13 00", BY_NAME, DONE, ANY("13 00")},
    {"io", "13 00", BY_NAME, DONE, OBJECT},
    {"i", "13 00", BY_NAME, NONE, ""},
    /* byref-like values: the one for their type, or one for any that says so */
    {"o", SPAN, BY_NAME, ILP_REASON_BYREF_LIKE, ""},
    {"g", SPAN, BY_NAME, ILP_REASON_BYREF_LIKE, ""},
    {"og", SPAN, BY_NAME, ILP_REASON_BYREF_LIKE, ""},
    {"ao", SPAN, BY_NAME, DONE, ANY(SPAN)},
    {"lo", SPAN, BY_NAME, DONE, "00 01 01 " SPAN},
    {"la", SPAN, BY_NAME, DONE, "00 01 01 " SPAN},
    {"lo", "15 11 19 01 09", BY_NAME, ILP_REASON_BYREF_LIKE, ""},
    {"la", "15 11 19 01 09", BY_NAME, DONE, ANY("15 11 19 01 09")},
    {"go", "13 01", BY_NAME, ILP_REASON_ALLOWS_REF, ""},
    {"ao", "13 01", BY_NAME, DONE, ANY("13 01")},
    {"go", "11 1D", BY_NAME, ILP_REASON_UNRESOLVED, ""},
    {"ao", "11 1D", BY_NAME, DONE, ANY("11 1D")},
    {"ao", "16", BY_NAME, ILP_REASON_BYREF_LIKE, ""}, /* no type argument at all */
    {"iao", "16", BY_NAME, ILP_REASON_BYREF_LIKE, ""},
    /* what a reference leads to is always an object */
    {"igo", "10 08", {.byref = ILP_BYREF_INSPECT}, DONE, OBJECT},
    {"ig", "10 08", {.byref = ILP_BYREF_INSPECT}, NONE, ""},
    {"ia", "10 " SPAN, {.byref = ILP_BYREF_INSPECT}, ILP_REASON_BYREF_LIKE, ""},
    {"la", "10 " SPAN, {.byref = ILP_BYREF_INSPECT}, ILP_REASON_BYREF_LIKE, ""},
    {"igo", "10 08", BY_NAME, ILP_REASON_BYREF, ""},
    /* an address is a nuint */
    {"ugo", "0F 08", {.pointers = ILP_POINTERS_INSPECT}, DONE, "00 01 01 19"},
    {"igo", "0F 08", {.pointers = ILP_POINTERS_INSPECT}, DONE, ANY("19")},
    {"io", "0F 08", {.pointers = ILP_POINTERS_INSPECT}, DONE, OBJECT},
    {"i", "0F 08", {.pointers = ILP_POINTERS_INSPECT}, NONE, ""},
    {"ugo", "0F 08", BY_NAME, ILP_REASON_POINTER, ""},
    {"ugo",
     "10 0F 08",
     {.byref = ILP_BYREF_INSPECT, .pointers = ILP_POINTERS_INSPECT},
     DONE,
     OBJECT},
    /* what has no value */
    {"iao", "01", BY_NAME, ILP_REASON_VOID, ""},
    {"iao", "13 02", BY_NAME, ILP_REASON_BAD_SIGNATURE, ""},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench bench;
        char text[256];
        begin(&bench, cases[i].overloads, cases[i].returns, true);
        struct ilp_method_result result = rewrite(&bench, &cases[i].action);
        called(&bench, text, sizeof text);
        if (result.reason != cases[i].answer || strcmp(text, cases[i].called) != 0) {
            fail_msg("%s for %s: %s, \"%s\"", cases[i].overloads, cases[i].returns,
                     ilp_reason_code(result.reason), text);
        }
        bool done = result.reason == DONE;
        assert_int_equal(result.body.size != 0, done);
        assert_int_equal(result.inspected, done);
        end(&bench);
    }
}

/* What the result says of it: typed and generic ones box nothing. */
static void test_result(void **state)
{
    (void)state;
    static const struct {
        const char *overloads;
        bool boxed, named, replaces;
    } rounds[] = {
        {"o", true, false, false},  {"O", true, true, false},   {"i", false, false, false},
        {"I", false, true, false},  {"r", false, false, true},  {"R", false, true, true},
        {"g", false, false, false}, {"G", false, true, false},  {"x", false, false, true},
        {"X", false, true, true},   {"rg", false, false, true}, {"ix", false, false, false},
        {"sx", false, false, true},
    };
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        begin(&bench, rounds[i].overloads, "08", true);
        struct ilp_method_result result = rewrite(&bench, NULL);
        assert_int_equal(result.reason, DONE);
        assert_int_equal(result.boxed, rounds[i].boxed);
        assert_int_equal(result.passes, rounds[i].named ? ILP_PASS_NAME : ILP_PASS_VALUE);
        assert_int_equal(result.replaces, rounds[i].replaces);
        /* room for a copy, the box, and the name */
        assert_in_range(result.body.data[2], 1 + !rounds[i].replaces + rounds[i].named, 3);
        end(&bench);
    }
}

/* Without a resolver the types of other modules are not the same; those with an element of their
 * own are. */
static void test_no_resolver(void **state)
{
    (void)state;
    static const struct {
        const char *overloads;
        const char *returns;
        const char *called;
    } rounds[] = {
        {"io", "08", "00 01 01 08"}, {"so", "0E", "00 01 01 0E"}, {"do", "11 11", OBJECT}};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct bench bench;
        char text[256];
        begin(&bench, rounds[i].overloads, rounds[i].returns, false);
        assert_int_equal(rewrite(&bench, NULL).reason, DONE);
        called(&bench, text, sizeof text);
        assert_string_equal(text, rounds[i].called);
        end(&bench);
    }
}

/* What was found for a type is remembered by the place of its bytes; many methods have to fit into
 * few of them. */
static void test_remembered(void **state)
{
    (void)state;
    enum { COUNT_OF_METHODS = 3 * ILPI_REMEMBERED_OVERLOADS };
    struct bench bench = {.assemblies = {.count = 0}};
    struct ib_image b;
    serve_mscorlib(&bench.assemblies);
    bench.resolver = ii_resolver(&bench.assemblies);
    bench.inspector = inspector_of("ido");
    ii_emitter_begin(&bench.emitter);
    ii_begin(&b, "App");
    add_refs(&b);
    ii_type(&b, "N", "C", II_OBJECT);
    static const char *const signatures[] = {"00 00 08", "00 00 09", "00 00 11 11", "00 00 11 15",
                                             "00 00 1D 11 11"};
    static const char *const expected[] = {"00 01 01 08", OBJECT, "00 01 01 11 11", OBJECT, OBJECT};
    for (size_t i = 0; i < COUNT_OF_METHODS; i++) {
        ii_method(&b, "M", signatures[i % 5]); /* each with a blob of its own */
    }
    bench.app = built_root(&b);
    assert_int_equal(
        ilp_rewriter_open(&bench.rewriter, bench.app,
                          ONE_REQUEST(bench.inspector.inspector, &bench.resolver, NULL),
                          &bench.emitter.interface, NULL),
        ILP_OK);
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT_OF_METHODS; i++) {
            char text[256];
            bench.method = ILP_TOKEN(ILP_MethodDef, i + 1);
            /* request it again */
            bench.rewriter->module.bindings[0].made->calls[ILPI_OVERLOAD_OBJECT][ILP_PASS_VALUE] =
                0;
            struct ilp_method_result result = rewrite(&bench, NULL);
            assert_int_equal(result.reason, DONE);
            called(&bench, text, sizeof text);
            assert_string_equal(text, expected[i % 5]);
        }
    }
    end(&bench);
}

/* One allocation after the other fails, with all kinds of methods to look for. */
static void test_memory(void **state)
{
    (void)state;
    static const char *const returned[] = {"08", "0E", "11 11", SPAN};
    for (size_t i = 0; i < COUNT(returned); i++) {
        struct bench bench;
        begin(&bench, "IdlGO", returned[i], true);
        for (size_t fail_at = 1;; fail_at++) {
            struct memory memory = {.fail_at = fail_at};
            struct ilp_allocator allocator = memory_allocator(&memory);
            struct ilp_rewriter *rewriter;
            struct ilp_method_result result = {.reason = ILP_REASON_VOID};
            static const uint8_t body[] = {0x0A, 0x14, 0x2A};
            ilp_status status = ilp_rewriter_open(
                &rewriter, bench.app,
                ONE_REQUEST(bench.inspector.inspector, &bench.resolver, &allocator),
                &bench.emitter.interface, NULL);
            if (status == ILP_OK) {
                status = ilp_rewrite_method(rewriter, bench.method, NULL,
                                            (struct ilp_bytes){body, sizeof body}, &result, NULL);
            }
            ilp_rewriter_close(rewriter);
            memory_is_empty(&memory);
            if (status == ILP_OK) {
                assert_int_equal(result.reason, DONE);
                assert_true(fail_at > 4);
                break;
            }
            assert_int_equal(status, ILP_E_NO_MEMORY);
        }
        end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),       cmocka_unit_test(test_result),
        cmocka_unit_test(test_no_resolver), cmocka_unit_test(test_remembered),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
