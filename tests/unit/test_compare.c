/* src/verify/compare.c: which findings are new. */
#include "tests/unit/inspect_image.h"

/* Bodies of methods that return an int32. What is wrong is that nothing is on the stack. */
#define GOOD      "0A 16 2A"
#define BAD       "06 2A"
#define LATER     "12 00 00 00 2A"
#define TWICE     "16 17 2D 01 2A 2A"
#define OTHER     "0A 26 2A"
#define LOCALS(n) "03 30 08 00 02 00 00 00 0" #n " 00 00 11 16 2A" /* not set to zero */

static const struct {
    const char *name;
    const char *before[2];
    const char *after[3];
    unsigned reported;
    const char *code;
    ilp_token token;
} cases[] = {
    {"nothing", {GOOD, GOOD}, {GOOD, GOOD, NULL}, 0, NULL, 0},
    {"nothing new", {BAD, OTHER}, {BAD, OTHER, NULL}, 0, NULL, 0},
    {"what was wrong is right", {BAD, BAD}, {GOOD, GOOD, NULL}, 0, NULL, 0},
    {"something", {GOOD, GOOD}, {GOOD, BAD, NULL}, 1, "return", 0x06000002},
    {"in the same place of another method", {BAD, GOOD}, {BAD, BAD, NULL}, 1, "return", 0x06000002},
    {"somewhere else in the method", {BAD, GOOD}, {LATER, GOOD, NULL}, 0, NULL, 0},
    {"once more", {BAD, GOOD}, {TWICE, GOOD, NULL}, 0, NULL, 0},
    {"twice at once", {GOOD, GOOD}, {TWICE, GOOD, NULL}, 2, "return", 0x06000001},
    {"of another instruction", {BAD, GOOD}, {OTHER, GOOD, NULL}, 1, "stack-underflow", 0x06000001},
    {"of another kind", {BAD, GOOD}, {LOCALS(1), GOOD, NULL}, 1, "init-locals", 0x06000001},
    {"with another number", {LOCALS(1), GOOD}, {LOCALS(2), GOOD, NULL}, 0, NULL, 0},
    {"in a method that was added", {BAD, BAD}, {BAD, BAD, BAD}, 1, "return", 0x06000003},
};

static struct ilp_image *image_of(const char *const *bodies, size_t count)
{
    struct ib_image b;
    ii_begin(&b, "App");
    IB_ROW(&b, StandAloneSig, ii_blob(&b, "07 01 08"));
    IB_ROW(&b, StandAloneSig, ii_blob(&b, "07 02 08 08"));
    ii_type(&b, "N", "C", II_OBJECT);
    for (size_t i = 0; i < count && bodies[i]; i++) {
        char name[24];
        snprintf(name, sizeof name, "M%zu", i);
        ii_body(&b, ii_method(&b, name, "00 00 08"), bodies[i]);
    }
    return built_pe(&b, (struct ib_pe){0});
}

struct reported {
    unsigned count;
    unsigned stop_at;
    char code[64];
    ilp_token token;
};

static ilp_status take_finding(void *user, const struct ilp_verify_finding *finding,
                               struct ilp_error *error)
{
    struct reported *reported = user;
    (void)error;
    snprintf(reported->code, sizeof reported->code, "%s", finding->code);
    reported->token = finding->token;
    return ++reported->count == reported->stop_at ? ILP_E_CALLBACK : ILP_OK;
}

static ilp_status compare(struct ilp_image *before, struct ilp_image *after,
                          struct reported *reported, const struct ilp_allocator *allocator)
{
    struct ilp_findings_sink sink = {reported, NULL, take_finding};
    return ilp_verify_change(before, after, NULL, &sink, allocator, NULL);
}

