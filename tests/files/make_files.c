/* Makes the inputs that no compiler makes: what make.sh calls after the compilers.
 *
 *   make_files FOLDER SEEDS
 *
 * bad-* and unsupported-* are good-small.dll with a few bytes changed, or cut short. SEEDS gets
 * inputs for tests/fuzz/fuzz_image.c that are no files: mapped modules, bare metadata.
 */
#include <stdio.h>

#include "tests/unit/pe_builder.h"

static const char *folder;

static void save(const char *name, const uint8_t *data, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static struct ib_file small(struct ib_pe pe)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_file file = ib_pe_file(&b, pe);
    ib_end(&b);
    return file;
}

static struct ib_file small_r2r(void)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    struct ib_file file = ib_r2r_file(&b, 0xFD1D);
    ib_end(&b);
    return file;
}

/* ---- good ---- */

static void good_no_us(void)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    b.streams[2] = b.streams[4]; /* #Blob takes the place of #US */
    b.stream_count = 4;
    IB_BODY(&b, SAMPLE_TEXT, 0x0A, 0x14, 0x2A); /* ldnull; ret: no ldstr is left */
    struct ib_file file = ib_pe_file(&b, (struct ib_pe){0});
    save("good-no-us.dll", file.data, file.size);
    free(file.data);
    ib_end(&b);
}

/* #- with all five *Ptr tables, each the other way round, and tables that are not sorted. Field,
 * method, parameter, property and event i of the first type are called f1a, m1a, ... those of the
 * second f2a. */
static void good_uncompressed(void)
{
    struct ib_image b;
    ib_begin(&b);
    b.streams[0].name = "#-";
    b.sorted = 0;
    uint32_t object = ILP_TOKEN(ILP_TypeRef, 1);
    uint32_t sig = IB_BLOB(&b, 0x00, 0x02, 0x08, 0x08, 0x08);
    uint32_t field_sig = IB_BLOB(&b, 0x06, 0x08);
    uint32_t property_sig = IB_BLOB(&b, 0x28, 0x00, 0x08);
    IB_ROW(&b, Module, 0, ib_string(&b, "Uncompressed.dll"), ib_guid(&b, 0x77), 0, 0);
    IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), ib_string(&b, "Object"),
           ib_string(&b, "System"));
    IB_ROW(&b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), ib_string(&b, "ObsoleteAttribute"),
           ib_string(&b, "System"));
    IB_ROW(&b, MemberRef, ILP_TOKEN(ILP_TypeRef, 2), ib_string(&b, ".ctor"),
           IB_BLOB(&b, 0x20, 0x00, 0x01));
    IB_ROW(&b, TypeDef, 0, ib_string(&b, "<Module>"), 0, 0, 1, 1);
    IB_ROW(&b, TypeDef, 0x100001, ib_string(&b, "First"), ib_string(&b, "N"), object, 1, 1);
    IB_ROW(&b, TypeDef, 0x100001, ib_string(&b, "Second"), ib_string(&b, "N"), object, 3, 3);
    IB_ROW(&b, TypeDef, 0x100002, ib_string(&b, "Inner"), 0, object, 4, 4);
    static const char *const names[] = {"2a", "1b", "1a"}; /* the reverse of the *Ptr tables */
    for (unsigned i = 0; i < 3; i++) {
        char text[8];
        snprintf(text, sizeof text, "f%s", names[i]);
        IB_ROW(&b, Field, 0x16, ib_string(&b, text), field_sig);
        snprintf(text, sizeof text, "m%s", names[i]);
        IB_ROW(&b, MethodDef, 0, 0, 0x96, ib_string(&b, text), sig, 5 - 2 * i);
        snprintf(text, sizeof text, "p%s", names[i]);
        IB_ROW(&b, Property, 0, ib_string(&b, text), property_sig);
        snprintf(text, sizeof text, "e%s", names[i]);
        IB_ROW(&b, Event, 0, ib_string(&b, text), object);
        IB_BODY(&b, i + 1, 0x0A, 0x03, 0x2A); /* ldarg.1; ret */
        IB_ROW(&b, FieldPtr, 3 - i);
        IB_ROW(&b, MethodPtr, 3 - i);
        IB_ROW(&b, PropertyPtr, 3 - i);
        IB_ROW(&b, EventPtr, 3 - i);
    }
    /* runs of parameters: method rows are in reverse, and so are their runs; with MethodPtr that
     * rises */
    ib_set(&b, ILP_MethodDef, 1, ILP_MethodDef_ParamList, 1);
    ib_set(&b, ILP_MethodDef, 2, ILP_MethodDef_ParamList, 3);
    ib_set(&b, ILP_MethodDef, 3, ILP_MethodDef_ParamList, 5);
    for (unsigned i = 0; i < 6; i++) {
        char text[8];
        snprintf(text, sizeof text, "a%s%u", names[2 - i / 2], 2 - i % 2);
        IB_ROW(&b, Param, 0, 2 - i % 2, ib_string(&b, text));
        IB_ROW(&b, ParamPtr, 6 - i);
    }
    IB_ROW(&b, PropertyMap, 2, 1);
    IB_ROW(&b, PropertyMap, 3, 3);
    IB_ROW(&b, EventMap, 2, 1);
    IB_ROW(&b, EventMap, 3, 3);
    IB_ROW(&b, NestedClass, 4, 3);
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_TypeDef, 3), ILP_TOKEN(ILP_MemberRef, 1),
           IB_BLOB(&b, 1, 0, 0, 0));
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_MethodDef, 2), ILP_TOKEN(ILP_MemberRef, 1),
           IB_BLOB(&b, 1, 0, 0, 0));
    IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_TypeDef, 2), ILP_TOKEN(ILP_MemberRef, 1),
           IB_BLOB(&b, 1, 0, 0, 0));
    IB_ROW(&b, GenericParam, 1, 0, ILP_TOKEN(ILP_TypeDef, 3), ib_string(&b, "U"));
    IB_ROW(&b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 2), ib_string(&b, "V"));
    IB_ROW(&b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 3), ib_string(&b, "T"));
    IB_ROW(&b, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, ib_string(&b, "Uncompressed"), 0);
    IB_ROW(&b, AssemblyRef, 4, 0, 0, 0, 0,
           IB_BLOB(&b, 0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89), ib_string(&b, "mscorlib"),
           0, 0);
    struct ib_file file = ib_pe_file(&b, (struct ib_pe){0});
    save("good-uncompressed.dll", file.data, file.size);
    free(file.data);
    ib_end(&b);
}

