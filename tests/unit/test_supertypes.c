/* src/rules/supertypes.c, parameters.c and the public key token: what a method's type derives from
 * and implements, over several steps, through another assembly, with generic types and references
 * that lead nowhere; what its parameters are. */
#include "rules_test.h"

#define NO      ILP_NO
#define YES     ILP_YES
#define UNKNOWN ILP_UNKNOWN

/* Of Lib, as TypeDefs: 2 IDeep, 3 IShallow, 4 IOf`1, 5 Base`1. */
static void add_lib(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin(&b, "Lib");
    ilp_token deep = ii_type(&b, "L", "IDeep", 0);
    ilp_token shallow = ii_type(&b, "L", "IShallow", 0);
    rt_parameters(&b, ii_type(&b, "L", "IOf`1", 0), 1);
    ilp_token base = ii_type(&b, "L", "Base`1", II_OBJECT);
    rt_parameters(&b, base, 1);
    /* IOf`1<!0> */
    ilp_token of_t = ILP_TOKEN(ILP_TypeSpec,
                               IB_ROW(&b, TypeSpec, ii_blob(&b, "15 12 10 01 13 00")));
    IB_ROW(&b, InterfaceImpl, ILP_TOKEN_RID(shallow), deep);
    IB_ROW(&b, InterfaceImpl, ILP_TOKEN_RID(base), of_t);
    IB_ROW(&b, InterfaceImpl, ILP_TOKEN_RID(base), shallow);
    ii_serve(assemblies, &b);
}

static ilp_token spec(struct ib_image *b, const char *hex)
{
    return ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, hex)));
}

/* A type with one method of the same name. */
static ilp_token type_with_method(struct ib_image *b, const char *name, ilp_token extends)
{
    ilp_token type = ii_type(b, "A", name, extends);
    ii_method(b, name, "00 00 01");
    return type;
}

static void add_types(struct ib_image *b)
{
    ilp_token lib = ii_assembly_ref(b, "Lib");
    ilp_token gone = ii_assembly_ref(b, "Gone");
    ii_type_ref(b, lib, "L", "Base`1");                          /* TypeRef 4: 11 */
    ii_type_ref(b, lib, "L", "IOf`1");                           /* 5: 15 */
    ilp_token what = ii_type_ref(b, gone, "G", "What");          /* 6 */
    ilp_token no_interface = ii_type_ref(b, gone, "G", "IGone"); /* 7 */
    ilp_token shallow = ii_type_ref(b, lib, "L", "IShallow");    /* 8 */
    type_with_method(b, "Mid", spec(b, "15 12 11 01 0E"));       /* TypeDef 2: Base`1<string> */
    ilp_token leaf = type_with_method(b, "Leaf", ILP_TOKEN(ILP_TypeDef, 2));
    type_with_method(b, "Lost", what);
    type_with_method(b, "Plain", II_OBJECT);
    ilp_token value = type_with_method(b, "Struct", II_VALUE_TYPE); /* TypeDef 6: 18 */
    /* IOf`1<Struct> */
    IB_ROW(b, InterfaceImpl, ILP_TOKEN_RID(value), spec(b, "15 12 15 01 11 18"));
    type_with_method(b, "Loop", ILP_TOKEN(ILP_TypeDef, 8));
    type_with_method(b, "Loop2", ILP_TOKEN(ILP_TypeDef, 7));
    ilp_token grow = type_with_method(b, "Grow", 0); /* TypeDef 9: 24, Grow<T> : Grow<Grow<T>> */
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(grow), ILP_TypeDef_Extends, 0);
    IB_ROW(b, InterfaceImpl, ILP_TOKEN_RID(grow), spec(b, "15 12 24 01 15 12 24 01 13 00"));
    type_with_method(b, "Bad", spec(b, "15 12"));
    type_with_method(b, "SpecOfSpec", spec(b, "15 12 06 01 08")); /* an instance of TypeSpec 1 */
    type_with_method(b, "Interface", 0);
    IB_ROW(b, InterfaceImpl, ib_row_count(b, ILP_TypeDef), shallow);
    IB_ROW(b, InterfaceImpl, ILP_TOKEN_RID(leaf), no_interface);
    ii_method(b, "none", "00 00 01");
    ii_method(b, "two", "20 02 01 08 0E");
    /* Base`1<int32>, by reference an A.Struct with a modifier, an array of it, one with bounds, a
     * type parameter */
    ii_method(b, "many",
              "00 05 01 15 12 11 01 08 20 18 10 11 18 1D 11 18 14 08 02 00 02 00 00 1E 00");
    ii_method(b, "badParameters", "00 02 01 08");
    ii_method(b, "modified", "00 01 01 1F 18 11 18");
}

struct two {
    struct rt_app app;
    struct rt_app alone; /* without a resolver */
};

static int set_up(void **state)
{
    static struct two two;
    struct ib_image b;
    ii_begin(&b, "App");
    add_types(&b);
    two.app.image = built_root(&b);
    add_lib(&two.app.assemblies);
    two.alone.image = two.app.image;
    two.app.resolver = ii_resolver(&two.app.assemblies);
    *state = &two;
    return 0;
}

