/* profiler/objects.c and class_layout.c: objects as text, by what a played runtime says of their
 * classes. The notation is that of docs/VALUES.md; what the runtime does not say, or says in a
 * way that does not fit with the metadata, is {...}. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/profiler_host.h"

#include "profiler/objects.h"
#include "values/kinds.h"
#include "tests/unit/any_room.h"

/* ModuleIDs. */
enum { CORE = 1, APP, NOT_LOADED };

/* TypeDefs of the core library, and of App. */
enum { OBJECT = 2, VALUE_TYPE, STRING, INT32, THREAD };
enum { BASE = 2, DERIVED, PAIR, BOX, EMPTY, APP_TYPES };

/* Fields of App. */
enum { NUMBER = 1, TEXT, NEXT, X, Y, VALUE };

#define TYPE(rid)  ILP_TOKEN(ILP_TypeDef, rid)
#define FIELD(rid) ILP_TOKEN(ILP_Field, rid)
#define ID(class)  ((ClassID)(uintptr_t)(class))
#define WORD       ((uint32_t)sizeof(void *))

/* Of objects with so many bytes after the method table. */
#define BASE_SIZE(bytes) (2 * WORD + (bytes))
#define HAS_ELEMENTS     0x80000000u

/* ---- the program ---- */

static void add_field(struct ib_image *b, const char *name, const char *type)
{
    IB_ROW(b, Field, 1, ib_string(b, name), ii_blob(b, type));
}

static ilp_token add_struct(struct ib_image *b, const char *name_space, const char *name,
                            ilp_token extends)
{
    ilp_token type = ii_type(b, name_space, name, extends);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100109);
    return type;
}

static struct ilp_image *core_image(void)
{
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    ii_type(&b, "System", "ValueType", TYPE(OBJECT));
    ii_type(&b, "System", "String", TYPE(OBJECT));
    assert_int_equal(add_struct(&b, "System", "Int32", TYPE(VALUE_TYPE)), TYPE(INT32));
    add_field(&b, "m_value", "06 08");
    assert_int_equal(ii_type(&b, "System.Threading", "Thread", TYPE(OBJECT)), TYPE(THREAD));
    return built_root(&b);
}

static struct ilp_image *app_image(void)
{
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "Base", II_OBJECT);
    add_field(&b, "Number", "06 08");
    ii_type(&b, "N", "Derived", TYPE(BASE));
    add_field(&b, "Text", "06 0E");
    add_field(&b, "Next", "06 1C");
    add_struct(&b, "N", "Pair", II_VALUE_TYPE);
    add_field(&b, "X", "06 08");
    add_field(&b, "Y", "06 08");
    ilp_token box = ii_type(&b, "N", "Box`1", II_OBJECT);
    add_field(&b, "Value", "06 13 00");
    IB_ROW(&b, GenericParam, 0, 0, box, ib_string(&b, "T"));
    assert_int_equal(ii_type(&b, "N", "Empty", II_OBJECT), TYPE(EMPTY));
    return built_root(&b);
}

/* What a runtime says where all is well. */
static const struct host_class object_class = {
    .base_size = BASE_SIZE(8), .module = CORE, .token = TYPE(OBJECT)};
static const struct host_class string_class = {
    .base_size = 22, .module = CORE, .token = TYPE(STRING), .parent = ID(&object_class)};
static const struct host_class int_class = {.base_size = BASE_SIZE(8),
                                            .module = CORE,
                                            .token = TYPE(INT32),
                                            .parent = ID(&object_class),
                                            .fields = {{FIELD(1), 0}},
                                            .size = 4};
static const struct host_class thread_class = {
    .base_size = BASE_SIZE(8), .module = CORE, .token = TYPE(THREAD), .parent = ID(&object_class)};
static const struct host_class base_class = {.base_size = BASE_SIZE(8),
                                             .module = APP,
                                             .token = TYPE(BASE),
                                             .parent = ID(&object_class),
                                             .fields = {{FIELD(NUMBER), WORD}}};
