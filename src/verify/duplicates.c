/* Duplicate rows (II.22: "no duplicate rows"). Each rule names the cells that identify a row; names
 * and signatures are compared by content, since a heap may hold one text twice. */
#include "base/hash.h"
#include "base/bytes.h"
#include "base/map.h"
#include "metadata/flags.h"
#include "verify/verifier.h"

#define NO_COLUMN 0xFFu
/* instead of a column: the type with the member, or the enclosing type */
enum { OWNER = 0xFE };

struct rule {
    uint8_t table;
    uint8_t finding; /* enum ilpi_finding */
    uint8_t columns[4];
};

/* Columns up to NO_COLUMN identify a row. REF_DUPLICATE is for tables in which an equal row only
 * wastes space. */
static const struct rule rules[] = {
    {ILP_Constant, ILPI_FIND_ROW_DUPLICATE, {ILP_Constant_Parent, NO_COLUMN}},
    {ILP_FieldMarshal, ILPI_FIND_ROW_DUPLICATE, {ILP_FieldMarshal_Parent, NO_COLUMN}},
    {ILP_ClassLayout, ILPI_FIND_ROW_DUPLICATE, {ILP_ClassLayout_Parent, NO_COLUMN}},
    {ILP_FieldLayout, ILPI_FIND_ROW_DUPLICATE, {ILP_FieldLayout_Field, NO_COLUMN}},
    {ILP_FieldRVA, ILPI_FIND_ROW_DUPLICATE, {ILP_FieldRVA_Field, NO_COLUMN}},
    {ILP_ImplMap, ILPI_FIND_ROW_DUPLICATE, {ILP_ImplMap_MemberForwarded, NO_COLUMN}},
    {ILP_NestedClass, ILPI_FIND_ROW_DUPLICATE, {ILP_NestedClass_NestedClass, NO_COLUMN}},
    {ILP_EventMap, ILPI_FIND_ROW_DUPLICATE, {ILP_EventMap_Parent, NO_COLUMN}},
    {ILP_PropertyMap, ILPI_FIND_ROW_DUPLICATE, {ILP_PropertyMap_Parent, NO_COLUMN}},
    {ILP_MethodImpl,
     ILPI_FIND_ROW_DUPLICATE,
     {ILP_MethodImpl_Class, ILP_MethodImpl_MethodDeclaration, NO_COLUMN}},
    {ILP_TypeDef,
     ILPI_FIND_NAME_DUPLICATE,
     {OWNER, ILP_TypeDef_TypeName, ILP_TypeDef_TypeNamespace, NO_COLUMN}},
    {ILP_Field, ILPI_FIND_NAME_DUPLICATE, {OWNER, ILP_Field_Name, ILP_Field_Signature, NO_COLUMN}},
    {ILP_MethodDef,
     ILPI_FIND_NAME_DUPLICATE,
     {OWNER, ILP_MethodDef_Name, ILP_MethodDef_Signature, NO_COLUMN}},
    {ILP_ExportedType,
     ILPI_FIND_NAME_DUPLICATE,
     {ILP_ExportedType_Implementation, ILP_ExportedType_TypeName, ILP_ExportedType_TypeNamespace,
      NO_COLUMN}},
    {ILP_TypeRef,
     ILPI_FIND_REF_DUPLICATE,
     {ILP_TypeRef_ResolutionScope, ILP_TypeRef_TypeName, ILP_TypeRef_TypeNamespace, NO_COLUMN}},
    {ILP_MemberRef,
     ILPI_FIND_REF_DUPLICATE,
     {ILP_MemberRef_Class, ILP_MemberRef_Name, ILP_MemberRef_Signature, NO_COLUMN}},
    {ILP_TypeSpec, ILPI_FIND_REF_DUPLICATE, {ILP_TypeSpec_Signature, NO_COLUMN}},
    {ILP_MethodSpec,
     ILPI_FIND_REF_DUPLICATE,
     {ILP_MethodSpec_Method, ILP_MethodSpec_Instantiation, NO_COLUMN}},
    {ILP_ModuleRef, ILPI_FIND_REF_DUPLICATE, {ILP_ModuleRef_Name, NO_COLUMN}},
    {ILP_InterfaceImpl,
     ILPI_FIND_REF_DUPLICATE,
     {ILP_InterfaceImpl_Class, ILP_InterfaceImpl_Interface, NO_COLUMN}},
    {ILP_GenericParamConstraint,
     ILPI_FIND_REF_DUPLICATE,
     {ILP_GenericParamConstraint_Owner, ILP_GenericParamConstraint_Constraint, NO_COLUMN}},
};

/* Compiler-controlled members are never found by name, so they may share one (II.22.15,
 * II.22.26). */
static bool is_nameless(const struct ilp_image *image, const struct rule *rule, ilp_rid rid)
{
    return (rule->table == ILP_Field &&
            (ilp_cell(image, ILP_Field, rid, ILP_Field_Flags) & ILPI_FIELD_ACCESS_MASK) == 0) ||
           (rule->table == ILP_MethodDef &&
            (ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Flags) & ILPI_METHOD_ACCESS_MASK) ==
                0);
}

