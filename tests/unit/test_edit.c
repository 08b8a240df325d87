/* Edits: rows, cells and heap entries, seen through the edit and read back from what it writes;
 * what is refused, and the limits of tokens. */
#include "metadata_test.h"

static struct ilp_image *sample_file(void)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    return built_pe(&b, (struct ib_pe){0});
}

/* ---- nothing changed ---- */

static void without_changes_the_bytes_are_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {
        "good-small.dll",    "good-uncompressed.dll", "good-no-us.dll", "good-pe32plus.dll",
        "good-portable.pdb", "good-security.dll",     "good-il.dll",    "good-csharp.dll",
        "good-r2r.dll",      "good-mixed.dll"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes bytes = load(names[i]);
        struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        struct ilp_bytes written;
        struct ilp_write_info info;
        assert_true(ilp_edit_is_empty(edit));
        /* what adds nothing is no change */
        assert_int_equal(add_string(edit, ""), 0);
        assert_int_equal(add_blob(edit, "", 0), 0);
        assert_true(ilp_edit_is_empty(edit));
        assert_int_equal(write_edit(edit, &written, &info, NULL), ILP_OK);
        same_bytes(written, bytes);
        assert_int_equal(info.size, bytes.size);
        assert_false(info.headers_grown || info.section_extended || info.symbols_dropped ||
                     info.certificate_dropped || info.strong_name != ILP_STRONG_NAME_NONE);
        ilp_edit_close(edit);
        ilp_image_close(image);
        drop(written);
        drop(bytes);
    }
    ilp_edit_close(NULL);
}

/* ---- heaps ---- */