static const struct host_class derived_class = {
    .base_size = BASE_SIZE(24),
    .module = APP,
    .token = TYPE(DERIVED),
    .parent = ID(&base_class),
    .fields = {{FIELD(TEXT), 2 * WORD}, {FIELD(NEXT), 3 * WORD}}};
static const struct host_class pair_class = {.base_size = BASE_SIZE(8),
                                             .module = APP,
                                             .token = TYPE(PAIR),
                                             .parent = ID(&object_class),
                                             .fields = {{FIELD(X), 0}, {FIELD(Y), 4}},
                                             .size = 8};
static const struct host_class box_class = {.base_size = BASE_SIZE(8),
                                            .module = APP,
                                            .token = TYPE(BOX),
                                            .parent = ID(&object_class),
                                            .count = 1,
                                            .arguments = {ID(&pair_class)},
                                            .fields = {{FIELD(VALUE), WORD}}};
static const struct host_class empty_class = {
    .base_size = BASE_SIZE(8), .module = APP, .token = TYPE(EMPTY), .parent = ID(&object_class)};
static const struct host_class vector_class = {.flags = HAS_ELEMENTS | 4,
                                               .base_size = BASE_SIZE(8),
                                               .rank = 1,
                                               .element = ILP_ELEMENT_I4,
                                               .arguments = {ID(&int_class)}};

struct world {
    struct host host;
    struct loaded *loaded;
    struct objects *objects;
    struct ilp_bytes bytes[2];
};

static struct world world;

static void begin(void)
{
    struct ilp_image *images[] = {core_image(), app_image()};
    host_begin(&world.host, 11);
    world.loaded = loaded_open();
    assert_non_null(world.loaded);
    for (unsigned i = 0; i < COUNT(images); i++) {
        uint64_t key;
        world.bytes[i] = images[i]->pe.bytes;
        loaded_add(world.loaded, CORE + i, images[i], "", &key);
    }
    world.objects = objects_open(&world.host.info, world.loaded, NULL, NULL);
    assert_non_null(world.objects);
}

static void end(void)
{
    objects_close(world.objects);
    loaded_close(world.loaded);
    for (unsigned i = 0; i < COUNT(world.bytes); i++) {
        drop(world.bytes[i]);
    }
}

/* An object, as what is declared as System.Object. */
static const char *shown(const void *object)
{
    static const struct shape any = {
        .kind = SHAPE_OBJECT, .size = sizeof(void *), .references = true, .name = "System.Object"};
    static char text[1000];
    const struct shaped_value shaped = {.shape = &any,
                                        .types = objects_types(world.objects),
                                        .value = &object,
                                        .size = sizeof object};
    struct line line;
    line_begin(&line, text, sizeof text - 1);
    fits_any_room(&shaped);
    shape_put(&line, &shaped);
    shape_put_type(&line, &shaped);
    text[line.size] = '\0';
    return text;
}

/* ---- objects ---- */

struct instance {
    const struct host_class *type;
    union {
        struct {
            int32_t number, y;
            const void *text, *next;
        };
        struct {
            int32_t length, padding;
            int32_t elements[6];
        };
        struct {
            int32_t all, unused;
            int32_t bounds[4]; /* lengths, then the lowest indexes */
            int32_t cells[6];
        };
    };
};

/* Objects of one class after the other, since what was found out of one stays. */
static const char *shown_as(const struct host_class *class)
{
    const struct instance object = {.type = class, {{5, 6, NULL, NULL}}};
    return shown(&object);
}

static const char *shown_array(const struct host_class *class)
{
    struct instance array = {.type = class};
    array.length = 3;
    memcpy(array.elements, (const int32_t[]){1, 2, 3}, 3 * sizeof(int32_t));
    return shown(&array);
}

static const struct {
    const struct host_class *type;
    int32_t length;
    uint16_t chars[3];
} abc = {&string_class, 3, {'a', 'b', 'c'}};

