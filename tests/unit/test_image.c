/* Opening images: PE32, PE32+, mapped, bare metadata, Portable PDBs, streams in any order and
 * number. */
#include "metadata_test.h"

static void headers_are_as_built(void **state)
{
    (void)state;
    static const struct {
        struct ib_pe pe;
        uint16_t machine;
    } forms[] = {
        {{0}, 0x14C},
        {{.plus = true}, 0x8664},
        {{.plus = true, .machine = 0xAA64, .cli_flags = 0x9}, 0xAA64},
        {{.file_alignment = 0x200, .section_alignment = 0x200}, 0x14C},
        {{.extra_sections = 5, .lfanew = 0x40}, 0x14C},
        {{.extra_sections = 95, .file_alignment = 0x1000}, 0x14C},
    };
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct ib_image b;
        ib_begin(&b);
        ib_sample(&b);
        struct ilp_image *image = built_pe(&b, forms[i].pe);
        struct ilp_image_info info;
        ilp_image_info(image, &info);
        assert_int_equal(info.machine, forms[i].machine);
        assert_int_equal(info.pe32_plus, forms[i].pe.plus);
        assert_int_equal(info.cli_flags, forms[i].pe.cli_flags ? forms[i].pe.cli_flags : 1);
        assert_false(info.ready_to_run);
        assert_int_equal(info.entry_point, 0);
        assert_string_equal(info.runtime_version, "v4.0.30319");
        assert_int_equal(ilp_row_count(image, ILP_MethodDef), 3);
        assert_string_equal(name_at(image, ILP_TypeDef, 2, ILP_TypeDef_TypeName), "C");
        uint64_t offset = 0;
        struct ilp_bytes body = ilp_image_rva(
            image, ilp_cell(image, ILP_MethodDef, SAMPLE_NUMBER, ILP_MethodDef_RVA), &offset);
        assert_true(body.size > 3);
        assert_memory_equal(body.data, "\x0A\x1D\x2A", 3);
        assert_ptr_equal(body.data, image->pe.bytes.data + offset);
        close_built(image);
    }
}

static void ready_to_run_is_reported(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-r2r.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_image_info info;
    ilp_image_info(image, &info);
    assert_true(info.ready_to_run);
    assert_true(info.pe32_plus);
    assert_int_equal(info.machine, 0xFD1D);
    assert_int_equal(info.cli_flags, 4);
    ilp_image_close(image);
    drop(bytes);
}

/* RVAs: headers, inside of sections, between and after them. */
static void rvas_lead_to_the_end_of_their_section(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){.extra_sections = 1});
    const struct ilpi_section *text = &image->pe.sections[0];
    const struct ilpi_section *extra = &image->pe.sections[1];
    uint64_t offset = 0;
    assert_int_equal(ilp_image_rva(image, text->rva, &offset).size, text->raw_size);
    assert_int_equal(offset, text->raw_offset);
    assert_int_equal(ilp_image_rva(image, text->rva + text->raw_size - 1, &offset).size, 1);
    assert_int_equal(offset, text->raw_offset + text->raw_size - 1);
    assert_int_equal(ilp_image_rva(image, text->rva + text->raw_size, NULL).size, 0);
    assert_int_equal(ilp_image_rva(image, text->rva - 1, NULL).size, 0);
    assert_int_equal(ilp_image_rva(image, extra->rva + 1, NULL).data[0], 0x11);
    assert_int_equal(ilp_image_rva(image, extra->rva + extra->raw_size, NULL).size, 0);
    assert_int_equal(ilp_image_rva(image, UINT32_MAX, NULL).size, 0);
    assert_ptr_equal(ilp_image_rva(image, 0, &offset).data, image->pe.bytes.data);
    assert_int_equal(offset, 0);
    close_built(image);
}

/* What a loader maps of a section is whole pages of its VirtualSize; raw data after that is in no
 * memory, and another section may begin there. */
