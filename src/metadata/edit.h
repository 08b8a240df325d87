/* Changes to an image. A table goes from viewed to edited at its first changed cell:
 *
 *   untouched table   the original's bytes
 *   appended rows     cells in `added`
 *   changed cells     all original rows decoded once into `base`, then changed there
 *
 * Cells are kept raw, as stored in a file: coded indexes with their tag, not as tokens. */
#ifndef ILPI_EDIT_H
#define ILPI_EDIT_H

#include "base/list.h"
#include "metadata/heap_build.h"
#include "metadata/image.h"

/* The changes of one table. `base` is made at the first change of a cell: until then rows are read
 * from the image, whose row form is smaller. */
struct ilpi_table_edit {
    uint32_t *base;            /* decoded original rows, `columns` cells each; NULL: unchanged */
    ILPI_LIST(uint32_t) added; /* the cells of appended rows, in the same form */
    uint32_t added_count;      /* rows */
};

/* The offsets in `bodies` of the new contents of a table's rows, plus one; 0: not replaced. */
struct ilpi_places {
    uint32_t *at; /* by rid; NULL: none was replaced */
    size_t count;
};

static inline uint32_t ilpi_place_of(const struct ilpi_places *places, ilp_rid rid)
{
    return rid < places->count ? places->at[rid] : 0;
}

/* An image and its changes. Rows and offsets of the image stay valid; added ones continue after
 * them. */
struct ilp_edit {
    struct ilpi_alloc alloc;
    struct ilp_image *image; /* borrowed */
    struct ilpi_table_edit tables[ILP_TABLE_COUNT];
    struct ilpi_heap_edit strings;
    struct ilpi_heap_edit user_strings;
    struct ilpi_heap_edit blobs;
    uint8_t *guids;         /* the whole stream, once a GUID was replaced; else NULL */
    struct ilpi_buf bodies; /* new bodies, each at a multiple of 4, and data, at multiples of 8 */
    struct ilpi_places body_at;           /* of MethodDef rows */
    struct ilpi_places data_at;           /* of FieldRVA rows */
    struct ilpi_buf pdb;                  /* the new #Pdb stream of a PDB; else empty */
    uint32_t referenced[ILP_TABLE_COUNT]; /* with `pdb`: the row counts in it */
    struct ilpi_buf entry;                /* working memory for one heap entry */
    bool mvid_kept;
    bool native_code_dropped; /* requested; any other change drops it as well */
};

/* A raw cell with all changes applied; the row must exist. */
uint32_t ilpi_edit_cell_raw(const struct ilp_edit *edit, unsigned table, ilp_rid rid,
                            unsigned column);

/* A name or blob by its offset, original or added. */
const char *ilpi_edit_string(const struct ilp_edit *edit, uint32_t offset);
struct ilp_bytes ilpi_edit_blob(const struct ilp_edit *edit, uint32_t offset);

/* The id of a PDB: its offset in the #Pdb stream, and its length (Portable PDB format, "#Pdb
 * stream"). */
#define ILPI_PDB_ID_BYTES 20u

/* Gives a PDB a new #Pdb stream: an id of zeros, the old entry point, and the current row counts of
 * its assembly's tables. Tables that a PDB cannot refer to are left out. */
ilp_status ilpi_edit_set_pdb_stream(struct ilp_edit *edit, const uint32_t rows[ILP_TABLE_COUNT],
                                    struct ilp_error *error);

#endif
