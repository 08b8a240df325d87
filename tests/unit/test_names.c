/* src/types/names.c: types and methods as text. */
#include "types/names.h"
#include "tests/unit/inspect_image.h"

static struct ilp_arena *arena;

typedef ilp_status (*text_function)(const struct ilp_image *image, ilp_token token,
                                    struct ilp_arena *to, const char **text,
                                    struct ilp_error *error);

static void says(const struct ilp_image *image, text_function function, ilp_token token,
                 const char *expected)
{
    const char *text;
    assert_int_equal(function(image, token, arena, &text, NULL), ILP_OK);
    assert_string_equal(text, expected);
}

static void nest(struct ib_image *b, ilp_token inner, ilp_token outer)
{
    IB_ROW(b, NestedClass, ILP_TOKEN_RID(inner), ILP_TOKEN_RID(outer));
}

static void test_types(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token plain = ii_type(&b, "My.Space", "Plain", II_OBJECT);
    ilp_token global = ii_type(&b, "", "Global", II_OBJECT);
    ilp_token generic = ii_type(&b, "N", "List`1", II_OBJECT);
    ilp_token inner = ii_type(&b, "", "Inner`2", II_OBJECT);
    ilp_token innermost = ii_type(&b, "", "<>c", II_OBJECT);
    ilp_token other = ii_type(&b, "Größe", "Straße\xE2\x82\xAC", II_OBJECT);
    ilp_token odd = ii_type(&b, "N", "a/b c", II_OBJECT); /* any name is legal */
    nest(&b, inner, generic);
    nest(&b, innermost, inner);
    ilp_token outer_ref = ii_type_ref(&b, II_MSCORLIB, "System", "Environment");
    ilp_token inner_ref = ii_type_ref(&b, outer_ref, "", "SpecialFolder");
    ilp_token array = ILP_TOKEN(ILP_TypeSpec, IB_ROW(&b, TypeSpec, ii_blob(&b, "1D 0E")));
    ilp_token instance = ILP_TOKEN(ILP_TypeSpec,
                                   IB_ROW(&b, TypeSpec, ii_blob(&b, "15 12 10 01 08")));
    ilp_token itself = ILP_TOKEN(ILP_TypeSpec, IB_ROW(&b, TypeSpec, ii_blob(&b, "20 0E 08")));
    ilp_token bad = ILP_TOKEN(ILP_TypeSpec, IB_ROW(&b, TypeSpec, ii_blob(&b, "1D")));
    struct ilp_image *image = built_root(&b);
    says(image, ilp_type_text, plain, "My.Space.Plain");
    says(image, ilp_type_text, global, "Global");
    says(image, ilp_type_text, generic, "N.List`1");
    says(image, ilp_type_text, inner, "N.List`1/Inner`2");
    says(image, ilp_type_text, innermost, "N.List`1/Inner`2/<>c");
    says(image, ilp_type_text, other, "Größe.Straße€");
    says(image, ilp_type_text, odd, "N.a/b c");
    says(image, ilp_type_text, II_OBJECT, "System.Object");
    says(image, ilp_type_text, inner_ref, "System.Environment/SpecialFolder");
    says(image, ilp_type_text, array, "string[]");
    says(image, ilp_type_text, instance, "class N.List`1<int32>");
    says(image, ilp_type_text, itself, "int32 modopt(0x1B000003)"); /* named in itself: a number */
    says(image, ilp_type_text, bad, "<bad TypeSpec 0x1B000004>");
    says(image, ilp_type_text, ILP_TOKEN(ILP_TypeDef, 99), "");
    says(image, ilp_type_text, ILP_TOKEN(ILP_TypeSpec, 99), "<bad TypeSpec 0x1B000063>");
    says(image, ilp_type_text, ILP_TOKEN(ILP_MethodDef, 1), "0x06000001");
    close_built(image);
}

