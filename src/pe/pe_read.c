/* Reads PE headers, sections and the CLI header (II.25.2, II.25.3).
 *
 *   MZ ... lfanew -> "PE\0\0" COFF(20) optional(224/240) section headers(40 each) ... sections
 *                                          \-- directory 14 -> CLI header -> metadata root
 *
 * In detail, with offsets from the start of each part:
 *
 *   DOS        0 "MZ"   0x3C lfanew
 *   COFF       0 Machine  2 NumberOfSections  8 symbols  16 SizeOfOptionalHeader  18 flags
 *   optional   0 magic (10B: PE32, 20B: PE32+)  16 entry point  32 SectionAlignment
 *              36 FileAlignment  56 SizeOfImage  60 SizeOfHeaders  64 CheckSum
 *              92 (PE32+: 108) number of directories, then RVA and size of each
 *   section    0 name[8]  8 VirtualSize  12 RVA  16 SizeOfRawData  20 PointerToRawData  36 flags
 *   CLI        0 Cb  4 versions  8 MetaData  16 Flags  20 EntryPointToken  24 Resources
 *              32 StrongNameSignature  ...  64 ManagedNativeHeader
 *
 * It checks only what finding metadata and bodies needs; pe_plan.c decides whether a file can be
 * rewritten. */
#include "pe/pe.h"

#define DOS_HEADER_SIZE 64u

/* Offsets within the optional header that are the same in PE32 and PE32+ (II.25.2.3). */
enum {
    OPTIONAL_MAGIC_PE32 = 0x10B,
    OPTIONAL_MAGIC_PE32_PLUS = 0x20B,
    OPTIONAL_SECTION_ALIGNMENT = 32,
    OPTIONAL_CHECKSUM_TO_DIRECTORY_COUNT_PE32 = 24,
    OPTIONAL_CHECKSUM_TO_DIRECTORY_COUNT_PE32_PLUS = 40
};

static ilp_status fail(struct ilp_error *error, ilp_status status, uint64_t offset,
                       const char *message)
{
    return ilpi_fail(error, status, offset, 0, "%s", message);
}

/* Not an assembly: report what it is, if that is known, and what to do. */
static ilp_status fail_kind(struct ilp_bytes bytes, ilp_status status, uint64_t offset,
                            const char *message, struct ilp_error *error)
{
    enum ilp_file_kind kind = ilp_file_kind_of(bytes);
    return kind == ILP_FILE_UNKNOWN || kind == ILP_FILE_PE
               ? fail(error, status, offset, message)
               : ilpi_fail(error, status, offset, 0, "not a .NET assembly but %s: %s",
                           ilp_file_kind_text(kind), ilp_file_kind_advice(kind));
}

/* Finds the COFF header. The message distinguishes a file that is not PE from a broken one. */
static ilp_status read_dos(struct ilpi_pe *pe, struct ilp_error *error)
{
    struct ilp_bytes bytes = pe->bytes;
    if (bytes.size < 2 || bytes.data[0] != 'M' || bytes.data[1] != 'Z') {
        return fail_kind(bytes, ILP_E_NOT_PE, 0, "not a PE file: it does not start with \"MZ\"",
                         error);
    }
    if (bytes.size < DOS_HEADER_SIZE) {
        return fail(error, ILP_E_NOT_PE, bytes.size, "not a PE file: it ends in the DOS header");
    }
    uint32_t lfanew = ilpi_load_u32(bytes.data + 0x3C);
    if (lfanew > bytes.size || bytes.size - lfanew < 4 ||
        memcmp(bytes.data + lfanew, "PE\0\0", 4) != 0) {
        return fail(error, ILP_E_NOT_PE, 0x3C,
                    "not a PE file: the DOS header's offset has no \"PE\" signature");
    }
    pe->coff_offset = lfanew + 4;
    return ILP_OK;
}

/* `at` is limited to SizeOfOptionalHeader, so directories that a short header lacks end with an
 * error. More than 16 directories are skipped, fewer leave zeros. */
