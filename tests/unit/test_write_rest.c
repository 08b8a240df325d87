/* Writing PE files (pe_plan.c, image_write.c), all but the place: overlays, certificates,
 * checksums, what cannot be written, writing twice, and sinks that fail. */
#include "write_test.h"

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
        struct ilp_bytes bytes = after->pe.bytes;
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

/* A certificate table that begins inside of a section, or does not reach the end of the file, is
 * none that a loader checks: nothing of the file is cut off. */
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
    assert_non_null(memmem(after->pe.bytes.data, after->pe.bytes.size, "then more", 9));
    close_built(after);
    free(file.data);
}

static void strong_names_are_reported(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.cli_flags = 0x9});
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info);
    assert_int_equal(info.strong_name, ILP_STRONG_NAME_STALE);
    assert_int_equal(after->pe.cli_flags, 0x9);
    close_built(after);
    free(file.data);
}

static struct ilp_image *written_with(struct ilp_edit *edit, enum ilp_strong_name strong_name,
                                      struct ilp_write_info *info)
{
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    struct ilp_write_options options = {.strong_name = strong_name};
    assert_int_equal(ilp_edit_write(edit, &options, &sink, info, NULL), ILP_OK);
    ilp_edit_close(edit);
    return open_image(taken(collector.bytes), ILP_LAYOUT_FILE);
}

/* An edit of the image, with the identity's flags changed, and the key if there is one. */
static struct ilp_edit *edit_identity(struct ilp_image *image, uint32_t flags, const char *key)
{
    struct ilp_edit *edit = open_edit(image);
    struct ilp_bytes bytes = {(const uint8_t *)key, key ? strlen(key) : 0};
    uint32_t blob;
    assert_int_equal(ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_Flags, flags, NULL),
                     ILP_OK);
    if (key) {
        assert_int_equal(ilp_edit_add_blob(edit, bytes, &blob, NULL), ILP_OK);
        assert_int_equal(
            ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_PublicKey, blob, NULL), ILP_OK);
    }
    return edit;
}

/* Cleared, the identity has no key, and nothing says that there is a signature. The references
 * stay. */
static void strong_names_are_cleared(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){.cli_flags = 0x9});
    struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
    struct ilp_write_info info;
    for (unsigned with_key = 0; with_key < 2; with_key++) {
        struct ilp_edit *edit = edit_identity(image, 0x101, with_key ? "the key" : NULL);
        struct ilp_image *kept = written_with(edit, ILP_STRONG_NAME_KEEP, &info);
        assert_int_equal(info.strong_name, ILP_STRONG_NAME_STALE);
        edit = edit_identity(kept, 0x101, NULL);
        struct ilp_image *after = written_with(edit, ILP_STRONG_NAME_CLEAR, &info);
        assert_int_equal(info.strong_name, ILP_STRONG_NAME_CLEARED);
        assert_int_equal(after->pe.cli_flags, 0x1);
        assert_int_equal(ilp_cell(after, ILP_Assembly, 1, ILP_Assembly_PublicKey), 0);
        assert_int_equal(ilp_cell(after, ILP_Assembly, 1, ILP_Assembly_Flags),
                         with_key ? 0x100 : 0x101);
        assert_int_equal(ilp_cell(after, ILP_AssemblyRef, 1, ILP_AssemblyRef_PublicKeyOrToken),
                         ilp_cell(image, ILP_AssemblyRef, 1, ILP_AssemblyRef_PublicKeyOrToken));
        close_built(after);
        close_built(kept);
    }
    ilp_image_close(image);
    free(file.data);
}

/* ---- checksums ---- */

