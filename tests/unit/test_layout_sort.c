/* Sorted tables (layout.c): rows that are added or whose key changes find their places, and all
 * that refers to rows that moved follows them. */
#include "metadata_test.h"

static unsigned width_of(const struct ilp_image *image, unsigned table, unsigned column)
{
    const struct ilpi_row_shape *shape = &image->tables[table].shape;
    return (unsigned)(shape->at[column + 1] - shape->at[column]);
}

/* Rows carry an id in a cell that is no key (all tables here have such a cell), and are
 * distinguished by it. */
enum { KEYS = 12, ROUNDS = 30 };

struct sorted_table {
    unsigned table;
    unsigned id; /* column */
};

static const struct sorted_table sorted_tables[] = {
    {ILP_InterfaceImpl, ILP_InterfaceImpl_Interface},
    {ILP_Constant, ILP_Constant_Value},
    {ILP_CustomAttribute, ILP_CustomAttribute_Value},
    {ILP_FieldMarshal, ILP_FieldMarshal_NativeType},
    {ILP_DeclSecurity, ILP_DeclSecurity_Action},
    {ILP_ClassLayout, ILP_ClassLayout_ClassSize},
    {ILP_FieldLayout, ILP_FieldLayout_Offset},
    {ILP_MethodSemantics, ILP_MethodSemantics_Semantics},
    {ILP_MethodImpl, ILP_MethodImpl_MethodBody},
    {ILP_ImplMap, ILP_ImplMap_MappingFlags},
    {ILP_FieldRVA, ILP_FieldRVA_RVA},
    {ILP_NestedClass, ILP_NestedClass_EnclosingClass},
    {ILP_GenericParam, ILP_GenericParam_Number},
    {ILP_GenericParamConstraint, ILP_GenericParamConstraint_Constraint},
    {ILP_LocalScope, ILP_LocalScope_StartOffset},
    {ILP_StateMachineMethod, ILP_StateMachineMethod_KickoffMethod},
    {ILP_CustomDebugInformation, ILP_CustomDebugInformation_Value},
};

/* What a row was made of: its id, and the row its key refers to, if that has an id itself. */
struct expected_row {
    unsigned table;
    uint32_t id;
    uint32_t key;   /* as ilp_cell() gives it */
    unsigned owner; /* the key's table when that is a sorted one, else ILP_TABLE_COUNT */
    uint32_t owner_id;
};

static uint32_t id_cell(const struct sorted_table *sorted, uint32_t id)
{
    const struct ilpi_column_def *column = &ilpi_tables[sorted->table].column[sorted->id];
    if (column->kind == ILPI_CODED) {
        unsigned tag = 0;
        while (ilpi_codeds[column->target].tables[tag] == 0) {
            tag++;
        }
        return ILP_TOKEN(ilpi_codeds[column->target].tables[tag] - 1u, id);
    }
    return id;
}

static const struct sorted_table *sorted_of(unsigned table)
{
    for (size_t i = 0; i < COUNT(sorted_tables); i++) {
        if (sorted_tables[i].table == table) {
            return &sorted_tables[i];
        }
    }
    return NULL;
}

static uint32_t rng(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A key for a new row: any row of any table that the column can refer to, of those that exist. */
static uint32_t some_key(const struct ilp_edit *edit, unsigned table, uint32_t *random)
{
    const struct ilpi_column_def *column = &ilpi_tables[table].column[ilpi_tables[table].key];
    if (column->kind != ILPI_CODED) {
        uint32_t rows = ilp_edit_row_count(edit, column->target);
        return 1 + rng(random) % (rows != 0 ? rows : KEYS);
    }
    for (;;) {
        unsigned target = ilpi_codeds[column->target].tables[rng(random) % ILPI_MAX_TAGS];
        uint32_t rows = target != 0 ? ilp_edit_row_count(edit, target - 1) : 0;
        if (rows != 0) {
            return ILP_TOKEN(target - 1, 1 + rng(random) % rows);
        }
    }
}

/* Remembers what a row is to be; `rid` is provisional. */
static struct expected_row expect(const struct ilp_edit *edit, const struct sorted_table *sorted,
                                  ilp_rid rid)
{
    const struct ilpi_column_def *column =
        &ilpi_tables[sorted->table].column[ilpi_tables[sorted->table].key];
    struct expected_row row = {
        sorted->table, ilp_edit_cell(edit, sorted->table, rid, sorted->id),
        ilp_edit_cell(edit, sorted->table, rid, (unsigned)ilpi_tables[sorted->table].key),
        ILP_TABLE_COUNT, 0};
    unsigned target = column->kind == ILPI_CODED ? ILP_TOKEN_TABLE(row.key) : column->target;
    const struct sorted_table *owner = sorted_of(target);
    if (owner) {
        row.owner = target;
        row.owner_id = ilp_edit_cell(edit, target, ILP_TOKEN_RID(row.key), owner->id);
    }
    return row;
}

/* The row with this id, which must be there once. */
static ilp_rid find_id(const struct ilp_image *image, unsigned table, uint32_t id)
{
    ilp_rid found = 0;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, table); rid++) {
        if (ilp_cell(image, table, rid, sorted_of(table)->id) == id) {
            assert_int_equal(found, 0);
            found = rid;
        }
    }
    assert_int_not_equal(found, 0);
    return found;
}