static ilp_status read_optional(struct ilpi_pe *pe, struct ilpi_cursor *at)
{
    uint16_t magic = ilpi_read_u16(at);
    if (at->status == ILP_OK && magic != OPTIONAL_MAGIC_PE32 && magic != OPTIONAL_MAGIC_PE32_PLUS) {
        at->at -= 2;
        return ilpi_cursor_fail(at, ILP_E_BAD_PE, "the magic number is neither PE32 nor PE32+");
    }
    pe->pe32_plus = magic == OPTIONAL_MAGIC_PE32_PLUS;
    ilpi_skip(at, OPTIONAL_SECTION_ALIGNMENT - 2);
    pe->section_alignment = ilpi_read_u32(at);
    pe->file_alignment = ilpi_read_u32(at);
    ilpi_skip(at, 16); /* versions, Win32VersionValue */
    pe->size_of_image = ilpi_read_u32(at);
    pe->size_of_headers = ilpi_read_u32(at);
    pe->checksum = ilpi_read_u32(at);
    ilpi_skip(at, pe->pe32_plus ? OPTIONAL_CHECKSUM_TO_DIRECTORY_COUNT_PE32_PLUS
                                : OPTIONAL_CHECKSUM_TO_DIRECTORY_COUNT_PE32);
    pe->directory_count = ilpi_read_u32(at);
    pe->directory_offset = (uint32_t)ilpi_cursor_offset(at);
    for (uint32_t i = 0; i < pe->directory_count && i < ILPI_DIR_COUNT; i++) {
        pe->directories[i].rva = ilpi_read_u32(at);
        pe->directories[i].size = ilpi_read_u32(at);
    }
    return at->status;
}

/* The section table begins after SizeOfOptionalHeader bytes, not after the last directory. */
static ilp_status read_headers(struct ilpi_pe *pe, struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilpi_cursor at = ilpi_cursor_over(pe->bytes, 0, "COFF header", error);
    ilpi_skip(&at, pe->coff_offset);
    pe->machine = ilpi_read_u16(&at);
    pe->section_count = ilpi_read_u16(&at);
    ilpi_skip(&at, 12); /* TimeDateStamp, symbol table */
    uint16_t optional_size = ilpi_read_u16(&at);
    ilpi_skip(&at, 2); /* Characteristics */
    pe->optional_offset = (uint32_t)ilpi_cursor_offset(&at);
    struct ilpi_cursor optional = ilpi_cursor_sub(&at, optional_size, "PE optional header");
    ILPI_TRY(at.status);
    ILPI_TRY(read_optional(pe, &optional));
    pe->section_table_offset = (uint32_t)ilpi_cursor_offset(&at);
    at.place = "section table";
    if (pe->section_count > ILPI_MAX_SECTIONS) {
        return ilpi_cursor_fail(&at, ILP_E_BAD_PE, "more than 96 sections");
    }
    pe->sections = ilpi_arena_array(arena, pe->section_count, sizeof *pe->sections);
    if (!pe->sections) {
        return ilpi_fail_memory(error, sizeof *pe->sections);
    }
    for (unsigned i = 0; i < pe->section_count; i++) {
        struct ilpi_section *section = &pe->sections[i];
        ilpi_skip(&at, 8); /* Name */
        section->virtual_size = ilpi_read_u32(&at);
        section->rva = ilpi_read_u32(&at);
        section->raw_size = ilpi_read_u32(&at);
        section->raw_offset = ilpi_read_u32(&at);
        ilpi_skip(&at, 12); /* relocations and line numbers, of object files */
        section->characteristics = ilpi_read_u32(&at);
    }
    return at.status;
}

