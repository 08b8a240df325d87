/* What the tests of embeddings share: an inspector with something of everything, a core library for
 * it, a module to embedding it into. */
#ifndef GRAFT_INSPECTOR_H
#define GRAFT_INSPECTOR_H

#include "inspect/embed/embed.h"
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

/* TypeRefs after those of ii_begin(). */
enum { GI_EXCEPTION = 4, GI_STATIC, GI_MISSING, GI_ENVIRONMENT, GI_FOLDER, GI_LIST };

/* TypeDefs, fields and methods. */
enum { GI_INSPECTOR = 2, GI_SHOW, GI_SHOWER, GI_BYTES, GI_KIND };
enum { GI_COUNT = 1, GI_DATA, GI_ITEM, GI_LOW, GI_VALUE, GI_TWO };
enum { GI_MY_VALUE = 1, GI_MY_NAME, GI_PICK, GI_SHOW_IT, GI_CTOR, GI_SHOW_IT_HERE, GI_GET_ITEM };

/* mscorlib, as far as it is used. */
static inline void gi_core(struct ib_image *b, const char *assembly)
{
    ii_begin_bare(b, assembly);
    ilp_token object = ii_type(b, "System", "Object", 0);
    ii_method(b, ".ctor", "20 00 01");
    ii_method(b, "ToString", "20 00 0E");
    ii_type(b, "System", "ValueType", object);
    ii_type(b, "System", "Enum", ILP_TOKEN(ILP_TypeDef, ILP_TOKEN_RID(object) + 1));
    ii_type(b, "System", "Exception", object);
    ii_type(b, "System", "ThreadStaticAttribute", object);
    ii_method(b, ".ctor", "20 00 01");
    ilp_token environment = ii_type(b, "System", "Environment", object);
    ilp_token folder = ii_type(b, "", "SpecialFolder", object);
    IB_ROW(b, NestedClass, ILP_TOKEN_RID(folder), ILP_TOKEN_RID(environment));
    ilp_token list = ii_type(b, "System.Collections.Generic", "List`1", object);
    ii_method(b, "Add", "20 01 01 13 00");
    IB_ROW(b, GenericParam, 0, 0, list, ib_string(b, "T"));
}

static inline void gi_refs(struct ib_image *b)
{
    ii_type_ref(b, II_MSCORLIB, "System", "Exception");
    ii_type_ref(b, II_MSCORLIB, "System", "ThreadStaticAttribute");
    ii_type_ref(b, II_MSCORLIB, "System", "NotThereAttribute");
    ii_type_ref(b, II_MSCORLIB, "System", "Environment");
    ii_type_ref(b, ILP_TOKEN(ILP_TypeRef, GI_ENVIRONMENT), "", "SpecialFolder");
    ii_type_ref(b, II_MSCORLIB, "System.Collections.Generic", "List`1");
}

static inline ilp_token gi_method(struct ib_image *b, const char *name, const char *signature,
                                  unsigned flags)
{
    return ILP_TOKEN(ILP_MethodDef, IB_ROW(b, MethodDef, 0, 0, flags, ib_string(b, name),
                                           ii_blob(b, signature), ib_row_count(b, ILP_Param) + 1));
}

static inline ilp_rid gi_field(struct ib_image *b, const char *name, const char *signature,
                               unsigned flags)
{
    return IB_ROW(b, Field, flags, ib_string(b, name), ii_blob(b, signature));
}

