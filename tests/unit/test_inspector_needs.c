/* src/inspect/inspector_needs.c: what the stock inspectors use, looked up in programs that have
 * little of it; and that no bytes of an inspector lead astray. What a real trimmed program lacks is
 * in tests/runtime/trimmed. */
#include "tests/unit/inspect_image.h"

static struct ilp_bytes load_file(const char *path)
{
    struct ib_bytes bytes = {0};
    uint8_t piece[4096];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s: run from the project's root", path);
    }
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) != 0;) {
        ib_put(&bytes, piece, n);
    }
    fclose(file);
    return taken(bytes);
}

struct found {
    unsigned count;
    char text[4096];
};

static void take(void *user, const char *what)
{
    struct found *found = user;
    found->count++;
    size_t used = strlen(found->text);
    snprintf(found->text + used, sizeof found->text - used, "%s\n", what);
}

/* A resolver that has one image under each name, or none. */
static struct ilp_image *open_any(void *user, const struct ilp_assembly_name *name)
{
    (void)name;
    return user;
}

static struct found check(struct ilp_image *assembly, struct ilp_image *program, bool closed)
{
    struct found found = {.count = 0};
    struct ilp_needs needs = {.closed = closed, .user = &found, .missing = take};
    struct ilp_resolver resolver = {.user = program, .open = open_any};
    struct ilp_inspector *inspector;
    if (ilp_inspector_open(&inspector, assembly, NULL, NULL) == ILP_OK) {
        assert_int_equal(
            ilp_inspector_check_needs(inspector, assembly, &resolver, &needs, NULL, NULL), ILP_OK);
        ilp_inspector_close(inspector);
    }
    return found;
}

static struct ilp_image *open_edition(const char *path)
{
    return open_image(load_file(path), ILP_LAYOUT_FILE);
}

static void test_no_assembly(void **state)
{
    (void)state;
    struct ilp_image *full = open_edition("data/inspector/MyProfiler.dll");
    struct ilp_image *small = open_edition("data/inspector/small/MyProfiler.dll");
    assert_string_equal(check(full, NULL, true).text, "assembly mscorlib\n");
    assert_string_equal(check(small, NULL, true).text, "assembly System.Private.CoreLib\n");
    assert_int_equal(check(full, NULL, false).count, 0); /* it may be there when the program runs */
    close_built(small);
    close_built(full);
}

/* Each type once, whatever stands behind it: its members are not looked up. */
static void test_no_types(void **state)
{
    (void)state;
    struct ilp_image *full = open_edition("data/inspector/MyProfiler.dll");
    struct ilp_image *small = open_edition("data/inspector/small/MyProfiler.dll");
    struct found found = check(small, full, true);
    assert_non_null(strstr(found.text, "System.Reflection.FieldInfo\n"));
    assert_null(strstr(found.text, "::"));
    char *first = strstr(found.text, "System.Object\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\nSystem.Object\n"));
    close_built(small);
    close_built(full);
}

/* One byte after the other is changed; what is found is of no matter. */
static void test_any_bytes(void **state)
{
    (void)state;
    struct ilp_bytes file = load_file("data/inspector/small/MyProfiler.dll");
    uint32_t seed = 1;
    for (unsigned round = 0; round < 1500; round++) {
        struct ilp_image *image;
        uint8_t *bytes = malloc(file.size);
        assert_non_null(bytes);
        memcpy(bytes, file.data, file.size);
        for (unsigned i = 0; i < 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[(seed >> 8) % file.size] = (uint8_t)(seed >> 3);
        }
        if (ilp_image_open(&image, (struct ilp_bytes){bytes, file.size}, ILP_LAYOUT_FILE, "any",
                           NULL, NULL) == ILP_OK) {
            check(image, round % 2 == 0 ? NULL : image, true);
            ilp_image_close(image);
        }
        free(bytes);
    }
    free((void *)file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_assembly),
        cmocka_unit_test(test_no_types),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
