/* Expands tables.def and coded.def, and computes the widths that follow (II.24.2.6). A column's
 * width depends on heap sizes and row counts alone, so all shapes of a module are computed once,
 * before any row is read or written.
 *
 *   coded index    rid << bits | tag         2 bytes if every table of it has fewer than
 *                                            2^(16 - bits) rows, else 4
 *   row index      rid                       2 bytes if the table has fewer than 2^16 rows
 *   heap index     offset, or GUID number    2 bytes unless a bit of HeapSizes says 4 */
#include "metadata/schema.h"

#include <assert.h>

/* Lets `key` be a column name or NONE in tables.def. */
enum {
#define ILP_TABLE(number, name, key) ILP_##name##_NONE = -1,
#include "ilpatch/tables.def"
};

/* The meaning of a column's `target` depends on its kind. */
#define TARGET_U8PAD(target) 0
#define TARGET_U16(target)   0
#define TARGET_U32(target)   0
#define TARGET_STR(target)   0
#define TARGET_GUID(target)  0
#define TARGET_BLOB(target)  0
#define TARGET_ROW(target)   ILP_##target
#define TARGET_LIST(target)  ILP_##target
#define TARGET_CODED(target) ILPI_CODED_##target

const struct ilpi_table_def ilpi_tables[ILP_TABLE_COUNT] = {
#define ILP_TABLE(number, table, key_column)       \
    [number] = {.name = #table,                    \
                .columns = ILP_##table##_COLUMNS,  \
                .key = ILP_##table##_##key_column, \
                .column = {
#define ILP_COL(table, column, column_kind, to) \
    [ILP_##table##_##column] = {#column, ILPI_##column_kind, TARGET_##column_kind(to)},
#define ILP_ENDT(table) \
    }                   \
    }                   \
    ,
#include "ilpatch/tables.def"
};

#define ILP_TABLE(number, name, key) \
    static_assert((int)ILP_##name##_COLUMNS <= ILP_MAX_COLUMNS, #name " has too many columns");
#include "ilpatch/tables.def"

/* The columns' positions are counted from tables.def and compared with the public enumerators, so
 * that neither list can change alone. */
/* ilpatch.h lists the tables, and the columns of each in this order. */
#define ILP_TABLE(number, name, key)                   \
    static_assert((int)ILP_##name == (number), #name); \
    enum {
#define ILP_COL(table, name, kind, target) COLUMN_POSITION_##table##_##name,
#define ILP_ENDT(name)               \
    COLUMN_POSITION_##name##_COLUMNS \
    }                                \
    ;
#include "ilpatch/tables.def"
#define ILP_COL(table, name, kind, target)                                            \
    static_assert((int)ILP_##table##_##name == (int)COLUMN_POSITION_##table##_##name, \
                  #table " " #name);
#define ILP_ENDT(name) \
    static_assert((int)ILP_##name##_COLUMNS == (int)COLUMN_POSITION_##name##_COLUMNS, #name);
#include "ilpatch/tables.def"

const struct ilpi_coded_def ilpi_codeds[ILPI_CODED_COUNT] = {
#define CODED(coded, tag_bits) [ILPI_CODED_##coded] = {.name = #coded, .bits = tag_bits, .tables = {
#define TAG(coded, tag, table) [tag] = ILP_##table + 1,
#define ENDC(coded) \
    }               \
    }               \
    ,
#include "metadata/coded.def"
#undef CODED
#undef TAG
#undef ENDC
};

/* A null index may have any tag: rid 0 gives token 0 for all of them. */
ilp_token ilpi_coded_to_token(enum ilpi_coded coded, uint32_t value)
{
    const struct ilpi_coded_def *def = &ilpi_codeds[coded];
    uint32_t tag = value & ((1u << def->bits) - 1);
    uint32_t rid = value >> def->bits;
    if (rid == 0 || rid > ILPI_MAX_RID || def->tables[tag] == 0) {
        return 0;
    }
    return ILP_TOKEN(def->tables[tag] - 1, rid);
}

/* `tables` has 0 where a tag is free, which no table plus one equals. */
uint32_t ilpi_token_to_coded(enum ilpi_coded coded, ilp_token token)
{
    const struct ilpi_coded_def *def = &ilpi_codeds[coded];
    if (ILP_TOKEN_RID(token) == 0) {
        return 0;
    }
    for (uint32_t tag = 0; tag < 1u << def->bits; tag++) {
        if (def->tables[tag] == ILP_TOKEN_TABLE(token) + 1) {
            return ILP_TOKEN_RID(token) << def->bits | tag;
        }
    }
    return ILPI_NO_CODED;
}

/* The largest table decides, compared with 2^(16 - bits): a rid must fit into what the tag leaves
 * of 16 bits. */
static uint8_t coded_width(const struct ilpi_sizes *sizes, const struct ilpi_coded_def *def)
{
    for (uint32_t tag = 0; tag < 1u << def->bits; tag++) {
        if (def->tables[tag] != 0 && sizes->rows[def->tables[tag] - 1] >= 1u << (16 - def->bits)) {
            return 4;
        }
    }
    return 2;
}

/* `coded` has the results of coded_width(). */
static uint8_t column_width(const struct ilpi_sizes *sizes, const uint8_t coded[ILPI_CODED_COUNT],
                            const struct ilpi_column_def *column)
{
    switch ((enum ilpi_column_kind)column->kind) {
    case ILPI_U8PAD:
    case ILPI_U16: return 2;
    case ILPI_U32: return 4;
    case ILPI_STR: return sizes->large_strings ? 4 : 2;
    case ILPI_GUID: return sizes->large_guids ? 4 : 2;
    case ILPI_BLOB: return sizes->large_blobs ? 4 : 2;
    case ILPI_ROW:
    case ILPI_LIST: return sizes->rows[column->target] >= 0x10000 ? 4 : 2;
    case ILPI_CODED: return coded[column->target];
    }
    return 0;
}

/* at[] fits in 8 bits: ILP_MAX_COLUMNS columns of 4 bytes are the most (checked above for each
 * table). */
void ilpi_shapes_compute(const struct ilpi_sizes *sizes,
                         struct ilpi_row_shape shapes[ILP_TABLE_COUNT])
{
    uint8_t coded[ILPI_CODED_COUNT];
    for (unsigned i = 0; i < ILPI_CODED_COUNT; i++) {
        coded[i] = coded_width(sizes, &ilpi_codeds[i]);
    }
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        const struct ilpi_table_def *def = &ilpi_tables[table];
        struct ilpi_row_shape *shape = &shapes[table];
        *shape = (struct ilpi_row_shape){0};
        for (unsigned i = 0; i < def->columns; i++) {
            shape->at[i] = shape->size;
            shape->size = (uint8_t)(shape->size + column_width(sizes, coded, &def->column[i]));
        }
        shape->at[def->columns] = shape->size;
    }
}

const char *ilp_table_name(unsigned table)
{
    return table < ILP_TABLE_COUNT ? ilpi_tables[table].name : NULL;
}
