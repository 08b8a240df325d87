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

/* The code of the finding; "": the new body is right. */
static const char *verdict(struct checked *checked, const char *old, const char *new, bool surely)
{
    static struct ilp_verify_finding finding;
    struct ii_hex before = ii_hex(old), after = ii_hex(new);
    const struct ilpi_body_pair pair = {.method = METHOD,
                                        .old = {before.data, before.size},
                                        .new = {after.data, after.size},
                                        .surely = surely};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(added_rows_are_seen, begin, end),
        cmocka_unit_test_setup_teardown(only_new_findings_count, begin, end),
        cmocka_unit_test_setup_teardown(sure_means_that_nothing_is_found, begin, end),
        cmocka_unit_test_setup_teardown(rows_may_be_many, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
