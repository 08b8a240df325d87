/* See file_limit.h. The kernel sends the signal to the thread that writes. */
#include "profiler/file_limit.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

void file_limit_hold(struct file_limit *limit)
{
    int error = errno;
    struct rlimit size;
    sigset_t signals;
    limit->held = getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY;
    if (limit->held) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &signals, &limit->before);
    }
    errno = error;
}

void file_limit_release(const struct file_limit *limit)
{
    int error = errno;
    sigset_t signals;
    if (limit->held && !sigismember(&limit->before, SIGXFSZ)) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGXFSZ);
        while (sigtimedwait(&signals, NULL, &(struct timespec){0}) == SIGXFSZ) {
        }
        pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
    }
    errno = error;
}