/* Bytes of every value and names of every length shift all words. */
static void checksums_of_many_files(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        struct ib_file file =
            sample((struct ib_pe){.extra_sections = i % 4, .extra_size = 1 + i * 37});
        ib_set32(file.data, file.optional + OPT_CHECKSUM, 1); /* any but 0: it is wanted */
        struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size},
                                             ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        char text[70] = "";
        memset(text, (int)(128 + i), i + 1);
        add_string(edit, text);
        uint8_t blob[64];
        memset(blob, 0xFF, sizeof blob);
        add_blob(edit, blob, i);
        struct ilp_image *after = rewritten(edit, NULL);
        uint32_t sum = ib_get32(after->pe.bytes.data, file.optional + OPT_CHECKSUM);
        assert_int_equal(sum, ib_checksum(after->pe.bytes.data, after->pe.bytes.size));
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
            struct ib_file file =
                sample((struct ib_pe){.lfanew = 0x82,
                                      .file_alignment = alignment,
                                      .section_alignment = flat ? alignment : 0x1000});
            ib_set32(file.data, file.optional + OPT_CHECKSUM, 1);
            ib_append(&file, "overlay", flat ? 0 : 7); /* an odd size */
            struct ilp_bytes bytes = {file.data, file.size};
            struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
            struct ilp_edit *edit = open_edit(image);
            struct ilp_write_info info;
            uint8_t fat[16] = {0x03, 0x30, 8, 0, 1, [12] = 0x2A};
            assert_int_equal(ilp_edit_set_body(edit, SAMPLE_FAT, (struct ilp_bytes){fat, 13}, NULL),
                             ILP_OK);
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

/* Spans that are too long to be collected go to the sum as they are: of every length and at every
 * place. */
static void checksums_of_long_spans(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = i % 3});
        ib_set32(file.data, file.optional + OPT_CHECKSUM, 1);
        uint8_t overlay[4096];
        for (size_t k = 0; k < sizeof overlay; k++) {
            overlay[k] = (uint8_t)(k * 37 + i);
        }
        ib_append(&file, overlay, 2048 + i);
        struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size},
                                             ILP_LAYOUT_FILE);
        struct ilp_edit *edit = open_edit(image);
        for (unsigned k = 0; k < 4; k++) {
            add_blob(edit, overlay + k, 3000 + k + i);
        }
        add_user_string(edit, "odd");
        close_built(rewritten(edit, NULL)); /* which checks the sum */
        ilp_edit_close(edit);
        ilp_image_close(image);
        free(file.data);
    }
}

/* ---- where a file came from ---- */

static void origins_are_known_by_their_mark(void **state)
{
    (void)state;
    struct ib_file file = sample((struct ib_pe){0});
    struct ilp_write_info info;
    struct ilp_image *after = written_of(&file, &info);
    struct ilp_digest digest;
    uint8_t *data = (uint8_t *)(uintptr_t)after->pe.bytes.data;
    size_t root = (size_t)after->root_offset;
    for (size_t at = root - 24; at < root - 16; at++) {
        data[at] ^= 1;
        assert_false(ilp_image_origin(after, &digest));
        data[at] ^= 1;
        assert_true(ilp_image_origin(after, &digest));
    }
    /* bare metadata is no file, whatever is before it */
    struct ilp_image *bare = open_image((struct ilp_bytes){data + root, after->root.size},
                                        ILP_LAYOUT_FILE);
    assert_false(ilp_image_origin(bare, &digest));
    ilp_image_close(bare);
    close_built(after);
    free(file.data);
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
    refuses("unsupported-composite.dll", ILP_E_READY_TO_RUN);
    refuses("unsupported-ngen.dll", ILP_E_READY_TO_RUN);
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

static void headers_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        unsigned section; /* 1, 2, or 0 for the optional header */
        unsigned at;
        uint32_t value;
        ilp_status status;
    } faults[] = {
        {0, OPT_SECTION_ALIGNMENT, 0, ILP_E_BAD_PE},
        {0, OPT_SECTION_ALIGNMENT, 0x1001, ILP_E_BAD_PE},
        {0, OPT_FILE_ALIGNMENT, 0, ILP_E_BAD_PE},
        {0, OPT_FILE_ALIGNMENT, 0x300, ILP_E_BAD_PE},
        {0, OPT_FILE_ALIGNMENT, 0x10000, ILP_OK},
        {0, OPT_FILE_ALIGNMENT, 0x20000, ILP_E_BAD_PE},
        {1, 16, 0x7FFFFFFF, ILP_E_BAD_PE},
        {1, 16, 0x2000, ILP_E_BAD_PE},
        {2, 16, 0x200, ILP_OK}, /* to the very end */
        {2, 16, 0x201, ILP_E_BAD_PE},
        {2, 20, 0xFFFFFE00, ILP_E_BAD_PE},
    };
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct ib_file file = sample((struct ib_pe){.extra_sections = 1});
        uint32_t header = file.section_table + (faults[i].section - 1) * SECTION_BYTES;
        ib_set32(file.data, (faults[i].section == 0 ? file.optional : header) + faults[i].at,
                 faults[i].value);
        struct ilp_error error;
        assert_int_equal(refused(&file, &error), faults[i].status);
        assert_true(faults[i].status == ILP_OK ||
                    error.offset == (faults[i].section == 0 ? file.optional : header));
        free(file.data);
    }
}

