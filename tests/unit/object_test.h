/* What the tests of src/values/object.c share: a core library and a program, and what a runtime
 * says of their classes: the chain from a class to System.Object, with a place for each field.
 *
 *   const struct shape *shape = built("N.Student N.Person System.Object");
 *   has_fields(shape, "Name@0 _age@16 Grade@32");
 *   ...
 *   return cmocka_run_group_tests(tests, setup, teardown); */
#ifndef OBJECT_TEST_H
#define OBJECT_TEST_H

#include "tests/unit/value_size_test.h"

#include "types/value_type.h"
#include "values/kinds.h"
#include "values/object.h"

enum { MAX_CHAIN = 5, MAX_PLACES = 20, STEP = 16, FIRST = sizeof(void *) };

static struct world {
    struct ilp_image *core, *app;
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
    const struct redaction *redaction;
    struct ilp_arena *arena;
    const char *gone, *overlaid, *both; /* value types, as they stand in a signature */
} world;

/* ---- the two assemblies ---- */

/* A field is "name signature", "!name signature" if it is static. The list ends with NULL. */
static inline ilp_token declare(struct ib_image *b, const char *full, ilp_token base, ...)
{
    char name_space[100];
    const char *dot = strrchr(full, '.'), *text;
    snprintf(name_space, sizeof name_space, "%.*s", dot ? (int)(dot - full) : 0, full);
    ilp_token type = ii_type(b, name_space, dot ? dot + 1 : full, base);
    va_list fields;
    va_start(fields, base);
    while ((text = va_arg(fields, const char *)) != NULL) {
        const char *end = strchr(text, ' ');
        bool is_static = text[0] == '!';
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(end - text - is_static), text + is_static);
        IB_ROW(b, Field, is_static ? 0x11 : 1, ib_string(b, name),
               ii_blob(b, text_of("06%s", end)));
    }
    va_end(fields);
    return type;
}

static inline ilp_token sequential(struct ib_image *b, ilp_token type)
{
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100001 | SEQUENTIAL);
    return type;
}

#define GENERIC "System.Collections.Generic."
#define TASKS   "System.Threading.Tasks."

static inline void add_core_structs(struct ib_image *b, ilp_token value_type)
{
    sequential(b, declare(b, "System.Guid", value_type, "_a 08", "_b 08", "_c 08", "_d 08", NULL));
    sequential(b,
               declare(b, "System.ValueTuple`2", value_type, "Item1 13 00", "Item2 13 01", NULL));
    sequential(b, declare(b, "System.ArraySegment`1", value_type, "_array 1D 13 00", "_offset 08",
                          "_count 08", NULL));
    sequential(b,
               declare(b, "System.Span`1", value_type, "_reference 10 13 00", "_length 08", NULL));
    sequential(b, declare(b, "System.Index", value_type, "_value 0A", NULL)); /* not as known */
    sequential(b, declare(b, "System.Nullable`1", value_type, "hasValue 02", "value 13 00", NULL));
}

static inline void add_core(void)
{
    struct ib_image b;
    ii_begin_bare(&b, "System.Private.CoreLib");
    ilp_token object = declare(&b, "System.Object", 0, NULL);
    ilp_token value_type = declare(&b, "System.ValueType", object, NULL);
    declare(&b, "System.Enum", value_type, NULL);
    declare(&b, "System.String", object, "_stringLength 08", "_firstChar 03", NULL);
    ilp_token exception = declare(&b, "System.Exception", object, "_className 0E", "_message 0E",
                                  "_innerException 1C", "_HResult 08", NULL);
    declare(&b, "System.SystemException", exception, "_hidden 08", NULL);
    ilp_token delegate = declare(&b, "System.Delegate", object, "_target 1C", NULL);
    declare(&b, "System.Func`1", delegate, NULL);
    declare(&b, "System.Threading.Thread", object, "_name 0E", NULL);
    declare(&b, "System.EventArgs", object, "_secret 08", NULL);
    declare(&b, GENERIC "List`1", object, "!s_emptyArray 1D 13 00", "_items 1D 13 00", "_size 08",
            "_version 08", NULL);
    declare(&b, GENERIC "Queue`1", object, "_array 1D 13 00", "_head 08", "_tail 08", "_size 08",
            NULL);
    declare(&b, GENERIC "Stack`1", object, "_array 1D 13 00", "!_size 08", NULL); /* not as known */
    declare(&b, GENERIC "HashSet`1", object, "_entries 08", "_count 08", "_freeCount 08", NULL);
    ilp_token task = declare(&b, TASKS "Task", object, "m_stateFlags 08", "m_action 1C",
                             "m_contingentProperties 1C", NULL);
    declare(&b, TASKS "Task`1", task, "m_result 13 00", NULL);
    ilp_token nested = declare(&b, "ContingentProperties", object, "m_exceptionsHolder 1C", NULL);
    IB_ROW(&b, NestedClass, ILP_TOKEN_RID(nested), ILP_TOKEN_RID(task));
    ilp_token maps = declare(&b, "System.Threading.AsyncLocalValueMap", object, NULL);
    nested = declare(&b, "TwoElementAsyncLocalValueMap", object, "_key1 1C", "_key2 1C",
                     "_value1 1C", "_value2 1C", NULL); /* in an older form */
    IB_ROW(&b, NestedClass, ILP_TOKEN_RID(nested), ILP_TOKEN_RID(maps));
    declare(&b, "System.Tuple`2", object, "m_Item1 13 00", "m_Item2 13 01", NULL);
    add_core_structs(&b, value_type);
    world.core = built_root(&b);
    world.assemblies.images[world.assemblies.count++] = world.core;
}

