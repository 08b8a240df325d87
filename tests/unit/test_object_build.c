/* From what a runtime says of a class to the shape of its objects: src/values/object.c, what
 * known.c and shape.c know of the framework's types, and enums. What shapes look like as text is in
 * test_shape_objects.c. */
#include "tests/unit/value_size_test.h"

#include "base/alloc.h"
#include "types/value_type.h"
#include "values/kinds.h"
#include "values/object.h"

enum { MAX_CHAIN = 5, MAX_PLACES = 20, STEP = 16, FIRST = sizeof(void *) };

static struct world {
    struct ilp_image *core, *app;
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
    struct ilp_arena *arena;
    const char *gone, *overlaid, *both; /* value types, as they stand in a signature */
} world;

/* ---- the two assemblies ---- */

/* A field is "name signature", "!name signature" if it is static. The list ends with NULL. */
static ilp_token declare(struct ib_image *b, const char *full, ilp_token base, ...)
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

static ilp_token sequential(struct ib_image *b, ilp_token type)
{
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100001 | SEQUENTIAL);
    return type;
}

#define GENERIC "System.Collections.Generic."
#define TASKS   "System.Threading.Tasks."

static void add_core_structs(struct ib_image *b, ilp_token value_type)
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

static void add_core(void)
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
    declare(&b, "ContingentProperties", object, "m_exceptionsHolder 1C", NULL);
    declare(&b, "System.Tuple`2", object, "m_Item1 13 00", "m_Item2 13 01", NULL);
    add_core_structs(&b, value_type);
    world.core = built_root(&b);
    world.assemblies.images[world.assemblies.count++] = world.core;
}

static void add_enum(struct ib_image *b, const char *name, unsigned element,
                     const char *const (*members)[2], size_t count)
{
    declare(b, name, II_ENUM, text_of("value__ %02X", element), NULL);
    for (size_t i = 0; i < count; i++) {
        ilp_rid field = IB_ROW(b, Field, 6 | LITERAL, ib_string(b, members[i][0]),
                               ii_blob(b, text_of("06 %02X", element)));
        IB_ROW(b, Constant, element, ILP_TOKEN(ILP_Field, field), ii_blob(b, members[i][1]));
    }
}

static void add_enums(struct ib_image *b)
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
static void add_overlaid(struct ib_image *b)
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

static void add_many(struct ib_image *b, const char *name, unsigned count)
{
    declare(b, name, II_OBJECT, NULL);
    for (unsigned i = 0; i < count; i++) {
        IB_ROW(b, Field, 1, ib_string(b, text_of("f%u", i)), ii_blob(b, "06 08"));
    }
}

static void add_app(void)
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
    declare(&b, GENERIC "Queue`2", II_OBJECT, "_array 1C", NULL);
    add_many(&b, "N.Sixteen", 16);
    add_many(&b, "N.Seventeen", 17);
    sequential(&b, declare(&b, "N.Point", II_VALUE_TYPE, "X 08", "Y 08", NULL));
    sequential(&b, declare(&b, "N.Odd", II_VALUE_TYPE, text_of("unknown %s", world.gone), NULL));
    add_enums(&b);
    add_overlaid(&b);
    world.app = built_root(&b);
}

static int setup(void **state)
{
    (void)state;
    add_core();
    add_app();
    world.resolver = ii_resolver(&world.assemblies);
    return ilp_arena_open(&world.arena, NULL, NULL) == ILP_OK ? 0 : 1;
}

static int teardown(void **state)
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

static const struct ilp_type *type_of_text(const char *text)
{
    struct ilp_sig *sig;
    struct ii_hex hex = ii_hex(text_of("00 00 %s", text));
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){hex.data, hex.size}, ILP_SIG_METHOD, 0,
                                  world.arena, NULL),
                     ILP_OK);
    return sig->ret;
}

