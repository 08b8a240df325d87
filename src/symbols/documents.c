/* The documents of a method's sequence points (Portable PDB format, "Sequence Points Blob",
 * "Document Name Blob").
 *
 *   LocalSignature (Document)  ( dOffset dLines dColumns (dLine dColumn) | 0 Document )*
 *
 *   Separator Part*            a name: the character between its parts, in UTF-8 (0: none), and the
 *                              parts as blobs
 *
 * Hidden points have no line, so a document counts only from its first visible point on. */
#include "symbols/documents.h"

#include "base/cursor.h"

/* Paths have fewer parts, and methods fewer documents. */
#define MAX_PARTS     4096u
#define MAX_DOCUMENTS 256u

static ilp_status fail(struct ilp_error *error, const char *message)
{
    return ilpi_fail(error, ILP_E_BAD_SYMBOLS, ILPI_NO_OFFSET, 0, "%s", message);
}

/* ---- names ---- */

/* Windows paths have another separator: conditions see one. */
static void put_part(struct ilpi_buf *names, struct ilp_bytes part)
{
    for (size_t i = 0; i < part.size && part.data[i] != 0; i++) {
        ilpi_buf_u8(names, part.data[i] == '\\' ? '/' : part.data[i]);
    }
}

/* A document name blob: a separator byte, then indexes of parts in #Blob (Portable PDB
 * specification, "Document name blob"). The parts of all documents of a project are shared. */
static ilp_status put_name(const struct ilp_symbols *symbols, ilp_rid document,
                           struct ilpi_budget *budget, struct ilpi_buf *names,
                           struct ilp_error *error)
{
    const struct ilp_image *pdb = symbols->pdb;
    uint32_t offset = ilp_cell(pdb, ILP_Document, document, ILP_Document_Name);
    struct ilp_bytes blob = ilp_blob(pdb, offset);
    /* The reads above are safe: ilp_cell() gives 0 for a row that does not exist. */
    if (document == 0 || document > pdb->tables[ILP_Document].count || blob.size == 0) {
        return fail(error, "a document that is not there");
    }
    struct ilpi_cursor cursor = ilpi_cursor_over(blob, ilpi_blob_offset(pdb, offset),
                                                 "document name", error);
    cursor.failure = ILP_E_BAD_SYMBOLS;
    uint8_t separator = ilpi_read_u8(&cursor);
    if (separator >= 0x80) {
        return fail(error, "a document whose name has a separator that is not ASCII");
    }
    ILPI_TRY(ilpi_spend(budget, blob.size, error));
    for (unsigned i = 0; ilpi_cursor_left(&cursor) != 0 && i < MAX_PARTS; i++) {
        uint32_t part_offset = ilpi_read_packed(&cursor);
        /* An empty part is offset 0, the heap's empty blob: a rooted path begins with one. Other
         * offsets without a blob are damage. */
        struct ilp_bytes part = ilp_blob(pdb, part_offset);
        if (i != 0 && separator != 0) {
            ilpi_buf_u8(names, separator == '\\' ? '/' : separator);
        }
        if (part.data) {
            ILPI_TRY(ilpi_spend(budget, part.size, error));
            put_part(names, part);
        } else if (part_offset != 0) {
            return fail(error, "a document whose name has a part outside of #Blob");
        }
    }
    ILPI_TRY(cursor.status);
    if (ilpi_cursor_left(&cursor) != 0) {
        return fail(error, "a document whose name has too many parts");
    }
    ilpi_buf_u8(names, 0);
    return names->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, names->size);
}

/* ---- sequence points ---- */

/* In the order in which points name them; methods have one document, rarely two or three, so the
 * search is linear. */
struct documents {
    ilp_rid rids[MAX_DOCUMENTS];
    unsigned count;
};

/* Most methods are in one document, partial types and generated code in a few: a list without order
 * is enough, and a full one says so. */
static bool add(struct documents *documents, ilp_rid rid)
{
    for (unsigned i = 0; i < documents->count; i++) {
        if (documents->rids[i] == rid) {
            return true;
        }
    }
    if (documents->count < MAX_DOCUMENTS) {
        documents->rids[documents->count++] = rid;
        return true;
    }
    return false;
}

/* Decodes points only as far as needed: an offset of 0 after the first point is a change of
 * document, lines and columns of 0 a hidden point, and all else is skipped. */
static ilp_status read_points(struct ilpi_cursor *points, ilp_rid document,
                              struct documents *documents)
{
    ilpi_read_packed(points); /* the signature of the locals */
    document = document != 0 ? document : ilpi_read_packed(points);
    for (bool first = true; ilpi_cursor_left(points) != 0; first = false) {
        if (ilpi_read_packed(points) == 0 && !first) {
            document = ilpi_read_packed(points);
            continue;
        }
        uint32_t lines = ilpi_read_packed(points);
        uint32_t columns = ilpi_read_packed(points);
        if (lines == 0 && columns == 0) {
            continue;
        }
        ilpi_read_packed(points);
        ilpi_read_packed(points);
        if (!add(documents, document)) {
            return ilpi_cursor_fail(points, ILP_E_BAD_SYMBOLS,
                                    "a method of more documents than can be read");
        }
    }
    return points->status;
}

/* The document of the row, or, if it is 0, those in the sequence points, which may change it on the
 * way. */
ilp_status ilpi_symbols_documents(const struct ilp_symbols *symbols, ilp_rid method,
                                  struct ilpi_budget *budget, struct ilpi_buf *names,
                                  struct ilp_error *error)
{
    const struct ilp_image *pdb = symbols->pdb;
    struct documents documents = {.count = 0};
    if (method > pdb->tables[ILP_MethodDebugInformation].count) {
        /* a PDB without methods */
        return ILP_OK;
    }
    uint32_t offset = ilp_cell(pdb, ILP_MethodDebugInformation, method,
                               ILP_MethodDebugInformation_SequencePoints);
    ilp_rid document = ilp_cell(pdb, ILP_MethodDebugInformation, method,
                                ILP_MethodDebugInformation_Document);
    struct ilp_bytes blob = ilp_blob(pdb, offset);
    if (blob.size == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_spend(budget, blob.size, error));
    struct ilpi_cursor points = ilpi_cursor_over(blob, ilpi_blob_offset(pdb, offset),
                                                 "sequence points", error);
    points.failure = ILP_E_BAD_SYMBOLS;
    ILPI_TRY(read_points(&points, document, &documents));
    const size_t before = names->size;
    ilp_status status = ILP_OK;
    for (unsigned i = 0; i < documents.count && status == ILP_OK; i++) {
        status = put_name(symbols, documents.rids[i], budget, names, error);
    }
    names->size = status == ILP_OK ? names->size : before; /* drop an incomplete name */
    return status;
}

/* The kickoff of each MoveNext, by the PDB's own table (Portable PDB, StateMachineMethod): no code
 * has to be read for it. A row without a kickoff sets [0], which is not read. */
void ilpi_symbols_state_machines(const struct ilp_symbols *symbols, ilp_rid *move_next,
                                 ilp_rid count)
{
    const struct ilp_image *pdb = symbols->pdb;
    for (ilp_rid row = 1; row <= pdb->tables[ILP_StateMachineMethod].count; row++) {
        ilp_rid kickoff = ilp_cell(pdb, ILP_StateMachineMethod, row,
                                   ILP_StateMachineMethod_KickoffMethod);
        if (kickoff <= count) {
            move_next[kickoff] = ilp_cell(pdb, ILP_StateMachineMethod, row,
                                          ILP_StateMachineMethod_MoveNextMethod);
        }
    }
}
