/* An image as it is read: the offsets of headers, heaps and tables. Nothing is copied, no row is
 * decoded.
 *
 *   file bytes --pe_read--> sections, CLI header --root_read--> streams --row_read--> tables
 *                                                                  \--heap_read--> heaps
 *
 * The members that find metadata, and what they refer to in the file:
 *
 *   CLI header (II.25.3.3)      MetaData: rva, size
 *       |
 *       v
 *   root (II.24.2.1)            "BSJB", version, n stream headers: offset, size, name
 *       |          \
 *       v           v
 *   #~ (II.24.2.6)  #Strings #US #Blob #GUID        sizes.large_*: 4 bytes for an offset, else 2
 *   head, rows[] , tables[0] tables[1] ...          row r of a table: rows + (r - 1) * shape.size
 *
 * After ilp_image_open() an image does not change, except that ilp_image_index() and
 * ilpi_image_keep_digest() add to it. So threads may read one image at once. */
#ifndef ILPI_IMAGE_H
#define ILPI_IMAGE_H

#include "base/alloc.h"
#include "base/cursor.h"
#include "metadata/schema.h"
#include "pe/pe.h"

/* A stream of the metadata root (II.24.2.2). */
struct ilpi_stream {
    const char *name; /* borrowed */
    struct ilp_bytes bytes;
    uint64_t offset; /* in the file */
};

/* A table where it is in the file; a row is found by multiplication (row_read.c). */
struct ilpi_table {
    const uint8_t *rows; /* borrowed */
    uint32_t count;
    struct ilpi_row_shape shape;
};

struct ilpi_type_index;

/* An opened file. Everything that is read from it refers to `pe.bytes`, which the caller keeps;
 * what is computed is in the arena. After opening only ilp_image_index() and
 * ilpi_image_keep_digest() change it, so threads may read it. */
struct ilp_image {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    const char *name;
    struct ilpi_pe pe;

    struct ilp_bytes root; /* of the metadata, to the end of its directory entry */
    uint64_t root_offset;
    const char *version;
    uint16_t stream_count;
    struct ilpi_stream *streams;

    /* The heaps, empty if there is no such stream (II.24.2.3 - II.24.2.5). */
    struct ilp_bytes strings;
    /* after the last NUL of #Strings: names that begin before it are terminated */
    size_t strings_end;
    struct ilp_bytes user_strings;
    struct ilp_bytes blobs;
    struct ilp_bytes guids;
    uint64_t blobs_offset;
    /* In an overlay (overlay.h), else empty: what continues these heaps. User strings have no
     * contents here, but exist up to this offset. */
    struct ilp_bytes added_strings;
    struct ilp_bytes added_blobs;
    uint32_t added_user_strings;

    /* The table stream (II.24.2.6). */
    const struct ilpi_stream *table_stream;
    const struct ilpi_stream *pdb_stream; /* #Pdb; NULL: not a Portable PDB */
    uint8_t schema_major;
    uint8_t schema_minor;
    uint8_t heap_flags;
    uint64_t sorted;
    struct ilpi_sizes sizes; /* the widths follow from these; a PDB's include the tables it refers
                                to */
    struct ilpi_table tables[ILP_TABLE_COUNT];

    /* Built while opening, only if the file is not in order (order.c); else NULL. */
    /* position -> rid, by key: for a table that should be sorted and is not */
    ilp_rid *order[ILP_TABLE_COUNT];
    ilp_rid *method_position; /* MethodDef rid -> its row in MethodPtr */
    ilp_rid *field_position;  /* Field rid -> its row in FieldPtr */

    bool has_digest; /* of all bytes of the file: set by ilpi_image_keep_digest() */
    struct ilp_digest digest;

    struct ilpi_type_index *types; /* by ilp_image_index(); else NULL */
};

/* HeapSizes bits of the table stream. 0x40 is not in the specification, but runtimes skip four more
 * bytes for it. */
#define ILPI_HEAP_LARGE_STRINGS 0x01u
#define ILPI_HEAP_LARGE_GUIDS   0x02u
#define ILPI_HEAP_LARGE_BLOBS   0x04u
#define ILPI_HEAP_EXTRA_DATA    0x40u

ilp_status ilpi_root_read(struct ilp_image *image, struct ilp_error *error);
ilp_status ilpi_tables_read(struct ilp_image *image, struct ilp_error *error);
ilp_status ilpi_orders_build(struct ilp_image *image, struct ilp_error *error);

/* A cell as stored in the file: coded indexes keep their tag. 0 outside of the table. The row
 * numbers of tables[] were checked against the stream by row_read.c, so a row that exists is within
 * it. `rid - 1` wraps for rid 0, which then is as large as any row that does not exist. */
