/* The plan of the new metadata: everything that has a size or an offset, computed before a byte is
 * written. layout.c plans, root_write.c emits. */
#ifndef ILPI_LAYOUT_H
#define ILPI_LAYOUT_H

#include "metadata/edit.h"
#include "metadata/retained.h"
#include "base/out.h"

enum ilpi_stream_kind {
    ILPI_STREAM_TABLES,
    ILPI_STREAM_STRINGS,
    ILPI_STREAM_USER_STRINGS,
    ILPI_STREAM_BLOBS,
    ILPI_STREAM_GUIDS,
    ILPI_STREAM_PDB,
    ILPI_STREAM_OTHER
};

/* A stream of the new root, in the order of the original. */
struct ilpi_stream_plan {
    enum ilpi_stream_kind kind;
    const char *name;          /* borrowed */
    struct ilp_bytes original; /* for ILPI_STREAM_OTHER, _GUIDS and _PDB */
    uint32_t offset;           /* in the root */
    uint32_t size;             /* a multiple of 4 */
};

/* Where everything in the new root will be: computed before a byte is written (layout.c). */
struct ilpi_layout {
    struct ilp_edit *edit;
    struct ilp_arena arena;
    struct ilpi_sizes sizes;
    uint32_t rows[ILP_TABLE_COUNT]; /* in this file; a PDB's sizes.rows also count its assembly's
                                       tables */
    struct ilpi_row_shape shapes[ILP_TABLE_COUNT];
    ilp_rid *order[ILP_TABLE_COUNT];    /* new rid -> row of the edit, for tables whose rows
                                           moved */
    ilp_rid *renumber[ILP_TABLE_COUNT]; /* row of the edit -> new rid, where `order` is set */
    struct ilpi_stream_plan *streams;
    uint32_t stream_count;
    uint32_t root_size;
    const struct ilpi_kept *kept; /* new locations of old bodies and data; NULL: they do not move */
    uint32_t bodies_rva;          /* where edit->bodies will be; set by the writer of the file */
};

ilp_status ilpi_layout_plan(struct ilpi_layout *layout, struct ilp_edit *edit,
                            struct ilp_error *error);
void ilpi_layout_free(struct ilpi_layout *layout);

/* Cells of a column for `count` rows of the edit from `row` on, all original or all appended, as
 * they are stored in the new file: references to moved rows are renumbered, RVAs are those of the
 * new locations. */
void ilpi_layout_cells(const struct ilpi_layout *layout, unsigned table, ilp_rid row,
                       unsigned column, uint32_t count, uint32_t *cells);

/* Whether cells of the column may refer to rows that moved. */
bool ilpi_layout_column_may_move(const struct ilpi_layout *layout,
                                 const struct ilpi_column_def *column);

/* Whether the original's rows of a table can be copied unchanged. */
bool ilpi_layout_is_unchanged(const struct ilpi_layout *layout, unsigned table);

/* Emits the rows of a table. */
void ilpi_rows_write(const struct ilpi_layout *layout, unsigned table, struct ilpi_out *out);

/* Emits the metadata root: exactly layout->root_size bytes. */
void ilpi_root_write(const struct ilpi_layout *layout, struct ilpi_out *out);

#endif