/* Test.Inspector: two forms of MyInspector; their code uses every kind of token. */
static inline void gi_inspector_class(struct ib_image *b)
{
    ii_type(b, "Test", "Inspector", II_OBJECT);
    gi_field(b, "count", "06 08", 0x11);
    gi_field(b, "data", "06 11 14", 0x111); /* of TypeDef 5 */
    ilp_token value = gi_method(b, "MyInspector", II_TAKES_OBJECT, 0x96);
    ilp_token name = gi_method(b, "MyInspector", II_TAKES_NAME, 0x96);
    IB_ROW(b, Param, 0, 1, ib_string(b, "value"));
    IB_ROW(b, Param, 0x1010, 2, ib_string(b, "method")); /* optional, with a default */
    ilp_token pick = gi_method(b, "Pick", "10 01 01 1E 00 1E 00", 0x91);
    /* ldarg.0; ldnull; call MyInspector(object, string); ret */
    ii_body(b, value, "22 02 14 28 02 00 00 06 2A");
    ii_body(b, pick, "0A 02 2A");
    ib_user_string(b, "nobody asks for this");
    ilp_token text = ib_user_string(b, "text \xC3\xA4");
    struct ii_hex code = ii_hex("1B 30 02 00 26 00 00 00 01 00 00 11 " /* fat, sections, locals */
                                "72 00 00 00 70 26 "                   /* ldstr; pop */
                                "7E 01 00 00 04 26 "                   /* ldsfld count; pop */
                                "02 6F 02 00 00 0A 26 "     /* ldarg.0; callvirt ToString; pop */
                                "16 28 01 00 00 2B 26 "     /* ldc 0; call Pick<int32>; pop */
                                "D0 05 00 00 02 26 "        /* ldtoken Bytes; pop */
                                "DE 03 26 DE 00 2A 00 00"); /* leave; catch: pop, leave; ret */
    ilpi_store_u32(code.data + 13, text);
    struct ii_hex clause = ii_hex("01 10 00 00 00 00 00 00 22 22 00 03 04 00 00 01");
    memcpy(code.data + code.size, clause.data, clause.size);
    ib_data(b, ILP_MethodDef, ILP_TOKEN_RID(name), ILP_MethodDef_RVA, code.data,
            code.size + clause.size);
    ib_data(b, ILP_FieldRVA, IB_ROW(b, FieldRVA, 0, GI_DATA), ILP_FieldRVA_RVA, "\1\2\3\4\5", 5);
}

/* Show, an interface with a type parameter; Shower nested in Inspector, which has the rest; Bytes;
 * Kind. */
static inline void gi_other_classes(struct ib_image *b)
{
    IB_ROW(b, TypeDef, 0xA1, ib_string(b, "Show`1"), ib_string(b, "Test"), 0, GI_ITEM, GI_SHOW_IT);
    gi_method(b, "It", "20 01 01 13 00", 0x5C6);
    IB_ROW(b, TypeDef, 0x3, ib_string(b, "Shower"), 0, II_OBJECT, GI_ITEM, GI_CTOR);
    gi_field(b, "item", "06 15 12 25 01 08", 0x1); /* List<int32> */
    ilp_token constructor = gi_method(b, ".ctor", "20 00 01", 0x1886);
    ilp_token show = gi_method(b, "It", "20 01 01 08", 0x1E1);
    ilp_token get = gi_method(b, "get_Item", "20 00 15 12 25 01 08", 0x886);
    ii_body(b, constructor, "1E 02 28 01 00 00 0A 2A");
    ii_body(b, show, "36 02 7B 03 00 00 04 03 6F 03 00 00 0A 2A");
    ii_body(b, get, "1E 02 7B 03 00 00 04 2A");
    IB_ROW(b, TypeDef, 0x113, ib_string(b, "Bytes"), 0, II_VALUE_TYPE, GI_LOW, GI_GET_ITEM + 1);
    gi_field(b, "low", "06 05", 0x1);
    IB_ROW(b, TypeDef, 0x101, ib_string(b, "Kind"), ib_string(b, "Test"), II_ENUM, GI_VALUE,
           GI_GET_ITEM + 1);
    gi_field(b, "value__", "06 05", 0x606);
    gi_field(b, "Two", "06 11 18", 0x8056);
}

