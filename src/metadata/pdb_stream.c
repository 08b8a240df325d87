/* The #Pdb stream of a rewritten PDB (Portable PDB format, "#Pdb stream"). root_read.c reads it.
 *
 *   u8 id[20]  u32 entry point  u64 referenced tables  u32 rows[] of these
 *
 * The row counts are those of the assembly, not of the PDB. They are needed to decode the PDB
 * alone: a column that refers to MethodDef is 2 or 4 bytes wide by the number of methods in the
 * assembly. So when the assembly's tables grow, this stream follows, and all widths with it
 * (layout.c). The id is zeros here: it is a digest of the whole PDB, which src/symbols stores at
 * the end. */
#include "metadata/edit.h"

/* Tables of an assembly that a PDB cannot refer to: readers refuse a #Pdb stream that counts
 * them. */
static bool is_referenced(unsigned table)
{
    switch (table) {
    case ILP_FieldPtr:
    case ILP_MethodPtr:
    case ILP_ParamPtr:
    case ILP_EventPtr:
    case ILP_PropertyPtr:
    case ILP_ENCLog:
    case ILP_ENCMap: return false;
    default: return table < ILP_Document;
    }
}

/* The new #Pdb stream:
 *
 *   id (20 bytes)  entry point u32  tables u64  for each of them the number of rows u32
 *
 * The widths of columns that refer to the assembly depend on these numbers, so they must be those
 * of the new assembly (Portable PDB specification, "#Pdb stream"). */
ilp_status ilpi_edit_set_pdb_stream(struct ilp_edit *edit, const uint32_t rows[ILP_TABLE_COUNT],
                                    struct ilp_error *error)
{
    const struct ilpi_stream *stream = edit->image->pdb_stream;
    if (!stream || edit->pdb.size != 0) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "no #Pdb stream, or a new one already");
    }
    uint64_t tables = 0;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        tables |= (uint64_t)(rows[table] != 0 && is_referenced(table)) << table;
    }
    struct ilpi_buf *pdb = &edit->pdb;
    ilpi_buf_zeros(pdb, ILPI_PDB_ID_BYTES);
    /* long enough, or the image would not have been opened */
    ilpi_buf_bytes_add(pdb, stream->bytes.data + ILPI_PDB_ID_BYTES, 4);
    ilpi_buf_u64(pdb, tables);
    memset(edit->referenced, 0, sizeof edit->referenced);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (tables >> table & 1) {
            edit->referenced[table] = rows[table];
            ilpi_buf_u32(pdb, rows[table]);
        }
    }
    if (pdb->status != ILP_OK) {
        ilpi_buf_free(pdb);
        pdb->status = ILP_OK;
        return ilpi_fail_memory(error, ILPI_PDB_ID_BYTES);
    }
    return ILP_OK;
}