static inline void add_enum(struct ib_image *b, const char *name, unsigned element,
                            const char *const (*members)[2], size_t count)
{
    declare(b, name, II_ENUM, text_of("value__ %02X", element), NULL);
    for (size_t i = 0; i < count; i++) {
        ilp_rid field = IB_ROW(b, Field, 6 | LITERAL, ib_string(b, members[i][0]),
                               ii_blob(b, text_of("06 %02X", element)));
        IB_ROW(b, Constant, element, ILP_TOKEN(ILP_Field, field), ii_blob(b, members[i][1]));
    }
}

static inline void add_enums(struct ib_image *b)
{
    static const char *const colors[][2] = {{"Red", "01"}, {"Green", "FF"}};
    static const char *const rights[][2] = {
        {"None", "00 00 00 00"}, {"Read", "01 00 00 00"}, {"Write", "02 00 00 00"},
        {"Both", "03 00 00 00"}, {"All", "00 00 00 80"},  {"Cut", "01"}}; /* too short: no number */
    add_enum(b, "N.Color", ILP_ELEMENT_I1, colors, COUNT(colors));
    IB_ROW(b, Field, 0x16, ib_string(b, "Fixed"), ii_blob(b, "06 04"));   /* no constant */
    IB_ROW(b, Field, 0x51, ib_string(b, "Private"), ii_blob(b, "06 04")); /* not public */
    add_enum(b, "N.Rights", ILP_ELEMENT_U4, rights, COUNT(rights));
    ilp_token type = ILP_TOKEN(ILP_TypeDef, ib_row_count(b, ILP_TypeDef));
    ii_attribute(b, type, ii_type_ref(b, II_MSCORLIB, "System", "FlagsAttribute"));
}

/* Two references at one offset, and one upon a struct that has one. */
static inline void add_overlaid(struct ib_image *b)
{
    ilp_token holder = sequential(b, declare(b, "N.Holder", II_VALUE_TYPE, "text 0E", NULL));
    for (unsigned i = 0; i < 2; i++) {
        const char *other = i == 0 ? "1D 08" : value(holder);
        ilp_token type = declare(b, i == 0 ? "N.Overlaid" : "N.Both", II_VALUE_TYPE, "text 0E",
                                 text_of("other %s", other), "number 08", NULL);
        ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100001 | EXPLICIT);
        ilp_rid last = ib_row_count(b, ILP_Field);
        IB_ROW(b, FieldLayout, 0, last - 2);
        IB_ROW(b, FieldLayout, 0, last - 1);
        IB_ROW(b, FieldLayout, sizeof(void *), last);
        *(i == 0 ? &world.overlaid : &world.both) = strdup(value(type));
    }
}

static inline void add_many(struct ib_image *b, const char *name, unsigned count)
{
    declare(b, name, II_OBJECT, NULL);
    for (unsigned i = 0; i < count; i++) {
        IB_ROW(b, Field, 1, ib_string(b, text_of("f%u", i)), ii_blob(b, "06 08"));
    }
}