static void test_classes(void **state)
{
    struct instance boxed = {.type = &int_class, {{42, 0, NULL, NULL}}};
    struct instance object = {.type = &derived_class, {{7, 0, &abc, &boxed}}};
    (void)state;
    begin();
    assert_string_equal(shown(&object), "{Number=7, Text=\"abc\", Next=42} (N.Derived)");
    object.next = &object;
    assert_string_equal(shown(&object),
                        "{Number=7, Text=\"abc\", Next=Derived {cycle}} (N.Derived)");
    assert_string_equal(shown_as(&base_class), "{Number=5} (N.Base)");
    assert_string_equal(shown_as(&empty_class), "{} (N.Empty)");
    assert_string_equal(shown_as(&object_class), "object (System.Object)");
    assert_string_equal(shown_as(&thread_class), "{...} (System.Threading.Thread)");
    assert_string_equal(shown(&abc), "\"abc\" (System.String)");
    end();
}

static void test_boxed(void **state)
{
    struct host_class larger = pair_class, moved = pair_class, fewer = pair_class,
                      small = pair_class;
    (void)state;
    begin();
    assert_string_equal(shown_as(&int_class), "5 (System.Int32)");
    assert_string_equal(shown_as(&pair_class), "{X=5, Y=6} (N.Pair)");
    larger.size = 12;
    moved.fields[1].offset = 8;
    fewer.fields[1].token = 0;
    assert_string_equal(shown_as(&larger), "{...} (System.Object)");
    assert_string_equal(shown_as(&moved), "{...} (System.Object)");
    assert_string_equal(shown_as(&fewer), "{...} (System.Object)");
    small.base_size = BASE_SIZE(4); /* it has no room for both */
    assert_string_equal(shown_as(&small), "{...} (N.Pair)");
    end();
}

static void test_arrays(void **state)
{
    const struct host_class grid = {.flags = HAS_ELEMENTS | 4,
                                    .base_size = BASE_SIZE(8 + 16),
                                    .rank = 2,
                                    .element = ILP_ELEMENT_I4,
                                    .arguments = {ID(&int_class)}};
    const struct host_class arrays = {.flags = HAS_ELEMENTS | WORD,
                                      .base_size = BASE_SIZE(8),
                                      .rank = 1,
                                      .element = ILP_ELEMENT_SZARRAY,
                                      .arguments = {ID(&vector_class)}};
    struct host_class starred = grid, pointers = arrays;
    struct instance cells = {.type = &grid};
    struct instance holder = {.type = &arrays}, empty = {.type = &vector_class};
    const void *inner = &empty;
    (void)state;
    begin();
    assert_string_equal(shown_array(&vector_class), "[3: 1, 2, 3] (System.Int32[])");
    cells.all = 6;
    memcpy(cells.bounds, (const int32_t[]){2, 3, 0, 0}, sizeof cells.bounds);
    memcpy(cells.cells, (const int32_t[]){1, 2, 3, 4, 5, 6}, sizeof cells.cells);
    assert_string_equal(shown(&cells), "[2,3: 1, 2, 3, 4, 5, 6] (System.Int32[,])");
    starred.rank = 1;
    starred.base_size = BASE_SIZE(8 + 8);
    cells.type = &starred;
    memcpy(cells.bounds, (const int32_t[]){2, 0, 8, 9}, sizeof cells.bounds);
    cells.all = 2;
    assert_string_equal(shown(&cells), "[2: 8, 9] (System.Int32[*])");
    holder.length = 2;
    memcpy(holder.elements, &inner, sizeof inner);
    assert_string_equal(shown(&holder), "[2: [0], null] (System.Int32[][])");
    pointers.element = ILP_ELEMENT_PTR;
    pointers.arguments[0] = 0;
    holder.type = &pointers;
    assert_string_equal(shown(&holder), "[2: pointer, pointer] (System.Object)");
    end();
}

