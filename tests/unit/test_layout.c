/* The plan of new metadata (layout.c, root_write.c): every width's threshold crossed by one row or byte through
 * an edit, sorted tables, and streams of all kinds; read back each time. */
#include "metadata_test.h"

static unsigned width_of(const struct ilp_image *image, unsigned table, unsigned column)
{
    const struct ilpi_row_shape *shape = &image->tables[table].shape;
    return (unsigned)(shape->at[column + 1] - shape->at[column]);
}

/* ---- thresholds of row counts ---- */

/* A row in `table` whose cells are all different, so that a cell that slips shows. */
static void put_pattern(struct ib_image *b, unsigned table, ilp_rid rid)
{
    for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
        const struct ilpi_column_def *column = &ilpi_tables[table].column[i];
        uint32_t value = 0x11 * (i + 1);
        if (column->kind == ILPI_CODED) {
            const struct ilpi_coded_def *coded = &ilpi_codeds[column->target];
            unsigned tag = 0;
            while (coded->tables[tag] == 0) {
                tag++;
            }
            value = ILP_TOKEN(coded->tables[tag] - 1u, value);
        } else if (column->kind == ILPI_U32) {
            value *= 0x01010101;
        } else if (column->kind == ILPI_GUID) {
            value = 1;
        }
        ib_set(b, table, rid, i, value);
    }
}

/* `target` goes from rows - 1 to rows through an edit: `column` of `table` widens, and all cells stay. */
static void cross(unsigned table, unsigned column, unsigned target, uint32_t rows)
{
    struct ib_image b;
    ib_begin(&b);
    ib_guid(&b, 1);
    ib_zeros(&b.strings, 0xFF);
    ib_zeros(&b.blobs, 0xFF);
    ib_rows(&b, target, rows - 1);
    ilp_rid rid = table == target ? rows - 1 : ib_rows(&b, table, 1);
    put_pattern(&b, table, rid);
    struct ilp_image *image = built_root(&b);
    assert_int_equal(width_of(image, table, column), 2);
    struct ilp_edit *edit = open_edit(image);
    uint32_t cells[ILP_MAX_COLUMNS] = {0};
    for (unsigned i = 0; i < ilpi_tables[target].columns; i++) {
        /* the key of the row before, so that nothing moves */
        cells[i] = (int)i == ilpi_tables[target].key ? ilp_cell(image, target, rows - 1, i) : 0;
    }
    assert_int_equal(add_row(edit, target, cells, ilpi_tables[target].columns), rows);
    struct ilp_image *after = rewritten(edit, NULL);
    if (width_of(after, table, column) != 4) {
        fail_msg("%s.%s is still small with %u rows in %s", ilp_table_name(table),
                 ilpi_tables[table].column[column].name, rows, ilp_table_name(target));
    }
    assert_int_equal(ilp_row_count(after, target), rows);
    same_rows(image, after, false);
    for (unsigned i = 0; i < ilpi_tables[target].columns; i++) {
        assert_int_equal(ilp_cell(after, target, rows, i), cells[i]);
    }
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void every_simple_index_crosses(void **state)
{
    (void)state;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
            const struct ilpi_column_def *column = &ilpi_tables[table].column[i];
            if (column->kind == ILPI_ROW || column->kind == ILPI_LIST) {
                cross(table, i, column->target, 0x10000);
            }
        }
    }
}

static void every_coded_index_crosses_for_each_table(void **state)
{
    (void)state;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
            const struct ilpi_column_def *column = &ilpi_tables[table].column[i];
            if (column->kind != ILPI_CODED) {
                continue;
            }
            const struct ilpi_coded_def *coded = &ilpi_codeds[column->target];
            for (unsigned tag = 0; tag < ILPI_MAX_TAGS; tag++) {
                if (coded->tables[tag] != 0) {
                    cross(table, i, coded->tables[tag] - 1u, 1u << (16 - coded->bits));
                }
            }
        }
    }
}

