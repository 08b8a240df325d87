/* Plans the new metadata: order of sorted tables, widths, stream sizes and offsets (II.24.2,
 * II.22).
 *
 * Appending a row to a table with a key may move the rows after it. If such a table has tokens of
 * its own (InterfaceImpl, DeclSecurity, GenericParam, GenericParamConstraint), everything that
 * refers to its rows goes through one map, `renumber`.
 *
 * Each step needs the results of the one before:
 *
 *   row counts -> order and renumber -> widths of columns -> sizes of streams -> offsets
 *
 * None of them feeds back: heaps are complete, and renumbering keeps the row counts, on which the
 * widths depend. So one pass is enough. */
#include "metadata/layout.h"

/* ---- references and order ---- */

/* Whether cells of a column are references to rows that get other numbers. */
bool ilpi_layout_column_may_move(const struct ilpi_layout *layout,
                                 const struct ilpi_column_def *column)
{
    if (column->kind == ILPI_ROW || column->kind == ILPI_LIST) {
        return layout->renumber[column->target] != NULL;
    }
    bool moves = false;
    if (column->kind == ILPI_CODED) {
        for (unsigned tag = 0; tag < ILPI_MAX_TAGS; tag++) {
            uint8_t target = ilpi_codeds[column->target].tables[tag];
            moves = moves || (target != 0 && layout->renumber[target - 1]);
        }
    }
    return moves;
}

/* Whether all rows of a table can be copied as they are: nothing of it was edited, sorted or
 * renumbered, and all columns have the width they had. */
bool ilpi_layout_is_unchanged(const struct ilpi_layout *layout, unsigned table)
{
    const struct ilp_edit *edit = layout->edit;
    const struct ilpi_table *original = &edit->image->tables[table];
    bool same = !edit->tables[table].base && !layout->order[table] &&
                (table != ILP_MethodDef || !edit->body_at.at) &&
                (table != ILP_FieldRVA || !edit->data_at.at) &&
                (!layout->kept || (table != ILP_FieldRVA && table != ILP_MethodDef)) &&
                memcmp(&original->shape, &layout->shapes[table], sizeof original->shape) == 0;
    for (unsigned i = 0; same && i < ilpi_tables[table].columns; i++) {
        same = !ilpi_layout_column_may_move(layout, &ilpi_tables[table].column[i]);
    }
    return same;
}

/* Keys as they will be in the new file: a key that refers to a row that moves is renumbered first.
 * That is why sort_tables() has an order. True: they rise already, so the table can stay as it
 * is. */
static bool read_keys(const struct ilpi_layout *layout, unsigned table, uint32_t *keys)
{
    unsigned column = (unsigned)ilpi_tables[table].key;
    uint32_t original = layout->edit->image->tables[table].count;
    uint32_t count = layout->rows[table];
    bool sorted = true;
    ilpi_layout_cells(layout, table, 1, column, original, keys);
    ilpi_layout_cells(layout, table, original + 1, column, count - original, keys + original);
    for (uint32_t i = 1; i < count && sorted; i++) {
        sorted = keys[i - 1] <= keys[i];
    }
    return sorted;
}

/* Appended rows come last among the rows with their key: the sort is stable. Compilers append
 * attributes and constraints in source order, which reflection shows. Linear, by the radix sort of
 * order.c. */
static ilp_status sort_table(struct ilpi_layout *layout, unsigned table, struct ilp_error *error)
{
    uint32_t count = layout->rows[table];
    struct ilpi_arena_mark mark = ilpi_arena_mark(&layout->arena);
    uint32_t *keys = ilpi_arena_room(&layout->arena, (size_t)count * sizeof *keys);
    if (keys && read_keys(layout, table, keys)) {
        ilpi_arena_release(&layout->arena, mark);
        return ILP_OK;
    }
    size_t bytes = 2 * (size_t)count * sizeof(struct ilpi_keyed);
    struct ilpi_keyed *keyed = ilpi_arena_room(&layout->arena, bytes);
    ilp_rid *order = ilpi_arena_array(&layout->arena, (size_t)count + 1, sizeof *order);
    ilp_rid *renumber = ilpi_arena_array(&layout->arena, (size_t)count + 1, sizeof *renumber);
    if (!keys || !keyed || !order || !renumber) {
        return ilpi_fail_memory(error, bytes);
    }
    for (uint32_t i = 0; i < count; i++) {
        keyed[i] = (struct ilpi_keyed){keys[i], i + 1};
    }
    ilpi_keyed_sort_table(keyed, keyed + count, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i + 1] = keyed[i].rid;
        renumber[keyed[i].rid] = i + 1;
    }
    layout->order[table] = order;
    layout->renumber[table] = renumber;
    return ILP_OK;
}

/* Whether the original's rows are in the order that readers may rely on. Mono's ilasm sets no
 * Sorted bit, but its tables are sorted, and Mono bisects them whatever the bits are. Unsorted rows
 * are read linearly, so they stay as they are. */