static void new_findings_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_image *before = image_of(cases[i].before, 2);
        struct ilp_image *after = image_of(cases[i].after, 3);
        struct reported reported = {.count = 0};
        assert_int_equal(compare(before, after, &reported, NULL), ILP_OK);
        if (reported.count != cases[i].reported ||
            (reported.count != 0 && strcmp(reported.code, cases[i].code) != 0) ||
            reported.token != cases[i].token) {
            fail_msg("%s: %u reported, %s in %08X", cases[i].name, reported.count, reported.code,
                     reported.token);
        }
        close_built(before);
        close_built(after);
    }
}

/* T As<T>(object), with this body, and a TypeSpec of T. */
static struct ilp_image *image_of_cast(uint32_t flags, const char *body)
{
    struct ib_image b;
    ii_begin(&b, "App");
    IB_ROW(&b, TypeSpec, ii_blob(&b, "1E 00"));
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "As", "10 01 01 1E 00 1C"), body);
    IB_ROW(&b, GenericParam, 0, flags, ILP_TOKEN(ILP_MethodDef, 1), ib_string(&b, "T"));
    return built_pe(&b, (struct ib_pe){0});
}

/* An object that is returned as a T is boxed as one: that is new where T may be a value type. */
static void boxes_of_class_parameters_are_not_new(void **state)
{
    static const char before[] = "0A 02 2A";                     /* ldarg.0; ret */
    static const char after[] = "26 02 25 8C 01 00 00 1B 26 2A"; /* dup; box !!0; pop */
    (void)state;
    for (uint32_t flags = 0; flags <= 4; flags += 4) {
        struct ilp_image *original = image_of_cast(flags, before);
        struct ilp_image *changed = image_of_cast(flags, after);
        struct reported reported = {.count = 0};
        assert_int_equal(compare(original, changed, &reported, NULL), ILP_OK);
        assert_int_equal(reported.count, flags == 0);
        close_built(original);
        close_built(changed);
        original = image_of_cast(flags, "0A 16 2A"); /* ldc.i4.0; ret */
        changed = image_of_cast(flags, "26 16 25 8C 01 00 00 1B 26 2A");
        reported.count = 0;
        assert_int_equal(compare(original, changed, &reported, NULL), ILP_OK);
        assert_int_equal(reported.count, 1); /* a number is no object */
        close_built(original);
        close_built(changed);
    }
}

/* Rows of sorted tables move: Constant rows for the fields of `parents`, of which the second has a
 * type that is none. */
static struct ilp_image *constants(const uint32_t *parents, size_t count)
{
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    for (char name[2] = "a"; name[0] <= 'd'; name[0]++) {
        IB_ROW(&b, Field, 0x16, ib_string(&b, name), ii_blob(&b, "06 08"));
    }
    for (size_t i = 0; i < count; i++) {
        ib_set(&b, ILP_Field, parents[i], ILP_Field_Flags, 0x8056); /* literal, with a default */
        IB_ROW(&b, Constant, parents[i] == 2 ? 0x99 : 0x08, ILP_TOKEN(ILP_Field, parents[i]),
               ii_blob(&b, "01 00 00 00"));
    }
    return built_pe(&b, (struct ib_pe){0});
}

static void rows_of_sorted_tables_move(void **state)
{
    (void)state;
    static const uint32_t first[] = {2, 3, 4};
    static const uint32_t second[] = {1, 2, 3};
    struct ilp_image *before = constants(first, 3);
    struct ilp_image *after = constants(second, 3);
    struct reported reported = {.count = 0};
    assert_int_equal(compare(before, after, &reported, NULL), ILP_OK);
    assert_int_equal(reported.count, 0);
    close_built(before);
    before = constants(first + 1, 2);
    assert_int_equal(compare(before, after, &reported, NULL), ILP_OK);
    assert_int_equal(reported.count, 1);
    assert_string_equal(reported.code, "constant");
    close_built(before);
    close_built(after);
}

