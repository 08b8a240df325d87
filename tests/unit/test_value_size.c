/* src/types/value_size.c: from a signature to the size of a value, across assemblies and through
 * generic arguments. How fields are placed is test_field_layout.c's; tests/facts queries the
 * runtime about real types. */
#include "tests/unit/value_size_test.h"

#include "types/value_type.h"

/* ---- the assemblies around ---- */

/* What the tests use of mscorlib. */
static ilp_token core_type(struct ib_image *b, const char *name_space, const char *name,
                           const char *first, const char *second)
{
    ilp_token type = ii_type(b, name_space, name, ILP_TOKEN(ILP_TypeDef, 3));
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100001 | SEQUENTIAL);
    field(b, first);
    if (second) {
        field(b, second);
    }
    return type;
}

static void add_core(struct ii_assemblies *assemblies)
{
    static const char simd[] = "System.Runtime.Intrinsics";
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    ii_type(&b, "System", "ValueType", ILP_TOKEN(ILP_TypeDef, 2));
    ii_type(&b, "System", "Enum", ILP_TOKEN(ILP_TypeDef, 3));
    core_type(&b, "System", "Int32", "08", NULL);
    core_type(&b, "System", "IntPtr", "0F 01", NULL);
    core_type(&b, "System", "Nullable`1", "02", "13 00");
    core_type(&b, "System", "Int128", "0B", "0B");
    core_type(&b, "System", "RuntimeFieldHandleInternal", "18", NULL);
    core_type(&b, "System.Numerics", "Vector`1", "0B", "0B");
    core_type(&b, simd, "Vector64`1", "0B", NULL);
    ilp_token half = core_type(&b, simd, "Vector128`1", "0B", "0B");
    const char *halves = instance(half, 1, "13 00");
    core_type(&b, simd, "Vector256`1", halves, halves);
    ii_type(&b, "System", "Void", ILP_TOKEN(ILP_TypeDef, 3));
    ii_serve(assemblies, &b);
}

/* Its TypeDefs have other rids than the App's, so a token that is read in the wrong image shows. */
static void add_lib(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin(&b, "Lib");
    ilp_token gone = ii_type_ref(&b, ii_assembly_ref(&b, "Gone"), "G", "What");
    for (unsigned i = 0; i < 5; i++) {
        ii_type(&b, "N", "Filler", II_OBJECT);
    }
    ii_type(&b, "N", "Pair`2", II_VALUE_TYPE);
    field(&b, "13 00");
    field(&b, "13 01");
    ii_type(&b, "N", "Holder`1", II_VALUE_TYPE);
    field(&b, "1D 13 00");
    field(&b, "08");
    ilp_token lost = ii_type(&b, "N", "Lost", II_VALUE_TYPE);
    field(&b, value(gone));
    ii_type(&b, "N", "Color", II_ENUM);
    field(&b, "06");
    ii_type(&b, "System", "Int128", II_VALUE_TYPE); /* not the one of the core library */
    field(&b, "0B");
    field(&b, "0B");
    ii_type(&b, "N", "HoldsLost", II_VALUE_TYPE);
    field(&b, value(lost));
    ii_serve(assemblies, &b);
}

/* The assembly's attribute alone distinguishes a reference assembly from another. */
static void add_reference(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin(&b, "Ref");
    ilp_token attribute = ii_type_ref(&b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                      "ReferenceAssemblyAttribute");
    ii_attribute(&b, ILP_TOKEN(ILP_Assembly, 1), attribute);
    ii_type(&b, "N", "Date", II_VALUE_TYPE);
    field(&b, "08");
    ii_type(&b, "N", "Day", II_ENUM);
    field(&b, "05");
    ii_type(&b, "System", "Object", 0);
    ii_type(&b, "System", "Int32", II_VALUE_TYPE);
    ii_serve(assemblies, &b);
}

struct world {
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
    struct ib_image b; /* of App, being made */
    ilp_token lib;
    ilp_token ref;
};

static void world_begin(struct world *world)
{
    world->assemblies = (struct ii_assemblies){.count = 0};
    world->resolver = ii_resolver(&world->assemblies);
    add_core(&world->assemblies);
    add_lib(&world->assemblies);
    add_reference(&world->assemblies);
    ii_begin(&world->b, "App");
    world->lib = ii_assembly_ref(&world->b, "Lib");
    world->ref = ii_assembly_ref(&world->b, "Ref");
}

static void world_end(struct world *world, struct ilp_image *app)
{
    close_built(app);
    ii_close(&world->assemblies);
}

