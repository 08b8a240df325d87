/* See output.h. */
#include "profiler/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text_out.h"
#include "tool.h"

static int descriptor = STDERR_FILENO;

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
    int opened = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (opened >= 0) {
        descriptor = opened;
    } else {
        tell("%s: cannot write: %s; values go to standard error", file, strerror(errno));
    }
    free(file);
}

void output_line(const char *bytes, size_t size)
{
    int before = errno;
    while (size != 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            break;
        }
    }
    errno = before;
}
