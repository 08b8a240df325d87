/* Writing PE files (pe_plan.c, image_write.c): where the new contents go, what moves and what does not, each
 * kind of file that has no room, checksums, certificates, and sinks that fail. */
#include "metadata_test.h"

/* Offsets in headers (II.25.2, II.25.3). */
enum {
    COFF_SYMBOLS = 8,
    OPT_FILE_ALIGNMENT = 36,
    OPT_SIZE_OF_IMAGE = 56,
    OPT_SIZE_OF_HEADERS = 60,
    OPT_CHECKSUM = 64,
    DIR_SECURITY = 4,
    DIR_DEBUG = 6,
    DIR_BOUND_IMPORT = 11,
    SECTION_BYTES = 40,
    DISCARDABLE = 0x02000000,
    WRITABLE = (int)0x80000000
};

/* ---- one way through it all ---- */

static const uint8_t new_body[] = {0x0A, 0x16, 0x2A}; /* ldc.i4.0; ret */

/* A name, a row and a body: what every patched file has. */
static void make_changes(struct ilp_edit *edit)
{
    ADD_ROW(edit, ModuleRef, add_string(edit, "added"));
    struct ilp_bytes body = {new_body, sizeof new_body};
    assert_int_equal(ilp_edit_set_body(edit, SAMPLE_NUMBER, body, NULL), ILP_OK);
}

static struct ib_file sample(struct ib_pe pe)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_file file = ib_pe_file(&b, pe);
    ib_end(&b);
    return file;
}

/* Every section of the original is in the new file: at the same RVA, and with the same bytes but for the eight
 * of the CLI header that lead to the metadata, and the offsets in `moved`, if given. */
static void same_sections(const struct ib_file *before, struct ilp_bytes after_bytes, uint32_t extended)
{
    struct ib_file after = ib_look(after_bytes.data, after_bytes.size);
    unsigned number = 0;
    for (uint32_t at = before->section_table; at < before->table_end; at += SECTION_BYTES, number++) {
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

/* Writes make_changes() into `file` and checks all that holds for each written file; `info` says how. */
static struct ilp_image *written_of(const struct ib_file *file, struct ilp_write_info *info)
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
    same_sections(file, after->bytes, info->section_extended ? sections - 1 : NOT_EXTENDED);
    assert_int_equal(after->pe.section_count, sections + (info->section_extended ? 0 : 1));
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
    struct ilp_bytes mapped_bytes = taken(ib_map(after->bytes.data, after->bytes.size));
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

static ilp_status refused(const struct ib_file *file, struct ilp_error *error)
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

/* ---- room for a section header ---- */

static void forms_of_files(void **state)
{
    (void)state;
    static const struct {
        struct ib_pe pe;
        bool grown;
        bool extended;
    } forms[] = {
        {{0}, false, false},
        {{.plus = true}, false, false},
        {{.extra_sections = 1}, false, false},             /* 56 bytes are free */
        {{.extra_sections = 2}, true, false},              /* 16, as C# compilers leave */
        {{.plus = true, .extra_sections = 1}, false, false}, /* 40, just enough */
        {{.plus = true, .extra_sections = 2}, true, false},  /* none */
        {{.extra_sections = 4, .file_alignment = 0x1000, .section_alignment = 0x4000}, false, false},
        {{.lfanew = 0x90}, false, false},
        {{.lfanew = 0x80 + 96 - 40}, false, false}, /* 40 bytes free */
        {{.lfanew = 0x80 + 96 - 39}, true, false},  /* 39 */
        {{.lfanew = 0x80 + 96}, true, false},       /* none */
        /* flat files: RVAs are offsets, so headers cannot grow */
        {{.section_alignment = 0x200}, false, false},
        {{.section_alignment = 0x200, .extra_sections = 2}, false, true},
        {{.plus = true, .section_alignment = 0x200, .extra_sections = 2}, false, true},
        /* the first section begins where the headers end */
        {{.lfanew = 0x1000 - 24 - 224 - 40, .section_alignment = 0x1000}, false, true},
        {{.lfanew = 0x1000 - 24 - 224 - 40 - 0x200, .section_alignment = 0x1000}, true, false},
    };
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct ib_file file = sample(forms[i].pe);
        struct ilp_write_info info;
        struct ilp_image *after = written_of(&file, &info);
        if (info.headers_grown != forms[i].grown || info.section_extended != forms[i].extended) {
            fail_msg("form %zu: grown %d, extended %d", i, info.headers_grown, info.section_extended);
        }
        assert_true(info.symbols_dropped == false && info.certificate_dropped == false);
        assert_false(info.strong_name_stale);
        uint32_t headers = ib_get32(file.data, file.optional + OPT_SIZE_OF_HEADERS);
        uint32_t grown = ib_get32(after->bytes.data, file.optional + OPT_SIZE_OF_HEADERS) - headers;
        assert_int_equal(grown, forms[i].grown ? ib_get32(file.data, file.optional + OPT_FILE_ALIGNMENT) : 0);
        close_built(after);
        free(file.data);
    }
}

/* What stands behind the section table is not free when it is not zero: it moves with the growth. */
static void slack_with_something_in_it(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){0}); /* 96 bytes */
    for (uint32_t at = 0; at < 50; at++) {
        file.data[file.table_end + at] = 'x';
        struct ilp_write_info info;
        struct ilp_image *after = written_of(&file, &info);
        assert_int_equal(info.headers_grown, at < 40);
        uint32_t moved = file.table_end + (at < 40 ? 0x200 : 0) + at;
        assert_int_equal(after->bytes.data[moved], 'x');
        close_built(after);
        file.data[file.table_end + at] = 0;
    }
    free(file.data);
}