/* ---- tests ---- */

static void test_elements(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint32_t size8;
        uint32_t size4;
    } cases[] = {
        {"02", 1, 1},
        {"03", 2, 2},
        {"04", 1, 1},
        {"05", 1, 1},
        {"06", 2, 2},
        {"07", 2, 2},
        {"08", 4, 4},
        {"09", 4, 4},
        {"0A", 8, 8},
        {"0B", 8, 8},
        {"0C", 4, 4},
        {"0D", 8, 8},
        {"18", 8, 4},
        {"19", 8, 4},
        {"0E", 8, 4},
        {"1C", 8, 4},
        {"16", 16, 8},
        {"0F 01", 8, 4},
        {"10 05", 8, 4},
        {"1D 05", 8, 4},
        {"14 05 02 00 00", 8, 4},
        {"1B 00 00 01", 8, 4},
        {"12 05", 8, 4},
        {"15 12 05 01 05", 8, 4},
        {"20 05 05", 1, 1},
        {"1F 05 20 05 0D", 8, 8},
        {"01", 0, 0},
        {"13 00", 0, 0},
        {"1E 00", 0, 0},
        /* TypeSpec; rows that are not there */
        {"11 06", 0, 0},
        {"11 BF FC", 0, 0},
        {"11 BF FD", 0, 0},
    };
    struct ib_image b;
    ii_begin(&b, "App");
    struct ilp_image *app = built_root(&b);
    for (size_t i = 0; i < COUNT(cases); i++) {
        check(app, NULL, cases[i].type, cases[i].size8, cases[i].size4);
    }
    assert_int_equal(measure(app, NULL, 8, "13 00").unresolved, 0);
    close_built(app);
}

static void test_definitions(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token empty = add_struct(&b, SEQUENTIAL);
    ilp_token fields = add_struct(&b, SEQUENTIAL);
    flagged_field(&b, STATIC, "0D");
    field(&b, "05");
    flagged_field(&b, LITERAL, value(fields));
    field(&b, "20 05 07"); /* modopt */
    flagged_field(&b, STATIC, "1C");
    ilp_token sequential = struct_of(&b, "05", "0A");
    IB_ROW(&b, ClassLayout, 2, 0, sequential & 0xFFFFFF);
    ilp_token sized = struct_of(&b, "08", NULL);
    IB_ROW(&b, ClassLayout, 0, 9, sized & 0xFFFFFF);
    ilp_token automatic = add_struct(&b, AUTO);
    field(&b, "05");
    field(&b, "0A");
    field(&b, "05");
    IB_ROW(&b, ClassLayout, 1, 99, automatic & 0xFFFFFF);
    ilp_token explicit = add_struct(&b, EXPLICIT);
    IB_ROW(&b, FieldLayout, 0, field(&b, "08"));
    IB_ROW(&b, FieldLayout, 2, field(&b, "07"));
    ilp_token half_explicit = add_struct(&b, EXPLICIT);
    IB_ROW(&b, FieldLayout, 0, field(&b, "08"));
    field(&b, "08");
    ilp_token object = struct_of(&b, class_of(II_OBJECT), "05");
    ilp_token nested = struct_of(&b, value(sized), value(object));
    ilp_token as_class = type_of(&b, "C", AUTO, II_OBJECT);
    field(&b, "05");
    ilp_token plain_enum = type_of(&b, "E", AUTO, II_ENUM);
    flagged_field(&b, LITERAL, value(plain_enum));
    field(&b, "06");
    flagged_field(&b, LITERAL, value(plain_enum));
    ilp_token empty_enum = type_of(&b, "E", AUTO, II_ENUM);
    ilp_token struct_enum = type_of(&b, "E", AUTO, II_ENUM);
    field(&b, value(fields));
    ilp_token holds_enum = add_struct(&b, AUTO); /* an enum is a scalar: goes before the struct */
    field(&b, value(fields));
    field(&b, value(plain_enum));
    ilp_token broken = struct_of(&b, "05", "21 00");
    struct ilp_image *app = built_root(&b);
    check(app, NULL, value(empty), 1, 1);
    check(app, NULL, value(fields), 4, 4);
    check(app, NULL, value(sequential), 10, 10);
    check(app, NULL, value(sized), 9, 9);
    check(app, NULL, value(automatic), 16, 12);
    check(app, NULL, value(explicit), 4, 4);
    check(app, NULL, value(half_explicit), 0, 0);
    check(app, NULL, value(object), 16, 8);
    check(app, NULL, value(nested), 32, 20);
    check(app, NULL, value(as_class), 0, 0);
    check(app, NULL, value(plain_enum), 2, 2);
    check(app, NULL, value(empty_enum), 0, 0);
    check(app, NULL, value(struct_enum), 0, 0);
    check(app, NULL, value(holds_enum), 8, 8);
    check(app, NULL, value(broken), 0, 0);
    check(app, NULL, text_of("1F 05 %s", value(sized)), 9, 9);
    close_built(app);
}

