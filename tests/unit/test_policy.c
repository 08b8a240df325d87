/* src/inspect/policy.c: every row of the table "By return type" in docs/INSPECTION.md. */
#include "tests/unit/inspect_image.h"

#include <assert.h>

/* TypeDefOrRef in a signature (II.23.2.8): "11 11" is VALUETYPE TypeRef 4. */
#define REF(rid) (rid << 2 | 1)

/* The module's TypeRefs after those of ii_begin(); the number in a signature follows
 * each. */
enum {
    REF_POINT = 4,     /* 11  [Lib]L.Point, a struct */
    REF_COLOR = 5,     /* 15  [Lib]L.Color, an enum */
    REF_VIEW = 6,      /* 19  [Lib]L.View, byref-like by Lib's own attribute */
    REF_WINDOW = 7,    /* 1D  [Lib]L.Window, byref-like by mscorlib's attribute */
    REF_BOX = 8,       /* 21  [Lib]L.Box`1, a struct */
    REF_CLASS = 9,     /* 25  [Lib]L.Class, a class */
    REF_TYPED = 10,    /* 29  [mscorlib]System.TypedReference, without an attribute, */
    REF_ITERATOR = 11, /* 2D  System.ArgIterator, */
    REF_HANDLE = 12,   /* 31  System.RuntimeArgumentHandle, */
    REF_VOID = 13,     /* 35  and System.Void */
    REF_NULLABLE = 14, /* 39  [mscorlib]System.Nullable`1 */
    REF_SPAN = 15,     /* 3D  [mscorlib]System.Span`1 */
    REF_DATE = 16,     /* 41  [Gone]System.DateTime: only its name is known */
    REF_GONE = 17,     /* 45  [Gone]G.What: not even that */
    /* 49  System.DateTime nested in G.What: another type than the known one */
    REF_NESTED = 18,
    REF_TASK = 19,          /* 4D  System.Threading.Tasks.Task, */
    REF_TASK_OF = 20,       /* 51  Task`1, */
    REF_VALUE_TASK = 21,    /* 55  ValueTask, */
    REF_VALUE_TASK_OF = 22, /* 59  ValueTask`1 */
    REF_MISSING = 23,       /* 5D  [Lib]L.Missing: Lib is there, the type is not */
    REF_OTHER_TASK = 24,    /* 61  [Lib]L.Task`1 */
    REF_FAKE = 25,          /* 65  [Lib]L.Fake, with an attribute of another namespace */
    REF_LAST = REF_FAKE
};

/* Its TypeDefs. */
enum {
    DEF_STRUCT = 2, /* 08 */
    DEF_ENUM = 3,   /* 0C */
    DEF_VIEW = 4,   /* 10, byref-like */
    DEF_HOST = 5    /* Host`2<T, allows ref struct U>: the methods are in it */
};

#define ASYNC 0x2000

#define INSPECTED ILP_REASON_INSPECTED
#define LIKE      ILP_REASON_BYREF_LIKE
#define UNKNOWN   ILP_REASON_UNRESOLVED
#define BAD       ILP_REASON_BAD_SIGNATURE
#define NONE      ILPI_BOX_NONE
#define NAMED     ILPI_BOX_NAMED
#define SPEC      ILPI_BOX_SPEC
#define PRIMITIVE ILPI_BOX_PRIMITIVE

/* `without`: the answer when nothing can be resolved. Box and what it boxes count where the answer
 * is INSPECTED: an element, a token, or the bytes of a TypeSpec. */