static void bound_imports_move_with_the_slack(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 1});
    memcpy(file.data + file.table_end + 8, "bound imports", 13);
    ib_directory(&file, DIR_BOUND_IMPORT, file.table_end + 8, 13);
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info);
    assert_true(info.headers_grown);
    struct ilpi_directory_entry bound = after->pe.directories[ILPI_DIR_BOUND_IMPORT];
    assert_int_equal(bound.rva, file.table_end + 8 + 0x200);
    assert_int_equal(bound.size, 13);
    assert_memory_equal(after->bytes.data + bound.rva, "bound imports", 13);
    close_built(after);
    free(file.data);
}

/* Anything else there cannot be moved: its RVA would change. */
static void other_directories_in_the_headers_hold_them(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
    ib_directory(&file, 5, file.table_end, 8);
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info);
    assert_true(info.section_extended);
    close_built(after);
    free(file.data);
}

/* Debug entries (types as in the PE format), and whether a new body makes them stale. */
enum { CODEVIEW = 2, MISC = 4, REPRODUCIBLE = 16, EMBEDDED_PDB = 17, PDB_CHECKSUM = 19, DEBUG_BYTES = 28 };

static const uint32_t debug_types[] = {CODEVIEW, REPRODUCIBLE, PDB_CHECKSUM, MISC, EMBEDDED_PDB};

/* A file with those entries in its last section, `count` of them; all but the last have data in the file. */
static struct ib_file with_debug(struct ib_pe pe, uint32_t count, uint32_t *offset)
{
    pe.extra_size = (count + 1) * DEBUG_BYTES;
    struct ib_file file = sample(pe);
    uint32_t header = file.table_end - SECTION_BYTES;
    *offset = ib_get32(file.data, header + 20);
    ib_directory(&file, DIR_DEBUG, ib_get32(file.data, header + 12), count * DEBUG_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *entry = file.data + *offset + i * DEBUG_BYTES;
        memset(entry, 0, DEBUG_BYTES);
        ib_set32(entry, 4, i + 1); /* a time stamp, to tell them apart */
        ib_set32(entry, 12, debug_types[i % COUNT(debug_types)]);
        ib_set32(entry, 24, i + 1 < count ? *offset + i : 0);
    }
    ib_set32(file.data, file.coff + COFF_SYMBOLS, *offset + 5);
    return file;
}