static void test_generics(void **state)
{
    (void)state;
    struct world world;
    struct ib_image *b = &world.b;
    world_begin(&world);
    ilp_token pair = ii_type_ref(b, world.lib, "N", "Pair`2");
    ilp_token holder = ii_type_ref(b, world.lib, "N", "Holder`1");
    ilp_token color = ii_type_ref(b, world.lib, "N", "Color");
    ilp_token nullable = ii_type_ref(b, II_MSCORLIB, "System", "Nullable`1");
    ilp_token missing = ii_type_ref(b, world.lib, "N", "Missing");
    ilp_token three = add_struct(b, SEQUENTIAL);
    field(b, "05");
    field(b, "05");
    field(b, "05");
    ilp_token twice = add_struct(b, SEQUENTIAL); /* Twice<T> { Pair<T, Pair<byte, T>>; T } */
    field(b, instance(pair, 2, text_of("13 00 %s", instance(pair, 2, "05 13 00"))));
    field(b, "13 00");
    ilp_token cycle = add_struct(b, SEQUENTIAL); /* Cycle { Holder<Cycle>; Holder<Cycle>; byte } */
    field(b, instance(holder, 1, value(cycle)));
    field(b, instance(holder, 1, value(cycle)));
    field(b, "05");
    struct ilp_image *app = built_root(b);
    const struct ilp_resolver *resolver = &world.resolver;
    check(app, resolver, instance(pair, 2, "05 05"), 2, 2);
    check(app, resolver, instance(pair, 2, "05 0A"), 16, 12);
    check(app, resolver, instance(pair, 2, "05 1C"), 16, 8);
    check(app, resolver, instance(pair, 2, text_of("%s 05", value(three))), 4, 4);
    check(app, resolver, instance(pair, 2, text_of("08 %s", value(color))), 8, 8);
    check(app, resolver, instance(nullable, 1, "05"), 2, 2);
    check(app, resolver, instance(nullable, 1, "0D"), 16, 16);
    check(app, resolver, instance(nullable, 1, value(three)), 4, 4);
    check(app, resolver, instance(nullable, 1, instance(nullable, 1, "08")), 12, 12);
    check(app, resolver, instance(twice, 1, "06"), 16, 12);
    check(app, resolver, instance(twice, 1, "1C"), 32, 16);
    check(app, resolver, value(cycle), 40, 20);
    /* an argument counts only where there is a value of it */
    check(app, resolver, instance(holder, 1, "13 00"), 16, 8);
    check(app, resolver, instance(holder, 1, value(missing)), 16, 8);
    check(app, resolver, instance(pair, 2, "05 13 00"), 0, 0);
    check(app, resolver, instance(nullable, 1, "1E 00"), 0, 0);
    check(app, resolver, value(nullable), 0, 0);         /* without its argument */
    check(app, resolver, instance(pair, 1, "05"), 0, 0); /* without one of them */
    check(app, resolver, instance(pair, 3, "05 05 0A"), 2, 2);
    assert_int_equal(measure(app, resolver, 8, instance(pair, 2, "05 13 00")).unresolved, 0);
    assert_int_equal(measure(app, resolver, 8, instance(nullable, 1, value(missing))).unresolved,
                     missing);
    world_end(&world, app);
}

