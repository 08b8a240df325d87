/* Reads ELF files. See elf.h. From the gABI's chapters on the header and on sections, and the LSB's
 * on symbol versions.
 *
 *   header, e_shoff --> section headers --> SHT_GNU_verneed: versions that a file needs
 *                                          SHT_GNU_verdef:  versions that a library has
 *                          sh_link ------> the names of these
 *
 * Both are chains of records in one section, each with the distance to the next one; 0 ends a
 * chain. The bytes are another process's, so every record is a checked part of the section, and a
 * chain has a limit: with distances that wrap around it would have no end.
 *
 * Why versions: a library that needs GLIBC_2.34 is not loaded where libc.so.6 defines less, and the
 * loader's message appears only in the other process. */
#include "tools/launch/elf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "host/file_io.h"

enum {
    /* Offsets and values of the header. Those from E_SHOFF on are of Elf64_Ehdr: find_versions()
     * refuses other classes. */
    EI_CLASS = 4,
    EI_DATA = 5,
    E_MACHINE = 18,
    CLASS_64 = 2,
    DATA_LITTLE = 1,
    ELF_HEADER_BYTES = 64,
    E_SHOFF = 40,
    E_SHENTSIZE = 58,
    E_SHNUM = 60,
    ELF_SECTION_BYTES = 64,
    MOST_VERSIONS = 4096
};

#define SHT_GNU_VERDEF  0x6FFFFFFDu
#define SHT_GNU_VERNEED 0x6FFFFFFEu

/* ---- its kind ---- */

/* Only the first 20 bytes are needed, and they are the same in both classes; the byte order is the
 * file's. */
bool elf_kind(const char *path, unsigned *elf_class, unsigned *machine)
{
    static const uint8_t magic[] = {0x7F, 'E', 'L', 'F'};
    uint8_t head[E_MACHINE + 2];
    if (file_read_start(path, head, sizeof head) != sizeof head ||
        memcmp(head, magic, sizeof magic) != 0) {
        return false;
    }
    const uint8_t *at = head + E_MACHINE;
    *elf_class = head[EI_CLASS];
    *machine = head[EI_DATA] == 2 ? (unsigned)at[0] << 8 | at[1] : ilpi_load_u16(at);
    return true;
}

const char *elf_machine_name(unsigned elf_class, unsigned machine)
{
    static const struct {
        unsigned elf_class, machine; /* EI_CLASS, e_machine: EM_386, EM_X86_64, ... */
        const char *name;            /* as .NET's runtime identifiers have it */
    } machines[] = {{1, 3, "x86"},       {2, 62, "x64"},         {1, 40, "arm"},
                    {2, 183, "arm64"},   {2, 21, "ppc64le"},     {2, 22, "s390x"},
                    {2, 243, "riscv64"}, {2, 258, "loongarch64"}};
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (machines[i].elf_class == elf_class && machines[i].machine == machine) {
            return machines[i].name;
        }
    }
    return "another processor";
}

/* ---- symbol versions ---- */

/* A section with versions, and their string table. */
struct elf_versions {
    struct ilp_bytes bytes; /* the records; parts of the file, as the texts are */
    struct ilp_bytes texts; /* names, each ended by a NUL, by their offsets */
};

bool glibc_version_is_before(struct glibc_version a, struct glibc_version b)
{
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
}

/* A part of a span; empty if it is not inside. */
static struct ilp_bytes part_of(struct ilp_bytes whole, uint64_t offset, uint64_t size)
{
    bool within = offset <= whole.size && size <= whole.size - offset;
    return within ? (struct ilp_bytes){whole.data + offset, (size_t)size}
                  : (struct ilp_bytes){NULL, 0};
}

/* Empty, if it is not inside the file. index * 64 cannot overflow: e_shnum and sh_link have at most
 * 32 bits. */
static struct ilp_bytes section_header(struct ilp_bytes file, uint64_t index)
{
    uint64_t table = ilpi_load_u64(file.data + E_SHOFF);
    uint64_t offset = index * ELF_SECTION_BYTES;
    return table > file.size || offset > file.size - table
               ? (struct ilp_bytes){NULL, 0}
               : part_of(file, table + offset, ELF_SECTION_BYTES);
}

static struct ilp_bytes section_bytes(struct ilp_bytes file, struct ilp_bytes header)
{
    enum { SH_OFFSET = 24, SH_SIZE = 32 };
    return header.size == 0 ? header
                            : part_of(file, ilpi_load_u64(header.data + SH_OFFSET),
                                      ilpi_load_u64(header.data + SH_SIZE));
}

