/* DebuggerDisplay attributes: which can be followed without running code, and what is shown then
 * (src/values/display.c, write_object.c). */
#include "tests/unit/arena_room.h"
#include "tests/unit/inspect_image.h"
#include "tests/unit/shape_field.h"

#include "base/alloc.h"
#include "values/display.h"
#include "values/shape.h"
#include "tests/unit/any_room.h"

static struct ib_image image;
static struct ilp_image *opened;
static struct ilp_arena *arena;
static ilp_token constructor;

/* ---- types with an attribute ---- */

static void displayed(ilp_token type, const char *text)
{
    char hex[2000] = "01 00";
    size_t size = strlen(text), at = strlen(hex);
    at += (size_t)snprintf(hex + at, sizeof hex - at, size < 128 ? " %02zX" : " %04zX",
                           size < 128 ? size : size | 0x8000);
    for (size_t i = 0; i < size; i++) {
        at += (size_t)snprintf(hex + at, sizeof hex - at, " %02X", (unsigned char)text[i]);
    }
    snprintf(hex + at, sizeof hex - at, " 00 00");
    IB_ROW(&image, CustomAttribute, type, constructor, ii_blob(&image, hex));
}

/* With the fields of the shape below: A, B and a property's. */
static ilp_token add(const char *name, const char *text)
{
    ilp_token type = ii_type(&image, "N", name, II_OBJECT);
    static const char *const fields[] = {"A", "B", "<Prop>k__BackingField"};
    for (size_t i = 0; i < COUNT(fields); i++) {
        IB_ROW(&image, Field, 1, ib_string(&image, fields[i]), ii_blob(&image, "06 08"));
    }
    IB_ROW(&image, Field, 0x11, ib_string(&image, "Static"), ii_blob(&image, "06 08"));
    ii_method(&image, "get_Prop", "20 00 08");
    ii_method(&image, "get_Code", "20 00 08");
    if (text) {
        displayed(type, text);
    }
    return type;
}

static const struct {
    const char *text, *shown;
} cases[] = {
    {"A is {A}, B {B}", "{A is 1, B 2}"},
    {"{Prop}{A,nq}", "{31}"},
    {"alone", "{alone}"},
    {"{A", "{A=1, B=2, Prop=3}"},
    {"A}", "{A=1, B=2, Prop=3}"},
    {"{}", "{A=1, B=2, Prop=3}"},
    {"{,nq}", "{A=1, B=2, Prop=3}"},
    {"{A + 1}", "{A=1, B=2, Prop=3}"},
    {"{A,x}", "{A=1, B=2, Prop=3}"},
    {"{a}", "{A=1, B=2, Prop=3}"},
    {"{AB}", "{A=1, B=2, Prop=3}"},
    {"{Code}", "{A=1, B=2, Prop=3}"},
    {"{Static}", "{A=1, B=2, Prop=3}"},
    {"{{A}}", "{A=1, B=2, Prop=3}"},
    {"\\{ {A}", "{A=1, B=2, Prop=3}"},
    {"", "{A=1, B=2, Prop=3}"},
    {"{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}", "{1111111111111111}"},
    {"{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}{A}", "{A=1, B=2, Prop=3}"},
    {"line\n", "{line\\n}"},
    {NULL, "{A=1, B=2, Prop=3}"},
};

static char *name_of(size_t index)
{
    static char name[16];
    snprintf(name, sizeof name, "T%zu", index);
    return name;
}

static int setup(void **state)
{
    char text[202];
    (void)state;
    ii_begin(&image, "App");
    ilp_token attribute = ii_type_ref(&image, II_MSCORLIB, "System.Diagnostics",
                                      "DebuggerDisplayAttribute");
    constructor = ILP_TOKEN(ILP_MemberRef,
                            IB_ROW(&image, MemberRef, attribute, ib_string(&image, ".ctor"),
                                   ii_blob(&image, "20 01 01 0E")));
    for (size_t i = 0; i < COUNT(cases); i++) {
        add(name_of(i), cases[i].text);
    }
    memset(text, 'x', sizeof text);
    text[201] = '\0';
    add("TooLong", text);
    text[200] = '\0';
    add("Long", text);
    opened = built_root(&image);
    return ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    ilp_arena_close(arena);
    close_built(opened);
    return 0;
}

/* ---- as text ---- */

static const struct shape number = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape_field fields[] = {FIELD("A", 0, &number), FIELD("B", 4, &number),
                                            FIELD("Prop", 8, &number)};

static struct ilpi_type_def def_at(const void *user, uint32_t index)
{
    const ilp_rid *types = user;
    return (struct ilpi_type_def){opened, types[index]};
}

/* Of a type that is derived from another one, if there is one, which has the fields. */
static struct shape built(const char *derived, const char *name, struct ilp_arena *to,
                          ilp_status *status)
{
    ilp_rid types[2];
    uint32_t count = 0;
    if (derived) {
        types[count++] = ilpi_find_type(opened, 0, "N", derived);
    }
    types[count++] = ilpi_find_type(opened, 0, "N", name);
    ilp_rid first, end;
    ilpi_list(opened, ILP_TypeDef, types[count - 1], ILP_TypeDef_FieldList, &first, &end);
    const struct field_origin origins[] = {
        {opened, first}, {opened, first + 1}, {opened, first + 2}};
    const struct display_type type = {def_at, types, count, origins};
    struct shape shape = {.kind = SHAPE_STRUCT,
                          .size = 12,
                          .fields = fields,
                          .field_count = COUNT(fields),
                          .name = "N.T"};
    *status = display_build(&shape, &type, to, NULL);
    return shape;
}

static const char *shown(const char *derived, const char *name)
{
    static char text[400];
    const int32_t values[] = {1, 2, 3};
    ilp_status status;
    const struct shape shape = built(derived, name, arena, &status);
    const struct shaped_value shaped = {.shape = &shape, .value = values, .size = sizeof values};
    assert_int_equal(status, ILP_OK);
    fits_any_room(&shaped);
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(shown(NULL, name_of(i)), cases[i].shown);
    }
    assert_string_equal(shown(NULL, "TooLong"), "{A=1, B=2, Prop=3}");
    assert_int_equal(strlen(shown(NULL, "Long")), 202);
}

/* What a derived class has under the name is another field, or code; its own attribute counts. */
static void test_derived(void **state)
{
    (void)state;
    assert_string_equal(shown("T2", "T0"), "{alone}");
    assert_string_equal(shown("T19", "T2"), "{alone}");
    assert_string_equal(shown("T19", "T0"), "{A=1, B=2, Prop=3}");
}

static ilp_status build_first(struct ilp_arena *own)
{
    ilp_status status;
    struct shape shape = built(NULL, "T0", own, &status);
    assert_true(status != ILP_OK || shape.display != NULL);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    build_in_every_room(build_first, 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_derived),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
