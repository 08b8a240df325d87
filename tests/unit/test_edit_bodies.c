/* Edits: bodies and identity, and that a call that fails changes nothing. */
#include "metadata_test.h"

static struct ilp_image *sample_file(void)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    return built_pe(&b, (struct ib_pe){0});
}

/* ---- bodies ---- */

static void bodies_are_read_back(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    struct ilp_edit *edit = open_edit(image);
    uint8_t fat[12 + 100] = {0x03, 0x30, 8, 0, 100};
    memset(fat + 12, 0x00, 99);
    fat[111] = 0x2A;
    struct ilp_bytes first = {(const uint8_t *)"\x06\x2A", 2};
    struct ilp_bytes tiny = {(const uint8_t *)"\x0A\x16\x2A", 3};
    struct ilp_bytes large = {fat, sizeof fat};
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_NUMBER, first, NULL), ILP_OK);
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_NUMBER, tiny, NULL),
                     ILP_OK); /* the last counts */
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_FAT, large, NULL), ILP_OK);
    assert_false(ilp_edit_is_empty(edit));
    fat[12] = 0xFF; /* it was copied */
    struct ilp_image *after = rewritten(edit, NULL);
    fat[12] = 0x00;
    same_rows(image, after, true);
    uint32_t rva = ilp_cell(after, ILP_MethodDef, SAMPLE_NUMBER, ILP_MethodDef_RVA);
    assert_memory_equal(ilp_image_rva(after, rva, NULL).data, tiny.data, tiny.size);
    rva = ilp_cell(after, ILP_MethodDef, SAMPLE_FAT, ILP_MethodDef_RVA);
    assert_int_equal(rva % 4, 0);
    uint64_t offset = 0;
    assert_memory_equal(ilp_image_rva(after, rva, &offset).data, large.data, large.size);
    assert_int_equal(offset % 4, 0);
    assert_int_equal(ilp_cell(after, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA),
                     ilp_cell(image, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA));
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void native_code_is_not_replaced(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    struct ilp_edit *edit = open_edit(image);
    struct ilp_bytes body = {(const uint8_t *)"\x06\x2A", 2};
    struct ilp_error error;
    assert_int_equal(
        ilp_edit_set_cell(edit, ILP_MethodDef, SAMPLE_FAT, ILP_MethodDef_ImplFlags, 5, NULL),
        ILP_OK);
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_FAT, body, &error), ILP_E_MIXED_MODE);
    assert_int_equal(error.token, ILP_TOKEN(ILP_MethodDef, SAMPLE_FAT));
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_NUMBER, body, &error), ILP_OK);
    ilp_edit_close(edit);
    close_built(image);
}

/* The same when the rows of MethodDef cannot be copied: a cell of theirs is changed, or all are
 * wider. */
static void bodies_of_rows_that_change_otherwise(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    for (unsigned wide = 0; wide < 2; wide++) {
        struct ilp_edit *edit = open_edit(image);
        struct ilp_bytes body = {(const uint8_t *)"\x06\x2A", 2};
        static char name[0x10000 + 1];
        memset(name, 'n', sizeof name - 1);
        uint32_t offset = add_string(edit, wide ? name : "renamed");
        assert_int_equal(
            ilp_edit_set_cell(edit, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_Name, offset, NULL),
            ILP_OK);
        assert_int_equal(ilp_edit_set_body(edit, SAMPLE_FAT, body, NULL), ILP_OK);
        ilp_rid added = ADD_ROW(edit, MethodDef, 0x1234, 1, 2, offset, 3, 1);
        struct ilp_image *after = rewritten(edit, NULL);
        for (ilp_rid rid = 1; rid <= 3; rid++) {
            for (unsigned i = 0; i < ILP_MethodDef_COLUMNS; i++) {
                bool changed = (rid == SAMPLE_TEXT && i == ILP_MethodDef_Name) ||
                               (rid == SAMPLE_FAT && i == ILP_MethodDef_RVA);
                uint32_t cell = ilp_cell(after, ILP_MethodDef, rid, i);
                assert_true(changed != (cell == ilp_cell(image, ILP_MethodDef, rid, i)));
            }
        }
        uint32_t rva = ilp_cell(after, ILP_MethodDef, SAMPLE_FAT, ILP_MethodDef_RVA);
        assert_memory_equal(ilp_image_rva(after, rva, NULL).data, body.data, body.size);
        assert_string_equal(name_at(after, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_Name),
                            wide ? name : "renamed");
        assert_int_equal(ilp_cell(after, ILP_MethodDef, added, ILP_MethodDef_RVA), 0x1234);
        close_built(after);
        ilp_edit_close(edit);
    }
    close_built(image);
}

