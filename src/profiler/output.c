/* See output.h. */
#include "profiler/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/file_limit.h"
#include "profiler/status.h"
#include "profiler_environment.h"
#include "text_out.h"
#include "tool.h"

static int descriptor = STDERR_FILENO;

/* A line was written in part, and the next one must not be taken for the rest of it. */
static atomic_bool is_cut;

char *path_of_process(const char *path)
{
    char *text = need(strdup(""));
    const char *mark;
    for (; (mark = strstr(path, "%p")) != NULL; path = mark + 2) {
        char *longer = format_text("%s%.*s%ld", text, (int)(mark - path), path, (long)getpid());
        free(text);
        text = longer;
    }
    char *whole = format_text("%s%s", text, path);
    free(text);
    return whole;
}

void output_open(const char *path)
{
    if (!path || path[0] == '\0') {
        return;
    }
    char *file = path_of_process(path);
    const char *children = getenv(ENV_CHILDREN);
    int begin = children && strcmp(children, "1") == 0 ? 0 : O_TRUNC;
    int opened = open(file, O_WRONLY | O_CREAT | begin | O_APPEND | O_CLOEXEC, 0666);
    if (opened >= 0) {
        descriptor = opened;
    } else {
        tell("%s: cannot write: %s; values go to standard error", file, strerror(errno));
    }
    free(file);
}

/* How much was written; less than all: errno says why. */
static size_t write_all(const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(descriptor, bytes + done, size - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            break;
        }
    }
    return done;
}

void output_line(const char *bytes, size_t size)
{
    static const char rest[] = "...\n";
    int before = errno;
    struct file_limit limit;
    file_limit_hold(&limit);
    if (atomic_load_explicit(&is_cut, memory_order_relaxed) && write_all(rest, sizeof rest - 1) == sizeof rest - 1) {
        atomic_store(&is_cut, false);
    }
    size_t written = write_all(bytes, size);
    if (written < size) {
        if (written != 0) {
            atomic_store(&is_cut, true);
        }
        board_lose(status_slot(), errno);
    }
    file_limit_release(&limit);
    errno = before;
}
