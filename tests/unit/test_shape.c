/* Values as text, and the shapes they have by metadata. What the text is compared with: strtod()
 * for floats, the stock inspector's notation as written down in its sources. */
#include "tests/unit/value_size_test.h"

#include <math.h>

#include "values/kinds.h"
#include "values/shape.h"

static const char *put(void (*write)(struct line *, const void *), const void *value)
{
    static char text[600];
    struct line line;
    line_begin(&line, text, sizeof text - 1);
    line_part(&line, 480);
    write(&line, value);
    text[line.size] = '\0';
    return text;
}

static const char *shown(const struct shape *shape, const void *value, size_t size)
{
    static char text[2000];
    struct line line;
    line_begin(&line, text, sizeof text - 1);
    const struct shaped_value shaped = {.shape = shape, .value = value, .size = size};
    shape_put(&line, &shaped);
    shape_put_type(&line, &shaped);
    text[line.size] = '\0';
    return text;
}

static void put_double(struct line *line, const void *value)
{
    double d;
    memcpy(&d, value, sizeof d);
    float_put_double(line, d);
}

static void put_single(struct line *line, const void *value)
{
    float f;
    memcpy(&f, value, sizeof f);
    float_put_single(line, f);
}

static void test_doubles(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {1e15, "1000000000000000"},
                 {1e17, "1E+17"},
                 {123456789012345680, "1.2345678901234568E+17"},
                 {0.0001, "0.0001"},
                 {0.00001, "1E-05"},
                 {5e-324, "5E-324"},
                 {1.7976931348623157e308, "1.7976931348623157E+308"},
                 {9007199254740993.0, "9007199254740992"},
                 {2.2250738585072014e-308, "2.2250738585072014E-308"},
                 {INFINITY, "Infinity"},
                 {-INFINITY, "-Infinity"},
                 {NAN, "NaN"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(put(put_double, &cases[i].value), cases[i].text);
    }
    uint64_t bits = 1;
    for (unsigned i = 0; i < 20000; i++) {
        double value;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &bits, sizeof value);
        const char *text = put(put_double, &value);
        double back = strtod(text, NULL);
        assert_true(isnan(value) ? isnan(back) : back == value);
        char longer[40];
        snprintf(longer, sizeof longer, "%.17g", value);
        assert_true(strlen(text) <= strlen(longer) + 1);
    }
}

static void test_singles(void **state)
{
    (void)state;
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0.1f, "0.1"},     {16777216, "16777216"},
                 {1e9f, "1E+09"},   {3.4028235e38f, "3.4028235E+38"},
                 {1e-45f, "1E-45"}, {123456.79f, "123456.79"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(put(put_single, &cases[i].value), cases[i].text);
    }
    for (uint32_t bits = 1; bits < 0x7F800000u; bits += 65521) {
        float value;
        memcpy(&value, &bits, sizeof value);
        assert_true(strtof(put(put_single, &value), NULL) == value);
    }
}

/* ---- strings ---- */

/* As CoreCLR has it: a pointer, the length, the chars. */
struct text_object {
    void *type;
    int32_t length;
    uint16_t chars[300];
};

static const struct shape string_shape = {
    .kind = SHAPE_STRING, .size = sizeof(void *), .references = true, .name = "System.String"};

static const char *shown_string(const uint16_t *chars, int32_t length)
{
    static struct text_object object;
    const void *reference = &object;
    object.length = length;
    memcpy(object.chars, chars, (size_t)length * sizeof *chars);
    return shown(&string_shape, &reference, sizeof reference);
}

