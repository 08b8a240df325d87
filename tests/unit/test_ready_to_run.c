/* src/pe/ready_to_run_read.c, ready_to_run_write.c: what a precompiled image says of itself, and
 * what is left of it when it becomes one of IL alone. */
#include "pe/ready_to_run.h"
#include "write_test.h"

enum { X64_LINUX = 0xFD1D, FLAG_COMPONENT = 0x20, SECTION_COMPONENTS = 115, SECTION_OWNER = 116 };

static struct ib_file r2r_file(uint16_t machine)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_file file = ib_r2r_file(&b, machine);
    ib_end(&b);
    return file;
}

static struct ilp_image *open_r2r(const struct ib_file *file)
{
    return open_image((struct ilp_bytes){file->data, file->size}, ILP_LAYOUT_FILE);
}

/* ---- reading ---- */

static void machines_and_systems(void **state)
{
    static const struct {
        uint16_t mask;
        const char *text;
    } systems[] = {{0, "Windows"},      {0x7B79, "Linux"},  {0x4644, "macOS"},
                   {0xADC4, "FreeBSD"}, {0x1993, "NetBSD"}, {0x1992, "illumos"}};
    static const struct {
        uint16_t value;
        const char *text;
    } machines[] = {{0x14C, "x86"},    {0x8664, "x64"},         {0x1C4, "arm"},
                    {0xAA64, "arm64"}, {0x6264, "loongarch64"}, {0x5064, "riscv64"}};
    (void)state;
    for (size_t i = 0; i < COUNT(systems); i++) {
        for (size_t j = 0; j < COUNT(machines); j++) {
            struct ilpi_machine machine = ilpi_machine_of(systems[i].mask ^ machines[j].value);
            assert_int_equal(machine.value, machines[j].value);
            assert_string_equal(machine.text, machines[j].text);
            assert_string_equal(machine.system, systems[i].text);
        }
    }
    assert_int_equal(ilpi_machine_of(0x1234).value, 0);
    assert_int_equal(ilpi_machine_of(0).value, 0);
    assert_int_equal(ilpi_machine_of(0x7B79).value, 0);
}

static void header_is_read(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX);
    struct ilp_ready_to_run r2r;
    struct ilp_image *image = open_r2r(&file);
    assert_int_equal(ilp_image_ready_to_run(image, &r2r, NULL), ILP_OK);
    assert_int_equal(r2r.major_version, 16);
    assert_int_equal(r2r.minor_version, 0);
    assert_int_equal(r2r.flags, 3);
    assert_int_equal(r2r.section_count, 0);
    assert_int_equal(r2r.machine, 0x8664);
    assert_string_equal(r2r.machine_text, "x64");
    assert_string_equal(r2r.system_text, "Linux");
    assert_false(r2r.composite || r2r.component);
    assert_string_equal(r2r.owner, "");
    assert_int_equal(
        ilpi_r2r_section_bytes(&image->pe, ILPI_R2R_MANIFEST_ASSEMBLY_MVIDS, NULL).size, 0);
    ilp_image_close(image);

    ib_r2r_section(&file, 118, "abc", 3);
    ib_r2r_section(&file, SECTION_OWNER, "all.r2r.dll", 12);
    image = open_r2r(&file);
    assert_int_equal(ilp_image_ready_to_run(image, &r2r, NULL), ILP_OK);
    assert_int_equal(r2r.section_count, 2);
    assert_true(r2r.component && !r2r.composite);
    assert_string_equal(r2r.owner, "all.r2r.dll");
    uint64_t offset = 0;
    struct ilp_bytes bytes = ilpi_r2r_section_bytes(&image->pe, ILPI_R2R_MANIFEST_ASSEMBLY_MVIDS,
                                                    &offset);
    assert_int_equal(bytes.size, 3);
    assert_memory_equal(bytes.data, "abc", 3);
    assert_int_equal(offset, file.r2r + 0x100);
    ilp_image_close(image);
    free(file.data);
}