/* One row less than the threshold stays small. */
static void below_the_threshold_nothing_widens(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_rows(&b, ILP_TypeRef, 0x3FFE);
    ib_rows(&b, ILP_TypeDef, 0x7FD);
    ib_rows(&b, ILP_CustomAttribute, 1);
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    ADD_ROW(edit, TypeRef, 0, 0, 0);
    ADD_ROW(edit, TypeDef, 0, 0, 0, 0, 1, 1);
    struct ilp_image *after = rewritten(edit, NULL);
    assert_int_equal(width_of(after, ILP_TypeRef, ILP_TypeRef_ResolutionScope), 2);
    assert_int_equal(width_of(after, ILP_TypeDef, ILP_TypeDef_Extends), 2);
    assert_int_equal(width_of(after, ILP_CustomAttribute, ILP_CustomAttribute_Parent), 4); /* 2^11 TypeRefs */
    same_rows(image, after, false);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* ---- thresholds of heaps ---- */

/* Adds a name and a blob of `added` bytes in the heap to heaps of `size` bytes. */
static void cross_heaps(size_t size, size_t added)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    ib_zeros(&b.strings, size - b.strings.size);
    ib_zeros(&b.blobs, size - b.blobs.size);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_edit *edit = open_edit(image);
    char text[8] = "";
    memset(text, 'n', added - 1);
    uint32_t name = add_string(edit, text);
    uint32_t blob = add_blob(edit, "blobblob", added - 1);
    ilp_rid rid = ADD_ROW(edit, MemberRef, ILP_TOKEN(ILP_TypeRef, 1), name, blob);
    struct ilp_image *after = rewritten(edit, NULL);
    unsigned before_width = size > 0xFFFF ? 4 : 2;
    unsigned after_width = size + added > 0xFFFF ? 4 : 2;
    assert_int_equal(width_of(image, ILP_MethodDef, ILP_MethodDef_Name), before_width);
    assert_int_equal(width_of(image, ILP_MethodDef, ILP_MethodDef_Signature), before_width);
    assert_int_equal(width_of(after, ILP_MethodDef, ILP_MethodDef_Name), after_width);
    assert_int_equal(width_of(after, ILP_MethodDef, ILP_MethodDef_Signature), after_width);
    assert_int_equal(width_of(after, ILP_Module, ILP_Module_Mvid), 2);
    same_rows(image, after, false);
    same_heaps(image, after);
    assert_int_equal(name, size);
    assert_string_equal(name_at(after, ILP_MemberRef, rid, ILP_MemberRef_Name), text);
    struct ilp_bytes found = ilp_blob(after, ilp_cell(after, ILP_MemberRef, rid, ILP_MemberRef_Signature));
    same_bytes(found, (struct ilp_bytes){(const uint8_t *)"blobblob", added - 1});
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void heaps_cross_at_2_16(void **state)
{
    (void)state;
    for (size_t size = 0xFFF8; size <= 0x10001; size++) {
        for (size_t added = 2; added <= 7; added++) {
            cross_heaps(size, added);
        }
    }
}

static void what_is_wide_stays_wide(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags < 8; flags++) {
        struct ib_image b;
        ib_begin(&b);
        b.heap_flags = (uint8_t)flags;
        ib_sample(&b);
        struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
        struct ilp_edit *edit = open_edit(image);
        ADD_ROW(edit, ModuleRef, add_string(edit, "added"));
        struct ilp_image *after = rewritten(edit, NULL);
        assert_int_equal(after->heap_flags, flags);
        same_rows(image, after, false);
        assert_string_equal(name_at(after, ILP_ModuleRef, 1, ILP_ModuleRef_Name), "added");
        close_built(after);
        ilp_edit_close(edit);
        close_built(image);
    }
}

static void many_guids(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) { /* 65,535 and 65,536 of them */
        struct ib_image b;
        ib_begin(&b);
        ib_zeros(&b.guids, (size_t)(0xFFFF + more) * 16);
        IB_ROW(&b, Module, 0, 0, 0xFFFF + more, 1, 2);
        struct ilp_image *image = built_root(&b);
        struct ilp_edit *edit = open_edit(image);
        uint32_t last = 0xFFFF + more;
        assert_int_equal(ilp_edit_set_guid(edit, last, (const uint8_t *)"0123456789ABCDEF", NULL), ILP_OK);
        struct ilp_image *after = rewritten(edit, NULL);
        assert_int_equal(width_of(after, ILP_Module, ILP_Module_Mvid), more ? 4 : 2);
        same_rows(image, after, false);
        assert_memory_equal(ilp_guid(after, last).data, "0123456789ABCDEF", 16);
        close_built(after);
        ilp_edit_close(edit);
        close_built(image);
    }
}

/* ---- sorted tables ---- */