static struct ilpi_sized_value sized(struct ilp_image *image, const char *text,
                                     const struct ilpi_sized_value *arguments, uint32_t count)
{
    struct ilpi_sized_value sized;
    struct ilpi_value_query query = {image, type_of_text(text), &world.resolver, world.arena};
    assert_int_equal(ilpi_value_tree_closed(&query, arguments, count, &sized, NULL), ILP_OK);
    return sized;
}

/* By "Namespace.Name", of the program's assembly before the core library's. */
static struct ilpi_type_def find(const char *full)
{
    char name_space[100];
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

/* With the type's own parameters, which stand for the chain's arguments. */
static void add_class(struct chain *chain, const char *full)
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
static void place_fields(struct chain *chain)
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
static void say(struct chain *chain, const char *classes, const char *first, const char *second)
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

static ilp_status try_build(const struct chain *chain, struct ilp_arena *arena,
                            const struct shape **out)
{
    const struct object_source source = {.classes = chain->classes,
                                         .class_count = chain->count,
                                         .size = chain->size,
                                         .resolver = &world.resolver,
                                         .arena = arena,
                                         .scratch = world.arena};
    return object_build(out, &source, NULL);
}

static const struct shape *build(const struct chain *chain)
{
    const struct shape *shape;
    assert_int_equal(try_build(chain, world.arena, &shape), ILP_OK);
    return shape;
}

static const struct shape *built(const char *classes)
{
    struct chain chain;
    say(&chain, classes, "08", "0E");
    return build(&chain);
}

/* "Name@8 Age@24": the fields, and where they are. */
static void has_fields(const struct shape *shape, const char *expected)
{
    char text[500] = "";
    for (uint32_t i = 0; i < shape->field_count; i++) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%s@%u", i != 0 ? " " : "",
                 shape->fields[i].name, shape->fields[i].offset - FIRST);
    }
    assert_string_equal(text, expected);
}

static void is_hidden(const struct shape *shape)
{
    assert_int_equal(shape->kind, SHAPE_HIDDEN);
    assert_int_equal(shape->field_count, 0);
}

/* ---- classes ---- */

static void test_classes(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Student N.Person System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    assert_true(shape->is_class && shape->references && !shape->more);
    assert_int_equal(shape->size, FIRST + 3 * STEP);
    has_fields(shape, "Name@0 _age@16 Grade@32");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_STRING);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_SIGNED);
    assert_int_equal(shape->fields[2].shape->kind, SHAPE_DOUBLE);
    assert_string_equal(shape->name, "N.Student");
    assert_string_equal(shape->short_name, "Student");
    assert_int_equal(shape->base_count, 2);
    assert_string_equal(shape->bases[0], "N.Person");
    assert_string_equal(shape->bases[1], "System.Object");
    shape = built("N.Empty System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "");
}

static void test_generic_classes(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Box`1 System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "held@0");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_SIGNED);
    assert_string_equal(shape->name, "N.Box`1[System.Int32]");
    assert_string_equal(shape->short_name, "Box");
    shape = built("<>f__AnonymousType0`1 System.Object");
    has_fields(shape, "Id@0");
    assert_string_equal(shape->short_name, "");
}

