/* A limit on the size of files (RLIMIT_FSIZE) ends a process that writes past it by SIGXFSZ, a pipe
 * that nobody reads one that writes to it by SIGPIPE. What the profiler writes is not the
 * program's, so it must not end it: between these two such a write only fails, with EFBIG or
 * EPIPE. */
#ifndef ILPI_FILE_LIMIT_H
#define ILPI_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct file_limit {
    bool held;
    sigset_t signals;
    sigset_t before;
};

/* On this thread; costs next to nothing where there is no limit, and it is no pipe. All leave errno
 * as it was. */
void file_limit_hold(struct file_limit *limit, bool is_pipe);

/* The same for what is written often: whether there is anything to hold is looked up every tenth of
 * a second, and a limit that the program gives itself is known by then. */
void file_limit_hold_often(struct file_limit *limit, bool is_pipe);

void file_limit_release(const struct file_limit *limit);

#endif