static void test_core_types(void **state)
{
    (void)state;
    static const char simd[] = "System.Runtime.Intrinsics";
    struct world world;
    struct ib_image *b = &world.b;
    world_begin(&world);
    ilp_token number = ii_type_ref(b, II_MSCORLIB, "System", "Int32");
    ilp_token pointer = ii_type_ref(b, II_MSCORLIB, "System", "IntPtr");
    ilp_token wide = ii_type_ref(b, II_MSCORLIB, "System", "Int128");
    ilp_token handle = ii_type_ref(b, II_MSCORLIB, "System", "RuntimeFieldHandleInternal");
    ilp_token vector = ii_type_ref(b, II_MSCORLIB, "System.Numerics", "Vector`1");
    ilp_token vectors[] = {ii_type_ref(b, II_MSCORLIB, simd, "Vector64`1"),
                           ii_type_ref(b, II_MSCORLIB, simd, "Vector128`1"),
                           ii_type_ref(b, II_MSCORLIB, simd, "Vector256`1")};
    ilp_token other_wide = ii_type_ref(b, world.lib, "System", "Int128");
    ilp_token nothing = ii_type_ref(b, II_MSCORLIB, "System", "Void");
    ilp_token base = II_ENUM;
    ilp_token holds_wide = struct_of(b, "05", value(wide));
    ilp_token holds_other = struct_of(b, "05", value(other_wide));
    ilp_token holds_vectors[3];
    for (unsigned i = 0; i < 3; i++) {
        holds_vectors[i] = struct_of(b, "05", instance(vectors[i], 1, "05"));
    }
    ilp_token full = struct_of(b, instance(vectors[2], 1, "05"), instance(vectors[2], 1, "05"));
    ilp_token machine = struct_of(b, "05", instance(vector, 1, "05"));
    /* Int32 goes before the byte, the struct after it */
    ilp_token automatic = add_struct(b, AUTO);
    field(b, "05");
    field(b, value(number));
    field(b, value(holds_other));
    ilp_token handles = add_struct(b, AUTO);
    field(b, "05");
    field(b, value(handle));
    field(b, "05");
    struct ilp_image *app = built_root(b);
    const struct ilp_resolver *resolver = &world.resolver;
    check(app, resolver, value(number), 4, 4);
    check(app, resolver, value(pointer), 8, 4);
    check(app, resolver, value(wide), 16, 16);
    check(app, resolver, value(holds_wide), 32, 32);
    check(app, resolver, value(holds_other), 24, 20); /* Lib's is automatic: 8, or 4, are enough */
    check(app, resolver, instance(vectors[2], 1, "05"), 32, 32);
    check(app, resolver, value(holds_vectors[0]), 16, 16);
    check(app, resolver, value(holds_vectors[1]), 32, 32);
    check(app, resolver, value(holds_vectors[2]), 0, 64); /* 64 on x64, 48 on Arm */
    check(app, resolver, value(full), 64, 64);
    check(app, resolver, instance(vector, 1, "05"), 0, 0);
    check(app, resolver, value(machine), 0, 0);
    check(app, resolver, value(automatic), 32, 28);
    check(app, resolver, value(handles), 16, 8);
    check(app, resolver, value(nothing), 0, 0);
    check(app, resolver, value(base), 0, 0);
    assert_int_equal(measure(app, resolver, 8, value(machine)).unresolved, 0);
    world_end(&world, app);
}

static void test_unresolved(void **state)
{
    (void)state;
    struct world world;
    struct ib_image *b = &world.b;
    world_begin(&world);
    ilp_token missing = ii_type_ref(b, world.lib, "N", "Missing");
    ilp_token lost = ii_type_ref(b, world.lib, "N", "HoldsLost");
    ilp_token date = ii_type_ref(b, world.ref, "N", "Date");
    ilp_token day = ii_type_ref(b, world.ref, "N", "Day");
    ilp_token number = ii_type_ref(b, world.ref, "System", "Int32");
    ilp_token pair = ii_type_ref(b, world.lib, "N", "Pair`2");
    ilp_token holds_missing = struct_of(b, "05", value(missing));
    ilp_token holds_lost = struct_of(b, "05", value(lost));
    ilp_token holds_class = struct_of(b, "05", class_of(missing));
    struct ilp_image *app = built_root(b);
    const struct ilp_resolver *resolver = &world.resolver;
    const struct {
        const char *type;
        ilp_token unresolved;
    } cases[] = {
        {value(missing), missing},
        {value(holds_missing), missing}, /* the last token of this image on the way */
        {value(lost), lost},
        {value(holds_lost), lost},
        {instance(pair, 2, text_of("05 %s", value(holds_missing))), missing},
        {instance(missing, 1, "05"), missing},
        {value(date), date}, /* of a reference assembly: there, but without its fields */
        {instance(pair, 2, text_of("05 %s", value(date))), date},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value_size value_size = measure(app, resolver, 8, cases[i].type);
        assert_int_equal(value_size.size, 0);
        assert_int_equal(value_size.unresolved, cases[i].unresolved);
    }
    check(app, resolver, value(holds_class), 16, 8);
    check(app, resolver, value(day), 1, 1);
    check(app, resolver, value(number), 4, 4);
    assert_int_equal(measure(app, NULL, 8, value(day)).unresolved, day);
    world_end(&world, app);
}

