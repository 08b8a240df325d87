/* Builds metadata in memory, row by row and as strangely as a test wants it: streams in any order,
 * #~ or
 * #-, wide heaps, tables with 2^24 rows or bits that mean nothing. pe_builder.h puts a PE file
 * around it.
 *
 *   struct ib_image b;
 *   ib_begin(&b);
 *   IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), ib_string(&b, "Object"), ib_string(&b,
 * "System")); struct ib_bytes root = ib_root(&b);     owned by the caller ib_end(&b);
 *
 * Of the library only the tables of schema.c are used; widths and encodings are worked out here
 * once more, so that reader and builder cannot share a mistake. A builder that is used wrongly
 * aborts.
 */
#ifndef IMAGE_BUILDER_H
#define IMAGE_BUILDER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metadata/schema.h"

/* ---- bytes that grow ---- */

struct ib_bytes {
    uint8_t *data; /* owned */
    size_t size;
    size_t capacity;
};

static inline uint8_t *ib_more(struct ib_bytes *to, size_t n)
{
    if (n > to->capacity - to->size) {
        size_t capacity = (to->size + n) * 2;
        uint8_t *data = realloc(to->data, capacity);
        if (!data) {
            abort();
        }
        to->data = data;
        to->capacity = capacity;
    }
    to->size += n;
    return to->data ? to->data + (to->size - n) : NULL; /* NULL + 0 is not C */
}

static inline void ib_put(struct ib_bytes *to, const void *bytes, size_t size)
{
    uint8_t *at = ib_more(to, size);
    if (size != 0) {
        memcpy(at, bytes, size);
    }
}

static inline void ib_zeros(struct ib_bytes *to, size_t n)
{
    uint8_t *at = ib_more(to, n);
    if (n != 0) {
        memset(at, 0, n);
    }
}

/* `size` bytes of a little-endian number. */
static inline void ib_number(struct ib_bytes *to, uint64_t value, unsigned size)
{
    uint8_t *at = ib_more(to, size);
    for (unsigned i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static inline void ib_align(struct ib_bytes *to, size_t alignment)
{
    ib_zeros(to, (alignment - to->size % alignment) % alignment);
}

/* A compressed integer (II.23.2), always the shortest. */
static inline void ib_packed(struct ib_bytes *to, uint32_t value)
{
    if (value < 0x80) {
        ib_number(to, value, 1);
    } else if (value < 0x4000) {
        ib_number(to, 0x80 | value >> 8, 1);
        ib_number(to, value & 0xFF, 1);
    } else {
        ib_number(to, 0xC0 | value >> 24, 1);
        ib_number(to, value >> 16 & 0xFF, 1);
        ib_number(to, value >> 8 & 0xFF, 1);
        ib_number(to, value & 0xFF, 1);
    }
}

static inline void ib_free(struct ib_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct ib_bytes){0};
}

/* ---- metadata ---- */

#define IB_MAX_STREAMS 16u
#define IB_MAX_FIXUPS  64u

/* `given` NULL: the builder's own table stream or heap of that name. */
struct ib_stream {
    const char *name; /* borrowed */
    const void *given;
    size_t size;
};

struct ib_rows {
    uint32_t *cells; /* in the form of ilp_cell(), or IB_RAW() */
    uint32_t count;
    uint32_t capacity;
};

/* A cell that is to hold the RVA of something in `data`. */
struct ib_fixup {
    unsigned table;
    ilp_rid rid;
    unsigned column;
    uint32_t offset;
};

struct ib_image {
    struct ib_bytes strings;
    struct ib_bytes user_strings;
    struct ib_bytes blobs;
    struct ib_bytes guids;
    struct ib_rows tables[ILP_TABLE_COUNT];
    struct ib_stream streams[IB_MAX_STREAMS]; /* in the order of the file; change at will */
    unsigned stream_count;
    const char *version;
    uint64_t sorted;
    uint64_t empty_tables;   /* Valid bits of tables that say they have 0 rows */
    uint64_t strange_tables; /* Valid bits of tables that say they have 1 row, but have none */
    uint8_t heap_flags;  /* added to those that the sizes demand; 0x40: four more bytes follow */
    struct ib_bytes pdb; /* the #Pdb stream */
    uint32_t referenced[ILP_TABLE_COUNT]; /* row counts in #Pdb */
    struct ib_bytes data; /* bodies and the like, put before the root by pe_builder.h */
    struct ib_fixup fixups[IB_MAX_FIXUPS];
    unsigned fixup_count;
};

/* A coded index given as it is in the file, tag and all. */
#define IB_RAW(value) (0xFF000000u | (uint32_t)(value))

static inline void ib_stream(struct ib_image *b, const char *name, const void *given, size_t size)
{
    if (b->stream_count == IB_MAX_STREAMS) {
        abort();
    }
    b->streams[b->stream_count++] = (struct ib_stream){name, given, size};
}

static inline void ib_begin(struct ib_image *b)
{
    *b = (struct ib_image){.version = "v4.0.30319"};
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        b->sorted |= (uint64_t)(ilpi_tables[table].name && ilpi_tables[table].key >= 0) << table;
    }
    ib_zeros(&b->strings, 1);
    ib_zeros(&b->user_strings, 1);
    ib_zeros(&b->blobs, 1);
    ib_stream(b, "#~", NULL, 0);
    ib_stream(b, "#Strings", NULL, 0);
    ib_stream(b, "#US", NULL, 0);
    ib_stream(b, "#GUID", NULL, 0);
    ib_stream(b, "#Blob", NULL, 0);
}