static void rvas_lead_to_what_is_mapped(void **state)
{
    (void)state;
    static const struct {
        uint32_t virtual_size;
        uint32_t alignment;
        uint32_t mapped; /* of 0x3000 bytes of raw data */
    } sizes[] = {
        {0x3000, 0x2000, 0x3000},     {0x2001, 0x2000, 0x3000}, {0x2000, 0x2000, 0x2000},
        {0x1000, 0x2000, 0x2000},     {1, 0x2000, 0x2000},      {0, 0x2000, 0x3000},
        {0xFFFFFFFF, 0x2000, 0x3000}, {0x1234, 0x1001, 0x1234}, {0x1234, 0, 0x1234},
    };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ib_image b;
        ib_begin(&b);
        ib_sample(&b);
        struct ib_file file = ib_pe_file(&b,
                                         (struct ib_pe){.extra_sections = 1, .extra_size = 0x3000});
        ib_end(&b);
        ib_set32(file.data, file.optional + 32, sizes[i].alignment);
        ib_set32(file.data, file.section_table + 40 + 8, sizes[i].virtual_size);
        uint32_t rva = ib_get32(file.data, file.section_table + 40 + 12);
        struct ilp_image *image = open_image(taken_file(file), ILP_LAYOUT_FILE);
        uint32_t last = rva + sizes[i].mapped - 1;
        assert_int_equal(ilp_image_rva(image, last, NULL).size, 0x3000 - sizes[i].mapped + 1);
        assert_int_equal(ilp_image_rva(image, last + 1, NULL).size, 0);
        close_built(image);
    }
}

/* Fewer directories than sixteen, and more than a loader looks at. */
static void any_number_of_directories(void **state)
{
    (void)state;
    static const struct {
        uint32_t count;
        ilp_status status;
    } counts[] = {{0, ILP_E_NOT_MANAGED},
                  {14, ILP_E_NOT_MANAGED},
                  {15, ILP_OK},
                  {17, ILP_OK},
                  {0xFFFFFFFF, ILP_OK}};
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct ib_image b;
        ib_begin(&b);
        ib_sample(&b);
        struct ib_file file = ib_pe_file(&b, (struct ib_pe){0});
        ib_end(&b);
        ib_set32(file.data, file.directories - 4, counts[i].count);
        struct ilp_bytes bytes = taken_file(file);
        struct ilp_image *image;
        assert_int_equal(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL),
                         counts[i].status);
        ilp_image_close(image);
        drop(bytes);
    }
}

/* Everything that a caller can see of two images is the same. */
static void same_images(const struct ilp_image *a, const struct ilp_image *b)
{
    same_rows(a, b, false);
    same_rows(b, a, false);
    same_bytes(a->strings, b->strings);
    same_bytes(a->user_strings, b->user_strings);
    same_bytes(a->blobs, b->blobs);
    same_bytes(a->guids, b->guids);
    assert_string_equal(a->version, b->version);
    struct ilp_arena *arena;
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(a, ILP_MethodDef); rid++) {
        const char *text_a;
        const char *text_b;
        assert_int_equal(ilp_method_text(a, ILP_TOKEN(ILP_MethodDef, rid), arena, &text_a, NULL),
                         ILP_OK);
        assert_int_equal(ilp_method_text(b, ILP_TOKEN(ILP_MethodDef, rid), arena, &text_b, NULL),
                         ILP_OK);
        assert_string_equal(text_a, text_b);
        uint32_t rva = ilp_cell(a, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        struct ilp_body body_a;
        struct ilp_body body_b;
        if (rva != 0) {
            struct ilp_bytes bytes = ilp_image_rva(a, rva, NULL);
            assert_int_equal(ilp_body_read(&body_a, bytes, 0, arena, NULL), ILP_OK);
            bytes = ilp_image_rva(b, rva, NULL);
            assert_int_equal(ilp_body_read(&body_b, bytes, 0, arena, NULL), ILP_OK);
            same_bytes(body_a.code, body_b.code);
        }
    }
    ilp_arena_close(arena);
}

