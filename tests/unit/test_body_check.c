/* src/verify/body_check.c and src/metadata/overlay.c: new bodies beside old ones, with rows that
 * the image has not. */
#include "tests/unit/inspect_image.h"
#include "verify/body_check.h"

#define GOOD "0A 16 2A"
#define BAD  "06 2A" /* returns nothing where an int32 is expected */

/* ldc.i4.0; dup; box TypeSpec 1; call MemberRef 1; ret. Without box an int32 is passed for an
 * object. */
#define INSPECTED "36 16 25 8C 01 00 00 1B 28 01 00 00 0A 2A"
#define UNBOXED   "22 16 25 28 01 00 00 0A 2A"
#define MESSAGE   "22 72 01 00 00 70 26 16 2A" /* ldstr 1; pop; ldc.i4.0; ret */
/* ldnull; unbox.any TypeRef 4; call MemberRef 1; ldc.i4.0; ret: may be an object, or not */
#define UNKNOWN "36 14 A5 04 00 00 01 28 01 00 00 0A 16 2A"
#define OTHER   "0A 26 2A"                                  /* pop; ret */
#define POINTER "03 30 08 00 02 00 00 00 01 00 00 11 16 2A" /* locals not set to zero */

enum { METHOD = 0x06000001, OWNER = 0x02000002 };

struct checked {
    struct ilp_image *image;
    struct ilpi_overlay overlay;
    struct ilpi_body_check *check;
};

static int begin(void **state)
{
    static struct checked checked;
    struct ib_image b;
    ii_begin(&b, "App");
    IB_ROW(&b, StandAloneSig, ii_blob(&b, "07 01 08"));
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "M", "00 00 08"), GOOD);
    ii_body(&b, ii_method(&b, "Take", "00 01 01 1C"), "06 2A");
    checked.image = built_pe(&b, (struct ib_pe){0});
    ilpi_overlay_open(&checked.overlay, checked.image);
    assert_int_equal(ilpi_body_check_open(&checked.check, &checked.overlay, NULL, NULL), ILP_OK);
    *state = &checked;
    return 0;
}

static int end(void **state)
{
    struct checked *checked = *state;
    ilpi_body_check_close(checked->check);
    ilpi_overlay_close(&checked->overlay);
    close_built(checked->image);
    return 0;
}

static void add(struct checked *checked, ilp_token token, ilp_token number, const char *name,
                const char *signature)
{
    struct ii_hex hex = ii_hex(signature);
    struct ilp_bytes blob = {hex.data, hex.size};
    struct ilp_bytes text = {(const uint8_t *)name, strlen(name)};
    const struct ilpi_overlay_cell of_ref[] = {
        {.number = number}, {.bytes = text}, {.bytes = blob}};
    const struct ilpi_overlay_cell of_signature[] = {{.bytes = blob}};
    bool is_ref = ILP_TOKEN_TABLE(token) == ILP_MemberRef || ILP_TOKEN_TABLE(token) == ILP_TypeRef;
    assert_int_equal(
        ilpi_overlay_row(&checked->overlay, token, is_ref ? of_ref : of_signature, NULL), ILP_OK);
}

static void add_rows(struct checked *checked)
{
    add(checked, 0x1B000001, 0, "", "08");
    add(checked, 0x0A000001, OWNER, "Take", "00 01 01 1C");
    add(checked, 0x01000004, II_MSCORLIB, "Gone", "");
    ilpi_overlay_user_string(&checked->overlay, 0x70000001);
}

/* What is said to be inserted before instruction 1; size 0: nothing is said. */
static uint32_t inserted;

/* The code of the finding; "": the new body is right. */
static const char *verdict(struct checked *checked, const char *old, const char *new, bool surely)
{
    const struct ilpi_insertion insertion = {.insn = 1, .bytes = {NULL, inserted}};
    static struct ilp_verify_finding finding;
    struct ii_hex before = ii_hex(old), after = ii_hex(new);
    const struct ilpi_body_pair pair = {.method = METHOD,
                                        .old = {before.data, before.size},
                                        .new = {after.data, after.size},
                                        .surely = surely,
                                        .insertions = inserted != 0 ? &insertion : NULL,
                                        .insertion_count = inserted != 0};
    bool is_right;
    assert_int_equal(ilpi_body_check(checked->check, &pair, &is_right, &finding, NULL), ILP_OK);
    return is_right ? "" : finding.code;
}

static void added_rows_are_seen(void **state)
{
    struct checked *checked = *state;
    assert_string_equal(verdict(checked, GOOD, INSPECTED, false), "token");
    assert_string_equal(verdict(checked, GOOD, MESSAGE, false), "token");
    add_rows(checked);
    assert_string_equal(verdict(checked, GOOD, INSPECTED, false), "");
    assert_string_equal(verdict(checked, GOOD, MESSAGE, false), "");
    assert_string_equal(verdict(checked, GOOD, INSPECTED, true), "");
    assert_string_equal(verdict(checked, GOOD, UNBOXED, false), "type-mismatch");
    assert_int_equal(ilp_row_count(checked->image, ILP_MemberRef), 0);
}