static void test_strings(void **state)
{
    (void)state;
    static const uint16_t mixed[] = {'a',  '"',    '\\',   '\'',   0,      '\n',  0x1B,
                                     0xE9, 0x20AC, 0xD83D, 0xDE00, 0xD83D, 0x2028};
    uint16_t many[300];
    char expected[300];
    const void *null = NULL;
    assert_string_equal(shown(&string_shape, &null, sizeof null), "null");
    assert_string_equal(shown_string(mixed, 0), "\"\" (System.String)");
    assert_string_equal(shown_string(mixed, COUNT(mixed)),
                        "\"a\\\"\\\\'\\0\\n\\u001bé€😀\\ud83d\\u2028\" (System.String)");
    for (size_t i = 0; i < COUNT(many); i++) {
        many[i] = 'x';
    }
    assert_string_equal(shown_string(many, 200),
                        (snprintf(expected, sizeof expected, "\"%.*s\" (System.String)", 200,
                                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
                         expected));
    assert_non_null(strstr(shown_string(many, 201), "x\"... (201 chars) (System.String)"));
}

/* ---- shapes of types ---- */

struct world {
    struct ilp_image *image;
    struct ilp_arena *arena;
};

static const struct shape *shape_of(struct world *world, const char *type)
{
    const struct shape *shape;
    struct ilp_sig *sig;
    struct ii_hex hex = ii_hex(text_of("00 00 %s", type));
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){hex.data, hex.size}, ILP_SIG_METHOD, 0,
                                  world->arena, NULL),
                     ILP_OK);
    const struct shape_source source = {
        .image = world->image, .type = sig->ret, .arena = world->arena};
    assert_int_equal(shape_build(&shape, &source, NULL), ILP_OK);
    return shape;
}

static struct world world_of(struct ib_image *b)
{
    struct world world = {.image = built_root(b)};
    assert_int_equal(ilp_arena_open(&world.arena, NULL, NULL), ILP_OK);
    return world;
}

static void end(struct world *world)
{
    ilp_arena_close(world->arena);
    close_built(world->image);
}

static ilp_rid named(struct ib_image *b, const char *name, const char *type)
{
    return IB_ROW(b, Field, 6, ib_string(b, name), ii_blob(b, text_of("06 %s", type)));
}