static int tear_down(void **state)
{
    rt_close(&((struct two *)*state)->app);
    return 0;
}

static const struct rt_case cases[] = {
    {"Mid", "<derives-from name='L.Base`1'/>", YES},
    {"Mid", "<derives-from name='L.Base`1&lt;string>'/>", YES},
    {"Mid", "<derives-from name='L.Base`1&lt;System.String>'/>", YES},
    {"Mid", "<derives-from name='L.Base`1&lt;int32>'/>", NO},
    {"Mid", "<derives-from name='A.Mid'/>", NO}, /* a type does not derive from itself */
    {"Mid", "<derives-from name='System.Object'/>", YES},
    {"Mid", "<derives-from name='L.IOf`1'/>", NO},
    {"Mid", "<implements name='L.IOf`1'/>", YES},
    {"Mid", "<implements name='L.IOf`1&lt;string>'/>", YES}, /* T of Base is string */
    {"Mid", "<implements like='L.IOf`1&lt;*>'/>", YES},
    {"Mid", "<implements regex='^L\\.IOf`1$'/>", YES},
    {"Mid", "<implements name='L.IOf`1&lt;!0>'/>", NO},
    {"Mid", "<implements name='L.IDeep'/>", YES}, /* through IShallow */
    {"Mid", "<implements name='L.Base`1'/>", NO},
    {"Leaf", "<derives-from name='A.Mid'/><derives-from name='L.Base`1&lt;string>'/>", YES},
    /* what an interface is does not count for that */
    {"Leaf", "<derives-from name='A.Other'/>", NO},
    {"Leaf", "<implements name='G.IGone'/>", YES}, /* by name */
    {"Leaf", "<implements name='L.IDeep'/>", YES},
    {"Leaf", "<implements name='A.IOther'/>", UNKNOWN},
    {"Leaf", "<not><implements name='A.IOther'/></not>", UNKNOWN},
    {"Lost", "<derives-from name='G.What'/>", YES},
    {"Lost", "<derives-from name='System.Object'/>", UNKNOWN},
    {"Lost", "<implements name='L.IDeep'/>", UNKNOWN},
    {"Lost", "<any><implements name='L.IDeep'/><type name='A.Lost'/></any>", YES},
    {"Plain", "<implements like='*'/>", NO},
    {"Plain", "<derives-from like='*'/>", YES},
    {"Struct", "<implements name='L.IOf`1&lt;A.Struct>'/>", YES},
    {"Struct", "<implements name='L.IOf`1&lt;valuetype A.Struct>'/>", YES},
    {"Struct", "<implements like='L.IOf`1&lt;valuetype A.Struct>'/>", YES},
    {"Struct", "<derives-from name='System.ValueType'/>", YES},
    {"Struct", "<derives-from name='System.Enum'/>", NO},
    {"Loop", "<derives-from name='A.Loop'/>", YES},
    {"Loop", "<derives-from name='System.Object'/>", NO},
    {"Grow", "<implements name='A.Grow'/>", YES},
    {"Grow", "<implements name='L.IDeep'/>", UNKNOWN}, /* without an end */
    {"Bad", "<derives-from name='System.Object'/>", UNKNOWN},
    {"SpecOfSpec", "<derives-from name='System.Object'/>", UNKNOWN},
    {"Interface", "<implements name='L.IShallow'/><implements name='L.IDeep'/>", YES},
    {"Interface", "<derives-from name='System.Object'/>", NO},
    /* parameters */
    {"none", "<parameters count='0'/>", YES},
    {"none", "<parameters types=''/>", YES},
    {"none", "<parameter like='*'/>", NO},
    {"two", "<parameters count='2'/>", YES}, /* without this */
    {"two", "<parameters count='1'/>", NO},
    {"two", "<parameters types='int32, string'/>", YES},
    {"two", "<parameters types='int,string'/>", YES},
    {"two", "<parameters types='string, int32'/>", NO},
    {"two", "<parameters like='int32, *'/>", YES},
    {"two", "<parameters regex=', string$'/>", YES},
    {"two", "<parameter type='string'/>", YES},
    {"two", "<parameter type='string' position='2'/>", YES},
    {"two", "<parameter type='string' position='1'/>", NO},
    {"two", "<parameter type='string' position='3'/>", NO},
    {"two", "<parameter position='1' type='int'/><parameter regex='^s' position='2'/>", YES},
    {"many", "<parameter type='L.Base`1&lt;int>' position='1'/>", YES},
    {"many", "<parameter type='A.Struct&amp;' position='2'/>", YES},
    {"many", "<parameter type='A.Struct[]' position='3'/>", YES},
    {"many", "<parameter type='int[,]' position='4'/>", YES},
    {"many", "<parameter type='int32[0...,0...]' position='4'/>", YES},
    {"many", "<parameter like='int32[0...,0...]' position='4'/>", YES},
    {"many", "<parameter type='!!0' position='5'/>", YES},
    {"modified", "<parameter type='A.Struct'/><parameter like='A.Struct'/>", YES},
    {"badParameters", "<parameters count='1'/>", UNKNOWN},
    {"badParameters", "<parameter type='int32'/>", UNKNOWN},
    {"badParameters", "<parameters types='int32'/>", UNKNOWN},
    /* the key of an assembly that has none, and symbols that are nowhere */
    {"none", "<assembly public-key-token='none'/>", YES},
    {"none", "<assembly public-key-token='b77a5c561934e089'/>", NO},
    {"none", "<source like='*'/>", UNKNOWN},
};

