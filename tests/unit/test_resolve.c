/* src/metadata/resolve.c: references followed over several modules that are served from memory. */
#include "tests/unit/inspect_image.h"

static struct ilpi_type_def resolved(struct ilp_image *image, ilp_token token,
                                     const struct ilp_resolver *resolver)
{
    return ilpi_resolve_type(image, token, resolver);
}

static void is_found(struct ilpi_type_def found, const struct ilp_image *image, const char *name)
{
    assert_ptr_equal(found.image, image);
    assert_string_equal(name_at(image, ILP_TypeDef, found.rid, ILP_TypeDef_TypeName), name);
}

static void is_not_found(struct ilpi_type_def found)
{
    assert_null(found.image);
}

static ilp_token forward(struct ib_image *b, const char *name_space, const char *name,
                         ilp_token implementation)
{
    return ILP_TOKEN(ILP_ExportedType, IB_ROW(b, ExportedType, 0x200000, 0, ib_string(b, name),
                                              ib_string(b, name_space), implementation));
}

static void nest(struct ib_image *b, ilp_token inner, ilp_token outer)
{
    IB_ROW(b, NestedClass, ILP_TOKEN_RID(inner), ILP_TOKEN_RID(outer));
}

/* A TypeDef is what it is; a TypeRef into the own module, or of no scope at all, is looked up
 * there. */
static void test_own_module(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token type = ii_type(&b, "A", "Own", II_OBJECT);
    ilp_token other = ii_type(&b, "B", "Own", II_OBJECT);
    ilp_token by_module = ii_type_ref(&b, ILP_TOKEN(ILP_Module, 1), "B", "Own");
    ilp_token by_nothing = ii_type_ref(&b, 0, "B", "Own");
    ilp_token missing = ii_type_ref(&b, ILP_TOKEN(ILP_Module, 1), "C", "Own");
    ilp_token in_file = ii_type_ref(&b, ILP_TOKEN(ILP_ModuleRef, 1), "A", "Own");
    IB_ROW(&b, ModuleRef, ib_string(&b, "Other.netmodule"));
    struct ilp_image *app = built_root(&b);
    assert_int_equal(resolved(app, type, NULL).rid, ILP_TOKEN_RID(type));
    assert_int_equal(resolved(app, by_module, NULL).rid, ILP_TOKEN_RID(other));
    assert_int_equal(resolved(app, by_nothing, NULL).rid, ILP_TOKEN_RID(other));
    is_not_found(resolved(app, missing, NULL));
    is_not_found(resolved(app, in_file, NULL));
    close_built(app);
}

static void test_other_assembly(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ib_image b;
    ii_begin(&b, "Lib");
    ilp_token outer = ii_type(&b, "L", "Outer", II_OBJECT);
    ilp_token middle = ii_type(&b, "", "Middle", II_OBJECT);
    ilp_token inner = ii_type(&b, "", "Inner", II_OBJECT);
    nest(&b, middle, outer);
    nest(&b, inner, middle);
    ii_serve(&assemblies, &b);

    ii_begin(&b, "App");
    ilp_token lib = ii_assembly_ref(&b, "Lib");
    ilp_token gone = ii_assembly_ref(&b, "Gone");
    ilp_token outer_ref = ii_type_ref(&b, lib, "L", "Outer");
    ilp_token middle_ref = ii_type_ref(&b, outer_ref, "", "Middle");
    ilp_token inner_ref = ii_type_ref(&b, middle_ref, "", "Inner");
    ilp_token not_nested = ii_type_ref(&b, lib, "", "Middle");
    ilp_token not_there = ii_type_ref(&b, outer_ref, "", "Inner");
    ilp_token not_in_lib = ii_type_ref(&b, lib, "L", "Missing");
    ilp_token in_gone = ii_type_ref(&b, gone, "L", "Outer");
    ilp_token nested_in_gone = ii_type_ref(&b, in_gone, "", "Middle");
    struct ilp_image *app = built_root(&b);
    is_found(resolved(app, outer_ref, &resolver), assemblies.images[0], "Outer");
    is_found(resolved(app, middle_ref, &resolver), assemblies.images[0], "Middle");
    is_found(resolved(app, inner_ref, &resolver), assemblies.images[0], "Inner");
    is_not_found(resolved(app, not_nested, &resolver));
    is_not_found(resolved(app, not_there, &resolver));
    is_not_found(resolved(app, not_in_lib, &resolver));
    is_not_found(resolved(app, in_gone, &resolver));
    is_not_found(resolved(app, nested_in_gone, &resolver));
    is_not_found(resolved(app, outer_ref, NULL));
    is_not_found(resolved(app, outer_ref, &(struct ilp_resolver){0}));
    close_built(app);
    ii_close(&assemblies);
}