/* A name without an end is none. */
static void owner_without_nul(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX);
    struct ilp_ready_to_run r2r;
    ib_r2r_section(&file, SECTION_OWNER, "all.r2r.dll", 11);
    struct ilp_image *image = open_r2r(&file);
    assert_int_equal(ilp_image_ready_to_run(image, &r2r, NULL), ILP_OK);
    assert_string_equal(r2r.owner, "");
    ilp_image_close(image);
    free(file.data);
}

static void check_refused(const struct ib_file *file, ilp_status expected, const char *said,
                          uint64_t offset)
{
    struct ilp_error error;
    assert_int_equal(refused(file, &error), expected);
    if (!strstr(error.message, said)) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, said);
    }
    assert_int_equal(error.offset, offset);
}

static void headers_that_are_wrong(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX);
    ib_set32(file.data, file.r2r + 12, 1); /* a section more than there is room for */
    check_refused(&file, ILP_E_TRUNCATED, "more sections", file.r2r + 16);
    ib_set32(file.data, file.r2r + 12, UINT32_MAX);
    check_refused(&file, ILP_E_TRUNCATED, "more sections", file.r2r + 16);
    ib_set32(file.data, file.r2r + 12, 300);
    /* the size is bounded by the file, the count by what is sane */
    ib_set32(file.data, file.cli + 68, 0x10000);
    check_refused(&file, ILP_E_TRUNCATED, "more sections", file.r2r + 16);
    ib_set32(file.data, file.r2r + 12, 0);
    for (uint32_t size = 0; size < 16; size++) {
        ib_set32(file.data, file.cli + 68, size);
        struct ilp_error error;
        assert_int_equal(refused(&file, &error), ILP_E_TRUNCATED);
    }
    ib_set32(file.data, file.cli + 68, 16);
    ib_set32(file.data, file.cli + 64, 0x7FFFFFFF);
    check_refused(&file, ILP_E_TRUNCATED, "ReadyToRun header", file.cli);
    free(file.data);
}

/* A section that leads nowhere is one that is not there. */
static void sections_that_lead_nowhere(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX);
    ib_r2r_section(&file, SECTION_COMPONENTS, "0123", 4);
    ib_set32(file.data, file.r2r + 24, 0x400);
    struct ilp_image *image = open_r2r(&file);
    assert_int_equal(ilpi_r2r_section_bytes(&image->pe, ILPI_R2R_COMPONENT_ASSEMBLIES, NULL).size,
                     0);
    ilp_image_close(image);
    ib_set32(file.data, file.r2r + 20, UINT32_MAX);
    image = open_r2r(&file);
    assert_int_equal(ilpi_r2r_section_bytes(&image->pe, ILPI_R2R_COMPONENT_ASSEMBLIES, NULL).size,
                     0);
    ilp_image_close(image);
    free(file.data);
}

/* Every value of every byte is read, and written or refused, in bounds. */
static void every_byte_of_the_header(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX);
    ib_r2r_section(&file, SECTION_OWNER, "all.r2r.dll", 12);
    for (uint32_t at = file.r2r; at < file.r2r + 28; at++) {
        uint8_t original = file.data[at];
        for (unsigned value = 0; value < 256; value++) {
            struct ilp_error error;
            file.data[at] = (uint8_t)value;
            struct ilp_bytes bytes = exact(file.data, file.size);
            struct ib_file copy = file;
            copy.data = (uint8_t *)(uintptr_t)bytes.data;
            refused(&copy, &error);
            drop(bytes);
        }
        file.data[at] = original;
    }
    free(file.data);
}

/* ---- writing ---- */

