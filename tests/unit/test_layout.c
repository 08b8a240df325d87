/* The plan of new metadata (layout.c, root_write.c): every width's threshold crossed by one row or
 * byte through an edit, sorted tables, and streams of all kinds; read back each time. */
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

/* `target` goes from rows - 1 to rows through an edit: `column` of `table` widens, and all cells
 * stay. */
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
    assert_int_equal(width_of(after, ILP_CustomAttribute, ILP_CustomAttribute_Parent),
                     4); /* 2^11 TypeRefs */
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
    struct ilp_bytes found = ilp_blob(after,
                                      ilp_cell(after, ILP_MemberRef, rid, ILP_MemberRef_Signature));
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
        assert_int_equal(ilp_edit_set_guid(edit, last, (const uint8_t *)"0123456789ABCDEF", NULL),
                         ILP_OK);
        struct ilp_image *after = rewritten(edit, NULL);
        assert_int_equal(width_of(after, ILP_Module, ILP_Module_Mvid), more ? 4 : 2);
        same_rows(image, after, false);
        assert_memory_equal(ilp_guid(after, last).data, "0123456789ABCDEF", 16);
        close_built(after);
        ilp_edit_close(edit);
        close_built(image);
    }
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
    assert_int_equal(after->table_stream->bytes.data[7], 1); /* II.24.2.6 */
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
        assert_int_equal(ilp_blob(after, ilp_cell(after, ILP_TypeSpec, 1, 0)).size,
                         wanted & 4 ? 4 : 0);
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
        assert_int_equal(ilp_edit_set_guid(edit, 1, (const uint8_t *)"abcdefghijklmnop", NULL),
                         ILP_OK);
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
