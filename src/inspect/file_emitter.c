/* The emitter for files: finds existing rows and adds missing ones to an edit.
 *
 * The few rows of AssemblyRef and ModuleRef are scanned. The other tables may have thousands of
 * rows and are indexed.
 *
 *   request --key--> hash --map--> candidates, compared with their rows --> token
 *                                  none: a row is added and indexed
 *
 * The map has no keys: rows are read from the edit, which also sees rows that another user of the
 * edit added (index_rows() catches up). */
#include <string.h>

#include "base/hash.h"
#include "base/bytes.h"
#include "base/map.h"
#include "metadata/edit.h"
#include "metadata/flags.h"

#define TOKEN_BYTES 8u /* of a public key token (II.6.3) */

/* The index of one table: empty until the scans are used up. Rows are only appended to an edit, so
 * rows that are indexed stay where they are. */
struct row_index {
    unsigned scans; /* requests served without the index */
    struct ilpi_map rids;
    uint32_t rows; /* rows of the table that are indexed */
};

enum {
    INDEX_TYPE_REF,
    INDEX_MEMBER_REF,
    INDEX_TYPE_SPEC,
    INDEX_STANDALONE_SIG,
    INDEX_METHOD_SPEC,
    INDEX_COUNT
};

#define NO_COLUMN UINT8_MAX

/* The tables with an index, and the columns that identify a row. For MemberRef most files need one
 * or two requests, and indexing all rows costs as much as three scans. */
static const struct {
    uint8_t table;
    uint8_t owner;
    uint8_t name;
    uint8_t name_space;
    uint8_t signature;
    uint8_t scans; /* requests served by scanning before the index is built */
} indexed[INDEX_COUNT] = {
    [INDEX_TYPE_REF] = {ILP_TypeRef, ILP_TypeRef_ResolutionScope, ILP_TypeRef_TypeName,
                        ILP_TypeRef_TypeNamespace, NO_COLUMN, 0},
    [INDEX_MEMBER_REF] = {ILP_MemberRef, ILP_MemberRef_Class, ILP_MemberRef_Name, NO_COLUMN,
                          ILP_MemberRef_Signature, 2},
    [INDEX_TYPE_SPEC] = {ILP_TypeSpec, NO_COLUMN, NO_COLUMN, NO_COLUMN, ILP_TypeSpec_Signature, 0},
    [INDEX_STANDALONE_SIG] = {ILP_StandAloneSig, NO_COLUMN, NO_COLUMN, NO_COLUMN,
                              ILP_StandAloneSig_Signature, 0},
    [INDEX_METHOD_SPEC] = {ILP_MethodSpec, ILP_MethodSpec_Method, NO_COLUMN, NO_COLUMN,
                           ILP_MethodSpec_Instantiation, 0},
};

/* What identifies a row; zero if its table has no such column. */
struct row_key {
    ilp_token owner;
    const char *name;
    const char *name_space;
    struct ilp_bytes signature;
};

struct ilp_file_emitter {
    struct ilp_edit *edit; /* borrowed: closed after the emitter */
    struct row_index index[INDEX_COUNT];
    struct ilp_emitter interface;
};

static bool cell_is(const struct ilp_edit *edit, unsigned table, ilp_rid rid, unsigned column,
                    const char *text)
{
    return strcmp(ilpi_edit_string(edit, ilp_edit_cell(edit, table, rid, column)), text) == 0;
}

/* Adds a row and gives its token. */
static ilp_status add(struct ilp_edit *edit, unsigned table, const uint32_t *cells,
                      ilp_token *token, struct ilp_error *error)
{
    ilp_rid rid;
    ILPI_TRY(ilp_edit_add_row(edit, table, cells, &rid, error));
    *token = ILP_TOKEN(table, rid);
    return ILP_OK;
}

/* ---- tables that are scanned ---- */

/* Whether a reference has the same key. A full key and an 8-byte token cannot be compared without
 * SHA-1: with equal names they count as equal. */
static bool key_is(const struct ilp_edit *edit, ilp_rid rid, struct ilp_bytes key)
{
    struct ilp_bytes there = ilpi_edit_blob(
        edit, ilp_edit_cell(edit, ILP_AssemblyRef, rid, ILP_AssemblyRef_PublicKeyOrToken));
    bool comparable = (there.size == TOKEN_BYTES) == (key.size == TOKEN_BYTES);
    return comparable || there.size == 0 || key.size == 0 ? ilpi_bytes_equal(there, key) : true;
}