static struct ilp_image *changed(const struct ib_file *file, struct ilp_write_info *info)
{
    struct ilp_image *image = open_r2r(file);
    struct ilp_edit *edit = open_edit(image);
    make_changes(edit);
    struct ilp_image *after = rewritten(edit, info);
    same_rows(image, after, true);
    same_heaps(image, after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return after;
}

static void becomes_il_only(void **state)
{
    static const uint16_t masks[] = {0, 0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992};
    static const uint16_t machines[] = {0x8664, 0xAA64, 0x14C, 0x1C4};
    (void)state;
    for (size_t i = 0; i < COUNT(masks) * COUNT(machines); i++) {
        uint16_t machine = machines[i % COUNT(machines)];
        struct ib_file file = r2r_file(machine ^ masks[i / COUNT(machines)]);
        struct ilp_write_info info;
        ib_directory(&file, 2, file.text_rva + 72, 8); /* Resource */
        for (unsigned directory = 0; directory < 16; directory++) {
            if (directory != 2 && directory != DIR_SECURITY && directory != DIR_DEBUG &&
                directory != ILPI_DIR_CLI) {
                ib_directory(&file, directory, file.r2r_rva + 8 * directory, 8);
            }
        }
        ib_set32(file.data, file.cli + 16, 0xC); /* IL_LIBRARY, STRONGNAMESIGNED */
        struct ilp_image *after = changed(&file, &info);
        assert_true(info.native_code_dropped);
        assert_int_equal(after->pe.machine, machine);
        assert_int_equal(after->pe.cli_flags, 0x9); /* ILONLY, STRONGNAMESIGNED */
        assert_int_equal(after->pe.managed_native_header.rva, 0);
        assert_int_equal(after->pe.managed_native_header.size, 0);
        /* AddressOfEntryPoint */
        assert_int_equal(ib_get32(after->pe.bytes.data, file.optional + 16), 0);
        for (unsigned directory = 0; directory < 16; directory++) {
            bool kept = directory == 2 || directory == ILPI_DIR_CLI;
            assert_int_equal(after->pe.directories[directory].rva != 0, kept);
            assert_int_equal(after->pe.directories[directory].size != 0, kept);
        }
        struct ilp_image_info image_info;
        ilp_image_info(after, &image_info);
        assert_false(image_info.ready_to_run);
        assert_int_equal(ilp_image_ready_to_run(after, &(struct ilp_ready_to_run){0}, NULL),
                         ILP_E_MISUSE);
        close_built(after);
        free(file.data);
    }
}

/* PE32+ stays for its processor, and so does PE32 for another than i386; i386 does with
 * 32BITREQUIRED. */
static void processors_it_is_bound_to(void **state)
{
    static const struct {
        struct ilpi_pe pe;
        const char *text;
    } cases[] = {
        {{.machine = 0xFD1D, .pe32_plus = true}, "x64"},
        {{.machine = 0xAA64, .pe32_plus = true}, "arm64"},
        {{.machine = 0x1C4 ^ 0x7B79}, "arm"},
        {{.machine = 0x14C}, NULL},
        {{.machine = 0x14C ^ 0x4644, .cli_flags = 0x4}, NULL},
        {{.machine = 0x14C, .cli_flags = 0x2}, "x86"},
        {{.machine = 0x14C, .pe32_plus = true}, "x86"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = ilpi_r2r_bound_to(&cases[i].pe);
        assert_int_equal(text != NULL, cases[i].text != NULL);
        assert_true(!text || strcmp(text, cases[i].text) == 0);
    }
    struct ib_file file = r2r_file(X64_LINUX);
    struct ilp_write_info info;
    close_built(changed(&file, &info));
    assert_string_equal(info.bound_to, "x64");
    assert_true(info.mvid_kept); /* it was not renewed */
    free(file.data);
}

/* Nothing but the native code goes; of an image of IL alone, nothing. */
static void native_code_alone(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX);
    struct ilp_image *image = open_r2r(&file);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_write_info info;
    assert_int_equal(ilp_edit_drop_native_code(edit, NULL), ILP_OK);
    assert_false(ilp_edit_is_empty(edit));
    struct ilp_image *after = rewritten(edit, &info);
    same_rows(image, after, false);
    same_heaps(image, after);
    assert_true(info.native_code_dropped && info.mvid_kept);
    assert_int_equal(after->pe.managed_native_header.rva, 0);
    ilp_edit_close(edit);

    edit = open_edit(after);
    assert_int_equal(ilp_edit_drop_native_code(edit, NULL), ILP_OK);
    assert_true(ilp_edit_is_empty(edit));
    ilp_edit_close(edit);
    close_built(after);
    ilp_image_close(image);

    ib_r2r_section(&file, SECTION_COMPONENTS, "01234567", 8);
    image = open_r2r(&file);
    edit = open_edit(image);
    assert_int_equal(ilp_edit_drop_native_code(edit, NULL), ILP_E_READY_TO_RUN);
    assert_true(ilp_edit_is_empty(edit));
    ilp_edit_close(edit);
    ilp_image_close(image);
    free(file.data);
}

/* ---- the MVID ---- */

static bool mvid_is_renewed(const struct ib_file *file, bool keep)
{
    struct ilp_image *image = open_r2r(file);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_write_info info;
    make_changes(edit);
    if (keep) {
        ilp_edit_keep_mvid(edit);
    }
    assert_int_equal(ilp_edit_renew_mvid(edit, NULL), ILP_OK);
    struct ilp_image *after = rewritten(edit, &info);
    bool same = memcmp(ilp_guid(image, 1).data, ilp_guid(after, 1).data, 16) == 0;
    assert_int_equal(info.mvid_kept, same);
    close_built(after);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return !same;
}

static void mvids_that_stay(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX);
    assert_true(mvid_is_renewed(&file, false));
    assert_false(mvid_is_renewed(&file, true));
    ib_r2r_section(&file, SECTION_OWNER, "all.r2r.dll", 12);
    assert_false(mvid_is_renewed(&file, false));
    free(file.data);
}

