/* Inspectors that cannot be embedded: each is refused by name, before anything changes; so is every
 * other end before the last. No bytes of an inspector or a module make it crash.
 */
#include "tests/unit/embed_inspector.h"

/* Rows after those of gi_inspector(). */
enum { LAST_METHOD = GI_GET_ITEM, MEMBERS = 6 };

/* ---- refusals ---- */

static void p_invoke(struct ib_image *b)
{
    ib_set(b, ILP_MethodDef, GI_PICK, ILP_MethodDef_Flags, 0x2096);
}

static void p_invoke_of_nothing(struct ib_image *b)
{
    ib_set(b, ILP_MethodDef, GI_SHOW_IT, ILP_MethodDef_Flags, 0x2096);
}

static void native(struct ib_image *b)
{
    ib_set(b, ILP_MethodDef, GI_PICK, ILP_MethodDef_ImplFlags, 0x1);
}

static void internal_call(struct ib_image *b)
{
    ib_set(b, ILP_MethodDef, GI_PICK, ILP_MethodDef_ImplFlags, 0x1000);
}

static void secured(struct ib_image *b)
{
    ib_set(b, ILP_TypeDef, GI_KIND, ILP_TypeDef_Flags, 0x40101);
    ib_set(b, ILP_Field, GI_ITEM, ILP_Field_Signature, ii_blob(b, "06 11 18"));
}

static void variable_arguments(struct ib_image *b)
{
    ib_set(b, ILP_MethodDef, GI_PICK, ILP_MethodDef_Signature, ii_blob(b, "05 01 01 1C"));
}

static void other_assembly(struct ib_image *b)
{
    ib_set(b, ILP_TypeRef, GI_EXCEPTION, ILP_TypeRef_ResolutionScope, ii_assembly_ref(b, "Other"));
}

static void missing_type(struct ib_image *b)
{
    ib_set(b, ILP_TypeRef, GI_EXCEPTION, ILP_TypeRef_TypeName, ib_string(b, "Exceptional"));
}

static void missing_nested(struct ib_image *b)
{
    ib_set(b, ILP_TypeRef, GI_FOLDER, ILP_TypeRef_TypeName, ib_string(b, "Folder"));
}

static void missing_member(struct ib_image *b)
{
    ib_set(b, ILP_MemberRef, 2, ILP_MemberRef_Name, ib_string(b, "ToText"));
}

static void other_signature(struct ib_image *b)
{
    ib_set(b, ILP_MemberRef, 3, ILP_MemberRef_Signature, ii_blob(b, "20 01 01 08"));
}

static void module_function(struct ib_image *b)
{
    IB_ROW(b, ModuleRef, ib_string(b, "native"));
    ib_set(b, ILP_MemberRef, 2, ILP_MemberRef_Class, ILP_TOKEN(ILP_ModuleRef, 1));
}

static void marshaller(struct ib_image *b)
{
    ib_set(b, ILP_FieldMarshal, 1, ILP_FieldMarshal_NativeType, ii_blob(b, "2C 00 00 00 00"));
}

static void unknown_size(struct ib_image *b)
{
    ib_set(b, ILP_Field, GI_DATA, ILP_Field_Signature, ii_blob(b, "06 13 00"));
}

static void resources(struct ib_image *b)
{
    IB_ROW(b, ManifestResource, 0, 1, ib_string(b, "r"), 0);
}

static void circle(struct ib_image *b)
{
    ib_set(b, ILP_NestedClass, 1, ILP_NestedClass_EnclosingClass, GI_BYTES);
    ib_set(b, ILP_NestedClass, 2, ILP_NestedClass_EnclosingClass, GI_SHOWER);
    ib_set(b, ILP_StandAloneSig, 1, ILP_StandAloneSig_Signature, ii_blob(b, "07 01 12 10"));
}

static void own_scope(struct ib_image *b)
{
    ib_set(b, ILP_TypeRef, GI_FOLDER, ILP_TypeRef_ResolutionScope,
           ILP_TOKEN(ILP_TypeRef, GI_FOLDER));
}

static void own_signature(struct ib_image *b)
{
    ib_set(b, ILP_TypeSpec, 1, ILP_TypeSpec_Signature, ii_blob(b, "15 12 06 01 08"));
}

static void no_method(struct ib_image *b)
{
    ib_set(b, ILP_MethodSpec, 1, ILP_MethodSpec_Method, ILP_TOKEN(ILP_MethodDef, 99));
}

static void global(struct ib_image *b)
{
    ib_set(b, ILP_TypeDef, GI_INSPECTOR, ILP_TypeDef_FieldList, 2);
}

static void initializer(struct ib_image *b)
{
    ib_set(b, ILP_MethodDef, GI_MY_VALUE, ILP_MethodDef_Name, ib_string(b, ".cctor"));
    ib_set(b, ILP_TypeDef, GI_INSPECTOR, ILP_TypeDef_MethodList, 2);
}

