/* What the tests of writing PE files share: a sample, a change to it, and all that holds for every
 * file that is written, checked by looking at its bytes. */
#ifndef WRITE_TEST_H
#define WRITE_TEST_H

#include "metadata_test.h"

/* Offsets in headers (II.25.2, II.25.3). */
enum {
    COFF_SYMBOLS = 8,
    OPT_SIZE_OF_CODE = 4,
    OPT_SECTION_ALIGNMENT = 32,
    OPT_FILE_ALIGNMENT = 36,
    OPT_SIZE_OF_IMAGE = 56,
    OPT_SIZE_OF_HEADERS = 60,
    OPT_CHECKSUM = 64,
    DIR_SECURITY = 4,
    DIR_DEBUG = 6,
    DIR_BOUND_IMPORT = 11,
    SECTION_BYTES = 40
};

static const uint8_t new_body[] = {0x0A, 0x16, 0x2A}; /* ldc.i4.0; ret */

/* A name, a row and a body: what every patched file has. */
static inline void make_changes(struct ilp_edit *edit)
{
    ADD_ROW(edit, ModuleRef, add_string(edit, "added"));
    struct ilp_bytes body = {new_body, sizeof new_body};
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_NUMBER, body, NULL), ILP_OK);
}

static inline struct ib_file sample(struct ib_pe pe)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_file file = ib_pe_file(&b, pe);
    ib_end(&b);
    return file;
}

/* Every section of the original is in the new file: at the same RVA, and with the same bytes but
 * for the eight of the CLI header that lead to the metadata. */
static inline void same_sections(const struct ib_file *before, struct ilp_bytes after_bytes,
                                 uint32_t extended)
{
    struct ib_file after = ib_look(after_bytes.data, after_bytes.size);
    unsigned number = 0;
    for (uint32_t at = before->section_table; at < before->table_end;
         at += SECTION_BYTES, number++) {
        uint32_t to = after.section_table + (at - before->section_table);
        uint32_t size = ib_get32(before->data, at + 16);
        assert_memory_equal(before->data + at, after.data + to, 8);
        assert_int_equal(ib_get32(before->data, at + 12), ib_get32(after.data, to + 12));
        assert_true(number == extended || ib_get32(after.data, to + 16) == size);
        const uint8_t *old = before->data + ib_get32(before->data, at + 20);
        const uint8_t *new = after.data + ib_get32(after.data, to + 20);
        for (uint32_t i = 0; i < size; i++) {
            bool metadata = number == 0 && i >= 8 && i < 16;
            if (old[i] != new[i] && !metadata) {
                fail_msg("section %u, byte 0x%X: %02X became %02X", number, i, old[i], new[i]);
            }
        }
    }
}

#define NOT_EXTENDED UINT32_MAX

/* The added section: named, executable, no larger than it has to be, and with no gap before it.
 * `kept` is how much of the original went before it. */
static inline void is_new_section(const struct ib_file *before, struct ilp_bytes bytes,
                                  uint32_t kept)
{
    struct ib_file after = ib_look(bytes.data, bytes.size);
    uint32_t at = after.table_end - SECTION_BYTES;
    uint32_t alignment = ib_get32(before->data, before->optional + OPT_FILE_ALIGNMENT);
    uint32_t growth = ib_get32(bytes.data, before->optional + OPT_SIZE_OF_HEADERS) -
                      ib_get32(before->data, before->optional + OPT_SIZE_OF_HEADERS);
    uint32_t virtual_size = ib_get32(bytes.data, at + 8);
    uint32_t raw_size = ib_get32(bytes.data, at + 16);
    assert_memory_equal(bytes.data + at, ".ilpatch", 8);
    assert_int_equal(ib_get32(bytes.data, at + 36), 0x60000020);
    assert_int_equal(raw_size, ib_up(virtual_size, alignment));
    assert_int_equal(ib_get32(bytes.data, at + 20), ib_up(kept + growth, alignment));
    assert_int_equal(ib_get32(bytes.data, at + 20) + raw_size, bytes.size);
    for (uint32_t i = 24; i < 36; i++) {
        assert_int_equal(bytes.data[at + i], 0);
    }
    assert_int_equal(ib_get32(bytes.data, before->optional + OPT_SIZE_OF_CODE),
                     ib_get32(before->data, before->optional + OPT_SIZE_OF_CODE) + raw_size);
}