/* RVAs below SizeOfHeaders are offsets in the file: no section may begin there. */
static void headers_that_cover_sections(void **state)
{
    (void)state;
    static const struct {
        uint32_t size;
        ilp_status status;
    } sizes[] = {
        {0x200, ILP_OK}, {0x2000, ILP_OK}, {0x2001, ILP_E_BAD_PE}, {0xFFFFFFFF, ILP_E_BAD_PE}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ib_file file = sample((struct ib_pe){.file_alignment = 0x2000});
        struct ilp_bytes bytes = taken_file(file); /* flat, so that it opens all the same */
        ib_set32((uint8_t *)(uintptr_t)bytes.data, file.optional + OPT_SIZE_OF_HEADERS,
                 sizes[i].size);
        struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
        struct ilp_error error = {0};
        assert_int_equal(ilp_image_can_be_written(image, &error), sizes[i].status);
        assert_true(sizes[i].status == ILP_OK || error.offset == file.section_table);
        close_built(image);
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
        assert_int_equal(write_edit(edit, &written[i], NULL, NULL),
                         ILP_OK); /* an edit can be written twice */
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
    static const char *const names[] = {"good-il.dll",       "good-csharp.dll",
                                        "good-security.dll", "good-pe32plus.dll",
                                        "good-portable.pdb", "good-r2r.dll"};
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
    ib_set32(file.data, file.optional + OPT_CHECKSUM,
             1); /* the checksum's own pass does not reach the sink */
    struct ilp_image *image = open_image((struct ilp_bytes){file.data, file.size}, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    make_changes(edit);
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    assert_int_equal(ilp_edit_write(edit, NULL, &sink, NULL, NULL), ILP_OK);
    size_t size = collector.bytes.size;
    for (size_t after = 1; after <= size; after += 7) {
        struct ilp_error error = {0};
        collector.bytes.size = 0;
        collector.fail_after = after;
        assert_int_equal(ilp_edit_write(edit, NULL, &sink, NULL, &error), ILP_E_CALLBACK);
        assert_int_equal(error.status, ILP_E_CALLBACK);
        assert_true(collector.bytes.size < after);
    }
    collector.fail_after = 0;
    collector.bytes.size = 0;
    assert_int_equal(ilp_edit_write(edit, NULL, &sink, NULL, NULL), ILP_OK);
    assert_int_equal(collector.bytes.size, size);
    ib_free(&collector.bytes);
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

static ilp_status say_no_room(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    ++*(unsigned *)user;
    return ILP_E_NO_ROOM; /* whatever a sink says comes back */
}

static void a_sinks_status_passes_through(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-csharp.dll"); /* more than one call's worth */
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    for (unsigned changed = 0; changed < 2; changed++) {
        struct ilp_edit *edit = open_edit(image);
        unsigned calls = 0;
        struct ilp_sink sink = {&calls, say_no_room};
        if (changed) {
            make_changes(edit);
        }
        assert_int_equal(ilp_edit_write(edit, NULL, &sink, NULL, NULL), ILP_E_NO_ROOM);
        assert_int_equal(calls, 1); /* and it is not called again */
        ilp_edit_close(edit);
    }
    ilp_image_close(image);
    drop(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlays_stay_and_certificates_go),
        cmocka_unit_test(certificates_that_are_none),
        cmocka_unit_test(strong_names_are_reported),
        cmocka_unit_test(strong_names_are_cleared),
        cmocka_unit_test(checksums_of_many_files),
        cmocka_unit_test(small_alignments),
        cmocka_unit_test(checksums_of_long_spans),
        cmocka_unit_test(origins_are_known_by_their_mark),
        cmocka_unit_test(unsupported_files),
        cmocka_unit_test(mapped_images),
        cmocka_unit_test(headers_that_are_wrong),
        cmocka_unit_test(headers_that_cover_sections),
        cmocka_unit_test(files_that_would_be_too_large),
        cmocka_unit_test(a_written_file_can_be_changed_again),
        cmocka_unit_test(the_same_change_gives_the_same_bytes),
        cmocka_unit_test(compilers_files_are_rewritten),
        cmocka_unit_test(a_failing_sink_ends_the_writing),
        cmocka_unit_test(a_sinks_status_passes_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