/* The content of a cell, as bytes; `number` has room for those of a number. */
static struct ilp_bytes cell_bytes(const struct ilp_image *image, unsigned table, ilp_rid rid,
                                   uint8_t column, uint32_t *number)
{
    uint8_t kind = column == OWNER ? (uint8_t)ILPI_ROW : ilpi_tables[table].column[column].kind;
    if (column == OWNER) {
        *number = table == ILP_TypeDef     ? ilp_enclosing_type(image, rid)
                  : table == ILP_MethodDef ? ilp_owner_of_method(image, rid)
                                           : ilp_owner_of_field(image, rid);
    } else {
        *number = ilpi_cell_raw(&image->tables[table], rid, column);
    }
    if (kind == ILPI_STR) {
        const char *text = ilp_string(image, *number);
        return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
    }
    if (kind == ILPI_BLOB) {
        return ilp_blob(image, *number);
    }
    return (struct ilp_bytes){(const uint8_t *)number, sizeof *number};
}

/* The work is charged by the bytes that are hashed: rows may share one long name. */
static uint64_t hash_row(struct ilpi_verifier *verifier, const struct rule *rule, ilp_rid rid)
{
    uint64_t hash = rule->table;
    for (unsigned i = 0; i < 4 && rule->columns[i] != NO_COLUMN; i++) {
        uint32_t number;
        struct ilp_bytes bytes = cell_bytes(verifier->image, rule->table, rid, rule->columns[i],
                                            &number);
        ilpi_spend_work(verifier, 1 + bytes.size / 8);
        hash = XXH3_64bits_withSeed(bytes.data ? bytes.data : (const uint8_t *)"", bytes.size,
                                    hash);
    }
    return hash;
}

/* Rows are compared by content, since two rows of one name may have different offsets in a heap.
 * Each comparison costs work by its size; hashes were equal before, so most compared rows are
 * duplicates. */
static bool same_rows(struct ilpi_verifier *verifier, const struct rule *rule, ilp_rid left,
                      ilp_rid right)
{
    for (unsigned i = 0; i < 4 && rule->columns[i] != NO_COLUMN; i++) {
        uint32_t numbers[2];
        struct ilp_bytes a = cell_bytes(verifier->image, rule->table, left, rule->columns[i],
                                        &numbers[0]);
        struct ilp_bytes b = cell_bytes(verifier->image, rule->table, right, rule->columns[i],
                                        &numbers[1]);
        ilpi_spend_work(verifier, 1 + a.size / 8);
        if (!ilpi_bytes_equal(a, b)) {
            return false;
        }
    }
    return true;
}

/* Names made to collide end a search early, which only misses a finding. */
#define PROBE_LIMIT 64u

/* An earlier row with the same cells; 0: none, and this row is added. Candidates have the same hash
 * and are compared cell by cell, so a collision costs time but makes no finding. */
static ilp_rid find_same(struct ilpi_verifier *verifier, const struct rule *rule,
                         struct ilpi_map *rows, ilp_rid rid)
{
    struct ilpi_map_search search = ilpi_map_find(rows, hash_row(verifier, rule, rid));
    ilp_rid same;
    while ((same = ilpi_map_next(&search)) != 0) {
        if (same_rows(verifier, rule, same, rid)) {
            return same;
        }
    }
    ilpi_map_add_found(rows, &search, rid);
    return 0;
}

static void check_rule(struct ilpi_verifier *verifier, const struct rule *rule,
                       struct ilpi_map *rows)
{
    const struct ilp_image *image = verifier->image;
    uint32_t count = image->tables[rule->table].count;
    for (ilp_rid rid = 1; rid <= count && verifier->work != 0; rid++) {
        ilp_rid same = is_nameless(image, rule, rid) ? 0 : find_same(verifier, rule, rows, rid);
        if (same != 0) {
            ilpi_report_row(verifier, (enum ilpi_finding)rule->finding, rule->table, rid,
                            "it says the same as row %u of %s", same,
                            ilpi_tables[rule->table].name);
        }
    }
}

/* One map at a time, as large as one table, and freed before the next. */
void ilpi_verify_duplicates(struct ilpi_verifier *verifier)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0] && verifier->status == ILP_OK; i++) {
        struct ilpi_map rows = {.limit = PROBE_LIMIT};
        uint32_t count = verifier->image->tables[rules[i].table].count;
        if (!ilpi_has_room(verifier, ilpi_map_bytes(count))) {
            ilpi_report_row(verifier, ILPI_FIND_TOO_COMPLEX, rules[i].table, 1,
                            "%u rows were not compared with each other", count);
            continue;
        }
        if (ilpi_map_reserve(&rows, &verifier->alloc, count, NULL) != ILP_OK) {
            ilpi_verify_no_memory(verifier, count * sizeof *rows.slots);
            return;
        }
        check_rule(verifier, &rules[i], &rows);
        ilpi_map_free(&rows, &verifier->alloc);
    }
}
