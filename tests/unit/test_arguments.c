/* src/inspect/arguments.c: what is inserted at entry, as bytes and as what is requested from the
 * emitter; which arguments are withheld; where branches and clauses lead. */
#include "tests/unit/rewrite_bench.h"

/* Names of parameters, NULL after the last; flags before a name. */
struct parameter {
    uint32_t flags;
    const char *name;
};

enum { IN = 1, OUT = 2 };

/* MyInspector(object), (object, string, object), and `form` as MyArguments. */
static void open_inspector(struct bench *bench, const char *form)
{
    struct ib_image b;
    ii_begin(&b, "Inspector");
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    ii_method(&b, "MyInspector", II_TAKES_OBJECT);
    ii_method(&b, "MyInspector", "00 03 01 1C 0E 1C");
    ii_method(&b, "MyArguments", form);
    bench_open_inspector(bench, &b);
}

#define NAMED   "00 02 1C 1D 1C 0E"
#define UNNAMED "00 01 1C 1D 1C"

/* N.C is a class, N.S a struct, N.R one that is byref-like, N.G`1 a generic struct: TypeDefs 2 to
 * 5, of which `owner` has the method. */
enum { CLASS = 2, STRUCT, BYREF_LIKE, GENERIC };

static void add_owner(struct bench *bench, unsigned type, unsigned owner, const char *signature,
                      const struct parameter *parameters)
{
    struct ib_image *b = &bench->built;
    if (type != owner) {
        return;
    }
    bench->method = ii_method(b, "M", signature);
    for (uint32_t i = 1; parameters && parameters->name; parameters++, i++) {
        IB_ROW(b, Param, parameters->flags, i, ib_string(b, parameters->name));
    }
}

static void begin(struct bench *bench, const char *form, unsigned owner, const char *signature,
                  const struct parameter *parameters)
{
    struct ib_image *b = &bench->built;
    *bench = (struct bench){.method = 0};
    open_inspector(bench, form);
    ii_emitter_begin(&bench->emitter);
    ii_begin(b, "App");
    ii_type(b, "N", "C", II_OBJECT);
    add_owner(bench, CLASS, owner, signature, parameters);
    ii_type(b, "N", "S", II_VALUE_TYPE);
    add_owner(bench, STRUCT, owner, signature, parameters);
    ilp_token byref_like = ii_type(b, "N", "R", II_VALUE_TYPE);
    ii_attribute(
        b, byref_like,
        ii_type_ref(b, II_MSCORLIB, "System.Runtime.CompilerServices", "IsByRefLikeAttribute"));
    add_owner(bench, BYREF_LIKE, owner, signature, parameters);
    ilp_token generic = ii_type(b, "N", "G`1", II_VALUE_TYPE);
    IB_ROW(b, GenericParam, 0, 0, generic, ib_string(b, "T"));
    add_owner(bench, GENERIC, owner, signature, parameters);
    bench_open_rewriter(bench);
}

static const struct ilp_rule_action plain = {.arguments = true};
static const struct ilp_rule_action with_this = {.arguments = true, .self = true};
static const struct ilp_rule_action guarded = {.arguments = true, .guard = true};
static const struct ilp_rule_action addresses = {.arguments = true,
                                                 .pointers = ILP_POINTERS_INSPECT};