static void mapped_modules_read_like_files(void **state)
{
    (void)state;
    static const char *const names[] = {
        "good-small.dll",    "good-uncompressed.dll", "good-no-us.dll", "good-pe32plus.dll",
        "good-security.dll", "good-il.dll",           "good-csharp.dll"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes file_bytes = load(names[i]);
        struct ilp_bytes mapped_bytes = taken(ib_map(file_bytes.data, file_bytes.size));
        struct ilp_image *file = open_image(file_bytes, ILP_LAYOUT_FILE);
        struct ilp_image *mapped = open_image(mapped_bytes, ILP_LAYOUT_MAPPED);
        same_images(file, mapped);
        ilp_image_close(mapped);
        ilp_image_close(file);
        drop(mapped_bytes);
        drop(file_bytes);
    }
}

static void metadata_alone_reads_like_the_file_around_it(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-il.dll");
    struct ilp_image *file = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_bytes root = exact(file->root.data, file->root.size);
    static const enum ilp_layout layouts[] = {ILP_LAYOUT_METADATA, ILP_LAYOUT_FILE,
                                              ILP_LAYOUT_MAPPED};
    for (size_t i = 0; i < COUNT(layouts); i++) { /* "BSJB" decides, not what the caller says */
        struct ilp_image *image = open_image(root, layouts[i]);
        assert_int_equal(image->pe.layout, ILP_LAYOUT_METADATA);
        same_rows(file, image, false);
        same_heaps(file, image);
        struct ilp_image_info info;
        ilp_image_info(image, &info);
        assert_int_equal(info.machine, 0);
        assert_int_equal(info.cli_flags, 0);
        assert_string_equal(info.runtime_version, "v4.0.30319");
        ilp_image_close(image);
    }
    ilp_image_close(file);
    drop(root);
    drop(bytes);
}

/* ---- streams ---- */

static void streams_in_any_order(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 5; shift++) {
        for (unsigned reverse = 0; reverse < 2; reverse++) {
            struct ib_image b;
            struct ib_stream streams[5];
            ib_begin(&b);
            ib_sample(&b);
            for (unsigned i = 0; i < 5; i++) {
                streams[i] = b.streams[reverse ? (9 - i - shift) % 5 : (i + shift) % 5];
            }
            memcpy(b.streams, streams, sizeof streams);
            struct ilp_image *image = built_root(&b);
            assert_string_equal(name_at(image, ILP_MethodDef, 2, ILP_MethodDef_Name), "Text");
            assert_int_equal(ilp_guid(image, 1).data[0], 0x5A);
            assert_int_equal(ilp_user_string(image, 0x70000001).size, 8);
            assert_int_equal(
                ilp_blob(image, ilp_cell(image, ILP_Field, 1, ILP_Field_Signature)).size, 2);
            close_built(image);
        }
    }
}

static void strange_streams_are_passed_over(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    ib_stream(&b, "#JTD", NULL, 0);
    b.streams[5].given = "";
    ib_stream(&b, "#strings", "x", 2); /* names are distinguished by case */
    ib_stream(&b, "#Schema", "0123456789", 10);
    ib_stream(&b, "", "", 0);
    ib_stream(&b, "a_name_of_thirty-one_characters", "", 0);
    struct ilp_image *image = built_root(&b);
    assert_int_equal(image->stream_count, 10);
    assert_string_equal(name_at(image, ILP_MethodDef, 2, ILP_MethodDef_Name), "Text");
    close_built(image);
}

/* As in the runtimes, the last of one name counts. */
static void of_repeated_streams_the_last_one_counts(void **state)
{
    (void)state;
    static const char other[] = "\0Other\0";
    struct ib_image b;
    ib_begin(&b);
    IB_ROW(&b, Module, 0, 1, 0, 0, 0);
    ib_string(&b, "First");
    ib_stream(&b, "#Strings", other, sizeof other);
    struct ilp_image *image = built_root(&b);
    assert_string_equal(name_at(image, ILP_Module, 1, ILP_Module_Name), "Other");
    close_built(image);
}