static void added_entries_are_read_back(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    struct ilp_edit *edit = open_edit(image);
    uint8_t large[20000];
    memset(large, 0x42, sizeof large);
    uint32_t name = add_string(edit, "added name \xC3\xA4");
    uint32_t blob = add_blob(edit, "\x00\x01\x02", 3);
    uint32_t large_blob = add_blob(edit, large, sizeof large);
    ilp_token text = add_user_string(edit, "added text");
    ilp_token empty = add_user_string(edit, "");
    assert_int_equal(add_string(edit, "added name \xC3\xA4"), name);
    assert_int_equal(add_blob(edit, "\x00\x01\x02", 3), blob);
    assert_int_equal(add_user_string(edit, "added text"), text);
    assert_int_equal(ILP_TOKEN_TABLE(text), ILP_TOKEN_USER_STRING);
    assert_false(ilp_edit_is_empty(edit));
    assert_string_equal(ilpi_edit_string(edit, name), "added name \xC3\xA4");
    assert_string_equal(ilpi_edit_string(edit, name + 6), "name \xC3\xA4");
    assert_string_equal(ilpi_edit_string(edit, ilp_cell(image, ILP_Module, 1, ILP_Module_Name)),
                        "Sample.dll");
    assert_string_equal(ilpi_edit_string(edit, 0xFFFFFFF), "");
    assert_int_equal(ilpi_edit_blob(edit, blob).size, 3);
    assert_int_equal(ilpi_edit_blob(edit, large_blob).size, sizeof large);
    assert_int_equal(ilpi_edit_blob(edit, 0xFFFFFFF).size, 0);

    struct ilp_image *after = rewritten(edit, NULL);
    same_rows(image, after, false);
    same_heaps(image, after);
    assert_string_equal(ilp_string(after, name), "added name \xC3\xA4");
    same_bytes(ilp_blob(after, blob), (struct ilp_bytes){(const uint8_t *)"\0\1\2", 3});
    same_bytes(ilp_blob(after, large_blob), (struct ilp_bytes){large, sizeof large});
    same_bytes(ilp_user_string(after, text),
               (struct ilp_bytes){(const uint8_t *)"a\0d\0d\0e\0d\0 \0t\0e\0x\0t", 20});
    assert_int_equal(ilp_user_string(after, empty).size, 0);
    assert_int_equal(ilp_user_string(after, 0x70000001).size, 8); /* the one that was there */
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* ---- rows ---- */

/* A value for each column that is unlike its neighbours' and that the column can hold. */
static uint32_t some_value(const struct ilpi_column_def *column, uint32_t seed)
{
    switch ((enum ilpi_column_kind)column->kind) {
    case ILPI_U8PAD: return seed & 0xFF;
    case ILPI_U16: return seed * 257 & 0xFFFF;
    case ILPI_U32: return seed * 0x01010101;
    case ILPI_STR: return 1 + seed % 10;
    case ILPI_GUID: return seed % 2;
    case ILPI_BLOB: return 1 + seed % 5;
    case ILPI_ROW:
    case ILPI_LIST: return seed % 1000;
    case ILPI_CODED:
        for (unsigned tag = seed; tag < seed + ILPI_MAX_TAGS; tag++) {
            unsigned table = ilpi_codeds[column->target].tables[tag % ILPI_MAX_TAGS];
            if (table != 0) {
                return ILP_TOKEN(table - 1, seed % 1000);
            }
        }
    }
    return 0;
}

/* In the form of ilp_cell(): a token of row 0 is null. */
static uint32_t read_as(const struct ilpi_column_def *column, uint32_t value)
{
    return column->kind == ILPI_CODED && ILP_TOKEN_RID(value) == 0 ? 0 : value;
}

/* Two rows to each table, one of them changed afterwards in every cell. Keys rise, so nothing
 * moves. */
static void rows_of_every_table(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    struct ilp_edit *edit = open_edit(image);
    uint32_t expected[ILP_TABLE_COUNT][3][ILP_MAX_COLUMNS] = {{{0}}};
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        const struct ilpi_table_def *def = &ilpi_tables[table];
        uint32_t count = ilp_row_count(image, table);
        if (!def->name) {
            continue;
        }
        for (unsigned k = 0; k < 2; k++) {
            uint32_t cells[ILP_MAX_COLUMNS];
            for (unsigned i = 0; i < def->columns; i++) {
                bool key = (int)i == def->key;
                cells[i] = some_value(&def->column[i], key ? 950 + k : table * 31 + k * 7 + i * 3);
            }
            if (def->key >= 0 && def->column[def->key].kind == ILPI_CODED) {
                /* one table's tokens, so that the coded form rises too */
                cells[def->key] = (cells[def->key] & 0xFF000000) | (950 + k);
                cells[def->key] = k != 0 ? (expected[table][0][def->key] & 0xFF000000) | 951
                                         : cells[def->key];
            }
            assert_int_equal(add_row(edit, table, cells, def->columns), count + k + 1);
            for (unsigned i = 0; i < def->columns; i++) {
                expected[table][k][i] = read_as(&def->column[i], cells[i]);
                assert_int_equal(ilp_edit_cell(edit, table, count + k + 1, i),
                                 expected[table][k][i]);
            }
        }
        assert_int_equal(ilp_edit_row_count(edit, table), count + 2);
        assert_int_equal(ilp_row_count(image, table), count);
        for (unsigned i = 0; i < def->columns; i++) { /* the first of the two */
            if ((int)i != def->key) {
                uint32_t value = some_value(&def->column[i], table * 17 + i + 5);
                assert_int_equal(ilp_edit_set_cell(edit, table, count + 1, i, value, NULL), ILP_OK);
                expected[table][0][i] = read_as(&def->column[i], value);
            }
        }
    }
    struct ilp_image *after = rewritten(edit, NULL);
    same_rows(image, after, false);
    same_heaps(image, after);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        uint32_t count = ilp_row_count(image, table);
        assert_int_equal(ilp_row_count(after, table), ilp_edit_row_count(edit, table));
        for (unsigned k = 0; k < (ilpi_tables[table].name ? 2 : 0); k++) {
            for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
                if (ilp_cell(after, table, count + k + 1, i) != expected[table][k][i]) {
                    fail_msg("%s row %u, %s: 0x%X, not 0x%X", ilp_table_name(table), count + k + 1,
                             ilpi_tables[table].column[i].name,
                             ilp_cell(after, table, count + k + 1, i), expected[table][k][i]);
                }
            }
        }
    }
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void changed_cells_are_read_back_and_the_others_stay(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-il.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    uint32_t name = add_string(edit, "renamed");
    assert_int_equal(ilp_edit_set_cell(edit, ILP_MethodDef, 2, ILP_MethodDef_Name, name, NULL),
                     ILP_OK);
    assert_int_equal(ilp_edit_set_cell(edit, ILP_TypeDef, 1, ILP_TypeDef_Extends,
                                       ILP_TOKEN(ILP_TypeRef, 1), NULL),
                     ILP_OK);
    assert_int_equal(ilp_edit_cell(edit, ILP_MethodDef, 2, ILP_MethodDef_Name), name);
    assert_int_equal(ilp_edit_cell(edit, ILP_TypeDef, 1, ILP_TypeDef_Extends),
                     ILP_TOKEN(ILP_TypeRef, 1));
    assert_int_equal(ilp_cell(image, ILP_TypeDef, 1, ILP_TypeDef_Extends), 0);
    struct ilp_image *after = rewritten(edit, NULL);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        assert_int_equal(ilp_row_count(after, table), ilp_row_count(image, table));
        for (ilp_rid rid = 1; rid <= ilp_row_count(image, table); rid++) {
            for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
                assert_int_equal(ilp_cell(after, table, rid, i),
                                 ilp_edit_cell(edit, table, rid, i));
                bool changed = (table == ILP_MethodDef && rid == 2 && i == ILP_MethodDef_Name) ||
                               (table == ILP_TypeDef && rid == 1 && i == ILP_TypeDef_Extends);
                assert_true(changed !=
                            (ilp_cell(after, table, rid, i) == ilp_cell(image, table, rid, i)));
            }
        }
    }
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    drop(bytes);
}