/* "Fields that classes of the core library have are left out", and objects of these are hidden. */
static void test_core_classes(void **state)
{
    (void)state;
    const struct shape *shape = built("System.Object");
    assert_int_equal(shape->kind, SHAPE_ROOT);
    assert_int_equal(shape->base_count, 0);
    assert_int_equal(built("System.String System.Object")->kind, SHAPE_CLASS); /* the program's */
    shape = built("N.MyArgs System.EventArgs System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "Line@16");
    shape = built("System.Threading.Thread System.Object");
    is_hidden(shape);
    assert_string_equal(shape->short_name, "Thread");
    shape = built("System.Func`1 System.Delegate System.Object");
    is_hidden(shape);
    assert_string_equal(shape->short_name, "Func");
    is_hidden(built("N.Callback System.Func`1 System.Delegate System.Object"));
    is_hidden(built("System.Threading.Thread")); /* derived from nothing that is known */
}

static void test_string(void **state)
{
    struct chain chain;
    (void)state;
    say(&chain, "System.Threading.Thread System.Object", "08", "0E");
    chain.classes[0].def.rid = ilpi_find_type(world.core, 0, "System", "String");
    assert_int_equal(build(&chain)->kind, SHAPE_STRING);
}

static void test_many_fields(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Sixteen System.Object");
    assert_int_equal(shape->field_count, 16);
    assert_false(shape->more);
    shape = built("N.Seventeen System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    assert_int_equal(shape->field_count, 16);
    assert_true(shape->more);
    assert_string_equal(shape->fields[15].name, "f15");
}

/* Fail closed: one field that is not where an object has its fields, and nothing is shown. */
static void test_misplaced_fields(void **state)
{
    static const char *const student = "N.Student N.Person System.Object";
    struct chain chain;
    (void)state;
    say(&chain, student, "08", "0E");
    chain.places[0][0].offset = chain.size - 8; /* just fits */
    assert_int_equal(build(&chain)->kind, SHAPE_CLASS);
    chain.places[0][0].offset++;
    is_hidden(build(&chain));
    chain.places[0][0].offset = chain.size + 1;
    is_hidden(build(&chain));
    chain.places[0][0].offset = 0xFFFFFFFF;
    is_hidden(build(&chain));
    chain.places[0][0].offset = FIRST - 1; /* upon the object's type */
    is_hidden(build(&chain));
    say(&chain, student, "08", "0E");
    chain.classes[1].field_count--; /* without a place */
    is_hidden(build(&chain));
    is_hidden(built("N.Broken System.Object"));
}

/* How long a field is that cannot be found is not known; the others are shown. */
static void test_unknown_field(void **state)
{
    (void)state;
    const struct shape *shape = built("N.Strange System.Object");
    assert_int_equal(shape->kind, SHAPE_CLASS);
    has_fields(shape, "unknown@0 known@16");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_HIDDEN);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_SIGNED);
}

/* ---- exceptions ---- */

static void test_exceptions(void **state)
{
    static const char *const classes =
        "N.AppException System.SystemException System.Exception System.Object";
    struct chain chain;
    (void)state;
    const struct shape *shape = built(classes);
    assert_int_equal(shape->kind, SHAPE_EXCEPTION);
    has_fields(shape, "Message@16 InnerException@32 Code@80");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_STRING);
    assert_string_equal(shape->short_name, "AppException");
    shape = built("System.Exception System.Object");
    assert_int_equal(shape->kind, SHAPE_EXCEPTION);
    has_fields(shape, "Message@16 InnerException@32");
    for (uint32_t missing = 1; missing < 3; missing++) {
        say(&chain, classes, "08", "0E");
        chain.places[2][missing].field = 0;
        is_hidden(build(&chain));
    }
    say(&chain, classes, "08", "0E");
    chain.places[0][0].offset = 0;
    is_hidden(build(&chain));
}

/* ---- types of the framework ---- */

static void test_collections(void **state)
{
    struct chain chain;
    (void)state;
    const struct shape *shape = built(GENERIC "List`1 System.Object");
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_LIST);
    has_fields(shape, "_items@0 _size@16");
    assert_string_equal(shape->fields[0].shape->name, "System.Int32[]");
    assert_string_equal(shape->name, "System.Collections.Generic.List`1[System.Int32]");
    shape = built("N.AppList " GENERIC "List`1 System.Object");
    assert_int_equal(shape->known, KNOWN_LIST); /* what is derived from it is shown alike */
    has_fields(shape, "_items@0 _size@16");
    assert_string_equal(shape->short_name, "AppList");
    shape = built(GENERIC "Queue`1 System.Object"); /* as the writer takes them */
    assert_int_equal(shape->known, KNOWN_QUEUE);
    has_fields(shape, "_array@0 _size@48 _head@16");
    is_hidden(built(GENERIC "Stack`1 System.Object"));   /* _size is static */
    is_hidden(built(GENERIC "HashSet`1 System.Object")); /* _entries is no reference */
    assert_int_equal(built(GENERIC "Queue`2 System.Object")->kind, SHAPE_CLASS);
    say(&chain, GENERIC "List`1 System.Object", "08", "0E");
    chain.places[0][1].offset = chain.size;
    is_hidden(build(&chain));
}

