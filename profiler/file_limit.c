/* See file_limit.h. The kernel sends the signal to the thread that writes. */
#include "profiler/file_limit.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

/* Most runtimes have it so. */
static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void file_limit_hold(struct file_limit *limit, bool is_pipe)
{
    int error = errno;
    struct rlimit size;
    is_pipe = is_pipe && !is_ignored(SIGPIPE);
    bool is_limited = getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY;
    limit->held = is_limited || is_pipe;
    if (limit->held) {
        sigemptyset(&limit->signals);
        sigaddset(&limit->signals, is_limited ? SIGXFSZ : SIGPIPE);
        sigaddset(&limit->signals, is_pipe ? SIGPIPE : SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &limit->signals, &limit->before);
    }
    errno = error;
}

/* Those that were blocked before are not ours to take. */
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
