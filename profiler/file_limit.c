/* Blocks signals about writes. See file_limit.h. The kernel sends them to the writing thread, so it
 * is enough that this thread blocks them: other threads and the program's handlers are not
 * affected.
 *
 *   hold:     block SIGXFSZ, SIGPIPE          the write fails with EFBIG or EPIPE
 *   release:  sigtimedwait() with no time     takes the signal that the write has left pending
 *             the old mask
 *
 * Signals that the program blocks itself are not taken: one that is pending may be its own. */
#include "profiler/file_limit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/* As in most runtimes. */
static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* The signals that can end a writing program: bits. */
enum { LIMITED = 1, BROKEN_PIPE = 2, DANGERS = LIMITED | BROKEN_PIPE };

/* Without a limit, and with SIGPIPE ignored, a write needs no more system calls than these two. */
static unsigned find_dangers(bool is_pipe)
{
    struct rlimit size;
    bool is_limited = getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY;
    return (is_limited ? LIMITED : 0) | (is_pipe && !is_ignored(SIGPIPE) ? BROKEN_PIPE : 0);
}

/* Cached together with the time, which is never 0. */
static unsigned known_dangers(bool is_pipe)
{
    enum { LIFE_MS = 100 };
    static _Atomic uint64_t kept;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    uint64_t now = (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000 + 1;
    uint64_t known = atomic_load_explicit(&kept, memory_order_relaxed);
    if (known == 0 || now - known / (DANGERS + 1) >= LIFE_MS) {
        known = now * (DANGERS + 1) | find_dangers(true);
        atomic_store_explicit(&kept, known, memory_order_relaxed);
    }
    return (unsigned)known & (is_pipe ? (unsigned)DANGERS : (unsigned)LIMITED);
}

static void hold(struct file_limit *limit, unsigned dangers)
{
    limit->held = dangers != 0;
    if (limit->held) {
        sigemptyset(&limit->signals);
        if ((dangers & LIMITED) != 0) {
            sigaddset(&limit->signals, SIGXFSZ);
        }
        if ((dangers & BROKEN_PIPE) != 0) {
            sigaddset(&limit->signals, SIGPIPE);
        }
        pthread_sigmask(SIG_BLOCK, &limit->signals, &limit->before);
    }
}

void file_limit_hold(struct file_limit *limit, bool is_pipe)
{
    int error = errno;
    hold(limit, find_dangers(is_pipe));
    errno = error;
}

void file_limit_hold_often(struct file_limit *limit, bool is_pipe)
{
    int error = errno;
    hold(limit, known_dangers(is_pipe));
    errno = error;
}

/* Signals that were pending before are not removed. */
void file_limit_release(const struct file_limit *limit)
{
    int error = errno;
    sigset_t raised;
    if (limit->held) {
        sigemptyset(&raised);
        const int numbers[] = {SIGXFSZ, SIGPIPE};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            if (sigismember(&limit->signals, numbers[i]) &&
                !sigismember(&limit->before, numbers[i])) {
                sigaddset(&raised, numbers[i]);
            }
        }
        while (sigtimedwait(&raised, NULL, &(struct timespec){0}) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
    }
    errno = error;
}