static void offsets_in_the_file_follow_the_growth(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 100; count += 33) {
        for (unsigned grow = 0; grow < 2; grow++) {
            uint32_t offset;
            struct ib_file file = with_debug((struct ib_pe){.extra_sections = grow ? 2 : 1}, count, &offset);
            struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
            struct ilp_edit *edit = open_edit(image);
            add_string(edit, "no body: symbols stay");
            struct ilp_write_info info;
            struct ilp_image *after = rewritten(edit, &info);
            uint32_t growth = grow ? 0x200 : 0;
            assert_int_equal(info.headers_grown, grow);
            assert_false(info.symbols_dropped);
            const uint8_t *data = after->bytes.data;
            assert_int_equal(ib_get32(data, file.coff + COFF_SYMBOLS), offset + 5 + growth);
            assert_int_equal(after->pe.directories[ILPI_DIR_DEBUG].rva, image->pe.directories[ILPI_DIR_DEBUG].rva);
            assert_int_equal(after->pe.directories[ILPI_DIR_DEBUG].size, count * DEBUG_BYTES);
            for (uint32_t i = 0; i < count; i++) {
                const uint8_t *entry = data + offset + growth + i * DEBUG_BYTES;
                assert_memory_equal(entry, file.data + offset + i * DEBUG_BYTES, 24);
                assert_int_equal(ib_get32(entry, 24), i + 1 < count ? offset + i + growth : 0);
            }
            close_built(after);
            ilp_edit_close(edit);
            ilp_image_close(image);
            free(file.data);
        }
    }
}

/* With a new body what leads to symbols is stale; the other entries stay, and close ranks. */
static void stale_symbols_are_dropped(void **state)
{
    (void)state;
    static const uint32_t kept[] = {2, 4, 7, 9}; /* by the time stamp */
    for (unsigned grow = 0; grow < 2; grow++) {
        uint32_t offset;
        struct ib_file file = with_debug((struct ib_pe){.extra_sections = grow ? 2 : 1}, 10, &offset);
        struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        make_changes(edit);
        struct ilp_write_info info;
        struct ilp_image *after = rewritten(edit, &info);
        assert_true(info.symbols_dropped);
        struct ilpi_directory_entry debug = after->pe.directories[ILPI_DIR_DEBUG];
        assert_int_equal(debug.rva, image->pe.directories[ILPI_DIR_DEBUG].rva);
        assert_int_equal(debug.size, COUNT(kept) * DEBUG_BYTES);
        const uint8_t *entries = after->bytes.data + offset + (grow ? 0x200 : 0);
        for (uint32_t i = 0; i < 10; i++) {
            uint32_t stamp = ib_get32(entries, (size_t)i * DEBUG_BYTES + 4);
            assert_int_equal(stamp, i < COUNT(kept) ? kept[i] : 0);
            uint32_t raw = ib_get32(entries, (size_t)i * DEBUG_BYTES + 24);
            assert_int_equal(raw, i < COUNT(kept) ? offset + stamp - 1 + (grow ? 0x200 : 0) : 0);
        }
        close_built(after);
        ilp_edit_close(edit);
        ilp_image_close(image);
        free(file.data);
    }
    uint32_t offset;
    struct ib_file file = with_debug((struct ib_pe){.extra_sections = 1}, 1, &offset); /* symbols alone */
    struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    make_changes(edit);
    struct ilp_write_info info;
    struct ilp_image *after = rewritten(edit, &info);
    assert_true(info.symbols_dropped);
    assert_int_equal(after->pe.directories[ILPI_DIR_DEBUG].rva, 0);
    assert_int_equal(after->pe.directories[ILPI_DIR_DEBUG].size, 0);
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

/* A debug directory that leads into the headers, nowhere, or over the CLI header. */
static void debug_directories_that_lie(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
    struct ilp_error error;
    static const uint32_t rvas[] = {0x10, 0x2000, 0x2000 + 8 - 4, 0x00700000, 0xFFFFFFF0};
    for (size_t i = 0; i < COUNT(rvas); i++) {
        static const uint32_t sizes[] = {28, 56, 27, 0xFFFFFFFF};
        for (size_t k = 0; k < COUNT(sizes); k++) {
            ib_directory(&file, DIR_DEBUG, rvas[i], sizes[k]);
            ilp_status status = refused(&file, &error);
            assert_true(status == ILP_OK || status == ILP_E_BAD_PE);
            bool shares = i < 3 && sizes[k] != 27;
            assert_int_equal(status, shares ? ILP_E_BAD_PE : ILP_OK);
        }
    }
    free(file.data);
}

static void as_many_sections_as_are_read(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 94, .file_alignment = 0x2000});
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info); /* 95 become 96 */
    assert_false(info.section_extended);
    close_built(after);
    free(file.data);
    file = sample((struct ib_pe){.extra_sections = 95, .file_alignment = 0x2000});
    after = written_of(&file, &info); /* no loader takes 97 */
    assert_true(info.section_extended);
    close_built(after);
    free(file.data);
}