/* Rows carry an id in a cell that is no key (all tables here have such a cell), and are told apart by it. */
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
    uint32_t key;      /* as ilp_cell() gives it */
    unsigned owner;    /* the key's table when that is a sorted one, else ILP_TABLE_COUNT */
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
static struct expected_row expect(const struct ilp_edit *edit, const struct sorted_table *sorted, ilp_rid rid)
{
    const struct ilpi_column_def *column = &ilpi_tables[sorted->table].column[ilpi_tables[sorted->table].key];
    struct expected_row row = {sorted->table, ilp_edit_cell(edit, sorted->table, rid, sorted->id),
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

/* An image with KEYS rows in the tables that keys refer to and that are not sorted themselves, and with two
 * rows in each sorted one. */
static struct ilp_image *image_to_sort(bool says_sorted)
{
    struct ib_image b;
    ib_begin(&b);
    ib_zeros(&b.blobs, 0x1000);
    b.sorted = says_sorted ? b.sorted : 0;
    static const uint8_t targets[] = {ILP_TypeDef,  ILP_TypeRef,  ILP_Field, ILP_MethodDef,
                                      ILP_Param,    ILP_Property, ILP_Event, ILP_Assembly,
                                      ILP_TypeSpec, ILP_LocalVariable};
    for (size_t i = 0; i < sizeof targets; i++) {
        ib_rows(&b, targets[i], targets[i] == ILP_Assembly ? 1 : KEYS);
    }
    for (size_t i = 0; i < COUNT(sorted_tables); i++) {
        unsigned table = sorted_tables[i].table;
        const struct ilpi_column_def *key = &ilpi_tables[table].column[ilpi_tables[table].key];
        ib_rows(&b, table, 2);
        for (unsigned k = 0; k < 2; k++) {
            uint32_t value = 3 + k * 5;
            if (key->kind == ILPI_CODED) {
                value = ILP_TOKEN(ilpi_codeds[key->target].tables[0] - 1u, value);
            } else if (key->target == ILP_GenericParam) {
                value = k + 1;
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
    IB_ROW(&b, GenericParamConstraint, 1, ILP_TOKEN(ILP_TypeDef, 7)); /* of T */
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

/* Where the original does not say that it is sorted, rows stay where they are and new ones come last. */
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

/* An untouched table that says it is sorted, but is not, is copied as it is. */
static void untouched_lies_are_copied(void **state)
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

/* A move in GenericParam renumbers a large table behind it, and widths change at the same time. */
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
        ib_set(&b, ILP_CustomAttribute, rid, ILP_CustomAttribute_Parent, ILP_TOKEN(ILP_GenericParam, rid));
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
    assert_int_equal(ilp_cell(after, ILP_GenericParam, 1, ILP_GenericParam_Owner), ILP_TOKEN(ILP_TypeDef, 1));
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* ---- streams ---- */

static const struct ilpi_stream *stream_of(const struct ilp_image *image, const char *name)
{
    for (unsigned i = 0; i < image->stream_count; i++) {
        if (strcmp(image->streams[i].name, name) == 0) {
            return &image->streams[i];
        }
    }
    return NULL;
}

static void streams_keep_their_order_and_strangers_their_bytes(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    ib_stream(&b, "#Strange", "1234567", 8);
    struct ib_stream swap = b.streams[0];
    b.streams[0] = b.streams[5];
    b.streams[5] = swap;
    b.version = "v4.0.30319 and more";
    b.heap_flags = 0x40;
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_edit *edit = open_edit(image);
    add_string(edit, "x");
    struct ilp_image *after = rewritten(edit, NULL);
    assert_int_equal(after->stream_count, image->stream_count);
    for (unsigned i = 0; i < after->stream_count; i++) {
        assert_string_equal(after->streams[i].name, image->streams[i].name);
        assert_int_equal(after->streams[i].bytes.size % 4, 0); /* II.24.2.2 */
    }
    assert_memory_equal(after->streams[0].bytes.data, "1234567", 8);
    assert_string_equal(after->version, "v4.0.30319 and more");
    assert_int_equal(after->heap_flags, 0); /* the extra data went, and its flag with it */
    assert_int_equal(after->schema_major, image->schema_major);
    assert_int_equal(after->schema_minor, image->schema_minor);
    assert_true(after->sorted == image->sorted);
    same_rows(image, after, false);
    same_heaps(image, after);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

static void uncompressed_streams_stay_uncompressed(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-uncompressed.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    ADD_ROW(edit, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), add_string(edit, "New"), 0);
    struct ilp_image *after = rewritten(edit, NULL);
    assert_string_equal(after->table_stream->name, "#-");
    same_rows(image, after, false);
    for (ilp_rid rid = 1; rid <= 3; rid++) {
        assert_int_equal(ilp_owner_of_method(after, rid), ilp_owner_of_method(image, rid));
    }
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    drop(bytes);
}

static void missing_heaps_are_added(void **state)
{
    (void)state;
    for (unsigned wanted = 0; wanted < 8; wanted++) {
        struct ib_image b;
        ib_begin(&b);
        b.stream_count = 1;
        IB_ROW(&b, Module, 0, 0, 0, 0, 0);
        struct ilp_image *image = built_root(&b);
        struct ilp_edit *edit = open_edit(image);
        uint32_t name = wanted & 1 ? add_string(edit, "name") : 0;
        ilp_token text = wanted & 2 ? add_user_string(edit, "text") : 0;
        uint32_t blob = wanted & 4 ? add_blob(edit, "blob", 4) : 0;
        ADD_ROW(edit, TypeSpec, blob);
        ADD_ROW(edit, ModuleRef, name);
        struct ilp_image *after = rewritten(edit, NULL);
        assert_int_equal(stream_of(after, "#Strings") != NULL, wanted & 1 ? 1 : 0);
        assert_int_equal(stream_of(after, "#US") != NULL, wanted & 2 ? 1 : 0);
        assert_int_equal(stream_of(after, "#Blob") != NULL, wanted & 4 ? 1 : 0);
        assert_string_equal(name_at(after, ILP_ModuleRef, 1, 0), wanted & 1 ? "name" : "");
        assert_int_equal(ilp_user_string(after, text).size, wanted & 2 ? 8 : 0);
        assert_int_equal(ilp_blob(after, ilp_cell(after, ILP_TypeSpec, 1, 0)).size, wanted & 4 ? 4 : 0);
        assert_string_equal(ilp_string(after, 0), "");
        assert_int_equal(ilp_blob(after, 0).size, 0);
        assert_int_equal(ilp_user_string(after, 0).size, 0);
        close_built(after);
        ilp_edit_close(edit);
        close_built(image);
    }
}

/* Of two streams with one name the last one counts before and after; the other keeps its bytes. */
static void repeated_streams(void **state)
{
    (void)state;
    static const char first[] = "\0First\0";
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, Module, 0, ib_string(&b, "Second"), 0, 0, 0);
    ib_stream(&b, "#Strings", NULL, 0);
    b.streams[1].given = first;
    b.streams[1].size = sizeof first;
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    ADD_ROW(edit, ModuleRef, add_string(edit, "third"));
    struct ilp_image *after = rewritten(edit, NULL);
    assert_string_equal(name_at(after, ILP_Module, 1, ILP_Module_Name), "Second");
    assert_string_equal(name_at(after, ILP_ModuleRef, 1, 0), "third");
    assert_memory_equal(stream_of(after, "#Strings")->bytes.data, first, sizeof first);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

/* Changes the header of stream `index` in a root: offsets from its start. */
static uint8_t *stream_header(uint8_t *root, unsigned index)
{
    uint8_t *at = root + 16 + ib_get32(root, 12) + 4;
    for (; index != 0; index--) {
        at += 8 + (strlen((const char *)at + 8) / 4 + 1) * 4;
    }
    return at;
}

/* Streams that lie on one another: two #GUID with one beginning, the first of them larger. */
static void streams_that_overlap(void **state)
{
    (void)state;
    for (unsigned swap = 0; swap < 2; swap++) {
        struct ib_image b;
        ib_begin(&b);
        IB_ROW(&b, Module, 0, 0, 1, 0, 0);
        ib_guid(&b, 0x11);
        ib_guid(&b, 0x22);
        ib_stream(&b, "#GUID", "0123456789ABCDEF", 16);
        struct ib_bytes root = ib_root(&b);
        ib_end(&b);
        uint8_t *large = stream_header(root.data, 3);
        uint8_t *other = stream_header(root.data, 5);
        ib_set32(other, 0, ib_get32(large, 0));
        if (swap) {
            ib_set32(large, 4, 16);
            ib_set32(other, 4, 32);
        }
        struct ilp_bytes bytes = taken(root);
        struct ilp_image *image = open_image(bytes, ILP_LAYOUT_METADATA);
        struct ilp_edit *edit = open_edit(image);
        assert_int_equal(ilp_edit_set_guid(edit, 1, (const uint8_t *)"abcdefghijklmnop", NULL), ILP_OK);
        struct ilp_image *after = rewritten(edit, NULL);
        assert_memory_equal(ilp_guid(after, 1).data, "abcdefghijklmnop", 16);
        assert_int_equal(after->guids.size, image->guids.size);
        close_built(after);
        ilp_edit_close(edit);
        close_built(image);
    }
}

/* The count of streams has 16 bits: one more than it can say is refused, not left out. */
static void streams_beyond_their_count(void **state)
{
    (void)state;
    enum { STREAMS = 0xFFFF };
    struct ib_image b;
    ib_begin(&b);
    b.stream_count = 1;
    IB_ROW(&b, Module, 0, 0, 0, 0, 0);
    struct ib_bytes tables = ib_table_stream(&b);
    ib_end(&b);
    struct ib_bytes root = {0};
    ib_put(&root, "BSJB\1\0\1\0\0\0\0\0\4\0\0\0v1\0\0\0\0\xFF\xFF", 24);
    uint32_t at = 24 + 12 * STREAMS;
    for (unsigned i = 0; i < STREAMS; i++) {
        ib_number(&root, at, 4);
        ib_number(&root, i == 0 ? tables.size : 0, 4);
        ib_put(&root, i == 0 ? "#~\0" : "#x\0", 4);
    }
    ib_put(&root, tables.data, tables.size);
    ib_free(&tables);
    struct ilp_image *image = open_image(taken(root), ILP_LAYOUT_METADATA);
    assert_int_equal(image->stream_count, STREAMS);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_bytes written;
    assert_int_equal(ilp_edit_set_cell(edit, ILP_Module, 1, 0, 1, NULL), ILP_OK);
    assert_int_equal(write_edit(edit, &written, NULL, NULL), ILP_OK);
    drop(written);
    add_string(edit, "needs #Strings");
    struct ilp_error error = {0};
    assert_int_equal(write_edit(edit, &written, NULL, &error), ILP_E_TOO_MANY);
    assert_int_equal(error.status, ILP_E_TOO_MANY);
    drop(written);
    ilp_edit_close(edit);
    close_built(image);
}

static void pdb_counts_are_kept(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    b.version = "PDB v1.0";
    b.referenced[ILP_MethodDef] = 0x10000;
    b.referenced[ILP_TypeDef] = 7;
    b.empty_tables = (uint64_t)1 << ILP_TypeDef;
    IB_ROW(&b, StateMachineMethod, 1, 0x10000);
    IB_ROW(&b, CustomDebugInformation, ILP_TOKEN(ILP_MethodDef, 0x10000), 0, 0);
    ib_pdb_stream(&b);
    struct ilp_image *image = built_root(&b);
    struct ilp_edit *edit = open_edit(image);
    ADD_ROW(edit, LocalScope, 0x10000, 0, 1, 1, 2, 3);
    struct ilp_image *after = rewritten(edit, NULL);
    same_rows(image, after, false);
    assert_int_equal(ilp_cell(after, ILP_LocalScope, 1, ILP_LocalScope_Method), 0x10000);
    assert_int_equal(stream_of(after, "#Pdb")->bytes.size, stream_of(image, "#Pdb")->bytes.size);
    close_built(after);
    ilp_edit_close(edit);
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_simple_index_crosses),
        cmocka_unit_test(every_coded_index_crosses_for_each_table),
        cmocka_unit_test(below_the_threshold_nothing_widens),
        cmocka_unit_test(heaps_cross_at_2_16),
        cmocka_unit_test(what_is_wide_stays_wide),
        cmocka_unit_test(many_guids),
        cmocka_unit_test(added_rows_find_their_places),
        cmocka_unit_test(rows_of_one_key_keep_their_order),
        cmocka_unit_test(a_changed_key_moves_its_row),
        cmocka_unit_test(unsorted_tables_stay_unsorted),
        cmocka_unit_test(untouched_lies_are_copied),
        cmocka_unit_test(moves_and_widths_together),
        cmocka_unit_test(streams_keep_their_order_and_strangers_their_bytes),
        cmocka_unit_test(uncompressed_streams_stay_uncompressed),
        cmocka_unit_test(missing_heaps_are_added),
        cmocka_unit_test(repeated_streams),
        cmocka_unit_test(streams_that_overlap),
        cmocka_unit_test(streams_beyond_their_count),
        cmocka_unit_test(pdb_counts_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
