/* Runs the pager of the user as git does: see pager.h.
 *
 * A user who leaves it early has seen enough: the next write ends the program with exit code 0, not
 * by SIGPIPE, whose exit code scripts and prompts would show as a failure. Ctrl-C is for the pager.
 * LESS=FRX, if the user has not set it: less ends at once if all fits on the screen, passes colours
 * on and leaves the text there. */
#include "tools/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/launch/find_program.h"
#include "tools/tool.h"

enum { NOT_FOUND = 127 /* the shell's exit code */ };

static pid_t pager;         /* for the handler of a signal */
static int terminal;        /* what standard output was */
static const char *command; /* borrowed from the environment */

/* Only less is looked for: what the user has set is the shell's to find. */
static bool less_is_installed(void)
{
    char *path = find_program("less");
    free(path);
    return path != NULL;
}

static const char *chosen_pager(void)
{
    const char *set = getenv("PAGER");
    if (set) {
        return set[0] != '\0' && strcmp(set, "cat") != 0 ? set : NULL;
    }
    return less_is_installed() ? "less" : NULL;
}

/* Waits; false, after a report, if it could not be started, which the shell has explained. Its own
 * exit codes are of no interest. Only what is allowed in a handler: signal() has no handler of ours
 * interrupt waitpid(). */
static bool wait_for_pager(void)
{
    static const char missing[] =
        "ilpatch: cannot start the pager: set PAGER, or pass --no-pager\n";
    int status = 0;
    bool ran = waitpid(pager, &status, 0) != pager || !WIFEXITED(status) ||
               WEXITSTATUS(status) != NOT_FOUND;
    if (!ran) {
        ssize_t written = write(STDERR_FILENO, missing, sizeof missing - 1);
        (void)written; /* the exit code says it, too */
    }
    return ran;
}

static void end_early(int number)
{
    (void)number;
    _exit(wait_for_pager() ? EXIT_DONE : EXIT_CANNOT_WRITE);
}

/* With LESS in our own environment, because the program starts nothing else. */
static bool start_pager(int input)
{
    static char shell[] = "/bin/sh";
    char *text = need(strdup(command));
    char *arguments[] = {"sh", "-c", text, NULL};
    posix_spawn_file_actions_t actions;
    setenv("LESS", "FRX", 0);
    bool started = posix_spawn_file_actions_init(&actions) == 0;
    if (started) {
        started = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0 &&
                  posix_spawn(&pager, shell, &actions, NULL, arguments, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
    }
    free(text);
    return started;
}

bool pager_begin(void)
{
    int ends[2];
    command = isatty(STDOUT_FILENO) ? chosen_pager() : NULL;
    /* a copy to go back to; above the standard descriptors, one of which may be closed */
    terminal = command ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (terminal < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    fflush(stdout);
    bool started = start_pager(ends[0]);
    close(ends[0]);
    if (started) {
        signal(SIGPIPE, end_early);
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        dup2(ends[1], STDOUT_FILENO);
    }
    close(ends[1]);
    return started;
}

bool pager_end(void)
{
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    bool ran = wait_for_pager();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    return ran;
}