static void missing_heaps_are_empty(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    b.stream_count = 1;
    IB_ROW(&b, Module, 0, 1, 1, 0, 0);
    IB_ROW(&b, TypeSpec, 1);
    struct ilp_image *image = built_root(&b);
    assert_string_equal(ilp_string(image, 0), "");
    assert_string_equal(name_at(image, ILP_Module, 1, ILP_Module_Name), "");
    assert_int_equal(ilp_blob(image, 0).size, 0);
    assert_int_equal(ilp_blob(image, 1).size, 0);
    assert_int_equal(ilp_guid(image, 1).size, 0);
    assert_int_equal(ilp_user_string(image, 0).size, 0);
    close_built(image);
}

static void long_versions(void **state)
{
    (void)state;
    for (size_t length = 250; length <= 258; length++) {
        char version[300] = {0};
        memset(version, 'v', length);
        struct ib_image b;
        ib_begin(&b);
        b.version = version;
        struct ilp_bytes bytes = taken(ib_root(&b));
        struct ilp_image *image;
        ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_METADATA, NULL, NULL, NULL);
        if (length <= 255) {
            assert_int_equal(status, ILP_OK);
            assert_string_equal(image->version, version);
            ilp_image_close(image);
        } else {
            assert_int_equal(status, ILP_E_TRUNCATED);
        }
        drop(bytes);
        ib_end(&b);
    }
}

/* II.24.2.1 requires a length that is a multiple of four; what follows is aligned anyway. */
static void version_lengths_that_are_not_rounded(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ilp_bytes bytes = taken(ib_root(&b));
    ib_end(&b);
    ib_set32((uint8_t *)(uintptr_t)bytes.data, 12, 11); /* "v4.0.30319" and its NUL */
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_METADATA);
    assert_string_equal(image->version, "v4.0.30319");
    assert_string_equal(name_at(image, ILP_MethodDef, 2, ILP_MethodDef_Name), "Text");
    close_built(image);
}

/* ---- the table stream ---- */

static void extra_data_is_skipped(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    b.heap_flags = 0x40;
    ib_sample(&b);
    struct ilp_image *image = built_root(&b);
    assert_string_equal(name_at(image, ILP_MethodDef, 2, ILP_MethodDef_Name), "Text");
    assert_string_equal(name_at(image, ILP_AssemblyRef, 1, ILP_AssemblyRef_Name), "mscorlib");
    close_built(image);
}

static void wide_heaps_with_little_in_them(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags < 8; flags++) {
        struct ib_image b;
        ib_begin(&b);
        b.heap_flags = (uint8_t)flags;
        ib_sample(&b);
        struct ilp_image *image = built_root(&b);
        assert_string_equal(name_at(image, ILP_MethodDef, 2, ILP_MethodDef_Name), "Text");
        assert_int_equal(ilp_guid(image, ilp_cell(image, ILP_Module, 1, ILP_Module_Mvid)).data[0],
                         0x5A);
        assert_int_equal(ilp_blob(image, ilp_cell(image, ILP_Field, 1, ILP_Field_Signature)).size,
                         2);
        close_built(image);
    }
}

static void every_unknown_table_is_refused(void **state)
{
    (void)state;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        struct ib_image b;
        ib_begin(&b);
        b.strange_tables = (uint64_t)1 << table;
        struct ilp_bytes bytes = taken(ib_root(&b));
        struct ilp_image *image;
        struct ilp_error error = {0};
        ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_METADATA, NULL, NULL, &error);
        bool known = ilp_table_name(table) != NULL;
        assert_int_equal(status, known ? ILP_E_TRUNCATED : ILP_E_BAD_METADATA);
        /* a known table that says it has a row, but has none, is reported by its name */
        assert_true(!known || strncmp(error.message, ilp_table_name(table),
                                      strlen(ilp_table_name(table))) == 0);
        assert_int_equal(error.token, known ? ILP_TOKEN(table, 0) : 0);
        drop(bytes);
        ib_end(&b);
    }
}