/* InlineArrayAttribute with this value; the constructor is a MemberRef. */
static ilp_token array_of(struct ib_image *b, const char *element, const char *attribute)
{
    ilp_token type = struct_of(b, element, NULL);
    ilp_token attribute_type = ii_type_ref(b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                           "InlineArrayAttribute");
    ilp_rid constructor = IB_ROW(b, MemberRef, attribute_type, ib_string(b, ".ctor"),
                                 ii_blob(b, "20 01 01 08"));
    IB_ROW(b, CustomAttribute, type, ILP_TOKEN(ILP_MemberRef, constructor), ii_blob(b, attribute));
    return type;
}

static void test_inline_arrays(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token bytes = array_of(&b, "05", "01 00 07 00 00 00 00 00");
    ilp_token objects = array_of(&b, "1C", "01 00 07 00 00 00 00 00");
    ilp_token generic = array_of(&b, "13 00", "01 00 03 00 00 00 00 00");
    ilp_token none = array_of(&b, "05", "01 00 00 00 00 00 00 00");
    ilp_token negative = array_of(&b, "05", "01 00 FF FF FF FF 00 00");
    ilp_token large = array_of(&b, "05", "01 00 FF FF FF 7F 00 00");
    ilp_token cut = array_of(&b, "05", "01 00 07 00 00");
    ilp_token two = array_of(&b, "05", "01 00 02 00 00 00 00 00");
    field(&b, "05");
    ilp_token own = struct_of(&b, "05", NULL);
    ilp_token other = struct_of(&b, "07", NULL);
    ii_attribute(&b, other, ii_type_ref(&b, II_MSCORLIB, "System", "InlineArrayAttribute"));
    ii_type(&b, "System.Runtime.CompilerServices", "InlineArrayAttribute", II_OBJECT);
    ilp_token constructor = ii_method(&b, ".ctor", "20 01 01 08");
    IB_ROW(&b, CustomAttribute, own, constructor, ii_blob(&b, "01 00 05 00 00 00 00 00"));
    struct ilp_image *app = built_root(&b);
    check(app, NULL, value(bytes), 7, 7);
    check(app, NULL, value(objects), 56, 28);
    check(app, NULL, instance(generic, 1, value(bytes)), 21, 21);
    check(app, NULL, value(none), 0, 0);
    check(app, NULL, value(negative), 0, 0);
    check(app, NULL, value(large), 0, 0);
    check(app, NULL, value(cut), 1, 1);
    check(app, NULL, value(two), 0, 0);
    check(app, NULL, value(own), 5, 5);
    check(app, NULL, value(other), 2, 2);
    close_built(app);
}

/* System.Enum extends System.ValueType, and is a class; another assembly may have a struct of that
 * name. */
static void test_value_type_definitions(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ilp_token object = ii_type(&b, "System", "Object", 0);
    ilp_token base = ii_type(&b, "System", "ValueType", object);
    ilp_token enumeration = ii_type(&b, "System", "Enum", base);
    ilp_token structure = ii_type(&b, "System", "Int32", base);
    ilp_token color = ii_type(&b, "System", "DayOfWeek", enumeration);
    struct ilp_image *core = built_root(&b);
    assert_false(ilpi_is_value_type_def(core, ILP_TOKEN_RID(object)));
    assert_false(ilpi_is_value_type_def(core, ILP_TOKEN_RID(base)));
    assert_false(ilpi_is_value_type_def(core, ILP_TOKEN_RID(enumeration)));
    assert_false(ilpi_is_enum_def(core, ILP_TOKEN_RID(enumeration)));
    assert_true(ilpi_is_value_type_def(core, ILP_TOKEN_RID(structure)));
    assert_false(ilpi_is_enum_def(core, ILP_TOKEN_RID(structure)));
    assert_true(ilpi_is_value_type_def(core, ILP_TOKEN_RID(color)));
    assert_true(ilpi_is_enum_def(core, ILP_TOKEN_RID(color)));
    close_built(core);

    ii_begin(&b, "App");
    ilp_token own = ii_type(&b, "System", "Enum", II_VALUE_TYPE);
    struct ilp_image *app = built_root(&b);
    assert_true(ilpi_is_value_type_def(app, ILP_TOKEN_RID(own)));
    assert_false(ilpi_is_enum_def(app, ILP_TOKEN_RID(own)));
    close_built(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_generics),
        cmocka_unit_test(test_core_types),
        cmocka_unit_test(test_unresolved),
        cmocka_unit_test(test_inline_arrays),
        cmocka_unit_test(test_value_type_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
