/* Laying files out again (compact.c, compact_parts.c, kept.c): what shares bytes, what can be
 * written, what holds RVAs, what is refused. That any file keeps its rows and bodies, whatever its
 * bytes, is for image_walk.h. */
#include "pe/compact.h"
#include "write_test.h"

enum {
    DIR_EXPORT = 0,
    DIR_IMPORT = 1,
    DIR_RESOURCE = 2,
    DIR_BASERELOC = 5,
    DIR_IAT = 12,
    EXTRA_BYTES = 0x100
};

static struct ilp_bytes bytes_of(const struct ib_file *file)
{
    return (struct ilp_bytes){file->data, file->size};
}

static ilp_status compact_edit(struct ilp_edit *edit, struct ilp_bytes *written,
                               struct ilp_error *error)
{
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    struct ilp_write_options options = {.layout = ILP_WRITE_COMPACT};
    struct ilp_write_info info;
    ilp_status status = ilp_edit_write(edit, &options, &sink, &info, error);
    *written = taken(collector.bytes);
    if (status == ILP_OK) {
        assert_int_equal(info.size, written->size);
        assert_true(info.compacted);
        assert_null(ib_complaint(written->data, written->size));
    }
    return status;
}

/* The edit's image, laid out again. */
static struct ilp_image *compacted(struct ilp_edit *edit)
{
    struct ilp_bytes written;
    struct ilp_error error;
    if (compact_edit(edit, &written, &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
    return open_image(written, ILP_LAYOUT_FILE);
}

static ilp_status compact_status(const struct ib_file *file)
{
    struct ilp_image *image = open_image(bytes_of(file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_bytes written;
    struct ilp_error error;
    ilp_status status = compact_edit(edit, &written, &error);
    drop(written);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return status;
}

/* ---- contents ---- */

static void sections_that_nothing_needs_go(void **state)
{
    (void)state;
    struct ib_file file =
        sample((struct ib_pe){.extra_sections = 3, .extra_name = ".sdata", .plus = true});
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_image *after = compacted(edit);
    assert_int_equal(after->pe.section_count, 1);
    assert_true(after->pe.bytes.size < file.size);
    uint32_t rva = ilp_cell(after, ILP_MethodDef, SAMPLE_FAT, ILP_MethodDef_RVA);
    assert_int_equal(rva % 4, 0);
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

static void what_is_shared_stays_shared(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){0});
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    uint32_t body = ilp_cell(image, ILP_MethodDef, SAMPLE_NUMBER, ILP_MethodDef_RVA);
    uint32_t data = ilp_cell(image, ILP_FieldRVA, 1, ILP_FieldRVA_RVA);
    assert_int_equal(
        ilp_edit_set_cell(edit, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA, body, NULL), ILP_OK);
    ADD_ROW(edit, FieldRVA, data + 2, SAMPLE_FIELD); /* the same int32, two bytes later */
    struct ilp_image *after = compacted(edit);
    assert_int_equal(ilp_cell(after, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA),
                     ilp_cell(after, ILP_MethodDef, SAMPLE_NUMBER, ILP_MethodDef_RVA));
    uint32_t moved = ilp_cell(after, ILP_FieldRVA, 1, ILP_FieldRVA_RVA);
    assert_int_equal(ilp_cell(after, ILP_FieldRVA, 2, ILP_FieldRVA_RVA), moved + 2);
    assert_int_equal(moved % 16, data % 16);
    assert_memory_equal(ilp_image_rva(after, moved, NULL).data,
                        ilp_image_rva(image, data, NULL).data, 6);
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

static void data_that_can_be_written_stays_so(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){
        .extra_sections = 1, .extra_name = ".sdata", .extra_characteristics = 0xC0000040});
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    uint32_t rva = image->pe.sections[1].rva + 4;
    assert_int_equal(ilp_edit_set_cell(edit, ILP_FieldRVA, 1, ILP_FieldRVA_RVA, rva, NULL), ILP_OK);
    struct ilp_image *after = compacted(edit);
    assert_int_equal(after->pe.section_count, 2);
    assert_int_equal(after->pe.sections[1].characteristics, 0xC0000040);
    assert_int_equal(after->pe.sections[1].virtual_size, 4);
    assert_int_equal(ilp_cell(after, ILP_FieldRVA, 1, ILP_FieldRVA_RVA), after->pe.sections[1].rva);
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

static void changes_are_laid_out_too(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 1, .extra_name = ".sdata"});
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    make_changes(edit);
    struct ilp_image *after = compacted(edit);
    uint32_t rva = ilp_cell(after, ILP_MethodDef, SAMPLE_NUMBER, ILP_MethodDef_RVA);
    assert_memory_equal(ilp_image_rva(after, rva, NULL).data, new_body, sizeof new_body);
    assert_string_equal(name_at(after, ILP_ModuleRef, 1, 0), "added");
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

/* ---- what holds RVAs ---- */

/* A file with room for tests in its last section. */
static struct ib_file roomy(uint8_t **extra, uint32_t *rva)
{
    struct ib_file file = sample((struct ib_pe){.extra_sections = 1,
                                                .extra_name = ".rsrc",
                                                .extra_size = EXTRA_BYTES,
                                                .extra_virtual_size = EXTRA_BYTES});
    uint32_t header = file.section_table + SECTION_BYTES;
    *rva = ib_get32(file.data, header + 12);
    *extra = file.data + ib_get32(file.data, header + 20);
    memset(*extra, 0, EXTRA_BYTES);
    return file;
}

/* Imports, an entry point and its relocation, as compilers of .NET Framework make them, each
 * somewhere else. */
static struct ib_file with_stub(uint8_t **extra)
{
    uint32_t rva;
    struct ib_file file = roomy(extra, &rva);
    uint8_t *at = *extra;
    ib_set32(at, 0x00, rva + 0x40);
    ib_set32(at, 0x0C, rva + 0x60);
    ib_set32(at, 0x10, rva + 0x30);
    ib_set32(at, 0x30, rva + 0x70);
    ib_set32(at, 0x40, rva + 0x70);
    memcpy(at + 0x60, "mscoree.dll", 12);
    memcpy(at + 0x72, "_CorDllMain", 12);
    ib_set16(at, 0x82, 0x25FF);
    ib_set32(at, 0x84, 0x10000000 + rva + 0x30);
    ib_set32(at, 0x90, rva & ~0xFFFu);
    ib_set32(at, 0x94, 12);
    ib_set16(at, 0x98, (uint16_t)(0x3000 | ((rva + 0x84) & 0xFFF)));
    ib_directory(&file, DIR_IMPORT, rva, 0x28);
    ib_directory(&file, DIR_IAT, rva + 0x30, 8);
    ib_directory(&file, DIR_BASERELOC, rva + 0x90, 12);
    ib_set32(file.data, file.optional + 16, rva + 0x82);
    return file;
}

static void entry_stubs_are_made_again(void **state)
{
    (void)state;
    uint8_t *extra;
    struct ib_file file = with_stub(&extra);
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_image *after = compacted(edit);
    struct ilpi_stub stub;
    uint32_t entry = ib_get32(after->pe.bytes.data, file.optional + 16);
    const uint8_t *code = ilp_image_rva(after, entry, NULL).data;
    const uint8_t *reloc =
        ilp_image_rva(after, after->pe.directories[DIR_BASERELOC].rva, NULL).data;
    assert_int_equal(ilpi_stub_read(&stub, &after->pe, NULL), ILP_OK);
    assert_true(stub.there);
    assert_string_equal(stub.function, "_CorDllMain");
    assert_int_equal(ib_get16(code, 0), 0x25FF);
    assert_int_equal(ib_get32(code, 2), 0x10000000 + after->pe.directories[DIR_IAT].rva);
    assert_int_equal(ib_get32(reloc, 0) + (ib_get16(reloc, 8) & 0xFFF), entry + 2);
    assert_int_equal(ib_get16(reloc, 8) >> 12, 3);
    assert_int_equal(after->pe.sections[1].characteristics, 0x42000040);
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

/* Win32 resources: a type, a name with characters, a language; the leaf's data after them. */
static struct ib_file with_win32(uint8_t **extra)
{
    uint32_t rva;
    struct ib_file file = roomy(extra, &rva);
    uint8_t *at = *extra;
    ib_set16(at, 0x0E, 1);
    ib_set32(at, 0x10, 16);
    ib_set32(at, 0x14, 0x80000018);
    ib_set16(at, 0x18 + 0x0C, 1);
    ib_set32(at, 0x28, 0x80000060);
    ib_set32(at, 0x2C, 0x80000030);
    ib_set16(at, 0x30 + 0x0E, 1);
    ib_set32(at, 0x40, 0x409);
    ib_set32(at, 0x44, 0x48);
    ib_set32(at, 0x48, rva + 0x70);
    ib_set32(at, 0x4C, 9);
    ib_set16(at, 0x60, 2);
    memcpy(at + 0x62, "A\0B", 4);
    memcpy(at + 0x70, "resource", 9);
    ib_directory(&file, DIR_RESOURCE, rva, 0x79);
    return file;
}

static void win32_resources_are_moved(void **state)
{
    (void)state;
    uint8_t *extra;
    struct ib_file file = with_win32(&extra);
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_image *after = compacted(edit);
    struct ilpi_directory_entry entry = after->pe.directories[DIR_RESOURCE];
    const uint8_t *tree = ilp_image_rva(after, entry.rva, NULL).data;
    assert_int_equal(entry.size, 0x79);
    assert_memory_equal(tree, extra, 0x48);
    assert_int_equal(ib_get32(tree, 0x48), entry.rva + 0x70);
    assert_string_equal((const char *)ilp_image_rva(after, ib_get32(tree, 0x48), NULL).data,
                        "resource");
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

/* Whatever the bytes say: read or refused, but no read outside, and no walk in circles. */
static void changed_parts_are_read_or_refused(void **state)
{
    (void)state;
    static const uint8_t values[] = {0x00, 0x01, 0x18, 0x7F, 0x80, 0xFF};
    unsigned refused_files = 0;
    for (unsigned which = 0; which < 2; which++) {
        for (unsigned at = 0; at < 0xA0; at++) {
            for (unsigned i = 0; i < COUNT(values); i++) {
                uint8_t *extra;
                struct ib_file file = which ? with_win32(&extra) : with_stub(&extra);
                extra[at] = values[i];
                ilp_status status = compact_status(&file);
                assert_true(status == ILP_OK || status == ILP_E_CANNOT_COMPACT);
                refused_files += status != ILP_OK;
                free(file.data);
            }
        }
    }
    assert_true(refused_files > 100);
}

/* ---- what is refused ---- */

static void what_cannot_be_moved_is_refused(void **state)
{
    (void)state;
    static const unsigned directories[] = {
        DIR_EXPORT, DIR_IMPORT, 3, DIR_BASERELOC, 7, 8, 9, 10, DIR_BOUND_IMPORT, DIR_IAT, 13, 15};
    for (unsigned i = 0; i < COUNT(directories); i++) {
        struct ib_file file = sample((struct ib_pe){0});
        ib_directory(&file, directories[i], file.text_rva, 8);
        assert_int_equal(compact_status(&file), ILP_E_CANNOT_COMPACT);
        free(file.data);
    }
    for (unsigned at = 40; at < 64; at += 8) {
        struct ib_file file = sample((struct ib_pe){0});
        ib_set32(file.data, file.cli + at, file.text_rva);
        assert_int_equal(compact_status(&file), ILP_E_CANNOT_COMPACT);
        free(file.data);
    }
    struct ib_file file = sample((struct ib_pe){0});
    assert_int_equal(compact_status(&file), ILP_OK);
    ib_append(&file, "\0\0\0\0", 4); /* padding belongs to no part */
    assert_int_equal(compact_status(&file), ILP_OK);
    ib_append(&file, "more", 4);
    assert_int_equal(compact_status(&file), ILP_E_CANNOT_COMPACT);
    free(file.data);
}

static void unknown_sections_are_refused(void **state)
{
    (void)state;
    static const char *const known[] = {".sdata", ".rsrc", ".reloc", ".text", ".ilpatch"};
    static const char *const unknown[] = {".mvid", ".rdata", ".data",   ".tls",
                                          "",      ".texts", ".ilpatc", "\xFF\x1B[31m"};
    for (unsigned i = 0; i < COUNT(known); i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = 2, .extra_name = known[i]});
        assert_int_equal(compact_status(&file), ILP_OK);
        free(file.data);
    }
    for (unsigned i = 0; i < COUNT(unknown); i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = 1, .extra_name = unknown[i]});
        assert_int_equal(compact_status(&file), ILP_E_CANNOT_COMPACT);
        free(file.data);
    }
}

