/* Writes the PDB of a changed assembly: rows and blobs of moved methods, row counts, id. Everything
 * else is copied, by the writer of assemblies (layout.c, root_write.c).
 *
 *   plan of the assembly's metadata (for counts and renumbered rows)
 *     --> move_methods        sequence points, local signatures
 *     --> move_scopes         LocalScope rows
 *     --> move_custom_info    async and iterator offsets; parents that were renumbered
 *     --> add_methods, #Pdb   new methods, new row counts
 *     --> emit                with an id of zeros --> checksum --> id --> embedded form
 *
 * The order at the end is that of the dependencies: the checksum is taken with a zeroed id, the id
 * from the content, and the embedded form contains the id. */
#include "symbols/symbols.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/crypto.h"
#include "base/hash.h"
#include "base/inflate.h"
#include "metadata/layout.h"

/* A PDB being written. Of the assembly's edit two things are read: the new bodies, and the layout
 * that the file will have. */
struct making {
    struct ilp_symbols *symbols;
    const struct ilp_edit *assembly; /* borrowed */
    struct ilp_edit *edit;           /* of the PDB */
    struct ilpi_budget *budget;      /* for blobs, which rows can share */
    struct ilp_error *error;
};

/* The file offset of the row's blob, for errors. */
static uint64_t blob_origin(const struct making *making, uint32_t blob)
{
    return ilpi_blob_offset(making->symbols->pdb, blob);
}

static struct ilpi_buf *empty_blob(const struct making *making)
{
    struct ilpi_buf *blob = &making->symbols->blob;
    blob->size = 0;
    blob->status = ILP_OK;
    return blob;
}

/* Replaces a row's blob if it has changed: most methods of an assembly do not move, and their blobs
 * are shared or equal. */
static ilp_status put_blob(const struct making *making, unsigned table, ilp_rid rid,
                           unsigned column, struct ilp_bytes old)
{
    struct ilp_bytes new = ilpi_buf_bytes(&making->symbols->blob);
    uint32_t offset;
    if (ilpi_bytes_equal(new, old)) {
        return ILP_OK;
    }
    ILPI_TRY(ilp_edit_add_blob(making->edit, new, &offset, making->error));
    return ilp_edit_set_cell(making->edit, table, rid, column, offset, making->error);
}

/* ---- methods ---- */

/* The locals of a new body; a guard adds some. The body is read from the edit's buffer, in which
 * its size is not recorded: the rest of the buffer bounds the read. move_methods() has made sure
 * that there is one. Places are stored plus one (struct ilpi_places). */
static ilp_status new_locals(const struct making *making, ilp_rid method, ilp_rid *locals)
{
    const struct ilpi_buf *bodies = &making->assembly->bodies;
    size_t at = ilpi_place_of(&making->assembly->body_at, method) - 1;
    struct ilp_bytes bytes = {bodies->data + at, bodies->size - at};
    struct ilp_body body;
    struct ilp_arena arena = {.alloc = &making->symbols->alloc};
    ilp_status status = ilp_body_read(&body, bytes, 0, &arena, making->error);
    *locals = status == ILP_OK ? ILP_TOKEN_RID(body.locals) : 0;
    ilpi_arena_free(&arena);
    return status;
}

/* Sequence points of one method: its offsets move, and it gets the new signature of its locals. */
static ilp_status move_points(const struct making *making, ilp_rid method)
{
    const struct ilp_image *pdb = making->symbols->pdb;
    uint32_t offset = ilp_cell(pdb, ILP_MethodDebugInformation, method,
                               ILP_MethodDebugInformation_SequencePoints);
    uint32_t document = ilp_cell(pdb, ILP_MethodDebugInformation, method,
                                 ILP_MethodDebugInformation_Document);
    struct ilp_bytes old = ilp_blob(pdb, offset);
    ilp_rid locals;
    if (offset == 0 || old.size == 0) { /* 0 is no blob, whatever the heap has there */
        return ILP_OK;
    }
    ILPI_TRY(ilpi_spend(making->budget, old.size, making->error));
    ILPI_TRY(new_locals(making, method, &locals));
    ILPI_TRY(ilpi_points_move(old, blob_origin(making, offset),
                              &making->symbols->methods.of[method], document != 0, locals,
                              empty_blob(making), making->error));
    return put_blob(making, ILP_MethodDebugInformation, method,
                    ILP_MethodDebugInformation_SequencePoints, old);
}

