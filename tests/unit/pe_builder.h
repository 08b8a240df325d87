/* Puts a PE file around metadata made with image_builder.h (II.25.2, II.25.3), lays files out as a
 * loader does, and checks written files without the library's help.
 *
 *   0x00 DOS header   lfanew: "PE" COFF optional header, section table   (slack)
 *   .text             CLI header, data (bodies, field data), metadata root
 *   .x1 .x2 ...       as many sections more as a test wants, 16 bytes 0x11, 0x22, ... each
 *
 * With lfanew at 0x80 and headers of 0x200 bytes, a PE32 file of three sections leaves 16 bytes
 * after the section table, as C# compilers do.
 */
#ifndef PE_BUILDER_H
#define PE_BUILDER_H

#include "tests/unit/image_builder.h"

/* Zero means the usual. */
struct ib_pe {
    bool plus;                  /* PE32+ */
    uint16_t machine;           /* 0x14C or, for PE32+, 0x8664 */
    uint32_t lfanew;            /* 0x80 */
    uint32_t file_alignment;    /* 0x200 */
    uint32_t section_alignment; /* 0x2000 */
    uint32_t cli_flags;         /* ILONLY */
    unsigned extra_sections;
    const char *extra_name;         /* of each: NULL: .x01, .x02 */
    uint32_t extra_characteristics; /* 0x40000040: initialised data, readable */
    uint32_t extra_virtual_size;    /* of the last extra section; 16 */
    uint32_t extra_size;            /* bytes in the last extra section; 16 */
};

/* Where things ended up, so that a test can change them. */
struct ib_file {
    uint8_t *data; /* owned */
    size_t size;
    uint32_t coff;
    uint32_t optional;
    uint32_t directories;
    uint32_t section_table;
    uint32_t table_end;
    uint32_t cli;  /* offset in the file */
    uint32_t root; /* offset in the file */
    uint32_t text_rva;
    uint32_t text_offset;
    uint32_t r2r; /* of ib_r2r_file(): the ReadyToRun header's offset in the file */
    uint32_t r2r_rva;
};

static inline uint32_t ib_get32(const uint8_t *data, size_t at)
{
    return (uint32_t)data[at] | (uint32_t)data[at + 1] << 8 | (uint32_t)data[at + 2] << 16 |
           (uint32_t)data[at + 3] << 24;
}

static inline uint16_t ib_get16(const uint8_t *data, size_t at)
{
    return (uint16_t)(data[at] | data[at + 1] << 8);
}

static inline void ib_set32(uint8_t *data, size_t at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        data[at + i] = (uint8_t)(value >> 8 * i);
    }
}

static inline void ib_set16(uint8_t *data, size_t at, uint16_t value)
{
    data[at] = (uint8_t)value;
    data[at + 1] = (uint8_t)(value >> 8);
}

static inline uint32_t ib_up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/* The second word of a directory's entry is its size. */
static inline void ib_directory(struct ib_file *file, unsigned number, uint32_t rva, uint32_t size)
{
    ib_set32(file->data, file->directories + number * 8, rva);
    ib_set32(file->data, file->directories + number * 8 + 4, size);
}

struct ib_section {
    char name[9];
    uint32_t virtual_size;
    uint32_t characteristics;
    struct ib_bytes contents;
    uint32_t rva;
    uint32_t offset;
};