/* The very last byte of the last table is needed. */
static void rows_end_within_their_stream(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_bytes tables = ib_table_stream(&b);
    for (size_t missing = 0; missing < 3; missing++) {
        b.streams[0].given = tables.data;
        b.streams[0].size = tables.size - missing;
        struct ilp_bytes bytes = taken(ib_root(&b));
        struct ilp_image *image;
        ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_METADATA, NULL, NULL, NULL);
        assert_int_equal(status, missing == 0 ? ILP_OK : ILP_E_TRUNCATED);
        ilp_image_close(image);
        drop(bytes);
    }
    ib_free(&tables);
    ib_end(&b);
}

static void cells_that_do_not_exist_are_zero(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ilp_image *image = built_root(&b);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 0, ILP_MethodDef_Flags), 0);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 3, ILP_MethodDef_Flags), 0x96);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 4, ILP_MethodDef_Flags), 0);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, UINT32_MAX, ILP_MethodDef_Flags), 0);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 3, ILP_MethodDef_COLUMNS), 0);
    assert_int_equal(ilp_cell(image, ILP_MethodDef, 3, UINT32_MAX), 0);
    assert_int_equal(ilp_cell(image, 0x2D, 1, 0), 0);
    assert_int_equal(ilp_cell(image, 0x40, 1, 0), 0);
    assert_int_equal(ilp_row_count(image, 0x40), 0);
    assert_int_equal(ilp_row_count(image, UINT32_MAX), 0);
    close_built(image);
}

/* ---- Portable PDBs ---- */

static void pdbs_take_widths_from_the_assembly(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 0xFFFF, 0x10000, 0xFFFFFF};
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct ib_image b;
        ib_begin(&b);
        b.version = "PDB v1.0";
        b.referenced[ILP_MethodDef] = counts[i];
        b.referenced[ILP_TypeDef] = 7;
        b.referenced[ILP_Module] = 1;
        uint32_t name = ib_string(&b, "local");
        IB_ROW(&b, LocalScope, counts[i], 0, 1, 1, 5, 6);
        IB_ROW(&b, LocalVariable, 0, 3, name);
        IB_ROW(&b, StateMachineMethod, 1, counts[i]);
        IB_ROW(&b, CustomDebugInformation, ILP_TOKEN(ILP_MethodDef, counts[i]), 0, 0);
        ib_pdb_stream(&b);
        struct ilp_image *image = built_root(&b);
        assert_int_equal(ilp_cell(image, ILP_LocalScope, 1, ILP_LocalScope_Method), counts[i]);
        assert_int_equal(ilp_cell(image, ILP_LocalScope, 1, ILP_LocalScope_Length), 6);
        assert_int_equal(ilp_cell(image, ILP_StateMachineMethod, 1, 1), counts[i]);
        assert_int_equal(ilp_cell(image, ILP_CustomDebugInformation, 1, 0),
                         ILP_TOKEN(ILP_MethodDef, counts[i]));
        assert_string_equal(name_at(image, ILP_LocalVariable, 1, ILP_LocalVariable_Name), "local");
        assert_int_equal(ilp_row_count(image, ILP_MethodDef), 0); /* those are another file's */
        close_built(image);
    }
}

/* A table that this file counts as empty leaves the assembly's count as it is. */
static void pdb_counts_stand_where_the_file_has_no_rows(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    b.referenced[ILP_MethodDef] = 0x10000;
    b.empty_tables = (uint64_t)1 << ILP_MethodDef;
    IB_ROW(&b, StateMachineMethod, 0x10000, 0xFFFF);
    ib_pdb_stream(&b);
    struct ilp_image *image = built_root(&b);
    assert_int_equal(ilp_cell(image, ILP_StateMachineMethod, 1, 0), 0x10000);
    close_built(image);
}

static void a_compilers_pdb(void **state)
{
    (void)state;
    struct ilp_bytes pdb_bytes = load("good-portable.pdb");
    struct ilp_bytes dll_bytes = load("good-csharp.dll");
    struct ilp_image *pdb = open_image(pdb_bytes, ILP_LAYOUT_FILE);
    struct ilp_image *dll = open_image(dll_bytes, ILP_LAYOUT_FILE);
    assert_string_equal(pdb->version, "PDB v1.0");
    assert_int_equal(ilp_row_count(pdb, ILP_MethodDebugInformation),
                     ilp_row_count(dll, ILP_MethodDef));
    assert_int_equal(ilp_row_count(pdb, ILP_Document), 1);
    for (ilp_rid rid = 1; rid <= ilp_row_count(pdb, ILP_LocalScope); rid++) {
        assert_in_range(ilp_cell(pdb, ILP_LocalScope, rid, ILP_LocalScope_Method), 1,
                        ilp_row_count(dll, ILP_MethodDef));
    }
    ilp_image_close(pdb);
    ilp_image_close(dll);
    drop(pdb_bytes);
    drop(dll_bytes);
}

