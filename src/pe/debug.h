/* The debug directory (PE format, "The .debug Section", and the PE/COFF page of the Portable PDB
 * format): entries that refer to an image's symbols. debug_read.c reads it, pe_debug.c plans that
 * of a changed image. */
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

/* Types of entries that concern symbols. */
enum ilpi_debug_type {
    ILPI_DEBUG_COFF = 1,
    ILPI_DEBUG_CODEVIEW = 2,
    ILPI_DEBUG_EMBEDDED_PDB = 17,
    ILPI_DEBUG_PDB_CHECKSUM = 19,
    ILPI_DEBUG_PERFMAP = 21 /* of ReadyToRun code; dropped when bodies change */
};

/* MinorVersion of a CodeView entry for a Portable PDB: "PM". */
#define ILPI_DEBUG_PORTABLE 0x504Du

/* "RSDS", a GUID, an age, a path that ends with a NUL. */
#define ILPI_CODEVIEW_PATH 24u

/* "MPDB" and the uncompressed size; the deflate stream follows. */
#define ILPI_EMBEDDED_HEAD 8u

/* An entry of the debug directory (PE/COFF specification, IMAGE_DEBUG_DIRECTORY). */
struct ilpi_debug_entry {
    uint32_t type;
    uint32_t stamp;
    uint16_t minor;
    uint64_t data_offset;  /* of what follows */
    struct ilp_bytes data; /* borrowed; empty when it is truncated */
};

/* The complete entries of the directory. *offset is their file offset. */
struct ilp_bytes ilpi_debug_table(const struct ilpi_pe *pe, uint64_t *offset);

/* The entry at `bytes`, which are ILPI_DEBUG_ENTRY_BYTES. */
struct ilpi_debug_entry ilpi_debug_entry_read(const struct ilpi_pe *pe, const uint8_t *bytes);

/* The first entry of a type; false when there is none. With `portable`, only CodeView entries of
 * Portable PDBs count. */
bool ilpi_debug_find(const struct ilpi_pe *pe, enum ilpi_debug_type type, bool portable,
                     struct ilpi_debug_entry *entry);

/* The image's symbol references; see ilp_image_symbols(). */
void ilpi_debug_symbols(const struct ilpi_pe *pe, struct ilp_symbols_info *info);

/* ---- the debug directory of a changed image ---- */

/* The change of one entry. */
struct ilpi_debug_change {
    bool dropped;
    struct ilp_bytes data; /* its new data; empty: it keeps the old data */
    uint32_t at;           /* of `data` in all new contents */
    uint32_t stamp;        /* with new data of a CodeView entry */
};

/* What becomes of each entry when a file is written. */
struct ilpi_debug_plan {
    struct ilp_bytes table;
    uint64_t table_offset;
    uint32_t count;
    uint32_t kept;                     /* number of entries that are kept */
    struct ilpi_debug_change *changes; /* `count` of them, in the arena */
    uint32_t size;                     /* of all new contents, each padded to 4 bytes */
    bool symbols_dropped;              /* as in struct ilp_write_info */
    bool symbols_updated;
    bool symbols_stale;
};

/* Plans the change of every entry. If no body has changed, symbols still match, and all entries are
 * kept. */
ilp_status ilpi_debug_plan(struct ilpi_debug_plan *debug, const struct ilpi_pe *pe,
                           const struct ilp_write_options *options, bool bodies_changed,
                           struct ilp_arena *arena, struct ilp_error *error);

/* Emits the new contents: exactly debug->size bytes. */
void ilpi_debug_write(const struct ilpi_debug_plan *debug, struct ilpi_out *out);

#endif