static void test_tuples(void **state)
{
    struct chain chain;
    (void)state;
    const struct shape *shape = built("System.Tuple`2 System.Object");
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_TUPLE);
    has_fields(shape, "m_Item1@0 m_Item2@16");
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_SIGNED);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_STRING);
    say(&chain, "System.Tuple`2 System.Object", "08", "0E");
    chain.classes[0].field_count = 1;
    is_hidden(build(&chain));
}

/* A state machine that is a task is a task to a reader. */
static void test_tasks(void **state)
{
    (void)state;
    const struct shape *shape = built(TASKS "Task System.Object");
    assert_int_equal(shape->known, KNOWN_TASK);
    has_fields(shape, "m_stateFlags@0 m_contingentProperties@32");
    shape = built("N.MyTask " TASKS "Task`1 " TASKS "Task System.Object");
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_TASK);
    has_fields(shape, "m_stateFlags@0 m_contingentProperties@32 m_result@48");
    assert_string_equal(shape->short_name, "Task");
    assert_string_equal(shape->name, "N.MyTask");
}

static void test_known_types(void **state)
{
    static const struct {
        const char *type;
        enum known_kind kind;
    } known[] = {{GENERIC "List`1", KNOWN_LIST},    {GENERIC "Queue`1", KNOWN_QUEUE},
                 {GENERIC "Stack`1", KNOWN_LIST},   {TASKS "Task`1", KNOWN_TASK},
                 {"System.Tuple`2", KNOWN_TUPLE},   {"System.ValueTuple`2", KNOWN_TUPLE},
                 {"System.Span`1", KNOWN_SPAN},     {"System.ArraySegment`1", KNOWN_SEGMENT},
                 {GENERIC "HashSet`1", KNOWN_TABLE}};
    static const char *const unknown[] = {"System.Object", "System.Exception", "N.Person",
                                          "N.AppList", "System.Collections.Generic.Queue`2"};
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        const struct framework_type *type = known_find(find(known[i].type));
        assert_non_null(type);
        assert_int_equal(type->kind, known[i].kind);
    }
    for (size_t i = 0; i < COUNT(unknown); i++) {
        assert_null(known_find(find(unknown[i])));
    }
    /* without a namespace it has to be the core library's */
    struct ilpi_type_def own = {world.core, 0};
    own.rid = ilpi_find_type(world.core, 0, "", "ContingentProperties");
    assert_int_equal(known_find(own)->kind, KNOWN_LINK);
    assert_null(known_find(find("ContingentProperties")));
}

static void test_known_fields(void **state)
{
    char what, name[8];
    const char *rest = "r_items ix";
    (void)state;
    rest = known_next_field(rest, &what, name, sizeof name);
    assert_int_equal(what, 'r');
    assert_string_equal(name, "_items");
    rest = known_next_field(rest, &what, name, sizeof name);
    assert_int_equal(what, 'i');
    assert_string_equal(name, "x");
    assert_null(known_next_field(rest, &what, name, sizeof name));
    assert_null(known_next_field("r", &what, name, sizeof name));
    assert_non_null(known_next_field("r1234567", &what, name, sizeof name));
    assert_string_equal(name, "1234567");
    assert_null(known_next_field("r12345678", &what, name, sizeof name));
}

