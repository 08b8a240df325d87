/* A program that is started, gets the signals that are sent to us alone, and is waited for. */
#ifndef CHILD_H
#define CHILD_H

#include "host/profiler_environment.h"

struct child {
    /* NULL: the first argument, looked for in PATH, which a shell may read */
    const char *path;
    char *found;                       /* where it was found there; NULL: nowhere */
    char **arguments;                  /* NULL after the last */
    const struct variables *variables; /* set besides the environment that is there */
};

/* Runs it to its end: its exit code, or 128 and the number of the signal that ended it. *error is
 * errno when it could not be started, else 0. One at a time. */
int child_run(const struct child *child, int *error);

#endif