/* "Cells as in ilp_cell()": also those that do not exist, and those with a byte where zero should
 * be. */
static void cells_of_the_edit_are_cells_of_the_image(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    IB_ROW(&b, Constant, 0xEE08, ILP_TOKEN(ILP_Field, 1), 1); /* the padding byte is not zero */
    IB_ROW(&b, TypeRef, IB_RAW(0), 1, 1);
    IB_ROW(&b, InterfaceImpl, 2, IB_RAW(0x17)); /* tag 3: no table */
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_edit *edit = open_edit(image);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned table = 0; table < ILP_TABLE_COUNT + 1; table++) {
            for (ilp_rid rid = 0; rid <= ilp_row_count(image, table) + 1; rid++) {
                for (unsigned i = 0; i <= ILP_MAX_COLUMNS; i++) {
                    assert_int_equal(ilp_edit_cell(edit, table, rid, i),
                                     ilp_cell(image, table, rid, i));
                }
            }
            /* and once more when the rows have been decoded */
            if (round == 0 && ilp_row_count(image, table) != 0) {
                uint32_t same = ilp_cell(image, table, 1, 0);
                assert_int_equal(ilp_edit_set_cell(edit, table, 1, 0, same, NULL), ILP_OK);
            }
        }
    }
    ilp_edit_close(edit);
    close_built(image);
}

/* ---- misuse ---- */