/* ---- bad ---- */

/* Places in the metadata root of good-small.dll. */
enum { VERSION_LENGTH = 12, STREAM_COUNT = 30, STREAMS = 32, STREAM_OFFSET = 32, STREAM_NAME = 40 };

/* Where a number stands in a file. */
enum place { DOS, COFF, OPTIONAL, DIRECTORY, SECTION, CLI, ROOT, TABLES };

static const struct {
    const char *name;
    enum place place;
    uint32_t at;
    uint8_t size;
    uint32_t value;
} changes[] = {
    {"bad-mz.dll", DOS, 0, 2, 0x5A4E},
    {"bad-lfanew.dll", DOS, 0x3C, 4, 0xFFFFFFF0},
    {"bad-pe-signature.dll", COFF, (uint32_t)-4, 4, 0x454E},
    {"bad-section-count.dll", COFF, 2, 2, 97},
    {"bad-section-table.dll", COFF, 2, 2, 40},
    {"bad-optional-size.dll", COFF, 16, 2, 64},
    {"bad-optional-magic.dll", OPTIONAL, 0, 2, 0x10C},
    {"bad-cli-rva.dll", DIRECTORY, 14 * 8, 4, 0x100000},
    {"bad-section-offset.dll", SECTION, 20, 4, 0x7FFFFE00},
    {"bad-section-size.dll", SECTION, 16, 4, 0x40},
    {"bad-metadata-rva.dll", CLI, 8, 4, 0xFFFFFFFF},
    {"bad-metadata-size.dll", CLI, 12, 4, 0x10000},
    {"bad-metadata-empty.dll", CLI, 12, 4, 0},
    {"bad-root-magic.dll", ROOT, 0, 4, 0x424A5343},
    {"bad-version-length.dll", ROOT, VERSION_LENGTH, 4, 0xFFFFFFFF},
    {"bad-version-end.dll", ROOT, VERSION_LENGTH, 4, 8},
    {"bad-stream-count.dll", ROOT, STREAM_COUNT, 2, 0xFFFF},
    {"bad-stream-offset.dll", ROOT, STREAM_OFFSET, 4, 0x10000},
    {"bad-stream-size.dll", ROOT, STREAM_OFFSET + 4, 4, 0xFFFFFFFF},
    {"bad-stream-more.dll", ROOT, STREAM_COUNT, 2, 7},
    {"bad-no-tables.dll", ROOT, STREAM_NAME, 2, 0x7878},
    {"bad-table-header.dll", ROOT, STREAM_OFFSET + 4, 4, 20},
    {"bad-table-unknown.dll", TABLES, 8 + 7, 1, 0x80},
    {"bad-table-reserved.dll", TABLES, 8 + 5, 1, 0x20},
    {"bad-rows-beyond-token.dll", TABLES, 24, 4, 0x1000000},
    {"bad-rows-beyond-stream.dll", TABLES, 24, 4, 0xFFFFFF},
    {"bad-row-cut.dll", ROOT, STREAM_OFFSET + 4, 4, 24 + 4 * 9 + 9},
    {"good-mixed.dll", CLI, 16, 4, 0},
    {"unsupported-native-pe.dll", DIRECTORY, 14 * 8, 4, 0},
};