static bool is_in_order(const struct ilp_image *image, unsigned table)
{
    const struct ilpi_table *rows = &image->tables[table];
    unsigned key = (unsigned)ilpi_tables[table].key;
    bool in_order = (image->sorted >> table & 1) != 0;
    for (ilp_rid rid = 2; !in_order && rid <= rows->count; rid++) {
        if (ilpi_cell_raw(rows, rid - 1, key) > ilpi_cell_raw(rows, rid, key)) {
            return false;
        }
    }
    return true;
}

/* Tables whose rows are referred to by other tables' keys come first: a key must be final before it
 * is sorted by. CustomAttribute.Parent can refer to all four, and GenericParamConstraint.Owner to
 * GenericParam, so that one precedes it. Of other keys only CustomDebugInformation.Parent refers to
 * a table with a key, LocalScope, and its number is the higher one. */
static ilp_status sort_tables(struct ilpi_layout *layout, struct ilp_error *error)
{
    static const uint8_t first[] = {ILP_InterfaceImpl, ILP_DeclSecurity, ILP_GenericParam,
                                    ILP_GenericParamConstraint};
    const struct ilp_image *image = layout->edit->image;
    for (unsigned i = 0; i < sizeof first + ILP_TABLE_COUNT; i++) {
        unsigned table = i < sizeof first ? first[i] : i - (unsigned)sizeof first;
        const struct ilpi_table_def *def = &ilpi_tables[table];
        const struct ilpi_table_edit *rows = &layout->edit->tables[table];
        bool again = layout->order[table] != NULL;
        if (again || def->key < 0) {
            continue;
        }
        bool touched = rows->base || rows->added_count != 0 ||
                       ilpi_layout_column_may_move(layout, &def->column[def->key]);
        if (touched && is_in_order(image, table)) {
            ILPI_TRY(sort_table(layout, table, error));
        }
    }
    return ILP_OK;
}

/* ---- sizes ---- */

/* Widths count what a reader counts: the rows of this file, or in a PDB those of its assembly's
 * tables, which its #Pdb stream lists. The #GUID stream does not grow, so its width stays. */
static void plan_sizes(struct ilpi_layout *layout)
{
    const struct ilp_edit *edit = layout->edit;
    const struct ilp_image *image = edit->image;
    layout->sizes = image->sizes;
    if (edit->pdb.size != 0) {
        memcpy(layout->sizes.rows, edit->referenced, sizeof edit->referenced);
    }
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        layout->rows[table] = ilp_edit_row_count(edit, table);
        if (layout->rows[table] != 0) {
            layout->sizes.rows[table] = layout->rows[table];
        }
    }
    /* A large width stays large: shrinking it would change every row for no gain. */
    layout->sizes.large_strings |= ilpi_heap_edit_size(&edit->strings) >= 0x10000;
    layout->sizes.large_blobs |= ilpi_heap_edit_size(&edit->blobs) >= 0x10000;
}

/* 24 bytes of head: reserved u32, versions, HeapSizes, reserved u8, Valid, Sorted (II.24.2.6). Then
 * a u32 for each table with rows. 64 bits, since rows times their size can exceed 32. */
static uint64_t tables_size(const struct ilpi_layout *layout)
{
    uint64_t size = 24;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (layout->rows[table] != 0) {
            size += 4 + (uint64_t)layout->rows[table] * layout->shapes[table].size;
        }
    }
    return size;
}

static uint64_t stream_size(const struct ilpi_layout *layout, const struct ilpi_stream_plan *stream)
{
    const struct ilp_edit *edit = layout->edit;
    switch (stream->kind) {
    case ILPI_STREAM_TABLES: return tables_size(layout);
    case ILPI_STREAM_STRINGS: return ilpi_heap_edit_size(&edit->strings);
    case ILPI_STREAM_USER_STRINGS: return ilpi_heap_edit_size(&edit->user_strings);
    case ILPI_STREAM_BLOBS: return ilpi_heap_edit_size(&edit->blobs);
    case ILPI_STREAM_PDB: return edit->pdb.size != 0 ? edit->pdb.size : stream->original.size;
    case ILPI_STREAM_GUIDS:
    case ILPI_STREAM_OTHER: break;
    }
    return stream->original.size;
}

/* ---- streams ---- */

/* Of several streams with one name, the one that was read is replaced. Streams may overlap, so
 * compare the length as well as the start. */
static bool is_heap(const struct ilpi_stream *stream, const char *name, struct ilp_bytes heap)
{
    return strcmp(stream->name, name) == 0 && stream->bytes.data == heap.data &&
           stream->bytes.size == heap.size;
}

/* By name and bytes: of two streams of one name the one that is in use counts, and the other is
 * copied as it is. */