static const struct {
    unsigned table;
    unsigned column;
    uint32_t value;
    bool fits;
} cells[] = {
    {ILP_Constant, ILP_Constant_Type, 0xFF, true},
    {ILP_Constant, ILP_Constant_Type, 0x100, false},
    {ILP_Param, ILP_Param_Sequence, 0xFFFF, true},
    {ILP_Param, ILP_Param_Sequence, 0x10000, false},
    {ILP_TypeDef, ILP_TypeDef_Flags, UINT32_MAX, true},
    {ILP_NestedClass, ILP_NestedClass_EnclosingClass, 0xFFFFFF, true},
    {ILP_NestedClass, ILP_NestedClass_EnclosingClass, 0x1000000, false},
    {ILP_TypeDef, ILP_TypeDef_FieldList, 0xFFFFFF, true},
    {ILP_TypeDef, ILP_TypeDef_FieldList, 0x1000000, false},
    {ILP_TypeDef, ILP_TypeDef_Extends, ILP_TOKEN(ILP_TypeSpec, 0xFFFFFF), true},
    {ILP_TypeDef, ILP_TypeDef_Extends, ILP_TOKEN(ILP_MethodDef, 1), false},
    {ILP_TypeDef, ILP_TypeDef_Extends, ILP_TOKEN(ILP_TOKEN_USER_STRING, 1), false},
    {ILP_TypeDef, ILP_TypeDef_Extends, 0, true},
    {ILP_Module, ILP_Module_Mvid, 1, true},
    {ILP_Module, ILP_Module_Mvid, 2, false},
    {ILP_Module, ILP_Module_Name, 0, true},
    {ILP_Module, ILP_Module_Name, 1, true},
    {ILP_Module, ILP_Module_Name, 0xFFFFFF, false},
    {ILP_TypeSpec, ILP_TypeSpec_Signature, 1, true},
    {ILP_TypeSpec, ILP_TypeSpec_Signature, 0xFFFFFF, false},
};

static void values_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    for (size_t i = 0; i < COUNT(cells); i++) {
        struct ilp_edit *edit = open_edit(image);
        uint32_t row[ILP_MAX_COLUMNS] = {0};
        struct ilp_error error = {0};
        ilp_rid rid = 0;
        row[cells[i].column] = cells[i].value;
        ilp_status status = ilp_edit_add_row(edit, cells[i].table, row, &rid, &error);
        if (status != (cells[i].fits ? ILP_OK : ILP_E_MISUSE)) {
            fail_msg("0x%X into %s: %s", cells[i].value, ilp_table_name(cells[i].table),
                     ilp_status_name(status));
        }
        assert_int_equal(ilp_edit_is_empty(edit), !cells[i].fits);
        if (!cells[i].fits) {
            assert_int_equal(error.status, ILP_E_MISUSE);
            assert_int_equal(ILP_TOKEN_TABLE(error.token), cells[i].table);
            row[cells[i].column] = 0;
            rid = add_row(edit, cells[i].table, row, ilpi_tables[cells[i].table].columns);
            assert_int_equal(ilp_edit_set_cell(edit, cells[i].table, rid, cells[i].column,
                                               cells[i].value, &error),
                             ILP_E_MISUSE);
            assert_int_equal(ilp_edit_cell(edit, cells[i].table, rid, cells[i].column), 0);
        }
        ilp_edit_close(edit);
    }
    close_built(image);
}

static void places_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    struct ilp_edit *edit = open_edit(image);
    const uint32_t row[ILP_MAX_COLUMNS] = {0};
    static const unsigned tables[] = {0x2D, 0x2F, 0x38, 0x3F, 0x40, UINT32_MAX};
    ilp_rid rid;
    for (size_t i = 0; i < COUNT(tables); i++) {
        assert_int_equal(ilp_edit_add_row(edit, tables[i], row, &rid, NULL), ILP_E_MISUSE);
        assert_int_equal(ilp_edit_set_cell(edit, tables[i], 1, 0, 0, NULL), ILP_E_MISUSE);
        assert_int_equal(ilp_edit_row_count(edit, tables[i]), 0);
    }
    assert_int_equal(ilp_edit_set_cell(edit, ILP_Module, 0, 0, 0, NULL), ILP_E_MISUSE);
    assert_int_equal(ilp_edit_set_cell(edit, ILP_Module, 2, 0, 0, NULL), ILP_E_MISUSE);
    assert_int_equal(ilp_edit_set_cell(edit, ILP_Module, 1, ILP_Module_COLUMNS, 0, NULL),
                     ILP_E_MISUSE);
    uint8_t guid[16] = {0};
    assert_int_equal(ilp_edit_set_guid(edit, 0, guid, NULL), ILP_E_MISUSE);
    assert_int_equal(ilp_edit_set_guid(edit, 2, guid, NULL), ILP_E_MISUSE);
    struct ilp_bytes body = {(const uint8_t *)"\x06\x2A", 2};
    assert_int_equal(ilp_edit_set_body(edit, 0, body, NULL), ILP_E_MISUSE);
    assert_int_equal(ilp_edit_set_body(edit, 4, body, NULL), ILP_E_MISUSE);
    assert_true(ilp_edit_is_empty(edit));
    ilp_edit_close(edit);
    close_built(image);
}