static inline void ib_put_headers(struct ib_bytes *to, const struct ib_pe *pe,
                                  const struct ib_section *sections, unsigned count,
                                  uint32_t headers_size, uint32_t image_size)
{
    uint32_t raw = sections[0].contents.size > 0 ? (uint32_t)sections[0].contents.size : 0;
    ib_put(to, "MZ", 2);
    ib_zeros(to, 0x3A);
    ib_number(to, pe->lfanew, 4);
    ib_zeros(to, pe->lfanew - 0x40);
    ib_put(to, "PE\0", 4);
    ib_number(to, pe->machine, 2);
    ib_number(to, count, 2);
    ib_zeros(to, 12);
    ib_number(to, pe->plus ? 240 : 224, 2);
    ib_number(to, 0x2022, 2); /* EXECUTABLE_IMAGE, LARGE_ADDRESS_AWARE, DLL */
    ib_number(to, pe->plus ? 0x20B : 0x10B, 2);
    ib_number(to, 0x30, 2); /* linker version */
    ib_number(to, ib_up(raw, pe->file_alignment), 4);
    ib_zeros(to, 12); /* data sizes, entry point */
    ib_number(to, sections[0].rva, 4);
    if (pe->plus) {
        ib_number(to, 0x180000000, 8);
    } else {
        ib_number(to, 0, 4);
        ib_number(to, 0x10000000, 4);
    }
    ib_number(to, pe->section_alignment, 4);
    ib_number(to, pe->file_alignment, 4);
    ib_number(to, 4, 8); /* OS 4.0 */
    ib_number(to, 4, 8); /* subsystem 4.0, Win32VersionValue */
    ib_number(to, image_size, 4);
    ib_number(to, headers_size, 4);
    ib_number(to, 0, 4); /* CheckSum */
    ib_number(to, 3, 2); /* console */
    ib_number(to, 0x8540, 2);
    ib_zeros(to, pe->plus ? 32 : 16); /* stack and heap */
    ib_number(to, 0, 4);
    ib_number(to, 16, 4);
    ib_zeros(to, 14 * 8);
    ib_number(to, sections[0].rva, 4);
    ib_number(to, 72, 4);
    ib_zeros(to, 8);
    for (unsigned i = 0; i < count; i++) {
        ib_put(to, sections[i].name, 8);
        ib_number(to, sections[i].virtual_size, 4);
        ib_number(to, sections[i].rva, 4);
        ib_number(to, ib_up((uint32_t)sections[i].contents.size, pe->file_alignment), 4);
        ib_number(to, sections[i].offset, 4);
        ib_zeros(to, 12);
        ib_number(to, sections[i].characteristics, 4);
    }
}

static inline void ib_put_text(struct ib_bytes *to, const struct ib_image *b,
                               const struct ib_pe *pe, const struct ib_bytes *root, uint32_t rva)
{
    uint32_t root_at = 72 + ib_up((uint32_t)b->data.size, 4);
    ib_number(to, 72, 4);
    ib_number(to, 0x00050002, 4); /* runtime 2.5 */
    ib_number(to, rva + root_at, 4);
    ib_number(to, root->size, 4);
    ib_number(to, pe->cli_flags, 4);
    ib_zeros(to, 72 - 20);
    ib_put(to, b->data.data, b->data.size);
    ib_align(to, 4);
    ib_put(to, root->data, root->size);
}

/* Options come by value: what is zero in them is filled in. */
static inline struct ib_file ib_pe_file(struct ib_image *b, struct ib_pe pe)
{
    enum { MAX_SECTIONS = 100 };
    static struct ib_section sections[MAX_SECTIONS];
    unsigned count = 1 + pe.extra_sections;
    if (pe.machine == 0) {
        pe.machine = pe.plus ? 0x8664 : 0x14C;
    }
    pe.lfanew = pe.lfanew ? pe.lfanew : 0x80;
    pe.file_alignment = pe.file_alignment ? pe.file_alignment : 0x200;
    pe.section_alignment = pe.section_alignment ? pe.section_alignment : 0x2000;
    pe.cli_flags = pe.cli_flags ? pe.cli_flags : 1;
    uint32_t headers = pe.lfanew + 24 + (pe.plus ? 240 : 224) + 40 * count;
    uint32_t headers_size = ib_up(headers, pe.file_alignment);
    uint32_t rva = ib_up(headers_size, pe.section_alignment);
    uint32_t offset = headers_size;
    for (unsigned i = 0; i < b->fixup_count; i++) {
        ib_set(b, b->fixups[i].table, b->fixups[i].rid, b->fixups[i].column,
               rva + 72 + b->fixups[i].offset);
    }
    struct ib_bytes root = ib_root(b);
    for (unsigned i = 0; i < count; i++) {
        struct ib_section *section = &sections[i];
        bool last = i + 1 == count;
        *section = (struct ib_section){.name = ".text", .characteristics = 0x60000020};
        if (i == 0) {
            ib_put_text(&section->contents, b, &pe, &root, rva);
        } else {
            const char name[] = {'.', 'x', (char)('0' + i / 10), (char)('0' + i % 10), '\0'};
            const char *given = pe.extra_name ? pe.extra_name : name;
            memset(section->name, 0, sizeof section->name);
            memcpy(section->name, given, strlen(given));
            section->characteristics = pe.extra_characteristics ? pe.extra_characteristics
                                                                : 0x40000040;
            size_t size = last && pe.extra_size ? pe.extra_size : 16;
            memset(ib_more(&section->contents, size), (int)(i * 0x11), size);
        }
        section->virtual_size = last && i != 0 && pe.extra_virtual_size
                                    ? pe.extra_virtual_size
                                    : (uint32_t)section->contents.size;
        section->rva = rva;
        section->offset = offset;
        uint32_t raw = ib_up((uint32_t)section->contents.size, pe.file_alignment);
        uint32_t most = section->virtual_size > raw ? section->virtual_size : raw;
        rva = ib_up(rva + most, pe.section_alignment);
        offset += raw;
    }
    struct ib_bytes to = {0};
    ib_put_headers(&to, &pe, sections, count, headers_size, rva);
    for (unsigned i = 0; i < count; i++) {
        ib_align(&to, pe.file_alignment);
        ib_put(&to, sections[i].contents.data, sections[i].contents.size);
        ib_free(&sections[i].contents);
    }
    ib_align(&to, pe.file_alignment);
    struct ib_file file = {.data = to.data, .size = to.size};
    file.coff = pe.lfanew + 4;
    file.optional = file.coff + 20;
    file.directories = file.optional + (pe.plus ? 112 : 96);
    file.section_table = file.directories + 16 * 8;
    file.table_end = headers;
    file.cli = headers_size;
    file.root = headers_size + 72 + ib_up((uint32_t)b->data.size, 4);
    file.text_rva = sections[0].rva;
    file.text_offset = headers_size;
    ib_free(&root);
    return file;
}

