/* Preloaded into the command: the N-th allocation of its first thread fails (NO_MEMORY_OF_FIRST=N), or of those that it starts
 * (NO_MEMORY=N), but for those of the dynamic linker, since what cannot be loaded is done without, and of libcrypto, which crashes itself
 * then (OpenSSL 3.0). No thread but the first may run exit handlers, since libraries free in theirs what others still use. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static atomic_long count;

static int is_first(void)
{
    return syscall(SYS_gettid) == getpid();
}

static int fails(const void *caller)
{
    Dl_info library;
    const char *wanted = getenv(is_first() ? "NO_MEMORY_OF_FIRST" : "NO_MEMORY");
    return wanted && dladdr(caller, &library) && !strstr(library.dli_fname, "libcrypto") &&
           !strstr(library.dli_fname, "/ld-") && ++count == atol(wanted);
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

__attribute__((destructor)) static void exits(void)
{
    if (!is_first()) {
        abort();
    }
}
