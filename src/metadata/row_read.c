/* Reads the table stream (II.24.2.6): which tables there are, the widths of their columns, and
 * single cells.
 *
 *   u32 0  u8 major  u8 minor  u8 HeapSizes  u8 1  u64 Valid  u64 Sorted  u32 rows[]  (u32)
 *          tables...
 *
 * `rows` has one count for each bit of Valid, by rising table numbers; the tables follow in the
 * same order without padding. Nothing in the stream says where a table begins: its offset is the
 * sum of all sizes before it, and a row's size follows from the counts of all tables. So an unknown
 * table is an error, and not skipped: what comes after it could not be found. */
#include "metadata/image.h"

/* A table of an unknown number has rows of unknown size, so no table after it could be found. */
static ilp_status read_counts(struct ilp_image *image, struct ilpi_cursor *at, uint64_t valid)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if ((valid >> table & 1) == 0) {
            continue;
        }
        uint64_t offset = ilpi_cursor_offset(at);
        uint32_t rows = ilpi_read_u32(at);
        if (!ilpi_tables[table].name) {
            return ilpi_fail(at->error, ILP_E_BAD_METADATA, offset, 0,
                             "the table stream has a table 0x%02X, which no specification knows",
                             table);
        }
        if (rows > ILPI_MAX_RID) {
            return ilpi_fail(at->error, ILP_E_BAD_METADATA, offset, 0,
                             "%s says it has %u rows, more than a token can count",
                             ilpi_tables[table].name, rows);
        }
        image->tables[table].count = rows;
        if (rows != 0) { /* no rows here: keep the assembly's count from #Pdb */
            image->sizes.rows[table] = rows;
        }
    }
    return at->status;
}

/* The table stream:
 *
 *   reserved u32 | major u8, minor u8 | heap sizes u8 | reserved u8 | valid u64 | sorted u64
 *   rows u32, for each bit of `valid` | [extra u32] | rows of each table, one after another
 *
 * II.24.2.6. The extra word exists with bit 0x40 of the heap sizes, as edit-and-continue metadata
 * (#-) may have. */
ilp_status ilpi_tables_read(struct ilp_image *image, struct ilp_error *error)
{
    const struct ilpi_stream *stream = image->table_stream;
    struct ilpi_cursor at = ilpi_cursor_over(stream->bytes, stream->offset, "table stream", error);
    ilpi_skip(&at, 4);
    image->schema_major = ilpi_read_u8(&at);
    image->schema_minor = ilpi_read_u8(&at);
    image->heap_flags = ilpi_read_u8(&at);
    ilpi_skip(&at, 1);
    uint64_t valid = ilpi_read_u64(&at);
    image->sorted = ilpi_read_u64(&at);
    ILPI_TRY(at.status);
    ILPI_TRY(read_counts(image, &at, valid));
    if (image->heap_flags & ILPI_HEAP_EXTRA_DATA) {
        ilpi_skip(&at, 4);
    }
    image->sizes.large_strings = image->heap_flags & ILPI_HEAP_LARGE_STRINGS;
    image->sizes.large_guids = image->heap_flags & ILPI_HEAP_LARGE_GUIDS;
    image->sizes.large_blobs = image->heap_flags & ILPI_HEAP_LARGE_BLOBS;

    struct ilpi_row_shape shapes[ILP_TABLE_COUNT];
    ilpi_shapes_compute(&image->sizes, shapes);
    /* The only bounds check of rows: afterwards every cell of every row is within the stream. The
     * product has 24 + 8 bits and so fits in 64. */
    for (unsigned i = 0; i < ILP_TABLE_COUNT; i++) {
        struct ilpi_table *table = &image->tables[i];
        table->shape = shapes[i];
        uint64_t size = (uint64_t)table->count * shapes[i].size;
        if (size > ilpi_cursor_left(&at)) {
            return ilpi_fail(error, ILP_E_TRUNCATED, ilpi_cursor_offset(&at), ILP_TOKEN(i, 0),
                             "%s has %u rows of %u bytes, but only %zu bytes are left",
                             ilpi_tables[i].name, table->count, shapes[i].size,
                             ilpi_cursor_left(&at));
        }
        table->rows = ilpi_read_bytes(&at, (size_t)size).data;
    }
    return at.status;
}

uint32_t ilp_row_count(const struct ilp_image *image, unsigned table)
{
    return table < ILP_TABLE_COUNT ? image->tables[table].count : 0;
}

/* The public form: 0 for what does not exist, and tokens for coded indexes. Constant.Type has a
 * byte of padding (II.22.9). */
uint32_t ilp_cell(const struct ilp_image *image, unsigned table, ilp_rid rid, unsigned column)
{
    if (table >= ILP_TABLE_COUNT || column >= ilpi_tables[table].columns) {
        return 0;
    }
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    uint32_t raw = ilpi_cell_raw(&image->tables[table], rid, column);
    if (def->kind == ILPI_CODED) {
        return ilpi_coded_to_token((enum ilpi_coded)def->target, raw);
    }
    return def->kind == ILPI_U8PAD ? raw & 0xFF : raw;
}

/* The table between a LIST column and its rows in #- streams (II.22 omits these; every runtime
 * reads them). */
static unsigned pointer_table(unsigned target)
{
    switch (target) {
    case ILP_Field: return ILP_FieldPtr;
    case ILP_MethodDef: return ILP_MethodPtr;
    case ILP_Param: return ILP_ParamPtr;
    case ILP_Event: return ILP_EventPtr;
    case ILP_Property: return ILP_PropertyPtr;
    default: return target;
    }
}

/* A run ends where that of the next row begins, the last row's at the end of the table (II.22.37).
 * Both ends are clipped, so that a loop over [first, end) reads existing rows only; a run that
 * would end before it begins is empty. */
void ilpi_list(const struct ilp_image *image, unsigned table, ilp_rid rid, unsigned column,
               ilp_rid *first, ilp_rid *end)
{
    const struct ilpi_table *rows = &image->tables[table];
    unsigned target = ilpi_tables[table].column[column].target;
    uint32_t pointers = image->tables[pointer_table(target)].count;
    uint32_t count = pointers != 0 ? pointers : image->tables[target].count;
    ilp_rid from = ilpi_cell_raw(rows, rid, column);
    ilp_rid to = rid < rows->count ? ilpi_cell_raw(rows, rid + 1, column) : count + 1;
    *end = to <= count + 1 ? to : count + 1;
    *first = from != 0 && from <= *end ? from : *end;
}

ilp_rid ilpi_list_row(const struct ilp_image *image, unsigned target, ilp_rid rid)
{
    unsigned pointers = pointer_table(target);
    if (pointers == target || image->tables[pointers].count == 0) {
        return rid;
    }
    return ilpi_cell_raw(&image->tables[pointers], rid, 0);
}