/* ---- extending ---- */

static const struct ib_pe tight = {.section_alignment = 0x200, .extra_sections = 2};

static void an_extended_section_is_kept_in_memory(void **state)
{
    (void)state;
    struct ib_pe pe = tight;
    pe.extra_characteristics = 0x42000040; /* as .reloc */
    struct ib_file file = sample(pe);
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info);
    assert_true(info.section_extended);
    const struct ilpi_section *last = &after->pe.sections[2];
    assert_int_equal(last->characteristics, 0x40000040);
    assert_int_equal(after->pe.sections[1].characteristics, 0x42000040);
    assert_true(last->virtual_size > 0x200);
    close_built(after);
    free(file.data);
}

/* Zeros that are only in memory are written out, since the new bytes come behind them. */
static void zeros_of_an_extended_section_are_written(void **state)
{
    (void)state;
    struct ib_pe pe = tight;
    pe.extra_virtual_size = 0x1234;
    struct ib_file file = sample(pe);
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info);
    assert_true(info.section_extended);
    const struct ilpi_section *last = &after->pe.sections[2];
    for (uint32_t i = 0x200; i < 0x1234; i++) {
        assert_int_equal(after->bytes.data[last->raw_offset + i], 0);
    }
    close_built(after);
    free(file.data);
}

static void sections_that_cannot_be_extended(void **state)
{
    (void)state;
    struct ilp_error error;
    struct ib_pe pe = tight;
    pe.extra_characteristics = 0xC0000040; /* writable: code would lie in it */
    struct ib_file file = sample(pe);
    assert_int_equal(refused(&file, &error), ILP_E_NO_ROOM);
    assert_int_equal(error.offset, file.table_end);
    free(file.data);

    file = sample(tight);
    ib_append(&file, "overlay", 7); /* what follows the last section would be in it */
    assert_int_equal(refused(&file, &error), ILP_E_NO_ROOM);
    free(file.data);

    file = sample(tight); /* the last one in memory is not the last one in the file */
    uint32_t second = file.section_table + SECTION_BYTES;
    uint32_t third = second + SECTION_BYTES;
    uint32_t offset = ib_get32(file.data, second + 20);
    ib_set32(file.data, second + 20, ib_get32(file.data, third + 20));
    ib_set32(file.data, third + 20, offset);
    assert_int_equal(refused(&file, &error), ILP_E_NO_ROOM);
    free(file.data);
}

/* ---- what follows the sections ---- */

static void overlays_stay_and_certificates_go(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 16; what++) {
        bool overlay = what & 1;
        bool certificate = what & 2;
        bool grow = what & 4;
        bool checksum = what & 8;
        struct ib_file file = sample((struct ib_pe){.extra_sections = grow ? 2 : 0});
        uint32_t sections_end = (uint32_t)file.size;
        if (overlay) {
            ib_append(&file, "overlay!", 8);
        }
        if (certificate) {
            ib_directory(&file, DIR_SECURITY, (uint32_t)file.size, 16);
            ib_append(&file, "certificate.....", 16);
        }
        if (checksum) {
            ib_set32(file.data, file.optional + OPT_CHECKSUM, ib_checksum(file.data, file.size));
        }
        struct ilp_write_info info;
        struct ilp_image *after = written_of(&file, &info);
        struct ilp_bytes bytes = after->bytes;
        assert_int_equal(info.headers_grown, grow);
        assert_int_equal(info.certificate_dropped, certificate);
        assert_int_equal(after->pe.directories[ILPI_DIR_SECURITY].rva, 0);
        assert_int_equal(after->pe.directories[ILPI_DIR_SECURITY].size, 0);
        assert_null(memmem(bytes.data, bytes.size, "certificate.....", 16));
        if (overlay) {
            assert_memory_equal(bytes.data + sections_end + (grow ? 0x200 : 0), "overlay!", 8);
        }
        uint32_t written = ib_get32(bytes.data, file.optional + OPT_CHECKSUM);
        assert_int_equal(written, checksum ? ib_checksum(bytes.data, bytes.size) : 0);
        close_built(after);
        free(file.data);
    }
}

