/* Recognises files that are given in place of an assembly, so that a message can say what to do
 * instead. It looks at few bytes: the file may still be broken.
 *
 *   magic -> PE      -> with directory 14 (CLI): PE, an assembly
 *                    -> else as a program
 *         -> ELF, Mach-O -> as a program: signature of a bundle? -> BUNDLE, or APPHOST (offset 0)
 *                                         NativeAOT's section?   -> NATIVE_AOT
 *         -> others  -> the magic's kind */
#include "pe/file_kind.h"

#include <assert.h>

static const struct {
    const char *text;
    const char *advice;
} kinds[] = {
#define ILP_FILE_KIND(name, text, advice) [ILP_FILE_##name] = {text, advice},
#include "ilpatch/file_kinds.def"
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* ilpatch.h lists them in the order of the table. */
enum {
#define ILP_FILE_KIND(name, text, advice) FILE_KIND_POSITION_##name,
#include "ilpatch/file_kinds.def"
};
#define ILP_FILE_KIND(name, text, advice) \
    static_assert((int)ILP_FILE_##name == (int)FILE_KIND_POSITION_##name, #name);
#include "ilpatch/file_kinds.def"

const char *ilp_file_kind_text(enum ilp_file_kind kind)
{
    return (size_t)kind < KIND_COUNT ? kinds[kind].text : "";
}

const char *ilp_file_kind_advice(enum ilp_file_kind kind)
{
    return (size_t)kind < KIND_COUNT ? kinds[kind].advice : "";
}

/* ---- by the first bytes ---- */

struct magic {
    const char *bytes;
    uint8_t size;
    enum ilp_file_kind kind;
};

/* A longer magic precedes a shorter one that is its prefix. */
static const struct magic magics[] = {
    {"MZ", 2, ILP_FILE_PE},
    {"BSJB", 4, ILP_FILE_METADATA},
    {"\x7F"
     "ELF",
     4, ILP_FILE_ELF},
    {"\xCF\xFA\xED\xFE", 4, ILP_FILE_MACH_O},
    {"\xCE\xFA\xED\xFE", 4, ILP_FILE_MACH_O},
    {"\xCA\xFE\xBA\xBE", 4, ILP_FILE_MACH_O},
    {"\0asm", 4, ILP_FILE_WASM},
    {"WbIL", 4, ILP_FILE_WEBCIL},
    {"PK\3\4", 4, ILP_FILE_ZIP},
    {"PK\5\6", 4, ILP_FILE_ZIP},
    {"Microsoft C/C++ MSF 7.00", 24, ILP_FILE_WINDOWS_PDB},
    {"\x14\xA6\x7F\xFD\x23\x26\xE8\x45", 8, ILP_FILE_MDB},
    {"!<arch>\n", 8, ILP_FILE_ARCHIVE},
    {"XALZ", 4, ILP_FILE_COMPRESSED},
    {"<?xml", 5, ILP_FILE_XML},
    {"\xEF\xBB\xBF<?xml", 8, ILP_FILE_XML},
    {"#!", 2, ILP_FILE_SCRIPT},
};

static enum ilp_file_kind kind_by_magic(struct ilp_bytes bytes)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if (bytes.size >= magics[i].size &&
            memcmp(bytes.data, magics[i].bytes, magics[i].size) == 0) {
            return magics[i].kind;
        }
    }
    return ILP_FILE_UNKNOWN;
}

/* Searches the first `limit` bytes, so that a large file costs no more than a small one. */
static bool holds(struct ilp_bytes bytes, size_t limit, const char *text, size_t size)
{
    limit = bytes.size < limit ? bytes.size : limit;
    return limit != 0 && memmem(bytes.data, limit, text, size) != NULL;
}

/* ---- programs ---- */

/* SHA-256 of ".net core bundle": hosts find the offset of their bundle by it. */
static const uint8_t bundle_signature[32] = {
    0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38, 0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
    0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18, 0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE};

/* Hosts have a few megabytes of code before the signature; the files of a bundle may hold it,
 * too. */
#define MAX_HOST_BYTES ((size_t)64 << 20)

/* The eight bytes before the signature are the header's offset, 0 in a host without a bundle. The
 * first signature counts, since files of the bundle follow the host. */
uint64_t ilpi_bundle_header_place(struct ilp_bytes bytes)
{
    size_t limit = bytes.size < MAX_HOST_BYTES ? bytes.size : MAX_HOST_BYTES;
    const uint8_t *found =
        limit != 0 ? memmem(bytes.data, limit, bundle_signature, sizeof bundle_signature) : NULL;
    return found && found - bytes.data > 8 ? (uint64_t)(found - bytes.data) - 8 : 0;
}

