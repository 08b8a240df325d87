/* Where the new contents of a PE file go (pe_plan.c): each kind of file that has room for a section
 * header, that makes room, or whose last section is extended, and what moves with that. */
#include "write_test.h"

#include "metadata/flags.h"

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
        {{.extra_sections = 1}, false, false},               /* 56 bytes are free */
        {{.extra_sections = 2}, true, false},                /* 16, as C# compilers leave */
        {{.plus = true, .extra_sections = 1}, false, false}, /* 40, just enough */
        {{.plus = true, .extra_sections = 2}, true, false},  /* none */
        {{.extra_sections = 4, .file_alignment = 0x1000, .section_alignment = 0x4000},
         false,
         false},
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
            fail_msg("form %zu: grown %d, extended %d", i, info.headers_grown,
                     info.section_extended);
        }
        assert_true(info.symbols_dropped == false && info.certificate_dropped == false);
        assert_int_equal(info.strong_name, ILP_STRONG_NAME_NONE);
        uint32_t headers = ib_get32(file.data, file.optional + OPT_SIZE_OF_HEADERS);
        uint32_t grown = ib_get32(after->pe.bytes.data, file.optional + OPT_SIZE_OF_HEADERS) -
                         headers;
        assert_int_equal(
            grown, forms[i].grown ? ib_get32(file.data, file.optional + OPT_FILE_ALIGNMENT) : 0);
        close_built(after);
        free(file.data);
    }
}

/* What follows the section table is not free when it is not zero: it moves with the growth.
 */
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
        assert_int_equal(after->pe.bytes.data[moved], 'x');
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
    assert_memory_equal(after->pe.bytes.data + bound.rva, "bound imports", 13);
    close_built(after);
    free(file.data);
}

/* Bound imports elsewhere stay where they are. */
static void bound_imports_that_do_not_move(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
        const uint32_t rvas[] = {file.table_end - 1, file.table_end, 0x1FF, 0x200, 0x2000};
        ib_directory(&file, DIR_BOUND_IMPORT, rvas[i], 8);
        struct ilp_write_info info;
        struct ilp_image *after = written_of(&file, &info);
        assert_true(info.headers_grown);
        bool moves = i == 1 || i == 2;
        assert_int_equal(after->pe.directories[ILPI_DIR_BOUND_IMPORT].rva,
                         rvas[i] + (moves ? 0x200 : 0));
        assert_int_equal(after->pe.directories[ILPI_DIR_BOUND_IMPORT].size, 8);
        close_built(after);
        free(file.data);
    }
}

/* Anything else there cannot be moved: its RVA would change. */
static void other_directories_in_the_headers_hold_them(void **state)
{
    (void)state;
    for (unsigned directory = 0; directory < 16; directory++) {
        for (unsigned i = 0; i < 4; i++) {
            struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
            const uint32_t rvas[] = {file.table_end - 1, file.table_end, 0x1FF, 0x200};
            if (directory == ILPI_DIR_SECURITY || directory == DIR_DEBUG ||
                directory == DIR_BOUND_IMPORT || directory == ILPI_DIR_CLI) {
                free(file.data);
                continue;
            }
            ib_directory(&file, directory, rvas[i], 8);
            struct ilp_write_info info;
            struct ilp_image *after = written_of(&file, &info);
            assert_int_equal(info.section_extended, i == 1 || i == 2);
            assert_int_equal(info.headers_grown, i == 0 || i == 3);
            close_built(after);
            free(file.data);
        }
    }
}

static size_t cell_offset(const struct ib_file *file, unsigned table, ilp_rid rid, unsigned column)
{
    struct ilp_image *image = open_image((struct ilp_bytes){file->data, file->size},
                                         ILP_LAYOUT_FILE);
    const struct ilpi_table *rows = &image->tables[table];
    size_t at = (size_t)(rows->rows - file->data) + (rid - 1) * rows->shape.size +
                rows->shape.at[column];
    ilp_image_close(image);
    return at;
}

/* Makes an RVA of a table lead to a place in the headers. */
static void set_rva(const struct ib_file *file, unsigned table, ilp_rid rid, unsigned column,
                    uint32_t rva)
{
    ib_set32(file->data, cell_offset(file, table, rid, column), rva);
}