static void mvids_that_are_recorded(void **state)
{
    (void)state;
    uint8_t mvids[40];
    for (unsigned i = 0; i < sizeof mvids; i++) {
        mvids[i] = (uint8_t)(i / 16 + 1);
    }
    struct ib_file file = r2r_file(X64_LINUX);
    ib_r2r_section(&file, 118, mvids, sizeof mvids);
    struct ilp_image *image = open_r2r(&file);
    struct ilp_bytes recorded = ilp_image_recorded_mvids(image);
    assert_int_equal(recorded.size, 32); /* the third is not whole */
    assert_memory_equal(recorded.data, mvids, 32);
    ilp_image_close(image);
    memcpy(file.data + file.r2r, "NGEN", 4);
    image = open_r2r(&file);
    assert_int_equal(ilp_image_recorded_mvids(image).size, 0);
    ilp_image_close(image);
    free(file.data);
    file = sample((struct ib_pe){0});
    image = open_r2r(&file);
    assert_int_equal(ilp_image_recorded_mvids(image).size, 0);
    ilp_image_close(image);
    free(file.data);
}

/* Sections of such files are aligned as in the file, but their RVAs are no offsets: the headers can
 * grow. */
static void headers_grow(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(X64_LINUX); /* no byte is free after the section table */
    struct ilp_write_info info;
    struct ilp_image *after = changed(&file, &info);
    assert_true(info.headers_grown);
    assert_false(info.section_extended);
    close_built(after);
    free(file.data);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct ib_file file = r2r_file(0x1234);
    check_refused(&file, ILP_E_READY_TO_RUN, "unknown machine (0x1234)", file.coff);
    free(file.data);
    file = r2r_file(X64_LINUX);
    memcpy(file.data + file.r2r, "NGEN", 4);
    check_refused(&file, ILP_E_READY_TO_RUN, "another kind", file.r2r);
    memcpy(file.data + file.r2r, "RTR", 4);
    ib_r2r_section(&file, SECTION_COMPONENTS, "01234567", 8);
    check_refused(&file, ILP_E_READY_TO_RUN, "patch those assemblies themselves", file.cli + 64);
    free(file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_and_systems),
        cmocka_unit_test(header_is_read),
        cmocka_unit_test(owner_without_nul),
        cmocka_unit_test(headers_that_are_wrong),
        cmocka_unit_test(sections_that_lead_nowhere),
        cmocka_unit_test(every_byte_of_the_header),
        cmocka_unit_test(becomes_il_only),
        cmocka_unit_test(processors_it_is_bound_to),
        cmocka_unit_test(native_code_alone),
        cmocka_unit_test(mvids_that_stay),
        cmocka_unit_test(mvids_that_are_recorded),
        cmocka_unit_test(headers_grow),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