/* What each letter of known.def stands for. */
static void test_right_fields(void **state)
{
    static const struct {
        enum shape_kind kind;
        uint32_t size;
        const char *right;
    } fields[] = {
        {SHAPE_STRING, sizeof(void *), "r"},
        {SHAPE_OBJECT, sizeof(void *), "r"},
        {SHAPE_ARRAY, sizeof(void *), "r"},
        {SHAPE_POINTER, sizeof(void *), "p"},
        {SHAPE_SIGNED, 4, "i"},
        {SHAPE_UNSIGNED, 4, "i"},
        {SHAPE_SIGNED, 2, "s"},
        {SHAPE_UNSIGNED, 2, "s"},
        {SHAPE_SIGNED, 8, "l"},
        {SHAPE_UNSIGNED, 8, "l"},
        {SHAPE_DATE_TIME, 8, "l"},
        {SHAPE_ADDRESS, 8, "l"},
        {SHAPE_ADDRESS, 4, ""},
        {SHAPE_SINGLE, 4, ""},
        {SHAPE_DOUBLE, 8, ""},
        {SHAPE_BYTES, 4, ""},
        {SHAPE_SIGNED, 1, ""},
        {SHAPE_CHAR, 2, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct shape shape = {.kind = fields[i].kind, .size = fields[i].size};
        for (const char *what = "rpisl"; *what; what++) {
            bool right = strchr(fields[i].right, *what) != NULL;
            if (known_is_right(&shape, *what) != right) {
                fail_msg("kind %d of %u bytes, %c", fields[i].kind, fields[i].size, *what);
            }
        }
        assert_true(known_is_right(&shape, '*'));
    }
}

/* ---- boxed values ---- */

static const struct shape *boxed(const char *type, uint32_t size)
{
    struct chain chain;
    say(&chain, type, "08", "0E");
    chain.size = FIRST + size;
    return build(&chain);
}

static void test_boxed(void **state)
{
    (void)state;
    const struct shape *shape = boxed("N.Point", 8);
    assert_int_equal(shape->kind, SHAPE_STRUCT);
    assert_int_equal(shape->size, 8);
    assert_false(shape->is_class);
    assert_int_equal(shape->field_count, 2);
    assert_string_equal(shape->fields[1].name, "Y");
    assert_int_equal(shape->fields[1].offset, 4); /* from the value's beginning */
    assert_string_equal(shape->name, "N.Point");
    assert_int_equal(boxed("N.Point", 16)->kind, SHAPE_STRUCT); /* rounded up */
    assert_int_equal(boxed("System.Guid", 16)->kind, SHAPE_GUID);
    is_hidden(boxed("N.Point", 7));
    shape = boxed("N.Odd", 64);
    is_hidden(shape);
    assert_false(shape->is_class);
    assert_string_equal(shape->short_name, "");
    assert_string_equal(shape->name, "N.Odd");
}

static void test_boxed_known(void **state)
{
    (void)state;
    const struct shape *shape = boxed("System.ValueTuple`2", 2 * sizeof(void *));
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_TUPLE);
    assert_int_equal(shape->field_count, 2);
    shape = boxed("System.ArraySegment`1", sizeof(void *) + 8);
    assert_int_equal(shape->known, KNOWN_SEGMENT);
    assert_int_equal(shape->field_count, 3); /* as the writer takes them */
    assert_string_equal(shape->fields[0].name, "_array");
    assert_string_equal(shape->fields[1].name, "_count");
    assert_int_equal(shape->fields[1].offset, sizeof(void *) + 4);
    assert_string_equal(shape->fields[2].name, "_offset");
    assert_int_equal(boxed("System.Index", 8)->kind, SHAPE_HIDDEN); /* not of 4 bytes */
}

static const char *member(const struct shape *shape, uint64_t bits)
{
    static char text[100];
    struct line line;
    line_begin(&line, text, sizeof text - 1);
    line_part(&line, sizeof text);
    bool put = enum_put(&line, shape->members, bits);
    text[line.size] = '\0';
    assert_true(put || line.size == 0);
    return put ? text : NULL;
}