/* No compiler puts a body there, but a loader would not mind. */
static void bodies_in_the_headers_hold_them(void **state)
{
    (void)state;
    static const struct {
        unsigned table;
        ilp_rid rid;
        unsigned column;
    } cells[] = {{ILP_MethodDef, SAMPLE_NUMBER, ILP_MethodDef_RVA},
                 {ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA},
                 {ILP_FieldRVA, 1, ILP_FieldRVA_RVA}};
    for (size_t k = 0; k < COUNT(cells); k++) {
        for (unsigned i = 0; i < 4; i++) {
            struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
            const uint32_t rvas[] = {file.table_end - 1, file.table_end, 0x1FF, 0x200};
            set_rva(&file, cells[k].table, cells[k].rid, cells[k].column, rvas[i]);
            struct ilp_write_info info;
            /* of its four bytes three are the new section header's, or the CLI header's */
            if (cells[k].table == ILP_FieldRVA && (i == 0 || i == 2)) {
                struct ilp_error error;
                assert_int_equal(refused(&file, &error), ILP_E_BAD_PE);
                free(file.data);
                continue;
            }
            struct ilp_image *after = written_of(&file, &info);
            assert_int_equal(info.section_extended, i == 1 || i == 2);
            close_built(after);
            free(file.data);
        }
    }
}

/* MajorRuntimeVersion, 2, is a tiny body without code; what follows the CLI header is left
 * alone. */
static void bodies_over_the_cli_header(void **state)
{
    (void)state;
    static const struct {
        uint32_t at;
        ilp_status status;
    } bodies[] = {{4, ILP_E_BAD_PE}, {72, ILP_OK}};
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct ib_file file = sample((struct ib_pe){0});
        set_rva(&file, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA, 0x2000 + bodies[i].at);
        struct ilp_error error;
        struct ilp_write_info info;
        if (bodies[i].status != ILP_OK) {
            assert_int_equal(refused(&file, &error), bodies[i].status);
            assert_int_equal(error.token, ILP_TOKEN(ILP_MethodDef, SAMPLE_TEXT));
        } else {
            close_built(written_of(&file, &info));
        }
        free(file.data);
    }
}

/* The sample's field has four bytes: over, before and after the CLI header. */
static void data_over_the_cli_header(void **state)
{
    (void)state;
    static const struct {
        uint32_t rva;
        ilp_status status;
    } data[] = {{0x2000, ILP_E_BAD_PE}, {0x2047, ILP_E_BAD_PE}, {0x2048, ILP_OK}, {0x3C, ILP_OK}};
    for (size_t i = 0; i < COUNT(data); i++) {
        struct ib_file file = sample((struct ib_pe){0});
        set_rva(&file, ILP_FieldRVA, 1, ILP_FieldRVA_RVA, data[i].rva);
        struct ilp_error error;
        struct ilp_write_info info;
        if (data[i].status != ILP_OK) {
            assert_int_equal(refused(&file, &error), data[i].status);
            assert_int_equal(error.token, ILP_TOKEN(ILP_FieldRVA, 1));
            assert_non_null(strstr(error.message, "field 0x04000001"));
        } else {
            close_built(written_of(&file, &info));
        }
        free(file.data);
    }
}

/* Native code is as long as nothing says: in the headers it may be all that follows, elsewhere its
 * first byte counts. */
static void native_code_over_what_changes(void **state)
{
    (void)state;
    static const struct {
        uint32_t rva;
        ilp_status status;
    } code[] = {
        {0x40, ILP_E_BAD_PE}, {0x2000, ILP_E_BAD_PE}, {0x2047, ILP_E_BAD_PE}, {0x2048, ILP_OK}};
    for (size_t i = 0; i < COUNT(code); i++) {
        struct ib_file file = sample((struct ib_pe){0});
        set_rva(&file, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA, code[i].rva);
        file.data[cell_offset(&file, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_ImplFlags)] =
            ILPI_METHOD_IMPL_NATIVE;
        struct ilp_error error;
        struct ilp_write_info info;
        if (code[i].status != ILP_OK) {
            assert_int_equal(refused(&file, &error), code[i].status);
            assert_int_equal(error.token, ILP_TOKEN(ILP_MethodDef, SAMPLE_TEXT));
        } else {
            close_built(written_of(&file, &info));
        }
        free(file.data);
    }
}

/* Uninitialised data has no bytes in the file, whatever its header says about them. */
static void sections_without_contents(void **state)
{
    (void)state;
    static const uint32_t offsets[] = {0, 0x10, 0x7FFFFFFF, 0xFFFFFFFF};
    for (size_t i = 0; i < COUNT(offsets); i++) {
        for (unsigned extra = 2; extra <= 3; extra++) {
            struct ib_file file = sample((struct ib_pe){.extra_sections = extra});
            uint32_t header = file.section_table + SECTION_BYTES;
            ib_set32(file.data, header + 16, 0);
            ib_set32(file.data, header + 20, offsets[i]);
            struct ilp_bytes bytes = {file.data, file.size};
            struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
            struct ilp_edit *edit = open_edit(image);
            add_string(edit, "x");
            struct ilp_bytes written;
            struct ilp_write_info info;
            assert_int_equal(write_edit(edit, &written, &info, NULL), ILP_OK);
            assert_int_equal(info.headers_grown, extra == 2);
            assert_int_equal(ib_get32(written.data, header + 16), 0);
            assert_int_equal(ib_get32(written.data, header + 20),
                             offsets[i]); /* it leads nowhere, and stays */
            assert_int_equal(ib_get32(written.data, header + SECTION_BYTES + 20),
                             ib_get32(file.data, header + SECTION_BYTES + 20) +
                                 (extra == 2 ? 0x200 : 0));
            drop(written);
            ilp_edit_close(edit);
            ilp_image_close(image);
            free(file.data);
        }
    }
}