static enum ilpi_stream_kind kind_of(const struct ilp_image *image,
                                     const struct ilpi_stream *stream)
{
    const struct {
        const char *name;
        struct ilp_bytes bytes;
        enum ilpi_stream_kind kind;
    } heaps[] = {
        {"#Strings", image->strings, ILPI_STREAM_STRINGS},
        {"#US", image->user_strings, ILPI_STREAM_USER_STRINGS},
        {"#Blob", image->blobs, ILPI_STREAM_BLOBS},
        {"#GUID", image->guids, ILPI_STREAM_GUIDS},
    };
    if (stream == image->table_stream || stream == image->pdb_stream) {
        return stream == image->table_stream ? ILPI_STREAM_TABLES : ILPI_STREAM_PDB;
    }
    for (size_t i = 0; i < sizeof heaps / sizeof heaps[0]; i++) {
        if (is_heap(stream, heaps[i].name, heaps[i].bytes)) {
            return heaps[i].kind;
        }
    }
    return ILPI_STREAM_OTHER;
}

/* A heap that the original has not gets a stream when it gets its first entry; streams that exist
 * keep their order. */
static void add_missing(struct ilpi_layout *layout, enum ilpi_stream_kind kind, const char *name,
                        const struct ilpi_heap_edit *heap)
{
    for (unsigned i = 0; i < layout->stream_count; i++) {
        if (layout->streams[i].kind == kind) {
            return;
        }
    }
    if (heap->added.size != 0) {
        layout->streams[layout->stream_count++] =
            (struct ilpi_stream_plan){kind, name, {NULL, 0}, 0, 0};
    }
}

/* Streams are multiples of 4 bytes long (II.24.2.2). */
static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* The order and the places of streams:
 *
 *   root header, version, flags, count | stream headers | #~ #Strings #US #GUID #Blob ...
 *
 * Streams stay in their order. Those that are missing and now have contents are added. */
static ilp_status plan_streams(struct ilpi_layout *layout, struct ilp_error *error)
{
    const struct ilp_edit *edit = layout->edit;
    const struct ilp_image *image = edit->image;
    size_t bytes = ((size_t)image->stream_count + 3) * sizeof *layout->streams;
    layout->streams = ilpi_arena_alloc(&layout->arena, bytes);
    if (!layout->streams) {
        return ilpi_fail_memory(error, bytes);
    }
    for (unsigned i = 0; i < image->stream_count; i++) {
        const struct ilpi_stream *stream = &image->streams[i];
        layout->streams[layout->stream_count++] =
            (struct ilpi_stream_plan){kind_of(image, stream), stream->name, stream->bytes, 0, 0};
    }
    add_missing(layout, ILPI_STREAM_STRINGS, "#Strings", &edit->strings);
    add_missing(layout, ILPI_STREAM_USER_STRINGS, "#US", &edit->user_strings);
    add_missing(layout, ILPI_STREAM_BLOBS, "#Blob", &edit->blobs);
    if (layout->stream_count > UINT16_MAX) {
        return ilpi_fail(error, ILP_E_TOO_MANY, ILPI_NO_OFFSET, 0,
                         "the metadata has no room for one more stream");
    }

    /* The root (II.24.2.1): 16 bytes and the version, then Flags and Streams with 2 bytes each;
     * each stream header has 8 bytes and the name, which is padded. A cast to 32 bits may cut a
     * size, but `at` is then above the limit, and the plan fails. */
    uint64_t at = 20 + padded(strlen(image->version) + 1);
    for (unsigned i = 0; i < layout->stream_count; i++) {
        at += 8 + padded(strlen(layout->streams[i].name) + 1);
    }
    for (unsigned i = 0; i < layout->stream_count; i++) {
        struct ilpi_stream_plan *stream = &layout->streams[i];
        uint64_t size = padded((size_t)stream_size(layout, stream));
        stream->offset = (uint32_t)at;
        stream->size = (uint32_t)size;
        at += size;
        if (at > INT32_MAX) {
            return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                             "the metadata would be larger than 2 GB");
        }
    }
    layout->root_size = (uint32_t)at;
    return ILP_OK;
}

/* Sizes of heaps and tables decide the width of columns (II.24.2.6), these the size of the table
 * stream, and that the places of streams. None depends on a later one, so one pass is enough. */
ilp_status ilpi_layout_plan(struct ilpi_layout *layout, struct ilp_edit *edit,
                            struct ilp_error *error)
{
    *layout = (struct ilpi_layout){.edit = edit, .arena = {.alloc = &edit->alloc}};
    plan_sizes(layout);
    ilp_status status = sort_tables(layout, error);
    if (status == ILP_OK) {
        ilpi_shapes_compute(&layout->sizes, layout->shapes);
        status = plan_streams(layout, error);
    }
    if (status != ILP_OK) {
        ilpi_layout_free(layout);
    }
    return status;
}

void ilpi_layout_free(struct ilpi_layout *layout)
{
    ilpi_arena_free(&layout->arena);
}