static inline void ib_end(struct ib_image *b)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        free(b->tables[table].cells);
    }
    ib_free(&b->strings);
    ib_free(&b->user_strings);
    ib_free(&b->blobs);
    ib_free(&b->guids);
    ib_free(&b->pdb);
    ib_free(&b->data);
}

/* Heap entries; each call makes a new one. */
static inline uint32_t ib_string(struct ib_image *b, const char *text)
{
    uint32_t offset = (uint32_t)b->strings.size;
    ib_put(&b->strings, text, strlen(text) + 1);
    return offset;
}

static inline uint32_t ib_blob(struct ib_image *b, const void *bytes, size_t size)
{
    uint32_t offset = (uint32_t)b->blobs.size;
    ib_packed(&b->blobs, (uint32_t)size);
    ib_put(&b->blobs, bytes, size);
    return offset;
}

#define IB_BLOB(b, ...) \
    ib_blob(b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* A user string of ASCII; returns its token. */
static inline ilp_token ib_user_string(struct ib_image *b, const char *text)
{
    uint32_t offset = (uint32_t)b->user_strings.size;
    ib_packed(&b->user_strings, (uint32_t)(strlen(text) * 2 + 1));
    for (; *text; text++) {
        ib_number(&b->user_strings, (uint8_t)*text, 2);
    }
    ib_number(&b->user_strings, 0, 1);
    return ILP_TOKEN(ILP_TOKEN_USER_STRING, offset);
}

/* A GUID whose 16 bytes are all `byte`; returns its index. */
static inline uint32_t ib_guid(struct ib_image *b, uint8_t byte)
{
    memset(ib_more(&b->guids, 16), byte, 16);
    return (uint32_t)(b->guids.size / 16);
}

/* `count` rows of zeros; returns the first. */
static inline ilp_rid ib_rows(struct ib_image *b, unsigned table, uint32_t count)
{
    struct ib_rows *rows = &b->tables[table];
    size_t columns = ilpi_tables[table].columns;
    if (count > rows->capacity - rows->count) {
        uint32_t capacity = (rows->count + count) * 2;
        rows->cells = realloc(rows->cells, capacity * columns * sizeof *rows->cells);
        rows->capacity = capacity;
    }
    if (!rows->cells) {
        abort();
    }
    memset(rows->cells + rows->count * columns, 0, count * columns * sizeof *rows->cells);
    rows->count += count;
    return rows->count - count + 1;
}

static inline void ib_set(struct ib_image *b, unsigned table, ilp_rid rid, unsigned column,
                          uint32_t value)
{
    b->tables[table].cells[(rid - 1) * ilpi_tables[table].columns + column] = value;
}

static inline uint32_t ib_get(const struct ib_image *b, unsigned table, ilp_rid rid,
                              unsigned column)
{
    return b->tables[table].cells[(rid - 1) * ilpi_tables[table].columns + column];
}

static inline ilp_rid ib_row(struct ib_image *b, unsigned table, const uint32_t *cells,
                             size_t count)
{
    if (count != ilpi_tables[table].columns) {
        abort();
    }
    ilp_rid rid = ib_rows(b, table, 1);
    for (unsigned i = 0; i < count; i++) {
        ib_set(b, table, rid, i, cells[i]);
    }
    return rid;
}

/* One row, all columns. */
#define IB_ROW(b, table, ...)                               \
    ib_row(b, ILP_##table, (const uint32_t[]){__VA_ARGS__}, \
           sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Bytes that a cell's RVA leads to, at a multiple of 4 (II.25.4.3). */
static inline void ib_data(struct ib_image *b, unsigned table, ilp_rid rid, unsigned column,
                           const void *bytes, size_t size)
{
    if (b->fixup_count == IB_MAX_FIXUPS) {
        abort();
    }
    ib_align(&b->data, 4);
    b->fixups[b->fixup_count++] = (struct ib_fixup){table, rid, column, (uint32_t)b->data.size};
    ib_put(&b->data, bytes, size);
}

#define IB_BODY(b, method, ...)                                                          \
    ib_data(b, ILP_MethodDef, method, ILP_MethodDef_RVA, (const uint8_t[]){__VA_ARGS__}, \
            sizeof((const uint8_t[]){__VA_ARGS__}))

/* Adds the #Pdb stream for the row counts in `referenced` (Portable PDB format). */
static inline void ib_pdb_stream(struct ib_image *b)
{
    uint64_t bits = 0;
    b->pdb.size = 0;
    ib_zeros(&b->pdb, 24); /* id and entry point */
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        bits |= (uint64_t)(b->referenced[table] != 0) << table;
    }
    ib_number(&b->pdb, bits, 8);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (b->referenced[table] != 0) {
            ib_number(&b->pdb, b->referenced[table], 4);
        }
    }
    ib_stream(b, "#Pdb", b->pdb.data, b->pdb.size);
}

