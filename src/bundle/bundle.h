/* Single-file bundles: a native host program followed by the files of an application.
 *
 *   host ...| i64 header offset | 32-byte signature |... host | files, aligned ... | manifest
 *
 *   manifest   u32 major, u32 minor, i32 files, id, from version 2: i64 offset, size of .deps.json;
 *              the same of .runtimeconfig.json; u64 flags
 *   file       i64 offset, i64 size, from version 6: i64 compressed size or 0, u8 type, path
 *   id, path   UTF-8 after its length, 7 bits a byte, the lowest first
 *
 * Versions: 1 (.NET Core 3), 2 (.NET 5), 6 (.NET 6 and later). */
#ifndef ILPI_BUNDLE_H
#define ILPI_BUNDLE_H

#include "base/map.h"

/* The longest text with a length of two bytes, the most that hosts read. */
#define ILPI_BUNDLE_MAX_PATH 0x3FFFu

/* From version 2 on, the manifest's header has the locations of two of the files. */
#define ILPI_BUNDLE_PLACES 2u

/* An open bundle. Paths are in the arena; files are in `bytes`, or unpacked when they are
 * needed. */
struct ilp_bundle {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    struct ilp_bytes bytes; /* the whole file; borrowed */
    uint64_t header_place;  /* of the header's offset, inside the host */
    uint64_t header;        /* where the manifest begins, */
    uint64_t header_end;    /* and ends, with its last entry */
    uint64_t stored;        /* total bytes of the files; none overlap */
    uint32_t major;         /* 1, 2 or 6: others are refused */
    uint32_t minor;
    const char *id; /* the name of the folder that hosts extract files to */
    uint64_t flags; /* 0 in version 1; kept when the bundle is written */
    struct ilp_bundle_entry *entries;
    size_t count;
    struct ilpi_map places; /* 1 + index of `entries`, by path; of equal paths the first */
};

/* Extraction turns a path into one on the disk: it must stay inside its folder. */
bool ilpi_bundle_path_is_inside(const char *path);

#endif
