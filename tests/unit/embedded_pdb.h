/* A C# assembly and its Portable PDB, beside it or in it.
 *
 *   struct ilp_bytes pdb = load("good-portable.pdb");
 *   struct ilp_bytes assembly = with_embedded(load("good-csharp.dll"), pdb); */
#ifndef EMBEDDED_PDB_H
#define EMBEDDED_PDB_H

#include "base/inflate.h"
#include "pe/debug.h"
#include "tests/unit/metadata_test.h"

/* An entry of the debug directory: the first of this type, which an assembly with symbols has. */
static inline uint8_t *debug_entry(struct ilp_bytes assembly, unsigned type)
{
    struct ilp_image *image = open_image(assembly, ILP_LAYOUT_FILE);
    uint64_t offset;
    struct ilp_bytes table = ilpi_debug_table(&image->pe, &offset);
    ilp_image_close(image);
    for (size_t at = 0; at < table.size; at += ILPI_DEBUG_ENTRY_BYTES) {
        if (ilpi_load_u32(table.data + at + ILPI_DEBUG_AT_TYPE) == type) {
            return (uint8_t *)(uintptr_t)table.data + at;
        }
    }
    fail_msg("no debug entry of type %u", type);
    return NULL;
}

/* The assembly, which is dropped, with this data at its end, in the place of its entry `type`. */
static inline struct ilp_bytes with_entry(struct ilp_bytes assembly, unsigned type, unsigned new,
                                          struct ilp_bytes data)
{
    struct ib_bytes file = {0};
    ib_put(&file, assembly.data, assembly.size);
    ib_put(&file, data.data, data.size);
    struct ilp_bytes made = taken(file);
    uint8_t *entry = debug_entry(made, type);
    ilpi_store_u32(entry + ILPI_DEBUG_AT_TYPE, new);
    ilpi_store_u32(entry + ILPI_DEBUG_AT_SIZE, (uint32_t)data.size);
    ilpi_store_u32(entry + ILPI_DEBUG_AT_RVA, 0);
    ilpi_store_u32(entry + ILPI_DEBUG_AT_RAW, (uint32_t)assembly.size);
    drop(assembly);
    return made;
}

enum { DEBUG_REPRODUCIBLE = 16 };

/* The same with the PDB in the place of the mark that the build is deterministic. */
static inline struct ilp_bytes with_embedded(struct ilp_bytes assembly, struct ilp_bytes pdb)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf packed = {.alloc = &alloc};
    ilpi_buf_bytes_add(&packed, "MPDB", 4);
    ilpi_buf_u32(&packed, (uint32_t)pdb.size);
    assert_int_equal(ilpi_deflate(&packed, pdb, NULL), ILP_OK);
    struct ilp_bytes made = with_entry(assembly, DEBUG_REPRODUCIBLE, ILPI_DEBUG_EMBEDDED_PDB,
                                       ilpi_buf_bytes(&packed));
    ilpi_buf_free(&packed);
    return made;
}

#endif