/* Processes every body passed to ilp_symbols_move(). New methods have no symbols. Methods whose
 * recorded body was not replaced in the end lose their shifts, since the other tables below look at
 * these. */
static ilp_status move_methods(const struct making *making)
{
    const struct ilpi_moved_methods *methods = &making->symbols->methods;
    for (ilp_rid method = 1; method <= methods->count; method++) {
        if (ilpi_place_of(&making->assembly->body_at, method) == 0) {
            /* the body was recorded, but not replaced */
            methods->of[method] = (struct ilpi_moves){NULL, 0};
            continue;
        }
        if (!methods->of[method].shifts) {
            return ilpi_fail(
                making->error, ILP_E_MISUSE, ILPI_NO_OFFSET, ILP_TOKEN(ILP_MethodDef, method),
                "a method has a new body, but nothing was said of where its instructions went");
        }
        ILPI_TRY(move_points(making, method));
    }
    return ILP_OK;
}

/* ---- other tables ---- */

/* Scopes of methods without shifts stay. Their order is kept: the mapping is monotonic, so rows
 * sorted by method and start remain sorted. */
static ilp_status move_scopes(const struct making *making)
{
    const struct ilp_image *pdb = making->symbols->pdb;
    const struct ilpi_moved_methods *methods = &making->symbols->methods;
    for (ilp_rid rid = 1; rid <= pdb->tables[ILP_LocalScope].count; rid++) {
        ilp_rid method = ilp_cell(pdb, ILP_LocalScope, rid, ILP_LocalScope_Method);
        uint32_t start = ilp_cell(pdb, ILP_LocalScope, rid, ILP_LocalScope_StartOffset);
        uint32_t length = ilp_cell(pdb, ILP_LocalScope, rid, ILP_LocalScope_Length);
        if (method == 0 || method > methods->count || !methods->of[method].shifts) {
            continue;
        }
        ILPI_TRY(
            ilpi_scope_move(&methods->of[method], &start, &length, ILPI_NO_OFFSET, making->error));
        ILPI_TRY(ilp_edit_set_cell(making->edit, ILP_LocalScope, rid, ILP_LocalScope_StartOffset,
                                   start, making->error));
        ILPI_TRY(ilp_edit_set_cell(making->edit, ILP_LocalScope, rid, ILP_LocalScope_Length, length,
                                   making->error));
    }
    return ILP_OK;
}

/* A row of the assembly that was renumbered. Only tables of the assembly may be: those that must be
 * sorted (II.24.2.6), when rows are added to them (layout.h). Tables from Document on are the PDB's
 * own. */
static ilp_status renumber_parent(const struct making *making, const struct ilpi_layout *layout,
                                  ilp_rid rid, ilp_token parent)
{
    unsigned table = ILP_TOKEN_TABLE(parent);
    ilp_rid row = ILP_TOKEN_RID(parent);
    if (table >= ILP_Document || !layout->renumber[table] || row == 0 ||
        row > layout->rows[table] || layout->renumber[table][row] == row) {
        return ILP_OK;
    }
    return ilp_edit_set_cell(making->edit, ILP_CustomDebugInformation, rid,
                             ILP_CustomDebugInformation_Parent,
                             ILP_TOKEN(table, layout->renumber[table][row]), making->error);
}

/* Records of kinds that are not known are kept as they are (custom_info.c has the known ones). The
 * known ones of all methods are processed, also of those that did not move: a record of async steps
 * names the method of each resume offset, which may be another one. */