/* A certificate table that begins inside of a section, or does not reach the end of the file, is none that a
 * loader checks: nothing of the file is cut off. */
static void certificates_that_are_none(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 1});
    uint32_t last = ib_get32(file.data, file.section_table + SECTION_BYTES + 20);
    static const int into[] = {-0x300, -0x100, 0, 8, 0x1FF};
    struct ilp_write_info info;
    for (size_t i = 0; i < COUNT(into); i++) {
        ib_directory(&file, DIR_SECURITY, (uint32_t)((int)last + into[i]), 0x10000);
        close_built(written_of(&file, &info));
    }
    ib_append(&file, "certificate.then more", 21);
    ib_directory(&file, DIR_SECURITY, (uint32_t)file.size - 21, 12);
    struct ilp_image *after = written_of(&file, &info);
    assert_non_null(memmem(after->bytes.data, after->bytes.size, "then more", 9));
    close_built(after);
    free(file.data);
}

static void strong_names_are_told(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.cli_flags = 0x9});
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info);
    assert_true(info.strong_name_stale);
    assert_int_equal(after->pe.cli_flags, 0x9);
    close_built(after);
    free(file.data);
}

/* ---- checksums ---- */

/* Bytes of every value and names of every length shift all words. */
static void checksums_of_many_files(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = i % 4, .extra_size = 1 + i * 37});
        ib_set32(file.data, file.optional + OPT_CHECKSUM, 1); /* any but 0: it is wanted */
        struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        char text[70] = "";
        memset(text, (int)(128 + i), i + 1);
        add_string(edit, text);
        uint8_t blob[64];
        memset(blob, 0xFF, sizeof blob);
        add_blob(edit, blob, i);
        struct ilp_image *after = rewritten(edit, NULL);
        uint32_t sum = ib_get32(after->bytes.data, file.optional + OPT_CHECKSUM);
        assert_int_equal(sum, ib_checksum(after->bytes.data, after->bytes.size));
        assert_int_not_equal(sum, 1);
        close_built(after);
        ilp_edit_close(edit);
        ilp_image_close(image);
        free(file.data);
    }
}

/* Small alignments are rare, but loaders take them. */
static void small_alignments(void **state)
{
    (void)state;
    for (uint32_t alignment = 1; alignment <= 0x100; alignment *= 2) {
        for (unsigned flat = 0; flat < 2; flat++) {
            struct ib_file file = sample((struct ib_pe){.lfanew = 0x82,
                                                        .file_alignment = alignment,
                                                        .section_alignment = flat ? alignment : 0x1000});
            ib_set32(file.data, file.optional + OPT_CHECKSUM, 1);
            ib_append(&file, "overlay", flat ? 0 : 7); /* an odd size */
            struct ilp_bytes bytes = {file.data, file.size};
            struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
            struct ilp_edit *edit = open_edit(image);
            struct ilp_write_info info;
            uint8_t fat[16] = {0x03, 0x30, 8, 0, 1, [12] = 0x2A};
            assert_int_equal(ilp_edit_set_body(edit, SAMPLE_FAT, (struct ilp_bytes){fat, 13}, NULL), ILP_OK);
            struct ilp_image *after = rewritten(edit, &info);
            uint32_t rva = ilp_cell(after, ILP_MethodDef, SAMPLE_FAT, ILP_MethodDef_RVA);
            assert_int_equal(rva % 4, 0); /* II.25.4.3 */
            assert_int_equal(after->pe.metadata.rva % 4, 0);
            close_built(after);
            ilp_edit_close(edit);
            ilp_image_close(image);
            free(file.data);
        }
    }
}

/* ---- what cannot be written ---- */

static void refuses(const char *name, ilp_status expected)
{
    struct ilp_bytes bytes = load(name);
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_error error = {0};
    struct ilp_bytes written;
    add_string(edit, "x");
    assert_int_equal(ilp_image_can_be_written(image, &error), expected);
    assert_int_equal(write_edit(edit, &written, NULL, &error), expected);
    assert_int_equal(error.status, expected);
    assert_int_equal(ilp_status_class(expected), ILP_CLASS_UNSUPPORTED);
    assert_int_equal(written.size, 0);
    drop(written);
    ilp_edit_close(edit);
    ilp_image_close(image);
    drop(bytes);
}