/* A reference to another version of the assembly will do: the runtime decides which version is
 * loaded. */
static ilp_status assembly_ref(void *user, const struct ilp_assembly_name *name, ilp_token *token,
                               struct ilp_error *error)
{
    struct ilp_edit *edit = ((struct ilp_file_emitter *)user)->edit;
    for (ilp_rid rid = 1; rid <= ilp_edit_row_count(edit, ILP_AssemblyRef); rid++) {
        if (cell_is(edit, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name, name->name) &&
            key_is(edit, rid, name->key)) {
            *token = ILP_TOKEN(ILP_AssemblyRef, rid);
            return ILP_OK;
        }
    }
    uint32_t cells[ILP_AssemblyRef_COLUMNS] = {
        [ILP_AssemblyRef_MajorVersion] = name->version[0],
        [ILP_AssemblyRef_MinorVersion] = name->version[1],
        [ILP_AssemblyRef_BuildNumber] = name->version[2],
        [ILP_AssemblyRef_RevisionNumber] = name->version[3],
        [ILP_AssemblyRef_Flags] = name->flags,
    };
    ILPI_TRY(ilp_edit_add_blob(edit, name->key, &cells[ILP_AssemblyRef_PublicKeyOrToken], error));
    ILPI_TRY(ilp_edit_add_string(edit, name->name, &cells[ILP_AssemblyRef_Name], error));
    ILPI_TRY(ilp_edit_add_string(edit, name->culture, &cells[ILP_AssemblyRef_Culture], error));
    return add(edit, ILP_AssemblyRef, cells, token, error);
}

/* ---- tables with an index ---- */

static const char *name_at(const struct ilp_edit *edit, unsigned table, ilp_rid rid,
                           unsigned column)
{
    return column != NO_COLUMN ? ilpi_edit_string(edit, ilp_edit_cell(edit, table, rid, column))
                               : NULL;
}

static ilp_token owner_at(const struct ilp_edit *edit, unsigned which, ilp_rid rid)
{
    unsigned column = indexed[which].owner;
    return column != NO_COLUMN ? ilp_edit_cell(edit, indexed[which].table, rid, column) : 0;
}

/* What makes rows of this table equal (`indexed`): columns that it does not have are empty in the
 * key. */
static struct row_key key_at(const struct ilp_edit *edit, unsigned which, ilp_rid rid)
{
    unsigned table = indexed[which].table;
    unsigned signature = indexed[which].signature;
    return (struct row_key){
        .owner = owner_at(edit, which, rid),
        .name = name_at(edit, table, rid, indexed[which].name),
        .name_space = name_at(edit, table, rid, indexed[which].name_space),
        .signature = signature != NO_COLUMN
                         ? ilpi_edit_blob(edit, ilp_edit_cell(edit, table, rid, signature))
                         : (struct ilp_bytes){NULL, 0},
    };
}

static bool same_name(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}

/* Both of one table. */
static bool same_key(const struct row_key *left, const struct row_key *right)
{
    return left->owner == right->owner && same_name(left->name, right->name) &&
           same_name(left->name_space, right->name_space) &&
           ilpi_bytes_equal(left->signature, right->signature);
}

/* Few types share a name and scope, so the namespace is not hashed. */
static uint64_t hash_of(const struct row_key *key)
{
    uint64_t hash = key->owner;
    if (key->signature.size != 0) {
        hash = XXH3_64bits_withSeed(key->signature.data, key->signature.size, hash);
    }
    return key->name ? XXH3_64bits_withSeed(key->name, strlen(key->name), hash) : hash;
}

/* Rows made to collide may not be found: then a row is added twice, which is legal. */
#define PROBE_LIMIT 256u

/* The row with this content, or 0. */
static ilp_rid find_row(const struct ilp_file_emitter *emitter, unsigned which,
                        const struct row_key *key, struct ilpi_map_search *search)
{
    *search = ilpi_map_find(&emitter->index[which].rids, hash_of(key));
    ilp_rid rid;
    while ((rid = ilpi_map_next(search)) != 0) {
        struct row_key there = key_at(emitter->edit, which, rid);
        if (same_key(&there, key)) {
            break;
        }
    }
    return rid;
}

