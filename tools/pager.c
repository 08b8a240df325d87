/* Runs the pager of the user as git does: see pager.h.
 *
 * A user who leaves it early has seen enough: the next write ends the program with exit code 0, not
 * by SIGPIPE, whose exit code scripts and prompts would show as a failure. Ctrl-C is for the pager.
 * LESS=FRX, if the user has not set it: less ends at once if all fits on the screen, passes colours
 * on and leaves the text there. */
#include "tools/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/memory.h"
#include "host/message.h"
#include "tools/tool.h"

enum { NOT_FOUND = 127 /* the shell's exit code */ };

static pid_t pager;         /* for the handler of a signal */
static int terminal;        /* what standard output was */
static const char *command; /* borrowed from the environment */

/* Only less is looked for: what the user has set is the shell's to find. */
static bool less_is_installed(void)
{
    const char *path = getenv("PATH");
    bool found = false;
    while (path && *path != '\0' && !found) {
        size_t size = strcspn(path, ":");
        char *file = format_text("%.*s/less", (int)size, path);
        need(file);
        found = access(file, X_OK) == 0;
        free(file);
        path += size;
        path += *path == ':';
    }
    return found;
}

static const char *chosen_pager(void)
{
    const char *set = getenv("PAGER");
    if (set) {
        return set[0] != '\0' && strcmp(set, "cat") != 0 ? set : NULL;
    }
    return less_is_installed() ? "less" : NULL;
}

/* The pager's exit code; its own ones are of no interest. */
static int wait_for_pager(void)
{
    int status = 0;
    while (waitpid(pager, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* Only what is allowed in a handler. */
static void end_early(int number)
{
    (void)number;
    _exit(wait_for_pager() == NOT_FOUND ? EXIT_CANNOT_WRITE : EXIT_DONE);
}

static _Noreturn void run_pager(int input)
{
    dup2(input, STDIN_FILENO);
    close(input);
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(NOT_FOUND);
}

bool pager_begin(void)
{
    int ends[2];
    command = isatty(STDOUT_FILENO) ? chosen_pager() : NULL;
    terminal = command ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (terminal < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    fflush(stdout);
    pager = fork();
    if (pager == 0) {
        run_pager(ends[0]);
    }
    close(ends[0]);
    if (pager > 0) {
        signal(SIGPIPE, end_early);
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        dup2(ends[1], STDOUT_FILENO);
    }
    close(ends[1]);
    return pager > 0;
}

bool pager_end(void)
{
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    int code = wait_for_pager();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    if (code == NOT_FOUND) {
        report_message("cannot start the pager '%s': set PAGER, or pass --no-pager", command);
    }
    return code != NOT_FOUND;
}