static void test_primitives(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    struct world world = world_of(&b);
    static const struct {
        const char *type;
        uint64_t bits;
        uint32_t size;
        const char *text;
    } cases[] = {{"02", 1, 1, "true (System.Boolean)"},
                 {"02", 0, 1, "false (System.Boolean)"},
                 {"03", '\'', 2, "'\\'' (System.Char)"},
                 {"04", 0x80, 1, "-128 (System.SByte)"},
                 {"05", 0x80, 1, "128 (System.Byte)"},
                 {"06", 0xFFFF, 2, "-1 (System.Int16)"},
                 {"08", 0x80000000, 4, "-2147483648 (System.Int32)"},
                 {"09", 0x80000000, 4, "2147483648 (System.UInt32)"},
                 {"0A", (uint64_t)1 << 63, 8, "-9223372036854775808 (System.Int64)"},
                 {"0B", UINT64_MAX, 8, "18446744073709551615 (System.UInt64)"},
                 {"0C", 0x3FC00000, 4, "1.5 (System.Single)"},
                 {"18", 0x1F, sizeof(void *), "0x1f (System.IntPtr)"},
                 {"0F 08", 0x1F, sizeof(void *), "0x1f (System.Int32*)"},
                 {"1C", 1, sizeof(void *), "object (System.Object)"},
                 {"1C", 0, sizeof(void *), "null"},
                 {"1E 00", 0x2A, 4, "bytes 2a000000 (!!0)"},
                 {"08", 0x2A, 2, "bytes 2a00 (System.Int32)"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(shown(shape_of(&world, cases[i].type), &cases[i].bits, cases[i].size),
                            cases[i].text);
    }
    uint32_t number = 7;
    const void *reference = &number;
    assert_string_equal(shown(shape_of(&world, "10 08"), &reference, sizeof reference),
                        "7 (System.Int32)");
    end(&world);
}

static void test_structs(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token pair = type_of(&b, "Pair", SEQUENTIAL, II_VALUE_TYPE);
    named(&b, "X", "05");
    named(&b, "<Y>k__BackingField", "0A");
    /* with a reference: laid out automatically */
    ilp_token mixed = type_of(&b, "Mixed", SEQUENTIAL, II_VALUE_TYPE);
    named(&b, "a", "05");
    named(&b, "s", "0E");
    named(&b, "l", "0A");
    named(&b, "p", value(pair));
    named(&b, "i", "08");
    ilp_token both = type_of(&b, "Union", EXPLICIT, II_VALUE_TYPE);
    ilp_rid whole = named(&b, "whole", "09");
    ilp_rid high = named(&b, "high", "07");
    IB_ROW(&b, FieldLayout, 0, whole);
    IB_ROW(&b, FieldLayout, 2, high);
    ilp_token color = type_of(&b, "Color", 0, II_ENUM);
    named(&b, "value__", "05");
    struct world world = world_of(&b);
    struct {
        uint8_t x;
        int64_t y;
    } pair_value = {1, -2};
    assert_string_equal(shown(shape_of(&world, value(pair)), &pair_value, sizeof pair_value),
                        "{X=1, Y=-2} (N.Pair)");
    if (sizeof(void *) == 8) {
        struct {
            const void *s;
            int64_t l;
            int32_t i;
            uint8_t a;
            struct {
                uint8_t x;
                int64_t y;
            } p;
        } mixed_value = {NULL, 3, 4, 5, {6, 7}};
        assert_string_equal(shown(shape_of(&world, value(mixed)), &mixed_value, sizeof mixed_value),
                            "{a=5, s=null, l=3, p={X=6, Y=7}, i=4} (N.Mixed)");
    }
    uint32_t both_value = 0x00020001;
    assert_string_equal(shown(shape_of(&world, value(both)), &both_value, sizeof both_value),
                        "{whole=131073, high=2} (N.Union)");
    uint8_t color_value = 200;
    assert_string_equal(shown(shape_of(&world, value(color)), &color_value, 1), "200 (N.Color)");
    assert_true(shape_has_references(shape_of(&world, value(mixed))));
    assert_false(shape_has_references(shape_of(&world, value(pair))));
    end(&world);
}

/* CoreCLR lets references lie upon each other: which of the types it is cannot be known, so nothing
 * is read of it. */
static void test_overlaid_references(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token holder = type_of(&b, "Holder", SEQUENTIAL, II_VALUE_TYPE);
    named(&b, "held", "0E");
    ilp_token both = type_of(&b, "Both", EXPLICIT, II_VALUE_TYPE);
    const char *const types[] = {"0E", "1C", "1D 08", value(holder), "0E"};
    const uint32_t places[] = {0, 0, 0, 0, sizeof(void *)};
    for (unsigned i = 0; i < COUNT(types); i++) {
        ilp_rid row = named(&b, text_of("f%u", i), types[i]);
        IB_ROW(&b, FieldLayout, places[i], row);
    }
    struct world world = world_of(&b);
    const uintptr_t not_strings[2] = {0x1000, 0}; /* nothing is mapped there */
    const char *text = shown(shape_of(&world, value(both)), not_strings, sizeof not_strings);
    assert_non_null(strstr(text, "{f0=object (System.String), f1=object (System.Object), f2=object "
                                 "(System.Int32[]), f3=bytes 001"));
    assert_non_null(strstr(text, ", f4=null} (N.Both)"));
    end(&world);
}

/* Whatever room there is, not a byte is written after it, and none is torn. */
static void test_room(void **state)
{
    (void)state;
    static const uint16_t chars[] = {'a', 0x20AC, 0xD83D, 0xDE00, '\n'};
    static struct text_object object = {.length = COUNT(chars)};
    const void *reference = &object;
    memcpy(object.chars, chars, sizeof chars);
    for (size_t room = 0; room < 20; room++) {
        char text[32];
        memset(text, '#', sizeof text);
        size_t size = shape_write(&(struct shaped_value){.shape = &string_shape,
                                                         .value = &reference,
                                                         .size = sizeof reference},
                                  text, room);
        assert_true(size <= room);
        assert_int_equal(text[room], '#');
    }
}

static void test_core(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[4];
        const char *text;
    } decimals[] = {{{0, 0, 0, 0}, "0"},
                    {{2u << 16, 0, 0, 0}, "0.00"},
                    {{1u << 31 | 1u << 16, 0, 15, 0}, "-1.5"},
                    {{0, UINT32_MAX, UINT32_MAX, UINT32_MAX}, "79228162514264337593543950335"},
                    {{28u << 16, 0, 1, 0}, "0.0000000000000000000000000001"},
                    {{29u << 16, 0, 1, 0}, "bytes 00001d00000000000100000000000000"}};
    for (size_t i = 0; i < COUNT(decimals); i++) {
        struct shape shape = {.kind = SHAPE_DECIMAL, .size = 16};
        char text[64] = {0};
        shape_write(&(struct shaped_value){.shape = &shape, .value = decimals[i].words, .size = 16},
                    text, sizeof text - 1);
        assert_string_equal(text, decimals[i].text);
    }
    static const struct {
        enum shape_kind kind;
        uint64_t value;
        const char *text;
    } times[] = {
        {SHAPE_TIME_SPAN, 0, "00:00:00"},
        {SHAPE_TIME_SPAN, (uint64_t)-15000000, "-00:00:01.5000000"},
        {SHAPE_TIME_SPAN, 864000000000u + 1, "1.00:00:00.0000001"},
        {SHAPE_DATE_TIME, 0, "0001-01-01T00:00:00.0000000"},
        {SHAPE_DATE_TIME, 3155378975999999999u, "9999-12-31T23:59:59.9999999"},
        {SHAPE_DATE_TIME, 3155378976000000000u, "bytes 004037f47528ca2b"},
        {SHAPE_DATE_TIME, (uint64_t)1 << 62 | 630873792000000000u, "2000-02-29T00:00:00.0000000Z"}};
    for (size_t i = 0; i < COUNT(times); i++) {
        struct shape shape = {.kind = times[i].kind, .size = 8};
        char text[64] = {0};
        shape_write(&(struct shaped_value){.shape = &shape, .value = &times[i].value, .size = 8},
                    text, sizeof text - 1);
        assert_string_equal(text, times[i].text);
    }
}