/* Facade 1 forwards to facade 2, and so on; the last one has the type, with another one inside. */
static struct ilpi_type_def through_facades(unsigned count, bool nested)
{
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ib_image b;
    char name[16];
    for (unsigned i = 1; i <= count; i++) {
        snprintf(name, sizeof name, "F%u", i);
        ii_begin_bare(&b, name);
        snprintf(name, sizeof name, "F%u", i + 1);
        ilp_token next = ii_assembly_ref(&b, name);
        if (i == count) {
            ilp_token type = ii_type(&b, "F", "Type", 0);
            nest(&b, ii_type(&b, "", "Inner", 0), type);
        } else {
            /* nested ones are listed, too */
            forward(&b, "", "Inner", forward(&b, "F", "Type", next));
        }
        ii_serve(&assemblies, &b);
    }
    ii_begin_bare(&b, "App");
    ilp_token type = ii_type_ref(&b, ii_assembly_ref(&b, "F1"), "F", "Type");
    ilp_token inner = ii_type_ref(&b, type, "", "Inner");
    struct ilp_image *app = built_root(&b);
    struct ilpi_type_def found = resolved(app, nested ? inner : type, &resolver);
    if (found.image) {
        is_found(found, assemblies.images[count - 1], nested ? "Inner" : "Type");
    }
    assert_int_equal(assemblies.opened, count);
    close_built(app);
    ii_close(&assemblies);
    return found;
}

static void test_forwards(void **state)
{
    (void)state;
    assert_non_null(through_facades(1, false).image);
    assert_non_null(through_facades(2, false).image);
    assert_non_null(through_facades(8, false).image);
    assert_non_null(through_facades(2, true).image);
    assert_non_null(through_facades(8, true).image);
}

/* A forwards to B, B to A, and C to itself: the step limit ends it. */
static void test_forward_cycles(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    static const char *const names[][2] = {{"A", "B"}, {"B", "A"}, {"C", "C"}};
    struct ib_image b;
    for (size_t i = 0; i < COUNT(names); i++) {
        ii_begin_bare(&b, names[i][0]);
        forward(&b, "F", "Type", ii_assembly_ref(&b, names[i][1]));
        ii_serve(&assemblies, &b);
    }
    ii_begin_bare(&b, "App");
    ilp_token in_a = ii_type_ref(&b, ii_assembly_ref(&b, "A"), "F", "Type");
    ilp_token in_c = ii_type_ref(&b, ii_assembly_ref(&b, "C"), "F", "Type");
    ilp_token inner = ii_type_ref(&b, in_c, "", "Inner");
    struct ilp_image *app = built_root(&b);
    is_not_found(resolved(app, in_a, &resolver));
    is_not_found(resolved(app, in_c, &resolver));
    is_not_found(resolved(app, inner, &resolver));
    assert_true(assemblies.opened < 100);
    close_built(app);
    ii_close(&assemblies);
}

/* What an ExportedType may say besides: another file of the assembly, nothing, a row that is not
 * there. */
static void test_other_exports(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ib_image b;
    ii_begin_bare(&b, "Lib");
    forward(&b, "L", "InFile", ILP_TOKEN(ILP_File, 1));
    forward(&b, "L", "Nowhere", 0);
    forward(&b, "L", "NoRow", ILP_TOKEN(ILP_AssemblyRef, 9));
    ii_serve(&assemblies, &b);
    ii_begin_bare(&b, "App");
    ilp_token lib = ii_assembly_ref(&b, "Lib");
    ilp_token in_file = ii_type_ref(&b, lib, "L", "InFile");
    ilp_token nowhere = ii_type_ref(&b, lib, "L", "Nowhere");
    ilp_token no_row = ii_type_ref(&b, lib, "L", "NoRow");
    struct ilp_image *app = built_root(&b);
    is_not_found(resolved(app, in_file, &resolver));
    is_not_found(resolved(app, nowhere, &resolver));
    is_not_found(resolved(app, no_row, &resolver));
    close_built(app);
    ii_close(&assemblies);
}