/* Indexes the rows added since the last call; at first, all. Of equal rows the first counts.
 * Afterwards there is room for one more. */
static ilp_status index_rows(struct ilp_file_emitter *emitter, unsigned which,
                             struct ilp_error *error)
{
    const struct ilp_edit *edit = emitter->edit;
    struct row_index *index = &emitter->index[which];
    struct ilpi_alloc *alloc = &emitter->edit->alloc;
    uint32_t rows = ilp_edit_row_count(edit, indexed[which].table);
    index->rids.limit = PROBE_LIMIT;
    ILPI_TRY(ilpi_map_reserve(&index->rids, alloc, (size_t)rows + 1, error));
    for (; index->rows < rows; index->rows++) {
        ilp_rid rid = index->rows + 1;
        struct row_key key = key_at(edit, which, rid);
        struct ilpi_map_search search;
        if (find_row(emitter, which, &key, &search) == 0) {
            ilpi_map_add_found(&index->rids, &search, rid);
        }
    }
    return ILP_OK;
}

/* The first row with this content, or 0. */
static ilp_rid look_through(const struct ilp_edit *edit, unsigned which, const struct row_key *key)
{
    uint32_t rows = ilp_edit_row_count(edit, indexed[which].table);
    for (ilp_rid rid = 1; rid <= rows; rid++) {
        if (owner_at(edit, which, rid) == key->owner) {
            struct row_key there = key_at(edit, which, rid);
            if (same_key(&there, key)) {
                return rid;
            }
        }
    }
    return 0;
}

/* The cells of a new row follow from what it is looked up by, so a row that is found and one that
 * is added have the same content. */
static ilp_status add_key(struct ilp_edit *edit, unsigned which, const struct row_key *key,
                          ilp_token *token, struct ilp_error *error)
{
    uint32_t cells[ILP_MAX_COLUMNS] = {0};
    if (indexed[which].owner != NO_COLUMN) {
        cells[indexed[which].owner] = key->owner;
    }
    if (key->name) {
        ILPI_TRY(ilp_edit_add_string(edit, key->name, &cells[indexed[which].name], error));
    }
    if (key->name_space) {
        ILPI_TRY(
            ilp_edit_add_string(edit, key->name_space, &cells[indexed[which].name_space], error));
    }
    if (indexed[which].signature != NO_COLUMN) {
        ILPI_TRY(ilp_edit_add_blob(edit, key->signature, &cells[indexed[which].signature], error));
    }
    return add(edit, indexed[which].table, cells, token, error);
}

/* Before the index is built, `scans` requests are served by a walk. */
static ilp_status find_or_add(struct ilp_file_emitter *emitter, unsigned which,
                              const struct row_key *key, ilp_token *token, struct ilp_error *error)
{
    struct row_index *index = &emitter->index[which];
    struct ilpi_map_search search;
    bool uses_index = index->scans == indexed[which].scans;
    ilp_rid found;
    if (uses_index) {
        ILPI_TRY(index_rows(emitter, which, error));
        found = find_row(emitter, which, key, &search);
    } else {
        index->scans++;
        found = look_through(emitter->edit, which, key);
    }
    if (found != 0) {
        *token = ILP_TOKEN(indexed[which].table, found);
        return ILP_OK;
    }
    ILPI_TRY(add_key(emitter->edit, which, key, token, error));
    if (uses_index) {
        /* index_rows() was called above, so the new row is the only one that is not indexed */
        index->rows = ILP_TOKEN_RID(*token);
        ilpi_map_add_found(&index->rids, &search, index->rows);
    }
    return ILP_OK;
}

static ilp_status type_ref(void *user, ilp_token scope, const char *name_space, const char *name,
                           ilp_token *token, struct ilp_error *error)
{
    const struct row_key key = {.owner = scope, .name = name, .name_space = name_space};
    return find_or_add(user, INDEX_TYPE_REF, &key, token, error);
}