/* StandAloneSig rows with these signatures. */
static struct ilp_image *signatures(const char *const *blobs, size_t count)
{
    struct ib_image b;
    ii_begin(&b, "App");
    for (size_t i = 0; i < count; i++) {
        IB_ROW(&b, StandAloneSig, ii_blob(&b, blobs[i]));
    }
    return built_pe(&b, (struct ib_pe){0});
}

/* A row that was added may have the fault of another one of its table; a row that was there may
 * not. */
static void added_rows_are_copies(void **state)
{
    (void)state;
    static const char *const rows[] = {"07 01 08", "07 01 45 45 08", "07 02 45 45 08 08",
                                       "07 01 45 45 08"};
    struct ilp_image *good = signatures(rows, 1);
    struct ilp_image *wrong = signatures(rows, 2);
    struct ilp_image *more = signatures(rows, 3);
    struct ilp_image *other = signatures(rows + 1, 3);
    struct reported reported = {.count = 0};
    assert_int_equal(compare(wrong, more, &reported, NULL), ILP_OK);
    assert_int_equal(reported.count, 0);
    assert_int_equal(compare(good, more, &reported, NULL), ILP_OK);
    assert_int_equal(reported.count, 2);
    reported.count = 0;
    assert_int_equal(compare(wrong, other, &reported, NULL), ILP_OK);
    assert_int_equal(reported.count, 1); /* row 1, which was right */
    assert_int_equal(reported.token, ILP_TOKEN(ILP_StandAloneSig, 1));
    close_built(good);
    close_built(wrong);
    close_built(more);
    close_built(other);
}

/* Many findings, so that the set grows; the sink may end it at each of them. */
static void the_set_grows(void **state)
{
    (void)state;
    enum { METHODS = 60 };
    static const char *bodies[METHODS];
    static const char *good[METHODS];
    for (size_t i = 0; i < METHODS; i++) {
        bodies[i] = BAD;
        good[i] = GOOD;
    }
    struct ilp_image *bad = image_of(bodies, METHODS);
    struct ilp_image *fine = image_of(good, METHODS);
    struct reported reported = {.count = 0};
    assert_int_equal(compare(bad, bad, &reported, NULL), ILP_OK);
    assert_int_equal(reported.count, 0);
    assert_int_equal(compare(fine, bad, &reported, NULL), ILP_OK);
    assert_int_equal(reported.count, METHODS);
    reported = (struct reported){.stop_at = 50};
    assert_int_equal(compare(fine, bad, &reported, NULL), ILP_E_CALLBACK);
    assert_int_equal(reported.count, 50);
    close_built(bad);
    close_built(fine);
}

/* Fails at every allocation in turn, and frees all. */
struct failing {
    size_t left;
    size_t out;
};

static void *resize_or_fail(void *user, void *block, size_t old_size, size_t new_size)
{
    struct failing *failing = user;
    if (new_size > old_size && failing->left-- == 0) {
        failing->left = 0;
        return NULL;
    }
    failing->out += new_size - old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    assert_non_null(moved);
    return moved;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    static const char *const before[] = {BAD, GOOD};
    static const char *const after[] = {OTHER, BAD};
    struct ilp_image *original = image_of(before, 2);
    struct ilp_image *changed = image_of(after, 2);
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t allowed = 0; status != ILP_OK; allowed++) {
        struct failing failing = {.left = allowed};
        struct ilp_allocator allocator = {resize_or_fail, &failing, 0};
        struct reported reported = {.count = 0};
        status = compare(original, changed, &reported, &allocator);
        assert_true(status == ILP_OK ? reported.count == 2 : status == ILP_E_NO_MEMORY);
        assert_int_equal(failing.out, 0);
    }
    close_built(original);
    close_built(changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_findings_are_reported),
        cmocka_unit_test(rows_of_sorted_tables_move),
        cmocka_unit_test(added_rows_are_copies),
        cmocka_unit_test(the_set_grows),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(boxes_of_class_parameters_are_not_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