static void unknown_parts_of_headers_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct ib_file file = sample((struct ib_pe){0});
        switch (i) {
        case 0: file.data[file.table_end] = 1; break;
        case 1: file.data[file.text_offset - 1] = 1; break;
        case 2: ib_set32(file.data, file.coff + 12, 1); break;
        default: ib_set32(file.data, file.cli, 76); break;
        }
        assert_int_equal(compact_status(&file), ILP_E_CANNOT_COMPACT);
        free(file.data);
    }
}

static void bodies_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.extra_sections = 1, .extra_name = ".sdata"});
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    /* 16 bytes 0x11: neither tiny nor fat */
    const struct ilpi_section *extra = &image->pe.sections[1];
    const uint32_t rvas[] = {extra->rva, extra->rva + 0x1FF, 0x7FFFFFFF, 0x10};
    for (unsigned i = 0; i < COUNT(rvas); i++) {
        struct ilp_edit *edit = open_edit(image);
        struct ilp_bytes written;
        struct ilp_error error;
        assert_int_equal(
            ilp_edit_set_cell(edit, ILP_MethodDef, SAMPLE_TEXT, ILP_MethodDef_RVA, rvas[i], NULL),
            ILP_OK);
        assert_int_equal(compact_edit(edit, &written, &error), ILP_E_CANNOT_COMPACT);
        assert_int_equal(error.token, ILP_TOKEN(ILP_MethodDef, SAMPLE_TEXT));
        drop(written);
        ilp_edit_close(edit);
    }
    ilp_image_close(image);
    free(file.data);
}