/* ---- the table stream (II.24.2.6) ---- */

static inline uint32_t ib_row_count(const struct ib_image *b, unsigned table)
{
    return b->tables[table].count != 0 ? b->tables[table].count : b->referenced[table];
}

static inline unsigned ib_width(const struct ib_image *b, const struct ilpi_column_def *column,
                                unsigned heap_flags)
{
    uint32_t most = 0;
    switch ((enum ilpi_column_kind)column->kind) {
    case ILPI_U8PAD:
    case ILPI_U16: return 2;
    case ILPI_U32: return 4;
    case ILPI_STR: return heap_flags & 1 ? 4 : 2;
    case ILPI_GUID: return heap_flags & 2 ? 4 : 2;
    case ILPI_BLOB: return heap_flags & 4 ? 4 : 2;
    case ILPI_ROW:
    case ILPI_LIST: return ib_row_count(b, column->target) > 0xFFFF ? 4 : 2;
    case ILPI_CODED:
        for (unsigned tag = 0; tag < ILPI_MAX_TAGS; tag++) {
            unsigned table = ilpi_codeds[column->target].tables[tag];
            uint32_t rows = table != 0 ? ib_row_count(b, table - 1) : 0;
            most = rows > most ? rows : most;
        }
        return (uint64_t)most << ilpi_codeds[column->target].bits > 0xFFFF ? 4 : 2;
    }
    abort();
}

static inline uint32_t ib_encode(const struct ilpi_column_def *column, uint32_t cell)
{
    if (column->kind != ILPI_CODED || cell == 0) {
        return cell;
    }
    if (cell >> 24 == 0xFF) {
        return cell & 0xFFFFFF;
    }
    const struct ilpi_coded_def *coded = &ilpi_codeds[column->target];
    for (unsigned tag = 0; tag < ILPI_MAX_TAGS; tag++) {
        if (coded->tables[tag] == (cell >> 24) + 1) {
            return (cell & 0xFFFFFF) << coded->bits | tag;
        }
    }
    abort();
}

