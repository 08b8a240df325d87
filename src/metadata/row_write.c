/* Writes rows as they are stored in the new file (II.24.2.6). The inverse of row_read.c.
 *
 * Works a column at a time, on runs of rows that are consecutive in the edit, so that the
 * conversion of a column is chosen once per run.
 *
 *   load (image, base or added) -> relocate RVAs, or renumber references -> store with new widths
 *
 * An unchanged table is one copy of its bytes. */
#include "metadata/layout.h"

/* Cells of a column held in working memory. */
#define MAX_CELLS 256u

/* ---- cells ---- */

/* ilpi_cell_raw() for many rows: the caller's rows exist, and the width is tested once. */
static void load_original(const struct ilpi_table *table, ilp_rid row, unsigned column,
                          uint32_t count, uint32_t *cells)
{
    const struct ilpi_row_shape *shape = &table->shape;
    const uint8_t *at = table->rows + (size_t)(row - 1) * shape->size + shape->at[column];
    if (shape->at[column + 1] - shape->at[column] == 4) {
        for (uint32_t i = 0; i < count; i++, at += shape->size) {
            cells[i] = ilpi_load_u32(at);
        }
    } else {
        for (uint32_t i = 0; i < count; i++, at += shape->size) {
            cells[i] = ilpi_load_u16(at);
        }
    }
}

/* Column by column, for `count` rows, so that the inner loop has no decision. */
static void load(const struct ilp_edit *edit, unsigned table, ilp_rid row, unsigned column,
                 uint32_t count, uint32_t *cells)
{
    const struct ilpi_table *original = &edit->image->tables[table];
    const struct ilpi_table_edit *edited = &edit->tables[table];
    bool added = row > original->count;
    if (!added && !edited->base) {
        load_original(original, row, column, count, cells);
        return;
    }
    size_t columns = ilpi_tables[table].columns;
    const uint32_t *from = added ? edited->added.items + (row - original->count - 1) * columns
                                 : edited->base + (row - 1) * columns;
    for (uint32_t i = 0; i < count; i++) {
        cells[i] = from[i * columns + column];
    }
}

/* Null and rids that do not exist stay as they are: a wrong reference is copied as wrong as it
 * was. */
static uint32_t renumbered(const struct ilpi_layout *layout, unsigned table, ilp_rid rid)
{
    const ilp_rid *map = layout->renumber[table];
    return map && rid != 0 && rid <= layout->rows[table] ? map[rid] : rid;
}

static uint32_t renumbered_coded(const struct ilpi_layout *layout,
                                 const struct ilpi_coded_def *coded, uint32_t raw)
{
    uint32_t tag = raw & ((1u << coded->bits) - 1);
    return coded->tables[tag] != 0
               ? renumbered(layout, coded->tables[tag] - 1u, raw >> coded->bits) << coded->bits |
                     tag
               : raw;
}

static void renumber(const struct ilpi_layout *layout, const struct ilpi_column_def *column,
                     uint32_t count, uint32_t *cells)
{
    for (uint32_t i = 0; i < count; i++) {
        cells[i] = column->kind == ILPI_CODED
                       ? renumbered_coded(layout, &ilpi_codeds[column->target], cells[i])
                       : renumbered(layout, column->target, cells[i]);
    }
}

/* Converts RVAs of new contents, and of contents that move. Without `kept` the file keeps its
 * layout, so old RVAs stay. */
static void relocate(const struct ilpi_layout *layout, const struct ilpi_places *places,
                     ilp_rid row, uint32_t count, uint32_t *cells)
{
    size_t near = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = ilpi_place_of(places, row + i);
        if (at != 0) {
            cells[i] = layout->bodies_rva + at - 1;
        } else if (layout->kept) {
            cells[i] = ilpi_kept_rva(layout->kept, cells[i], &near);
        }
    }
}

/* By columns, for many rows at once: what has to be done to a cell depends on its column only. */
void ilpi_layout_cells(const struct ilpi_layout *layout, unsigned table, ilp_rid row,
                       unsigned column, uint32_t count, uint32_t *cells)
{
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    load(layout->edit, table, row, column, count, cells);
    if (table == ILP_MethodDef && column == ILP_MethodDef_RVA) {
        relocate(layout, &layout->edit->body_at, row, count, cells);
    } else if (table == ILP_FieldRVA && column == ILP_FieldRVA_RVA) {
        relocate(layout, &layout->edit->data_at, row, count, cells);
    } else if (ilpi_layout_column_may_move(layout, def)) {
        renumber(layout, def, count, cells);
    }
}

/* ---- rows ---- */

/* The number of rows from `rid` of the file on that are consecutive in the edit as well, up to the
 * last of the original's. */
static uint32_t run_at(const struct ilpi_layout *layout, unsigned table, ilp_rid rid,
                       uint32_t limit)
{
    const ilp_rid *order = layout->order[table];
    uint32_t original = layout->edit->image->tables[table].count;
    ilp_rid row = order ? order[rid] : rid;
    uint32_t count = 1;
    limit = row <= original && original - row < limit ? original - row + 1 : limit;
    while (count < limit && order && order[rid + count] == row + count) {
        count++;
    }
    return order ? count : limit;
}

/* Indexes have 2 or 4 bytes; those of 2 fit, since the layout has computed the widths from the
 * counts. */
static void store(const struct ilpi_row_shape *shape, unsigned column, uint32_t count,
                  const uint32_t *cells, uint8_t *rows)
{
    uint8_t *to = rows + shape->at[column];
    if (shape->at[column + 1] - shape->at[column] == 4) {
        for (uint32_t i = 0; i < count; i++, to += shape->size) {
            ilpi_store_u32(to, cells[i]);
        }
    } else {
        for (uint32_t i = 0; i < count; i++, to += shape->size) {
            ilpi_store_u16(to, (uint16_t)cells[i]);
        }
    }
}

/* With rows that only were appended, the original's are copied and the loop begins after them.
 * `most` rows fit into the output's working memory at once. */
void ilpi_rows_write(const struct ilpi_layout *layout, unsigned table, struct ilpi_out *out)
{
    const struct ilpi_row_shape *shape = &layout->shapes[table];
    const struct ilpi_table *original = &layout->edit->image->tables[table];
    uint32_t cells[MAX_CELLS];
    uint32_t most = sizeof out->pieces / MAX_CELLS < shape->size
                        ? (uint32_t)sizeof out->pieces / shape->size
                        : MAX_CELLS;
    ilp_rid rid = 1;
    if (ilpi_layout_is_unchanged(layout, table)) {
        ilpi_out_bytes(out, original->rows, (size_t)original->count * shape->size);
        rid += original->count;
    }
    while (rid <= layout->rows[table]) {
        uint32_t left = layout->rows[table] - rid + 1;
        uint32_t count = run_at(layout, table, rid, left < most ? left : most);
        ilp_rid row = layout->order[table] ? layout->order[table][rid] : rid;
        uint8_t *rows = ilpi_out_piece(out, (size_t)count * shape->size);
        for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
            ilpi_layout_cells(layout, table, row, column, count, cells);
            store(shape, column, count, cells, rows);
        }
        rid += count;
    }
}