/* The first section of this type; the files that it is used for are 64-bit and little-endian. */
static bool find_versions(struct ilp_bytes file, uint32_t type, struct elf_versions *versions)
{
    enum { SH_TYPE = 4, SH_LINK = 40 };
    static const uint8_t magic[] = {0x7F, 'E', 'L', 'F'};
    if (file.size < ELF_HEADER_BYTES || memcmp(file.data, magic, sizeof magic) != 0 ||
        file.data[EI_CLASS] != CLASS_64 || file.data[EI_DATA] != DATA_LITTLE ||
        ilpi_load_u16(file.data + E_SHENTSIZE) != ELF_SECTION_BYTES) {
        return false;
    }
    for (unsigned i = 0; i < ilpi_load_u16(file.data + E_SHNUM); i++) {
        struct ilp_bytes header = section_header(file, i);
        if (header.size != 0 && ilpi_load_u32(header.data + SH_TYPE) == type) {
            uint32_t link = ilpi_load_u32(header.data + SH_LINK);
            versions->bytes = section_bytes(file, header);
            versions->texts = section_bytes(file, section_header(file, link));
            return versions->bytes.size != 0 && versions->texts.size != 0;
        }
    }
    return false;
}

/* Takes the name of a glibc version. GLIBC_PRIVATE and GLIBC_ABI_DT_RELR have no numbers. */
static void take_name(const struct elf_versions *versions, uint32_t offset,
                      struct glibc_version *highest)
{
    static const char prefix[] = "GLIBC_";
    size_t left = offset < versions->texts.size ? versions->texts.size - offset : 0;
    const char *name = (const char *)versions->texts.data + (left != 0 ? offset : 0);
    if (left == 0 || !memchr(name, '\0', left) || strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return;
    }
    char *dot;
    unsigned long major = strtoul(name + sizeof prefix - 1, &dot, 10);
    unsigned long minor = *dot == '.' ? strtoul(dot + 1, NULL, 10) : 0;
    struct glibc_version found = {(unsigned)(major & 0xFFFF), (unsigned)(minor & 0xFFFF)};
    if (found.major != 0 && glibc_version_is_before(*highest, found)) {
        *highest = found;
    }
}

/* Elf64_Verneed: vn_version, vn_cnt (2 bytes each), vn_file, vn_aux, vn_next (4 each); its
 * Elf64_Vernaux: vna_hash (4), vna_flags, vna_other (2 each), vna_name, vna_next (4 each). */
bool elf_needs_glibc(struct ilp_bytes file, struct glibc_version *highest)
{
    enum { VN_AUX = 8, VN_NEXT = 12, VNA_NAME = 8, VNA_NEXT = 12, NEED_BYTES = 16 };
    struct elf_versions versions;
    *highest = (struct glibc_version){0, 0};
    if (!find_versions(file, SHT_GNU_VERNEED, &versions)) {
        return false;
    }
    uint64_t at = 0, next = 1;
    for (unsigned count = 0; next != 0 && count < MOST_VERSIONS; at += next, count++) {
        struct ilp_bytes need = part_of(versions.bytes, at, NEED_BYTES);
        if (need.size == 0) {
            return false;
        }
        next = ilpi_load_u32(need.data + VN_NEXT);
        uint64_t name_at = at + ilpi_load_u32(need.data + VN_AUX), name_next = 1;
        for (; name_next != 0 && count < MOST_VERSIONS; name_at += name_next, count++) {
            struct ilp_bytes name = part_of(versions.bytes, name_at, NEED_BYTES);
            if (name.size == 0) {
                return false;
            }
            name_next = ilpi_load_u32(name.data + VNA_NEXT);
            take_name(&versions, ilpi_load_u32(name.data + VNA_NAME), highest);
        }
    }
    return highest->major != 0;
}

/* Elf64_Verdef: vd_version, vd_flags, vd_ndx, vd_cnt (2 bytes each), vd_hash, vd_aux, vd_next (4
 * each); its first Elf64_Verdaux names it: vda_name, vda_next (4 each). */
bool elf_has_glibc(struct ilp_bytes file, struct glibc_version *highest)
{
    enum { VD_AUX = 12, VD_NEXT = 16, DEFINED_BYTES = 20, DEFINED_NAME_BYTES = 8 };
    struct elf_versions versions;
    *highest = (struct glibc_version){0, 0};
    if (!find_versions(file, SHT_GNU_VERDEF, &versions)) {
        return false;
    }
    uint64_t at = 0, next = 1;
    for (unsigned count = 0; next != 0 && count < MOST_VERSIONS; at += next, count++) {
        struct ilp_bytes defined = part_of(versions.bytes, at, DEFINED_BYTES);
        struct ilp_bytes name = defined.size == 0
                                    ? defined
                                    : part_of(versions.bytes,
                                              at + ilpi_load_u32(defined.data + VD_AUX),
                                              DEFINED_NAME_BYTES);
        if (name.size == 0) {
            return false;
        }
        next = ilpi_load_u32(defined.data + VD_NEXT);
        take_name(&versions, ilpi_load_u32(name.data), highest);
    }
    return highest->major != 0;
}
