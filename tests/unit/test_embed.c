/* Grafts: an inspector with something of everything comes out in the module as it was; what is
 * embedded is recognised; what cannot be embedded is refused before anything changes.
 */
#include "tests/unit/embed_inspector.h"
#include "inspect/reasons.h"

/* The module with the inspector in it. */
static struct ilp_image *embedded(struct world *world)
{
    struct ilp_error error = {0};
    struct ilp_edit *edit = open_edit(world->to);
    if (inspect(world, world->to, edit, true, NULL, &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
    struct ilp_image *after = rewritten(edit, NULL);
    ilp_edit_close(edit);
    return after;
}

/* ---- what comes out ---- */

/* The added TypeDefs: `type` of the inspector is the one after those that the module had. */
enum { SHIFT = 1, METHODS = 1 };

static const char *text_of(const struct ilp_image *image, ilp_rid method, struct ilp_arena *arena)
{
    const char *text;
    assert_int_equal(ilp_method_text(image, ILP_TOKEN(ILP_MethodDef, method), arena, &text, NULL),
                     ILP_OK);
    return text;
}

/* A text with every mark taken out. */
static void strip(char *text)
{
    static const char mark[] = "<ilpatch:Inspector>.";
    char *at;
    while ((at = strstr(text, mark)) != NULL) {
        memmove(at, at + sizeof mark - 1, strlen(at + sizeof mark - 1) + 1);
    }
}

static void signatures_and_names(void **state)
{
    struct world world;
    struct ilp_arena *arena;
    (void)state;
    begin(&world);
    struct ilp_image *after = embedded(&world);
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_row_count(after, ILP_TypeDef), 2 + 5);
    assert_int_equal(ilp_row_count(after, ILP_MethodDef), METHODS + 7);
    assert_int_equal(ilp_row_count(after, ILP_AssemblyRef), 1);
    for (ilp_rid method = 1; method <= 7; method++) {
        char text[512];
        snprintf(text, sizeof text, "%s", text_of(after, METHODS + method, arena));
        strip(text);
        assert_string_equal(text, text_of(world.from, method, arena));
    }
    assert_string_equal(name_at(after, ILP_TypeDef, 3, ILP_TypeDef_TypeNamespace),
                        "<ilpatch:Inspector>.Test");
    assert_string_equal(name_at(after, ILP_TypeDef, 3, ILP_TypeDef_TypeName), "Inspector");
    assert_int_equal(ilp_cell(after, ILP_TypeDef, 3, ILP_TypeDef_Flags),
                     0x00100000); /* not public */
    assert_string_equal(name_at(after, ILP_TypeDef, 5, ILP_TypeDef_TypeNamespace), "");
    assert_int_equal(ilp_cell(after, ILP_TypeDef, 5, ILP_TypeDef_Flags), 0x3);
    ilp_arena_close(arena);
    close_built(after);
    close_world(&world);
}

static void rows(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    struct ilp_image *after = embedded(&world);
    static const struct {
        unsigned table;
        uint32_t rows;
    } expected[] = {
        {ILP_Field, 6},           {ILP_Param, 2},
        {ILP_InterfaceImpl, 1},   {ILP_Constant, 2},
        {ILP_FieldMarshal, 1},    {ILP_ClassLayout, 1},
        {ILP_FieldLayout, 1},     {ILP_FieldRVA, 1},
        {ILP_NestedClass, 2},     {ILP_PropertyMap, 1},
        {ILP_Property, 1},        {ILP_EventMap, 1},
        {ILP_Event, 1},           {ILP_MethodImpl, 1},
        {ILP_GenericParam, 2},    {ILP_GenericParamConstraint, 1},
        {ILP_MethodSemantics, 2}, {ILP_MethodSpec, 1},
        {ILP_StandAloneSig, 1},   {ILP_CustomAttribute, 2},
    };
    for (size_t i = 0; i < COUNT(expected); i++) {
        if (ilp_row_count(after, expected[i].table) != expected[i].rows) {
            fail_msg("%s has %u rows", ilp_table_name(expected[i].table),
                     ilp_row_count(after, expected[i].table));
        }
    }
    assert_int_equal(ilp_enclosing_type(after, GI_SHOWER + SHIFT), GI_INSPECTOR + SHIFT);
    assert_int_equal(ilp_enclosing_type(after, GI_BYTES + SHIFT), GI_INSPECTOR + SHIFT);
    assert_int_equal(ilp_cell(after, ILP_MethodImpl, 1, ILP_MethodImpl_MethodBody),
                     ILP_TOKEN(ILP_MethodDef, METHODS + GI_SHOW_IT_HERE));
    assert_int_equal(ilp_owner_of_field(after, GI_TWO), GI_KIND + SHIFT);
    assert_string_equal(name_at(after, ILP_Property, 1, ILP_Property_Name), "Item");
    /* by Owner: that of the type comes first, and its constraint goes with the method's */
    assert_string_equal(name_at(after, ILP_GenericParam, 1, ILP_GenericParam_Name), "T");
    assert_int_equal(
        ilp_cell(after, ILP_GenericParamConstraint, 1, ILP_GenericParamConstraint_Owner), 2);
    assert_true(ilpi_has_attribute(after, ILP_TOKEN(ILP_Field, GI_COUNT), "System",
                                   "ThreadStaticAttribute"));
    close_built(after);
    close_world(&world);
}

static void data_and_attributes(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    struct ilp_image *after = embedded(&world);
    uint32_t rva = ilp_cell(after, ILP_FieldRVA, 1, ILP_FieldRVA_RVA);
    assert_int_equal(rva % 8, 0);
    assert_memory_equal(ilp_image_rva(after, rva, NULL).data, "\1\2\3\4\5", 5);
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(after, ILP_CustomAttribute,
                                     ilpi_token_to_coded(ILPI_CODED_HasCustomAttribute,
                                                         ILP_TOKEN(ILP_TypeDef, GI_SHOWER + SHIFT)),
                                     &position);
    struct ilp_bytes value =
        ilp_blob(after, ilp_cell(after, ILP_CustomAttribute, row, ILP_CustomAttribute_Value));
    static const char renamed[] = "\1\0\x1D<ilpatch:Inspector>.Test.Kind\0";
    assert_int_equal(value.size, sizeof renamed);
    assert_memory_equal(value.data, renamed, value.size);
    close_built(after);
    close_world(&world);
}

/* The code of MyInspector(object, string) in the inspector. */
static const uint8_t *code_of(const struct ilp_image *image)
{
    uint32_t rva = ilp_cell(image, ILP_MethodDef, GI_MY_NAME, ILP_MethodDef_RVA);
    return ilp_image_rva(image, rva, NULL).data + 12;
}

/* Every kind of token in code leads to what it led to. */
static void bodies(void **state)
{
    struct world world;
    struct ilp_arena *arena;
    (void)state;
    begin(&world);
    struct ilp_image *after = embedded(&world);
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    uint64_t offset;
    uint32_t rva = ilp_cell(after, ILP_MethodDef, METHODS + GI_MY_NAME, ILP_MethodDef_RVA);
    struct ilp_body body;
    struct ilp_bytes bytes = ilp_image_rva(after, rva, &offset);
    assert_int_equal(ilp_body_read(&body, bytes, offset, arena, NULL), ILP_OK);
    const uint8_t *code = body.code.data;
    assert_int_equal(body.code.size, 38);
    struct ilp_bytes text = ilp_user_string(after, ilpi_load_u32(code + 1));
    struct ilp_bytes theirs = ilp_user_string(world.from, ilpi_load_u32(code_of(world.from) + 1));
    assert_int_equal(text.size, theirs.size);
    assert_memory_equal(text.data, theirs.data, text.size);
    assert_memory_equal(text.data, "t\0e\0x\0t\0", 8);
    assert_int_equal(ilpi_load_u32(code + 7), ILP_TOKEN(ILP_Field, GI_COUNT));
    assert_int_equal(ilpi_load_u32(code + 27), ILP_TOKEN(ILP_TypeDef, GI_BYTES + SHIFT));
    assert_int_equal(ilp_cell(after, ILP_MethodSpec, ILP_TOKEN_RID(ilpi_load_u32(code + 21)),
                              ILP_MethodSpec_Method),
                     ILP_TOKEN(ILP_MethodDef, METHODS + GI_PICK));
    const char *name_space;
    const char *name;
    ilpi_type_name(after, body.clauses[0].token_or_filter, &name_space, &name);
    assert_string_equal(name, "Exception");
    assert_int_equal(ILP_TOKEN_TABLE(body.locals), ILP_StandAloneSig);
    /* N.C::M calls it */
    rva = ilp_cell(after, ILP_MethodDef, 1, ILP_MethodDef_RVA);
    assert_int_equal(ilp_body_read(&body, ilp_image_rva(after, rva, &offset), offset, arena, NULL),
                     ILP_OK);
    assert_int_equal(ilpi_load_u32(body.code.data + body.code.size - 5),
                     ILP_TOKEN(ILP_MethodDef, METHODS + GI_MY_NAME));
    ilp_arena_close(arena);
    close_built(after);
    close_world(&world);
}

/* Show::It as `int32 It(int32)` of a native library, which the module uses already or not. */
static void p_invoke(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        struct world world = {0};
        struct ib_image inspector;
        struct ib_image module;
        gi_inspector(&inspector);
        ib_set(&inspector, ILP_MethodDef, GI_SHOW_IT, ILP_MethodDef_Flags, 0x2096);
        IB_ROW(&inspector, ModuleRef, ib_string(&inspector, "other"));
        IB_ROW(&inspector, ModuleRef, ib_string(&inspector, "native"));
        IB_ROW(&inspector, ImplMap, 0x104, ILP_TOKEN(ILP_MethodDef, GI_SHOW_IT),
               ib_string(&inspector, "show_it"), 2);
        gi_module(&module, "mscorlib");
        if (known) {
            IB_ROW(&module, ModuleRef, ib_string(&module, "native"));
        }
        serve_core(&world, "mscorlib");
        open_world(&world, &inspector, &module);
        struct ilp_image *after = embedded(&world);
        assert_int_equal(ilp_row_count(after, ILP_ModuleRef), 1);
        assert_string_equal(name_at(after, ILP_ModuleRef, 1, ILP_ModuleRef_Name), "native");
        assert_int_equal(ilp_row_count(after, ILP_ImplMap), 1);
        assert_int_equal(ilp_cell(after, ILP_ImplMap, 1, ILP_ImplMap_MappingFlags), 0x104);
        assert_int_equal(ilp_cell(after, ILP_ImplMap, 1, ILP_ImplMap_MemberForwarded),
                         ILP_TOKEN(ILP_MethodDef, METHODS + GI_SHOW_IT));
        assert_string_equal(name_at(after, ILP_ImplMap, 1, ILP_ImplMap_ImportName), "show_it");
        assert_int_equal(ilp_cell(after, ILP_ImplMap, 1, ILP_ImplMap_ImportScope), 1);
        close_built(after);
        close_world(&world);
    }
}

