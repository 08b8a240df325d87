/* Loaded in front of the C library: from the program's first line of output on, getrusage() sleeps.
 * Hooks that are watched call it, so they sleep, then. */
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int output_seen;

ssize_t write(int file, const void *bytes, size_t size)
{
    if (memmem(bytes, size, " pays ", 6)) {
        /* the runtime writes to a duplicate of standard output */
        atomic_store(&output_seen, 1);
    }
    return syscall(SYS_write, file, bytes, size);
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    if (atomic_load(&output_seen)) {
        struct timespec millisecond = {0, 1000000};
        syscall(SYS_nanosleep, &millisecond, NULL);
    }
    return (int)syscall(SYS_getrusage, who, usage);
}
