/* Offsets of the members of PE headers that are written (II.25.2.2, II.25.2.3, II.25.3). */
#ifndef ILPI_PE_FORMAT_H
#define ILPI_PE_FORMAT_H

#include "base/buf.h"
#include "pe/pe.h"

/* Offsets in the COFF file header. */
enum ilpi_coff_member {
    ILPI_COFF_SECTION_COUNT = 2,
    ILPI_COFF_SYMBOL_TABLE = 8,
    ILPI_COFF_SYMBOL_COUNT = 12,
    ILPI_COFF_OPTIONAL_SIZE = 16
};

/* The same in PE32 and PE32+ unless noted. */
enum ilpi_optional_member {
    ILPI_OPTIONAL_SIZE_OF_CODE = 4,
    ILPI_OPTIONAL_SIZE_OF_DATA = 8,
    ILPI_OPTIONAL_SIZE_OF_BSS = 12,
    ILPI_OPTIONAL_ENTRY_POINT = 16,
    ILPI_OPTIONAL_BASE_OF_CODE = 20,
    ILPI_OPTIONAL_BASE_OF_DATA = 24, /* PE32 */
    ILPI_OPTIONAL_IMAGE_BASE = 28,   /* PE32 */
    ILPI_OPTIONAL_SIZE_OF_IMAGE = 56,
    ILPI_OPTIONAL_SIZE_OF_HEADERS = 60,
    ILPI_OPTIONAL_CHECKSUM = 64
};

/* Offsets in a section header of 40 bytes. */
enum ilpi_section_member {
    ILPI_SECTION_VIRTUAL_SIZE = 8,
    ILPI_SECTION_RVA = 12,
    ILPI_SECTION_RAW_SIZE = 16,
    ILPI_SECTION_RAW_OFFSET = 20,
    ILPI_SECTION_CHARACTERISTICS = 36
};

/* Offsets in the CLI header (II.25.3.3). */
enum {
    ILPI_CLI_AT_METADATA = 8,
    ILPI_CLI_AT_FLAGS = 16,
    ILPI_CLI_AT_RESOURCES = 24,
    ILPI_CLI_AT_STRONG_NAME_SIGNATURE = 32,
    ILPI_CLI_AT_CODE_MANAGER = 40,
    ILPI_CLI_AT_VTABLE_FIXUPS = 48,
    ILPI_CLI_AT_EXPORT_JUMPS = 56,
    ILPI_CLI_AT_MANAGED_NATIVE_HEADER = 64,
    ILPI_CLI_HEADER_BYTES = 72
};

/* The length of a section name, padded with zeros; and the name of the new section. */
#define ILPI_SECTION_NAME_BYTES 8u
#define ILPI_SECTION_NAME       ".ilpatch"

/* The flags that compilers give .text, where metadata and IL are stored; and those of other
 * sections. */
#define ILPI_SECTION_CODE_EXECUTE_READ     0x60000020u
#define ILPI_SECTION_DATA_READ             0x40000040u
#define ILPI_SECTION_DATA_READ_WRITE       0xC0000040u
#define ILPI_SECTION_DATA_READ_DISCARDABLE 0x42000040u
#define ILPI_SECTION_DISCARDABLE           0x02000000u
#define ILPI_SECTION_WRITE                 0x80000000u

/* Sets a data directory in a copy of the headers, if they have that many. */
static inline void ilpi_pe_put_directory(const struct ilpi_pe *pe, uint8_t *headers,
                                         enum ilpi_directory directory, uint32_t rva, uint32_t size)
{
    if ((uint32_t)directory < pe->directory_count) {
        uint8_t *entry = headers + pe->directory_offset + (size_t)directory * 8;
        ilpi_store_u32(entry, rva);
        ilpi_store_u32(entry + 4, size);
    }
}

#endif
