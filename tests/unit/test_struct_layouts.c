/* profiler/clr/struct_layouts.c: structs lie where the runtime reports it, and what it has not
 * reported, or reports otherwise than metadata allows, is not known. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/profiler_host.h"

#include "profiler/clr/struct_layouts.h"

enum { CORE = 1, APP, OTHER };                          /* ModuleIDs */
enum { OBJECT = 2, VALUE_TYPE, ENUM, STRING, INT32 };   /* TypeDefs of the core library */
enum { PAIR = 2, OF, COLOR, HOLDER };                   /* and of App */
enum { X = 1, Y, OF_VALUE, OF_TAG, COLOR_VALUE, HELD }; /* fields of App */

#define TYPE(rid)  ILP_TOKEN(ILP_TypeDef, rid)
#define FIELD(rid) ILP_TOKEN(ILP_Field, rid)
#define ID(class)  ((ClassID)(uintptr_t)(class))

static const struct host_class int_class = {
    .module = CORE, .token = TYPE(INT32), .fields = {{FIELD(1), 0}}, .size = 4};
static const struct host_class string_class = {.module = CORE, .token = TYPE(STRING)};
static const struct host_class pair_class = {
    .module = APP, .token = TYPE(PAIR), .fields = {{FIELD(X), 4}, {FIELD(Y), 0}}, .size = 12};
static const struct host_class color_class = {
    .module = APP, .token = TYPE(COLOR), .fields = {{FIELD(COLOR_VALUE), 0}}, .size = 4};
static const struct host_class of_int = {.module = APP,
                                         .token = TYPE(OF),
                                         .count = 1,
                                         .arguments = {ID(&int_class)},
                                         .fields = {{FIELD(OF_VALUE), 8}, {FIELD(OF_TAG), 0}},
                                         .size = 16};
static const struct host_class of_pair = {.module = APP,
                                          .token = TYPE(OF),
                                          .count = 1,
                                          .arguments = {ID(&pair_class)},
                                          .fields = {{FIELD(OF_VALUE), 4}, {FIELD(OF_TAG), 16}},
                                          .size = 20};
static const struct host_class of_text = {.module = APP,
                                          .token = TYPE(OF),
                                          .count = 1,
                                          .arguments = {ID(&string_class)},
                                          .fields = {{FIELD(OF_VALUE), 0}, {FIELD(OF_TAG), 9}},
                                          .size = 24};

/* What signatures have for them. */
#define PAIR_SIG   "11 08"
#define OF_SIG     "15 11 0C 01 "
#define COLOR_SIG  "11 10"
#define HOLDER_SIG "11 14"

static void add_field(struct ib_image *b, const char *name, const char *type)
{
    IB_ROW(b, Field, 1, ib_string(b, name), ii_blob(b, type));
}

static ilp_token add_struct(struct ib_image *b, const char *name, ilp_token extends)
{
    ilp_token type = ii_type(b, "N", name, extends);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100109);
    return type;
}

static struct ilp_image *core_image(void)
{
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    ii_type(&b, "System", "ValueType", TYPE(OBJECT));
    ii_type(&b, "System", "Enum", TYPE(VALUE_TYPE));
    ii_type(&b, "System", "String", TYPE(OBJECT));
    assert_int_equal(ii_type(&b, "System", "Int32", TYPE(VALUE_TYPE)), TYPE(INT32));
    add_field(&b, "m_value", "06 08");
    return built_root(&b);
}

static struct ilp_image *app_image(void)
{
    struct ib_image b;
    ii_begin(&b, "App");
    add_struct(&b, "Pair", II_VALUE_TYPE);
    add_field(&b, "X", "06 08");
    add_field(&b, "Y", "06 08");
    ilp_token of = add_struct(&b, "Of`1", II_VALUE_TYPE);
    add_field(&b, "Value", "06 13 00");
    add_field(&b, "Tag", "06 05");
    IB_ROW(&b, GenericParam, 0, 0, of, ib_string(&b, "T"));
    assert_int_equal(add_struct(&b, "Color", II_ENUM), TYPE(COLOR));
    add_field(&b, "value__", "06 08");
    add_struct(&b, "Holder", II_VALUE_TYPE);
    add_field(&b, "Held", "06 " OF_SIG PAIR_SIG);
    return built_root(&b);
}

