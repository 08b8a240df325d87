/* The plan of the new file around the new metadata. pe_plan.c and pe_debug.c plan, image_write.c
 * emits.
 *
 *   before   headers | section table | slack | sections ............. | (certificate)
 *   after    headers | section table + 1 | (growth) | slack | sections | bodies, origin, metadata
 *            root
 *
 * Only file offsets move, and all by the same `growth`. RVAs do not change, so nothing that code or
 * metadata refers to needs a change. */
#ifndef ILPI_PE_WRITE_H
#define ILPI_PE_WRITE_H

#include "pe/debug.h"
#include "pe/pe_format.h"
#include "pe/strong_name.h"

/* A few bytes of the original that change; offsets are those of the original. */
struct ilpi_pe_patch {
    uint64_t offset;
    struct ilp_bytes bytes; /* in the arena */
};

/* The CLI header, the debug directory and the strong-name signature. */
#define ILPI_MAX_PATCHES 3u

/* How a file changes, before a byte is written: sizes and patches. image_write.c follows it. */
struct ilpi_pe_plan {
    const struct ilpi_pe *pe;
    uint32_t growth;          /* bytes inserted after the section table; 0: none */
    uint32_t headers_end;     /* of the original: where the first section's contents begin */
    uint64_t kept_end;        /* of the original: what follows is dropped (certificate) */
    uint64_t contents_offset; /* of bodies and root, in the new file */
    uint32_t contents_rva;
    uint32_t contents_size; /* without padding */
    uint64_t file_size;
    bool checksum; /* the original had one */
    struct ilp_write_info info;
    uint8_t *signature;        /* its bytes, to be filled; NULL when none is made */
    uint64_t signature_offset; /* in the new file */
    uint8_t *headers;          /* the new headers: headers_end + growth bytes, in the arena */
    size_t headers_size;
    unsigned patch_count;
    struct ilpi_pe_patch patches[ILPI_MAX_PATCHES]; /* after the headers, by rising offsets */
};

/* Whether metadata refers to an RVA in [from, end). That walks over its rows, so it is called only
 * when needed. */
struct ilpi_rva_references {
    const void *user;
    bool (*any)(const void *user, uint32_t from, uint32_t end);
};

/* The parts to add, and their offsets. */
struct ilpi_pe_contents {
    uint32_t size;
    uint32_t debug_at; /* new contents of debug directory entries */
    uint32_t root_at;
    uint32_t root_size;
    const struct ilpi_debug_plan *debug;
    const struct ilpi_strong_name *strong_name;
    struct ilpi_rva_references references;
};

/* Whether the file can be rewritten; see ilp_image_can_be_written(). */
ilp_status ilpi_pe_can_be_written(const struct ilpi_pe *pe, struct ilp_error *error);

/* The steps common to all written files: whether the file can be rewritten, and the write info. */
ilp_status ilpi_pe_plan_begin(struct ilpi_pe_plan *plan, const struct ilpi_pe *pe,
                              const struct ilpi_debug_plan *debug,
                              const struct ilpi_strong_name *strong_name, struct ilp_error *error);

ilp_status ilpi_pe_plan(struct ilpi_pe_plan *plan, const struct ilpi_pe *pe,
                        const struct ilpi_pe_contents *contents, struct ilp_arena *arena,
                        struct ilp_error *error);

/* Bytes to fill that replace those at `offset` of the original; NULL: out of memory. */
uint8_t *ilpi_pe_add_patch(struct ilpi_pe_plan *plan, uint64_t offset, size_t size,
                           struct ilp_arena *arena);

/* pe_patch.c: plans the other patches, once all offsets are known. */
ilp_status ilpi_pe_plan_patches(struct ilpi_pe_plan *plan, const struct ilpi_pe_contents *contents,
                                struct ilp_arena *arena, struct ilp_error *error);

/* pe_debug.c: the table of the debug directory, once all offsets are known. */
ilp_status ilpi_pe_plan_debug(struct ilpi_pe_plan *plan, const struct ilpi_pe_contents *contents,
                              struct ilp_arena *arena, struct ilp_error *error);

/* pe_sign.c: makes the strong-name signature of the planned file, whose bytes `emission` gives. */
struct ilpi_emission {
    const void *user;
    ilp_status (*emit)(const void *user, const struct ilp_sink *sink, struct ilp_error *error);
};
ilp_status ilpi_pe_sign(struct ilpi_pe_plan *plan, const struct ilpi_strong_name *strong_name,
                        const struct ilpi_emission *emission, struct ilpi_alloc *alloc,
                        struct ilp_error *error);

/* CheckSum of the optional header: its offset in the new headers. */
uint32_t ilpi_pe_checksum_offset(const struct ilpi_pe *pe);

#endif