/* Bytes after the last section. */
static inline void ib_append(struct ib_file *file, const void *bytes, size_t size)
{
    file->data = realloc(file->data, file->size + size);
    if (!file->data) {
        abort();
    }
    memcpy(file->data + file->size, bytes, size);
    file->size += size;
}

/* ---- ReadyToRun ---- */

/* A precompiled image, as crossgen2 makes it: no ILONLY, directories that only native code needs,
 * sections aligned no more than in the file though they are mapped elsewhere, and in the writable
 * one a header ("RTR", version 16.0) with room for sections and what they hold. */
static inline struct ib_file ib_r2r_file(struct ib_image *b, uint16_t machine)
{
    struct ib_file file = ib_pe_file(b, (struct ib_pe){.plus = true,
                                                       .machine = machine,
                                                       .cli_flags = 0x4,
                                                       .extra_sections = 2,
                                                       .extra_characteristics = 0xC0000040,
                                                       .extra_size = 0x400});
    uint32_t section = file.section_table + 2 * 40;
    ib_set32(file.data, file.optional + 32, 0x200); /* SectionAlignment */
    file.r2r_rva = ib_get32(file.data, section + 12);
    file.r2r = ib_get32(file.data, section + 20);
    memset(file.data + file.r2r, 0, 0x400);
    memcpy(file.data + file.r2r, "RTR\0\20\0\0\0\3", 9);
    ib_set32(file.data, file.cli + 64, file.r2r_rva);
    ib_set32(file.data, file.cli + 68, 16);
    ib_set32(file.data, file.optional + 16, file.text_rva + 72); /* entry point in native code */
    ib_directory(&file, 3, file.r2r_rva + 0x200, 24);            /* Exception */
    ib_directory(&file, 5, file.r2r_rva + 0x240, 24);            /* Base Relocation */
    return file;
}

/* One section more, and its bytes. */
static inline void ib_r2r_section(struct ib_file *file, uint32_t type, const void *bytes,
                                  uint32_t size)
{
    uint32_t count = ib_get32(file->data, file->r2r + 12);
    uint32_t at = 0x100 + count * 0x40;
    ib_set32(file->data, file->r2r + 12, count + 1);
    ib_set32(file->data, file->cli + 68, 16 + 12 * (count + 1));
    ib_set32(file->data, file->r2r + 16 + 12 * count, type);
    ib_set32(file->data, file->r2r + 20 + 12 * count, file->r2r_rva + at);
    ib_set32(file->data, file->r2r + 24 + 12 * count, size);
    memcpy(file->data + file->r2r + at, bytes, size);
    if (type == 116) {
        ib_set32(file->data, file->r2r + 8, 0x23); /* COMPONENT */
    }
}