/* Bodies of methods and data of fields that were appended; data stand at multiples of 8. */
static void added_rows_have_bodies_and_data(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    struct ilp_edit *edit = open_edit(image);
    struct ilp_bytes body = {(const uint8_t *)"\x06\x2A", 2};
    struct ilp_bytes data[] = {{(const uint8_t *)"0123456789", 10},
                               {(const uint8_t *)"abcdefgh", 8}};
    uint32_t name = add_string(edit, "added");
    assert_int_equal(ilp_edit_set_body(edit, 4, body, NULL), ILP_E_MISUSE);
    assert_true(ilp_edit_row_count(edit, ILP_MethodDef) == 3);
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_TEXT, body, NULL), ILP_OK);
    ilp_rid method = ADD_ROW(edit, MethodDef, 0, 0, 0x16, name, 0, 1);
    assert_int_equal(ilp_edit_set_body(edit, method, body, NULL), ILP_OK);
    ilp_rid field = ADD_ROW(edit, Field, 0x111, name, 0);
    ilp_rid rows[] = {ADD_ROW(edit, FieldRVA, 0, field), 1}; /* an appended one, the sample's own */
    assert_int_equal(ilp_edit_set_data(edit, 3, body, NULL), ILP_E_MISUSE);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(ilp_edit_set_data(edit, rows[i], data[i], NULL), ILP_OK);
    }
    struct ilp_image *after = rewritten(edit, NULL);
    uint32_t rva = ilp_cell(after, ILP_MethodDef, method, ILP_MethodDef_RVA);
    assert_memory_equal(ilp_image_rva(after, rva, NULL).data, body.data, body.size);
    for (unsigned i = 0; i < 2; i++) {
        rva = ilp_cell(after, ILP_FieldRVA, rows[i], ILP_FieldRVA_RVA);
        assert_int_equal(rva % 8, 0);
        assert_memory_equal(ilp_image_rva(after, rva, NULL).data, data[i].data, data[i].size);
    }
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void metadata_alone_has_no_place_for_bodies(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(
        ilp_edit_set_body(edit, 1, (struct ilp_bytes){(const uint8_t *)"\x06\x2A", 2}, NULL),
        ILP_OK);
    struct ilp_bytes written;
    assert_int_equal(write_edit(edit, &written, NULL, NULL), ILP_E_MISUSE);
    drop(written);
    ilp_edit_close(edit);
    close_built(image);
}

/* ---- identity ---- */

static void guids_are_replaced(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    ib_guid(&b, 0x22);
    ib_guid(&b, 0x33);
    ib_put(&b.guids, "rest", 4);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(ilp_edit_set_guid(edit, 2, (const uint8_t *)"0123456789ABCDEF", NULL), ILP_OK);
    assert_int_equal(ilp_edit_set_guid(edit, 2, (const uint8_t *)"abcdefghijklmnop", NULL), ILP_OK);
    assert_false(ilp_edit_is_empty(edit));
    struct ilp_image *after = rewritten(edit, NULL);
    assert_memory_equal(ilp_guid(after, 1).data, ilp_guid(image, 1).data, 16);
    assert_memory_equal(ilp_guid(after, 2).data, "abcdefghijklmnop", 16);
    assert_memory_equal(ilp_guid(after, 3).data, ilp_guid(image, 3).data, 16);
    assert_memory_equal(after->guids.data + 48, "rest", 4);
    assert_int_equal(ilp_guid(image, 2).data[0], 0x22);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* One change each; no two may lead to one MVID. */
static void change(struct ilp_edit *edit, unsigned which)
{
    struct ilp_bytes body = {(const uint8_t *)"\x06\x2A", 2};
    switch (which) {
    case 0: break; /* none at all */
    case 1: add_string(edit, "a"); break;
    case 2: add_string(edit, "b"); break;
    case 3:
        add_string(edit, "\x01"); /* bytes 01 00 */
        break;
    case 4:
        add_user_string(edit, ""); /* bytes 01 00 too */
        break;
    case 5:
        add_blob(edit, "\0", 1); /* and again */
        break;
    case 6: assert_int_equal(ilp_edit_set_body(edit, 1, body, NULL), ILP_OK); break;
    case 7: assert_int_equal(ilp_edit_set_body(edit, 2, body, NULL), ILP_OK); break;
    case 8: ADD_ROW(edit, ModuleRef, 1); break;
    case 9: ADD_ROW(edit, TypeSpec, 1); break;
    case 10: ADD_ROW(edit, TypeSpec, 2); break;
    case 11:
        assert_int_equal(ilp_edit_set_cell(edit, ILP_TypeDef, 1, ILP_TypeDef_Flags, 1, NULL),
                         ILP_OK);
        break;
    case 12:
        assert_int_equal(ilp_edit_set_cell(edit, ILP_TypeDef, 1, ILP_TypeDef_Flags, 2, NULL),
                         ILP_OK);
        break;
    case 13:
        assert_int_equal(ilp_edit_set_guid(edit, 2, (const uint8_t *)"0123456789ABCDEF", NULL),
                         ILP_OK);
        break;
    case 14:
        assert_int_equal(ilp_edit_set_guid(edit, 2, (const uint8_t *)"0123456789ABCDE!", NULL),
                         ILP_OK);
        break;
    case 15: ADD_ROW(edit, MemberRef, 0, 1, 1); break;
    case 16: ADD_ROW(edit, MemberRef, 0, 1, 2); break;
    case 17:
        assert_int_equal(ilp_edit_set_cell(edit, ILP_Module, 1, ILP_Module_Generation, 1, NULL),
                         ILP_OK);
        break;
    default: break;
    }
}

static void mvid_after(unsigned which, uint8_t old, unsigned renewals, uint8_t mvid[16])
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    memset(b.guids.data, old, 16);
    ib_guid(&b, 0x22);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_edit *edit = open_edit(image);
    change(edit, which);
    for (unsigned i = 0; i < renewals; i++) {
        assert_int_equal(ilp_edit_renew_mvid(edit, NULL), ILP_OK);
    }
    struct ilp_image *after = rewritten(edit, NULL);
    memcpy(mvid, ilp_guid(after, ilp_cell(after, ILP_Module, 1, ILP_Module_Mvid)).data, 16);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void mvids_follow_the_change(void **state)
{
    (void)state;
    enum { CHANGES = 18 };
    uint8_t mvids[CHANGES + 1][16];
    for (unsigned i = 0; i < CHANGES; i++) {
        uint8_t again[16];
        mvid_after(i, 0x5A, 1, mvids[i]);
        mvid_after(i, 0x5A, 1, again);
        assert_memory_equal(mvids[i], again, 16);
        assert_int_equal(mvids[i][7] >> 4, 8); /* RFC 9562: version 8, variant 10 */
        assert_int_equal(mvids[i][8] >> 6, 2);
        mvid_after(i, 0x5A, 2, again); /* renewing twice changes nothing more */
        assert_memory_equal(mvids[i], again, 16);
    }
    mvid_after(1, 0x5B, 1, mvids[CHANGES]); /* the same change to another module */
    for (unsigned i = 0; i <= CHANGES; i++) {
        for (unsigned k = 0; k < i; k++) {
            if (memcmp(mvids[i], mvids[k], 16) == 0) {
                fail_msg("changes %u and %u give one MVID", k, i);
            }
        }
    }
}

static void modules_without_an_mvid_stay_so(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, Module, 0, 0, 0, 0, 0);
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(ilp_edit_renew_mvid(edit, NULL), ILP_OK);
    assert_true(ilp_edit_is_empty(edit));
    ilp_edit_close(edit);
    close_built(image);
}

