/* Checks the cells of every table: references refer to rows, names and blobs are in their heaps,
 * runs of rows are contiguous, sorted tables are sorted (II.22, II.24.2). Expanded from
 * tables.def. */
#include "base/utf8.h"
#include "verify/verifier.h"

/* Bytes of names that cost one step of work. */
#define BYTES_A_STEP 8u

/* Tables of a Portable PDB refer to rows of another file; edit-and-continue logs contain any
 * token. */
static bool is_checked(unsigned table)
{
    /* 0x30 is Document, the first table of a Portable PDB */
    return table < 0x30 && table != ILP_ENCLog && table != ILP_ENCMap;
}

/* The cells that II.22 allows to be null. In three of them null has a meaning:
 *
 *   TypeDef.Extends                    <Module>, System.Object and interfaces (II.22.37)
 *   TypeRef.ResolutionScope            the type is in ExportedType (II.22.38)
 *   ManifestResource.Implementation    the resource is in this file (II.22.24) */
static bool may_be_null(unsigned table, unsigned column)
{
    return (table == ILP_TypeDef && column == ILP_TypeDef_Extends) ||
           (table == ILP_TypeRef && column == ILP_TypeRef_ResolutionScope) ||
           (table == ILP_ManifestResource && column == ILP_ManifestResource_Implementation) ||
           (table == ILP_Event && column == ILP_Event_EventType) ||
           (table == ILP_ExportedType && column == ILP_ExportedType_Implementation);
}

/* Row 0 is null (II.22), and the count is the last row. The index in a list column may be one more,
 * but these are for check_runs(). */
static void check_row_index(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid,
                            unsigned column, unsigned target, ilp_rid index)
{
    const char *name = ilpi_tables[table].column[column].name;
    uint32_t count = verifier->image->tables[target].count;
    if (index == 0 && !may_be_null(table, column)) {
        ilpi_report_row(verifier, ILPI_FIND_TABLE_NULL, table, rid, "%s is null", name);
    } else if (index > count) {
        ilpi_report_row(verifier, ILPI_FIND_TABLE_INDEX, table, rid,
                        "%s is row %u of the %u rows of %s", name, index, count,
                        ilpi_tables[target].name);
    }
}

/* The tag is in the low bits (II.24.2.6); unused tags, as of CustomAttributeType 0, have no
 * table. */
static void check_coded(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid,
                        unsigned column, uint32_t raw)
{
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    const struct ilpi_coded_def *coded = &ilpi_codeds[def->target];
    uint32_t tag = raw & ((1u << coded->bits) - 1);
    if (tag >= ILPI_MAX_TAGS || coded->tables[tag] == 0) {
        ilpi_report_row(verifier, ILPI_FIND_TABLE_TAG, table, rid,
                        "%s has tag %u, which %s does not know", def->name, tag, coded->name);
        return;
    }
    check_row_index(verifier, table, rid, column, coded->tables[tag] - 1u, raw >> coded->bits);
}

/* In #Strings an offset of any kind is an index (II.24.2.3), also into the middle of another name,
 * so each is read for itself. A name that many rows share is read for each of them; the work that
 * remains bounds that. */
static void check_string(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid,
                         unsigned column, uint32_t offset)
{
    const struct ilp_image *image = verifier->image;
    const char *name = ilpi_tables[table].column[column].name;
    if (offset != 0 && offset >= image->strings_end) {
        ilpi_report_row(verifier, ILPI_FIND_STRING_INDEX, table, rid,
                        "%s is at 0x%X of the 0x%zX bytes of #Strings", name, offset,
                        image->strings_end);
        return;
    }
    const uint8_t *text = (const uint8_t *)ilp_string(image, offset);
    /* Rows may share one long name: it is read as far as the remaining work allows. */
    size_t most = (size_t)verifier->work * BYTES_A_STEP;
    size_t left = strnlen((const char *)text, most);
    if (left == most || !ilpi_spend_work(verifier, left / BYTES_A_STEP)) {
        verifier->work = 0;
        return;
    }
    while (left != 0) {
        uint32_t code;
        unsigned length = ilpi_utf8_read(text, left, &code);
        if (length == 0) {
            ilpi_report_row(verifier, ILPI_FIND_STRING_UTF8, table, rid, "%s is not UTF-8", name);
            return;
        }
        text += length;
        left -= length;
    }
}

/* ilp_blob() returns an empty span for a truncated blob as for an empty one: the heap has the
 * difference. */