static void is_sorted(const struct ilp_image *image, unsigned table)
{
    uint32_t last = 0;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, table); rid++) {
        uint32_t key = ilpi_cell_raw(&image->tables[table], rid, (unsigned)ilpi_tables[table].key);
        if (key < last) {
            fail_msg("%s row %u is out of order", ilp_table_name(table), rid);
        }
        last = key;
    }
}

static void is_as_expected(const struct ilp_image *image, const struct expected_row *row)
{
    ilp_rid rid = find_id(image, row->table, row->id);
    uint32_t key = ilp_cell(image, row->table, rid, (unsigned)ilpi_tables[row->table].key);
    if (row->owner == ILP_TABLE_COUNT) {
        assert_int_equal(key, row->key);
        return;
    }
    /* the key follows its row to where it went */
    uint32_t id = ilp_cell(image, row->owner, ILP_TOKEN_RID(key), sorted_of(row->owner)->id);
    if (id != row->owner_id) {
        fail_msg("%s with the id %u refers to %s %u, not %u", ilp_table_name(row->table), row->id,
                 ilp_table_name(row->owner), id, row->owner_id);
    }
}

/* An image with KEYS rows in the tables that keys refer to and that are not sorted themselves, and
 * with two rows in each sorted one; if it does not say that it is sorted, it is not. */
static struct ilp_image *image_to_sort(bool says_sorted)
{
    struct ib_image b;
    ib_begin(&b);
    ib_zeros(&b.blobs, 0x1000);
    b.sorted = says_sorted ? b.sorted : 0;
    static const uint8_t targets[] = {ILP_TypeDef,  ILP_TypeRef,      ILP_Field, ILP_MethodDef,
                                      ILP_Param,    ILP_Property,     ILP_Event, ILP_Assembly,
                                      ILP_TypeSpec, ILP_LocalVariable};
    for (size_t i = 0; i < sizeof targets; i++) {
        ib_rows(&b, targets[i], targets[i] == ILP_Assembly ? 1 : KEYS);
    }
    for (size_t i = 0; i < COUNT(sorted_tables); i++) {
        unsigned table = sorted_tables[i].table;
        const struct ilpi_column_def *key = &ilpi_tables[table].column[ilpi_tables[table].key];
        ib_rows(&b, table, 2);
        for (unsigned k = 0; k < 2; k++) {
            unsigned nth = says_sorted ? k : 1 - k;
            uint32_t value = 3 + nth * 5;
            if (key->kind == ILPI_CODED) {
                value = ILP_TOKEN(ilpi_codeds[key->target].tables[0] - 1u, value);
            } else if (key->target == ILP_GenericParam) {
                value = nth + 1;
            }
            ib_set(&b, table, k + 1, (unsigned)ilpi_tables[table].key, value);
            ib_set(&b, table, k + 1, sorted_tables[i].id, id_cell(&sorted_tables[i], k + 1));
        }
    }
    return built_root(&b);
}