static const struct {
    const char *what;
    unsigned owner;
    const char *signature;
    struct parameter parameters[6];
    const struct ilp_rule_action *action;
    uint32_t withheld;
    const char *name;
    const char *array; /* from ldc.i4 to the last stelem.ref; Object is TypeRef 102 */
    unsigned max_stack;
} cases[] = {
    {"an int and an object",
     CLASS,
     "00 02 0E 08 0E",
     {{0, "count"}, {0, "currency"}},
     &plain,
     0,
     "N.C::M(count, currency)",
     "18 8D 02 01 00 01 25 16 02 8C 06 01 00 01 A2 25 17 03 A2",
     4},
    {"none", CLASS, "00 00 0E", {{0, NULL}}, &plain, 0, "N.C::M()", "16 8D 02 01 00 01", 4},
    {"without names, and with one that cannot be written",
     CLASS,
     "00 03 0E 0E 0E 0E",
     {{0, ""}, {0, "a,b"}},
     &plain,
     0,
     "N.C::M(#1, #2, #3)",
     "19 8D 02 01 00 01 25 16 02 A2 25 17 03 A2 25 18 04 A2",
     4},
    {"of an instance, without it",
     CLASS,
     "20 01 0E 0E",
     {{0, "a"}},
     &plain,
     0,
     "N.C::M(a)",
     "17 8D 02 01 00 01 25 16 03 A2",
     4},
    {"of an instance, with it",
     CLASS,
     "20 01 0E 0E",
     {{0, "a"}},
     &with_this,
     0,
     "N.C::M(this, a)",
     "18 8D 02 01 00 01 25 16 02 A2 25 17 03 A2",
     4},
    {"static, with it",
     CLASS,
     "00 01 0E 0E",
     {{0, "a"}},
     &with_this,
     0,
     "N.C::M(a)",
     "17 8D 02 01 00 01 25 16 02 A2",
     4},
    {"of a struct",
     STRUCT,
     "20 00 0E",
     {{0, NULL}},
     &with_this,
     0,
     "N.S::M(this)",
     "17 8D 02 01 00 01 25 16 02 25 2D 04 26 14 2B 0A 71 03 00 00 02 8C 03 00 00 02 A2",
     5},
    {"of a byref-like one",
     BYREF_LIKE,
     "20 00 0E",
     {{0, NULL}},
     &with_this,
     1,
     "N.R::M(this={...})",
     "17 8D 02 01 00 01",
     4},
    {"of a generic one",
     GENERIC,
     "20 00 0E",
     {{0, NULL}},
     &with_this,
     0,
     "N.G`1::M(this)",
     "17 8D 02 01 00 01 25 16 02 25 2D 04 26 14 2B 0A 71 06 01 00 1B 8C 06 01 00 1B A2",
     5},
    {"references",
     CLASS,
     "00 03 0E 10 0E 10 08 10 08",
     {{0, "r"}, {OUT, "o"}, {IN | OUT, "b"}},
     &plain,
     1,
     "N.C::M(r, o=out, b)",
     "19 8D 02 01 00 01 25 16 02 25 2D 04 26 14 2B 01 50 A2"
     " 25 18 04 25 2D 04 26 14 2B 0A 71 06 01 00 01 8C 06 01 00 01 A2",
     5},
    {"pointers",
     CLASS,
     "00 02 0E 0F 08 10 0F 08",
     {{0, "p"}, {0, "q"}},
     &plain,
     2,
     "N.C::M(p=pointer, q=pointer)",
     "18 8D 02 01 00 01",
     4},
    {"addresses",
     CLASS,
     "00 02 0E 0F 08 10 0F 08",
     {{0, "p"}, {0, "q"}},
     &addresses,
     0,
     "N.C::M(p, q)",
     "18 8D 02 01 00 01 25 16 02 E0 8C 06 01 00 01 A2"
     " 25 17 03 25 2D 04 26 14 2B 07 4D E0 8C 06 01 00 01 A2",
     5},
    {"what cannot be boxed, what is not found",
     CLASS,
     "00 04 0E 11 10 16 11 99 10 11 10",
     {{0, "r"}, {0, "t"}, {0, "u"}, {0, "s"}},
     &plain,
     4,
     "N.C::M(r={...}, t={...}, u={...}, s={...})",
     "1A 8D 02 01 00 01",
     4},
};

/* The code of a fat body. */
static struct ilp_bytes code_of(const struct ilp_method_result *result)
{
    assert_int_equal(result->body.data[0] & 3, 3);
    return (struct ilp_bytes){result->body.data + 12, ilpi_load_u32(result->body.data + 4)};
}

static struct ilp_method_result rewrite(struct bench *bench, const struct ilp_rule_action *action,
                                        const char *hex)
{
    struct ilp_method_result result = bench_rewrite(bench, action, hex);
    assert_int_equal(result.reason, ILP_REASON_INSPECTED);
    return result;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench bench;
        print_message("%s\n", cases[i].what);
        begin(&bench, NAMED, cases[i].owner, cases[i].signature, cases[i].parameters);
        struct ilp_method_result result = rewrite(&bench, cases[i].action, "0A 14 2A");
        struct ilp_bytes code = code_of(&result);
        struct ii_hex array = ii_hex(cases[i].array);
        assert_true(result.arguments);
        assert_int_equal(result.withheld, cases[i].withheld);
        assert_true(code.size > array.size);
        assert_memory_equal(code.data, array.data, array.size);
        /* ldstr; call; stloc; ldnull; dup; ldstr; ldloc; call; ret */
        struct ii_hex rest = ii_hex("72 01 01 00 70 28 05 01 00 0A 13 00 14 25 72");
        assert_memory_equal(code.data + array.size, rest.data, rest.size);
        assert_int_equal(code.size, array.size + 12 + 15);
        assert_int_equal(ilpi_load_u16(result.body.data + 2), cases[i].max_stack);
        char requests[128];
        snprintf(requests, sizeof requests, "user_string %s\ntype_ref 23000001 System.Object\n",
                 cases[i].name);
        ib_number(&bench.emitter.lines, 0, 1);
        assert_memory_equal(bench.emitter.lines.data, requests, strlen(requests));
        bench_close(&bench);
    }
}