static ilp_status move_custom_info(const struct making *making, const struct ilpi_layout *layout)
{
    const struct ilp_image *pdb = making->symbols->pdb;
    const struct ilpi_moved_methods *methods = &making->symbols->methods;
    for (ilp_rid rid = 1; rid <= pdb->tables[ILP_CustomDebugInformation].count; rid++) {
        ilp_token parent = ilp_cell(pdb, ILP_CustomDebugInformation, rid,
                                    ILP_CustomDebugInformation_Parent);
        uint32_t guid = ilp_cell(pdb, ILP_CustomDebugInformation, rid,
                                 ILP_CustomDebugInformation_Kind);
        uint32_t offset = ilp_cell(pdb, ILP_CustomDebugInformation, rid,
                                   ILP_CustomDebugInformation_Value);
        struct ilp_bytes old = ilp_blob(pdb, offset);
        unsigned kind;
        ILPI_TRY(renumber_parent(making, layout, rid, parent));
        if (ILP_TOKEN_TABLE(parent) == ILP_MethodDef && ILP_TOKEN_RID(parent) <= methods->count &&
            offset != 0 && old.size != 0 && ilpi_custom_find(ilp_guid(pdb, guid), &kind)) {
            ILPI_TRY(ilpi_spend(making->budget, old.size, making->error));
            ILPI_TRY(ilpi_custom_move(kind, old, blob_origin(making, offset), methods,
                                      ILP_TOKEN_RID(parent), empty_blob(making), making->error));
            ILPI_TRY(put_blob(making, ILP_CustomDebugInformation, rid,
                              ILP_CustomDebugInformation_Value, old));
        }
    }
    return ILP_OK;
}

/* MethodDebugInformation has a row for every method, or none at all. */
static ilp_status add_methods(const struct making *making, uint32_t methods)
{
    static const uint32_t nothing[ILP_MethodDebugInformation_COLUMNS] = {0};
    uint32_t count = ilp_row_count(making->symbols->pdb, ILP_MethodDebugInformation);
    /* 0: the PDB has no rows for methods, and stays so (check_tables() of symbols.c). */
    for (ilp_rid rid; count != 0 && count < methods; count++) {
        ILPI_TRY(ilp_edit_add_row(making->edit, ILP_MethodDebugInformation, nothing, &rid,
                                  making->error));
    }
    return ILP_OK;
}

/* In the order in which tables refer to each other. The layout of the assembly is planned here as
 * it will be when that is written: its numbers of rows are in the PDB. */
static ilp_status change(const struct making *making, struct ilp_edit *assembly)
{
    struct ilpi_layout layout;
    ILPI_TRY(ilpi_layout_plan(&layout, assembly, making->error));
    ilp_status status = move_methods(making);
    status = status == ILP_OK ? move_scopes(making) : status;
    status = status == ILP_OK ? move_custom_info(making, &layout) : status;
    status = status == ILP_OK ? add_methods(making, layout.rows[ILP_MethodDef]) : status;
    status = status == ILP_OK ? ilpi_edit_set_pdb_stream(making->edit, layout.rows, making->error)
                              : status;
    ilpi_layout_free(&layout);
    return status;
}

/* ---- the bytes ---- */

/* The id is derived from the content, so that equal content has an equal id: a GUID of version 8
 * (RFC 9562), and a stamp whose high bit marks it as not a time. A GUID's third field is stored
 * little-endian, so the version is in byte 7; the variant is in byte 8. */
static void put_id(uint8_t *id, struct ilp_bytes pdb)
{
    XXH128_hash_t hash = XXH3_128bits(pdb.data, pdb.size);
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, hash);
    uint32_t stamp = (uint32_t)hash.low64 | 0x80000000u;
    digest.digest[7] = (uint8_t)((digest.digest[7] & 0x0F) | 0x80);
    digest.digest[8] = (uint8_t)((digest.digest[8] & 0x3F) | 0x80);
    memcpy(id, digest.digest, 16);
    ilpi_store_u32(id + 16, stamp);
}

