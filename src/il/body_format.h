/* The format of method bodies in a file (II.25.4): what reading, writing and copying share.
 * body_read.c defines what is accepted. */
#ifndef ILPI_BODY_FORMAT_H
#define ILPI_BODY_FORMAT_H

#include "base/cursor.h"

/* The low bits of a header's first byte (II.25.4.1), and the flags of a fat one (II.25.4.4). */
#define ILPI_BODY_TINY        0x2u
#define ILPI_BODY_FAT         0x3u
#define ILPI_BODY_MORE_SECTS  0x8u
#define ILPI_BODY_INIT_LOCALS 0x10u

#define ILPI_FAT_HEADER_BYTES 12u
#define ILPI_TINY_MAX_CODE    63u
#define ILPI_TINY_MAX_STACK   8u

/* The kind byte of a data section (II.25.4.5): a kind in the low six bits, and flags. */
#define ILPI_SECT_KIND_MASK 0x3Fu
#define ILPI_SECT_EH        0x1u
#define ILPI_SECT_FAT       0x40u
#define ILPI_SECT_MORE      0x80u

#define ILPI_SECT_HEADER_BYTES 4u
#define ILPI_EH_SMALL_BYTES    12u
#define ILPI_EH_FAT_BYTES      24u

/* The flags of a clause (II.25.4.6); a clause that was read has one of these and nothing else. */
enum ilpi_eh_kind { ILPI_EH_CATCH = 0, ILPI_EH_FILTER = 1, ILPI_EH_FINALLY = 2, ILPI_EH_FAULT = 4 };

/* A data section. */
struct ilpi_body_section {
    uint8_t kind;           /* with its flags */
    size_t clause_count;    /* 0 if it is not an EH table */
    size_t clause_bytes;    /* 12 or 24 */
    struct ilp_bytes bytes; /* header included */
    uint64_t offset;
};

static inline bool ilpi_body_section_is_eh(const struct ilpi_body_section *section)
{
    return (section->kind & ILPI_SECT_KIND_MASK) == ILPI_SECT_EH;
}

/* Reads the section that begins at the next multiple of 4 from the body's start. */
ilp_status ilpi_body_section_read(struct ilpi_cursor *cursor, struct ilpi_body_section *section);

/* The size of the body that starts at bytes.data, header and sections included; 0 when the bytes
 * are not a complete body. */
size_t ilpi_body_extent(struct ilp_bytes bytes);

#endif
