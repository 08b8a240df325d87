/* Look-ups: owners, enclosing types, generic parameters, attributes, types by name.
 *
 * Tables with a key are searched by bisection, in the file's order or in that of order.c. A file
 * that claims to be sorted and is not makes a look-up miss rows; it cannot make it read outside of
 * a table, since ilpi_cell_raw() gives 0 there.
 *
 *   key        3  3  5  9  9  9      key cells, rising
 *   position   1  2  3  4  5  6      bisected: the first one that is not below the key
 *   rid        4  1  2  6  3  5      = position, unless order[] maps it */
#include "metadata/image.h"

#include "base/hash.h"
#include "base/map.h"

/* The rid at a position of a table sorted by its key. */
static ilp_rid row_at(const struct ilp_image *image, unsigned table, uint32_t position)
{
    const ilp_rid *order = image->order[table];
    return order && position <= image->tables[table].count ? order[position] : position;
}

static uint32_t key_at(const struct ilp_image *image, unsigned table, uint32_t position)
{
    return ilpi_cell_raw(&image->tables[table], row_at(image, table, position),
                         (unsigned)ilpi_tables[table].key);
}

/* The first call (*position 0) searches; each next one takes the row after it, since equal keys
 * follow one another in the sorted order, which ilpi_orders_build() makes for tables that are not
 * sorted in the file. */
ilp_rid ilpi_next_with_key(const struct ilp_image *image, unsigned table, uint32_t key,
                           uint32_t *position)
{
    uint32_t count = image->tables[table].count;
    if (*position == 0) {
        uint32_t low = 1;
        uint32_t high = count + 1;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (key_at(image, table, middle) < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        *position = low;
    } else {
        ++*position;
    }
    bool found = *position <= count && key_at(image, table, *position) == key;
    return found ? row_at(image, table, *position) : 0;
}

/* The last TypeDef whose run begins at or before the row: runs rise with the TypeDefs (II.22.37).
 * The last, because TypeDefs without members share the start of the next one's run:
 *
 *   TypeDef            1   2   3   4
 *   MethodList         1   4   4   6      methods 4 and 5 are those of TypeDef 3, not of 2
 *
 * Whether the member is in that run is checked at the end, for runs that are out of order. */
static ilp_rid owner_of(const struct ilp_image *image, unsigned column, unsigned target,
                        ilp_rid member)
{
    if (member == 0 || member > image->tables[target].count) {
        return 0;
    }
    ilp_rid low = 1;
    ilp_rid high = image->tables[ILP_TypeDef].count + 1;
    while (low < high) {
        ilp_rid middle = low + (high - low) / 2;
        if (ilpi_cell_raw(&image->tables[ILP_TypeDef], middle, column) <= member) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, low - 1, column, &first, &end);
    return first <= member && member < end ? low - 1 : 0;
}

/* With a *Ptr table the runs hold its positions, not the members. A member that no pointer row
 * names has position 0, which has no owner. */
ilp_rid ilp_owner_of_method(const struct ilp_image *image, ilp_rid method)
{
    if (!image->method_position) {
        return owner_of(image, ILP_TypeDef_MethodList, ILP_MethodDef, method);
    }
    return method > image->tables[ILP_MethodDef].count
               ? 0
               : owner_of(image, ILP_TypeDef_MethodList, ILP_MethodPtr,
                          image->method_position[method]);
}

ilp_rid ilp_owner_of_field(const struct ilp_image *image, ilp_rid field)
{
    if (!image->field_position) {
        return owner_of(image, ILP_TypeDef_FieldList, ILP_Field, field);
    }
    return field > image->tables[ILP_Field].count
               ? 0
               : owner_of(image, ILP_TypeDef_FieldList, ILP_FieldPtr, image->field_position[field]);
}

/* Without a row for this type `row` is 0, and so is the cell of row 0: a top-level type. */
ilp_rid ilp_enclosing_type(const struct ilp_image *image, ilp_rid type)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(image, ILP_NestedClass, type, &position);
    return ilpi_cell_raw(&image->tables[ILP_NestedClass], row, ILP_NestedClass_EnclosingClass);
}

