/* Values of types of other assemblies as text: structs of the core library, instances of generic
 * types, arrays, addresses; and the names of types. The notation itself is in test_shape.c. */
#include "tests/unit/value_size_test.h"

#include "values/shape.h"

/* What the assembly App has. */
enum {
    NULLABLE = 4, /* TypeRefs, after those of ii_begin() */
    GUID,
    DATE_TIME,
    TIME_SPAN,
    DECIMAL,
    OUTER, /* [Gone]G.Outer */
    INNER, /* Outer+Inner`2 */
};

static struct world {
    struct ilp_image *image;
    struct ilp_arena *arena;
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
    const char *box, *deep, *many, *node; /* structs, as they stand in a signature */
} world;

static void add_core(void)
{
    static const struct {
        const char *name, *fields[11];
    } structs[] = {{"Nullable`1", {"02", "13 00"}},
                   {"Guid", {"08", "06", "06", "05", "05", "05", "05", "05", "05", "05", "05"}},
                   {"DateTime", {"0B"}},
                   {"TimeSpan", {"0A"}},
                   {"Decimal", {"08", "08", "08", "08"}}};
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ilp_token object = ii_type(&b, "System", "Object", 0);
    ilp_token value_type = ii_type(&b, "System", "ValueType", object);
    ii_type(&b, "System", "Enum", value_type);
    for (size_t i = 0; i < COUNT(structs); i++) {
        ilp_token type = ii_type(&b, "System", structs[i].name, value_type);
        ib_set(&b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100001 | SEQUENTIAL);
        if (i == 0) {
            IB_ROW(&b, GenericParam, 0, 0, type, ib_string(&b, "T"));
        }
        for (size_t j = 0; j < COUNT(structs[i].fields) && structs[i].fields[j]; j++) {
            field(&b, structs[i].fields[j]);
        }
    }
    ii_serve(&world.assemblies, &b);
}

static ilp_rid named(struct ib_image *b, const char *name, const char *type)
{
    return IB_ROW(b, Field, 6, ib_string(b, name), ii_blob(b, text_of("06 %s", type)));
}

/* A struct, as its type is in a signature from now on. */
static const char *kept(const char *signature)
{
    return strdup(signature);
}

static void add_structs(struct ib_image *b)
{
    ilp_token box = type_of(b, "Box`1", SEQUENTIAL, II_VALUE_TYPE);
    IB_ROW(b, GenericParam, 0, 0, box, ib_string(b, "T"));
    named(b, "held", "13 00");
    named(b, "all", "1D 13 00");
    named(b, "at", "0F 13 00");
    world.box = kept(instance(box, 1, "08"));
    const char *inner = "08";
    for (unsigned i = 0; i < 5; i++) {
        ilp_token type = type_of(b, "Deep", SEQUENTIAL, II_VALUE_TYPE);
        named(b, "d", inner);
        inner = value(type);
    }
    world.deep = kept(inner);
    ilp_token many = type_of(b, "Many", SEQUENTIAL, II_VALUE_TYPE);
    for (unsigned i = 0; i < 17; i++) {
        named(b, text_of("f%u", i), "05");
    }
    world.many = kept(value(many));
    ilp_token node = type_of(b, "Node", AUTO, II_OBJECT);
    ilp_token nested = ii_type(b, "", "Leaf", II_OBJECT);
    IB_ROW(b, NestedClass, ILP_TOKEN_RID(nested), ILP_TOKEN_RID(node));
    world.node = kept(class_of(nested));
}

