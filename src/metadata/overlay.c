/* Rows after those of an image. A table is copied when its first row is added, with cells wide
 * enough for any row number: the widths of the image follow from its own counts (II.24.2.6). See
 * overlay.h.
 *
 *   rid    1 .......... image_count   ........ count
 *          copied, cells widened      zeros until its token is passed | added rows
 *
 * The view is a struct ilp_image of its own, so all readers work on it unchanged: ilpi_cell_raw()
 * finds a width of 4 in `shape`. Offsets of added names and blobs continue those of the heaps. */
#include "metadata/overlay.h"

enum { CELL = 4 };

void ilpi_overlay_open(struct ilpi_overlay *overlay, const struct ilp_image *image)
{
    *overlay = (struct ilpi_overlay){.view = *image};
    ilpi_alloc_init(&overlay->alloc, NULL);
    overlay->strings.alloc = overlay->blobs.alloc = &overlay->alloc;
}

void ilpi_overlay_close(struct ilpi_overlay *overlay)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        struct ilpi_overlay_table *own = &overlay->tables[table];
        ilpi_resize(&overlay->alloc, own->rows, own->capacity, 0);
    }
    ilpi_buf_free(&overlay->strings);
    ilpi_buf_free(&overlay->blobs);
    *overlay = (struct ilpi_overlay){.view = {.name = NULL}};
}

/* ---- heaps ---- */

/* The buffer may move when it grows, so the view's span is set again after each entry. */
static uint32_t add_string(struct ilpi_overlay *overlay, struct ilp_bytes text)
{
    size_t at = overlay->view.strings.size + overlay->strings.size;
    ilpi_buf_bytes_add(&overlay->strings, text.data, text.size);
    ilpi_buf_u8(&overlay->strings, 0);
    overlay->view.added_strings = ilpi_buf_bytes(&overlay->strings);
    return (uint32_t)at;
}

static uint32_t add_blob(struct ilpi_overlay *overlay, struct ilp_bytes blob)
{
    size_t at = overlay->view.blobs.size + overlay->blobs.size;
    ilpi_buf_packed(&overlay->blobs, (uint32_t)blob.size);
    ilpi_buf_bytes_add(&overlay->blobs, blob.data, blob.size);
    overlay->view.added_blobs = ilpi_buf_bytes(&overlay->blobs);
    return (uint32_t)at;
}

void ilpi_overlay_user_string(struct ilpi_overlay *overlay, ilp_token token)
{
    struct ilp_image *view = &overlay->view;
    if (ILP_TOKEN_RID(token) >= view->added_user_strings) {
        view->added_user_strings = ILP_TOKEN_RID(token) + 1;
    }
}

/* ---- rows ---- */

/* `rid` has 24 bits and a table at most ILP_MAX_COLUMNS columns, so the product fits in 32 bits.
 * The first call copies the image's rows, later ones only make room. The view's shape changes with
 * the copy, and not before, so a failed call leaves the view readable. */
static ilp_status make_room(struct ilpi_overlay *overlay, unsigned table, ilp_rid rid,
                            struct ilp_error *error)
{
    struct ilpi_overlay_table *own = &overlay->tables[table];
    struct ilpi_table *to = &overlay->view.tables[table];
    unsigned columns = ilpi_tables[table].columns;
    bool is_copied = own->rows != NULL;
    ILPI_TRY(ilpi_grow(&overlay->alloc, &own->rows, &own->capacity, (size_t)rid * columns * CELL, 1,
                       error));
    uint8_t *cell = own->rows;
    for (ilp_rid row = 1; !is_copied && row <= to->count; row++) {
        for (unsigned column = 0; column < columns; column++, cell += CELL) {
            ilpi_store_u32(cell, ilpi_cell_raw(to, row, column));
        }
    }
    own->image_count = is_copied ? own->image_count : to->count;
    for (unsigned column = 0; column <= columns; column++) {
        to->shape.at[column] = (uint8_t)(column * CELL);
    }
    to->shape.size = (uint8_t)(columns * CELL);
    to->rows = own->rows;
    return ILP_OK;
}

static uint32_t raw_cell(struct ilpi_overlay *overlay, const struct ilpi_column_def *column,
                         const struct ilpi_overlay_cell *cell)
{
    switch ((enum ilpi_column_kind)column->kind) {
    case ILPI_STR: return add_string(overlay, cell->bytes);
    case ILPI_BLOB: return cell->bytes.size != 0 ? add_blob(overlay, cell->bytes) : 0;
    case ILPI_CODED: return ilpi_token_to_coded((enum ilpi_coded)column->target, cell->number);
    default: return cell->number;
    }
}

/* No added row is all zero. So a zero row after the image's is one between known tokens that has
 * not been passed yet. */
static bool is_known(const struct ilpi_overlay *overlay, unsigned table, ilp_rid rid)
{
    const struct ilpi_overlay_table *own = &overlay->tables[table];
    const struct ilpi_table *to = &overlay->view.tables[table];
    if (rid > to->count || !own->rows || rid <= own->image_count) {
        return rid <= to->count;
    }
    const uint8_t *row = own->rows + (size_t)(rid - 1) * to->shape.size;
    bool any = false;
    for (size_t i = 0; i < to->shape.size; i++) {
        any = any || row[i] != 0;
    }
    return any;
}

/* `count` is raised last: until then readers do not see the row. */
ilp_status ilpi_overlay_row(struct ilpi_overlay *overlay, ilp_token token,
                            const struct ilpi_overlay_cell cells[], struct ilp_error *error)
{
    unsigned table = ILP_TOKEN_TABLE(token);
    ilp_rid rid = ILP_TOKEN_RID(token);
    struct ilpi_table *to = &overlay->view.tables[table];
    if (is_known(overlay, table, rid)) {
        return ILP_OK;
    }
    ILPI_TRY(make_room(overlay, table, rid, error));
    uint8_t *at = overlay->tables[table].rows + (size_t)(rid - 1) * to->shape.size;
    if (rid > to->count) {
        size_t between = (size_t)(rid - 1 - to->count) * to->shape.size;
        memset(at - between, 0, between);
    }
    for (unsigned column = 0; column < ilpi_tables[table].columns; column++, at += CELL) {
        ilpi_store_u32(at, raw_cell(overlay, &ilpi_tables[table].column[column], &cells[column]));
    }
    if (overlay->strings.status != ILP_OK || overlay->blobs.status != ILP_OK) {
        return ilpi_fail_memory(error, overlay->strings.size + overlay->blobs.size);
    }
    to->count = rid > to->count ? rid : to->count;
    return ILP_OK;
}