/* Writes make_changes() into `file` and checks all that holds for each written file; `info` says
 * how. */
static inline struct ilp_image *written_of(const struct ib_file *file, struct ilp_write_info *info)
{
    struct ilp_bytes bytes = {file->data, file->size};
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    make_changes(edit);
    struct ilp_image *after = rewritten(edit, info);
    same_rows(image, after, true);
    same_heaps(image, after);
    assert_string_equal(name_at(after, ILP_ModuleRef, 1, 0), "added");
    uint32_t rva = ilp_cell(after, ILP_MethodDef, SAMPLE_NUMBER, ILP_MethodDef_RVA);
    assert_memory_equal(ilp_image_rva(after, rva, NULL).data, new_body, sizeof new_body);
    rva = ilp_cell(after, ILP_MethodDef, SAMPLE_FAT, ILP_MethodDef_RVA);
    assert_int_equal(ilp_image_rva(after, rva, NULL).data[0], 0x1B); /* an old body, where it was */
    uint32_t sections = (file->table_end - file->section_table) / SECTION_BYTES;
    same_sections(file, after->pe.bytes, info->section_extended ? sections - 1 : NOT_EXTENDED);
    assert_int_equal(after->pe.section_count, sections + (info->section_extended ? 0 : 1));
    if (!info->section_extended) {
        uint32_t certificate = ib_get32(file->data, file->directories + DIR_SECURITY * 8);
        uint32_t certificate_end = certificate +
                                   ib_get32(file->data, file->directories + DIR_SECURITY * 8 + 4);
        bool cut = info->certificate_dropped && certificate_end == file->size;
        is_new_section(file, after->pe.bytes, cut ? certificate : (uint32_t)file->size);
    }
    assert_int_equal(after->pe.metadata.size, ib_up((uint32_t)after->root.size, 4));
    assert_int_equal(after->pe.machine, image->pe.machine);
    assert_int_equal(after->pe.cli_flags, image->pe.cli_flags);
    assert_int_equal(after->pe.entry_point, image->pe.entry_point);

    struct ilp_digest origin = {{0}};
    struct ilp_digest expected;
    assert_false(ilp_image_origin(image, &origin));
    assert_true(ilp_image_origin(after, &origin));
    ilp_digest_of(bytes, &expected);
    assert_memory_equal(origin.bytes, expected.bytes, sizeof origin.bytes);

    /* as a loader sees it */
    struct ilp_bytes mapped_bytes = taken(ib_map(after->pe.bytes.data, after->pe.bytes.size));
    struct ilp_image *mapped = open_image(mapped_bytes, ILP_LAYOUT_MAPPED);
    same_rows(after, mapped, false);
    assert_false(ilp_image_origin(mapped, &origin) &&
                 memcmp(origin.bytes, expected.bytes, sizeof origin.bytes) != 0);
    ilp_image_close(mapped);
    drop(mapped_bytes);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return after;
}

static inline ilp_status refused(const struct ib_file *file, struct ilp_error *error)
{
    struct ilp_bytes bytes = {file->data, file->size};
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    make_changes(edit);
    struct ilp_bytes written;
    *error = (struct ilp_error){0};
    ilp_status status = write_edit(edit, &written, NULL, error);
    assert_int_equal(error->status, status);
    assert_true(status == ILP_OK || error->message[0] != '\0');
    assert_true(status == ILP_OK || written.size == 0); /* refused before the first byte */
    drop(written);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return status;
}

#endif