static inline void gi_other_rows(struct ib_image *b)
{
    static const char *const members[][3] = {
        {".ctor", "20 00 01"}, {"ToString", "20 00 0E"}, {"Add", "20 01 01 13 00"}};
    for (unsigned i = 0; i < 3; i++) {
        IB_ROW(b, MemberRef, i < 2 ? II_OBJECT : ILP_TOKEN(ILP_TypeSpec, 1),
               ib_string(b, members[i][0]), ii_blob(b, members[i][1]));
    }
    IB_ROW(b, TypeSpec, ii_blob(b, "15 12 25 01 08")); /* List<int32> */
    IB_ROW(b, TypeSpec, ii_blob(b, "15 12 0C 01 08")); /* Show<int32> */
    IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MethodDef, GI_PICK), ii_blob(b, "0A 01 08"));
    IB_ROW(b, StandAloneSig, ii_blob(b, "07 02 12 11 11 21")); /* Exception; SpecialFolder */
    IB_ROW(b, NestedClass, GI_SHOWER, GI_INSPECTOR);
    IB_ROW(b, NestedClass, GI_BYTES, GI_INSPECTOR);
    IB_ROW(b, ClassLayout, 1, 5, GI_BYTES);
    IB_ROW(b, FieldLayout, 0, GI_LOW);
    IB_ROW(b, InterfaceImpl, GI_SHOWER, ILP_TOKEN(ILP_TypeSpec, 2));
    IB_ROW(b, Constant, ILP_ELEMENT_U1, ILP_TOKEN(ILP_Field, GI_TWO), ii_blob(b, "02"));
    IB_ROW(b, Constant, ILP_ELEMENT_CLASS, ILP_TOKEN(ILP_Param, 2), ii_blob(b, "00 00 00 00"));
    IB_ROW(b, FieldMarshal, ILP_TOKEN(ILP_Field, GI_LOW), ii_blob(b, "05"));
    IB_ROW(b, GenericParam, 0, 0, ILP_TOKEN(ILP_MethodDef, GI_PICK), ib_string(b, "P"));
    IB_ROW(b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, GI_SHOW), ib_string(b, "T"));
    IB_ROW(b, GenericParamConstraint, 1, ILP_TOKEN(ILP_TypeSpec, 1));
    IB_ROW(b, PropertyMap, GI_SHOWER, 1);
    IB_ROW(b, Property, 0, ib_string(b, "Item"), ii_blob(b, "28 00 15 12 25 01 08"));
    IB_ROW(b, EventMap, GI_SHOWER, 1);
    IB_ROW(b, Event, 0, ib_string(b, "Shown"), ILP_TOKEN(ILP_TypeRef, GI_EXCEPTION));
    IB_ROW(b, MethodSemantics, 2, GI_GET_ITEM, ILP_TOKEN(ILP_Property, 1));
    IB_ROW(b, MethodSemantics, 8, GI_SHOW_IT_HERE, ILP_TOKEN(ILP_Event, 1));
    IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeSpec, 2), ib_string(b, "It"),
           ii_blob(b, "20 01 01 13 00"));
    IB_ROW(b, MethodImpl, GI_SHOWER, ILP_TOKEN(ILP_MethodDef, GI_SHOW_IT_HERE),
           ILP_TOKEN(ILP_MemberRef, 4));
    ii_attribute(b, ILP_TOKEN(ILP_Field, GI_COUNT), ILP_TOKEN(ILP_TypeRef, GI_STATIC));
    ii_attribute(b, ILP_TOKEN(ILP_TypeDef, GI_KIND), ILP_TOKEN(ILP_TypeRef, GI_MISSING));
    /* names a type: Test.Kind, alone */
    IB_ROW(b, CustomAttribute, ILP_TOKEN(ILP_TypeDef, GI_SHOWER), ILP_TOKEN(ILP_MemberRef, 5),
           ii_blob(b, "01 00 09 54 65 73 74 2E 4B 69 6E 64 00 00"));
}