static void test_cases(void **state)
{
    RT_CHECK(&((struct two *)*state)->app, cases);
}

/* Without a resolver for assemblies, names are all there is. */
static void test_unresolved(void **state)
{
    static const struct rt_case unresolved[] = {
        {"Mid", "<derives-from name='L.Base`1&lt;string>'/>", YES},
        {"Mid", "<implements name='L.IDeep'/>", UNKNOWN},
        {"Mid", "<derives-from name='System.Object'/>", UNKNOWN},
        {"Plain", "<implements name='L.IDeep'/>", NO}, /* System.Object implements nothing */
        {"Plain", "<derives-from name='L.Other'/>", NO},
        {"Struct", "<implements name='L.IDeep'/>", UNKNOWN},
        {"Struct", "<derives-from name='L.Other'/>", NO},
    };
    RT_CHECK(&((struct two *)*state)->alone, unresolved);
}

static void test_details(void **state)
{
    static const struct {
        const char *method;
        const char *conditions;
        const char *detail;
    } details[] = {
        {"Lost", "<implements name='X'/>",
         "what G.What derives from is not known: it could not be found"},
        {"Bad", "<derives-from name='X'/>",
         "a type that it derives from has a signature that is not valid, or too long"},
        {"Grow", "<implements name='X'/>", "its base types "},
        {"none", "<source file='a.cs'/>", "its source file is not known: no symbols are at hand"},
    };
    for (size_t i = 0; i < COUNT(details); i++) {
        struct ilp_selection selection;
        rt_select(&((struct two *)*state)->app, details[i].method, details[i].conditions,
                  ILP_TARGET_AUTO, &selection);
        assert_int_equal(selection.included, ILP_UNKNOWN);
        assert_int_equal(strncmp(selection.detail, details[i].detail, strlen(details[i].detail)),
                         0);
    }
}

/* The key that ECMA-335 gives the standard libraries (II.6.2.1.3), and its well-known token. */
static void test_key_token(void **state)
{
    static const struct rt_case keyed[] = {
        {"M", "<assembly public-key-token='b77a5c561934e089'/>", YES},
        {"M", "<assembly public-key-token='B77A5C561934E089' name='Keyed'/>", YES},
        {"M", "<assembly public-key-token='b77a5c561934e080'/>", NO},
        {"M", "<assembly public-key-token='none'/>", NO},
        {"M", "<not><assembly public-key-token='none'/></not>", YES},
    };
    struct ib_image b;
    struct rt_app app = {0};
    (void)state;
    ii_begin(&b, "Keyed");
    ib_set(&b, ILP_Assembly, 1, ILP_Assembly_Flags, 1);
    ib_set(&b, ILP_Assembly, 1, ILP_Assembly_PublicKey,
           ii_blob(&b, "00 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00"));
    type_with_method(&b, "M", II_OBJECT);
    app.image = built_root(&b);
    RT_CHECK(&app, keyed);
    close_built(app.image);
}

/* The n-th allocation fails, and the query can be repeated. */
static void test_memory_fails(void **state)
{
    const struct rt_app *app = &((struct two *)*state)->app;
    struct ilp_rules *rules = rt_rules(
        "<rules><include><implements name='x'/></include><include><derives-from like='x*'/>"
        "</include><include><parameter type='int[]'/></include></rules>");
    struct memory memory = {0};
    size_t calls = 1;
    ilp_rid endless = ILP_TOKEN_RID(rt_method(app->image, "Grow")); /* one time is enough for it */
    for (size_t n = 0; n <= calls; n++) { /* first without a failure, to count */
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_selector *selector;
        memory = (struct memory){.fail_at = n};
        ilp_status status = ilp_selector_open(&selector, rules, app->image, &app->resolver,
                                              ILP_TARGET_AUTO, &allocator, NULL);
        for (ilp_rid rid = 1; status == ILP_OK && rid <= ilp_row_count(app->image, ILP_MethodDef);
             rid++) {
            struct ilp_selection selection;
            status = rid == endless
                         ? ILP_OK
                         : ilp_select(selector, ILP_TOKEN(ILP_MethodDef, rid), &selection, NULL);
            if (status != ILP_OK) {
                assert_int_equal(status, ILP_E_NO_MEMORY);
                assert_true(memory.calls >= n && n != 0);
                status = ilp_select(selector, ILP_TOKEN(ILP_MethodDef, rid), &selection, NULL);
                assert_int_equal(status, ILP_OK);
            }
        }
        calls = n == 0 ? memory.calls : calls;
        ilp_selector_close(selector);
        memory_is_empty(&memory);
    }
    ilp_rules_close(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),        cmocka_unit_test(test_unresolved),
        cmocka_unit_test(test_details),      cmocka_unit_test(test_key_token),
        cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
