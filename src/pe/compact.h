/* The compact layout: a file planned again without the bytes that nothing refers to, such as
 * replaced bodies, replaced metadata, precompiled code and padding.
 *
 *   headers
 *   .text    imports' addresses, CLI header, old bodies and data, new ones, resources, signature,
 *            debug data, origin and metadata, imports and entry point
 *   .sdata   data in a section that can be written
 *   .rsrc    Win32 resources
 *   .reloc   the entry point's relocation
 *
 * Parts that are not understood cannot be moved: such a file is refused. */
#ifndef ILPI_COMPACT_H
#define ILPI_COMPACT_H

#include "pe/pe_plan.h"

/* Bytes of the original that move as one. */
struct ilpi_moved_span {
    uint32_t rva; /* in the original */
    uint32_t size;
    uint32_t modulus; /* the new RVA is the old one modulo this */
    bool writable;    /* its section can be written */
    const uint8_t *bytes;
    uint32_t new_rva; /* set by the planner */
};

/* What the new file is made of, except the metadata root. */
struct ilpi_compact_contents {
    struct ilpi_moved_span *spans; /* old bodies and data */
    size_t span_count;
    struct ilp_bytes bodies; /* new bodies, and new data */
    uint32_t root_size;
    const struct ilpi_debug_plan *debug;
    const struct ilpi_strong_name *strong_name;
};

/* A run of bytes of the new file. */
struct ilpi_piece {
    uint64_t offset;
    struct ilp_bytes bytes; /* data NULL: the metadata root */
};

/* The native entry stub (II.25.3.1), which old versions of Windows need to start an image: a jump
 * to a function of mscoree.dll. */
struct ilpi_stub {
    bool there;
    char function[16]; /* "_CorExeMain" or "_CorDllMain" */
};

/* The plan of a compact file, beside struct ilpi_pe_plan. */
struct ilpi_compact {
    struct ilpi_stub stub;
    struct ilp_bytes win32;    /* Win32 resources */
    struct ilpi_piece *pieces; /* by rising offsets, in the arena */
    size_t count;
    size_t capacity;
    uint32_t bodies_rva; /* of contents->bodies */
    uint8_t *origin;     /* ILPI_ORIGIN_BYTES to fill */
};

/* Checks whether the file can have the compact layout, before any metadata is read: spans and sizes
 * of the contents are not needed yet. */
ilp_status ilpi_compact_begin(struct ilpi_compact *compact, struct ilpi_pe_plan *plan,
                              const struct ilpi_pe *pe,
                              const struct ilpi_compact_contents *contents,
                              struct ilp_error *error);

/* Fills `plan` with headers, sizes and what else image_write.c needs, and sets the RVAs of bodies
 * and spans. */
ilp_status ilpi_compact_plan(struct ilpi_compact *compact, struct ilpi_pe_plan *plan,
                             const struct ilpi_compact_contents *contents, struct ilp_arena *arena,
                             struct ilp_error *error);

/* Emits the metadata root, of exactly the planned size. */
struct ilpi_root_emission {
    const void *user;
    void (*emit)(const void *user, struct ilpi_out *out);
};

/* Emits headers, pieces and metadata. */
void ilpi_compact_write(const struct ilpi_compact *compact, const struct ilpi_pe_plan *plan,
                        const struct ilpi_root_emission *root, struct ilpi_out *out);

/* ---- compact_parts.c ---- */

/* ILP_E_CANNOT_COMPACT when the planned file would lose something. */
ilp_status ilpi_compact_check(const struct ilpi_pe_plan *plan, struct ilp_error *error);

ilp_status ilpi_stub_read(struct ilpi_stub *stub, const struct ilpi_pe *pe,
                          struct ilp_error *error);

enum {
    ILPI_STUB_IAT_BYTES = 8,
    ILPI_STUB_IMPORT_BYTES = 80,
    ILPI_STUB_CODE_BYTES = 8,
    ILPI_STUB_RELOC_BYTES = 12
};

/* Fills the four parts: addresses, import table, code (which begins at +2), relocation. */
struct ilpi_stub_places {
    uint32_t iat;
    uint32_t import;
    uint32_t code;
};
void ilpi_stub_write(const struct ilpi_stub *stub, const struct ilpi_stub_places *places,
                     uint32_t image_base, uint8_t *iat, uint8_t *import, uint8_t *code,
                     uint8_t *reloc);

/* The Win32 resources as a span, from the root of the tree on; empty if there are none. */
ilp_status ilpi_win32_find(const struct ilpi_pe *pe, struct ilp_bytes *resources,
                           struct ilp_error *error);

/* Changes the RVAs in a copy of that span for its new location. */
void ilpi_win32_move(const struct ilpi_pe *pe, struct ilp_bytes resources, uint8_t *copy,
                     uint32_t new_rva);

#endif