/* "SHA256", NUL, the hash of the PDB with its id zeroed. Left out if no library computes it. */
static ilp_status put_checksum(struct ilp_symbols *symbols, struct ilp_error *error)
{
    struct ilpi_debug_entry old;
    uint8_t digest[ILPI_DIGEST_MAX];
    size_t size = 0;
    if (!ilpi_debug_find(&symbols->image->pe, ILPI_DEBUG_PDB_CHECKSUM, false, &old)) {
        return ILP_OK;
    }
    const uint8_t *nul = old.data.size != 0 ? memchr(old.data.data, 0, old.data.size) : NULL;
    if (nul && ilpi_digest(ilpi_hash_by_name((const char *)old.data.data),
                           ilpi_buf_bytes(&symbols->written), digest, &size) == ILP_E_NO_MEMORY) {
        return ilpi_fail_memory(error, ILPI_DIGEST_MAX);
    }
    if (size != 0) {
        ilpi_buf_bytes_add(&symbols->checksum, old.data.data, (size_t)(nul - old.data.data) + 1);
        ilpi_buf_bytes_add(&symbols->checksum, digest, size);
    }
    return symbols->checksum.status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, ILPI_DIGEST_MAX);
}

static ilp_status put_embedded(struct ilp_symbols *symbols, struct ilp_error *error)
{
    ilpi_buf_bytes_add(&symbols->packed, "MPDB", 4);
    ilpi_buf_u32(&symbols->packed, (uint32_t)symbols->written.size);
    return symbols->packed.status == ILP_OK
               ? ilpi_deflate(&symbols->packed, ilpi_buf_bytes(&symbols->written), error)
               : ilpi_fail_memory(error, ILPI_EMBEDDED_HEAD);
}

/* *id: where the file has its id, which can only be made when the file is complete. The #Pdb stream
 * begins with it. */
static ilp_status emit(const struct making *making, uint8_t **id)
{
    struct ilp_symbols *symbols = making->symbols;
    struct ilp_sink sink = ilpi_buf_sink(&symbols->written);
    struct ilpi_layout layout;
    struct ilpi_out out;
    ILPI_TRY(ilpi_layout_plan(&layout, making->edit, making->error));
    ilpi_out_init(&out, &sink, making->error);
    ilpi_root_write(&layout, &out);
    ilpi_out_flush(&out);
    for (unsigned i = 0; i < layout.stream_count && out.status == ILP_OK; i++) {
        if (layout.streams[i].kind == ILPI_STREAM_PDB) {
            *id = symbols->written.data + layout.streams[i].offset;
        }
    }
    ilpi_layout_free(&layout);
    return symbols->written.status != ILP_OK
               ? ilpi_fail_memory(making->error, symbols->written.size)
               : out.status;
}

/* The steps from the old PDB to the new one:
 *
 *   change -> emit, with an id of zeroes -> checksum and id from the bytes -> embedded: pack */
static ilp_status make(const struct making *making, struct ilp_edit *assembly,
                       struct ilp_symbols_link *link)
{
    struct ilp_symbols *symbols = making->symbols;
    uint8_t *id = NULL;
    ILPI_TRY(change(making, assembly));
    ILPI_TRY(emit(making, &id));
    /* The checksum is that of the file with a zeroed id, so it is taken before put_id(). */
    *link = (struct ilp_symbols_link){.path = {NULL, 0}};
    ILPI_TRY(put_checksum(symbols, making->error));
    put_id(id, ilpi_buf_bytes(&symbols->written));
    memcpy(link->id, id, sizeof link->id);
    if (symbols->embedded) {
        ILPI_TRY(put_embedded(symbols, making->error));
    }
    link->embedded = ilpi_buf_bytes(&symbols->packed);
    link->checksum = ilpi_buf_bytes(&symbols->checksum);
    return ILP_OK;
}

/* Once for each ilp_symbols: `written` is borrowed by the caller until it is closed. */
ilp_status ilp_symbols_write(struct ilp_symbols *symbols, struct ilp_edit *edit,
                             struct ilp_bytes *pdb, struct ilp_symbols_link *link,
                             struct ilp_error *error)
{
    struct ilpi_budget budget = ilpi_budget_of(symbols->pdb->pe.bytes.size);
    struct making making = {
        .symbols = symbols, .assembly = edit, .budget = &budget, .error = error};
    if (edit->image != symbols->image || symbols->written.size != 0) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "an edit of another image, or a second PDB");
    }
    ILPI_TRY(ilp_edit_open(&making.edit, symbols->pdb, &symbols->alloc.hook, error));
    ilp_status status = make(&making, edit, link);
    ilp_edit_close(making.edit);
    *pdb = ilpi_buf_bytes(&symbols->written);
    return ilpi_symbols_status(status, error);
}
