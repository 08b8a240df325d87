/* Writes past a limit on the size of files, and into a pipe that has no reader, fail and end
 * nothing: at once by file_limit_hold(), a moment after the limit was set by
 * file_limit_hold_often(). Signals that the program has blocked and raised itself stay its own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/file_limit.h"

/* In a copy of this process, which a signal may end. */
static void check_in_copy(int (*play)(void))
{
    int status;
    pid_t copy = fork();
    if (copy == 0) {
        signal(SIGXFSZ, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        _exit(play());
    }
    assert_int_equal(waitpid(copy, &status, 0), copy);
    assert_int_equal(status, 0);
}

static int limited_file(void)
{
    FILE *file = tmpfile();
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4, 4});
    return fileno(file);
}

/* What the write fails with; 0: it does not. */
static int error_of(int file, void (*hold)(struct file_limit *limit, bool is_pipe))
{
    struct file_limit limit;
    errno = ENOTTY;
    hold(&limit, true);
    int kept = errno;
    int error = write(file, "12345678", 8) < 0 ? errno : 0;
    file_limit_release(&limit);
    return kept == ENOTTY ? error : -1;
}

static int write_at_once(void)
{
    int file = limited_file(), ends[2];
    if (error_of(file, file_limit_hold) != 0 || error_of(file, file_limit_hold) != EFBIG) {
        return 1; /* the first one writes a part */
    }
    return pipe(ends) == 0 && close(ends[0]) == 0 && error_of(ends[1], file_limit_hold) == EPIPE
               ? 0
               : 2;
}

static int write_often(void)
{
    int ends[2];
    struct file_limit limit;
    file_limit_hold_often(&limit, false);
    bool held = limit.held;
    file_limit_release(&limit);
    int file = limited_file();
    usleep(150 * 1000);
    if (held || error_of(file, file_limit_hold_often) != 0 ||
        error_of(file, file_limit_hold_often) != EFBIG) {
        return 1;
    }
    return pipe(ends) == 0 && close(ends[0]) == 0 &&
                   error_of(ends[1], file_limit_hold_often) == EPIPE
               ? 0
               : 2;
}

static int keep_signals(void)
{
    sigset_t blocked, pending;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    raise(SIGXFSZ);
    int error = error_of(limited_file(), file_limit_hold);
    sigpending(&pending);
    return error == 0 && sigismember(&pending, SIGXFSZ) ? 0 : 1;
}

static void test_at_once(void **state)
{
    (void)state;
    check_in_copy(write_at_once);
}

static void test_often(void **state)
{
    (void)state;
    check_in_copy(write_often);
}

static void test_signals_of_the_program(void **state)
{
    (void)state;
    check_in_copy(keep_signals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_once), cmocka_unit_test(test_often),
                                       cmocka_unit_test(test_signals_of_the_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
