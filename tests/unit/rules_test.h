/* What the tests of rules that are evaluated share: an assembly with a little of everything that
 * conditions request, and the queries.
 *
 *   struct rt_app app;
 *   rt_open(&app);
 *   rt_select(&app, "Struct", "<return kind='struct'/>", ILP_TARGET_AUTO, &selection);
 *   rt_close(&app); */
#ifndef RULES_TEST_H
#define RULES_TEST_H

#include "rules/select.h"
#include "rules/rules.h"
#include "tests/unit/inspect_image.h"

/* TypeRefs after those of ii_begin(), with the number they have in a signature. */
enum {
    RT_REF_GONE = 4,        /* 11  [Gone]G.What: nothing is known of it */
    RT_REF_DATE = 5,        /* 15  [Gone]System.DateTime: known by its name */
    RT_REF_POINT = 6,       /* 19  [Lib]L.Point, a struct of 8 bytes */
    RT_REF_COLOR = 7,       /* 1D  [Lib]L.Color, an enum */
    RT_REF_LIKE = 8,        /* 21  [Lib]L.Like, a struct that carries AsyncMethodBuilderAttribute */
    RT_REF_TASK = 9,        /* 25  System.Threading.Tasks.Task, */
    RT_REF_TASK_OF = 10,    /* 29  Task`1, */
    RT_REF_VALUE_TASK = 11, /* 2D  ValueTask, */
    RT_REF_VALUE_TASK_OF = 12, /* 31  ValueTask`1 */
    RT_REF_NULLABLE = 13,      /* 35  System.Nullable`1 */
    RT_REF_OTHER_TASK = 14,    /* 39  [Gone]G.Task */
    RT_REF_GENERATED = 15,     /* attributes */
    RT_REF_OBSOLETE = 16,
    RT_REF_BUILDER = 17,
    RT_REF_GENERIC = 18, /* [Gone]G.Mark`1 */
};

/* TypeDefs. */
enum {
    RT_DEF_THREE = 2, /* 08  S.Three: 12 bytes */
    RT_DEF_ENUM = 3,  /* 0C  S.Enum */
    RT_DEF_MIXED = 4, /* 10  S.Mixed: an object and an int32 */
    RT_DEF_BOX = 5,   /* 14  S.Box`1: a T */
    RT_DEF_LIKE = 6,  /* 18  S.Like: a class that carries AsyncMethodBuilderAttribute */
    RT_DEF_MARK = 7,  /* S.MarkAttribute, whose constructor is a MethodDef */
};

struct rt_app {
    struct ilp_image *image;
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
};

static inline ilp_token rt_method_with(struct ib_image *b, const char *name, const char *signature,
                                       unsigned flags)
{
    ilp_token method = ii_method(b, name, signature);
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_Flags, flags);
    return method;
}

static inline ilp_token rt_type(struct ib_image *b, const char *name_space, const char *name,
                                unsigned flags, ilp_rid outer)
{
    ilp_token type = ii_type(b, name_space, name, II_OBJECT);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, flags);
    if (outer != 0) {
        IB_ROW(b, NestedClass, ILP_TOKEN_RID(type), outer);
    }
    return type;
}

static inline void rt_field(struct ib_image *b, const char *signature)
{
    IB_ROW(b, Field, 6, ib_string(b, "f"), ii_blob(b, signature));
}

static inline void rt_parameters(struct ib_image *b, ilp_token owner, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        IB_ROW(b, GenericParam, i, 0, owner, ib_string(b, "T"));
    }
}

static inline void rt_semantics(struct ib_image *b, unsigned flags, ilp_token method,
                                unsigned table)
{
    IB_ROW(b, MethodSemantics, flags, ILP_TOKEN_RID(method), ILP_TOKEN(table, 1));
}

/* ---- the parts ---- */