/* The new section is at a multiple of the alignment, even where the last one does not (as in
 * ReadyToRun images for Unix), and after the section that ends last, wherever its header is. */
static void new_sections_come_last(void **state)
{
    (void)state;
    static const struct {
        uint32_t rva;
        uint32_t virtual_size;
        uint32_t expected;
    } places[] = {
        {0x4000, 0x2000, 0x6000}, {0x4000, 0x2001, 0x8000}, {0x4010, 0x10, 0x8000},
        {0x4010, 0x2000, 0x8000}, {0x10000, 0, 0x12000},    {0x1FFF0, 1, 0x22000},
        {0x4000, 0x1FFF, 0x6000},
    };
    for (size_t i = 0; i < COUNT(places); i++) {
        for (unsigned number = 1; number <= 2; number++) { /* the one moved is the last, or not */
            struct ib_file file = sample((struct ib_pe){.extra_sections = 2});
            uint32_t header = file.section_table + number * SECTION_BYTES;
            if (number == 1) {
                ib_set32(file.data, file.section_table + 2 * SECTION_BYTES + 12, 0x4000 - 0x10);
                ib_set32(file.data, file.section_table + 2 * SECTION_BYTES + 8, 0x10);
            }
            ib_set32(file.data, header + 8, places[i].virtual_size);
            ib_set32(file.data, header + 12, places[i].rva);
            struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size},
                                                 ILP_LAYOUT_FILE);
            struct ilp_edit *edit = open_edit(image);
            add_string(edit, "x");
            struct ilp_bytes written;
            assert_int_equal(write_edit(edit, &written, NULL, NULL), ILP_OK);
            struct ib_file after = ib_look(written.data, written.size);
            uint32_t rva = ib_get32(written.data, after.table_end - SECTION_BYTES + 12);
            uint32_t expected = number == 1 && places[i].expected == 0x6000 ? 0x6000
                                                                            : places[i].expected;
            assert_int_equal(rva, expected);
            uint32_t size = ib_get32(written.data, after.table_end - SECTION_BYTES + 8);
            assert_int_equal(ib_get32(written.data, after.optional + OPT_SIZE_OF_IMAGE),
                             ib_up(rva + size, 0x2000));
            drop(written);
            ilp_edit_close(edit);
            ilp_image_close(image);
            free(file.data);
        }
    }
}

/* Contents of every size, so that one of them ends where a block does. */
static void contents_that_fill_their_block(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){0});
    struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
    unsigned full = 0;
    for (size_t size = 1; size <= 0x200; size++) {
        struct ilp_edit *edit = open_edit(image);
        char name[0x200 + 1] = "";
        memset(name, 'n', size);
        add_string(edit, name);
        struct ilp_image *after = rewritten(edit, NULL);
        is_new_section(&file, after->pe.bytes, (uint32_t)file.size);
        const struct ilpi_section *added = &after->pe.sections[1];
        full += added->raw_size == added->virtual_size;
        close_built(after);
        ilp_edit_close(edit);
    }
    assert_int_equal(full, 4); /* names are padded to four bytes */
    ilp_image_close(image);
    free(file.data);
}

/* Debug entries (types as in the PE format), and whether a new body makes them stale. */
enum {
    COFF = 1,
    CODEVIEW = 2,
    MISC = 4,
    REPRODUCIBLE = 16,
    EMBEDDED_PDB = 17,
    PDB_CHECKSUM = 19,
    DEBUG_BYTES = 28
};

static const uint32_t debug_types[] = {COFF,         CODEVIEW, REPRODUCIBLE,
                                       PDB_CHECKSUM, MISC,     EMBEDDED_PDB};

