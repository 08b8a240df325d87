/* F# unions: from what the compiler's attributes say to shapes, and these as text
 * (src/values/union.c, write_object.c); F# lists besides. */
#include "tests/unit/arena_room.h"
#include "tests/unit/inspect_image.h"
#include "tests/unit/shape_field.h"

#include "base/alloc.h"
#include "values/shape.h"
#include "values/union.h"
#include "tests/unit/any_room.h"

enum { SUM_TYPE = 1, RECORD_TYPE = 2, UNION_CASE = 8 };

static struct ib_image image;
static struct ilp_image *opened;
static struct ilp_arena *arena;
static ilp_token with_kind, with_kind_and_number;

/* ---- what the compiler writes ---- */

static void mapped(ilp_token parent, unsigned kind, int number)
{
    char blob[64];
    snprintf(blob, sizeof blob,
             number < 0 ? "01 00 %02X 00 00 00 00 00" : "01 00 %02X 00 00 00 %02X 00 00 00 00 00",
             kind, (unsigned)number);
    IB_ROW(&image, CustomAttribute, parent, number < 0 ? with_kind : with_kind_and_number,
           ii_blob(&image, blob));
}

static ilp_token add_union(const char *name, unsigned kind)
{
    ilp_token type = ii_type(&image, "N", name, II_OBJECT);
    mapped(type, kind, -1);
    return type;
}

static void add_case(const char *maker, const char *signature, int number)
{
    mapped(ii_method(&image, maker, signature), UNION_CASE, number);
}

static int setup(void **state)
{
    (void)state;
    ii_begin(&image, "App");
    ilp_token attribute = ii_type_ref(&image, II_MSCORLIB, "Microsoft.FSharp.Core",
                                      "CompilationMappingAttribute");
    with_kind = ILP_TOKEN(ILP_MemberRef,
                          IB_ROW(&image, MemberRef, attribute, ib_string(&image, ".ctor"),
                                 ii_blob(&image, "20 01 01 08")));
    with_kind_and_number = ILP_TOKEN(ILP_MemberRef, IB_ROW(&image, MemberRef, attribute,
                                                           ib_string(&image, ".ctor"),
                                                           ii_blob(&image, "20 02 01 08 08")));
    ilp_token several = add_union("Either", SUM_TYPE);
    add_case("NewLeft", "00 01 01 08", 0);
    add_case("get_Neither", "00 00 01", 2);
    add_case("NewRight", "00 02 01 08 0E", 1);
    ii_method(&image, "NewNothing", "00 01 01 08"); /* without the attribute */
    ilp_token nested = ii_type(&image, "", "_Nested", several);
    IB_ROW(&image, NestedClass, ILP_TOKEN_RID(nested), ILP_TOKEN_RID(several));
    ii_type(&image, "N", "Derived", several);
    add_union("Record", RECORD_TYPE);
    add_union("Option", SUM_TYPE);
    add_case("get_None", "00 00 01", 0);
    add_case("Some", "00 01 01 08", 1);
    add_union("Gap", SUM_TYPE);
    add_case("NewA", "00 01 01 08", 1);
    add_union("Same", SUM_TYPE);
    add_case("NewA", "00 01 01 08", 0);
    add_case("NewB", "00 01 01 08", 1);
    add_union("Cut", SUM_TYPE);
    IB_ROW(&image, CustomAttribute, ii_method(&image, "NewA", "00 01 01 08"), with_kind,
           ii_blob(&image, "01 00 08"));
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

static struct ilpi_type_def find(const char *name)
{
    ilp_rid either = ilpi_find_type(opened, 0, "N", "Either");
    ilp_rid rid = name[0] == '_' ? ilpi_find_type(opened, either, "", name)
                                 : ilpi_find_type(opened, 0, "N", name);
    assert_int_not_equal(rid, 0);
    return (struct ilpi_type_def){opened, rid};
}

/* ---- shapes ---- */

static const struct shape number = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape any = {
    .kind = SHAPE_OBJECT, .size = sizeof(void *), .references = true, .name = "System.Object"};

/* Of `count` fields, _tag being the last of them. */
static struct shape shape_of(struct shape_field *fields, uint32_t count, bool tagged)
{
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = (struct shape_field)FIELD(tagged && i + 1 == count ? "_tag" : "item", 4 * i,
                                              &number);
    }
    return (struct shape){.kind = SHAPE_STRUCT,
                          .size = 4 * count,
                          .fields = fields,
                          .field_count = count,
                          .name = "N.Union"};
}

