/* Runs a program from its start to its end. See child.h.
 *
 *   signals blocked -> posix_spawn() -> handlers that pass on -> unblocked -> waitid(WNOWAIT)
 *      -> handlers restored -> waitpid()
 *
 * Blocking first means that no signal arrives between the start of the program and the moment when
 * its number is known. WNOWAIT leaves the process as a zombie until the handlers are gone: its
 * number cannot be given to another process that would then get a signal of ours. */
#include "tools/launch/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/tool.h"

/* For the handler, so there is one program at a time. */
static pid_t running;

/* Signals sent only to us are passed on to the program. The terminal sends its signals to both.
 * SI_KERNEL is what the terminal's driver has sent to the whole process group: passed on, the
 * program would get it twice. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != SI_KERNEL) {
        kill(running, number);
    }
}

static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* ---- the start ---- */

/* An entry of the environment is NAME=VALUE; a prefix of a name is not the name. */
static bool sets(const struct variables *variables, const char *entry)
{
    bool found = false;
    for (size_t i = 0; i < variables->count && !found; i++) {
        const char *name = variables->items[i].name;
        size_t length = strlen(name);
        found = strncmp(entry, name, length) == 0 && entry[length] == '=';
    }
    return found;
}

/* Our environment with the variables: their entries, which come first, are owned. An entry that the
 * variables replace is left out: with two of one name it depends on the program which one
 * counts. */
static char **environment_with(const struct variables *variables)
{
    size_t count = 0;
    while (environ[count]) {
        count++;
    }
    char **entries = need(new_items(variables->count + count + 1, sizeof *entries));
    size_t used = 0;
    for (size_t i = 0; i < variables->count; i++) {
        const struct variable *variable = &variables->items[i];
        entries[used++] = need(format_text("%s=%s", variable->name, variable->value));
    }
    for (size_t i = 0; i < count; i++) {
        if (!sets(variables, environ[i])) {
            entries[used++] = environ[i];
        }
    }
    return entries;
}

static void free_environment(char **entries, const struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        free(entries[i]);
    }
    free(entries);
}

/* Restores the signals we were started with: `mask` is the earlier mask. SIGXFSZ is ignored in this
 * program only (main()). */
static int set_signals(posix_spawnattr_t *how, const sigset_t *mask)
{
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGXFSZ); /* as before main() */
    int error = posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error = error == 0 ? posix_spawnattr_setsigmask(how, mask) : error;
    return error == 0 ? posix_spawnattr_setsigdefault(how, &usual) : error;
}

/* As in execvp(), the shell runs a file that the system does not recognise. A script without "#!"
 * has no interpreter for the kernel (ENOEXEC). */
static int spawn_shell(const struct child *child, const posix_spawnattr_t *how, char **environment)
{
    static char shell[] = "/bin/sh";
    size_t count = 0;
    while (child->arguments[count]) {
        count++;
    }
    char **arguments = need(new_items(count + 2, sizeof *arguments));
    arguments[0] = shell;
    memcpy(arguments + 1, child->arguments, count * sizeof *arguments);
    if (!strchr(arguments[1], '/')) {
        arguments[1] = child->found;
    }
    int error = arguments[1] ? posix_spawn(&running, shell, NULL, how, arguments, environment)
                             : ENOENT;
    free(arguments);
    return error;
}

/* Starts it without fork(), which would copy this process. The result is errno. `path` is for a
 * file that a shell must not run; otherwise the name is searched in PATH as a shell would do it. */
static int start(const struct child *child, const sigset_t *mask)
{
    posix_spawnattr_t how;
    int error = posix_spawnattr_init(&how);
    if (error != 0) {
        return error;
    }
    char **environment = environment_with(child->variables);
    error = set_signals(&how, mask);
    if (error == 0 && child->path) {
        error = posix_spawn(&running, child->path, NULL, &how, child->arguments, environment);
    } else if (error == 0) {
        error = posix_spawnp(&running, child->arguments[0], NULL, &how, child->arguments,
                             environment);
        error = error == ENOEXEC ? spawn_shell(child, &how, environment) : error;
    }
    free_environment(environment, child->variables);
    posix_spawnattr_destroy(&how);
    return error;
}

/* ---- its end ---- */

/* After the program's end signals are ours again, before its number can be reused. */
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
    signal(TRACE_SIGNAL, SIG_IGN); /* sent by name, it reaches us, too */
    /* without a reader for messages, reports are still written */
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

/* Signals are blocked until there is a process to pass them to. */
int child_run(const struct child *child, int *error)
{
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    fflush(stdout);
    *error = start(child, &mask);
    if (*error != 0) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        return *error == EAGAIN || *error == ENOMEM ? EXIT_CANNOT_WRITE : EXIT_BAD_INPUT;
    }
    return wait_for_end(&mask);
}