struct world {
    struct host host;
    struct loaded *loaded;
    struct struct_layouts *layouts;
    struct ilp_image *app;
    struct ilp_bytes bytes[2];
    struct ilp_arena *arena;
    struct ilpi_sized_value value; /* the latest answer */
    uint32_t waits;                /* for so many */
};

static struct world world;

static void begin(void)
{
    struct ilp_image *images[] = {core_image(), app_image()};
    host_begin(&world.host, 11);
    world.loaded = loaded_open();
    world.layouts = struct_layouts_open();
    assert_non_null(world.loaded);
    assert_non_null(world.layouts);
    assert_int_equal(ilp_arena_open(&world.arena, NULL, NULL), ILP_OK);
    world.app = images[1];
    for (unsigned i = 0; i < COUNT(images); i++) {
        uint64_t key;
        world.bytes[i] = images[i]->pe.bytes;
        loaded_add(world.loaded, CORE + i, images[i], "", &key);
    }
}

static void end(void)
{
    ilp_arena_close(world.arena);
    struct_layouts_close(world.layouts);
    loaded_close(world.loaded);
    for (unsigned i = 0; i < COUNT(world.bytes); i++) {
        drop(world.bytes[i]);
    }
}

static bool comes(const struct host_class *class)
{
    struct struct_layout *layout = struct_layout_read(&world.host.info, ID(class));
    if (layout) {
        struct_layouts_add(world.layouts, layout);
    }
    return layout != NULL;
}

/* "SIZE: PLACE PLACE", or "unknown". */
static const char *layout_of(const char *type)
{
    static char text[100];
    struct loaded_question loaded = {.loaded = world.loaded};
    struct struct_question structs = {world.layouts, &loaded};
    const struct ilpi_layout_source source = struct_layouts_source(&structs);
    const struct ilp_resolver resolver = loaded_resolver(&loaded);
    struct ii_hex hex = ii_hex(type);
    uint8_t *bytes = ilpi_arena_copy(world.arena, hex.data, hex.size);
    struct ilp_sig *sig;
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){bytes, hex.size}, ILP_SIG_TYPE_SPEC, 0,
                                  world.arena, NULL),
                     ILP_OK);
    struct ilpi_value_query query = {world.app, sig->ret, &resolver, world.arena, &source};
    assert_int_equal(ilpi_value_tree(&query, &world.value, NULL), ILP_OK);
    world.waits = loaded.count;
    if (world.value.layout.size == 0) {
        return "unknown";
    }
    int size = snprintf(text, sizeof text, "%u:", world.value.layout.size);
    for (uint32_t i = 0; i < world.value.member_count; i++) {
        size += snprintf(text + size, sizeof text - (size_t)size, " %u",
                         world.value.members[i].place);
    }
    return text;
}

static void test_reported(void **state)
{
    (void)state;
    begin();
    assert_string_equal(layout_of(PAIR_SIG), "unknown");
    assert_int_equal(world.waits, 1);
    assert_true(comes(&pair_class));
    assert_string_equal(layout_of(PAIR_SIG), "12: 4 0");
    assert_int_equal(world.waits, 0);
    assert_false(comes(&string_class));
    assert_string_equal(layout_of("08"), "4:"); /* without any report */
    assert_string_equal(layout_of("0E"), "8:");
    end();
}