static void unsupported_files(void **state)
{
    (void)state;
    refuses("unsupported-r2r.dll", ILP_E_READY_TO_RUN);
    refuses("unsupported-mixed.dll", ILP_E_MIXED_MODE);
}

static void mapped_images(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-small.dll");
    struct ilp_bytes mapped = taken(ib_map(bytes.data, bytes.size));
    struct ilp_image *image = open_image(mapped, ILP_LAYOUT_MAPPED);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_bytes written;
    struct ilp_error error = {0};
    assert_int_equal(ilp_image_can_be_written(image, NULL), ILP_E_MAPPED_WRITE);
    make_changes(edit);
    assert_int_equal(write_edit(edit, &written, NULL, &error), ILP_E_MAPPED_WRITE);
    assert_int_equal(written.size, 0);
    drop(written);
    ilp_edit_close(edit);
    ilp_image_close(image);
    drop(mapped);
    drop(bytes);
}

static void headers_that_lie(void **state)
{
    (void)state;
    static const struct {
        unsigned at; /* in the optional header, or in the first section header plus 0x1000 */
        uint32_t value;
    } lies[] = {
        {32, 0},      {32, 0x1001},         {36, 0},          {36, 0x300},
        {36, 0},      {0x1000 + 16, 0x7FFFFFFF}, {0x1000 + 16, 0x2000},
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct ib_file file = sample((struct ib_pe){0});
        uint32_t at = lies[i].at < 0x1000 ? file.optional + lies[i].at : file.section_table + lies[i].at - 0x1000;
        ib_set32(file.data, at, lies[i].value);
        struct ilp_error error;
        assert_int_equal(refused(&file, &error), ILP_E_BAD_PE);
        free(file.data);
    }
}

static void files_that_would_be_too_large(void **state)
{
    (void)state;
    static const struct {
        unsigned at; /* in the last section header */
        uint32_t value;
    } sizes[] = {{8, 0x7FFFFFFF}, {8, 0xFFFFFFFF}, {12, 0x7FFFF000}, {12, 0xFFFFE000}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = 1});
        ib_set32(file.data, file.section_table + SECTION_BYTES + sizes[i].at, sizes[i].value);
        struct ilp_error error;
        assert_int_equal(refused(&file, &error), ILP_E_TOO_LARGE);
        free(file.data);
    }
}

/* ---- twice ---- */

static void a_written_file_can_be_changed_again(void **state)
{
    (void)state;
    static const unsigned sections[] = {0, 2};
    for (size_t i = 0; i < COUNT(sections); i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = sections[i]});
        struct ilp_image *image = open_image(exact(file.data, file.size), ILP_LAYOUT_FILE);
        free(file.data);
        for (unsigned round = 0; round < 12; round++) {
            struct ilp_edit *edit = open_edit(image);
            char name[20];
            snprintf(name, sizeof name, "round %u", round);
            ADD_ROW(edit, ModuleRef, add_string(edit, name));
            struct ilp_bytes body = {new_body, sizeof new_body};
            assert_int_equal(ilp_edit_set_body(edit, 1 + round % 3, body, NULL), ILP_OK);
            struct ilp_image *after = rewritten(edit, NULL);
            same_rows(image, after, true);
            ilp_edit_close(edit);
            close_built(image);
            image = after;
        }
        for (ilp_rid rid = 1; rid <= 12; rid++) {
            char name[20];
            snprintf(name, sizeof name, "round %u", rid - 1);
            assert_string_equal(name_at(image, ILP_ModuleRef, rid, 0), name);
        }
        close_built(image);
    }
}