/* Files of one assembly, served by name. */
static struct ilp_image *open_file(void *user, const struct ilp_image *image, const char *file)
{
    struct ii_assemblies *files = user;
    (void)image;
    files->opened++;
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(name_at(files->images[i], ILP_Module, 1, ILP_Module_Name), file) == 0) {
            return files->images[i];
        }
    }
    return NULL;
}

/* An assembly's other file has a type: found through ModuleRef, and from elsewhere through
 * ExportedType and File. The file itself refers back to the manifest's, where a type without a
 * scope is an exported one. */
static void test_modules(void **state)
{
    (void)state;
    struct ii_assemblies files = {.count = 0};
    struct ilp_resolver resolver = {.user = &files, .open = ii_open, .open_module = open_file};
    struct ib_image b;
    ib_begin(&b);
    b.sorted = 0;
    IB_ROW(&b, Module, 0, ib_string(&b, "Part.netmodule"), ib_guid(&b, 0x5B), 0, 0);
    ii_type(&b, "P", "Type", 0);
    ilp_token back = ii_type_ref(
        &b, ILP_TOKEN(ILP_ModuleRef, IB_ROW(&b, ModuleRef, ib_string(&b, "Lib"))), "L", "Type");
    ii_serve(&files, &b);
    ii_begin_bare(&b, "Lib");
    ii_type(&b, "L", "Type", 0);
    ilp_token file = ILP_TOKEN(ILP_File, IB_ROW(&b, File, 0, ib_string(&b, "Part.netmodule"), 0));
    ilp_token gone = ILP_TOKEN(ILP_File, IB_ROW(&b, File, 0, ib_string(&b, "Gone.netmodule"), 0));
    forward(&b, "P", "Type", file);
    forward(&b, "P", "Gone", gone);
    forward(&b, "P", "NoName", ILP_TOKEN(ILP_File, IB_ROW(&b, File, 0, 0, 0)));
    ilp_token module = ILP_TOKEN(ILP_ModuleRef,
                                 IB_ROW(&b, ModuleRef, ib_string(&b, "Part.netmodule")));
    ilp_token direct = ii_type_ref(&b, module, "P", "Type");
    ilp_token missing = ii_type_ref(&b, module, "P", "Missing");
    ilp_token no_module = ii_type_ref(&b, ILP_TOKEN(ILP_ModuleRef, 9), "P", "Type");
    ilp_token exported = ii_type_ref(&b, 0, "P", "Type");
    ii_serve(&files, &b);
    ii_begin_bare(&b, "App");
    ilp_token lib = ii_assembly_ref(&b, "Lib");
    ilp_token outside = ii_type_ref(&b, lib, "P", "Type");
    ilp_token in_gone = ii_type_ref(&b, lib, "P", "Gone");
    ilp_token no_name = ii_type_ref(&b, lib, "P", "NoName");
    struct ilp_image *app = built_root(&b);
    is_found(resolved(files.images[0], back, &resolver), files.images[1], "Type");
    is_found(resolved(files.images[1], direct, &resolver), files.images[0], "Type");
    is_found(resolved(files.images[1], exported, &resolver), files.images[0], "Type");
    is_found(resolved(app, outside, &resolver), files.images[0], "Type");
    is_not_found(resolved(files.images[1], missing, &resolver));
    is_not_found(resolved(files.images[1], no_module, &resolver));
    is_not_found(resolved(app, in_gone, &resolver));
    is_not_found(resolved(app, no_name, &resolver));
    resolver.open_module = NULL;
    is_not_found(resolved(files.images[1], direct, &resolver));
    is_not_found(resolved(app, outside, &resolver));
    close_built(app);
    ii_close(&files);
}