static void test_arguments(void **state)
{
    struct host_class of_color = of_int;
    (void)state;
    begin();
    comes(&int_class);
    comes(&pair_class);
    comes(&color_class);
    comes(&of_text);
    assert_string_equal(layout_of(OF_SIG "0E"), "24: 0 9");
    assert_string_equal(layout_of(OF_SIG "1C"), "24: 0 9"); /* as of any reference */
    assert_string_equal(layout_of(OF_SIG "08"), "unknown");
    comes(&of_int);
    comes(&of_pair);
    assert_string_equal(layout_of(OF_SIG "08"), "16: 8 0");
    assert_string_equal(layout_of(OF_SIG "09"), "unknown"); /* of an unsigned number */
    assert_string_equal(layout_of(OF_SIG PAIR_SIG), "20: 4 16");
    assert_string_equal(layout_of(OF_SIG COLOR_SIG), "unknown");
    of_color.arguments[0] = ID(&color_class);
    comes(&of_color);
    assert_string_equal(layout_of(OF_SIG COLOR_SIG), "16: 8 0");
    end();
}

static void test_within(void **state)
{
    const struct host_class holder = {
        .module = APP, .token = TYPE(HOLDER), .fields = {{FIELD(HELD), 8}}, .size = 32};
    (void)state;
    begin();
    comes(&int_class);
    comes(&holder);
    assert_string_equal(layout_of(HOLDER_SIG), "unknown");
    comes(&pair_class);
    comes(&of_pair);
    assert_string_equal(layout_of(HOLDER_SIG), "32: 8");
    assert_int_equal(world.value.members[0].value.members[0].place, 4);
    end();
}

static void test_unfit(void **state)
{
    struct host_class late = pair_class, fewer = pair_class, more = pair_class, other = pair_class;
    (void)state;
    late.fields[0].offset = 9; /* it ends after the struct */
    fewer.fields[1].token = 0;
    more.fields[2] = (struct class_field){FIELD(OF_TAG), 0};
    other.module = OTHER;
    const struct host_class *const classes[] = {&late, &fewer, &more, &other};
    for (unsigned i = 0; i < COUNT(classes); i++) {
        begin();
        comes(classes[i]);
        assert_string_equal(layout_of(PAIR_SIG), "unknown");
        end();
    }
}

static void test_not_reported(void **state)
{
    static const char *const failing[] = {"GetBoxClassLayout", "GetBoxClassLayout(offset)",
                                          "GetClassLayout", "GetClassLayout(fields)",
                                          "GetClassIDInfo2"};
    struct host_class many = of_int;
    (void)state;
    many.count = 17;
    begin();
    for (unsigned i = 0; i < COUNT(failing); i++) {
        world.host.fails = failing[i];
        assert_false(comes(&pair_class));
        world.host.fails = NULL;
    }
    assert_false(comes(&many));
    assert_string_equal(layout_of(PAIR_SIG), "unknown");
    end();
}

static void test_unloaded(void **state)
{
    struct host_class again = of_pair;
    struct host_class changing = pair_class;
    (void)state;
    begin();
    again.arguments[0] = ID(&changing);
    comes(&int_class);
    comes(&changing);
    comes(&again);
    comes(&again); /* once more: nothing new */
    assert_string_equal(layout_of(OF_SIG PAIR_SIG), "20: 4 16");
    struct_layouts_module_goes(world.layouts, OTHER);
    assert_string_equal(layout_of(OF_SIG PAIR_SIG), "20: 4 16");
    changing.token = TYPE(HOLDER); /* another class at the same address */
    changing.fields[0] = (struct class_field){FIELD(HELD), 0};
    changing.fields[1].token = 0;
    comes(&changing);
    comes(&pair_class);
    assert_string_equal(layout_of(PAIR_SIG), "12: 4 0");
    assert_string_equal(layout_of(OF_SIG PAIR_SIG), "unknown");
    struct_layouts_module_goes(world.layouts, APP);
    assert_string_equal(layout_of(PAIR_SIG), "unknown");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reported),     cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_within),       cmocka_unit_test(test_unfit),
        cmocka_unit_test(test_not_reported), cmocka_unit_test(test_unloaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