static ilp_status member_ref(void *user, ilp_token parent, const char *name,
                             struct ilp_bytes signature, ilp_token *token, struct ilp_error *error)
{
    const struct row_key key = {.owner = parent, .name = name, .signature = signature};
    return find_or_add(user, INDEX_MEMBER_REF, &key, token, error);
}

static ilp_status type_spec(void *user, struct ilp_bytes signature, ilp_token *token,
                            struct ilp_error *error)
{
    const struct row_key key = {.signature = signature};
    return find_or_add(user, INDEX_TYPE_SPEC, &key, token, error);
}

static ilp_status standalone_sig(void *user, struct ilp_bytes signature, ilp_token *token,
                                 struct ilp_error *error)
{
    const struct row_key key = {.signature = signature};
    return find_or_add(user, INDEX_STANDALONE_SIG, &key, token, error);
}

static ilp_status method_spec(void *user, ilp_token method, struct ilp_bytes instantiation,
                              ilp_token *token, struct ilp_error *error)
{
    const struct row_key key = {.owner = method, .signature = instantiation};
    return find_or_add(user, INDEX_METHOD_SPEC, &key, token, error);
}

static ilp_status user_string(void *user, struct ilp_bytes utf8, ilp_token *token,
                              struct ilp_error *error)
{
    return ilp_edit_add_user_string(((struct ilp_file_emitter *)user)->edit, utf8, token, error);
}

/* ---- P/Invoke methods ---- */

enum {
    /* as for C#'s static classes */
    TYPE_FLAGS = ILPI_TYPE_ABSTRACT | ILPI_TYPE_SEALED | ILPI_TYPE_BEFORE_FIELD_INIT,
    METHOD_FLAGS = ILPI_METHOD_PINVOKE | ILPI_METHOD_HIDE_BY_SIG | ILPI_METHOD_STATIC |
                   ILPI_METHOD_ASSEMBLY,
    PINVOKE_FLAGS = ILPI_PINVOKE_CDECL | ILPI_PINVOKE_NO_MANGLE
};

#define MAX_RID 0xFFFFFFu

/* Checks a request that spans several tables as a whole, so that it adds all its rows or none. */
static ilp_status check_room(const struct ilp_edit *edit, struct ilp_error *error)
{
    static const uint8_t tables[] = {ILP_TypeDef, ILP_MethodDef, ILP_ModuleRef, ILP_ImplMap,
                                     ILP_CustomAttribute};
    for (size_t i = 0; i < sizeof tables; i++) {
        if (ilp_edit_row_count(edit, tables[i]) >= MAX_RID) {
            return ilpi_fail(error, ILP_E_TOO_MANY, ILPI_NO_OFFSET, 0, "the table %s is full",
                             ilp_table_name(tables[i]));
        }
    }
    return ILP_OK;
}

/* Linear: assemblies name few native libraries. */
static ilp_status module_ref(struct ilp_edit *edit, const char *name, ilp_rid *rid,
                             struct ilp_error *error)
{
    uint32_t cells[ILP_ModuleRef_COLUMNS];
    for (*rid = 1; *rid <= ilp_edit_row_count(edit, ILP_ModuleRef); ++*rid) {
        if (cell_is(edit, ILP_ModuleRef, *rid, ILP_ModuleRef_Name, name)) {
            return ILP_OK;
        }
    }
    ILPI_TRY(ilp_edit_add_string(edit, name, &cells[ILP_ModuleRef_Name], error));
    return ilp_edit_add_row(edit, ILP_ModuleRef, cells, rid, error);
}

static ilp_status add_suppression(struct ilp_edit *edit, ilp_token method, ilp_token constructor,
                                  struct ilp_error *error)
{
    static const uint8_t empty[] = {1, 0, 0, 0}; /* II.23.3: a prolog, and no named arguments */
    uint32_t cells[ILP_CustomAttribute_COLUMNS] = {
        [ILP_CustomAttribute_Parent] = method, [ILP_CustomAttribute_Type] = constructor};
    ilp_rid rid;
    ILPI_TRY(ilp_edit_add_blob(edit, (struct ilp_bytes){empty, sizeof empty},
                               &cells[ILP_CustomAttribute_Value], error));
    return ilp_edit_add_row(edit, ILP_CustomAttribute, cells, &rid, error);
}