/* The section names of a 64-bit little-endian ELF file, the only kind that .NET compiles to. In the
 * ELF header: 4 class (2: 64 bits), 5 byte order (1: little), 0x28 the section table, 0x3E the
 * index of the header of the names; in a section header of 64 bytes: 0x18 offset, 0x20 size. */
static struct ilp_bytes elf_section_names(struct ilp_bytes bytes)
{
    struct ilp_bytes none = {NULL, 0};
    if (bytes.size < 0x40 || bytes.data[4] != 2 || bytes.data[5] != 1) {
        return none;
    }
    uint64_t table = ilpi_load_u64(bytes.data + 0x28);
    uint64_t row = (uint64_t)ilpi_load_u16(bytes.data + 0x3E) * 64;
    if (table > bytes.size || row + 64 > bytes.size - table) {
        return none;
    }
    uint64_t offset = ilpi_load_u64(bytes.data + table + row + 0x18);
    uint64_t size = ilpi_load_u64(bytes.data + table + row + 0x20);
    return offset > bytes.size || size > bytes.size - offset
               ? none
               : (struct ilp_bytes){bytes.data + offset, (size_t)size};
}

/* The name of the section that NativeAOT puts its code into. Headers of PE and Mach-O have it near
 * the start. */
static bool is_native_aot(struct ilp_bytes bytes, enum ilp_file_kind kind)
{
    switch (kind) {
    case ILP_FILE_ELF: return holds(elf_section_names(bytes), SIZE_MAX, "\0__managedcode", 15);
    case ILP_FILE_MACH_O: return holds(bytes, 0x4000, "__managedcode", 13);
    default: return holds(bytes, 0x1000, ".managed", 8);
    }
}

static enum ilp_file_kind kind_of_program(struct ilp_bytes bytes, enum ilp_file_kind kind)
{
    uint64_t place = ilpi_bundle_header_place(bytes);
    if (place != 0) {
        return ilpi_load_u64(bytes.data + place) != 0 ? ILP_FILE_BUNDLE : ILP_FILE_APPHOST;
    }
    return is_native_aot(bytes, kind) ? ILP_FILE_NATIVE_AOT : kind;
}

static bool has_pe_signature(struct ilp_bytes bytes)
{
    uint32_t lfanew = bytes.size >= 0x40 ? ilpi_load_u32(bytes.data + 0x3C) : UINT32_MAX;
    return lfanew < bytes.size && bytes.size - lfanew >= 4 &&
           memcmp(bytes.data + lfanew, "PE\0\0", 4) == 0;
}

/* For files that pe_read.c has not accepted: a cursor reads it, and zeros mean that there is no
 * such directory. 110 and 94 are the bytes from after the magic to the directories in PE32+ and
 * PE32. */
struct ilpi_directory_entry ilpi_pe_directory(struct ilp_bytes bytes, enum ilpi_directory number)
{
    struct ilpi_directory_entry entry = {0, 0};
    if (!has_pe_signature(bytes)) {
        return entry;
    }
    struct ilpi_cursor at = ilpi_cursor_over(bytes, 0, "", NULL);
    ilpi_skip(&at, ilpi_load_u32(bytes.data + 0x3C));
    ilpi_skip(&at, 24); /* signature and COFF header */
    bool pe32_plus = ilpi_read_u16(&at) == 0x20B;
    ilpi_skip(&at, (pe32_plus ? 110 : 94) + (size_t)number * 8);
    entry.rva = ilpi_read_u32(&at);
    entry.size = ilpi_read_u32(&at);
    return entry;
}

/* By the first bytes, then by what makes a program of a kind a .NET one. Files are not read
 * completely: this is for choosing a message or a reader. */
enum ilp_file_kind ilp_file_kind_of(struct ilp_bytes bytes)
{
    enum ilp_file_kind kind = kind_by_magic(bytes);
    switch (kind) {
    case ILP_FILE_PE:
        if (!has_pe_signature(bytes)) {
            return ILP_FILE_UNKNOWN;
        }
        /* with a CLI header it is an assembly, whatever else it contains */
        return ilpi_pe_directory(bytes, ILPI_DIR_CLI).rva != 0
                   ? kind
                   : kind_of_program(bytes, ILP_FILE_NATIVE_PE);
    case ILP_FILE_ELF:
    case ILP_FILE_MACH_O: return kind_of_program(bytes, kind);
    case ILP_FILE_WASM:
        /* the second data segment is the file; its magic follows a few dozen bytes of code */
        return holds(bytes, 0x400, "WbIL", 4) ? ILP_FILE_WEBCIL_WASM : kind;
    default: return kind;
    }
}