static void the_same_change_gives_the_same_bytes(void **state)
{
    (void)state;
    struct ilp_bytes written[2];
    for (unsigned i = 0; i < 2; i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
        struct ilp_image *image = open_image(exact(file.data, file.size), ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        make_changes(edit);
        assert_int_equal(ilp_edit_renew_mvid(edit, NULL), ILP_OK);
        struct ilp_bytes first;
        assert_int_equal(write_edit(edit, &first, NULL, NULL), ILP_OK);
        assert_int_equal(write_edit(edit, &written[i], NULL, NULL), ILP_OK); /* an edit can be written twice */
        same_bytes(first, written[i]);
        drop(first);
        ilp_edit_close(edit);
        close_built(image);
        free(file.data);
    }
    same_bytes(written[0], written[1]);
    drop(written[0]);
    drop(written[1]);
}

static void compilers_files_are_rewritten(void **state)
{
    (void)state;
    static const char *const names[] = {"good-il.dll", "good-csharp.dll", "good-security.dll",
                                        "good-pe32plus.dll", "good-portable.pdb"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes bytes = load(names[i]);
        struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        ADD_ROW(edit, CustomAttribute, ILP_TOKEN(ILP_MethodDef, 1), 0, 0);
        ADD_ROW(edit, ModuleRef, add_string(edit, "added"));
        struct ilp_write_info info;
        struct ilp_image *after = rewritten(edit, &info);
        same_heaps(image, after);
        assert_int_equal(ilp_row_count(after, ILP_CustomAttribute),
                         ilp_row_count(image, ILP_CustomAttribute) + 1);
        close_built(after);
        ilp_edit_close(edit);
        ilp_image_close(image);
        drop(bytes);
    }
}

/* ---- sinks that fail ---- */

static void a_failing_sink_ends_the_writing(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
    ib_set32(file.data, file.optional + OPT_CHECKSUM, 1); /* the checksum's own pass does not reach the sink */
    struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    make_changes(edit);
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    assert_int_equal(ilp_edit_write(edit, &sink, NULL, NULL), ILP_OK);
    size_t size = collector.bytes.size;
    for (size_t after = 1; after <= size; after += 7) {
        struct ilp_error error = {0};
        collector.bytes.size = 0;
        collector.fail_after = after;
        assert_int_equal(ilp_edit_write(edit, &sink, NULL, &error), ILP_E_CALLBACK);
        assert_int_equal(error.status, ILP_E_CALLBACK);
        assert_true(collector.bytes.size < after);
    }
    collector.fail_after = 0;
    collector.bytes.size = 0;
    assert_int_equal(ilp_edit_write(edit, &sink, NULL, NULL), ILP_OK);
    assert_int_equal(collector.bytes.size, size);
    ib_free(&collector.bytes);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

static ilp_status say_no_room(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return ILP_E_NO_ROOM; /* whatever a sink says comes back */
}

static void a_sinks_status_passes_through(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-small.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_sink sink = {NULL, say_no_room};
    for (unsigned changed = 0; changed < 2; changed++) {
        struct ilp_edit *edit = open_edit(image);
        if (changed) {
            make_changes(edit);
        }
        assert_int_equal(ilp_edit_write(edit, &sink, NULL, NULL), ILP_E_NO_ROOM);
        ilp_edit_close(edit);
    }
    ilp_image_close(image);
    drop(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_files),
        cmocka_unit_test(slack_with_something_in_it),
        cmocka_unit_test(bound_imports_move_with_the_slack),
        cmocka_unit_test(other_directories_in_the_headers_hold_them),
        cmocka_unit_test(offsets_in_the_file_follow_the_growth),
        cmocka_unit_test(stale_symbols_are_dropped),
        cmocka_unit_test(debug_directories_that_lie),
        cmocka_unit_test(as_many_sections_as_are_read),
        cmocka_unit_test(an_extended_section_is_kept_in_memory),
        cmocka_unit_test(zeros_of_an_extended_section_are_written),
        cmocka_unit_test(sections_that_cannot_be_extended),
        cmocka_unit_test(overlays_stay_and_certificates_go),
        cmocka_unit_test(certificates_that_are_none),
        cmocka_unit_test(strong_names_are_told),
        cmocka_unit_test(checksums_of_many_files),
        cmocka_unit_test(small_alignments),
        cmocka_unit_test(unsupported_files),
        cmocka_unit_test(mapped_images),
        cmocka_unit_test(headers_that_lie),
        cmocka_unit_test(files_that_would_be_too_large),
        cmocka_unit_test(a_written_file_can_be_changed_again),
        cmocka_unit_test(the_same_change_gives_the_same_bytes),
        cmocka_unit_test(compilers_files_are_rewritten),
        cmocka_unit_test(a_failing_sink_ends_the_writing),
        cmocka_unit_test(a_sinks_status_passes_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