/* ---- twice ---- */

static ilp_status count_reason(void *user, ilp_token method, const struct ilp_method_result *result,
                               struct ilp_error *error)
{
    (void)method, (void)error;
    ((unsigned *)user)[result->reason]++;
    return ILP_OK;
}

static void twice(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    struct ilp_image *after = embedded(&world);
    for (unsigned embed = 0; embed < 2; embed++) {
        unsigned reasons[ILPI_REASON_COUNT] = {0};
        struct ilp_report report = {reasons, count_reason};
        struct ilp_edit *edit = open_edit(after);
        assert_int_equal(inspect(&world, after, edit, embed, &report, NULL), ILP_OK);
        assert_true(ilp_edit_is_empty(edit));
        assert_int_equal(reasons[ILP_REASON_ALREADY], 1);
        assert_int_equal(reasons[ILP_REASON_INSPECTOR], 7);
        ilp_edit_close(edit);
    }
    close_built(after);
    close_world(&world);
}

/* Without a call there is nothing to embed. */
static void nothing_to_call(void **state)
{
    struct world world = {0};
    struct ib_image inspector;
    struct ib_image module;
    (void)state;
    gi_inspector(&inspector);
    ii_begin(&module, "App");
    ii_type(&module, "N", "C", II_OBJECT);
    ii_body(&module, ii_method(&module, "M", "00 00 01"), "06 2A");
    serve_core(&world, "mscorlib");
    open_world(&world, &inspector, &module);
    struct ilp_edit *edit = open_edit(world.to);
    assert_int_equal(inspect(&world, world.to, edit, true, NULL, NULL), ILP_OK);
    assert_true(ilp_edit_is_empty(edit));
    ilp_edit_close(edit);
    close_world(&world);
}