/* ---- where it is possible ---- */

static ilp_status write_as(const struct ib_file *file, enum ilp_write_layout layout, bool change,
                           struct ilp_bytes *written, struct ilp_write_info *info)
{
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    struct ilp_write_options options = {.layout = layout};
    struct ilp_image *image = open_image(bytes_of(file), ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_error error;
    if (change) {
        make_changes(edit);
    }
    ilp_status status = ilp_edit_write(edit, &options, &sink, info, &error);
    *written = taken(collector.bytes);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return status;
}

/* Whether ILP_WRITE_AUTO writes what another layout writes. */
static void writes_as(const struct ib_file *file, enum ilp_write_layout layout)
{
    struct ilp_bytes automatic;
    struct ilp_bytes plain;
    struct ilp_write_info info;
    struct ilp_write_info other;
    assert_int_equal(write_as(file, ILP_WRITE_AUTO, true, &automatic, &info), ILP_OK);
    assert_int_equal(write_as(file, layout, true, &plain, &other), ILP_OK);
    assert_int_equal(automatic.size, plain.size);
    assert_memory_equal(automatic.data, plain.data, plain.size);
    assert_int_equal(info.compacted, layout == ILP_WRITE_COMPACT);
    assert_int_equal(other.not_compacted.status, ILP_OK);
    assert_int_equal(info.not_compacted.status,
                     layout == ILP_WRITE_COMPACT ? ILP_OK : ILP_E_CANNOT_COMPACT);
    assert_int_equal(info.not_compacted.message[0] == '\0', layout == ILP_WRITE_COMPACT);
    drop(automatic);
    drop(plain);
}

static void a_layout_is_chosen(void **state)
{
    (void)state;
    uint8_t *extra;
    struct ib_file files[] = {sample((struct ib_pe){0}),
                              sample((struct ib_pe){.plus = true}),
                              with_stub(&extra),
                              with_win32(&extra),
                              sample((struct ib_pe){.extra_sections = 1}),
                              sample((struct ib_pe){.cli_flags = 0x10}),
                              with_win32(&extra),
                              sample((struct ib_pe){0})};
    const unsigned possible = 4;
    ib_set16(extra, 0x0E, 0xFFFF); /* more resources than there are */
    struct ib_file *last = &files[COUNT(files) - 1];
    ib_append(last, "more", 4);
    for (unsigned i = 0; i < COUNT(files); i++) {
        struct ilp_bytes written;
        struct ilp_write_info info;
        writes_as(&files[i], i < possible ? ILP_WRITE_COMPACT : ILP_WRITE_KEEP);
        /* without a change the file stays as it is */
        assert_int_equal(write_as(&files[i], ILP_WRITE_AUTO, false, &written, &info), ILP_OK);
        assert_int_equal(written.size, files[i].size);
        assert_memory_equal(written.data, files[i].data, written.size);
        assert_false(info.compacted);
        assert_int_equal(info.not_compacted.status, ILP_OK);
        drop(written);
        free(files[i].data);
    }
}

/* What is wrong with more than the layout is an error. */
static void other_failures_are_not_hidden(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){0});
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    struct ilp_write_options options = {.layout = ILP_WRITE_AUTO};
    ilp_status status = ILP_E_NO_MEMORY;
    unsigned fails = 0;
    for (; status != ILP_OK; fails++) {
        struct memory memory = {.fail_at = fails + 1};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct collector collector = {0};
        struct ilp_sink sink = {&collector, collect};
        struct ilp_error error = {.status = ILP_OK};
        struct ilp_edit *edit = NULL;
        status = ilp_edit_open(&edit, image, &allocator, &error);
        if (status == ILP_OK) {
            status = ilp_edit_renew_mvid(edit, &error);
        }
        if (status == ILP_OK) {
            status = ilp_edit_write(edit, &options, &sink, NULL, &error);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        assert_int_equal(error.status, status);
        drop(taken(collector.bytes));
        ilp_edit_close(edit);
        memory_is_empty(&memory);
    }
    assert_true(fails > 3);
    ilp_image_close(image);
    free(file.data);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    uint8_t *extra;
    struct ib_file file = with_win32(&extra);
    struct ilp_image *image = open_image(bytes_of(&file), ILP_LAYOUT_FILE);
    ilp_status status = ILP_E_NO_MEMORY;
    unsigned fails = 0;
    for (; status != ILP_OK; fails++) {
        struct memory memory = {.fail_at = fails + 1};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_edit *edit = NULL;
        struct ilp_bytes written = {NULL, 0};
        struct ilp_error error;
        status = ilp_edit_open(&edit, image, &allocator, &error);
        if (status == ILP_OK) {
            status = compact_edit(edit, &written, &error);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        drop(written);
        ilp_edit_close(edit);
        memory_is_empty(&memory);
    }
    assert_true(fails > 1);
    ilp_image_close(image);
    free(file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_that_nothing_needs_go),
        cmocka_unit_test(what_is_shared_stays_shared),
        cmocka_unit_test(data_that_can_be_written_stays_so),
        cmocka_unit_test(changes_are_laid_out_too),
        cmocka_unit_test(entry_stubs_are_made_again),
        cmocka_unit_test(win32_resources_are_moved),
        cmocka_unit_test(changed_parts_are_read_or_refused),
        cmocka_unit_test(what_cannot_be_moved_is_refused),
        cmocka_unit_test(unknown_sections_are_refused),
        cmocka_unit_test(unknown_parts_of_headers_are_refused),
        cmocka_unit_test(bodies_that_cannot_be_read_are_refused),
        cmocka_unit_test(a_layout_is_chosen),
        cmocka_unit_test(other_failures_are_not_hidden),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