static inline void rt_add_references(struct ib_image *b)
{
    static const char tasks[] = "System.Threading.Tasks";
    static const char services[] = "System.Runtime.CompilerServices";
    ilp_token gone = ii_assembly_ref(b, "Gone");
    ilp_token lib = ii_assembly_ref(b, "Lib");
    ii_type_ref(b, gone, "G", "What");
    ii_type_ref(b, gone, "System", "DateTime");
    ii_type_ref(b, lib, "L", "Point");
    ii_type_ref(b, lib, "L", "Color");
    ii_type_ref(b, lib, "L", "Like");
    ii_type_ref(b, II_MSCORLIB, tasks, "Task");
    ii_type_ref(b, II_MSCORLIB, tasks, "Task`1");
    ii_type_ref(b, II_MSCORLIB, tasks, "ValueTask");
    ii_type_ref(b, II_MSCORLIB, tasks, "ValueTask`1");
    ii_type_ref(b, II_MSCORLIB, "System", "Nullable`1");
    ii_type_ref(b, gone, "G", "Task");
    ii_type_ref(b, II_MSCORLIB, services, "CompilerGeneratedAttribute");
    ii_type_ref(b, II_MSCORLIB, "System", "ObsoleteAttribute");
    ii_type_ref(b, II_MSCORLIB, services, "AsyncMethodBuilderAttribute");
    assert_int_equal(ILP_TOKEN_RID(ii_type_ref(b, gone, "G", "Mark`1")), RT_REF_GENERIC);
}

static inline void rt_add_structs(struct ib_image *b)
{
    ilp_token value = II_VALUE_TYPE;
    ilp_token type = ii_type(b, "S", "Three", value);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100109);
    rt_field(b, "06 08");
    rt_field(b, "06 08");
    rt_field(b, "06 08");
    ii_type(b, "S", "Enum", II_ENUM);
    type = ii_type(b, "S", "Mixed", value);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100109);
    rt_field(b, "06 1C");
    rt_field(b, "06 08");
    rt_parameters(b, ii_type(b, "S", "Box`1", value), 1);
    rt_field(b, "06 13 00");
    ii_attribute(b, ii_type(b, "S", "Like", II_OBJECT), ILP_TOKEN(ILP_TypeRef, RT_REF_BUILDER));
    assert_int_equal(ILP_TOKEN_RID(ii_type(b, "S", "MarkAttribute", II_OBJECT)), RT_DEF_MARK);
    rt_method_with(b, ".ctor", "20 00 01", 0x1886);
}

/* Methods named for what they return. */
static inline void rt_add_returns(struct ib_image *b)
{
    static const struct {
        const char *name;
        const char *signature;
    } methods[] = {
        {"Void", "00 00 01"},
        {"Bool", "00 00 02"},
        {"Native", "00 00 18"},
        {"Int", "00 00 08"},
        {"Modified", "00 00 20 11 08"},
        {"Enum", "00 00 11 0C"},
        {"Three", "00 00 11 08"},
        {"Mixed", "00 00 11 10"},
        {"Typed", "00 00 16"},
        {"Object", "00 00 1C"},
        {"String", "00 00 0E"},
        {"Array", "00 00 1D 11 08"},
        {"Class", "00 00 12 1C"},
        {"Var", "20 00 13 00"},
        {"MVar", "30 01 00 1E 00"},
        {"Ref", "00 00 10 11 08"},
        {"Pointer", "00 00 0F 08"},
        {"Function", "00 00 1B 00 00 01"},
        {"Task", "00 00 12 25"},
        {"TaskOf", "00 00 15 12 29 01 08"},
        {"ValueTask", "00 00 11 2D"},
        {"ValueTaskOf", "00 00 15 11 31 01 0E"},
        {"Like", "00 00 12 18"},
        {"LibLike", "00 00 11 21"},
        {"OtherTask", "00 00 12 39"},
        {"TaskArray", "00 00 1D 12 25"},
        {"Point", "00 00 11 19"},
        {"Color", "00 00 11 1D"},
        {"Date", "00 00 11 15"},
        {"Gone", "00 00 11 11"},
        {"GoneOf", "00 00 15 11 11 01 08"},
        {"GoneClass", "00 00 12 11"},
        {"Nullable", "00 00 15 11 35 01 08"},
        {"BoxInt", "00 00 15 11 14 01 08"},
        {"BoxT", "20 00 15 11 14 01 13 00"},
        {"BoxGone", "00 00 15 11 14 01 11 11"},
        {"Dictionary", "00 00 15 12 11 02 08 11 08"},
        {"BadSig", "06 08"},
        {"Params", "00 02 08 0E 10 11 08"},
    };
    rt_parameters(b, rt_type(b, "R.Returns", "Host`1", 0x100001, 0), 1);
    for (size_t i = 0; i < COUNT(methods); i++) {
        ilp_token method = ii_method(b, methods[i].name, methods[i].signature);
        if (strcmp(methods[i].name, "MVar") == 0) {
            rt_parameters(b, method, 1);
        }
    }
    ilp_token async = ii_method(b, "Async", "00 00 15 12 29 01 08");
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(async), ILP_MethodDef_ImplFlags, 0x2000);
}

