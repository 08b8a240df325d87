/* elf.h for the PE format: the processor that a file is for. */
#include "tools/launch/elf.h"

#include <string.h>

#include "base/cursor.h"
#include "host/file_io.h"

/* The classes of elf.h, and the machines of the PE format. */
enum {
    CLASS_32 = 1,
    CLASS_64 = 2,
    X86 = 0x014C,
    X64 = 0x8664,
    ARM64 = 0xAA64,
    E_LFANEW = 0x3C,
    MACHINE_END = 4 + 2 /* of the PE header */
};

bool elf_kind(const char *path, unsigned *elf_class, unsigned *machine)
{
    uint8_t head[4096];
    size_t size = file_read_start(path, head, sizeof head);
    uint32_t at = size >= E_LFANEW + 4 && memcmp(head, "MZ", 2) == 0
                      ? ilpi_load_u32(head + E_LFANEW)
                      : UINT32_MAX;
    if (size < MACHINE_END || at > size - MACHINE_END || memcmp(head + at, "PE\0", 4) != 0) {
        return false;
    }
    *machine = ilpi_load_u16(head + at + 4);
    *elf_class = *machine == X86 ? CLASS_32 : CLASS_64;
    return true;
}

const char *elf_machine_name(unsigned elf_class, unsigned machine)
{
    (void)elf_class;
    return machine == X86     ? "x86"
           : machine == X64   ? "x64"
           : machine == ARM64 ? "arm64"
                              : "another processor";
}

bool glibc_version_is_before(struct glibc_version a, struct glibc_version b)
{
    (void)a;
    (void)b;
    return false;
}

bool elf_needs_glibc(struct ilp_bytes file, struct glibc_version *highest)
{
    (void)file;
    *highest = (struct glibc_version){0, 0};
    return false;
}

bool elf_has_glibc(struct ilp_bytes file, struct glibc_version *highest)
{
    return elf_needs_glibc(file, highest);
}
