/* Where a method body ends. See body_format.h.
 *
 * Used by all that needs an extent and not the contents: moving bodies (metadata/retained.c) and
 * checks for overlaps. body_read.c draws the format, and reads the same with its contents. */
#include "il/body_format.h"

/* Reads the header of a section and skips its data. EH sections are as long as their clauses,
 * whatever DataSize says beyond that (body_read.c lists who writes what); other sections are as
 * long as DataSize, which includes the header. */
ilp_status ilpi_body_section_read(struct ilpi_cursor *cursor, struct ilpi_body_section *section)
{
    ilpi_read_align(cursor, 4);
    struct ilpi_cursor header = *cursor;
    section->offset = ilpi_cursor_offset(cursor);
    section->kind = ilpi_read_u8(&header);
    bool fat = (section->kind & ILPI_SECT_FAT) != 0;
    size_t header_bytes = fat ? ILPI_SECT_HEADER_BYTES : 2; /* the u16 0 belongs to EH's data */
    size_t size = ilpi_read_u8(&header);
    if (fat) {
        size |= (size_t)ilpi_read_u16(&header) << 8;
    }
    if (header.status != ILP_OK) {
        return header.status;
    }
    section->clause_count = 0;
    section->clause_bytes = fat ? ILPI_EH_FAT_BYTES : ILPI_EH_SMALL_BYTES;
    if (ilpi_body_section_is_eh(section)) {
        section->clause_count = size / section->clause_bytes;
        size = ILPI_SECT_HEADER_BYTES + section->clause_count * section->clause_bytes;
    }
    if (size < header_bytes) { /* a chain that would not advance */
        return ilpi_cursor_fail(cursor, ILP_E_BAD_BODY, "DataSize is less than its own header");
    }
    section->bytes = ilpi_read_bytes(cursor, size);
    return cursor->status;
}

/* Only the extent, without keeping anything: header, code, sections up to the one without MORE. */
static void skip_fat(struct ilpi_cursor *cursor)
{
    uint16_t flags = ilpi_read_u16(cursor);
    size_t header_bytes = (size_t)(flags >> 12) * 4;
    ilpi_skip(cursor, 2); /* MaxStack */
    uint32_t code_size = ilpi_read_u32(cursor);
    ilpi_skip(cursor, 4); /* LocalVarSigTok */
    if (header_bytes < ILPI_FAT_HEADER_BYTES) {
        ilpi_cursor_fail(cursor, ILP_E_BAD_BODY, "the header says it is shorter than it is");
        return;
    }
    ilpi_skip(cursor, header_bytes - ILPI_FAT_HEADER_BYTES);
    ilpi_skip(cursor, code_size);
    struct ilpi_body_section section = {.kind = (flags & ILPI_BODY_MORE_SECTS) != 0 ? ILPI_SECT_MORE
                                                                                    : 0};
    while (cursor->status == ILP_OK && (section.kind & ILPI_SECT_MORE) != 0) {
        ilpi_body_section_read(cursor, &section);
    }
}

/* 0 for an unknown format (II.25.4.1 has two) or a truncated body, which callers refuse. */
size_t ilpi_body_extent(struct ilp_bytes bytes)
{
    struct ilpi_cursor cursor = ilpi_cursor_over(bytes, 0, "method body", NULL);
    if (bytes.size == 0) {
        return 0;
    }
    if ((bytes.data[0] & 0x3) == ILPI_BODY_TINY) {
        ilpi_skip(&cursor, 1 + (size_t)(bytes.data[0] >> 2));
    } else if ((bytes.data[0] & 0x7) == ILPI_BODY_FAT) {
        skip_fat(&cursor);
    } else {
        return 0;
    }
    return cursor.status == ILP_OK ? (size_t)(cursor.at - cursor.start) : 0;
}