static inline void rt_add_types(struct ib_image *b)
{
    static const char *const visible[] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"};
    ilp_token outer = rt_type(b, "T.One", "Outer`1", 1, 0);
    rt_parameters(b, outer, 1);
    ii_method(b, "outer", "00 00 01");
    ilp_token inner = rt_type(b, "", "Inner`2", 2, ILP_TOKEN_RID(outer));
    rt_parameters(b, inner, 3); /* those of Outer stand here, too */
    ii_method(b, "inner", "00 00 01");
    rt_type(b, "", "Deep", 3, ILP_TOKEN_RID(inner));
    ii_method(b, "deep", "00 00 01");
    rt_type(b, "", "NoNamespace", 1, 0);
    ii_method(b, "bare", "00 00 01");
    rt_type(b, "Bücher", "Größe", 1, 0);
    ii_method(b, "naïve", "00 00 01");
    rt_type(b, "T.Odd", "caf\xE9", 1, 0);
    ii_method(b,
              "no\xFF"
              "utf8",
              "00 00 01");
    for (unsigned i = 0; i < COUNT(visible); i++) {
        rt_type(b, "T.V", visible[i], i, i < 2 ? 0 : ILP_TOKEN_RID(outer));
        ii_method(b, visible[i], "00 00 01");
    }
}

static inline void rt_add_methods(struct ib_image *b)
{
    static const char *const visible[] = {"m0", "m1", "m2", "m3", "m4", "m5", "m6"};
    char name[1003];
    memset(name, 'a', 1000);
    memcpy(name + 1000, "!", 2);
    ilp_token type = rt_type(b, "M.Methods", "Holder", 1, 0);
    for (unsigned i = 0; i < COUNT(visible); i++) {
        rt_method_with(b, visible[i], "20 00 01", i);
    }
    rt_method_with(b, "virtual", "20 00 01", 0x46);
    rt_method_with(b, "static", "00 00 01", 0x16);
    rt_method_with(b, "both", "00 00 01", 0x56);
    rt_method_with(b, "op_Addition", "00 02 08 08 08", 0x816);
    rt_method_with(b, "op_Fake", "00 00 08", 0x16);
    rt_method_with(b, "op_", "00 00 08", 0x816);
    rt_method_with(b, ".ctor", "20 00 01", 0x1806);
    rt_method_with(b, ".cctor", "00 00 01", 0x1811);
    rt_method_with(b, "ctor", "20 00 01", 6);
    rt_parameters(b, rt_method_with(b, "generic2", "10 02 01 01 1E 01", 0x16), 2);
    rt_method_with(b, name, "00 00 01", 0x16); /* long */
    rt_semantics(b, 2, rt_method_with(b, "get_P", "20 00 08", 0x806), ILP_Property);
    rt_semantics(b, 1, rt_method_with(b, "set_P", "20 01 01 08", 0x806), ILP_Property);
    rt_semantics(b, 4, rt_method_with(b, "other_P", "20 00 01", 6), ILP_Property);
    rt_semantics(b, 8, rt_method_with(b, "add_E", "20 01 01 1C", 0x806), ILP_Event);
    rt_semantics(b, 0x10, rt_method_with(b, "remove_E", "20 01 01 1C", 0x806), ILP_Event);
    rt_semantics(b, 0x20, rt_method_with(b, "raise_E", "20 01 01 1C", 0x806), ILP_Event);
    rt_method_with(b, "get_Fake", "20 00 08", 0x806);
    IB_ROW(b, Property, 0, ib_string(b, "P"), ii_blob(b, "28 00 08"));
    IB_ROW(b, PropertyMap, ILP_TOKEN_RID(type), 1);
    IB_ROW(b, Event, 0, ib_string(b, "E"), II_OBJECT);
    IB_ROW(b, EventMap, ILP_TOKEN_RID(type), 1);
}

static inline void rt_mark(struct ib_image *b, ilp_token parent)
{
    ilp_rid constructor = 1; /* that of MarkAttribute is the first method of all */
    IB_ROW(b, CustomAttribute, parent, ILP_TOKEN(ILP_MethodDef, constructor),
           ii_blob(b, "01 00 00 00"));
}