static void check_blob(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid, unsigned column,
                       uint32_t offset)
{
    const struct ilp_image *image = verifier->image;
    if (offset == 0 || ilp_blob(image, offset).size != 0 ||
        (offset < image->blobs.size && image->blobs.data[offset] == 0)) {
        return;
    }
    ilpi_report_row(verifier, ILPI_FIND_BLOB_INDEX, table, rid,
                    "%s at 0x%X does not fit into the 0x%zX bytes of #Blob",
                    ilpi_tables[table].column[column].name, offset, image->blobs.size);
}

/* By the kind of the column (metadata/tables.def). Whether an index is right in its meaning, and
 * not only in range, is for the other files. */
static void check_cell(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid, unsigned column)
{
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    uint32_t raw = ilpi_cell_raw(&verifier->image->tables[table], rid, column);
    switch ((enum ilpi_column_kind)def->kind) {
    case ILPI_ROW: check_row_index(verifier, table, rid, column, def->target, raw); break;
    case ILPI_CODED: check_coded(verifier, table, rid, column, raw); break;
    case ILPI_STR: check_string(verifier, table, rid, column, raw); break;
    case ILPI_BLOB: check_blob(verifier, table, rid, column, raw); break;
    case ILPI_GUID:
        if (raw > verifier->image->guids.size / 16) {
            ilpi_report_row(verifier, ILPI_FIND_GUID_INDEX, table, rid, "%s is GUID %u of %zu",
                            def->name, raw, verifier->image->guids.size / 16);
        }
        break;
    default: /* numbers; runs of rows are for check_runs() */ break;
    }
}

/* The table that a run counts in: the *Ptr table, if there is one (II.22, uncompressed
 * metadata). */
static unsigned run_target(const struct ilp_image *image, unsigned target)
{
    static const uint8_t pointers[][2] = {{ILP_Field, ILP_FieldPtr},
                                          {ILP_MethodDef, ILP_MethodPtr},
                                          {ILP_Param, ILP_ParamPtr},
                                          {ILP_Event, ILP_EventPtr},
                                          {ILP_Property, ILP_PropertyPtr}};
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
        if (target == pointers[i][0] && image->tables[pointers[i][1]].count != 0) {
            return pointers[i][1];
        }
    }
    return target;
}

/* Runs rise, end at most after the last row, and the first one leaves no row out. `last` is set
 * only from runs that are not null, so that one null cell makes one finding. */
static void check_runs(struct ilpi_verifier *verifier, unsigned table, unsigned column)
{
    const struct ilp_image *image = verifier->image;
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    unsigned target = run_target(image, def->target);
    uint32_t end = image->tables[target].count + 1;
    uint32_t last = 1;
    for (ilp_rid rid = 1; rid <= image->tables[table].count; rid++) {
        uint32_t first = ilpi_cell_raw(&image->tables[table], rid, column);
        bool first_gap = rid == 1 && first > 1 && end > 1;
        if (first != 0 && (first < last || first > end || first_gap)) {
            ilpi_report_row(verifier, ILPI_FIND_TABLE_LIST, table, rid,
                            "%s begins at row %u of the %u rows of %s, the run before at %u",
                            def->name, first, end - 1, ilpi_tables[target].name, last);
            return; /* later rows are wrong as well */
        }
        last = first != 0 ? first : last;
    }
    if (image->tables[table].count == 0 && end > 1 && table == ILP_TypeDef) {
        ilpi_report_row(verifier, ILPI_FIND_TABLE_LIST, target, 1, "no TypeDef owns it");
    }
}

/* Runtimes search a table without its Sorted bit linearly: slow, not wrong. */
static void check_order(struct ilpi_verifier *verifier, unsigned table)
{
    const struct ilp_image *image = verifier->image;
    int key = ilpi_tables[table].key;
    bool marked = (image->sorted >> table & 1) != 0;
    uint32_t last = 0;
    for (ilp_rid rid = 1; key >= 0 && rid <= image->tables[table].count; rid++) {
        uint32_t value = ilpi_cell_raw(&image->tables[table], rid, (unsigned)key);
        if (value < last) {
            ilpi_report_row(verifier, marked ? ILPI_FIND_TABLE_ORDER : ILPI_FIND_TABLE_UNSORTED,
                            table, rid, "%s is less than in the row before",
                            ilpi_tables[table].column[key].name);
            return;
        }
        last = value;
    }
}

void ilpi_verify_tables(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (!is_checked(table)) {
            continue;
        }
        for (ilp_rid rid = 1; rid <= image->tables[table].count && verifier->status == ILP_OK;
             rid++) {
            for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
                check_cell(verifier, table, rid, column);
            }
        }
        for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
            if (ilpi_tables[table].column[column].kind == ILPI_LIST) {
                check_runs(verifier, table, column);
            }
        }
        check_order(verifier, table);
    }
}
