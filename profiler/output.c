/* See output.h. */
#include "profiler/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/file_limit.h"
#include "profiler/line_buffer.h"
#include "profiler/status.h"
#include "host/line_ring.h"
#include "host/output_place.h"
#include "host/profiler_environment.h"
#include "host/text_out.h"
#include "host/tool.h"

static int descriptor = STDERR_FILENO;

/* It is a command's, which may be slow, stopped or gone: no thread waits for it, and its end is no
 * failure. */
static bool is_given;
static struct line_ring *given_ring;
static atomic_bool is_over;

/* Else it may be a pipe, whose reader may leave. */
static bool is_file;

/* A line was written in part, and the next one must not be taken for the rest of it. */
static atomic_bool is_cut;

/* How much was written; less than all: errno says why. */
static size_t write_all(const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(descriptor, bytes + done, size - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (errno == EAGAIN && !is_given) {
            poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            break;
        }
    }
    return done;
}

static uint32_t lines_in(const char *bytes, size_t size)
{
    uint32_t lines = 0;
    for (const char *at = bytes; (at = memchr(at, '\n', size - (size_t)(at - bytes))); at++) {
        lines++;
    }
    return lines;
}

/* Whole lines, one or many. */
static void write_lines(const char *bytes, size_t size)
{
    static const char rest[] = "...\n";
    if (atomic_load_explicit(&is_cut, memory_order_relaxed) &&
        write_all(rest, sizeof rest - 1) == sizeof rest - 1) {
        atomic_store(&is_cut, false);
    }
    size_t written = write_all(bytes, size);
    if (written == size) {
        return;
    }
    int error = errno;
    if (written != 0 && bytes[written - 1] != '\n') {
        atomic_store(&is_cut, true);
    }
    if (is_given && error == EPIPE) {
        atomic_store(&is_over, true);
    } else {
        shared_counters_lose(status_slot(), lines_in(bytes + written, size - written), error);
    }
}

/* From the buffer. */
static void write_buffered(const char *bytes, size_t size)
{
    struct file_limit limit;
    file_limit_hold(&limit, !is_file);
    write_lines(bytes, size);
    file_limit_release(&limit);
}

/* One after the other, for whoever watches. */
static void write_at_once(const char *bytes, size_t size)
{
    struct file_limit limit;
    file_limit_hold_often(&limit, !is_file);
    write_lines(bytes, size);
    file_limit_release(&limit);
}

/* A byte for each time that the command waits, which takes no more room than a pipe has; nor would
 * the pipe wait. */
static void put_in_ring(const char *bytes, size_t size)
{
    struct file_limit limit;
    switch (line_ring_put(given_ring, bytes, size)) {
    case LINE_PUT: break;
    case LINE_PUT_WAKE:
        file_limit_hold_often(&limit, true);
        (void)!write(descriptor, "", 1);
        file_limit_release(&limit);
        break;
    case LINE_NO_ROOM: shared_counters_lose(status_slot(), 1, EAGAIN); break;
    }
}

void output_line(const char *bytes, size_t size)
{
    int before = errno;
    if (atomic_load_explicit(&is_over, memory_order_relaxed)) {
        return;
    }
    if (given_ring) {
        put_in_ring(bytes, size);
    } else if (!line_buffer_put(bytes, size)) {
        write_at_once(bytes, size);
    }
    errno = before;
}

/* ---- which file it is ---- */

void output_open(const char *path)
{
    if (!path || path[0] == '\0') {
        return;
    }
    char *file = path_of_process(path, getpid());
    const char *kind = output_place_kind(file, false);
    int begin = variable_is_on(ENV_CHILDREN) ? 0 : O_TRUNC;
    int opened = kind ? -1 : open(file, O_WRONLY | O_CREAT | begin | O_APPEND | O_CLOEXEC, 0600);
    if (opened >= 0) {
        struct stat info;
        bool known = fstat(opened, &info) == 0;
        descriptor = opened;
        is_file = known && S_ISREG(info.st_mode);
        if (is_file || (known && S_ISCHR(info.st_mode) && !isatty(opened))) {
            line_buffer_open(getenv(ENV_LINES), opened, write_buffered);
        }
    } else {
        tell("%s: cannot write: %s%s; values go to standard error", file,
             kind ? "a file of this name is " : "", kind ? kind : strerror(errno));
    }
    free(file);
}

void output_give(int file, struct line_ring *ring)
{
    is_given = file >= 0;
    is_file = false;
    given_ring = ring;
    descriptor = is_given ? file : STDERR_FILENO;
}

bool output_never_waits(void)
{
    return given_ring != NULL;
}

int output_file(void)
{
    return descriptor;
}

bool output_is_over(void)
{
    return atomic_load_explicit(&is_over, memory_order_relaxed);
}

/* A thread may be writing: the descriptor must not become another file's. */
void output_end(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    atomic_store(&is_over, true);
    if (is_given && nothing >= 0) {
        dup3(nothing, descriptor, O_CLOEXEC);
    }
    if (nothing >= 0) {
        close(nothing);
    }
}

void output_flush(bool waits)
{
    line_buffer_end(waits);
}

void output_forget(void)
{
    line_buffer_forget();
}

void output_close(void)
{
    line_buffer_close();
    if (given_ring) {
        line_ring_unmap(given_ring);
    }
    if (is_given) {
        close(descriptor);
        output_give(-1, NULL);
    }
}
