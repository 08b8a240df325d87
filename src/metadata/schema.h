/* The shapes of tables and coded indexes, expanded from tables.def and coded.def, and the row
 * layouts that follow from a module's row counts and heap sizes (II.22, II.24.2.6). */
#ifndef ILPI_SCHEMA_H
#define ILPI_SCHEMA_H

#include "base/error.h"

/* What a cell is, and how wide: fixed, by a heap's size, or by the row counts of tables
 * (II.24.2.6). */
enum ilpi_column_kind {
    ILPI_U8PAD,
    ILPI_U16,
    ILPI_U32,
    ILPI_STR,
    ILPI_GUID,
    ILPI_BLOB,
    ILPI_ROW,
    ILPI_LIST,
    ILPI_CODED
};

enum ilpi_coded {
#define CODED(name, bits) ILPI_CODED_##name,
#define TAG(name, tag, table)
#define ENDC(name)
#include "metadata/coded.def"
#undef CODED
#undef TAG
#undef ENDC
    ILPI_CODED_COUNT
};

#define ILPI_MAX_TAGS 32u

/* Rids fill the lower 24 bits of a token. */
#define ILPI_MAX_RID 0xFFFFFFu

/* A coded index: which tags mean which tables (coded.def). */
struct ilpi_coded_def {
    const char *name;
    uint8_t bits;
    uint8_t tables[ILPI_MAX_TAGS]; /* by tag: the table plus one, 0 where the tag is free */
};

struct ilpi_column_def {
    const char *name;
    uint8_t kind;   /* enum ilpi_column_kind */
    uint8_t target; /* ROW, LIST: a table; CODED: an enum ilpi_coded */
};

/* A table of II.22, from tables.def. */
struct ilpi_table_def {
    const char *name; /* NULL: no such table */
    uint8_t columns;
    int8_t key; /* the column the table is sorted by, or -1 */
    struct ilpi_column_def column[ILP_MAX_COLUMNS];
};

extern const struct ilpi_table_def ilpi_tables[ILP_TABLE_COUNT];
extern const struct ilpi_coded_def ilpi_codeds[ILPI_CODED_COUNT];

/* Converts a coded index to a token and back. 0 is null both ways; a tag or table that the coded
 * index does not have gives 0 and ILPI_NO_CODED. */
#define ILPI_NO_CODED UINT32_MAX
ilp_token ilpi_coded_to_token(enum ilpi_coded coded, uint32_t value);
uint32_t ilpi_token_to_coded(enum ilpi_coded coded, ilp_token token);

/* The inputs of an index's width. */
struct ilpi_sizes {
    uint32_t rows[ILP_TABLE_COUNT];
    bool large_strings;
    bool large_guids;
    bool large_blobs;
};

/* The offsets of the columns in one table's rows: column i from at[i] to at[i + 1]. */
struct ilpi_row_shape {
    uint8_t at[ILP_MAX_COLUMNS + 1];
    uint8_t size;
};

/* The row layouts of all tables; those that do not exist get size 0. */
void ilpi_shapes_compute(const struct ilpi_sizes *sizes,
                         struct ilpi_row_shape shapes[ILP_TABLE_COUNT]);

#endif