static inline void add_app(void)
{
    struct ib_image b;
    ii_begin_bare(&b, "App");
    ii_assembly_ref(&b, "System.Private.CoreLib");
    ii_type_ref(&b, II_MSCORLIB, "System", "Object");
    ii_type_ref(&b, II_MSCORLIB, "System", "ValueType");
    ii_type_ref(&b, II_MSCORLIB, "System", "Enum");
    ilp_token exception = ii_type_ref(&b, II_MSCORLIB, "System", "Exception");
    ilp_token func = ii_type_ref(&b, II_MSCORLIB, "System", "Func`1");
    ilp_token list = ii_type_ref(&b, II_MSCORLIB, "System.Collections.Generic", "List`1");
    world.gone = strdup(value(ii_type_ref(&b, ii_assembly_ref(&b, "Gone"), "G", "Gone")));
    ilp_token person = declare(&b, "N.Person", II_OBJECT, "<Name>k__BackingField 0E", "!Count 08",
                               "_age 08", NULL);
    declare(&b, "N.Student", person, "Grade 0D", NULL);
    declare(&b, "N.Box`1", II_OBJECT, "held 13 00", NULL);
    declare(&b, "N.Empty", II_OBJECT, NULL);
    declare(&b, "<>f__AnonymousType0`1", II_OBJECT, "<Id>i__Field 13 00", NULL);
    declare(&b, "N.AppException", exception, "Code 08", NULL);
    declare(&b, "N.Callback", func, "own 08", NULL);
    declare(&b, "N.AppList", list, "own 08", NULL);
    declare(&b, "N.MyTask", II_OBJECT, "state 08", NULL);
    declare(&b, "N.MyArgs", II_OBJECT, "Line 08", NULL);
    declare(&b, "N.Strange", II_OBJECT, text_of("unknown %s", world.gone), "known 08", NULL);
    declare(&b, "N.Broken", II_OBJECT, "good 08", "bad 40", NULL);
    declare(&b, "System.String", II_OBJECT, "mine 08", NULL);
    declare(&b, "ContingentProperties", II_OBJECT, "m_exceptionsHolder 1C", NULL);
    declare(&b, "System.Text.RegularExpressions.Regex", II_OBJECT, "roptions 08", "caps 1C",
            "pattern 0E", NULL);
    declare(&b, "System.Net.Http.HttpMethod", II_OBJECT, "verb 0E", NULL);
    declare(&b, GENERIC "Queue`2", II_OBJECT, "_array 1C", NULL);
    add_many(&b, "N.Sixteen", 16);
    add_many(&b, "N.Seventeen", 17);
    sequential(&b, declare(&b, "N.Point", II_VALUE_TYPE, "X 08", "Y 08", NULL));
    sequential(&b, declare(&b, "N.Odd", II_VALUE_TYPE, text_of("unknown %s", world.gone), NULL));
    add_enums(&b);
    add_overlaid(&b);
    world.app = built_root(&b);
}

static inline int setup(void **state)
{
    (void)state;
    add_core();
    add_app();
    world.resolver = ii_resolver(&world.assemblies);
    return ilp_arena_open(&world.arena, NULL, NULL) == ILP_OK ? 0 : 1;
}

static inline int teardown(void **state)
{
    const char *const texts[] = {world.gone, world.overlaid, world.both};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        free((char *)(uintptr_t)texts[i]);
    }
    ilp_arena_close(world.arena);
    close_built(world.app);
    ii_close(&world.assemblies);
    return 0;
}

/* ---- what the runtime says ---- */

static inline const struct ilp_type *type_of_text(const char *text)
{
    struct ilp_sig *sig;
    struct ii_hex hex = ii_hex(text_of("00 00 %s", text));
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){hex.data, hex.size}, ILP_SIG_METHOD, 0,
                                  world.arena, NULL),
                     ILP_OK);
    return sig->ret;
}

static inline struct ilpi_sized_value sized(struct ilp_image *image, const char *text,
                                            const struct ilpi_sized_value *arguments,
                                            uint32_t count)
{
    struct ilpi_sized_value sized;
    struct ilpi_value_query query = {image, type_of_text(text), &world.resolver, world.arena, NULL};
    assert_int_equal(ilpi_value_tree_closed(&query, arguments, count, &sized, NULL), ILP_OK);
    return sized;
}

/* By "Namespace.Name", of the program's assembly before the core library's; "+Inner" after that. */
static inline struct ilpi_type_def find(const char *full)
{
    char name_space[100];
    const char *plus = strchr(full, '+');
    if (plus) {
        struct ilpi_type_def outer = find(text_of("%.*s", (int)(plus - full), full));
        outer.rid = ilpi_find_type(outer.image, outer.rid, "", plus + 1);
        assert_int_not_equal(outer.rid, 0);
        return outer;
    }
    const char *dot = strrchr(full, '.');
    const char *name = dot ? dot + 1 : full;
    snprintf(name_space, sizeof name_space, "%.*s", dot ? (int)(dot - full) : 0, full);
    struct ilpi_type_def def = {world.app, ilpi_find_type(world.app, 0, name_space, name)};
    if (def.rid == 0) {
        def = (struct ilpi_type_def){world.core, ilpi_find_type(world.core, 0, name_space, name)};
    }
    if (def.rid == 0) {
        fail_msg("no %s", full);
    }
    return def;
}