/* ---- files, seen from outside of the library ---- */

/* Where the headers of any PE file are. */
static inline struct ib_file ib_look(const uint8_t *data, size_t size)
{
    struct ib_file file = {.data = (uint8_t *)(uintptr_t)data, .size = size};
    file.coff = ib_get32(data, 0x3C) + 4;
    file.optional = file.coff + 20;
    file.directories = file.optional + (ib_get16(data, file.optional) == 0x20B ? 112 : 96);
    file.section_table = file.optional + ib_get16(data, file.coff + 16);
    file.table_end = file.section_table + 40 * (uint32_t)ib_get16(data, file.coff + 2);
    return file;
}

/* A file as a loader maps it: headers, then each section at its RVA. Owned by the caller. */
static inline struct ib_bytes ib_map(const uint8_t *data, size_t size)
{
    struct ib_file file = ib_look(data, size);
    struct ib_bytes to = {0};
    uint32_t headers = ib_get32(data, file.optional + 60);
    ib_zeros(&to, ib_get32(data, file.optional + 56));
    memcpy(to.data, data, headers);
    for (uint32_t at = file.section_table; at < file.table_end; at += 40) {
        uint32_t virtual_size = ib_get32(data, at + 8);
        uint32_t raw_size = ib_get32(data, at + 16);
        uint32_t copied = virtual_size < raw_size ? virtual_size : raw_size;
        memcpy(to.data + ib_get32(data, at + 12), data + ib_get32(data, at + 20), copied);
    }
    return to;
}

/* The checksum as ImageHlp computes it: the words of the file but for the checksum's own, each
 * carry put back at once, and the file's size added. */
static inline uint32_t ib_checksum(const uint8_t *data, size_t size)
{
    uint32_t own = ib_look(data, size).optional + 64;
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i += 2) {
        uint32_t word = (uint32_t)data[i] | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0);
        sum += i == own || i == own + 2 ? 0 : word;
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum + (uint32_t)size;
}

/* NULL, or what a loader would say against the file's headers and sections: those of the rules that
 * CoreCLR (PEDecoder::CheckNTHeaders), Mono and Windows have. */
static inline const char *ib_complaint(const uint8_t *data, size_t size)
{
    struct ib_file file = ib_look(data, size);
    uint32_t section_alignment = ib_get32(data, file.optional + 32);
    uint32_t file_alignment = ib_get32(data, file.optional + 36);
    uint32_t headers = ib_get32(data, file.optional + 60);
    uint32_t last_rva = ib_up(headers, section_alignment);
    uint32_t last_offset = headers;
    bool flat = section_alignment == file_alignment &&
                ib_get32(data, file.section_table + 12) == ib_get32(data, file.section_table + 20);
    if (headers % file_alignment != 0 || headers < file.table_end || headers > size) {
        return "SizeOfHeaders";
    }
    for (uint32_t at = file.section_table; at < file.table_end; at += 40) {
        uint32_t virtual_size = ib_get32(data, at + 8);
        uint32_t rva = ib_get32(data, at + 12);
        uint32_t raw_size = ib_get32(data, at + 16);
        uint32_t offset = ib_get32(data, at + 20);
        if (rva % section_alignment != 0 || rva < last_rva) {
            return "a section's RVA";
        }
        if (offset % file_alignment != 0 || raw_size % file_alignment != 0 ||
            offset < last_offset || offset > size || raw_size > size - offset) {
            return "a section's place in the file";
        }
        if (flat && offset != rva) {
            return "a section of a flat file whose RVA is not its offset";
        }
        last_rva = ib_up(rva + (virtual_size > raw_size ? virtual_size : raw_size),
                         section_alignment);
        last_offset = offset + raw_size;
    }
    if (ib_get32(data, file.optional + 56) != last_rva) {
        return "SizeOfImage";
    }
    uint32_t checksum = ib_get32(data, file.optional + 64);
    if (checksum != 0 && checksum != ib_checksum(data, size)) {
        return "CheckSum";
    }
    return NULL;
}

/* ---- a small module ---- */