static inline void ib_put_rows(struct ib_bytes *to, const struct ib_image *b, unsigned table,
                               unsigned heap_flags)
{
    const struct ilpi_table_def *def = &ilpi_tables[table];
    unsigned widths[ILP_MAX_COLUMNS];
    for (unsigned i = 0; i < def->columns; i++) {
        widths[i] = ib_width(b, &def->column[i], heap_flags);
    }
    const uint32_t *cell = b->tables[table].cells;
    for (uint32_t row = 0; row < b->tables[table].count; row++) {
        for (unsigned i = 0; i < def->columns; i++) {
            ib_number(to, ib_encode(&def->column[i], *cell++), widths[i]);
        }
    }
}

static inline struct ib_bytes ib_table_stream(const struct ib_image *b)
{
    struct ib_bytes to = {0};
    unsigned flags = b->heap_flags;
    flags |= b->strings.size > 0xFFFF ? 1 : 0;
    flags |= b->guids.size / 16 > 0xFFFF ? 2 : 0;
    flags |= b->blobs.size > 0xFFFF ? 4 : 0;
    uint64_t valid = b->empty_tables | b->strange_tables;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        valid |= (uint64_t)(b->tables[table].count != 0) << table;
    }
    ib_number(&to, 0, 4);
    ib_number(&to, 0x0002, 2); /* 2.0 */
    ib_number(&to, flags, 1);
    ib_number(&to, 1, 1);
    ib_number(&to, valid, 8);
    ib_number(&to, b->sorted, 8);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (valid >> table & 1) {
            bool strange = b->strange_tables >> table & 1;
            ib_number(&to, strange ? 1 : b->tables[table].count, 4);
        }
    }
    if (flags & 0x40) {
        ib_number(&to, 0xDDCCBBAA, 4);
    }
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        ib_put_rows(&to, b, table, flags);
    }
    return to;
}

/* ---- the root (II.24.2.1) ---- */

static inline struct ib_stream ib_contents(const struct ib_image *b, const struct ib_stream *stream,
                                           const struct ib_bytes *tables)
{
    const struct {
        const char *name;
        const struct ib_bytes *bytes;
    } heaps[] = {{"#Strings", &b->strings},
                 {"#US", &b->user_strings},
                 {"#GUID", &b->guids},
                 {"#Blob", &b->blobs}};
    const struct ib_bytes *own = tables;
    for (size_t i = 0; i < sizeof heaps / sizeof heaps[0]; i++) {
        own = strcmp(stream->name, heaps[i].name) == 0 ? heaps[i].bytes : own;
    }
    return stream->given ? *stream : (struct ib_stream){stream->name, own->data, own->size};
}

/* Heap sizes are written as they are, not padded, so that a test can distinguish 65,535 bytes from
 * 65,536; the streams themselves start at multiples of 4. */
static inline struct ib_bytes ib_root(const struct ib_image *b)
{
    struct ib_bytes to = {0};
    struct ib_bytes tables = ib_table_stream(b);
    size_t version_size = (strlen(b->version) / 4 + 1) * 4;
    ib_number(&to, 0x424A5342, 4);
    ib_number(&to, 0x00010001, 4);
    ib_number(&to, 0, 4);
    ib_number(&to, version_size, 4);
    ib_put(&to, b->version, strlen(b->version) + 1);
    ib_align(&to, 4);
    ib_number(&to, 0, 2);
    ib_number(&to, b->stream_count, 2);
    size_t at = to.size;
    for (unsigned i = 0; i < b->stream_count; i++) {
        at += 8 + (strlen(b->streams[i].name) / 4 + 1) * 4;
    }
    for (unsigned i = 0; i < b->stream_count; i++) {
        size_t size = ib_contents(b, &b->streams[i], &tables).size;
        ib_number(&to, at, 4);
        ib_number(&to, size, 4);
        ib_put(&to, b->streams[i].name, strlen(b->streams[i].name) + 1);
        ib_align(&to, 4);
        at += (size + 3) / 4 * 4;
    }
    for (unsigned i = 0; i < b->stream_count; i++) {
        struct ib_stream stream = ib_contents(b, &b->streams[i], &tables);
        ib_put(&to, stream.given, stream.size);
        ib_align(&to, 4);
    }
    ib_free(&tables);
    return to;
}

#endif
