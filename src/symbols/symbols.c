/* Opens the symbols of an image: the PDB is embedded in it or passed in, and must have the id that
 * the image refers to.
 *
 *   debug directory (Portable PDB format, "PE/COFF")
 *     CodeView       "RSDS", GUID, age, path          with the entry's stamp: the id of the PDB
 *     embedded PDB   "MPDB", u32 size, deflate stream
 *     checksum       algorithm's name, NUL, hash of the PDB with its id zeroed
 *
 * symbols_write.c makes all three again for a changed assembly. */
#include "symbols/symbols.h"

#include "base/inflate.h"

/* Damage in a PDB, in whatever part of it, becomes one status: the caller goes on without symbols,
 * which it could not for a damaged assembly. */
ilp_status ilpi_symbols_status(ilp_status status, struct ilp_error *error)
{
    if (ilp_status_class(status) != ILP_CLASS_DATA || status == ILP_E_OTHER_SYMBOLS) {
        return status;
    }
    if (error) {
        error->status = ILP_E_BAD_SYMBOLS;
    }
    return ILP_E_BAD_SYMBOLS;
}

/* ---- opening ---- */

/* The size is claimed by the file: it is compared with the most that deflate can expand to, before
 * memory is taken for it. */
static ilp_status unpack(struct ilp_symbols *symbols, struct ilp_bytes *pdb,
                         struct ilp_error *error)
{
    struct ilpi_debug_entry entry;
    if (!ilpi_debug_find(&symbols->image->pe, ILPI_DEBUG_EMBEDDED_PDB, false, &entry)) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "no PDB is embedded in the image");
    }
    struct ilp_bytes data = entry.data;
    if (data.size < ILPI_EMBEDDED_HEAD || memcmp(data.data, "MPDB", 4) != 0) {
        return ilpi_fail(error, ILP_E_BAD_SYMBOLS, entry.data_offset, 0,
                         "the embedded PDB has no head");
    }
    size_t size = ilpi_load_u32(data.data + 4);
    struct ilp_bytes stream = {data.data + ILPI_EMBEDDED_HEAD, data.size - ILPI_EMBEDDED_HEAD};
    if (size > INT32_MAX || size / ILPI_INFLATE_MAX_RATIO > stream.size) {
        return ilpi_fail(error, ILP_E_BAD_SYMBOLS, entry.data_offset, 0,
                         "the embedded PDB says that it is larger than its stream can be");
    }
    uint8_t *to = ilpi_buf_reserve(&symbols->unpacked, size);
    if (!to && size != 0) {
        return ilpi_fail_memory(error, size);
    }
    symbols->embedded = true;
    *pdb = ilpi_buf_bytes(&symbols->unpacked);
    return ilpi_inflate(stream, to, size, entry.data_offset + ILPI_EMBEDDED_HEAD,
                        "the embedded PDB", error);
}

/* The mark that a Windows PDB starts with: another format, which is only recognised, for a message
 * of its own. */
static const char windows_mark[] = "Microsoft C/C++ MSF 7.00\r\n";

static ilp_status check_kind(struct ilp_bytes pdb, struct ilp_error *error)
{
    size_t size = sizeof windows_mark - 1;
    if (pdb.size >= size && memcmp(pdb.data, windows_mark, size) == 0) {
        return ilpi_fail(error, ILP_E_SYMBOLS_KIND, 0, 0,
                         "a Windows PDB, which cannot be moved along");
    }
    if (pdb.size < 4 || memcmp(pdb.data, "BSJB", 4) != 0) {
        return ilpi_fail(error, ILP_E_SYMBOLS_KIND, 0, 0, "no Portable PDB");
    }
    return ILP_OK;
}

/* A PDB must not have tables of an assembly, and has rows for all of its methods or for none. Rows
 * are matched by number (MethodDebugInformation has the rid of its MethodDef), so another count
 * would give methods the points of others. A PDB without rows is accepted: it has no symbols to
 * move. */
static ilp_status check_tables(const struct ilp_symbols *symbols, struct ilp_error *error)
{
    const struct ilp_image *pdb = symbols->pdb;
    uint32_t rows = pdb->tables[ILP_MethodDebugInformation].count;
    bool foreign = false;
    for (unsigned table = 0; table < ILP_Document; table++) {
        foreign = foreign || pdb->tables[table].count != 0;
    }
    if (foreign) {
        return ilpi_fail(error, ILP_E_BAD_SYMBOLS, 0, 0, "a PDB that has tables of an assembly");
    }
    if (rows != 0 && rows != symbols->image->tables[ILP_MethodDef].count) {
        return ilpi_fail(error, ILP_E_BAD_SYMBOLS, 0, 0,
                         "a PDB of %u methods, but the assembly has %u", rows,
                         symbols->image->tables[ILP_MethodDef].count);
    }
    return ILP_OK;
}

