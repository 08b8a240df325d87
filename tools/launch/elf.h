/* ELF files: the processor, and the symbol versions by which the dynamic loader decides whether a
 * library can be loaded (GNU's .gnu.version_r and .gnu.version_d). */
#ifndef LAUNCH_ELF_H
#define LAUNCH_ELF_H

#include <stdbool.h>

#include "ilpatch.h"

/* Class and machine of an ELF file; false: another kind, or not readable. */
bool elf_kind(const char *path, unsigned *elf_class, unsigned *machine);

/* "x64" */
const char *elf_machine_name(unsigned elf_class, unsigned machine);

/* A version of glibc: GLIBC_2.34. */
struct glibc_version {
    unsigned major, minor; /* both 0: none */
};

bool glibc_version_is_before(struct glibc_version a, struct glibc_version b);

/* The highest glibc version that a library needs, and that glibc's own file provides. False: it is
 * not an ELF file for this machine, or is malformed. */
bool elf_needs_glibc(struct ilp_bytes file, struct glibc_version *highest);
bool elf_has_glibc(struct ilp_bytes file, struct glibc_version *highest);

#endif