static void test_enums(void **state)
{
    uint64_t bits = 7;
    (void)state;
    const struct shape *shape = boxed("N.Color", 1);
    assert_int_equal(shape->kind, SHAPE_ENUM);
    assert_int_equal(shape->inner->kind, SHAPE_SIGNED);
    assert_string_equal(shape->name, "N.Color");
    assert_string_equal(member(shape, 1), "Red");
    assert_string_equal(member(shape, UINT64_MAX), "Green"); /* -1 */
    assert_null(member(shape, 3));
    assert_null(member(shape, 0xFF));
    assert_true(enum_find(shape->members, "Green", &bits));
    assert_true(bits == UINT64_MAX);
    assert_false(enum_find(shape->members, "Fixed", &bits));
    assert_false(enum_find(shape->members, "Private", &bits));
    assert_false(enum_find(shape->members, "value__", &bits));
}

static void test_flags(void **state)
{
    uint64_t bits = 7;
    (void)state;
    const struct shape *shape = boxed("N.Rights", 4);
    assert_string_equal(member(shape, 0), "None");
    assert_string_equal(member(shape, 3), "Both");
    assert_string_equal(member(shape, 0x80000000), "All"); /* unsigned */
    assert_string_equal(member(shape, 0x80000001), "Read, All");
    assert_string_equal(member(shape, 9), "Read, 0x8");
    assert_null(member(shape, 8));
    assert_true(enum_find(shape->members, "Cut", &bits));
    assert_int_equal(bits, 0);
}

/* ---- values ---- */

static const struct shape *value_of(struct ilp_image *image, const char *type)
{
    const struct shape *shape;
    assert_int_equal(
        shape_build(&shape, image, type_of_text(type), &world.resolver, world.arena, NULL), ILP_OK);
    return shape;
}

static const char *core_instance(const char *type, unsigned count, const char *arguments)
{
    return instance(ILP_TOKEN(ILP_TypeDef, find(type).rid), count, arguments);
}

static void test_values(void **state)
{
    (void)state;
    const struct shape *shape = value_of(world.core, core_instance("System.Span`1", 1, "03"));
    assert_int_equal(shape->kind, SHAPE_FRAMEWORK);
    assert_int_equal(shape->known, KNOWN_SPAN);
    assert_int_equal(shape->inner->kind, SHAPE_CHAR);
    shape = value_of(world.core, core_instance("System.Nullable`1", 1, "08"));
    assert_int_equal(shape->kind, SHAPE_NULLABLE);
    assert_string_equal(shape->name, "System.Int32");
    assert_int_equal(shape_size(shape), 8);
    assert_false(shape_has_references(shape));
    shape = value_of(world.core, "10 08");
    assert_int_equal(shape->kind, SHAPE_BYREF);
    assert_int_equal(shape->inner->kind, SHAPE_SIGNED);
    assert_true(shape_has_references(value_of(world.core, "0E")));
    assert_true(shape_has_references(value_of(world.app, world.gone))); /* for all we know */
}

/* Which of the references is there only the program knows: nothing that they lead to is read. */
static void test_overlaid(void **state)
{
    (void)state;
    const struct shape *shape = value_of(world.app, world.overlaid);
    assert_int_equal(shape->kind, SHAPE_STRUCT);
    assert_int_equal(shape->field_count, 3);
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_OBJECT);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_OBJECT);
    assert_int_equal(shape->fields[2].shape->kind, SHAPE_SIGNED);
    shape = value_of(world.app, world.both);
    assert_int_equal(shape->kind, SHAPE_STRUCT);
    assert_int_equal(shape->fields[0].shape->kind, SHAPE_OBJECT);
    assert_int_equal(shape->fields[1].shape->kind, SHAPE_BYTES);
}

/* ---- arrays ---- */

static ilp_status try_array(const char *type, const char *element, uint32_t size, uint32_t rank,
                            struct ilp_arena *arena, const struct shape **out)
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

static const struct shape *array(const char *element, uint32_t size)
{
    const struct shape *shape;
    assert_int_equal(try_array(text_of("1D %s", element), element, size, 0, world.arena, &shape),
                     ILP_OK);
    assert_int_equal(shape->kind, SHAPE_ELEMENTS);
    assert_true(shape->is_class && shape->references);
    assert_int_equal(shape->inner->size, size); /* whatever they are, they are counted by that */
    return shape;
}