static void test_methods(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token global = ii_method(&b, "Global", "00 00 01");
    ilp_token outer = ii_type(&b, "N", "Outer", II_OBJECT);
    ilp_token plain = ii_method(&b, "Plain", "20 02 0E 08 1C");
    ilp_token generic = ii_method(&b, "Generic", "10 01 01 1E 00 1E 00");
    ilp_token constructor = ii_method(&b, ".ctor", "20 00 01");
    ilp_token explicit_name = ii_method(&b, "System.IDisposable.Dispose", "20 00 01");
    ilp_token umlaut = ii_method(&b, "Größe", "00 00 08");
    ilp_token nameless = ii_method(&b, "", "00 00 08");
    ilp_token bad = ii_method(&b, "Bad", "00 00");
    ilp_token inner = ii_type(&b, "", "Inner`1", II_OBJECT);
    ilp_token nested = ii_method(&b, "Nested", "00 00 13 00");
    nest(&b, inner, outer);
    struct ilp_image *image = built_root(&b);
    says(image, ilp_method_name_text, global, "Global");
    says(image, ilp_method_name_text, plain, "N.Outer::Plain");
    says(image, ilp_method_name_text, constructor, "N.Outer::.ctor");
    says(image, ilp_method_name_text, explicit_name, "N.Outer::System.IDisposable.Dispose");
    says(image, ilp_method_name_text, umlaut, "N.Outer::Größe");
    says(image, ilp_method_name_text, nameless, "N.Outer::");
    says(image, ilp_method_name_text, nested, "N.Outer/Inner`1::Nested");
    says(image, ilp_method_name_text, ILP_TOKEN(ILP_MethodDef, 99), "");
    says(image, ilp_method_text, global, "void Global()");
    says(image, ilp_method_text, plain, "instance string N.Outer::Plain(int32, object)");
    says(image, ilp_method_text, generic, "!!0 N.Outer::Generic<1>(!!0)");
    says(image, ilp_method_text, nested, "!0 N.Outer/Inner`1::Nested()");
    says(image, ilp_method_text, bad, "<bad signature> N.Outer::Bad");
    close_built(image);
}

/* Types that nest for ever, by TypeDefs and by TypeRefs: 32 of them are written. */
static void test_depth(void **state)
{
    (void)state;
    char expected[3 * 32];
    for (unsigned i = 0; i < 32; i++) {
        memcpy(expected + 2 * i, "T/", 3);
    }
    expected[2 * 32 - 1] = '\0';
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token type = ii_type(&b, "", "T", II_OBJECT);
    ilp_token method = ii_method(&b, "M", "00 00 01");
    nest(&b, type, type);
    ilp_token ref = ii_type_ref(&b, ILP_TOKEN(ILP_TypeRef, 4), "", "T");
    struct ilp_image *image = built_root(&b);
    says(image, ilp_type_text, type, expected);
    says(image, ilp_type_text, ref, expected);
    const char *text;
    assert_int_equal(ilp_method_name_text(image, method, arena, &text, NULL), ILP_OK);
    assert_int_equal(strlen(text), 2 * 32 - 1 + strlen("::M"));
    close_built(image);
}

/* Names and signatures of any length are legal; their texts are not. */
static void test_limits(void **state)
{
    (void)state;
    char *name = malloc(3 * ILPI_NAME_LIMIT);
    assert_non_null(name);
    memset(name, 'n', 3 * ILPI_NAME_LIMIT);
    name[2 * ILPI_NAME_LIMIT] = '\0';
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token type = ii_type(&b, "", name, II_OBJECT);
    name[ILPI_NAME_LIMIT] = '\0';
    ilp_token method = ii_method(&b, name, "00 00 08");
    struct ilp_image *image = built_root(&b);
    const char *text;
    assert_int_equal(ilp_type_text(image, type, arena, &text, NULL), ILP_OK);
    assert_int_equal(strlen(text), ILPI_NAME_LIMIT + strlen("..."));
    assert_string_equal(text + ILPI_NAME_LIMIT, "...");
    assert_int_equal(ilp_method_name_text(image, method, arena, &text, NULL), ILP_OK);
    assert_int_equal(strlen(text), 2 * ILPI_NAME_LIMIT + strlen("...::"));
    close_built(image);
    free(name);
}

static void test_memory(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "T", II_OBJECT);
    ilp_token method = ii_method(&b, "M", "20 02 0E 12 05 1C");
    struct ilp_image *image = built_root(&b);
    for (size_t fail_at = 1;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_arena *small;
        const char *text = NULL;
        ilp_status status = ilp_arena_open(&small, &allocator, NULL);
        if (status == ILP_OK) {
            status = ilp_method_text(image, method, small, &text, NULL);
            if (status == ILP_OK) {
                assert_string_equal(text, "instance string N.T::M(class System.Object, object)");
            }
            ilp_arena_close(small);
        }
        memory_is_empty(&memory);
        if (status == ILP_OK) {
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),  cmocka_unit_test(test_methods), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_memory),
    };
    if (ilp_arena_open(&arena, NULL, NULL) != ILP_OK) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ilp_arena_close(arena);
    return failed;
}