/* ---- references ---- */

/* Types come from the part of the core library that has them; one that is missing is added. */
static void parts(void **state)
{
    struct world world = {0};
    struct ib_image b;
    struct ib_image inspector;
    struct ib_image module;
    (void)state;
    gi_inspector(&inspector);
    gi_module(&module, "System.Runtime");
    ib_set(&module, ILP_AssemblyRef, 1, ILP_AssemblyRef_MajorVersion, 9);
    ii_begin_bare(&b, "System.Runtime");
    ii_type(&b, "System", "Object", 0);
    ii_method(&b, ".ctor", "20 00 01");
    ii_method(&b, "ToString", "20 00 0E");
    ii_type(&b, "System", "ValueType", 0);
    ii_type(&b, "System", "Enum", ILP_TOKEN(ILP_TypeDef, 3));
    ii_type(&b, "System", "Exception", 0);
    ii_type(&b, "System", "ThreadStaticAttribute", 0);
    ii_method(&b, ".ctor", "20 00 01");
    ii_type(&b, "System", "Environment", 0);
    ii_type(&b, "", "SpecialFolder", 0);
    IB_ROW(&b, NestedClass, 8, 7);
    ii_serve(&world.assemblies, &b);
    ii_begin_bare(&b, "System.Collections"); /* forwards */
    IB_ROW(&b, ExportedType, 0x200000, 0, ib_string(&b, "List`1"),
           ib_string(&b, "System.Collections.Generic"), ii_assembly_ref(&b, "System.Lists"));
    ii_serve(&world.assemblies, &b);
    serve_core(&world, "System.Lists");
    open_world(&world, &inspector, &module);
    struct ilp_image *after = embedded(&world);
    assert_int_equal(ilp_row_count(after, ILP_AssemblyRef), 2);
    assert_string_equal(name_at(after, ILP_AssemblyRef, 2, ILP_AssemblyRef_Name),
                        "System.Collections");
    assert_int_equal(ilp_cell(after, ILP_AssemblyRef, 2, ILP_AssemblyRef_MajorVersion), 9);
    assert_int_equal(
        ilp_blob(after, ilp_cell(after, ILP_AssemblyRef, 2, ILP_AssemblyRef_PublicKeyOrToken)).size,
        8);
    close_built(after);
    close_world(&world);
}

