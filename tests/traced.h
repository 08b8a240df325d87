/* A command that is stopped at its system calls by ptrace(2), for programs of the tests. */
#ifndef TRACED_H
#define TRACED_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define NO_SUCH_CALL 99
#define FAILED       98

static inline void die(const char *what)
{
    perror(what);
    exit(FAILED);
}

/* Stopped before it runs; `prepare` (NULL: nothing) is done in the process itself, right before. */
static inline pid_t start(char **command, void (*prepare)(void))
{
    pid_t child = fork();
    if (child < 0) {
        die("fork");
    }
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
            die("ptrace");
        }
        raise(SIGSTOP);
        if (prepare) {
            prepare();
        }
        execvp(command[0], command);
        die(command[0]);
    }
    return child;
}

#endif