/* Fails from a certain allocation on. */
static void *resize_or_fail(void *user, void *block, size_t old_size, size_t new_size)
{
    unsigned *left = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    *left -= *left != 0;
    return *left != 0 ? realloc(block, new_size) : NULL;
}

static void test_memory(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token types[3];
    for (unsigned i = 0; i < COUNT(types); i++) {
        types[i] = type_of(&b, "S", SEQUENTIAL, II_VALUE_TYPE);
        for (unsigned j = 0; j < 20; j++) {
            named(&b, "<Property>k__BackingField", i != 0 ? value(types[i - 1]) : "14 0E 02 00 00");
        }
    }
    struct world world = world_of(&b);
    struct ii_hex hex = ii_hex(text_of("00 00 %s", value(types[COUNT(types) - 1])));
    struct ilp_sig *sig;
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){hex.data, hex.size}, ILP_SIG_METHOD, 0,
                                  world.arena, NULL),
                     ILP_OK);
    ilp_status status = ILP_E_NO_MEMORY;
    unsigned failures = 0;
    for (unsigned allocations = 2; status != ILP_OK; allocations++) {
        unsigned left = allocations;
        struct ilp_allocator allocator = {.resize = resize_or_fail, .user = &left};
        struct ilp_arena *arena;
        const struct shape *shape = NULL;
        assert_int_equal(ilp_arena_open(&arena, &allocator, NULL), ILP_OK);
        const struct shape_source source = {.image = world.image, .type = sig->ret, .arena = arena};
        status = shape_build(&shape, &source, NULL);
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        failures += status != ILP_OK;
        if (status == ILP_OK) { /* eight thousand fields: a line has no room for them */
            static uint8_t zeros[20 * 20 * 20 * sizeof(void *)];
            char text[600];
            size_t size = shape_write(
                &(struct shaped_value){.shape = shape, .value = zeros, .size = sizeof zeros}, text,
                sizeof text);
            assert_int_equal(shape_size(shape), sizeof zeros);
            assert_true(size > 400 && size < 500 &&
                        memcmp(text, "{Property={Property={Property=null, ", 35) == 0);
            assert_memory_equal(text + size - 3, "...", 3);
        }
        ilp_arena_close(arena);
    }
    assert_true(failures > 3);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles), cmocka_unit_test(test_singles),
        cmocka_unit_test(test_strings), cmocka_unit_test(test_primitives),
        cmocka_unit_test(test_structs), cmocka_unit_test(test_overlaid_references),
        cmocka_unit_test(test_room),    cmocka_unit_test(test_core),
        cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
