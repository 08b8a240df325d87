/* The container of an image, as it is read: PE headers, sections and the CLI header (II.25.2,
 * II.25.3). Metadata is read in src/metadata. */
#ifndef ILPI_PE_H
#define ILPI_PE_H

#include "base/alloc.h"
#include "base/cursor.h"

/* Data directories (II.25.2.3.3) that this code names. */
enum ilpi_directory {
    ILPI_DIR_IMPORT = 1,
    ILPI_DIR_RESOURCE = 2,
    ILPI_DIR_SECURITY = 4, /* a file offset, unlike all other directories */
    ILPI_DIR_RELOCATION = 5,
    ILPI_DIR_DEBUG = 6,
    ILPI_DIR_BOUND_IMPORT = 11,
    ILPI_DIR_IAT = 12,
    ILPI_DIR_CLI = 14,
    ILPI_DIR_COUNT = 16
};

/* IMAGE_DATA_DIRECTORY. */
struct ilpi_directory_entry {
    uint32_t rva;
    uint32_t size;
};

/* A section header (II.25.3). */
struct ilpi_section {
    uint32_t virtual_size;
    uint32_t rva;
    uint32_t raw_size;
    uint32_t raw_offset;
    uint32_t characteristics;
};

#define ILPI_SECTION_HEADER_BYTES 40u

/* The loader's limit. */
#define ILPI_MAX_SECTIONS 96u

/* The headers of a file, checked and decoded. Offsets are of the file, or of the module in memory
 * (`layout`). */
struct ilpi_pe {
    struct ilp_bytes bytes; /* borrowed: the whole file or module */
    /* ILP_LAYOUT_METADATA: a metadata root alone, and all members below are 0 */
    enum ilp_layout layout;
    uint32_t coff_offset;     /* of the COFF header, after "PE\0\0" */
    uint32_t optional_offset; /* of the optional header */
    uint32_t directory_offset;
    uint32_t section_table_offset;
    uint16_t machine;
    uint16_t section_count;
    bool pe32_plus;
    uint32_t directory_count;
    uint32_t section_alignment;
    uint32_t file_alignment;
    uint32_t size_of_image;
    uint32_t size_of_headers;
    uint32_t checksum;
    struct ilpi_directory_entry directories[ILPI_DIR_COUNT];
    struct ilpi_section *sections; /* in the arena */
    uint64_t cli_offset;           /* of the CLI header */
    uint32_t cli_flags;
    ilp_token entry_point;
    struct ilpi_directory_entry metadata;
    struct ilpi_directory_entry strong_name_signature;
    struct ilpi_directory_entry managed_native_header;
};

/* COMIMAGE_FLAGS of the CLI header (II.25.3.3.1). */
#define ILPI_CLI_ILONLY             0x1u
#define ILPI_CLI_STRONG_NAME_SIGNED 0x8u

/* Reads the headers of pe->bytes, which have the layout of pe->layout. Sections are allocated in
 * the arena. */
ilp_status ilpi_pe_read(struct ilpi_pe *pe, struct ilp_arena *arena, struct ilp_error *error);

/* The bytes from an RVA to the end of its section; empty if no section has it. *offset (may be
 * NULL) is their file offset. */
struct ilp_bytes ilpi_pe_rva(const struct ilpi_pe *pe, uint32_t rva, uint64_t *offset);

/* The end of the section table; where section contents begin in the file, after nothing but
 * headers; where they end. */
uint32_t ilpi_pe_table_end(const struct ilpi_pe *pe);
uint32_t ilpi_pe_contents_begin(const struct ilpi_pe *pe);
uint64_t ilpi_pe_contents_end(const struct ilpi_pe *pe);

#endif