/* How many unsorted parameters of one owner are searched. Without a bound, a file could have one
 * owner with all rows of the table, and each look-up would walk them. */
#define MAX_UNORDERED_PARAMS 256u

static bool is_param(const struct ilp_image *image, ilp_rid row, uint32_t owner, uint32_t number)
{
    const struct ilpi_table *rows = &image->tables[ILP_GenericParam];
    return row != 0 && ilpi_cell_raw(rows, row, ILP_GenericParam_Owner) == owner &&
           ilpi_cell_raw(rows, row, ILP_GenericParam_Number) == number;
}

ilp_rid ilpi_find_generic_param(const struct ilp_image *image, ilp_token owner, uint32_t number)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_TypeOrMethodDef, owner);
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(image, ILP_GenericParam, key, &position);
    /* By Owner, then by Number (II.22.20), so the position follows from the number; else search. */
    uint32_t guess = position + number;
    if (row != 0 && number < image->tables[ILP_GenericParam].count &&
        is_param(image, row_at(image, ILP_GenericParam, guess), key, number)) {
        return row_at(image, ILP_GenericParam, guess);
    }
    for (unsigned tried = 0; row != 0 && tried < MAX_UNORDERED_PARAMS; tried++) {
        if (is_param(image, row, key, number)) {
            return row;
        }
        row = ilpi_next_with_key(image, ILP_GenericParam, key, &position);
    }
    return 0;
}

void ilpi_type_name(const struct ilp_image *image, ilp_token token, const char **name_space,
                    const char **name)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    unsigned table = ILP_TOKEN_TABLE(token);
    bool ref = table == ILP_TypeRef;
    *name_space = "";
    *name = "";
    if (ref || table == ILP_TypeDef) {
        *name = ilp_string(
            image, ilp_cell(image, table, rid,
                            ref ? (unsigned)ILP_TypeRef_TypeName : (unsigned)ILP_TypeDef_TypeName));
        *name_space = ilp_string(image, ilp_cell(image, table, rid,
                                                 ref ? (unsigned)ILP_TypeRef_TypeNamespace
                                                     : (unsigned)ILP_TypeDef_TypeNamespace));
    }
}

ilp_token ilpi_attribute_type(const struct ilp_image *image, ilp_rid row)
{
    ilp_token constructor = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Type);
    ilp_rid rid = ILP_TOKEN_RID(constructor);
    return ILP_TOKEN_TABLE(constructor) == ILP_MemberRef
               ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class)
               : ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid));
}

/* 01 00, then a SerString (II.23.3): a length as a compressed integer, then UTF-8. Named arguments
 * may follow. The null string, whose length byte is FF, is no compressed integer, so it fails the
 * cursor and gives the empty text. */
struct ilp_bytes ilpi_attribute_text(const struct ilp_image *image, ilp_rid row)
{
    uint32_t blob = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Value);
    struct ilpi_cursor cursor = ilpi_cursor_over(ilp_blob(image, blob), 0, "attribute", NULL);
    bool prolog = ilpi_read_u16(&cursor) == 1;
    uint32_t size = ilpi_read_packed(&cursor);
    struct ilp_bytes text = ilpi_read_bytes(&cursor, size);
    return prolog && cursor.status == ILP_OK ? text : (struct ilp_bytes){NULL, 0};
}

/* ---- types by name ---- */

/* The key of a type; top-level ExportedTypes have no enclosing type. */
struct type_key {
    unsigned table; /* TypeDef, ExportedType; TypeRef only to compare */
    ilp_rid enclosing;
    const char *name_space;
    const char *name;
};

/* Built once by ilp_image_index(), and only read afterwards, so that threads can share it. Keys are
 * not stored: the names are compared in the image. */
struct ilpi_type_index {
    struct ilpi_map tokens;
    ilp_rid *enclosing; /* per TypeDef rid, 0: top level */
};

/* How many slots one search visits. A file can hold many names with one hash; with the limit,
 * building the index stays linear. Types that find no slot within it are never found, and so stay
 * unresolved. */