static void test_bad_arrays(void **state)
{
    struct host_class other_size = vector_class, no_size = vector_class, no_class = vector_class,
                      no_room = vector_class, rank = vector_class, unknown = vector_class,
                      nested[9];
    const struct host_class failing = {.result = E_FAIL};
    (void)state;
    begin();
    other_size.flags = HAS_ELEMENTS | 8; /* than metadata says */
    no_size.flags = 4;
    no_class.arguments[0] = 0;
    no_room.base_size = BASE_SIZE(12);
    rank.rank = 33;
    unknown.arguments[0] = ID(&failing);
    assert_string_equal(shown_array(&other_size), "[3: {...}, {...}, {...}] (System.Int32[])");
    assert_string_equal(shown_array(&no_size), "{...} (System.Object)");
    assert_string_equal(shown_array(&no_class), "{...} (System.Object)");
    assert_string_equal(shown_array(&no_room), "{...} (System.Object)");
    assert_string_equal(shown_array(&rank), "{...} (System.Object)");
    assert_string_equal(shown_array(&unknown), "{...} (System.Object)");
    for (unsigned i = 0; i < COUNT(nested); i++) {
        nested[i] = vector_class;
        nested[i].flags = HAS_ELEMENTS | (i == 0 ? 4 : WORD);
        nested[i].arguments[0] = i == 0 ? ID(&int_class) : ID(&nested[i - 1]);
    }
    struct instance deep = {.type = &nested[3]};
    assert_string_equal(shown(&deep), "[0] (System.Int32[][][][])");
    deep.type = &nested[7];
    assert_int_equal(strncmp(shown(&deep), "[0] (", 5), 0); /* its name is cut off */
    deep.type = &nested[8];
    assert_string_equal(shown(&deep), "{...} (System.Object)");
    end();
}

static void test_generics(void **state)
{
    struct host_class text = box_class, vector = box_class, many = box_class, unknown = box_class;
    const struct host_class failing = {.result = E_FAIL};
    const void *string = &abc;
    struct instance object = {.type = &text};
    (void)state;
    begin();
    assert_string_equal(shown_as(&box_class), "{Value={X=5, Y=6}} (N.Box`1[N.Pair])");
    text.arguments[0] = ID(&string_class);
    memcpy(&object.number, &string, sizeof string);
    assert_string_equal(shown(&object), "{Value=\"abc\"} (N.Box`1[System.String])");
    vector.arguments[0] = ID(&vector_class);
    object = (struct instance){.type = &vector};
    assert_string_equal(shown(&object), "{Value=null} (N.Box`1[System.Int32[]])");
    many.count = 17;
    unknown.arguments[0] = ID(&failing);
    assert_string_equal(shown_as(&many), "{...} (System.Object)");
    assert_string_equal(shown_as(&unknown), "{...} (System.Object)");
    end();
}

/* ---- what the runtime does not report ---- */

static void test_unknown(void **state)
{
    struct host_class failing = base_class, no_row = base_class, no_type = base_class,
                      beyond = base_class, not_loaded = base_class, orphan = derived_class,
                      bare = base_class, chain[40];
    (void)state;
    begin();
    failing.result = E_FAIL;
    no_row.token = TYPE(0);
    no_type.token = ILP_TOKEN(ILP_TypeRef, 1);
    beyond.token = TYPE(APP_TYPES);
    not_loaded.module = NOT_LOADED;
    orphan.parent = ID(&failing);
    bare.base_size = WORD;
    for (unsigned i = 0; i < COUNT(chain); i++) {
        chain[i] = empty_class;
        chain[i].parent = i == 0 ? ID(&object_class) : ID(&chain[i - 1]);
    }
    assert_string_equal(shown_as(&failing), "{...} (System.Object)");
    assert_string_equal(shown_as(&no_row), "{...} (System.Object)");
    assert_string_equal(shown_as(&no_type), "{...} (System.Object)");
    assert_string_equal(shown_as(&beyond), "{...} (System.Object)");
    assert_string_equal(shown_as(&not_loaded), "{...} (System.Object)");
    assert_string_equal(shown_as(&orphan), "{...} (System.Object)");
    assert_string_equal(shown_as(&bare), "{...} (System.Object)");
    assert_string_equal(shown_as(&chain[30]), "{} (N.Empty)"); /* and System.Object: 32 */
    assert_string_equal(shown_as(&chain[31]), "{...} (System.Object)");
    end();
}