/* Rows of ib_sample(). */
enum {
    SAMPLE_TYPE = 2,   /* TypeDef N.C */
    SAMPLE_NUMBER = 1, /* MethodDef: static int32 Number(int32) { return 7; } */
    SAMPLE_TEXT = 2,   /* MethodDef: static string Text() { return "text"; } */
    SAMPLE_FAT = 3,    /* MethodDef: static object Fat(), a fat body with locals and a finally */
    SAMPLE_FIELD = 1   /* Field: static int32 value, with an RVA */
};

static inline void ib_sample(struct ib_image *b)
{
    uint32_t object = ILP_TOKEN(ILP_TypeRef, 1);
    IB_ROW(b, Module, 0, ib_string(b, "Sample.dll"), ib_guid(b, 0x5A), 0, 0);
    IB_ROW(b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), ib_string(b, "Object"),
           ib_string(b, "System"));
    IB_ROW(b, TypeDef, 0, ib_string(b, "<Module>"), 0, 0, 1, 1);
    IB_ROW(b, TypeDef, 0x100001, ib_string(b, "C"), ib_string(b, "N"), object, 1, 1);
    IB_ROW(b, Field, 0x113, ib_string(b, "value"), IB_BLOB(b, 0x06, 0x08));
    IB_ROW(b, MethodDef, 0, 0, 0x96, ib_string(b, "Number"), IB_BLOB(b, 0x00, 0x01, 0x08, 0x08), 1);
    IB_ROW(b, MethodDef, 0, 0, 0x96, ib_string(b, "Text"), IB_BLOB(b, 0x00, 0x00, 0x0E), 2);
    IB_ROW(b, MethodDef, 0, 0, 0x96, ib_string(b, "Fat"), IB_BLOB(b, 0x00, 0x00, 0x1C), 2);
    IB_ROW(b, Param, 0, 1, ib_string(b, "number"));
    IB_ROW(b, StandAloneSig, IB_BLOB(b, 0x07, 0x01, 0x1C));
    IB_ROW(b, FieldRVA, 0, SAMPLE_FIELD);
    IB_ROW(b, Assembly, 0x8004, 1, 2, 3, 4, 0, 0, ib_string(b, "Sample"), 0);
    IB_ROW(b, AssemblyRef, 4, 0, 0, 0, 0,
           IB_BLOB(b, 0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89), ib_string(b, "mscorlib"), 0,
           0);
    uint32_t text = ib_user_string(b, "text");
    IB_BODY(b, SAMPLE_NUMBER, 0x0A, 0x1D, 0x2A); /* ldc.i4.7; ret */
    IB_BODY(b, SAMPLE_TEXT, 0x1A, 0x72, (uint8_t)text, 0x00, 0x00, 0x70, 0x2A);
    /* .try { leave end } finally { endfinally } end: ldloc.0; ret */
    IB_BODY(b, SAMPLE_FAT, 0x1B, 0x30, 0x01, 0x00, 0x05, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x11,
            0xDE, 0x01, 0xDC, 0x06, 0x2A, 0x00, 0x00, 0x00, 0x01, 0x10, 0x00, 0x00, 0x02, 0x00,
            0x00, 0x00, 0x02, 0x02, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00);
    ib_data(b, ILP_FieldRVA, 1, ILP_FieldRVA_RVA, "\x2A\0\0\0", 4);
}

/* An inspector: the smallest assembly that ilp_inspector_open() takes. */
static inline void ib_inspector(struct ib_image *b)
{
    IB_ROW(b, Module, 0, ib_string(b, "Inspector.dll"), ib_guid(b, 0x11), 0, 0);
    IB_ROW(b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), ib_string(b, "Object"),
           ib_string(b, "System"));
    IB_ROW(b, TypeDef, 0, ib_string(b, "<Module>"), 0, 0, 1, 1);
    IB_ROW(b, TypeDef, 0x100181, ib_string(b, "Inspector"), ib_string(b, "Test"),
           ILP_TOKEN(ILP_TypeRef, 1), 1, 1);
    IB_ROW(b, MethodDef, 0, 0, 0x96, ib_string(b, "MyInspector"),
           IB_BLOB(b, 0x00, 0x02, 0x01, 0x1C, 0x0E), 1);
    IB_ROW(b, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, ib_string(b, "Inspector"), 0);
    IB_ROW(b, AssemblyRef, 4, 0, 0, 0, 0,
           IB_BLOB(b, 0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89), ib_string(b, "mscorlib"), 0,
           0);
    IB_BODY(b, 1, 0x06, 0x2A);
}

#endif