#define PROBE_LIMIT 128u

/* The runtimes' limit (MAX_CLASSNAME_LENGTH of CoreCLR): types with longer names are not loaded,
 * and not found here. Without it, many rows could share one name as long as the file. */
#define MAX_TYPE_NAME 1023u

static bool is_findable(const struct type_key *key)
{
    return strnlen(key->name, MAX_TYPE_NAME + 1) <= MAX_TYPE_NAME &&
           strnlen(key->name_space, MAX_TYPE_NAME + 1) <= MAX_TYPE_NAME;
}

/* The table and the enclosing type are part of the key: a nested type has no namespace of its own
 * (II.22.37), so many share a name. An ExportedType is hashed with 0. */
static uint64_t hash_key(const struct type_key *key)
{
    uint64_t hash = XXH3_64bits_withSeed(key->name_space, strlen(key->name_space),
                                         (uint64_t)key->table << 32 | key->enclosing);
    return XXH3_64bits_withSeed(key->name, strlen(key->name), hash);
}

/* Namespace follows Name in all three tables. */
static unsigned name_column(unsigned table)
{
    switch (table) {
    case ILP_TypeDef: return ILP_TypeDef_TypeName;
    case ILP_TypeRef: return ILP_TypeRef_TypeName;
    default: return ILP_ExportedType_TypeName;
    }
}

/* The name is compared first: most rows differ in it. */
static bool is_named(const struct ilp_image *image, ilp_rid rid, const struct type_key *key)
{
    const struct ilpi_table *rows = &image->tables[key->table];
    unsigned column = name_column(key->table);
    return ilpi_string_is(image, ilpi_cell_raw(rows, rid, column), key->name) &&
           ilpi_string_is(image, ilpi_cell_raw(rows, rid, column + 1), key->name_space);
}

bool ilpi_is_attribute(const struct ilp_image *image, ilp_rid row, const char *name_space,
                       const char *name)
{
    ilp_token type = ilpi_attribute_type(image, row);
    const struct type_key key = {ILP_TOKEN_TABLE(type), 0, name_space, name};
    return (key.table == ILP_TypeDef || key.table == ILP_TypeRef) &&
           is_named(image, ILP_TOKEN_RID(type), &key);
}

ilp_rid ilpi_find_attribute(const struct ilp_image *image, ilp_token parent, const char *name_space,
                            const char *name)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_HasCustomAttribute, parent);
    uint32_t position = 0;
    ilp_rid row;
    do {
        row = ilpi_next_with_key(image, ILP_CustomAttribute, key, &position);
    } while (row != 0 && !ilpi_is_attribute(image, row, name_space, name));
    return row;
}

/* The token of a key, or 0. */
static ilp_token find_indexed(const struct ilp_image *image, const struct type_key *key,
                              struct ilpi_map_search *search)
{
    const struct ilpi_type_index *index = image->types;
    *search = ilpi_map_find(&index->tokens, hash_key(key));
    ilp_token found;
    while ((found = ilpi_map_next(search)) != 0) {
        ilp_rid rid = ILP_TOKEN_RID(found);
        if (ILP_TOKEN_TABLE(found) == key->table && is_named(image, rid, key) &&
            (key->table != ILP_TypeDef || index->enclosing[rid] == key->enclosing)) {
            break;
        }
    }
    return found;
}

/* Of two types with one name the first counts. */
static void index_add(struct ilp_image *image, unsigned table, ilp_rid rid, ilp_rid enclosing)
{
    const struct ilpi_table *rows = &image->tables[table];
    unsigned column = name_column(table);
    const struct type_key key = {
        table,
        enclosing,
        ilp_string(image, ilpi_cell_raw(rows, rid, column + 1)),
        ilp_string(image, ilpi_cell_raw(rows, rid, column)),
    };
    struct ilpi_map_search search;
    if (is_findable(&key) && find_indexed(image, &key, &search) == 0) {
        ilpi_map_add_found(&image->types->tokens, &search, ILP_TOKEN(table, rid));
    }
}

/* One pass over each table. Only ilp_image_index() calls it: many files are opened just to be
 * written. */