static const char *shown(const struct shape *shape, const int32_t *values)
{
    static char text[200];
    const struct shaped_value shaped = {.shape = shape, .value = values, .size = shape->size};
    fits_any_room(&shaped);
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

static const char *text_as(const char *type, uint32_t count, bool tagged, bool is_struct,
                           const int32_t *values)
{
    struct shape_field fields[8];
    struct shape shape = shape_of(fields, count, tagged);
    const struct shape_builder builder = {.arena = arena};
    assert_int_equal(union_build(&shape, find(type), is_struct, &builder), ILP_OK);
    return shown(&shape, values);
}

static void test_what_is_one(void **state)
{
    static const struct ilpi_type_def none = {NULL, 0};
    (void)state;
    assert_true(union_is(find("Either"), none));
    assert_true(union_is(find("_Nested"), find("Either")));
    assert_false(union_is(find("_Nested"), none));
    assert_false(union_is(find("Derived"), find("Either"))); /* a case is within the union */
    assert_false(union_is(find("Record"), none));
}

static void test_tagged(void **state)
{
    (void)state;
    assert_string_equal(text_as("Either", 4, true, true, (const int32_t[]){5, 6, 7, 0}), "Left(5)");
    assert_string_equal(text_as("Either", 4, true, true, (const int32_t[]){5, 6, 7, 1}),
                        "Right(6, 7)");
    assert_string_equal(text_as("Either", 4, true, true, (const int32_t[]){5, 6, 7, 2}), "Neither");
    assert_string_equal(text_as("Either", 4, true, true, (const int32_t[]){5, 6, 7, 3}), "{...}");
    assert_string_equal(text_as("Either", 4, true, true, (const int32_t[]){5, 6, 7, -1}), "{...}");
    /* of a class, only cases without fields have its tag */
    assert_string_equal(text_as("Either", 1, true, false, (const int32_t[]){2}), "Neither");
}

/* What does not fit together is shown field by field. */
static void test_not_as_made(void **state)
{
    (void)state;
    assert_string_equal(text_as("Either", 3, true, true, (const int32_t[]){5, 6, 0}),
                        "{item=5, item=6, _tag=0}");
    assert_string_equal(text_as("Gap", 1, false, false, (const int32_t[]){5}), "{item=5}");
    assert_string_equal(text_as("Same", 1, false, false, (const int32_t[]){5}), "{item=5}");
    assert_string_equal(text_as("Cut", 1, false, false, (const int32_t[]){5}), "{item=5}");
    assert_string_equal(text_as("Option", 2, false, false, (const int32_t[]){5, 6}),
                        "{item=5, item=6}");
}

static void test_one_case(void **state)
{
    (void)state;
    assert_string_equal(text_as("Option", 1, false, false, (const int32_t[]){5}), "Some(5)");
    assert_string_equal(text_as("Either", 2, false, false, (const int32_t[]){5, 6}), "Right(5, 6)");
    assert_string_equal(text_as("_Nested", 2, false, false, (const int32_t[]){5, 6}),
                        "Nested(5, 6)");
    assert_string_equal(text_as("_Nested", 0, false, false, NULL), "null"); /* no value at all */
    assert_string_equal(text_as("_Nested", 0, false, false, (const int32_t[]){0}), "Nested");
}

static ilp_status build_either(struct ilp_arena *own)
{
    struct shape_field fields[8];
    struct shape shape = shape_of(fields, 4, true);
    const struct shape_builder builder = {.arena = own};
    return union_build(&shape, find("Either"), true, &builder);
}

static void test_memory(void **state)
{
    (void)state;
    build_in_every_room(build_either, 256);
}

/* ---- lists ---- */

struct link {
    const struct shape *type;
    const void *tail;
    int32_t head;
};

static const struct shape_field link_fields[] = {
    FIELD("head", offsetof(struct link, head), &number),
    FIELD("tail", offsetof(struct link, tail), &any),
};
static const struct shape list = {.kind = SHAPE_FRAMEWORK,
                                  .known = KNOWN_CHAIN,
                                  .size = sizeof(struct link),
                                  .is_class = true,
                                  .fields = link_fields,
                                  .field_count = 2,
                                  .name = "F.List"};

static const struct shape *shape_of_link(void *user, const void *object)
{
    (void)user;
    return ((const struct link *)object)->type;
}

static const char *list_text(const struct link *first)
{
    static char text[200];
    static const struct object_types types = {.of = shape_of_link};
    const struct shaped_value shaped = {
        .shape = &any, .types = &types, .value = &first, .size = sizeof first};
    fits_any_room(&shaped);
    text[shape_write(&shaped, text, sizeof text - 1)] = '\0';
    return text;
}

static void test_lists(void **state)
{
    static struct link links[300];
    (void)state;
    for (int i = 0; i < 300; i++) {
        links[i] = (struct link){&list, i < 299 ? &links[i + 1] : NULL, i};
    }
    assert_string_equal(list_text(&links[299]), "[0]");
    assert_string_equal(list_text(&links[298]), "[1: 298]");
    assert_string_equal(list_text(&links[291]), "[8: 291, 292, 293, 294, 295, 296, 297, 298]");
    assert_string_equal(list_text(&links[290]), "[9: 290, 291, 292, 293, 294, 295, 296, 297, ...]");
    assert_string_equal(list_text(&links[43]), "[256: 43, 44, 45, 46, 47, 48, 49, 50, ...]");
    assert_string_equal(list_text(&links[42]), "[256+: 42, 43, 44, 45, 46, 47, 48, 49, ...]");
    links[298].tail = &links[297]; /* without end */
    assert_string_equal(list_text(&links[297]),
                        "[256+: 297, 298, 297, 298, 297, 298, 297, 298, ...]");
    links[298].type = NULL; /* something else */
    assert_string_equal(list_text(&links[296]), "[1: 296]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_one), cmocka_unit_test(test_tagged),
        cmocka_unit_test(test_not_as_made), cmocka_unit_test(test_one_case),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