static void test_arrays(void **state)
{
    (void)state;
    const struct shape *shape = array("08", 4);
    assert_int_equal(shape->inner->kind, SHAPE_SIGNED);
    assert_int_equal(shape->rank, 0);
    assert_int_equal(shape->data, 2 * sizeof(void *));
    assert_string_equal(shape->name, "System.Int32[]");
    assert_int_equal(array("0E", sizeof(void *))->inner->kind, SHAPE_STRING);
    assert_int_equal(try_array("14 08 02 00 00", "08", 4, 2, world.arena, &shape), ILP_OK);
    assert_int_equal(shape->rank, 2);
    assert_int_equal(shape->data, 2 * sizeof(void *) + 16);
    assert_string_equal(shape->name, "System.Int32[,]");
    assert_int_equal(array("08", 8)->inner->kind, SHAPE_HIDDEN); /* the runtime says otherwise */
    shape = array(world.gone, 24);
    assert_int_equal(shape->inner->kind, SHAPE_HIDDEN);
    assert_string_equal(shape->name, "G.Gone[]");
    shape = array("0F 01", sizeof(void *));
    assert_int_equal(shape->inner->kind, SHAPE_POINTER);
    assert_null(shape->name); /* to what is not known */
}

/* ---- memory ---- */

enum { CHUNK = 16 * 1024, MOST = 2048 };

/* With `left` bytes in the arena's first chunk, or about, and the n-th allocation failing. */
static ilp_status build_short(const struct chain *chain, size_t left, size_t n)
{
    struct memory memory = {.fail_at = 0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    struct ilp_arena *arena;
    const struct shape *shape;
    assert_int_equal(ilp_arena_open(&arena, &allocator, NULL), ILP_OK);
    assert_non_null(ilpi_arena_alloc(arena, CHUNK - left));
    memory.fail_at = memory.calls + n;
    ilp_status status = chain ? try_build(chain, arena, &shape)
                              : try_array("1D 08", "08", 8, 0, arena, &shape);
    ilp_arena_close(arena);
    memory_is_empty(&memory);
    return status;
}

/* What cannot be had is an error, wherever the arena's chunk ends. */
static unsigned count_failures(const struct chain *chain)
{
    unsigned failures = 0;
    for (size_t left = 0; left < MOST; left += 16) {
        ilp_status status;
        for (size_t n = 1; (status = build_short(chain, left, n)) != ILP_OK; n++) {
            assert_int_equal(ilp_status_class(status), ILP_CLASS_MEMORY);
            assert_true(n < 100);
            failures++;
        }
    }
    return failures;
}

static void test_memory(void **state)
{
    static const char *const classes[] = {"N.Student N.Person System.Object",
                                          "N.AppException System.Exception System.Object",
                                          "System.Collections.Generic.List`1 System.Object",
                                          "System.Tuple`2 System.Object", "N.Rights"};
    (void)state;
    for (size_t i = 0; i < COUNT(classes); i++) {
        struct chain chain;
        say(&chain, classes[i], "08", "0E");
        assert_true(count_failures(&chain) >= MOST / 16); /* a name at least, each time */
    }
    assert_true(count_failures(NULL) >= MOST / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),       cmocka_unit_test(test_generic_classes),
        cmocka_unit_test(test_core_classes),  cmocka_unit_test(test_string),
        cmocka_unit_test(test_many_fields),   cmocka_unit_test(test_misplaced_fields),
        cmocka_unit_test(test_unknown_field), cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_collections),   cmocka_unit_test(test_tuples),
        cmocka_unit_test(test_tasks),         cmocka_unit_test(test_known_types),
        cmocka_unit_test(test_known_fields),  cmocka_unit_test(test_right_fields),
        cmocka_unit_test(test_boxed),         cmocka_unit_test(test_boxed_known),
        cmocka_unit_test(test_enums),         cmocka_unit_test(test_flags),
        cmocka_unit_test(test_values),        cmocka_unit_test(test_overlaid),
        cmocka_unit_test(test_arrays),        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