/* All that is requested, and the whole body. */
static void test_whole(void **state)
{
    (void)state;
    struct bench bench;
    static const struct parameter names[] = {{0, "a"}, {0, NULL}};
    begin(&bench, UNNAMED, CLASS, "00 01 0E 0E", names);
    struct ilp_method_result result = rewrite(&bench, &plain, "0A 14 2A");
    struct ii_hex expected = ii_hex("13 30 04 00 23 00 00 00 06 01 00 11"
                                    " 17 8D 01 01 00 01 25 16 02 A2 28 04 01 00 0A 13 00"
                                    " 14 25 72 05 01 00 70 11 00 28 07 01 00 0A 2A");
    expected.data[4] = (uint8_t)(expected.size - 12);
    expected.data[8] = 7;
    expected.data[expected.size - 5] = 6;
    assert_int_equal(result.body.size, expected.size);
    assert_memory_equal(result.body.data, expected.data, expected.size);
    ii_requested(&bench.emitter, "type_ref 23000001 System.Object\n"
                                 "assembly_ref Inspector 1.2.3.4\n"
                                 "type_ref 23000102 Test.Inspector\n"
                                 "member_ref 01000103 MyArguments 00 01 1C 1D 1C\n"
                                 "user_string N.C::M\n"
                                 "member_ref 01000103 MyInspector 00 03 01 1C 0E 1C\n"
                                 "standalone_sig 07 01 1C\n");
    bench_close(&bench);
}

/* What led to the first instruction leads past what is inserted: a loop does not pass the arguments
 * again, and a try block does not hold the call. */
static void test_labels(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, NAMED, CLASS, "00 01 0E 02", NULL);
    /* ldarg.0; brtrue.s 0; ldnull; ret */
    struct ilp_method_result result = rewrite(&bench, &plain, "16 02 2D FD 14 2A");
    struct ilp_bytes code = code_of(&result);
    const struct ilp_il_map *map;
    size_t count;
    assert_int_equal(ilp_rewriter_map(bench.rewriter, &map, &count, NULL), ILP_OK);
    assert_int_equal(code.data[map[0].new_offset], 0x02);
    assert_int_equal(code.data[map[1].new_offset], 0x2D);
    assert_int_equal((int8_t)code.data[map[1].new_offset + 1], -3);
    /* .try { leave.s 3 } catch { pop; leave.s 3 }; ldnull; ret */
    result = rewrite(&bench, &plain,
                     "1B 30 01 00 07 00 00 00 00 00 00 00 DE 03 26 DE 00 14 2A 00"
                     " 01 10 00 00 00 00 00 00 02 02 00 03 01 00 00 01");
    code = code_of(&result);
    assert_int_equal(ilp_rewriter_map(bench.rewriter, &map, &count, NULL), ILP_OK);
    const uint8_t *clause = result.body.data + 12 + ((code.size + 3) & ~3u) + 4;
    assert_int_equal(ilpi_load_u16(clause + 2), map[0].new_offset);
    assert_int_equal(clause[4], 2);
    bench_close(&bench);
}

/* The call at entry has a clause of its own, which makes the state null; it comes first. */
static void test_guard(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, NAMED, CLASS, "00 00 0E", NULL);
    struct ilp_method_result result = rewrite(&bench, &guarded, "0A 14 2A");
    struct ilp_bytes code = code_of(&result);
    struct ii_hex entry = ii_hex("16 8D 02 01 00 01 72 01 01 00 70 28 05 01 00 0A 13 01 DE 06"
                                 " 26 14 13 01 DE 00 14 13 00 11 00 72");
    assert_memory_equal(code.data, entry.data, entry.size);
    const uint8_t *table = result.body.data + 12 + ((code.size + 3) & ~3u);
    assert_int_equal(table[0], 1);
    assert_int_equal(table[1], 4 + 2 * 12);
    struct ii_hex clause = ii_hex("00 00 00 00 14 14 00 06 02 01 00 01");
    assert_memory_equal(table + 4, clause.data, clause.size);
    bench_close(&bench);
}

/* Of an inspector that takes none. */
static void test_refused(void **state)
{
    (void)state;
    struct ii_inspector without = ii_inspector(II_TAKES_OBJECT);
    struct bench bench;
    begin(&bench, NAMED, CLASS, "00 00 0E", NULL);
    struct ilp_rules *rules;
    struct ilp_error error;
    static const char xml[] = "<rules><include args='yes'/></rules>";
    struct ilp_rewriter *rewriter;
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    assert_int_equal(
        ilp_rules_add(rules, (struct ilp_bytes){(const uint8_t *)xml, strlen(xml)}, "r.xml", NULL),
        ILP_OK);
    struct ilp_request request = *ONE_REQUEST(without.inspector, NULL, NULL);
    request.rules = rules;
    assert_int_equal(ilp_rewriter_open(&rewriter, bench.app, &request, NULL, &error),
                     ILP_E_BAD_INSPECTOR);
    assert_non_null(strstr(error.message, "takes no arguments, which the rule in line 1 of r.xml"));
    ilp_rules_close(rules);
    bench_close(&bench);
    ii_inspector_close(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases), cmocka_unit_test(test_whole),   cmocka_unit_test(test_labels),
        cmocka_unit_test(test_guard), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
