/* A file size limit (RLIMIT_FSIZE) ends a process that writes past it by SIGXFSZ, a pipe without a
 * reader by SIGPIPE. The profiler's writes must not end the program: between these two functions
 * such a write only fails, with EFBIG or EPIPE. */
#ifndef ILPI_FILE_LIMIT_H
#define ILPI_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct file_limit {
    bool held;
    sigset_t signals;
    sigset_t before;
};

/* For this thread; costs next to nothing without a limit, if it is not a pipe. All of them preserve
 * errno. */
void file_limit_hold(struct file_limit *limit, bool is_pipe);

/* The same for frequent writes: whether there is anything to block is checked every tenth of a
 * second, so a limit that the program sets itself is noticed by then. */
void file_limit_hold_often(struct file_limit *limit, bool is_pipe);

void file_limit_release(const struct file_limit *limit);

#endif