static inline uint32_t ilpi_cell_raw(const struct ilpi_table *table, ilp_rid rid, unsigned column)
{
    if (rid - 1 >= table->count) {
        return 0;
    }
    const struct ilpi_row_shape *shape = &table->shape;
    const uint8_t *cell = table->rows + (size_t)(rid - 1) * shape->size + shape->at[column];
    return shape->at[column + 1] - shape->at[column] == 4 ? ilpi_load_u32(cell)
                                                          : ilpi_load_u16(cell);
}

/* A cell of a MethodDef row, which has no coded indexes. */
static inline uint32_t ilpi_method_cell(const struct ilp_image *image, ilp_rid method,
                                        unsigned column)
{
    return ilpi_cell_raw(&image->tables[ILP_MethodDef], method, column);
}

/* Whether a name in #Strings equals `text`; reads no further than that. */
bool ilpi_string_is(const struct ilp_image *image, uint32_t offset, const char *text);

/* Whether a user string may begin there. */
static inline bool ilpi_has_user_string(const struct ilp_image *image, uint32_t offset)
{
    return offset != 0 && (offset < image->user_strings.size || offset < image->added_user_strings);
}

/* The file offset of a blob's contents, for errors. */
uint64_t ilpi_blob_offset(const struct ilp_image *image, uint32_t offset);

/* The run of rows [*first, *end) that a LIST cell begins (II.22: "contiguous run"), clipped to the
 * table. */
void ilpi_list(const struct ilp_image *image, unsigned table, ilp_rid rid, unsigned column,
               ilp_rid *first, ilp_rid *end);

/* The row at position `rid` of such a run: itself, or the row in the *Ptr table (#- streams). */
ilp_rid ilpi_list_row(const struct ilp_image *image, unsigned target, ilp_rid rid);

/* Rows sorted by a key, stably. */
struct ilpi_keyed {
    uint32_t key;
    ilp_rid rid;
};
void ilpi_keyed_sort(struct ilpi_keyed *rows, size_t count);

/* The same for all rows of a table, which are sorted by rid: a few radix passes. `room` is for as
 * many. */
void ilpi_keyed_sort_table(struct ilpi_keyed *rows, struct ilpi_keyed *room, size_t count);

/* The rows of a table with a key whose key cell (raw) is `key`, one a call: start with *position =
 * 0; 0 when there are no more. O(log rows) for the first, O(1) for the others. */
ilp_rid ilpi_next_with_key(const struct ilp_image *image, unsigned table, uint32_t key,
                           uint32_t *position);

/* A TypeDef by enclosing TypeDef (0: top level), namespace and name; 0 when there is none. O(1) in
 * an image with an index (ilp_image_index()), else O(TypeDefs). */
ilp_rid ilpi_find_type(const struct ilp_image *image, ilp_rid enclosing, const char *name_space,
                       const char *name);

/* The same for a top-level ExportedType. */
ilp_rid ilpi_find_exported(const struct ilp_image *image, const char *name_space, const char *name);

/* Keeps the digest that a file made from this one will have as its origin. Taken by pieces, see
 * ilpi_digest_by_pieces(). */
void ilpi_image_keep_digest(struct ilp_image *image,
                            void (*read)(const void *user, struct ilp_bytes piece),
                            const void *user);

/* Frees what ilp_image_index() made. */
void ilpi_type_index_free(struct ilp_image *image);

/* The GenericParam with this number of a TypeDef or MethodDef; 0 when there is none. */
ilp_rid ilpi_find_generic_param(const struct ilp_image *image, ilp_token owner, uint32_t number);

/* The type of a CustomAttribute row: a TypeDef, TypeRef or TypeSpec. */
ilp_token ilpi_attribute_type(const struct ilp_image *image, ilp_rid row);

/* Whether that type has this namespace and name, in any scope. */
bool ilpi_is_attribute(const struct ilp_image *image, ilp_rid row, const char *name_space,
                       const char *name);

/* The first custom attribute of a row whose type has this namespace and name, in any scope; 0 when
 * there is none. */
ilp_rid ilpi_find_attribute(const struct ilp_image *image, ilp_token parent, const char *name_space,
                            const char *name);

/* The text that is the first argument of a CustomAttribute row (II.23.3); empty where there is
 * none. Borrowed. */
struct ilp_bytes ilpi_attribute_text(const struct ilp_image *image, ilp_rid row);

static inline bool ilpi_has_attribute(const struct ilp_image *image, ilp_token parent,
                                      const char *name_space, const char *name)
{
    return ilpi_find_attribute(image, parent, name_space, name) != 0;
}

/* The namespace and name of a TypeDef or TypeRef ("" for other tokens); borrowed. */
void ilpi_type_name(const struct ilp_image *image, ilp_token token, const char **name_space,
                    const char **name);

#endif
