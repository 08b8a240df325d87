/* What is read of ELF files: for which processor they are, and by which versions of symbols the
 * dynamic loader decides whether a library can be loaded (GNU's .gnu.version_r and
 * .gnu.version_d). */
#ifndef LAUNCH_ELF_H
#define LAUNCH_ELF_H

#include <stdbool.h>

#include "ilpatch.h"

/* Class and machine of an ELF file; false: it is none, or cannot be read. */
bool elf_kind(const char *path, unsigned *elf_class, unsigned *machine);

/* "x64" */
const char *elf_machine_name(unsigned elf_class, unsigned machine);

/* A version of glibc: GLIBC_2.34. */
struct glibc_version {
    unsigned major, minor; /* both 0: none */
};

bool glibc_version_is_before(struct glibc_version a, struct glibc_version b);

/* The highest version of glibc that a library needs, and that glibc's own file has. False: it is
 * not an ELF file of this machine's form, or a part of it is not where it should be. */
bool elf_needs_glibc(struct ilp_bytes file, struct glibc_version *highest);
bool elf_has_glibc(struct ilp_bytes file, struct glibc_version *highest);

#endif