/* Rows of all sorted tables in random order, with keys among each other. */
static void added_rows_find_their_places(void **state)
{
    (void)state;
    uint32_t random = 2463534242u;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct ilp_image *image = image_to_sort(true);
        struct ilp_edit *edit = open_edit(image);
        static struct expected_row expected[200];
        size_t count = 0;
        for (uint32_t added = 0; added < 20 + round * 3; added++) {
            const struct sorted_table *sorted = &sorted_tables[rng(&random) % COUNT(sorted_tables)];
            uint32_t cells[ILP_MAX_COLUMNS] = {0};
            cells[sorted->id] = id_cell(sorted, ilp_edit_row_count(edit, sorted->table) + 1);
            cells[ilpi_tables[sorted->table].key] = some_key(edit, sorted->table, &random);
            add_row(edit, sorted->table, cells, ilpi_tables[sorted->table].columns);
        }
        for (size_t i = 0; i < COUNT(sorted_tables); i++) {
            for (ilp_rid rid = 1; rid <= ilp_edit_row_count(edit, sorted_tables[i].table); rid++) {
                expected[count++] = expect(edit, &sorted_tables[i], rid);
            }
        }
        struct ilp_image *after = rewritten(edit, NULL);
        assert_true(after->sorted == image->sorted);
        for (size_t i = 0; i < COUNT(sorted_tables); i++) {
            unsigned table = sorted_tables[i].table;
            assert_int_equal(ilp_row_count(after, table), ilp_edit_row_count(edit, table));
            is_sorted(after, table);
        }
        for (size_t i = 0; i < count; i++) {
            is_as_expected(after, &expected[i]);
        }
        close_built(after);
        ilp_edit_close(edit);
        close_built(image);
    }
}

static void rows_of_one_key_keep_their_order(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_rows(&b, ILP_TypeDef, 9);
    IB_ROW(&b, InterfaceImpl, 2, ILP_TOKEN(ILP_TypeRef, 9));
    IB_ROW(&b, InterfaceImpl, 2, ILP_TOKEN(ILP_TypeRef, 1));
    IB_ROW(&b, InterfaceImpl, 5, ILP_TOKEN(ILP_TypeRef, 7));
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(ADD_ROW(edit, InterfaceImpl, 5, ILP_TOKEN(ILP_TypeRef, 3)), 4);
    assert_int_equal(ADD_ROW(edit, InterfaceImpl, 2, ILP_TOKEN(ILP_TypeRef, 8)), 5);
    assert_int_equal(ADD_ROW(edit, InterfaceImpl, 2, ILP_TOKEN(ILP_TypeRef, 2)), 6);
    struct ilp_image *after = rewritten(edit, NULL);
    static const uint32_t expected[] = {9, 1, 8, 2, 7, 3};
    for (ilp_rid rid = 1; rid <= COUNT(expected); rid++) {
        assert_int_equal(ilp_cell(after, ILP_InterfaceImpl, rid, ILP_InterfaceImpl_Interface),
                         ILP_TOKEN(ILP_TypeRef, expected[rid - 1]));
    }
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void a_changed_key_moves_its_row(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    uint32_t t = ib_string(&b, "T");
    uint32_t u = ib_string(&b, "U");
    ib_rows(&b, ILP_TypeDef, 9);
    IB_ROW(&b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 2), t);
    IB_ROW(&b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 4), u);
    IB_ROW(&b, GenericParamConstraint, 1, ILP_TOKEN(ILP_TypeDef, 7));  /* of T */
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_GenericParam, 2), 0, 0); /* on U */
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(ilp_edit_set_cell(edit, ILP_GenericParam, 1, ILP_GenericParam_Owner,
                                       ILP_TOKEN(ILP_TypeDef, 6), NULL),
                     ILP_OK);
    struct ilp_image *after = rewritten(edit, NULL);
    assert_string_equal(name_at(after, ILP_GenericParam, 1, ILP_GenericParam_Name), "U");
    assert_string_equal(name_at(after, ILP_GenericParam, 2, ILP_GenericParam_Name), "T");
    assert_int_equal(ilp_cell(after, ILP_GenericParamConstraint, 1, 0), 2);
    assert_int_equal(ilp_cell(after, ILP_CustomAttribute, 1, 0), ILP_TOKEN(ILP_GenericParam, 1));
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* Where the original does not say that it is sorted, and is not, rows stay where they are and new
 * ones come last. */