/* The CLI header (II.25.3.3): size, runtime version, metadata, flags, entry point, directories. */
static ilp_status read_cli(struct ilpi_pe *pe, struct ilp_error *error)
{
    struct ilpi_directory_entry entry = pe->directories[ILPI_DIR_CLI];
    if (entry.rva == 0) {
        return fail_kind(pe->bytes, ILP_E_NOT_MANAGED, pe->directory_offset,
                         "not a .NET assembly: the PE file has no CLI header", error);
    }
    struct ilp_bytes bytes = ilpi_pe_rva(pe, entry.rva, &pe->cli_offset);
    if (bytes.size == 0) {
        return fail(error, ILP_E_TRUNCATED, pe->directory_offset + (uint64_t)ILPI_DIR_CLI * 8,
                    "CLI header: its RVA leads outside of the file");
    }
    struct ilpi_cursor at = ilpi_cursor_over(bytes, pe->cli_offset, "CLI header", error);
    ilpi_skip(&at, 8); /* Cb, runtime version */
    pe->metadata.rva = ilpi_read_u32(&at);
    pe->metadata.size = ilpi_read_u32(&at);
    pe->cli_flags = ilpi_read_u32(&at);
    pe->entry_point = ilpi_read_u32(&at);
    ilpi_skip(&at, 8); /* Resources */
    pe->strong_name_signature.rva = ilpi_read_u32(&at);
    pe->strong_name_signature.size = ilpi_read_u32(&at);
    ilpi_skip(&at, 24); /* CodeManagerTable .. ExportAddressTableJumps */
    pe->managed_native_header.rva = ilpi_read_u32(&at);
    pe->managed_native_header.size = ilpi_read_u32(&at);
    return at.status;
}

/* The part of a section that a loader maps: whole pages of its VirtualSize. SizeOfRawData may be
 * more, but the excess is not mapped, and another section may begin there. */
static uint64_t mapped_size(const struct ilpi_pe *pe, const struct ilpi_section *section)
{
    uint64_t size = section->virtual_size != 0 ? section->virtual_size : section->raw_size;
    uint64_t page = pe->section_alignment;
    return page != 0 && (page & (page - 1)) == 0 ? (size + page - 1) & ~(page - 1) : size;
}

/* A mapped module is accessed by RVA alone, so its sections need not be consistent; a file's must
 * be.
 *
 *   RVA            headers                 section                        not in the file
 *   |--------------|        |---------------|-------------|
 *   offset = RVA    SizeOfHeaders   offset = RVA - section RVA + PointerToRawData
 *
 * Of a section only what is both mapped and stored counts. The span ends with the section, so that
 * no structure can be read across two of them. The first section that has the RVA counts. */
struct ilp_bytes ilpi_pe_rva(const struct ilpi_pe *pe, uint32_t rva, uint64_t *offset)
{
    struct ilp_bytes none = {NULL, 0};
    size_t size = pe->bytes.size;
    uint64_t at = rva;
    size_t room = 0;
    if (pe->layout == ILP_LAYOUT_MAPPED || rva < pe->size_of_headers) {
        room = rva < size ? size - rva : 0;
    } else {
        for (unsigned i = 0; i < pe->section_count && room == 0; i++) {
            const struct ilpi_section *section = &pe->sections[i];
            uint32_t into = rva - section->rva;
            if (rva >= section->rva && into < mapped_size(pe, section) &&
                into < section->raw_size && section->raw_offset < size &&
                into < size - section->raw_offset) {
                at = (uint64_t)section->raw_offset + into;
                room = section->raw_size - into;
                room = room < size - at ? room : size - (size_t)at;
            }
        }
    }
    if (room == 0) {
        return none;
    }
    if (offset) {
        *offset = at;
    }
    return (struct ilp_bytes){pe->bytes.data + at, room};
}

ilp_status ilpi_pe_read(struct ilpi_pe *pe, struct ilp_arena *arena, struct ilp_error *error)
{
    ILPI_TRY(read_dos(pe, error));
    ILPI_TRY(read_headers(pe, arena, error));
    ILPI_TRY(read_cli(pe, error));
    if (pe->metadata.size > ilpi_pe_rva(pe, pe->metadata.rva, NULL).size) {
        return fail(error, ILP_E_TRUNCATED, pe->cli_offset + 8,
                    "CLI header: MetaData leads outside of the file");
    }
    return ILP_OK;
}