/* A file with those entries in its last section, `count` of them; all but the last have data in the
 * file. */
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
        ib_set32(entry, 4, i + 1); /* a time stamp, to distinguish them */
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
            struct ib_file file = with_debug((struct ib_pe){.extra_sections = grow ? 2 : 1}, count,
                                             &offset);
            struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size},
                                                 ILP_LAYOUT_FILE);
            struct ilp_edit *edit = open_edit(image);
            add_string(edit, "no body: symbols stay");
            struct ilp_write_info info;
            struct ilp_image *after = rewritten(edit, &info);
            uint32_t growth = grow ? 0x200 : 0;
            assert_int_equal(info.headers_grown, grow);
            assert_false(info.symbols_dropped);
            const uint8_t *data = after->pe.bytes.data;
            assert_int_equal(ib_get32(data, file.coff + COFF_SYMBOLS), offset + 5 + growth);
            assert_int_equal(after->pe.directories[ILPI_DIR_DEBUG].rva,
                             image->pe.directories[ILPI_DIR_DEBUG].rva);
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
    static const uint32_t kept[] = {3, 5, 9}; /* by the time stamp */
    for (unsigned grow = 0; grow < 2; grow++) {
        uint32_t offset;
        struct ib_file file = with_debug((struct ib_pe){.extra_sections = grow ? 2 : 1}, 10,
                                         &offset);
        struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size},
                                             ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        make_changes(edit);
        struct ilp_write_info info;
        struct ilp_image *after = rewritten(edit, &info);
        assert_true(info.symbols_dropped);
        struct ilpi_directory_entry debug = after->pe.directories[ILPI_DIR_DEBUG];
        assert_int_equal(debug.rva, image->pe.directories[ILPI_DIR_DEBUG].rva);
        assert_int_equal(debug.size, COUNT(kept) * DEBUG_BYTES);
        const uint8_t *entries = after->pe.bytes.data + offset + (grow ? 0x200 : 0);
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
    struct ib_file file = with_debug((struct ib_pe){.extra_sections = 1}, 1,
                                     &offset); /* symbols alone */
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

/* Zeros that are only in memory are written out, since the new bytes come after them. */
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
        assert_int_equal(after->pe.bytes.data[last->raw_offset + i], 0);
    }
    close_built(after);
    free(file.data);
}

/* What a section has in memory only is written out up to 64 KB, no further. */
static void gaps_end_somewhere(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        struct ib_pe pe = tight;
        pe.extra_virtual_size = 0x200 + 0x10000 + more;
        struct ib_file file = sample(pe);
        struct ilp_error error;
        struct ilp_write_info info;
        if (more) {
            assert_int_equal(refused(&file, &error), ILP_E_NO_ROOM);
        } else {
            close_built(written_of(&file, &info));
            assert_true(info.section_extended);
        }
        free(file.data);
    }
}

/* The last section in memory and in the file may have any header. */
static void the_last_section_need_not_be_the_last_header(void **state)
{
    (void)state;
    for (unsigned number = 0; number <= 1; number++) {
        struct ib_file file = sample(tight);
        uint8_t *one = file.data + file.section_table + number * SECTION_BYTES;
        uint8_t *last = file.data + file.section_table + 2 * SECTION_BYTES;
        uint8_t swap[SECTION_BYTES];
        memcpy(swap, one, SECTION_BYTES);
        memcpy(one, last, SECTION_BYTES);
        memcpy(last, swap, SECTION_BYTES);
        struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size},
                                             ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        add_string(edit, "x");
        struct ilp_bytes written;
        struct ilp_write_info info;
        assert_int_equal(write_edit(edit, &written, &info, NULL), ILP_OK);
        assert_true(info.section_extended);
        uint32_t header = file.section_table + number * SECTION_BYTES;
        assert_true(ib_get32(written.data, header + 16) > 0x200);
        assert_int_equal(ib_get32(written.data, header + 20) + ib_get32(written.data, header + 16),
                         written.size);
        drop(written);
        ilp_edit_close(edit);
        ilp_image_close(image);
        free(file.data);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_files),
        cmocka_unit_test(slack_with_something_in_it),
        cmocka_unit_test(bound_imports_move_with_the_slack),
        cmocka_unit_test(bound_imports_that_do_not_move),
        cmocka_unit_test(other_directories_in_the_headers_hold_them),
        cmocka_unit_test(bodies_in_the_headers_hold_them),
        cmocka_unit_test(bodies_over_the_cli_header),
        cmocka_unit_test(data_over_the_cli_header),
        cmocka_unit_test(native_code_over_what_changes),
        cmocka_unit_test(sections_without_contents),
        cmocka_unit_test(new_sections_come_last),
        cmocka_unit_test(contents_that_fill_their_block),
        cmocka_unit_test(offsets_in_the_file_follow_the_growth),
        cmocka_unit_test(stale_symbols_are_dropped),
        cmocka_unit_test(debug_directories_that_lie),
        cmocka_unit_test(as_many_sections_as_are_read),
        cmocka_unit_test(an_extended_section_is_kept_in_memory),
        cmocka_unit_test(zeros_of_an_extended_section_are_written),
        cmocka_unit_test(gaps_end_somewhere),
        cmocka_unit_test(the_last_section_need_not_be_the_last_header),
        cmocka_unit_test(sections_that_cannot_be_extended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
