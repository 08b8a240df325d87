/* The process of a program, from fork() to its end. See child.h. */
#include "tools/launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/tool.h"

static pid_t running;

/* What is sent to us alone goes on to the program. The terminal gives its signals to both. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != SI_KERNEL) {
        kill(running, number);
    }
}

static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* In the new process, which has the signals as we were given them: `mask` is of the time before. */
static void start(const struct child *child, const sigset_t *mask, int failure)
{
    for (size_t i = 0; i < child->variables->count; i++) {
        setenv(child->variables->items[i].name, child->variables->items[i].value, 1);
    }
    signal(SIGXFSZ, SIG_DFL); /* as it was before main() */
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (child->path) {
        execv(child->path, child->arguments);
    } else {
        execvp(child->arguments[0], child->arguments);
    }
    int error = errno;
    _exit(write(failure, &error, sizeof error) == sizeof error ? EXIT_BAD_INPUT
                                                               : EXIT_CANNOT_WRITE);
}

/* When the program has ended signals are our own again, before its number can be another one's. */
static int wait_for_end(const sigset_t *mask)
{
    enum { PASSED = sizeof passed / sizeof passed[0] };
    int status = 0;
    siginfo_t ended;
    struct sigaction before[PASSED],
        passing = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};
    for (size_t i = 0; i < PASSED; i++) {
        sigaction(passed[i], &passing, &before[i]);
    }
    signal(TRACE_SIGNAL, SIG_IGN); /* whoever sends it by name sends it to us, too */
    /* when no one reads what is reported, reports are written all the same */
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, mask, NULL);
    while (waitid(P_PID, (id_t)running, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    for (size_t i = 0; i < PASSED; i++) {
        sigaction(passed[i], &before[i], NULL);
    }
    while (waitpid(running, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* No signal comes before there is somebody to give it to. The pipe closes when the new process
 * becomes the program. */
int child_run(const struct child *child, int *error)
{
    int failure[2];
    sigset_t all, mask;
    *error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0) {
        *error = errno;
        return EXIT_CANNOT_WRITE;
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    fflush(stdout);
    running = fork();
    if (running == 0) {
        start(child, &mask, failure[1]);
    }
    *error = running < 0 ? errno : 0;
    close(failure[1]);
    int code = running < 0 ? EXIT_CANNOT_WRITE : wait_for_end(&mask);
    if (running > 0 && read(failure[0], error, sizeof *error) != sizeof *error) {
        *error = 0;
    }
    close(failure[0]);
    return code;
}
