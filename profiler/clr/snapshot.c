/* Reads the rows of a running module one by one (IMetaDataTables), and adds them to its original
 * image with the editor for files. The runtime could write them itself
 * (IMetaDataEmit::SaveToMemory), but that sorts tables, and so renumbers rows to which others have
 * tokens. Reading changes nothing.
 *
 * Existing rows keep their cells, except lists, which move when rows are inserted before them:
 * fields of an older type that got another one. User strings are left out, since no inspection
 * reads them. See snapshot.h. */
#include "profiler/clr/snapshot.h"

#include "metadata/image.h"
#include "profiler/clr/com_emitter.h"

/* One reading. `rows` are the counts at its start: what others add later is not read. */
struct reader {
    void *tables; /* IMetaDataTables */
    struct ilp_edit *edit;
    uint32_t rows[ILP_TABLE_COUNT];
    struct ilp_error *error;
};

/* The row counts. Others may add rows meanwhile, so later tables are counted first: referring rows
 * before those they refer to. */
static ilp_status read_counts(struct reader *reader)
{
    for (unsigned table = ILP_TABLE_COUNT; table-- > 0;) {
        ULONG row_size, columns, key;
        const char *name;
        if (table > ILP_GenericParamConstraint || !ilpi_tables[table].name) {
            continue;
        }
        ILPI_TRY(com_answer(CALL(IMetaDataTables, GetTableInfo,
                                 reader->tables)(reader->tables, table, &row_size,
                                                 &reader->rows[table], &columns, &key, &name),
                            "GetTableInfo", reader->error));
        if (reader->rows[table] > ILPI_MAX_RID || columns != ilpi_tables[table].columns) {
            return ilpi_fail(reader->error, ILP_E_CALLBACK, ILPI_NO_OFFSET, ILP_TOKEN(table, 0),
                             "the runtime has another form of %s", ilpi_tables[table].name);
        }
    }
    return ILP_OK;
}

static bool has_more_than(const struct reader *reader, const struct ilp_image *image)
{
    bool more = false;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        more = more || reader->rows[table] > ilp_row_count(image, table);
    }
    return more;
}

/* *cell is the runtime's offset before, and the edit's after. */
static ilp_status read_string(struct reader *reader, uint32_t *cell)
{
    const char *text;
    void *tables = reader->tables;
    HRESULT result = CALL(IMetaDataTables, GetString, tables)(tables, *cell, &text);
    ILPI_TRY(com_answer(result, "GetString", reader->error));
    return ilp_edit_add_string(reader->edit, text, cell, reader->error);
}

static ilp_status read_blob(struct reader *reader, uint32_t *cell)
{
    struct ilp_bytes blob;
    ULONG size;
    void *tables = reader->tables;
    HRESULT result = CALL(IMetaDataTables, GetBlob, tables)(tables, *cell, &size, &blob.data);
    ILPI_TRY(com_answer(result, "GetBlob", reader->error));
    blob.size = size;
    return ilp_edit_add_blob(reader->edit, blob, cell, reader->error);
}

/* A cell in the form of ilp_cell(). The runtime returns tokens for columns with a fixed table as
 * well. */
static ilp_status read_cell(struct reader *reader, unsigned table, ilp_rid rid, unsigned column,
                            uint32_t *cell)
{
    void *tables = reader->tables;
    HRESULT result = CALL(IMetaDataTables, GetColumn, tables)(tables, table, column, rid, cell);
    ILPI_TRY(com_answer(result, "GetColumn", reader->error));
    switch ((enum ilpi_column_kind)ilpi_tables[table].column[column].kind) {
    case ILPI_STR: return read_string(reader, cell);
    case ILPI_BLOB: return *cell != 0 ? read_blob(reader, cell) : ILP_OK;
    case ILPI_GUID: *cell = 0; break;
    case ILPI_ROW:
    case ILPI_LIST: *cell = ILP_TOKEN_RID(*cell); break;
    case ILPI_CODED: *cell = ILP_TOKEN_RID(*cell) != 0 ? *cell : 0; break;
    case ILPI_U8PAD:
    case ILPI_U16:
    case ILPI_U32: break;
    }
    return ILP_OK;
}