static uint32_t base_of(const struct ib_file *file, enum place place)
{
    switch (place) {
    case DOS:
        return 0;
    case COFF:
        return file->coff;
    case OPTIONAL:
        return file->optional;
    case DIRECTORY:
        return file->directories;
    case SECTION:
        return file->section_table;
    case CLI:
        return file->cli;
    case ROOT:
        return file->root;
    case TABLES:
        return file->root + ib_get32(file->data, file->root + STREAM_OFFSET);
    }
    return 0;
}

static void changed(void)
{
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct ib_file file = small((struct ib_pe){0});
        uint32_t at = base_of(&file, changes[i].place) + changes[i].at;
        for (unsigned k = 0; k < changes[i].size; k++) {
            file.data[at + k] = (uint8_t)(changes[i].value >> 8 * k);
        }
        save(changes[i].name, file.data, file.size);
        free(file.data);
    }
}

static void truncated(void)
{
    struct ib_file file = small((struct ib_pe){0});
    save("bad-truncated-dos.dll", file.data, 0x30);
    save("bad-truncated-coff.dll", file.data, file.coff + 10);
    save("bad-truncated-optional.dll", file.data, file.optional + 100);
    save("bad-truncated-sections.dll", file.data, file.section_table + 39);
    save("bad-truncated-cli.dll", file.data, file.cli + 71);
    save("bad-truncated-root.dll", file.data, file.root + 50);
    save("bad-truncated-heap.dll", file.data, file.root + 400);
    free(file.data);
}

/* A stream whose name is one character longer than any loader takes. */
static void bad_stream_name(void)
{
    struct ib_image b;
    ib_begin(&b);
    ib_sample(&b);
    ib_stream(&b, "#A_name_of_thirty_two_characters", "", 0);
    struct ib_file file = ib_pe_file(&b, (struct ib_pe){0});
    save("bad-stream-name.dll", file.data, file.size);
    free(file.data);
    ib_end(&b);
}

/* A Portable PDB whose #Pdb stream says more tables than it counts. */
static void bad_pdb(void)
{
    struct ib_image b;
    ib_begin(&b);
    b.version = "PDB v1.0";
    IB_ROW(&b, MethodDebugInformation, 0, 0);
    b.referenced[ILP_MethodDef] = 1;
    ib_pdb_stream(&b);
    b.streams[5].size -= 1;
    struct ib_bytes root = ib_root(&b);
    save("bad-pdb-stream.pdb", root.data, root.size);
    ib_free(&root);
    ib_end(&b);
}

/* Precompiled code: in ReadyToRun's form, as a component of a composite image; the composite image; compiled together
 * with another assembly, whose MVID it records; and of another kind, as NGEN made it. */