static int setup(void **state)
{
    static const char *const refs[] = {"Nullable`1", "Guid", "DateTime", "TimeSpan", "Decimal"};
    struct ib_image b;
    (void)state;
    add_core();
    ii_begin(&b, "App");
    for (size_t i = 0; i < COUNT(refs); i++) {
        ii_type_ref(&b, II_MSCORLIB, "System", refs[i]);
    }
    ilp_token outer = ii_type_ref(&b, ii_assembly_ref(&b, "Gone"), "G", "Outer");
    assert_int_equal(ILP_TOKEN_RID(ii_type_ref(&b, outer, "", "Inner`2")), INNER);
    add_structs(&b);
    world.image = built_root(&b);
    world.resolver = ii_resolver(&world.assemblies);
    return ilp_arena_open(&world.arena, NULL, NULL) == ILP_OK ? 0 : 1;
}

static int teardown(void **state)
{
    const char *const texts[] = {world.box, world.deep, world.many, world.node};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        free((char *)(uintptr_t)texts[i]);
    }
    ilp_arena_close(world.arena);
    close_built(world.image);
    ii_close(&world.assemblies);
    return 0;
}

/* ---- asking ---- */

static const char *ref(unsigned rid)
{
    return value(ILP_TOKEN(ILP_TypeRef, rid));
}

static const struct shape *shape_of(const char *type)
{
    const struct shape *shape;
    struct ilp_sig *sig;
    struct ii_hex hex = ii_hex(text_of("00 00 %s", type));
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){hex.data, hex.size}, ILP_SIG_METHOD, 0,
                                  world.arena, NULL),
                     ILP_OK);
    const struct shape_source source = {
        .image = world.image, .type = sig->ret, .resolver = &world.resolver, .arena = world.arena};
    assert_int_equal(shape_build(&shape, &source, NULL), ILP_OK);
    return shape;
}

static void check_text(const char *type, const void *bytes, size_t size, const char *expected)
{
    char text[2000];
    struct line line;
    const struct shape *shape = shape_of(type);
    line_begin(&line, text, sizeof text - 1);
    const struct shaped_value shaped = {.shape = shape, .value = bytes, .size = size};
    shape_put(&line, &shaped);
    shape_put_type(&line, &shaped);
    text[line.size] = '\0';
    assert_string_equal(text, expected);
}

#define CHECK_TEXT(type, object, expected) check_text(type, &(object), sizeof(object), expected)

/* ---- what is shown ---- */

static void test_nullable(void **state)
{
    struct {
        uint8_t has;
        int32_t value;
    } maybe = {1, 42};
    struct {
        uint8_t has;
        uint32_t value[4];
    } decimal = {1, {1u << 16, 0, 15, 0}};
    const char *const number = instance(ILP_TOKEN(ILP_TypeRef, NULLABLE), 1, "08");
    (void)state;
    CHECK_TEXT(number, maybe, "42 (System.Int32)");
    maybe.has = 0;
    CHECK_TEXT(number, maybe, "null");
    CHECK_TEXT(instance(ILP_TOKEN(ILP_TypeRef, NULLABLE), 1, ref(DECIMAL)), decimal,
               "1.5 (System.Decimal)");
}

static void test_core_structs(void **state)
{
    static const uint8_t guid[16] = {0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
                                     0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};
    const uint64_t second = 10000000, day = 864000000000u;
    (void)state;
    CHECK_TEXT(ref(GUID), guid, "00112233-4455-6677-8899-aabbccddeeff (System.Guid)");
    CHECK_TEXT(ref(TIME_SPAN), second, "00:00:01 (System.TimeSpan)");
    CHECK_TEXT(ref(DATE_TIME), day, "0001-01-02T00:00:00.0000000 (System.DateTime)");
}

static void test_arrays(void **state)
{
    struct {
        const void *type;
        int32_t length, padding;
        int32_t bounds[3];
    } array = {NULL, 6, 0, {1, 2, 3}};
    const void *reference = &array, *null = NULL;
    (void)state;
    CHECK_TEXT("1D 0E", reference, "System.String[6] (System.String[])");
    CHECK_TEXT("14 08 03 00 00", reference, "System.Int32[1,2,3] (System.Int32[,,])");
    CHECK_TEXT("1D 1D 05", reference, "System.Byte[][6] (System.Byte[][])");
    CHECK_TEXT("14 08 03 00 00", null, "null");
}