/* Rows that the original image lacks, in order, so they get the same numbers. */
static ilp_status add_rows(struct reader *reader, const struct ilp_image *image, unsigned table)
{
    for (ilp_rid rid = ilp_row_count(image, table) + 1; rid <= reader->rows[table]; rid++) {
        uint32_t cells[ILP_MAX_COLUMNS];
        ilp_rid added;
        for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
            ILPI_TRY(read_cell(reader, table, rid, column, &cells[column]));
        }
        ILPI_TRY(ilp_edit_add_row(reader->edit, table, cells, &added, reader->error));
    }
    return ILP_OK;
}

/* Only for tables whose list's target has grown. */
static ilp_status move_lists(struct reader *reader, const struct ilp_image *image, unsigned table,
                             unsigned column)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, table); rid++) {
        uint32_t cell;
        ILPI_TRY(read_cell(reader, table, rid, column, &cell));
        if (cell != ilp_cell(image, table, rid, column)) {
            ILPI_TRY(ilp_edit_set_cell(reader->edit, table, rid, column, cell, reader->error));
        }
    }
    return ILP_OK;
}

/* By table: a row may refer to one of a later table, which is why read_counts() has counted those
 * first. */
static ilp_status read_rows(struct reader *reader, const struct ilp_image *image)
{
    for (unsigned table = 0; table <= ILP_GenericParamConstraint; table++) {
        ILPI_TRY(add_rows(reader, image, table));
        for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
            const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
            if (def->kind == ILPI_LIST &&
                reader->rows[def->target] > ilp_row_count(image, def->target)) {
                ILPI_TRY(move_lists(reader, image, table, column));
            }
        }
    }
    return ILP_OK;
}

/* `root` is the original metadata. */
static ilp_status make(struct snapshot *snapshot, struct reader *reader, struct ilp_image *root,
                       const char *name)
{
    const struct ilp_sink sink = ilpi_buf_sink(&snapshot->bytes);
    ilpi_alloc_init(&snapshot->alloc, NULL);
    snapshot->bytes.alloc = &snapshot->alloc;
    ILPI_TRY(ilp_edit_open(&reader->edit, root, NULL, reader->error));
    ilp_status status = read_rows(reader, root);
    if (status == ILP_OK) {
        status = ilp_edit_write(reader->edit, NULL, &sink, NULL, reader->error);
    }
    ilp_edit_close(reader->edit);
    return status != ILP_OK ? status
                            : ilp_image_open(&snapshot->image, ilpi_buf_bytes(&snapshot->bytes),
                                             ILP_LAYOUT_METADATA, name, NULL, reader->error);
}

/* Nothing is done if there are no more rows than in the last snapshot: rows are never removed. */
static ilp_status take(struct snapshot *snapshot, struct reader *reader, struct ilp_image *loaded,
                       bool *taken)
{
    struct ilp_image *root;
    ILPI_TRY(read_counts(reader));
    if (!has_more_than(reader, snapshot->image ? snapshot->image : loaded)) {
        return ILP_OK;
    }
    *taken = true;
    snapshot_close(snapshot);
    ILPI_TRY(ilp_image_open(&root, loaded->root, ILP_LAYOUT_METADATA, loaded->name, NULL,
                            reader->error));
    ilp_status status = make(snapshot, reader, root, loaded->name);
    ilp_image_close(root);
    return status;
}

/* After a failure there is no snapshot, rather than an old one. */
ilp_status snapshot_take(struct snapshot *snapshot, const struct snapshot_source *source,
                         bool *taken, struct ilp_error *error)
{
    void *info = source->info;
    struct guid id = guid_of(ID_IMetaDataTables);
    struct reader reader = {.error = error};
    *taken = false;
    HRESULT result = CALL(ICorProfilerInfo, GetModuleMetaData, info)(info, source->module, OF_READ,
                                                                     &id, &reader.tables);
    ILPI_TRY(com_answer(result, "GetModuleMetaData(IMetaDataTables)", error));
    ilp_status status = take(snapshot, &reader, source->loaded, taken);
    CALL(IUnknown, Release, reader.tables)(reader.tables);
    if (status != ILP_OK) {
        snapshot_close(snapshot);
    }
    return status;
}

void snapshot_close(struct snapshot *snapshot)
{
    ilp_inspection_close(snapshot->inspection);
    ilp_image_close(snapshot->image);
    ilpi_buf_free(&snapshot->bytes);
    *snapshot = (struct snapshot){.image = NULL};
}
