/* src/inspect/core_scope.c: which AssemblyRef refers to the core library. */
#include "tests/unit/inspect_image.h"

/* Looks for it as a rewriter does that has just been opened. */
static void find(struct ilp_image *image, const struct ilp_resolver *resolver, ilp_token *scope,
                 struct ilp_assembly_name *name)
{
    struct ilpi_core_scope core = ilpi_core_scope_find(image, resolver);
    *scope = core.token;
    *name = core.name;
}

static ilp_token scope_of(struct ilp_image *image, const struct ilp_resolver *resolver)
{
    ilp_token scope;
    struct ilp_assembly_name name;
    find(image, resolver, &scope, &name);
    return scope;
}

/* A module with two AssemblyRefs, [1]Other and [2]Core, that takes one type of System from the
 * second. */
static ilp_token scope_with(const char *name_space, const char *name)
{
    struct ib_image b;
    ii_begin_bare(&b, "App");
    ilp_token other = ii_assembly_ref(&b, "Other");
    ilp_token core = ii_assembly_ref(&b, "Core");
    ii_type_ref(&b, other, "Other", "Object");
    ii_type_ref(&b, other, "System", "Console");
    ii_type_ref(&b, core, name_space, name);
    struct ilp_image *app = built_root(&b);
    ilp_token scope = scope_of(app, NULL);
    close_built(app);
    return scope;
}

static void test_named_types(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Object",    "ValueType",         "Enum", "String", "Attribute",
        "Exception", "MulticastDelegate", "Int32"};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_equal(scope_with("System", names[i]), ILP_TOKEN(ILP_AssemblyRef, 2));
    }
    assert_int_equal(scope_with("System", "Uri"), 0);
    assert_int_equal(scope_with("Systems", "Object"), 0);
    assert_int_equal(scope_with("System", "Objects"), 0);
    assert_int_equal(scope_with("", "Object"), 0);
}

/* Facades: Object comes from one, String from another; Object decides. */
static void test_object_first(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin_bare(&b, "App");
    ilp_token strings = ii_assembly_ref(&b, "Strings");
    ilp_token objects = ii_assembly_ref(&b, "Objects");
    ii_type_ref(&b, strings, "System", "String");
    ii_type_ref(&b, ILP_TOKEN(ILP_Module, 1), "System", "Object"); /* of no assembly */
    ii_type_ref(&b, objects, "System", "Object");
    struct ilp_image *app = built_root(&b);
    assert_int_equal(scope_of(app, NULL), objects);
    close_built(app);
}

/* A module that names no such type: a reference is known by its name, in this order. */
static void test_by_reference(void **state)
{
    (void)state;
    static const char *const names[] = {"System.Private.CoreLib", "netstandard", "mscorlib",
                                        "System.Runtime"};
    for (size_t count = 0; count <= COUNT(names); count++) {
        struct ib_image b;
        ii_begin_bare(&b, "App");
        ii_assembly_ref(&b, "Other");
        ilp_token best = 0;
        for (size_t i = 0; i < count; i++) {
            best = ii_assembly_ref(&b, names[i]);
        }
        ii_type(&b, "A", "T", 0);
        struct ilp_image *app = built_root(&b);
        assert_int_equal(scope_of(app, NULL), best);
        close_built(app);
    }
}

/* App derives from Base, which derives from Lower, which knows System.Object. */
static void add_bases(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin_bare(&b, "Base");
    ii_type(&b, "B", "Base", ii_type_ref(&b, ii_assembly_ref(&b, "Lower"), "L", "Lower"));
    ii_serve(assemblies, &b);
    ii_begin_bare(&b, "Lower");
    ii_type(&b, "L", "Lower", ii_type_ref(&b, ii_assembly_ref(&b, "Core"), "System", "Object"));
    ii_serve(assemblies, &b);
}

static void test_through_bases(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    add_bases(&assemblies);
    for (unsigned has_reference = 0; has_reference < 2; has_reference++) {
        struct ib_image b;
        ii_begin_bare(&b, "App");
        ilp_token base = ii_type_ref(&b, ii_assembly_ref(&b, "Base"), "B", "Base");
        ilp_token existing = has_reference ? ii_assembly_ref(&b, "Core") : 0;
        ilp_token own = ii_type(&b, "A", "First", base);
        ii_type(&b, "A", "Second", own);
        struct ilp_image *app = built_root(&b);
        ilp_token scope;
        struct ilp_assembly_name name;
        find(app, &resolver, &scope, &name);
        assert_int_equal(scope, existing); /* reused where it is there, else to be added */
        assert_string_equal(name.name, "Core");
        assert_int_equal(name.version[0], 4);
        find(app, NULL, &scope, &name);
        assert_int_equal(scope, 0);
        assert_null(name.name);
        close_built(app);
    }
    ii_close(&assemblies);
}

/* The first base leads nowhere, the second one does not. */
static void test_one_base_missing(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    add_bases(&assemblies);
    struct ib_image b;
    ii_begin_bare(&b, "App");
    ii_type(&b, "A", "First", ii_type_ref(&b, ii_assembly_ref(&b, "Gone"), "G", "Base"));
    ii_type(&b, "A", "Second", ii_type_ref(&b, ii_assembly_ref(&b, "Base"), "B", "Base"));
    struct ilp_image *app = built_root(&b);
    ilp_token scope;
    struct ilp_assembly_name name;
    find(app, &resolver, &scope, &name);
    assert_string_equal(name.name, "Core");
    close_built(app);
    ii_close(&assemblies);
}

/* Two types that derive from each other: the walk ends. */
static void test_base_cycle(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ib_image b;
    ii_begin_bare(&b, "Base");
    ii_type(&b, "B", "Base", ii_type_ref(&b, ii_assembly_ref(&b, "Base"), "B", "Base"));
    ii_serve(&assemblies, &b);
    ii_begin_bare(&b, "App");
    ii_type(&b, "A", "T", ii_type_ref(&b, ii_assembly_ref(&b, "Base"), "B", "Base"));
    struct ilp_image *app = built_root(&b);
    assert_int_equal(scope_of(app, &resolver), 0);
    assert_true(assemblies.opened < 100);
    close_built(app);
    ii_close(&assemblies);
}

static void test_core_library(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin_bare(&b, "Core");
    ii_type(&b, "System", "String", ILP_TOKEN(ILP_TypeDef, 3));
    ii_type(&b, "System", "Object", 0);
    struct ilp_image *core = built_root(&b);
    assert_int_equal(scope_of(core, NULL), ILPI_OWN_SCOPE);
    close_built(core);

    ii_begin(&b, "NotCore"); /* someone's own System.Object derives from the real one */
    ii_type(&b, "System", "Object", II_OBJECT);
    struct ilp_image *other = built_root(&b);
    assert_int_equal(scope_of(other, NULL), II_MSCORLIB);
    close_built(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_types),      cmocka_unit_test(test_object_first),
        cmocka_unit_test(test_by_reference),     cmocka_unit_test(test_through_bases),
        cmocka_unit_test(test_one_base_missing), cmocka_unit_test(test_base_cycle),
        cmocka_unit_test(test_core_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