static void test_structs(void **state)
{
    int32_t deep = 5;
    uint8_t many[17] = {1, 2};
    (void)state;
    if (sizeof(void *) == 8) { /* laid out automatically: references first */
        const struct {
            const void *all, *at;
            int32_t held;
        } sorted = {NULL, NULL, 7};
        CHECK_TEXT(world.box, sorted, "{held=7, all=null, at=pointer} (N.Box`1[System.Int32])");
    }
    CHECK_TEXT(world.deep, deep, "{d={d={d={...}}}} (N.Deep)");
    CHECK_TEXT(world.many, many,
               "{f0=1, f1=2, f2=0, f3=0, f4=0, f5=0, f6=0, f7=0, f8=0, f9=0, f10=0, f11=0, f12=0, "
               "f13=0, f14=0, f15=0, ...} (N.Many)");
    check_text(world.many, NULL, 0, "null");
}

/* Nothing is read from where nothing can be, and no object from where one may not be yet. */
static void test_references(void **state)
{
    const void *null = NULL, *low = (const void *)(uintptr_t)0x1001, *text = "text";
    char expected[64];
    (void)state;
    snprintf(expected, sizeof expected, "0x%llx (System.String)",
             (unsigned long long)(uintptr_t)text);
    CHECK_TEXT("10 08", null, "null");
    CHECK_TEXT("10 08", low, "0x1001 (System.Int32)");
    CHECK_TEXT("10 0E", text, expected);
    CHECK_TEXT("1B 00 00 01", low, "0x1001 (System.IntPtr)");
}

/* What is not known is bytes: so many of them. */
static void test_bytes(void **state)
{
    uint8_t bytes[40] = {0xAB, 0xCD};
    (void)state;
    check_text(ref(OUTER), bytes, 3, "bytes abcd00 (G.Outer)");
    check_text("08", bytes, sizeof bytes,
               "bytes abcd000000000000000000000000000000000000000000000000000000000000... "
               "(System.Int32)");
}

/* ---- names ---- */

static void test_names(void **state)
{
    static const uint8_t bytes[8] = {1};
    const struct {
        const char *type, *text;
    } names[] = {
        {world.node, "object (N.Node+Leaf)"},
        {class_of(ILP_TOKEN(ILP_TypeRef, INNER)), "object (G.Outer+Inner`2)"},
        {text_of("15 12 %s 02 08 1D 0E", encoded(ILP_TOKEN(ILP_TypeRef, INNER))),
         "object (G.Outer+Inner`2[System.Int32,System.String[]])"},
        {"0F 1B 00 00 01", "0x1 (System.IntPtr*)"},
        {"0F 0F 08", "0x1 (System.Int32**)"},
        {"13 03", "bytes 0100000000000000 (!3)"},
        {"1E 02", "bytes 0100000000000000 (!!2)"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        check_text(names[i].type, bytes, sizeof bytes, names[i].text);
    }
}

/* However deep a signature nests, and however often it doubles, its name has an end. */
static void test_long_names(void **state)
{
    char type[200] = "";
    const void *null = NULL;
    const void *reference = &null;
    char text[3000];
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        strcat(type, "0F ");
    }
    strcat(type, "08");
    const struct shaped_value shaped = {
        .shape = shape_of(type), .value = &reference, .size = sizeof reference};
    size_t size = shape_write(&shaped, text, sizeof text);
    assert_true(size < 40);
    struct line line;
    line_begin(&line, text, sizeof text - 1);
    shape_put_type(&line, &shaped);
    text[line.size] = '\0';
    assert_string_equal(text, " (...****************)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nullable),   cmocka_unit_test(test_core_structs),
        cmocka_unit_test(test_arrays),     cmocka_unit_test(test_structs),
        cmocka_unit_test(test_references), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