static void test_layouts(void **state)
{
    struct host_class early = base_class, beyond = base_class, fewer = derived_class,
                      no_layout = base_class, no_fields = base_class;
    (void)state;
    begin();
    early.fields[0].offset = WORD - 4;
    beyond.fields[0].offset = 2 * WORD - 2;
    fewer.fields[1].token = 0;
    assert_string_equal(shown_as(&early), "{...} (N.Base)");
    assert_string_equal(shown_as(&beyond), "{...} (N.Base)");
    assert_string_equal(shown_as(&fewer), "{...} (N.Derived)");
    world.host.fails = "GetClassLayout";
    assert_string_equal(shown_as(&no_layout), "{...} (N.Base)");
    assert_string_equal(shown_as(&empty_class), "{} (N.Empty)");
    world.host.fails = "GetClassLayout(fields)";
    assert_string_equal(shown_as(&no_fields), "{...} (N.Base)");
    end();
}

/* ---- what is kept ---- */

static void test_kept(void **state)
{
    struct host_class class = base_class, number = int_class, hidden = base_class;
    (void)state;
    begin();
    hidden.result = E_FAIL;
    assert_string_equal(shown_as(&class), "{Number=5} (N.Base)");
    assert_string_equal(shown_as(&number), "5 (System.Int32)");
    assert_string_equal(shown_as(&hidden), "{...} (System.Object)");
    class.token = TYPE(EMPTY);
    number.result = E_FAIL;
    hidden.result = S_OK;
    objects_module_goes(world.objects, NOT_LOADED);
    assert_string_equal(shown_as(&class), "{Number=5} (N.Base)");
    assert_string_equal(shown_as(&hidden), "{Number=5} (N.Base)"); /* may have been of any */
    objects_module_goes(world.objects, APP);
    assert_string_equal(shown_as(&class), "{} (N.Empty)");
    assert_string_equal(shown_as(&number), "5 (System.Int32)");
    objects_module_goes(world.objects, CORE);
    assert_string_equal(shown_as(&number), "{...} (System.Object)");
    end();
}

/* More than there are buckets, twice: each finds its own. */
static void test_many(void **state)
{
    enum { MANY = 5000 };
    struct host_class *classes = calloc(MANY, sizeof *classes);
    (void)state;
    assert_non_null(classes);
    begin();
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < MANY; i++) {
            classes[i] = (i + round) % 2 ? empty_class : base_class;
            shown_as(&classes[i]);
        }
        for (unsigned i = 0; i < MANY; i++) {
            assert_string_equal(shown_as(&classes[i]),
                                (i + round) % 2 ? "{} (N.Empty)" : "{Number=5} (N.Base)");
        }
        objects_module_goes(world.objects, APP);
    }
    end();
    free(classes);
}

static void test_handles(void **state)
{
    const struct object_types *types;
    uintptr_t handle = (uintptr_t)&base_class, marked = handle | 1, none = 0;
    (void)state;
    begin();
    types = objects_types(world.objects);
    const struct shape *shape = types->meant(types->user, handle);
    assert_non_null(shape);
    assert_string_equal(shape->name, "N.Base");
    assert_int_equal(shape->size, 2 * WORD);
    assert_int_equal(shape->base_count, 1);
    assert_string_equal(shape->bases[0], "System.Object");
    assert_null(types->meant(types->user, 0));
    assert_null(types->meant(types->user, handle | 2));
    assert_ptr_equal(types->of(types->user, &handle), shape);
    assert_ptr_equal(types->of(types->user, &marked), shape); /* by a garbage collection */
    assert_null(types->of(types->user, &none));
    end();
}

static void test_runtimes(void **state)
{
    struct host host;
    (void)state;
    host_begin(&host, 11);
    assert_true(objects_are_known(&host.info));
    host.fails = "GetStringLayout2";
    assert_false(objects_are_known(&host.info));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),  cmocka_unit_test(test_boxed),
        cmocka_unit_test(test_arrays),   cmocka_unit_test(test_bad_arrays),
        cmocka_unit_test(test_generics), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_layouts),  cmocka_unit_test(test_kept),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_handles),
        cmocka_unit_test(test_runtimes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
