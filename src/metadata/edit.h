/* Changes to an image, from viewing to editing.
 *
 *   untouched table   the original's bytes
 *   appended rows     cells in `added`
 *   changed cells     all original rows decoded once into `base`, then changed there
 *
 * Cells are kept raw, as they stand in a file: coded indexes with their tag, not as tokens.
 */
#ifndef ILPI_EDIT_H
#define ILPI_EDIT_H

#include "base/list.h"
#include "metadata/heap_build.h"
#include "metadata/image.h"

struct ilpi_table_edit {
    uint32_t *base; /* decoded original rows, `columns` cells each; NULL while only viewed */
    ILPI_LIST(uint32_t) added; /* the cells of appended rows, in the same form */
    uint32_t added_count;      /* rows */
};

/* Where in `bodies` the rows of a table have what they lead to: an offset plus one, 0: nowhere
 * new. */
struct ilpi_places {
    uint32_t *at; /* by rid; NULL: none has any */
    size_t count;
};

static inline uint32_t ilpi_place_of(const struct ilpi_places *places, ilp_rid rid)
{
    return rid < places->count ? places->at[rid] : 0;
}

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
    struct ilpi_buf pdb;                  /* the #Pdb stream of a PDB, made anew; else empty */
    uint32_t referenced[ILP_TABLE_COUNT]; /* with `pdb`: the row counts that it gives */
    struct ilpi_buf entry;                /* working memory for one heap entry */
    bool mvid_kept;
    bool native_code_dropped; /* asked for; with any other change it is dropped in any case */
};

/* A raw cell with all changes applied; the row must exist. */
uint32_t ilpi_edit_cell_raw(const struct ilp_edit *edit, unsigned table, ilp_rid rid,
                            unsigned column);

/* A name or blob by its offset, original or added. */
const char *ilpi_edit_string(const struct ilp_edit *edit, uint32_t offset);
struct ilp_bytes ilpi_edit_blob(const struct ilp_edit *edit, uint32_t offset);

/* Where the id of a PDB lies in its #Pdb stream, and how long it is (Portable PDB format,
 * "#Pdb stream"). */
#define ILPI_PDB_ID_BYTES 20u

/* Gives a PDB a new #Pdb stream: an id of zeros, the old entry point, and how many rows the tables
 * of its assembly have now. Of these, tables that nothing in a PDB may refer to are left out. */
ilp_status ilpi_edit_set_pdb_stream(struct ilp_edit *edit, const uint32_t rows[ILP_TABLE_COUNT],
                                    struct ilp_error *error);

#endif