static ilp_status build_index(struct ilp_image *image, struct ilp_error *error)
{
    uint32_t types = image->tables[ILP_TypeDef].count;
    uint32_t exported = image->tables[ILP_ExportedType].count;
    struct ilpi_type_index *index = ilpi_arena_alloc(&image->arena, sizeof *index);
    ilp_rid *enclosing = ilpi_arena_array(&image->arena, (size_t)types + 1, sizeof *enclosing);
    if (!index || !enclosing) {
        return ilpi_fail_memory(error, (size_t)types * sizeof *enclosing);
    }
    *index = (struct ilpi_type_index){.tokens.limit = PROBE_LIMIT, .enclosing = enclosing};
    /* image->types is set once the map has room for all rows, so that no addition below can fail,
     * and ilpi_type_index_free() has something to free only then. */
    ILPI_TRY(ilpi_map_reserve(&index->tokens, &image->alloc, (size_t)types + exported, error));
    image->types = index;
    for (ilp_rid row = 1; row <= image->tables[ILP_NestedClass].count; row++) {
        ilp_rid nested = ilp_cell(image, ILP_NestedClass, row, ILP_NestedClass_NestedClass);
        if (nested <= types && enclosing[nested] == 0) {
            /* the first row counts, as in ilp_enclosing_type() */
            enclosing[nested] = ilp_cell(image, ILP_NestedClass, row,
                                         ILP_NestedClass_EnclosingClass);
        }
    }
    /* TypeDefs before ExportedTypes, both by rising rids: index_add() keeps the first of two with
     * one name. The two tables cannot hide each other, since the table is part of the key. */
    for (ilp_rid rid = 1; rid <= types; rid++) {
        index_add(image, ILP_TypeDef, rid, enclosing[rid]);
    }
    for (ilp_rid rid = 1; rid <= exported; rid++) {
        ilp_token scope = ilp_cell(image, ILP_ExportedType, rid, ILP_ExportedType_Implementation);
        if (ILP_TOKEN_TABLE(scope) != ILP_ExportedType) {
            index_add(image, ILP_ExportedType, rid, 0);
        }
    }
    return ILP_OK;
}

ilp_status ilp_image_index(struct ilp_image *image, struct ilp_error *error)
{
    return image->types ? ILP_OK : build_index(image, error);
}

void ilpi_type_index_free(struct ilp_image *image)
{
    if (image->types) {
        ilpi_map_free(&image->types->tokens, &image->alloc);
    }
}

/* ---- looking up ---- */

static ilp_token scope_of_exported(const struct ilp_image *image, ilp_rid rid)
{
    return ilp_cell(image, ILP_ExportedType, rid, ILP_ExportedType_Implementation);
}

/* The same outcome by a walk over the rows, for images from which few types are looked up: an index
 * costs as much as some walks, and memory. */
static ilp_rid find_unindexed(const struct ilp_image *image, const struct type_key *key)
{
    for (ilp_rid rid = 1; rid <= image->tables[key->table].count; rid++) {
        if (is_named(image, rid, key) &&
            (key->table == ILP_TypeDef
                 ? ilp_enclosing_type(image, rid) == key->enclosing
                 : ILP_TOKEN_TABLE(scope_of_exported(image, rid)) != ILP_ExportedType)) {
            return rid;
        }
    }
    return 0;
}

static ilp_rid find(const struct ilp_image *image, const struct type_key *key)
{
    struct ilpi_map_search search;
    if (!is_findable(key)) {
        return 0;
    }
    return image->types ? ILP_TOKEN_RID(find_indexed(image, key, &search))
                        : find_unindexed(image, key);
}

ilp_rid ilpi_find_type(const struct ilp_image *image, ilp_rid enclosing, const char *name_space,
                       const char *name)
{
    return find(image, &(struct type_key){ILP_TypeDef, enclosing, name_space, name});
}

ilp_rid ilpi_find_exported(const struct ilp_image *image, const char *name_space, const char *name)
{
    return find(image, &(struct type_key){ILP_ExportedType, 0, name_space, name});
}