static const struct {
    const char *name;
    void (*change)(struct ib_image *b);
    const char *says;
} refusals[] = {
    {"P/Invoke", p_invoke, "Test.Inspector::Pick has no body or one"},
    {"P/Invoke of nothing", p_invoke_of_nothing, "says nothing of its function"},
    {"native", native, "Test.Inspector::Pick is native"},
    {"internal call", internal_call, "Pick is native"},
    {"security", secured, "Test.Kind has declarative security"},
    {"variable arguments", variable_arguments, "variable arguments"},
    {"other assembly", other_assembly, "it uses Other, which"},
    {"missing type", missing_type, "does not offer System.Exceptional"},
    {"missing nested type", missing_nested, "does not offer System.Environment/Folder"},
    {"missing member", missing_member, "does not offer System.Object::ToText"},
    {"other signature", other_signature, "List`1::Add"},
    {"function of a module", module_function, "another module"},
    {"marshaller", marshaller, "marshaller"},
    {"data of unknown size", unknown_size, "how much data data has"},
    {"resources", resources, "it has resources"},
    {"a circle", circle, "nested"},
    {"a reference into itself", own_scope, "nested"},
    {"a signature of itself", own_signature, "nested"},
    {"no such method", no_method, "0x06000063"},
    {"a global field", global, "global"},
    {"an initializer", initializer, "module initializer"},
};

static void refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct world world = {0};
        struct ib_image inspector;
        struct ib_image module;
        struct ilp_error error = {0};
        gi_inspector(&inspector);
        refusals[i].change(&inspector);
        gi_module(&module, "mscorlib");
        serve_core(&world, "mscorlib");
        open_world(&world, &inspector, &module);
        struct ilp_edit *edit = open_edit(world.to);
        ilp_status status = inspect(&world, world.to, edit, true, NULL, &error);
        if (status != ILP_E_CANNOT_EMBED || !strstr(error.message, refusals[i].says) ||
            strncmp(error.message, "Inspector cannot be embedded: ", 30) != 0) {
            fail_msg("%s: %s, %s", refusals[i].name, ilp_status_name(status), error.message);
        }
        assert_true(ilp_edit_is_empty(edit));
        ilp_edit_close(edit);
        /* it can be referred to as ever */
        edit = open_edit(world.to);
        assert_int_equal(inspect(&world, world.to, edit, false, NULL, NULL), ILP_OK);
        ilp_edit_close(edit);
        close_world(&world);
    }
}

/* A module whose core library is not there: mscorlib is trusted, a part is not. */
static void no_library(void **state)
{
    static const char *const cores[] = {"mscorlib", "System.Runtime"};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct world world = {0};
        struct ib_image inspector;
        struct ib_image module;
        struct ilp_error error = {0};
        gi_inspector(&inspector);
        ib_set(&inspector, ILP_Field, GI_DATA, ILP_Field_Signature, ii_blob(&inspector, "06 08"));
        gi_module(&module, cores[i]);
        open_world(&world, &inspector, &module);
        struct ilp_edit *edit = open_edit(world.to);
        ilp_status status = inspect(&world, world.to, edit, true, NULL, &error);
        assert_int_equal(status, i == 0 ? ILP_OK : ILP_E_CANNOT_EMBED);
        ilp_edit_close(edit);
        close_world(&world);
    }
}

/* ---- other failures ---- */

static void each_allocation_fails(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    fail_each_allocation(&world);
    close_world(&world);
}

/* What is embedded ends with a status, whatever bytes the inspector has. */
static void random_bytes(void **state)
{
    struct ib_image b;
    struct world world;
    uint32_t seed = 1;
    unsigned done = 0;
    (void)state;
    begin(&world);
    gi_inspector(&b);
    struct ib_file file = ib_pe_file(&b, (struct ib_pe){0});
    ib_end(&b);
    struct ilp_bytes original = taken_file(file);
    for (unsigned i = 0; i < 20000; i++) {
        struct ilp_bytes bytes = exact(original.data, original.size);
        struct ilp_image *from;
        struct ilp_inspector *inspector;
        for (unsigned j = 0; j <= i % 3; j++) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = 0x200 + (seed >> 8) % (bytes.size - 0x200);
            seed = seed * 1664525u + 1013904223u;
            ((uint8_t *)(uintptr_t)bytes.data)[at] = (uint8_t)(seed >> 24 & (i % 2 ? 0xFF : 0x1F));
        }
        if (ilp_image_open(&from, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK) {
            if (ilp_inspector_open(&inspector, from, NULL, NULL) == ILP_OK) {
                struct world changed = world;
                changed.from = from;
                changed.inspector = inspector;
                done += embed_all(&changed, NULL, NULL) == ILP_OK;
                ilp_inspector_close(inspector);
            }
            ilp_image_close(from);
        }
        drop(bytes);
    }
    assert_true(done > 1000);
    drop(original);
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(no_library),
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