static const struct {
    const char *signature;
    unsigned impl_flags;
    enum ilp_reason answer;
    enum ilp_reason without;
    enum ilpi_box box;
    uint32_t boxed;
    const char *spec;
} cases[] = {
    /* void */
    {"00 00 01", 0, ILP_REASON_VOID, ILP_REASON_VOID, NONE, 0, NULL},
    /* modreq: init accessors */
    {"00 00 1F 11 01", 0, ILP_REASON_VOID, ILP_REASON_VOID, NONE, 0, NULL},
    {"00 00 20 11 1F 15 01", 0, ILP_REASON_VOID, ILP_REASON_VOID, NONE, 0, NULL},
    /* objects */
    {"00 00 0E", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 1C", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 12 25", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 12 45", 0, INSPECTED, INSPECTED, NONE, 0, NULL}, /* any class will do */
    {"00 00 1D 08", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 1D 0F 01", 0, INSPECTED, INSPECTED, NONE, 0, NULL}, /* void*[] */
    {"00 00 14 08 02 00 00", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 15 12 25 01 08", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 15 12 45 01 11 45", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 20 11 1F 15 0E", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    /* primitives */
    {"00 00 02", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_BOOLEAN, NULL},
    {"00 00 03", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_CHAR, NULL},
    {"00 00 04", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I1, NULL},
    {"00 00 05", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_U1, NULL},
    {"00 00 06", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I2, NULL},
    {"00 00 07", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_U2, NULL},
    {"00 00 08", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I4, NULL},
    {"00 00 09", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_U4, NULL},
    {"00 00 0A", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I8, NULL},
    {"00 00 0B", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_U8, NULL},
    {"00 00 0C", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_R4, NULL},
    {"00 00 0D", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_R8, NULL},
    {"00 00 18", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I, NULL},
    {"00 00 19", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_U, NULL},
    /* modopt in front */
    {"00 00 20 11 08", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I4, NULL},
    {"05 01 08 0E", 0, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I4, NULL}, /* vararg */
    /* structs and enums */
    {"00 00 11 08", 0, INSPECTED, INSPECTED, NAMED, ILP_TOKEN(ILP_TypeDef, DEF_STRUCT), NULL},
    {"00 00 11 0C", 0, INSPECTED, INSPECTED, NAMED, ILP_TOKEN(ILP_TypeDef, DEF_ENUM), NULL},
    {"00 00 11 11", 0, INSPECTED, UNKNOWN, NAMED, ILP_TOKEN(ILP_TypeRef, REF_POINT), NULL},
    {"00 00 11 15", 0, INSPECTED, UNKNOWN, NAMED, ILP_TOKEN(ILP_TypeRef, REF_COLOR), NULL},
    {"00 00 1F 11 20 15 11 15", 0, INSPECTED, UNKNOWN, NAMED, ILP_TOKEN(ILP_TypeRef, REF_COLOR),
     NULL},
    {"00 00 11 41", 0, INSPECTED, INSPECTED, NAMED, ILP_TOKEN(ILP_TypeRef, REF_DATE), NULL},
    {"00 00 11 65", 0, INSPECTED, UNKNOWN, NAMED, ILP_TOKEN(ILP_TypeRef, REF_FAKE), NULL},
    {"00 00 11 45", 0, UNKNOWN, UNKNOWN, NAMED, 0, NULL},
    {"00 00 11 49", 0, UNKNOWN, UNKNOWN, NAMED, 0, NULL},
    {"00 00 11 5D", 0, UNKNOWN, UNKNOWN, NAMED, 0, NULL},
    {"00 00 11 25", 0, UNKNOWN, UNKNOWN, NAMED, 0, NULL},    /* "valuetype" of a class */
    {"00 00 11 06", 0, UNKNOWN, UNKNOWN, NAMED, 0, NULL},    /* of a TypeSpec */
    {"00 00 11 BF FD", 0, UNKNOWN, UNKNOWN, NAMED, 0, NULL}, /* of a TypeRef that is not there */
    {"00 00 11 BF FC", 0, UNKNOWN, UNKNOWN, NAMED, 0, NULL}, /* of a TypeDef that is not there */
    /* generic structs */
    {"00 00 15 11 39 01 08", 0, INSPECTED, INSPECTED, SPEC, 0, "15 11 39 01 08"},
    {"00 00 15 11 21 01 13 00", 0, INSPECTED, UNKNOWN, SPEC, 0, "15 11 21 01 13 00"},
    {"00 00 20 11 15 11 21 01 08", 0, INSPECTED, UNKNOWN, SPEC, 0, "15 11 21 01 08"},
    {"00 00 15 11 21 01 11 45", 0, INSPECTED, UNKNOWN, SPEC, 0, "15 11 21 01 11 45"},
    {"00 00 15 11 45 01 08", 0, UNKNOWN, UNKNOWN, SPEC, 0, NULL},
    /* type parameters */
    {"00 00 13 00", 0, INSPECTED, INSPECTED, SPEC, 0, "13 00"},
    {"00 00 13 01", 0, ILP_REASON_ALLOWS_REF, ILP_REASON_ALLOWS_REF, SPEC, 0, NULL},
    {"00 00 13 02", 0, BAD, BAD, SPEC, 0, NULL}, /* Host`2 has two */
    {"10 02 00 1E 00", 0, INSPECTED, INSPECTED, SPEC, 0, "1E 00"},
    {"10 02 00 20 11 1E 00", 0, INSPECTED, INSPECTED, SPEC, 0, "1E 00"},
    {"10 02 00 1E 01", 0, ILP_REASON_ALLOWS_REF, ILP_REASON_ALLOWS_REF, SPEC, 0, NULL},
    {"10 02 00 1E 02", 0, BAD, BAD, SPEC, 0, NULL},
    {"00 00 1E 00", 0, BAD, BAD, SPEC, 0, NULL},
    {"00 00 1D 13 01", 0, INSPECTED, INSPECTED, NONE, 0, NULL}, /* an array of them is an object */
    /* references and pointers */
    {"00 00 10 08", 0, ILP_REASON_BYREF, ILP_REASON_BYREF, NONE, 0, NULL},
    {"00 00 1F 11 10 08", 0, ILP_REASON_BYREF, ILP_REASON_BYREF, NONE, 0, NULL}, /* ref readonly */
    {"00 00 20 11 10 11 45", 0, ILP_REASON_BYREF, ILP_REASON_BYREF, NONE, 0, NULL},
    {"00 00 0F 08", 0, ILP_REASON_POINTER, ILP_REASON_POINTER, NONE, 0, NULL},
    {"00 00 0F 01", 0, ILP_REASON_POINTER, ILP_REASON_POINTER, NONE, 0, NULL},
    {"00 00 20 11 0F 08", 0, ILP_REASON_POINTER, ILP_REASON_POINTER, NONE, 0, NULL},
    {"00 00 1B 00 01 08 08", 0, ILP_REASON_POINTER, ILP_REASON_POINTER, NONE, 0, NULL},
    /* byref-like */
    {"00 00 16", 0, LIKE, LIKE, NONE, 0, NULL},
    {"00 00 11 10", 0, LIKE, LIKE, NAMED, 0, NULL},
    {"00 00 11 19", 0, LIKE, UNKNOWN, NAMED, 0, NULL},
    {"00 00 11 1D", 0, LIKE, UNKNOWN, NAMED, 0, NULL},
    {"00 00 20 11 11 1D", 0, LIKE, UNKNOWN, NAMED, 0, NULL},
    {"00 00 11 29", 0, LIKE, LIKE, NAMED, 0, NULL},
    {"00 00 11 2D", 0, LIKE, LIKE, NAMED, 0, NULL},
    {"00 00 11 31", 0, LIKE, LIKE, NAMED, 0, NULL},
    {"00 00 11 35", 0, LIKE, LIKE, NAMED, 0, NULL},
    {"00 00 15 11 3D 01 08", 0, LIKE, LIKE, SPEC, 0, NULL},
    {"00 00 11 3D", 0, LIKE, LIKE, NAMED, 0, NULL},
    /* runtime-async: what `ret` takes */
    {"00 00 12 4D", ASYNC, ILP_REASON_VOID, ILP_REASON_VOID, NONE, 0, NULL},
    {"00 00 11 55", ASYNC, ILP_REASON_VOID, ILP_REASON_VOID, NONE, 0, NULL},
    {"00 00 20 11 12 4D", ASYNC, ILP_REASON_VOID, ILP_REASON_VOID, NONE, 0, NULL},
    {"00 00 15 12 51 01 08", ASYNC, INSPECTED, INSPECTED, PRIMITIVE, ILP_ELEMENT_I4, NULL},
    {"00 00 15 11 59 01 0E", ASYNC, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 15 12 51 01 1D 08", ASYNC, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 15 12 51 01 11 0C", ASYNC, INSPECTED, INSPECTED, NAMED,
     ILP_TOKEN(ILP_TypeDef, DEF_ENUM), NULL},
    {"00 00 15 11 59 01 15 11 39 01 08", ASYNC, INSPECTED, INSPECTED, SPEC, 0, "15 11 39 01 08"},
    /* Task<Task<int>> */
    {"00 00 15 12 51 01 15 12 51 01 08", ASYNC, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 15 12 51 01 13 00", ASYNC, INSPECTED, INSPECTED, SPEC, 0, "13 00"},
    {"10 02 00 15 11 59 01 1E 00", ASYNC, INSPECTED, INSPECTED, SPEC, 0, "1E 00"},
    {"00 00 15 12 51 01 13 01", ASYNC, ILP_REASON_ALLOWS_REF, ILP_REASON_ALLOWS_REF, SPEC, 0, NULL},
    {"00 00 15 12 51 01 11 45", ASYNC, UNKNOWN, UNKNOWN, NAMED, 0, NULL},
    {"00 00 08", ASYNC, BAD, BAD, NONE, 0, NULL},
    {"00 00 01", ASYNC, BAD, BAD, NONE, 0, NULL},
    {"00 00 1D 12 4D", ASYNC, BAD, BAD, NONE, 0, NULL},
    {"00 00 15 12 61 01 08", ASYNC, BAD, BAD, NONE, 0, NULL}, /* a Task of another namespace */
    /* the same without the flag: a Task like any object, a ValueTask like any struct */
    {"00 00 12 4D", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 15 12 51 01 08", 0, INSPECTED, INSPECTED, NONE, 0, NULL},
    {"00 00 11 55", 0, INSPECTED, INSPECTED, NAMED, ILP_TOKEN(ILP_TypeRef, REF_VALUE_TASK), NULL},
    {"00 00 15 11 59 01 08", 0, INSPECTED, INSPECTED, SPEC, 0, "15 11 59 01 08"},
    /* no signature at all */
    {"", 0, BAD, BAD, NONE, 0, NULL},
    {"06 08", 0, BAD, BAD, NONE, 0, NULL},
    {"00 00 21 00 00 00 00", 0, BAD, BAD, NONE, 0, NULL},
    {"00 00 08 08", 0, BAD, BAD, NONE, 0, NULL},
};

static void add_core(struct ii_assemblies *assemblies)
{
    static const char *const plain[] = {"TypedReference", "ArgIterator", "RuntimeArgumentHandle",
                                        "Void", "Nullable`1"};
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    ilp_token value_type = ii_type(&b, "System", "ValueType", ILP_TOKEN(ILP_TypeDef, 2));
    for (size_t i = 0; i < COUNT(plain); i++) {
        ii_type(&b, "System", plain[i], value_type);
    }
    ilp_token span = ii_type(&b, "System", "Span`1", value_type);
    ii_type(&b, "System.Threading.Tasks", "ValueTask", value_type);
    ii_type(&b, "System.Threading.Tasks", "ValueTask`1", value_type);
    ii_type(&b, "System.Runtime.CompilerServices", "IsByRefLikeAttribute",
            ILP_TOKEN(ILP_TypeDef, 2));
    ilp_token constructor = ii_method(&b, ".ctor", "20 00 01");
    IB_ROW(&b, CustomAttribute, span, constructor, ii_blob(&b, "01 00 00 00"));
    ii_serve(assemblies, &b);
}

static void add_lib(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin(&b, "Lib");
    ilp_token attribute = ii_type_ref(&b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                      "IsByRefLikeAttribute");
    ilp_token other = ii_type_ref(&b, II_MSCORLIB, "Other", "IsByRefLikeAttribute");
    ii_type(&b, "L", "Point", II_VALUE_TYPE);
    ii_type(&b, "L", "Color", II_ENUM);
    ilp_token view = ii_type(&b, "L", "View", II_VALUE_TYPE);
    ilp_token window = ii_type(&b, "L", "Window", II_VALUE_TYPE);
    ii_type(&b, "L", "Box`1", II_VALUE_TYPE);
    ii_type(&b, "L", "Class", II_OBJECT);
    ii_type(&b, "L", "Task`1", II_OBJECT);
    ilp_token fake = ii_type(&b, "L", "Fake", II_VALUE_TYPE);
    ii_type(&b, "System.Runtime.CompilerServices", "IsByRefLikeAttribute", II_OBJECT);
    ilp_token constructor = ii_method(&b, ".ctor", "20 00 01");
    ii_attribute(&b, window, attribute);
    ii_attribute(&b, fake, other);
    IB_ROW(&b, CustomAttribute, view, constructor, ii_blob(&b, "01 00 00 00"));
    ii_serve(assemblies, &b);
}

static void add_references(struct ib_image *b)
{
    static const char tasks[] = "System.Threading.Tasks";
    ilp_token core = II_MSCORLIB;
    ilp_token lib = ii_assembly_ref(b, "Lib");
    ilp_token gone = ii_assembly_ref(b, "Gone");
    const struct {
        ilp_token scope;
        const char *name_space;
        const char *name;
    } refs[] = {
        {lib, "L", "Point"},
        {lib, "L", "Color"},
        {lib, "L", "View"},
        {lib, "L", "Window"},
        {lib, "L", "Box`1"},
        {lib, "L", "Class"},
        {core, "System", "TypedReference"},
        {core, "System", "ArgIterator"},
        {core, "System", "RuntimeArgumentHandle"},
        {core, "System", "Void"},
        {core, "System", "Nullable`1"},
        {core, "System", "Span`1"},
        {gone, "System", "DateTime"},
        {gone, "G", "What"},
        {ILP_TOKEN(ILP_TypeRef, REF_GONE), "System", "DateTime"},
        {core, tasks, "Task"},
        {core, tasks, "Task`1"},
        {core, tasks, "ValueTask"},
        {core, tasks, "ValueTask`1"},
        {lib, "L", "Missing"},
        {lib, "L", "Task`1"},
        {lib, "L", "Fake"},
    };
    static_assert(COUNT(refs) == REF_LAST - 3, "a reference without a number");
    for (size_t i = 0; i < COUNT(refs); i++) {
        ii_type_ref(b, refs[i].scope, refs[i].name_space, refs[i].name);
    }
}

/* Every method has two type parameters when its signature says so, and the second allows ref
 * structs. */
static void add_parameters(struct ib_image *b, ilp_token owner)
{
    IB_ROW(b, GenericParam, 0, 0, owner, ib_string(b, "T"));
    IB_ROW(b, GenericParam, 1, 0x20, owner, ib_string(b, "U"));
}

static struct ilp_image *make_app(void)
{
    struct ib_image b;
    ii_begin(&b, "App");
    add_references(&b);
    ilp_token attribute = ii_type_ref(&b, ILP_TOKEN(ILP_AssemblyRef, 3),
                                      "System.Runtime.CompilerServices", "IsByRefLikeAttribute");
    ii_type(&b, "A", "Struct", II_VALUE_TYPE);
    ii_type(&b, "A", "Enum", II_ENUM);
    ii_attribute(&b, ii_type(&b, "A", "View", II_VALUE_TYPE), attribute);
    add_parameters(&b, ii_type(&b, "A", "Host`2", II_OBJECT));
    for (size_t i = 0; i < COUNT(cases); i++) {
        ilp_token method = ii_method(&b, "M", cases[i].signature);
        ib_set(&b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_ImplFlags,
               cases[i].impl_flags);
        if (strncmp(cases[i].signature, "10", 2) == 0) {
            add_parameters(&b, method);
        }
    }
    return built_root(&b);
}

static void check_box(size_t i, const struct ilpi_decision *decision)
{
    assert_int_equal(decision->box, cases[i].box);
    switch (decision->box) {
    case ILPI_BOX_NONE: break;
    case ILPI_BOX_PRIMITIVE: assert_int_equal(decision->element, cases[i].boxed); break;
    case ILPI_BOX_NAMED: assert_int_equal(decision->type, cases[i].boxed); break;
    case ILPI_BOX_SPEC: {
        struct ii_hex spec = ii_hex(cases[i].spec);
        same_bytes(decision->spec, (struct ilp_bytes){spec.data, spec.size});
        break;
    }
    }
}

/* Twice, since verdicts are remembered. */
static void decide_all(struct ilp_image *app, const struct ilp_resolver *resolver)
{
    struct ilpi_alloc alloc;
    struct ilpi_policy policy;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    assert_int_equal(ilpi_policy_init(&policy, app, resolver, &alloc, &arena, NULL), ILP_OK);
    for (size_t round = 0; round < 2 * COUNT(cases); round++) {
        size_t i = round % COUNT(cases);
        enum ilp_reason expected = resolver ? cases[i].answer : cases[i].without;
        struct ilpi_decision decision;
        assert_int_equal(ilpi_policy_decide(&policy, DEF_HOST, (ilp_rid)i + 1, &decision, NULL),
                         ILP_OK);
        if (decision.reason != expected) {
            fail_msg("%s: %s, expected %s", cases[i].signature, ilp_reason_code(decision.reason),
                     ilp_reason_code(expected));
        }
        if (expected == ILP_REASON_INSPECTED) {
            check_box(i, &decision);
        }
        assert_int_equal(decision.unresolved != 0, expected == ILP_REASON_UNRESOLVED ||
                                                       decision.pointee == ILP_REASON_UNRESOLVED);
    }
    ilpi_policy_free(&policy);
    ilpi_arena_free(&arena);
    assert_int_equal(alloc.used, 0);
}

static void test_resolved(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    add_core(&assemblies);
    add_lib(&assemblies);
    struct ilp_image *app = make_app();
    decide_all(app, &resolver);
    assert_true(assemblies.opened <= REF_LAST); /* each type is looked for once */
    close_built(app);
    ii_close(&assemblies);
}

static void test_unresolved(void **state)
{
    (void)state;
    struct ilp_image *app = make_app();
    decide_all(app, NULL);
    close_built(app);
}

/* Answers are remembered by blob; methods that share one may deserve different answers all the
 * same. */
static void test_shared_blobs(void **state)
{
    (void)state;
    static const struct {
        unsigned signature; /* of the three below */
        ilp_rid owner;      /* 2: T; 3: T that allows ref structs; 4: no parameters */
        unsigned impl_flags;
        enum ilp_reason answer;
    } methods[] = {
        {0, 2, 0, INSPECTED}, {0, 3, 0, ILP_REASON_ALLOWS_REF},
        {0, 2, 0, INSPECTED}, {0, 4, 0, BAD},
        {1, 4, 0, INSPECTED}, {1, 4, ASYNC, ILP_REASON_VOID},
        {1, 4, 0, INSPECTED}, {2, 4, 0, INSPECTED},
        {2, 4, ASYNC, BAD},   {2, 4, 0, INSPECTED},
    };
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type_ref(&b, II_MSCORLIB, "System.Threading.Tasks", "Task");
    const uint32_t signatures[] = {ii_blob(&b, "00 00 13 00"), ii_blob(&b, "00 00 12 11"),
                                   ii_blob(&b, "00 00 08")};
    IB_ROW(&b, GenericParam, 0, 0, ii_type(&b, "A", "Plain`1", II_OBJECT), ib_string(&b, "T"));
    IB_ROW(&b, GenericParam, 0, 0x20, ii_type(&b, "A", "Any`1", II_OBJECT), ib_string(&b, "T"));
    ii_type(&b, "A", "None", II_OBJECT);
    for (size_t i = 0; i < COUNT(methods); i++) {
        IB_ROW(&b, MethodDef, 0, methods[i].impl_flags, 0x16, ib_string(&b, "M"),
               signatures[methods[i].signature], 1);
    }
    struct ilp_image *app = built_root(&b);
    struct ilpi_alloc alloc;
    struct ilpi_policy policy;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    assert_int_equal(ilpi_policy_init(&policy, app, NULL, &alloc, &arena, NULL), ILP_OK);
    for (size_t i = 0; i < COUNT(methods); i++) {
        struct ilpi_decision decision;
        assert_int_equal(
            ilpi_policy_decide(&policy, methods[i].owner, (ilp_rid)i + 1, &decision, NULL), ILP_OK);
        assert_int_equal(decision.reason, methods[i].answer);
    }
    ilpi_policy_free(&policy);
    ilpi_arena_free(&arena);
    close_built(app);
}

/* ---- data/known_types.def ---- */

static const struct {
    const char *name_space;
    const char *name;
    bool byref_like;
} known[] = {
#define ENUM                             false
#define STRUCT                           false
#define BYREF_LIKE                       true
#define KNOWN(name_space, name, verdict) {name_space, name, verdict},
#include "data/known_types.def"
#undef KNOWN
};

/* Else a binary search would miss some. */
static void test_known_order(void **state)
{
    (void)state;
    for (size_t i = 1; i < COUNT(known); i++) {
        int order = strcmp(known[i - 1].name_space, known[i].name_space);
        if (order > 0 || (order == 0 && strcmp(known[i - 1].name, known[i].name) >= 0)) {
            fail_msg("known_types.def: %s.%s is out of order", known[i].name_space, known[i].name);
        }
    }
}

/* Every one of them, looked up by a TypeRef of its name into an assembly that is not there. */
static void test_known_types(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token gone = ii_assembly_ref(&b, "Gone");
    ii_type(&b, "A", "Host", II_OBJECT);
    for (size_t i = 0; i < COUNT(known); i++) {
        ilp_token type = ii_type_ref(&b, gone, known[i].name_space, known[i].name);
        struct ib_bytes signature = {0};
        ib_put(&signature, "\x00\x00\x11", 3);
        ib_packed(&signature, REF(ILP_TOKEN_RID(type)));
        IB_ROW(&b, MethodDef, 0, 0, 0x16, ib_string(&b, "M"),
               ib_blob(&b, signature.data, signature.size), 1);
        ib_free(&signature);
    }
    struct ilp_image *app = built_root(&b);
    struct ilpi_alloc alloc;
    struct ilpi_policy policy;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    assert_int_equal(ilpi_policy_init(&policy, app, NULL, &alloc, &arena, NULL), ILP_OK);
    for (size_t i = 0; i < COUNT(known); i++) {
        struct ilpi_decision decision;
        assert_int_equal(ilpi_policy_decide(&policy, 2, (ilp_rid)i + 1, &decision, NULL), ILP_OK);
        assert_int_equal(decision.reason,
                         known[i].byref_like ? ILP_REASON_BYREF_LIKE : ILP_REASON_INSPECTED);
    }
    ilpi_policy_free(&policy);
    ilpi_arena_free(&arena);
    close_built(app);
}

/* A definition that is found counts, whatever the list says of its name: a ref struct that the list
 * takes for a struct, a struct that it takes for a ref struct, and a class. */
static void test_definition_wins(void **state)
{
    (void)state;
    static const enum ilp_reason expected[] = {ILP_REASON_BYREF_LIKE, ILP_REASON_INSPECTED,
                                               ILP_REASON_UNRESOLVED, ILP_REASON_INSPECTED};
    static const char *const names[][2] = {{"System", "DateTime"},
                                           {"System.Text", "SpanLineEnumerator"},
                                           {"System", "Guid"},
                                           {"System", "Index"}};
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ib_image b;
    ii_begin(&b, "Lib");
    ilp_token value_type = ILP_TOKEN(ILP_TypeRef, 2);
    ilp_token marker = ii_type_ref(&b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                   "IsByRefLikeAttribute");
    ii_attribute(&b, ii_type(&b, "System", "DateTime", value_type), marker);
    ii_type(&b, "System.Text", "SpanLineEnumerator", value_type);
    ii_type(&b, "System", "Guid", II_OBJECT);
    ii_serve(&assemblies, &b); /* and no System.Index: the list counts */

    ii_begin(&b, "App");
    ilp_token lib = ii_assembly_ref(&b, "Lib");
    ii_type(&b, "A", "Host", II_OBJECT);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ib_bytes signature = {0};
        ib_put(&signature, "\x00\x00\x11", 3);
        ib_packed(&signature, REF(ILP_TOKEN_RID(ii_type_ref(&b, lib, names[i][0], names[i][1]))));
        IB_ROW(&b, MethodDef, 0, 0, 0x16, ib_string(&b, "M"),
               ib_blob(&b, signature.data, signature.size), 1);
        ib_free(&signature);
    }
    struct ilp_image *app = built_root(&b);
    struct ilpi_alloc alloc;
    struct ilpi_policy policy;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    assert_int_equal(ilpi_policy_init(&policy, app, &resolver, &alloc, &arena, NULL), ILP_OK);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilpi_decision decision;
        assert_int_equal(ilpi_policy_decide(&policy, 2, (ilp_rid)i + 1, &decision, NULL), ILP_OK);
        assert_int_equal(decision.reason, expected[i]);
    }
    ilpi_policy_free(&policy);
    ilpi_arena_free(&arena);
    close_built(app);
    ii_close(&assemblies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resolved),     cmocka_unit_test(test_unresolved),
        cmocka_unit_test(test_shared_blobs), cmocka_unit_test(test_known_order),
        cmocka_unit_test(test_known_types),  cmocka_unit_test(test_definition_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
