/* A program that is started, gets signals that are sent only to us, and is waited for. */
#ifndef CHILD_H
#define CHILD_H

#include "host/profiler_environment.h"

struct child {
    /* NULL: the first argument, searched in PATH, possibly run by a shell */
    const char *path;
    char *found;                       /* where it was found in PATH; NULL: nowhere */
    char **arguments;                  /* NULL after the last */
    const struct variables *variables; /* added to the environment */
};

/* Runs it to its end: its exit code, or 128 plus the number of the signal that ended it. *error is
 * errno if it could not be started, else 0. One at a time. */
int child_run(const struct child *child, int *error);

#endif