static void only_new_findings_count(void **state)
{
    struct checked *checked = *state;
    add_rows(checked);
    assert_string_equal(verdict(checked, BAD, BAD, false), "");
    assert_string_equal(verdict(checked, GOOD, BAD, false), "return");
    assert_string_equal(verdict(checked, BAD, OTHER, false), "stack-underflow");
    assert_string_equal(verdict(checked, GOOD, POINTER, false), "");
    assert_string_equal(verdict(checked, GOOD, UNKNOWN, false), "");
}

static void sure_means_that_nothing_is_found(void **state)
{
    struct checked *checked = *state;
    add_rows(checked);
    assert_string_equal(verdict(checked, BAD, BAD, true), "return");
    assert_string_equal(verdict(checked, UNKNOWN, UNKNOWN, true), "unresolved-type");
    assert_string_equal(verdict(checked, GOOD, POINTER, true), "");
}

/* More rows than there was room for, with gaps, and a row again. */
static void rows_may_be_many(void **state)
{
    struct checked *checked = *state;
    add_rows(checked);
    assert_string_equal(verdict(checked, GOOD, INSPECTED, false), "");
    for (ilp_rid rid = 3; rid < 5000; rid += 2) {
        add(checked, ILP_TOKEN(ILP_MemberRef, rid), OWNER, "M", "00 00 08");
        add(checked, ILP_TOKEN(ILP_MemberRef, rid), OWNER, "Other", "00 00 01");
    }
    const struct ilp_image *view = &checked->overlay.view;
    assert_int_equal(ilp_row_count(view, ILP_MemberRef), 4999);
    assert_int_equal(ilp_cell(view, ILP_MemberRef, 4, ILP_MemberRef_Class), 0);
    assert_string_equal(ilp_string(view, ilp_cell(view, ILP_MemberRef, 4999, ILP_MemberRef_Name)),
                        "M");
    assert_int_equal(ilp_cell(view, ILP_MemberRef, 1, ILP_MemberRef_Class), OWNER);
    assert_string_equal(verdict(checked, GOOD, "1A 28 87 13 00 0A 2A", false), "");
    assert_string_equal(verdict(checked, GOOD, "1A 28 88 13 00 0A 2A", false), "token");
}

/* The verdict when something is said to be inserted; `proved`: it is found without a look at all of
 * the code. */
static void said(struct checked *checked, uint32_t size, const char *old, const char *new,
                 bool proved, const char *expected)
{
    uint64_t whole = ilpi_body_check_whole(checked->check);
    inserted = size;
    assert_string_equal(verdict(checked, old, new, false), expected);
    inserted = 0;
    assert_int_equal(ilpi_body_check_whole(checked->check) == whole, proved);
}

static void what_is_inserted_is_proved(void **state)
{
    struct checked *checked = *state;
    add_rows(checked);
    for (unsigned round = 0; round < 2; round++) {
        said(checked, 11, GOOD, INSPECTED, true, "");
        said(checked, 6, GOOD, UNBOXED, false, "type-mismatch");
        said(checked, 10, GOOD, INSPECTED, false, "");                  /* not what it is */
        said(checked, 11, "0A 17 2A", INSPECTED, false, "");            /* not the old code */
        said(checked, 1, GOOD, "0E 16 25 2A", false, "return");         /* dup */
        said(checked, 1, GOOD, "0E 16 26 2A", false, "return");         /* pop */
        said(checked, 2, GOOD, "12 16 25 26 2A", true, "");             /* dup; pop */
        said(checked, 3, GOOD, "16 16 2B FE 00 2A", true, "");          /* for ever */
        said(checked, 2, GOOD, "12 16 2B FD 2A", false, "stack-depth"); /* into the old code */
        said(checked, 2, GOOD, "12 16 17 26 2A", true, "");             /* ldc.i4.1; pop */
        said(checked, 2, GOOD, "12 16 02 26 2A", false, "variable");
        said(checked, 2, GOOD, "12 16 06 26 2A", false, "variable");
    }
    inserted = 11;
    assert_string_equal(verdict(checked, GOOD, INSPECTED, true), "");
    inserted = 0;
}

/* What a proof does not see, since it takes what is returned for what has to be returned: ldnull
 * where an int32 is expected. */
static void old_code_is_taken_as_right(void **state)
{
    struct checked *checked = *state;
    static const char old[] = "0A 14 2A", new[] = "36 14 25 8C 01 00 00 1B 28 01 00 00 0A 2A";
    add_rows(checked);
    said(checked, 11, old, new, true, "");
    assert_string_not_equal(verdict(checked, old, new, false), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(added_rows_are_seen, begin, end),
        cmocka_unit_test_setup_teardown(only_new_findings_count, begin, end),
        cmocka_unit_test_setup_teardown(sure_means_that_nothing_is_found, begin, end),
        cmocka_unit_test_setup_teardown(rows_may_be_many, begin, end),
        cmocka_unit_test_setup_teardown(what_is_inserted_is_proved, begin, end),
        cmocka_unit_test_setup_teardown(old_code_is_taken_as_right, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
