/* Loaded in front of the C library: from the program's first line of output on, the clock that the profiler's hooks read sleeps. So
 * do hooks, then. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int output_seen;

ssize_t write(int file, const void *bytes, size_t size)
{
    if (memmem(bytes, size, " pays ", 6)) { /* the runtime writes to a duplicate of standard output */
        atomic_store(&output_seen, 1);
    }
    return syscall(SYS_write, file, bytes, size);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    Dl_info caller;
    if (atomic_load(&output_seen) && dladdr(__builtin_return_address(0), &caller) != 0 &&
        strstr(caller.dli_fname, "ilpatch_profiler")) {
        struct timespec millisecond = {0, 1000000};
        syscall(SYS_nanosleep, &millisecond, NULL);
    }
    return (int)syscall(SYS_clock_gettime, clock, time);
}
