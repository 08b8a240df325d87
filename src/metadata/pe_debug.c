/* The debug directory of a changed image: which entries stay, and where they point (PE format, "The .debug
 * Section").
 */
#include "metadata/pe_plan.h"

enum { DEBUG_ENTRY_TYPE = 12, DEBUG_ENTRY_RAW_OFFSET = 24 };

/* Types of debug directory entries that have to do with symbols (PE format, and the PE/COFF page of the Portable
 * PDB format). */
enum { DEBUG_COFF = 1, DEBUG_CODEVIEW = 2, DEBUG_EMBEDDED_PDB = 17, DEBUG_PDB_CHECKSUM = 19 };

/* What leads to symbols, or vouches for them, is stale once bodies have changed. Other entries, such as the
 * mark of a reproducible build, say something about the file that stays as true as it was. */
static bool is_symbol_entry(uint32_t type)
{
    return type == DEBUG_COFF || type == DEBUG_CODEVIEW || type == DEBUG_EMBEDDED_PDB ||
           type == DEBUG_PDB_CHECKSUM;
}

/* Entries hold offsets in the file beside RVAs (PointerToRawData), which move with the sections. Those that
 * stay close ranks, and zeros follow. */
ilp_status ilpi_pe_plan_debug(struct ilpi_pe_plan *plan, bool bodies_changed,
                              struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilpi_directory_entry debug = plan->image->pe.directories[ILPI_DIR_DEBUG];
    if (debug.rva == 0 || (plan->growth == 0 && !bodies_changed)) {
        plan->debug_entries = debug.size / ILPI_DEBUG_ENTRY_BYTES;
        return ILP_OK;
    }
    uint64_t offset = 0;
    struct ilp_bytes table = ilp_image_rva(plan->image, debug.rva, &offset);
    size_t size = table.size < debug.size ? table.size : debug.size;
    size -= size % ILPI_DEBUG_ENTRY_BYTES;
    if (size == 0) {
        return ILP_OK;
    }
    uint8_t *to = ilpi_pe_add_patch(plan, offset, size, arena);
    if (!to) {
        return ilpi_fail_memory(error, size);
    }
    for (size_t at = 0; at < size; at += ILPI_DEBUG_ENTRY_BYTES) {
        const uint8_t *entry = table.data + at;
        if (bodies_changed && is_symbol_entry(ilpi_load_u32(entry + DEBUG_ENTRY_TYPE))) {
            plan->info.symbols_dropped = true;
            continue;
        }
        uint32_t raw = ilpi_load_u32(entry + DEBUG_ENTRY_RAW_OFFSET);
        memcpy(to, entry, ILPI_DEBUG_ENTRY_BYTES);
        ilpi_store_u32(to + DEBUG_ENTRY_RAW_OFFSET, raw != 0 ? raw + plan->growth : 0);
        to += ILPI_DEBUG_ENTRY_BYTES;
        plan->debug_entries++;
    }
    return ILP_OK;
}