static void test_wrong_tokens(void **state)
{
    (void)state;
    static const ilp_token wrong[] = {
        0,
        ILP_TOKEN(ILP_TypeDef, 0),
        ILP_TOKEN(ILP_TypeDef, 3),
        ILP_TOKEN(ILP_TypeDef, 0xFFFFFF),
        ILP_TOKEN(ILP_TypeRef, 0),
        ILP_TOKEN(ILP_TypeRef, 99),
        ILP_TOKEN(ILP_TypeRef, 0xFFFFFF),
        ILP_TOKEN(ILP_TypeSpec, 1),
        ILP_TOKEN(ILP_MethodDef, 1),
        0xFFFFFFFF,
    };
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "A", "Own", II_OBJECT);
    ilp_token itself = ii_type_ref(&b, ILP_TOKEN(ILP_TypeRef, 4), "A", "Own");
    ilp_token one = ii_type_ref(&b, ILP_TOKEN(ILP_TypeRef, 6), "A", "Own");
    ilp_token another = ii_type_ref(&b, one, "A", "Own");
    ilp_token no_scope = ii_type_ref(&b, ILP_TOKEN(ILP_AssemblyRef, 99), "A", "Own");
    ilp_token no_outer = ii_type_ref(&b, ILP_TOKEN(ILP_TypeRef, 99), "A", "Own");
    ilp_token no_name = ILP_TOKEN(ILP_TypeRef, IB_ROW(&b, TypeRef, II_MSCORLIB, 0xFFFF, 0xFFFF));
    struct ilp_image *app = built_root(&b);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        is_not_found(resolved(app, wrong[i], &resolver));
    }
    is_not_found(resolved(app, itself, &resolver));
    is_not_found(resolved(app, one, &resolver));
    is_not_found(resolved(app, another, &resolver));
    is_not_found(resolved(app, no_scope, &resolver));
    is_not_found(resolved(app, no_outer, &resolver));
    is_not_found(resolved(app, no_name, &resolver));
    close_built(app);
    ii_close(&assemblies);
}

/* References nested 31 deep resolve, deeper ones do not, and neither takes long. */
static void test_depth(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin_bare(&b, "App");
    ilp_token outer = 0;
    ilp_token scope = ILP_TOKEN(ILP_Module, 1);
    for (unsigned i = 0; i < 40; i++) {
        ilp_token type = ii_type(&b, "", "T", 0);
        if (outer != 0) {
            nest(&b, type, outer);
        }
        outer = type;
        scope = ii_type_ref(&b, scope, "", "T");
    }
    struct ilp_image *app = built_root(&b);
    assert_int_equal(resolved(app, ILP_TOKEN(ILP_TypeRef, 31), NULL).rid, 32);
    is_not_found(resolved(app, ILP_TOKEN(ILP_TypeRef, 40), NULL));
    close_built(app);
}

/* ---- identities ---- */

static void test_identity(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, Module, 0, ib_string(&b, "x.netmodule"), 0, 0, 0);
    IB_ROW(&b, AssemblyRef, 1, 2, 3, 65535, 0x101, IB_BLOB(&b, 1, 2, 3), ib_string(&b, "Ref"),
           ib_string(&b, "de"), 0);
    struct ilp_image *module = built_root(&b);
    struct ilp_assembly_name name;
    assert_false(ilp_image_assembly_name(module, &name));
    ilpi_assembly_ref_name(module, 1, &name);
    assert_string_equal(name.name, "Ref");
    assert_string_equal(name.culture, "de");
    assert_int_equal(name.version[0], 1);
    assert_int_equal(name.version[1], 2);
    assert_int_equal(name.version[2], 3);
    assert_int_equal(name.version[3], 65535);
    assert_int_equal(name.flags, 0x101);
    assert_int_equal(name.key.size, 3);
    ilpi_assembly_ref_name(module, 2, &name);
    assert_string_equal(name.name, "");
    close_built(module);

    ii_begin_bare(&b, "App");
    struct ilp_image *app = built_root(&b);
    assert_true(ilp_image_assembly_name(app, &name));
    assert_string_equal(name.name, "App");
    assert_int_equal(name.version[3], 4);
    close_built(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_module),    cmocka_unit_test(test_other_assembly),
        cmocka_unit_test(test_forwards),      cmocka_unit_test(test_forward_cycles),
        cmocka_unit_test(test_other_exports), cmocka_unit_test(test_modules),
        cmocka_unit_test(test_wrong_tokens),  cmocka_unit_test(test_depth),
        cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