static ilp_rid add_by_ref_like(struct ib_image *b)
{
    ii_type(b, "System.Runtime.CompilerServices", "IsByRefLikeAttribute", II_OBJECT);
    ilp_token constructor = gi_method(b, ".ctor", "20 00 01", 0x1886);
    ii_body(b, constructor, "06 2A");
    return ILP_TOKEN_RID(constructor);
}

/* The one attribute that keeps its name: a module that has it gets no second one. */
static void by_ref_like(void **state)
{
    (void)state;
    for (unsigned own = 0; own < 2; own++) {
        struct world world = {0};
        struct ib_image inspector;
        struct ib_image module;
        gi_inspector(&inspector);
        ilp_rid constructor = add_by_ref_like(&inspector);
        IB_ROW(&inspector, CustomAttribute, ILP_TOKEN(ILP_TypeDef, GI_SHOWER),
               ILP_TOKEN(ILP_MethodDef, constructor), ii_blob(&inspector, "01 00 00 00"));
        gi_module(&module, "mscorlib");
        ilp_rid theirs = own ? add_by_ref_like(&module) : 0;
        serve_core(&world, "mscorlib");
        open_world(&world, &inspector, &module);
        struct ilp_image *after = embedded(&world);
        assert_int_equal(ilp_row_count(after, ILP_TypeDef), 2 + 6);
        ilp_token shower = ILP_TOKEN(ILP_TypeDef, GI_SHOWER + SHIFT + own);
        assert_true(ilpi_has_attribute(after, shower, "System.Runtime.CompilerServices",
                                       "IsByRefLikeAttribute"));
        for (ilp_rid row = 1; own && row <= ilp_row_count(after, ILP_CustomAttribute); row++) {
            ilp_token type = ilp_cell(after, ILP_CustomAttribute, row, ILP_CustomAttribute_Type);
            assert_true(ILP_TOKEN_TABLE(type) != ILP_MethodDef || ILP_TOKEN_RID(type) == theirs);
        }
        close_built(after);
        close_world(&world);
    }
}

/* Members may be requested in a type that has them from its base. */
static void inherited_members(void **state)
{
    struct world world = {0};
    struct ib_image inspector;
    struct ib_image module;
    (void)state;
    gi_inspector(&inspector);
    ib_set(&inspector, ILP_MemberRef, 2, ILP_MemberRef_Class, ILP_TOKEN(ILP_TypeRef, GI_EXCEPTION));
    gi_module(&module, "mscorlib");
    serve_core(&world, "mscorlib");
    open_world(&world, &inspector, &module);
    close_built(embedded(&world));
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inherited_members),
        cmocka_unit_test(signatures_and_names),
        cmocka_unit_test(rows),
        cmocka_unit_test(data_and_attributes),
        cmocka_unit_test(bodies),
        cmocka_unit_test(p_invoke),
        cmocka_unit_test(twice),
        cmocka_unit_test(nothing_to_call),
        cmocka_unit_test(parts),
        cmocka_unit_test(by_ref_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