static void unsorted_tables_stay_unsorted(void **state)
{
    (void)state;
    struct ilp_image *image = image_to_sort(false);
    struct ilp_edit *edit = open_edit(image);
    for (size_t i = 0; i < COUNT(sorted_tables); i++) {
        unsigned table = sorted_tables[i].table;
        uint32_t cells[ILP_MAX_COLUMNS] = {0};
        cells[sorted_tables[i].id] = id_cell(&sorted_tables[i], 3);
        assert_int_equal(add_row(edit, table, cells, ilpi_tables[table].columns), 3);
    }
    struct ilp_image *after = rewritten(edit, NULL);
    assert_true(after->sorted == 0);
    same_rows(image, after, false);
    for (size_t i = 0; i < COUNT(sorted_tables); i++) {
        assert_int_equal(ilp_cell(after, sorted_tables[i].table, 3, sorted_tables[i].id),
                         id_cell(&sorted_tables[i], 3));
    }
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* What is in order stays so, said or not: Mono's ilasm never says it. */
static void tables_in_order_stay_in_order(void **state)
{
    (void)state;
    struct ilp_image *image = image_to_sort(true);
    image->sorted = 0;
    struct ilp_edit *edit = open_edit(image);
    for (size_t i = 0; i < COUNT(sorted_tables); i++) {
        unsigned table = sorted_tables[i].table;
        uint32_t cells[ILP_MAX_COLUMNS] = {0};
        cells[sorted_tables[i].id] = id_cell(&sorted_tables[i], 3);
        assert_int_equal(add_row(edit, table, cells, ilpi_tables[table].columns), 3);
    }
    struct ilp_image *after = rewritten(edit, NULL);
    assert_true(after->sorted == 0);
    for (size_t i = 0; i < COUNT(sorted_tables); i++) {
        is_sorted(after, sorted_tables[i].table);
        assert_int_equal(ilp_cell(after, sorted_tables[i].table, 1, sorted_tables[i].id),
                         id_cell(&sorted_tables[i], 3));
    }
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* An untouched table that says it is sorted, but is not, is copied as it is. */
static void unsorted_tables_are_copied(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, NestedClass, 9, 1);
    IB_ROW(&b, NestedClass, 4, 2);
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    ADD_ROW(edit, ModuleRef, add_string(edit, "m"));
    struct ilp_image *after = rewritten(edit, NULL);
    same_rows(image, after, false);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* A move in GenericParam renumbers a large table after it, and widths change at the same time. */
static void moves_and_widths_together(void **state)
{
    (void)state;
    enum { PARAMS = 0x7FF };
    struct ib_image b;
    ib_begin(&b);
    ib_rows(&b, ILP_TypeDef, 10);
    ib_rows(&b, ILP_GenericParam, PARAMS);
    ib_rows(&b, ILP_CustomAttribute, PARAMS);
    for (ilp_rid rid = 1; rid <= PARAMS; rid++) {
        ib_set(&b, ILP_GenericParam, rid, ILP_GenericParam_Owner, ILP_TOKEN(ILP_TypeDef, 5));
        ib_set(&b, ILP_GenericParam, rid, ILP_GenericParam_Number, rid);
        ib_set(&b, ILP_CustomAttribute, rid, ILP_CustomAttribute_Parent,
               ILP_TOKEN(ILP_GenericParam, rid));
    }
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    assert_int_equal(ADD_ROW(edit, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 1), 0), PARAMS + 1);
    struct ilp_image *after = rewritten(edit, NULL);
    assert_int_equal(width_of(image, ILP_CustomAttribute, 0), 2);
    assert_int_equal(width_of(after, ILP_CustomAttribute, 0), 4);
    for (ilp_rid rid = 1; rid <= PARAMS; rid++) {
        assert_int_equal(ilp_cell(after, ILP_GenericParam, rid + 1, ILP_GenericParam_Number), rid);
        assert_int_equal(ilp_cell(after, ILP_CustomAttribute, rid, ILP_CustomAttribute_Parent),
                         ILP_TOKEN(ILP_GenericParam, rid + 1));
    }
    assert_int_equal(ilp_cell(after, ILP_GenericParam, 1, ILP_GenericParam_Owner),
                     ILP_TOKEN(ILP_TypeDef, 1));
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_rows_find_their_places),
        cmocka_unit_test(rows_of_one_key_keep_their_order),
        cmocka_unit_test(a_changed_key_moves_its_row),
        cmocka_unit_test(unsorted_tables_stay_unsorted),
        cmocka_unit_test(tables_in_order_stay_in_order),
        cmocka_unit_test(unsorted_tables_are_copied),
        cmocka_unit_test(moves_and_widths_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
