/* The debug directory (PE format, "The .debug Section", and the PE/COFF page of the Portable PDB
 * format): what leads to an image's symbols. debug_read.c reads it, pe_debug.c plans that of a
 * changed image. */
#ifndef ILPI_DEBUG_H
#define ILPI_DEBUG_H

#include "base/out.h"
#include "pe/pe.h"

/* Members of an entry (IMAGE_DEBUG_DIRECTORY), and its size. */
enum ilpi_debug_member {
    ILPI_DEBUG_AT_STAMP = 4,
    ILPI_DEBUG_AT_MINOR = 10,
    ILPI_DEBUG_AT_TYPE = 12,
    ILPI_DEBUG_AT_SIZE = 16,
    ILPI_DEBUG_AT_RVA = 20,
    ILPI_DEBUG_AT_RAW = 24,
    ILPI_DEBUG_ENTRY_BYTES = 28
};

/* Types of entries that have to do with symbols. */
enum ilpi_debug_type {
    ILPI_DEBUG_COFF = 1,
    ILPI_DEBUG_CODEVIEW = 2,
    ILPI_DEBUG_EMBEDDED_PDB = 17,
    ILPI_DEBUG_PDB_CHECKSUM = 19,
    ILPI_DEBUG_PERFMAP = 21 /* of ReadyToRun code, which goes when bodies change */
};

/* MinorVersion of a CodeView entry that leads to a Portable PDB: "PM". */
#define ILPI_DEBUG_PORTABLE 0x504Du

/* "RSDS", a GUID, an age, a path that ends with a NUL. */
#define ILPI_CODEVIEW_PATH 24u

/* "MPDB" and the size before it was compressed; the deflate stream follows. */
#define ILPI_EMBEDDED_HEAD 8u

struct ilpi_debug_entry {
    uint32_t type;
    uint32_t stamp;
    uint16_t minor;
    uint64_t data_offset;  /* of what follows */
    struct ilp_bytes data; /* borrowed; empty when it is not whole */
};

/* The directory's whole entries. *offset is their place in the file. */
struct ilp_bytes ilpi_debug_table(const struct ilpi_pe *pe, uint64_t *offset);

/* The entry at `bytes`, which are ILPI_DEBUG_ENTRY_BYTES. */
struct ilpi_debug_entry ilpi_debug_entry_read(const struct ilpi_pe *pe, const uint8_t *bytes);

/* The first entry of a type; false when there is none. Of CodeView entries only those of Portable
 * PDBs count when `portable`. */
bool ilpi_debug_find(const struct ilpi_pe *pe, enum ilpi_debug_type type, bool portable,
                     struct ilpi_debug_entry *entry);

/* What leads to the image's symbols; see ilp_image_symbols(). */
void ilpi_debug_symbols(const struct ilpi_pe *pe, struct ilp_symbols_info *info);

/* ---- the debug directory of a changed image ---- */

/* What becomes of one entry. */
struct ilpi_debug_change {
    bool dropped;
    struct ilp_bytes data; /* its new contents; empty: it keeps the old ones */
    uint32_t at;           /* of `data` in all new contents */
    uint32_t stamp;        /* with new contents of a CodeView entry */
};

struct ilpi_debug_plan {
    struct ilp_bytes table;
    uint64_t table_offset;
    uint32_t count;
    uint32_t kept;                     /* entries that are not dropped */
    struct ilpi_debug_change *changes; /* `count` of them, in the arena */
    uint32_t size;                     /* of all new contents, each padded to 4 bytes */
    bool symbols_dropped;              /* as in struct ilp_write_info */
    bool symbols_updated;
    bool symbols_stale;
};

/* Decides about every entry. When no body has changed, symbols are as true as they were, and all of
 * them stay. */
ilp_status ilpi_debug_plan(struct ilpi_debug_plan *debug, const struct ilpi_pe *pe,
                           const struct ilp_write_options *options, bool bodies_changed,
                           struct ilp_arena *arena, struct ilp_error *error);

/* Emits the new contents: exactly debug->size bytes. */
void ilpi_debug_write(const struct ilpi_debug_plan *debug, struct ilpi_out *out);

#endif