struct chain {
    struct object_class classes[MAX_CHAIN];
    struct object_field places[MAX_CHAIN][MAX_PLACES];
    struct ilpi_sized_value arguments[2];
    uint32_t count, size;
};

/* With the type's own parameters, which mean the chain's arguments. */
static inline void add_class(struct chain *chain, const char *full)
{
    struct object_class *class = &chain->classes[chain->count];
    const char *tick = strchr(full, '`');
    class->def = find(full);
    class->fields = chain->places[chain->count++];
    bool is_value = ilpi_is_value_type_def(class->def.image, class->def.rid);
    const char *own = text_of("%s %s", is_value ? "11" : "12",
                              encoded(ILP_TOKEN(ILP_TypeDef, class->def.rid)));
    if (tick) {
        own = text_of("15 %s 0%c %s", own, tick[1], tick[1] == '1' ? "13 00" : "13 00 13 01");
    }
    class->type = sized(class->def.image, own, chain->arguments,
                        tick ? (uint32_t)(tick[1] - '0') : 0);
}

/* Every field of an instance gets a place: those of base classes first. */
static inline void place_fields(struct chain *chain)
{
    chain->size = FIRST;
    for (uint32_t i = chain->count; i-- > 0;) {
        struct object_class *class = &chain->classes[i];
        ilp_rid first, end;
        ilpi_list(class->def.image, ILP_TypeDef, class->def.rid, ILP_TypeDef_FieldList, &first,
                  &end);
        for (; first < end; first++) {
            if (!(ilp_cell(class->def.image, ILP_Field, first, ILP_Field_Flags) & STATIC)) {
                assert_in_range(class->field_count, 0, MAX_PLACES - 1);
                chain->places[i][class->field_count++] =
                    (struct object_field){ILP_TOKEN(ILP_Field, first), chain->size};
                chain->size += STEP;
            }
        }
    }
}

/* "N.Student N.Person System.Object", with type arguments of the core library. */
static inline void say(struct chain *chain, const char *classes, const char *first,
                       const char *second)
{
    char name[100];
    int length;
    *chain = (struct chain){.count = 0};
    chain->arguments[0] = sized(world.core, first, NULL, 0);
    chain->arguments[1] = sized(world.core, second, NULL, 0);
    for (; sscanf(classes, " %99s%n", name, &length) == 1; classes += length) {
        add_class(chain, name);
    }
    place_fields(chain);
}

static inline ilp_status try_build(const struct chain *chain, struct ilp_arena *arena,
                                   const struct shape **out)
{
    const struct object_source source = {.classes = chain->classes,
                                         .class_count = chain->count,
                                         .size = chain->size,
                                         .resolver = &world.resolver,
                                         .redaction = world.redaction,
                                         .arena = arena,
                                         .scratch = world.arena};
    return object_build(out, &source, NULL);
}

static inline const struct shape *build(const struct chain *chain)
{
    const struct shape *shape;
    assert_int_equal(try_build(chain, world.arena, &shape), ILP_OK);
    return shape;
}

static inline const struct shape *built(const char *classes)
{
    struct chain chain;
    say(&chain, classes, "08", "0E");
    return build(&chain);
}

static inline ilp_status try_array(const char *type, const char *element, uint32_t size,
                                   uint32_t rank, struct ilp_arena *arena, const struct shape **out)
{
    const struct array_source source = {.type = sized(world.app, type, NULL, 0),
                                        .element = sized(world.app, element, NULL, 0),
                                        .element_size = size,
                                        .rank = rank,
                                        .data = 2 * sizeof(void *) + 8 * rank,
                                        .resolver = &world.resolver,
                                        .arena = arena,
                                        .scratch = world.arena};
    return object_build_array(out, &source, NULL);
}

/* "Name@8 Age@24": the fields, and where they are. */
static inline void has_fields(const struct shape *shape, const char *expected)
{
    char text[500] = "";
    for (uint32_t i = 0; i < shape->field_count; i++) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%s@%u", i != 0 ? " " : "",
                 shape->fields[i].name, shape->fields[i].offset - FIRST);
    }
    assert_string_equal(text, expected);
}

static inline void is_hidden(const struct shape *shape)
{
    assert_int_equal(shape->kind, SHAPE_HIDDEN);
    assert_int_equal(shape->field_count, 0);
}

#endif