/* ---- the rest of the header ---- */

static void names_are_copied(void **state)
{
    (void)state;
    char name[] = "copied.dll";
    struct ib_image b;
    ib_begin(&b);
    struct ilp_bytes bytes = taken(ib_root(&b));
    ib_end(&b);
    struct ilp_image *image;
    assert_int_equal(ilp_image_open(&image, bytes, ILP_LAYOUT_METADATA, name, NULL, NULL), ILP_OK);
    name[0] = '!';
    assert_string_equal(image->name, "copied.dll");
    ilp_image_close(image);
    drop(bytes);
}

static void statuses_have_names_texts_and_classes(void **state)
{
    (void)state;
    assert_string_equal(ilp_version(), ILP_VERSION);
    for (unsigned i = 0; i < 100; i++) {
        ilp_status status = (ilp_status)i;
        assert_non_null(ilp_status_name(status));
        assert_true(ilp_status_text(status)[0] != '\0');
        assert_true((ilp_status_class(status) == ILP_CLASS_OK) == (i == 0));
    }
    assert_string_equal(ilp_status_name(ILP_E_BAD_METADATA), "BAD_METADATA");
    assert_int_equal(ilp_status_class(ILP_E_NO_MEMORY), ILP_CLASS_MEMORY);
    assert_string_equal(ilp_status_name((ilp_status)-1), "UNKNOWN");
    assert_int_equal(ilp_status_class((ilp_status)9999), ILP_CLASS_BUG);
}

static void assembly_names(void **state)
{
    (void)state;
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ilp_image *image = built_root(&b);
    struct ilp_assembly_name name;
    assert_true(ilp_image_assembly_name(image, &name));
    assert_string_equal(name.name, "Sample");
    assert_string_equal(name.culture, "");
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(name.version[i], i + 1);
    }
    assert_int_equal(name.key.size, 0);
    close_built(image);
    ib_begin(&b);
    image = built_root(&b);
    assert_false(ilp_image_assembly_name(image, &name));
    assert_string_equal(name.name, "");
    close_built(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_as_built),
        cmocka_unit_test(ready_to_run_is_reported),
        cmocka_unit_test(rvas_lead_to_the_end_of_their_section),
        cmocka_unit_test(rvas_lead_to_what_is_mapped),
        cmocka_unit_test(any_number_of_directories),
        cmocka_unit_test(mapped_modules_read_like_files),
        cmocka_unit_test(metadata_alone_reads_like_the_file_around_it),
        cmocka_unit_test(streams_in_any_order),
        cmocka_unit_test(strange_streams_are_passed_over),
        cmocka_unit_test(of_repeated_streams_the_last_one_counts),
        cmocka_unit_test(missing_heaps_are_empty),
        cmocka_unit_test(long_versions),
        cmocka_unit_test(version_lengths_that_are_not_rounded),
        cmocka_unit_test(extra_data_is_skipped),
        cmocka_unit_test(wide_heaps_with_little_in_them),
        cmocka_unit_test(every_unknown_table_is_refused),
        cmocka_unit_test(rows_end_within_their_stream),
        cmocka_unit_test(cells_that_do_not_exist_are_zero),
        cmocka_unit_test(pdbs_take_widths_from_the_assembly),
        cmocka_unit_test(pdb_counts_stand_where_the_file_has_no_rows),
        cmocka_unit_test(a_compilers_pdb),
        cmocka_unit_test(names_are_copied),
        cmocka_unit_test(statuses_have_names_texts_and_classes),
        cmocka_unit_test(assembly_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