/* A class with the one method: a type's methods are one run of rows, and only the last type's can
 * grow. Room in all tables was checked before, so that the request adds all rows or none. */
static ilp_status pinvoke(void *user, const struct ilp_pinvoke *wanted, ilp_token *token,
                          struct ilp_error *error)
{
    struct ilp_edit *edit = ((struct ilp_file_emitter *)user)->edit;
    ilp_rid rid;
    uint32_t type[ILP_TypeDef_COLUMNS] = {
        [ILP_TypeDef_Flags] = TYPE_FLAGS,
        [ILP_TypeDef_Extends] = wanted->object,
        [ILP_TypeDef_FieldList] = ilp_edit_row_count(edit, ILP_Field) + 1,
        [ILP_TypeDef_MethodList] = ilp_edit_row_count(edit, ILP_MethodDef) + 1,
    };
    uint32_t method[ILP_MethodDef_COLUMNS] = {
        [ILP_MethodDef_ImplFlags] = ILPI_METHOD_IMPL_PRESERVE_SIG,
        [ILP_MethodDef_Flags] = METHOD_FLAGS,
        [ILP_MethodDef_ParamList] = ilp_edit_row_count(edit, ILP_Param) + 1,
    };
    uint32_t map[ILP_ImplMap_COLUMNS] = {[ILP_ImplMap_MappingFlags] = PINVOKE_FLAGS};
    ILPI_TRY(check_room(edit, error));
    ILPI_TRY(ilp_edit_add_string(edit, wanted->type_name, &type[ILP_TypeDef_TypeName], error));
    ILPI_TRY(
        ilp_edit_add_string(edit, wanted->name_space, &type[ILP_TypeDef_TypeNamespace], error));
    ILPI_TRY(ilp_edit_add_string(edit, wanted->symbol, &method[ILP_MethodDef_Name], error));
    ILPI_TRY(ilp_edit_add_blob(edit, wanted->signature, &method[ILP_MethodDef_Signature], error));
    ILPI_TRY(module_ref(edit, wanted->library, &rid, error));
    map[ILP_ImplMap_ImportScope] = rid;
    map[ILP_ImplMap_ImportName] = method[ILP_MethodDef_Name];
    ILPI_TRY(ilp_edit_add_row(edit, ILP_TypeDef, type, &rid, error));
    ILPI_TRY(add(edit, ILP_MethodDef, method, token, error));
    map[ILP_ImplMap_MemberForwarded] = *token;
    ILPI_TRY(ilp_edit_add_row(edit, ILP_ImplMap, map, &rid, error));
    return wanted->attribute != 0 ? add_suppression(edit, *token, wanted->attribute, error)
                                  : ILP_OK;
}

/* ---- public ---- */

/* The indexes are built at the first request of each kind: a module with few changes needs few of
 * them. */
ilp_status ilp_file_emitter_open(struct ilp_file_emitter **out, struct ilp_edit *edit,
                                 struct ilp_error *error)
{
    struct ilp_file_emitter *emitter = ilpi_resize(&edit->alloc, NULL, 0, sizeof *emitter);
    *out = emitter;
    if (!emitter) {
        return ilpi_fail_memory(error, sizeof *emitter);
    }
    *emitter = (struct ilp_file_emitter){
        .edit = edit,
        .interface = {.user = emitter,
                      .assembly_ref = assembly_ref,
                      .type_ref = type_ref,
                      .member_ref = member_ref,
                      .type_spec = type_spec,
                      .method_spec = method_spec,
                      .standalone_sig = standalone_sig,
                      .user_string = user_string,
                      .pinvoke = pinvoke},
    };
    return ILP_OK;
}

const struct ilp_emitter *ilp_file_emitter_interface(const struct ilp_file_emitter *emitter)
{
    return &emitter->interface;
}

/* The maps are from the edit's allocator, as is the emitter: the edit is closed after it. */
void ilp_file_emitter_close(struct ilp_file_emitter *emitter)
{
    if (!emitter) {
        return;
    }
    struct ilpi_alloc *alloc = &emitter->edit->alloc;
    for (unsigned i = 0; i < INDEX_COUNT; i++) {
        ilpi_map_free(&emitter->index[i].rids, alloc);
    }
    ilpi_resize(alloc, emitter, sizeof *emitter, 0);
}
