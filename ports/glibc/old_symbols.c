/* Functions that glibc has only since 2.30 to 2.34, built on those of older versions; part of a
 * build for these. See old_symbols.h. */
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "ports/glibc/old_symbols.h"

#define FROM_OLD(name) __asm__(".symver " #name "," #name "@GLIBC_" FIRST_GLIBC)

/* ---- 2.30 ---- */

__attribute__((visibility("hidden"))) ssize_t getdents64(int file, void *to, size_t size);

ssize_t getdents64(int file, void *to, size_t size)
{
    return syscall(SYS_getdents64, file, to, size);
}

/* ---- 2.33: inline functions before, over others that take the version of the struct ---- */

#if defined __aarch64__
enum { STRUCT_STAT = 0 };
#else
enum { STRUCT_STAT = 1 };
#endif
int __xstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int file, struct stat *status);
int __fxstatat(int version, int folder, const char *path, struct stat *status, int flags);
FROM_OLD(__xstat);
FROM_OLD(__lxstat);
FROM_OLD(__fxstat);
__asm__(".symver __fxstatat,__fxstatat@GLIBC_" GLIBC_2_4);

__attribute__((visibility("hidden"))) int stat(const char *path, struct stat *status)
{
    return __xstat(STRUCT_STAT, path, status);
}

__attribute__((visibility("hidden"))) int lstat(const char *path, struct stat *status)
{
    return __lxstat(STRUCT_STAT, path, status);
}

__attribute__((visibility("hidden"))) int fstat(int file, struct stat *status)
{
    return __fxstat(STRUCT_STAT, file, status);
}

__attribute__((visibility("hidden"))) int fstatat(int folder, const char *path, struct stat *status,
                                                  int flags)
{
    return __fxstatat(STRUCT_STAT, folder, path, status, flags);
}