static inline void rt_add_attributes(struct ib_image *b)
{
    ilp_token generated = ILP_TOKEN(ILP_TypeRef, RT_REF_GENERATED);
    ilp_token obsolete = ILP_TOKEN(ILP_TypeRef, RT_REF_OBSOLETE);
    ilp_token generic = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, ii_blob(b, "15 12 49 01 08")));
    ilp_token type = rt_type(b, "A", "Marked", 1, 0);
    rt_mark(b, type);
    ii_attribute(b, ii_method(b, "obsolete", "00 00 01"), obsolete);
    rt_mark(b, ii_method(b, "marked", "00 00 01"));
    ii_attribute(b, ii_method(b, "genericMark", "00 00 01"), generic);
    ilp_token both = ii_method(b, "twice", "00 00 01");
    rt_mark(b, both);
    ii_attribute(b, both, obsolete);
    ii_method(b, "unmarked", "00 00 01");
    ii_attribute(b, ii_method(b, "generated", "00 00 01"), generated);
    ii_attribute(b, ILP_TOKEN(ILP_Assembly, 1), ILP_TOKEN(ILP_TypeRef, RT_REF_BUILDER));
    ilp_token closure = rt_type(b, "", "<>c", 3, ILP_TOKEN_RID(type));
    ii_attribute(b, closure, generated);
    ii_method(b, "<M>b__0", "00 00 01");
    rt_type(b, "", "Within", 3, ILP_TOKEN_RID(closure));
    ii_method(b, "within", "00 00 01");
}

static inline void rt_add_bodies(struct ib_image *b)
{
    rt_type(b, "B", "Bodies", 1, 0);
    ii_body(b, ii_method(b, "tiny", "00 00 01"), "06 2A");
    ii_body(b, ii_method(b, "five", "00 00 01"), "16 00 00 00 00 2A");
    ii_body(b, ii_method(b, "tail", "00 00 01"), "22 FE 14 28 01 00 00 06 2A");
    ii_body(b, ii_method(b, "finally", "00 00 01"),
            "1B 30 08 00 04 00 00 00 00 00 00 00 DE 01 DC 2A 01 10 00 00 02 00 00 00 02 02 00 01 "
            "00 00 00 00");
    ii_body(b, ii_method(b, "badCode", "00 00 01"), "06 A6");
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(ii_method(b, "badBody", "00 00 01")), ILP_MethodDef_RVA,
           0x7FFFFFF0);
    rt_method_with(b, "abstract", "20 00 01", 0x446);
    ilp_token runtime = ii_method(b, "runtime", "00 00 01");
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(runtime), ILP_MethodDef_ImplFlags, 3);
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(runtime), ILP_MethodDef_RVA, 0x2050);
}

static inline void rt_add_lib(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin(&b, "Lib");
    ilp_token builder = ii_type_ref(&b, II_MSCORLIB, "System.Runtime.CompilerServices",
                                    "AsyncMethodBuilderAttribute");
    ilp_token type = ii_type(&b, "L", "Point", II_VALUE_TYPE);
    ib_set(&b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100109);
    rt_field(&b, "06 08");
    rt_field(&b, "06 08");
    ii_type(&b, "L", "Color", II_ENUM);
    ii_attribute(&b, ii_type(&b, "L", "Like", II_VALUE_TYPE), builder);
    ii_serve(assemblies, &b);
}

static inline void rt_build(struct ib_image *b)
{
    ii_begin(b, "App");
    rt_add_references(b);
    rt_add_structs(b);
    rt_add_returns(b);
    rt_add_types(b);
    rt_add_methods(b);
    rt_add_attributes(b);
    rt_add_bodies(b);
}

static inline void rt_open_pe(struct rt_app *app, struct ib_pe pe)
{
    struct ib_image b;
    *app = (struct rt_app){0};
    rt_build(&b);
    app->image = built_pe(&b, pe);
    rt_add_lib(&app->assemblies);
    app->resolver = ii_resolver(&app->assemblies);
}

static inline void rt_open(struct rt_app *app)
{
    rt_open_pe(app, (struct ib_pe){0});
}

static inline void rt_close(struct rt_app *app)
{
    close_built(app->image);
    ii_close(&app->assemblies);
}

/* ---- asking ---- */

static inline ilp_token rt_method(const struct ilp_image *image, const char *name)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        if (strcmp(name_at(image, ILP_MethodDef, rid, ILP_MethodDef_Name), name) == 0) {
            return ILP_TOKEN(ILP_MethodDef, rid);
        }
    }
    fail_msg("no method %s", name);
    return 0;
}