/* A body has a header at least; nothing at all is the caller's mistake, not a lack of memory. */
static void an_empty_body_is_refused(void **state)
{
    (void)state;
    struct ilp_image *image = sample_file();
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(ilp_edit_set_body(edit, 1, (struct ilp_bytes){NULL, 0}, NULL), ILP_E_MISUSE);
    assert_true(ilp_edit_is_empty(edit));
    ilp_edit_close(edit);
    close_built(image);
}

/* ---- limits ---- */

static void rows_end_where_tokens_do(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    b.streams[0].name = "#-";
    ib_rows(&b, ILP_EventPtr, 0xFFFFFE);
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(ADD_ROW(edit, EventPtr, 7), 0xFFFFFF);
    ilp_rid rid;
    struct ilp_error error = {0};
    assert_int_equal(ilp_edit_add_row(edit, ILP_EventPtr, (const uint32_t[]){1}, &rid, &error),
                     ILP_E_TOO_MANY);
    assert_int_equal(error.status, ILP_E_TOO_MANY);
    assert_int_equal(ilp_edit_row_count(edit, ILP_EventPtr), 0xFFFFFF);
    struct ilp_image *after = rewritten(edit, NULL);
    assert_int_equal(ilp_row_count(after, ILP_EventPtr), 0xFFFFFF);
    assert_int_equal(ilp_cell(after, ILP_EventPtr, 0xFFFFFF, 0), 7);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* A compressed length has 29 bits. The bytes are not read. */
static void blobs_end_where_lengths_do(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_edit *edit = open_edit(image);
    struct ilp_error error = {0};
    uint32_t offset;
    struct ilp_bytes blob = {(const uint8_t *)"", 1u << 29};
    assert_int_equal(ilp_edit_add_blob(edit, blob, &offset, &error), ILP_E_TOO_LARGE);
    assert_int_equal(error.status, ILP_E_TOO_LARGE);
    assert_true(ilp_edit_is_empty(edit));
    assert_int_not_equal(add_blob(edit, "abc", 3), 0);
    ilp_edit_close(edit);
    close_built(image);
}

static void user_strings_end_where_tokens_do(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    ib_zeros(&b.user_strings, 0xFFFFF0 - b.user_strings.size);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_edit *edit = open_edit(image);
    struct ilp_error error = {0};
    ilp_token token = 0;
    struct ilp_bytes text = {(const uint8_t *)"abcdefgh", 8};
    assert_int_equal(ilp_edit_add_user_string(edit, text, &token, &error), ILP_E_TOO_LARGE);
    assert_int_equal(error.status, ILP_E_TOO_LARGE);
    assert_true(ilp_edit_is_empty(edit));
    token = add_user_string(edit, "abcdef");
    assert_int_equal(token, 0x70FFFFF0);
    struct ilp_image *after = rewritten(edit, NULL);
    assert_int_equal(ilp_user_string(after, token).size, 12);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_changes_the_bytes_are_the_same),
        cmocka_unit_test(added_entries_are_read_back),
        cmocka_unit_test(rows_of_every_table),
        cmocka_unit_test(changed_cells_are_read_back_and_the_others_stay),
        cmocka_unit_test(cells_of_the_edit_are_cells_of_the_image),
        cmocka_unit_test(values_that_do_not_fit_are_refused),
        cmocka_unit_test(places_that_do_not_exist_are_refused),
        cmocka_unit_test(an_empty_body_is_refused),
        cmocka_unit_test(rows_end_where_tokens_do),
        cmocka_unit_test(blobs_end_where_lengths_do),
        cmocka_unit_test(user_strings_end_where_tokens_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