static inline void gi_inspector(struct ib_image *b)
{
    ii_begin(b, "Inspector");
    gi_refs(b);
    gi_inspector_class(b);
    gi_other_classes(b);
    gi_other_rows(b);
}

/* N.C with a method that returns an object. */
static inline void gi_module(struct ib_image *b, const char *core)
{
    ii_begin_bare(b, "App");
    ii_assembly_ref(b, core);
    ii_type_ref(b, II_MSCORLIB, "System", "Object");
    ii_type(b, "N", "C", II_OBJECT);
    ii_body(b, ii_method(b, "M", "00 00 1C"), "0A 14 2A");
}

/* ---- all together ---- */

/* An inspector, a module and a core library, opened. */
struct world {
    struct ilp_image *from;
    struct ilp_inspector *inspector;
    struct ilp_image *to;
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
};

static inline void serve_core(struct world *world, const char *name)
{
    struct ib_image b;
    gi_core(&b, name);
    ii_serve(&world->assemblies, &b);
    world->resolver = ii_resolver(&world->assemblies);
}

/* Takes both builders. */
static inline void open_world(struct world *world, struct ib_image *inspector,
                              struct ib_image *module)
{
    struct ilp_error error;
    world->from = built_pe(inspector, (struct ib_pe){0});
    world->to = built_pe(module, (struct ib_pe){0});
    if (ilp_inspector_open(&world->inspector, world->from, NULL, &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
}

static inline void close_world(struct world *world)
{
    ilp_inspector_close(world->inspector);
    close_built(world->from);
    close_built(world->to);
    ii_close(&world->assemblies);
}

static inline void begin(struct world *world)
{
    struct ib_image inspector;
    struct ib_image module;
    *world = (struct world){0};
    gi_inspector(&inspector);
    gi_module(&module, "mscorlib");
    serve_core(world, "mscorlib");
    open_world(world, &inspector, &module);
}

static inline ilp_status inspect(struct world *world, struct ilp_image *image,
                                 struct ilp_edit *edit, bool embed, const struct ilp_report *report,
                                 struct ilp_error *error)
{
    struct ilp_request *request = ONE_REQUEST(world->inspector, &world->resolver, NULL);
    request->embed = embed;
    return ilp_inspect_returns(image, edit, request, report, error);
}

/* The whole way with one allocator. */
static inline ilp_status embed_all(struct world *world, const struct ilp_allocator *allocator,
                                   struct ilp_error *error)
{
    struct ilp_inspector *inspector = NULL;
    struct ilp_edit *edit = NULL;
    struct ilp_bytes written = {NULL, 0};
    ilp_status status = ilp_inspector_open(&inspector, world->from, allocator, error);
    if (status == ILP_OK) {
        status = ilp_edit_open(&edit, world->to, allocator, error);
    }
    if (status == ILP_OK) {
        struct ilp_request *request = ONE_REQUEST(inspector, &world->resolver, allocator);
        request->embed = true;
        status = ilp_inspect_returns(world->to, edit, request, NULL, error);
    }
    if (status == ILP_OK) {
        status = write_edit(edit, &written, NULL, error);
    }
    drop(written);
    ilp_edit_close(edit);
    ilp_inspector_close(inspector);
    return status;
}

/* The n-th allocation fails, for each n until all goes well. */
static inline void fail_each_allocation(struct world *world)
{
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    assert_int_equal(embed_all(world, &allocator, NULL), ILP_OK);
    memory_is_empty(&memory);
    size_t calls = memory.calls;
    for (size_t n = 1; n <= calls + 1; n++) {
        struct ilp_error error = {0};
        memory = (struct memory){.fail_at = n};
        ilp_status status = embed_all(world, &allocator, &error);
        memory_is_empty(&memory);
        if (status != (n <= calls ? ILP_E_NO_MEMORY : ILP_OK) || error.status != status) {
            fail_msg("allocation %zu of %zu: %s", n, calls, ilp_status_name(status));
        }
    }
}

#endif