/* Read as XML, and then in the form that another process would get: they have to mean the same. */
static inline struct ilp_rules *rt_rules(const char *xml)
{
    struct ilp_rules *read;
    struct ilp_rules *rules;
    struct ilpi_alloc alloc;
    struct ilp_error error = {0};
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf parsed = {.alloc = &alloc};
    assert_int_equal(ilp_rules_open(&read, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    struct ilp_bytes bytes = {(const uint8_t *)xml, strlen(xml)};
    if (ilpi_rules_add_xml(read, bytes, "r.xml", &parsed, &error) != ILP_OK ||
        ilpi_rules_add_parsed(rules, ilpi_buf_bytes(&parsed), "r.xml", &error) != ILP_OK) {
        fail_msg("%s\n%u:%u: %s", xml, error.line, error.column, error.message);
    }
    assert_int_equal(ilp_rules_count(read), ilp_rules_count(rules));
    ilp_rules_close(read);
    ilpi_buf_free(&parsed);
    return rules;
}

static inline struct ilp_selector *rt_selector(const struct rt_app *app,
                                               const struct ilp_rules *rules, unsigned target)
{
    struct ilp_selector *selector;
    assert_int_equal(ilp_selector_open(&selector, rules, app->image,
                                       app->resolver.open ? &app->resolver : NULL, target, NULL,
                                       NULL),
                     ILP_OK);
    return selector;
}

/* What explain reports last of each rule. */
struct rt_explained {
    enum ilp_tristate outcome;
    uint32_t rules;
    unsigned traces;
};

static inline ilp_status rt_take_trace(void *user, const struct ilp_rule_trace *trace)
{
    struct rt_explained *explained_rule = user;
    explained_rule->traces++;
    assert_non_null(trace->condition);
    assert_non_null(trace->fact);
    if (trace->line == 0) {
        explained_rule->outcome = trace->outcome;
        explained_rule->rules++;
        assert_string_equal(trace->condition, "");
    }
    return ILP_OK;
}

/* One rule <include> with these conditions; select and explain have to agree. */
static inline void rt_select(const struct rt_app *app, const char *method, const char *conditions,
                             unsigned target, struct ilp_selection *selection)
{
    struct ib_bytes xml = {0};
    ib_put(&xml, "<rules><include>", 16);
    ib_put(&xml, conditions, strlen(conditions));
    ib_put(&xml, "</include></rules>", 19);
    struct ilp_rules *rules = rt_rules((const char *)xml.data);
    struct ilp_selector *selector = rt_selector(app, rules, target);
    struct ilp_selection explained;
    struct rt_explained explained_rule = {0};
    ilp_token token = rt_method(app->image, method);
    assert_int_equal(ilp_select(selector, token, selection, NULL), ILP_OK);
    assert_int_equal(ilp_explain(selector, token, rt_take_trace, &explained_rule, &explained, NULL),
                     ILP_OK);
    assert_int_equal(explained.rule, selection->rule);
    assert_int_equal(explained.included, selection->included);
    assert_int_equal(explained_rule.rules, 1);
    assert_int_equal(explained_rule.outcome, selection->included);
    assert_int_equal(selection->rule, selection->included == ILP_NO ? ILP_NO_RULE : 0);
    assert_int_equal(selection->detail[0] != '\0', selection->included == ILP_UNKNOWN);
    ilp_selector_close(selector);
    ilp_rules_close(rules);
    ib_free(&xml);
}

/* ---- tables ---- */

struct rt_case {
    const char *method;
    const char *conditions;
    enum ilp_tristate outcome;
};

static inline unsigned rt_check_cases(const struct rt_app *app, const struct rt_case *cases,
                                      size_t count, unsigned target)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct ilp_selection selection;
        rt_select(app, cases[i].method, cases[i].conditions, target, &selection);
        if (selection.included != cases[i].outcome) {
            print_error("%s: %s: %d, expected %d (%s)\n", cases[i].method, cases[i].conditions,
                        selection.included, cases[i].outcome, selection.detail);
            wrong++;
        }
    }
    return wrong;
}

#define RT_CHECK(app, cases) \
    assert_int_equal(rt_check_cases(app, cases, COUNT(cases), ILP_TARGET_AUTO), 0)

/* ---- one assembly for all tests of a program ---- */

static inline int rt_setup(void **state)
{
    static struct rt_app app;
    rt_open(&app);
    *state = &app;
    return 0;
}

static inline int rt_teardown(void **state)
{
    rt_close(*state);
    return 0;
}

#endif