/* An image whose debug directory refers to no Portable PDB, but embeds one, has no id to
 * compare. */
static ilp_status check_id(const struct ilp_symbols *symbols, struct ilp_error *error)
{
    struct ilpi_debug_entry code_view;
    struct ilp_symbols_info info;
    const struct ilpi_stream *stream = symbols->pdb->pdb_stream;
    if (!stream) {
        return ilpi_fail(error, ILP_E_BAD_SYMBOLS, 0, 0, "metadata, but not that of a PDB");
    }
    ilp_image_symbols(symbols->image, &info);
    bool named = ilpi_debug_find(&symbols->image->pe, ILPI_DEBUG_CODEVIEW, true, &code_view);
    if ((named || !symbols->embedded) && memcmp(info.id, stream->bytes.data, sizeof info.id) != 0) {
        return ilpi_fail(error, ILP_E_OTHER_SYMBOLS, stream->offset, 0,
                         "a PDB of another build of the assembly");
    }
    return ILP_OK;
}

/* In this order: unpack what is in the assembly, recognise the kind, read, compare the id with the
 * assembly's. Only then may its rows be taken for those of the assembly. */
static ilp_status open_pdb(struct ilp_symbols *symbols, struct ilp_bytes pdb,
                           const struct ilp_allocator *allocator, struct ilp_error *error)
{
    if (pdb.size == 0) {
        ILPI_TRY(unpack(symbols, &pdb, error));
    }
    ILPI_TRY(check_kind(pdb, error));
    /* A Portable PDB is a metadata root alone (II.24.2.1), without PE headers around it. */
    ILPI_TRY(ilp_image_open(&symbols->pdb, pdb, ILP_LAYOUT_METADATA, NULL, allocator, error));
    ILPI_TRY(check_id(symbols, error));
    ILPI_TRY(check_tables(symbols, error));
    symbols->methods.count = symbols->image->tables[ILP_MethodDef].count;
    symbols->methods.of = ilpi_arena_array(&symbols->arena, (size_t)symbols->methods.count + 1,
                                           sizeof *symbols->methods.of);
    return symbols->methods.of ? ILP_OK : ilpi_fail_memory(error, symbols->methods.count);
}

ilp_status ilp_symbols_open(struct ilp_symbols **out, const struct ilp_image *image,
                            struct ilp_bytes pdb, const struct ilp_allocator *allocator,
                            struct ilp_error *error)
{
    *out = NULL;
    struct ilp_symbols *symbols = ilpi_object_open(sizeof *symbols, allocator, error);
    if (!symbols) {
        return ILP_E_NO_MEMORY;
    }
    symbols->image = image;
    symbols->arena.alloc = symbols->unpacked.alloc = symbols->blob.alloc = &symbols->alloc;
    symbols->written.alloc = symbols->packed.alloc = symbols->checksum.alloc = &symbols->alloc;
    ilp_status status = ilpi_symbols_status(open_pdb(symbols, pdb, allocator, error), error);
    if (status != ILP_OK) {
        ilp_symbols_close(symbols);
        return status;
    }
    *out = symbols;
    return ILP_OK;
}

void ilp_symbols_close(struct ilp_symbols *symbols)
{
    if (!symbols) {
        return;
    }
    ilp_image_close(symbols->pdb);
    ilpi_arena_free(&symbols->arena);
    ilpi_buf_free(&symbols->unpacked);
    ilpi_buf_free(&symbols->blob);
    ilpi_buf_free(&symbols->written);
    ilpi_buf_free(&symbols->packed);
    ilpi_buf_free(&symbols->checksum);
    ilpi_object_close(&symbols->alloc, sizeof *symbols);
}

/* ---- moves ---- */

ilp_status ilp_symbols_move(struct ilp_symbols *symbols, ilp_token method,
                            const struct ilp_il_map *map, size_t count, struct ilp_error *error)
{
    ilp_rid rid = ILP_TOKEN_RID(method);
    if (ILP_TOKEN_TABLE(method) != ILP_MethodDef || rid == 0 || rid > symbols->methods.count) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                         "0x%08X is not a method of this module", method);
    }
    return ilpi_moves_make(&symbols->methods.of[rid], map, count, &symbols->arena, error);
}