static void precompiled(void)
{
    struct ib_file file = small_r2r();
    ib_r2r_section(&file, 116, "all.r2r.dll", 12);
    save("good-r2r.dll", file.data, file.size);
    ib_r2r_section(&file, 115, "0123456789ABCDEF", 16);
    save("unsupported-composite.dll", file.data, file.size);
    free(file.data);
    file = small_r2r();
    static const uint8_t mvid[16] = {0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A,
                                     0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A};
    ib_r2r_section(&file, 118, mvid, sizeof mvid);
    save("good-r2r-bubble.dll", file.data, file.size);
    free(file.data);
    file = small_r2r();
    memcpy(file.data + file.r2r, "NGEN", 4);
    save("unsupported-ngen.dll", file.data, file.size);
    free(file.data);
}

/* ---- seeds ---- */

static void save_root(const char *name, struct ib_image *b)
{
    struct ib_bytes root = ib_root(b);
    save(name, root.data, root.size);
    ib_free(&root);
    ib_end(b);
}

static void seeds(void)
{
    struct ib_image b;
    struct ib_file file = small((struct ib_pe){.section_alignment = 0x400});
    struct ib_bytes mapped = ib_map(file.data, file.size);
    save("mapped.dll", mapped.data, mapped.size);
    /* a file that says it is all headers: then RVAs are offsets, in sections too */
    ib_set32(mapped.data, file.optional + 60, 0x02000000);
    save("headers-cover-sections.dll", mapped.data, mapped.size);
    ib_free(&mapped);
    free(file.data);

    ib_begin(&b);
    ib_sample(&b);
    b.heap_flags = 0x47;
    save_root("wide-heaps-extra-data.metadata", &b);

    /* two rows in each table that has a key, the larger key first */
    ib_begin(&b);
    b.sorted = 0;
    ib_guid(&b, 1);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (ilpi_tables[table].name && ilpi_tables[table].key >= 0) {
            const struct ilpi_column_def *key = &ilpi_tables[table].column[ilpi_tables[table].key];
            ib_rows(&b, table, 2);
            ib_set(&b, table, 1, (unsigned)ilpi_tables[table].key,
                   key->kind == ILPI_CODED ? IB_RAW(0x81) : 4);
            ib_set(&b, table, 2, (unsigned)ilpi_tables[table].key,
                   key->kind == ILPI_CODED ? IB_RAW(0x41) : 2);
        }
    }
    save_root("unsorted-keys.metadata", &b);

    ib_begin(&b);
    b.version = "PDB v1.0";
    b.referenced[ILP_MethodDef] = 0x10000;
    b.empty_tables = (uint64_t)1 << ILP_MethodDef; /* counts for nothing here, yet widens columns */
    IB_ROW(&b, StateMachineMethod, 1, 0x10000);
    IB_ROW(&b, LocalScope, 0x10000, 0, 1, 1, 2, 3);
    IB_ROW(&b, CustomDebugInformation, ILP_TOKEN(ILP_MethodDef, 0x10000), 0, 0);
    ib_pdb_stream(&b);
    save_root("pdb-counts-beside-empty-table.metadata", &b);

    ib_begin(&b);
    IB_ROW(&b, Module, 0, 0, 1, 0, 0);
    ib_guid(&b, 0x11);
    ib_guid(&b, 0x22);
    ib_stream(&b, "#GUID", "0123456789ABCDEF", 16);
    struct ib_bytes root = ib_root(&b);
    uint8_t *first = memmem(root.data, root.size, "#GUID", 6);
    uint8_t *second = memmem(first + 1, root.size - (size_t)(first + 1 - root.data), "#GUID", 6);
    memcpy(second - 8, first - 8, 4); /* one beginning, half the size */
    save("guid-streams-overlap.metadata", root.data, root.size);
    ib_free(&root);
    ib_end(&b);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: make_files FOLDER SEEDS\n");
        return 2;
    }
    folder = argv[1];
    struct ib_file file = small((struct ib_pe){0});
    save("good-small.dll", file.data, file.size);
    free(file.data);
    good_no_us();
    good_uncompressed();
    changed();
    truncated();
    bad_stream_name();
    bad_pdb();
    precompiled();
    folder = argv[2];
    seeds();
    return 0;
}
