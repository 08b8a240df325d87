/* Reading the debug directory. See debug.h.
 *
 *   directory 6 --> entry (28 bytes) | entry | ...
 *                   0 Characteristics  4 TimeDateStamp  8 Major  10 Minor  12 Type
 *                   16 SizeOfData  20 AddressOfRawData (RVA)  24 PointerToRawData (file offset)
 *
 * An image whose debug directory is broken can still be read and changed: what is not whole is left
 * out. */
#include "pe/debug.h"

/* Whole entries only, as far as the file has them. */
struct ilp_bytes ilpi_debug_table(const struct ilpi_pe *pe, uint64_t *offset)
{
    struct ilpi_directory_entry debug = pe->directories[ILPI_DIR_DEBUG];
    struct ilp_bytes table = {NULL, 0};
    *offset = 0;
    if (debug.rva != 0) {
        table = ilpi_pe_rva(pe, debug.rva, offset);
        table.size = table.size < debug.size ? table.size : debug.size;
        table.size -= table.size % ILPI_DEBUG_ENTRY_BYTES;
    }
    return table;
}

/* An entry's data: by its RVA, or by its file offset if it is not mapped. In a mapped module file
 * offsets mean nothing, so such data is empty there. Truncated data is empty, too. */
static struct ilp_bytes entry_data(const struct ilpi_pe *pe, const uint8_t *bytes, uint64_t *offset)
{
    uint32_t size = ilpi_load_u32(bytes + ILPI_DEBUG_AT_SIZE);
    uint32_t rva = ilpi_load_u32(bytes + ILPI_DEBUG_AT_RVA);
    uint32_t raw = ilpi_load_u32(bytes + ILPI_DEBUG_AT_RAW);
    struct ilp_bytes data = {NULL, 0};
    if (rva != 0) {
        data = ilpi_pe_rva(pe, rva, offset);
    } else if (pe->layout == ILP_LAYOUT_FILE && raw < pe->bytes.size) {
        data = (struct ilp_bytes){pe->bytes.data + raw, pe->bytes.size - raw};
        *offset = raw;
    }
    data.size = data.size < size ? 0 : size;
    return data;
}

struct ilpi_debug_entry ilpi_debug_entry_read(const struct ilpi_pe *pe, const uint8_t *bytes)
{
    struct ilpi_debug_entry entry = {.type = ilpi_load_u32(bytes + ILPI_DEBUG_AT_TYPE),
                                     .stamp = ilpi_load_u32(bytes + ILPI_DEBUG_AT_STAMP),
                                     .minor = ilpi_load_u16(bytes + ILPI_DEBUG_AT_MINOR)};
    entry.data = entry_data(pe, bytes, &entry.data_offset);
    return entry;
}

static bool is_code_view(const struct ilpi_debug_entry *entry)
{
    return entry->type == ILPI_DEBUG_CODEVIEW && entry->data.size >= ILPI_CODEVIEW_PATH &&
           memcmp(entry->data.data, "RSDS", 4) == 0;
}

/* Several CodeView entries may exist, and not all are those of Portable PDBs, so `portable` may
 * need to look further than the first. */
bool ilpi_debug_find(const struct ilpi_pe *pe, enum ilpi_debug_type type, bool portable,
                     struct ilpi_debug_entry *entry)
{
    uint64_t offset;
    struct ilp_bytes table = ilpi_debug_table(pe, &offset);
    for (size_t at = 0; at < table.size; at += ILPI_DEBUG_ENTRY_BYTES) {
        *entry = ilpi_debug_entry_read(pe, table.data + at);
        if (entry->type == type &&
            (type != ILPI_DEBUG_CODEVIEW ||
             (is_code_view(entry) && (!portable || entry->minor == ILPI_DEBUG_PORTABLE)))) {
            return true;
        }
    }
    return false;
}

/* An embedded PDB wins over a path: it is in the file itself. The path is kept, for messages. The
 * id of a Portable PDB is the GUID and the entry's time stamp (Portable PDB format, "PE/COFF"). */
void ilpi_debug_symbols(const struct ilpi_pe *pe, struct ilp_symbols_info *info)
{
    struct ilpi_debug_entry entry;
    bool portable = ilpi_debug_find(pe, ILPI_DEBUG_CODEVIEW, true, &entry);
    *info = (struct ilp_symbols_info){.kind = portable ? ILP_SYMBOLS_BESIDE : ILP_SYMBOLS_NONE};
    if (portable || ilpi_debug_find(pe, ILPI_DEBUG_CODEVIEW, false, &entry)) {
        const uint8_t *path = entry.data.data + ILPI_CODEVIEW_PATH;
        size_t room = entry.data.size - ILPI_CODEVIEW_PATH;
        const uint8_t *nul = room != 0 ? memchr(path, 0, room) : NULL;
        memcpy(info->id, entry.data.data + 4, 16);
        info->path = (struct ilp_bytes){path, nul ? (size_t)(nul - path) : room};
        info->kind = portable ? ILP_SYMBOLS_BESIDE : ILP_SYMBOLS_WINDOWS;
        if (portable) {
            ilpi_store_u32(info->id + 16, entry.stamp);
        }
    }
    if (ilpi_debug_find(pe, ILPI_DEBUG_EMBEDDED_PDB, false, &entry)) {
        info->kind = ILP_SYMBOLS_EMBEDDED;
    }
}