/* ---- failures ---- */

static ilp_status try_change(struct ilp_edit *edit, unsigned which)
{
    uint32_t offset;
    ilp_token token;
    ilp_rid rid;
    const uint8_t guid[16] = {0};
    struct ilp_bytes bytes = {(const uint8_t *)"\x0A\x16\x2A", 3};
    switch (which) {
    case 0: return ilp_edit_add_string(edit, "abc", &offset, NULL);
    case 1: return ilp_edit_add_blob(edit, bytes, &offset, NULL);
    case 2: return ilp_edit_add_user_string(edit, bytes, &token, NULL);
    case 3: return ilp_edit_add_row(edit, ILP_TypeSpec, (const uint32_t[]){0}, &rid, NULL);
    case 4: return ilp_edit_set_cell(edit, ILP_TypeDef, 1, ILP_TypeDef_Flags, 1, NULL);
    case 5: return ilp_edit_set_guid(edit, 1, guid, NULL);
    case 6: return ilp_edit_set_body(edit, 1, bytes, NULL);
    default: return ilp_edit_renew_mvid(edit, NULL);
    }
}

/* Each allocation of each call fails once: the edit is as empty as before, and the call works
 * afterwards. */
static void a_call_that_fails_changes_nothing(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    for (unsigned which = 0; which < 8; which++) {
        for (size_t n = 1;; n++) {
            struct memory memory = {0};
            struct ilp_allocator allocator = memory_allocator(&memory);
            struct ilp_edit *edit;
            assert_int_equal(ilp_edit_open(&edit, image, &allocator, NULL), ILP_OK);
            memory.fail_at = memory.calls + n;
            ilp_status status = try_change(edit, which);
            if (status != ILP_OK) {
                assert_int_equal(status, ILP_E_NO_MEMORY);
                if (!ilp_edit_is_empty(edit)) {
                    fail_msg("call %u, allocation %zu: the edit is not empty", which, n);
                }
                assert_int_equal(try_change(edit, which), ILP_OK);
            }
            assert_false(ilp_edit_is_empty(edit));
            ilp_edit_close(edit);
            memory_is_empty(&memory);
            if (status == ILP_OK) {
                break;
            }
        }
    }
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_read_back),
        cmocka_unit_test(native_code_is_not_replaced),
        cmocka_unit_test(bodies_of_rows_that_change_otherwise),
        cmocka_unit_test(added_rows_have_bodies_and_data),
        cmocka_unit_test(metadata_alone_has_no_place_for_bodies),
        cmocka_unit_test(guids_are_replaced),
        cmocka_unit_test(mvids_follow_the_change),
        cmocka_unit_test(modules_without_an_mvid_stay_so),
        cmocka_unit_test(a_call_that_fails_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
