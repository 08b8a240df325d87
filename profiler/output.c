/* Writes values, to a file, standard error, or the rings of commands. See output.h. errno is kept:
 * values are written inside the program's own code, between its calls and their checks of errno.
 *
 *   output_line() -> is_over: dropped
 *     -> uses_sinks: put into the ring of each command; without room it is lost, and counted
 *     -> line_buffer_put(): if there is a buffer; a thread of its own writes
 *     -> write_at_once()
 *
 * A descriptor that a thread may be using is never closed, as its number could become a file of the
 * program's: dup3() makes it /dev/null, or the next command's. */
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
#include "host/process.h"
#include "host/profiler_environment.h"
#include "host/standard_streams.h"
#include "host/text_out.h"
#include "host/tool.h"

static int descriptor = STDERR_FILENO;

/* It belongs to a command, which may be slow, stopped or gone: no thread waits for it, and its end
 * is not a failure. */
static bool is_given;
static int given = -1; /* its descriptor, whatever it refers to now; -1: none yet */
static atomic_bool is_over;

/* Rings for commands. A sink stays when its command has gone, for the next one. */
struct sink {
    struct line_ring *ring; /* NULL: never used */
    int file;               /* of the ring */
    int pipe;
    bool is_own; /* the ring is the current command's own */
    atomic_bool is_used;
};
static struct sink sinks[OUTPUT_SINKS];

/* Lines go to sinks; to none when all commands have gone, while threads still have lines. */
static atomic_bool uses_sinks;

/* Otherwise it may be a pipe, whose reader may disappear. */
static bool is_file;

/* A line was written partially, and must be ended before the next one. */
static atomic_bool is_cut;

/* The number of bytes written; if less than all, see errno. A full pipe that does not block is
 * waited for, unless it is a command's. */
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

/* Whole lines, one or many. One that was cut is ended by "..." before the next, or the two would be
 * read as one. */
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

/* Line by line, for someone watching. */
static void write_at_once(const char *bytes, size_t size)
{
    struct file_limit limit;
    file_limit_hold_often(&limit, !is_file);
    write_lines(bytes, size);
    file_limit_release(&limit);
}

/* Wakes a waiting command by one byte, so a pipe never fills up; nor would it block. */
static bool put_in_ring(const struct sink *sink, const char *bytes, size_t size)
{
    struct file_limit limit;
    enum line_put put = line_ring_put(sink->ring, bytes, size);
    if (put == LINE_PUT_WAKE) {
        file_limit_hold_often(&limit, true);
        (void)!write(sink->pipe, "", 1);
        file_limit_release(&limit);
    }
    return put != LINE_NO_ROOM;
}

/* errno is restored: this runs in the program's threads, between its own calls. */
void output_line(const char *bytes, size_t size)
{
    int before = errno;
    if (atomic_load_explicit(&is_over, memory_order_relaxed)) {
        return;
    }
    if (output_never_waits()) {
        uint32_t lost = 0;
        for (size_t i = 0; i < OUTPUT_SINKS; i++) {
            if (atomic_load_explicit(&sinks[i].is_used, memory_order_acquire)) {
                lost += !put_in_ring(&sinks[i], bytes, size);
            }
        }
        if (lost != 0) {
            shared_counters_lose(status_slot(), lost, EAGAIN);
        }
    } else if (!line_buffer_put(bytes, size)) {
        write_at_once(bytes, size);
    }
    errno = before;
}

/* ---- choosing the file ---- */

/* Whether the file may have lines of others. `ilpatch run` empties one that is known to it, and may
 * then start several programs, one after another (bash -c 'dotnet A.dll; dotnet B.dll'). */
static bool is_shared(const char *path)
{
    const char *output = getenv(ENV_RUN_OUTPUT);
    bool has_command = output && output[0] != '\0' && getenv(ENV_STATUS);
    return variable_is_on(ENV_CHILDREN) || (has_command && !strstr(path, "%p"));
}

/* The program writes there, too: the offset is the same, so neither overwrites the other's
 * lines. */
static bool open_stream(const char *file)
{
    int stream = standard_stream_at(file);
    int opened = stream >= 0 ? fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    descriptor = opened >= 0 ? opened : descriptor;
    return opened >= 0;
}

static void open_file(const char *path, const char *file)
{
    const char *kind = output_place_kind(file, false);
    int begin = is_shared(path) ? 0 : O_TRUNC;
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
        report_message("%s: cannot write: %s%s; values go to standard error", file,
                       kind ? "a file of this name is " : "", kind ? kind : strerror(errno));
    }
}

void output_open(const char *path)
{
    if (!path || path[0] == '\0') {
        return;
    }
    char *file = path_of_process(path, getpid());
    if (!open_stream(file)) {
        open_file(path, file);
    }
    free(file);
}

int output_file(void)
{
    return descriptor;
}

/* ---- attached commands ---- */

/* A thread may be writing to the descriptor: its number must not be reused, so it is redirected. */
static void close_softly(int file)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) {
        dup3(nothing, file, O_CLOEXEC);
        close(nothing);
    }
}

/* The inverse; returns the descriptor in use. */
static int reopen(int old, int file)
{
    if (old < 0) {
        return file;
    }
    dup3(file, old, O_CLOEXEC);
    close(file);
    return old;
}

void output_give(int file)
{
    is_file = false;
    is_given = file >= 0;
    given = is_given ? reopen(given, file) : given;
    atomic_store(&uses_sinks, false);
    atomic_store(&is_cut, false); /* of another file */
    descriptor = is_given ? given : STDERR_FILENO;
}

bool output_never_waits(void)
{
    return atomic_load_explicit(&uses_sinks, memory_order_relaxed);
}

/* Unread lines are not for the next reader. */
static void empty_ring(struct line_ring *ring)
{
    line_ring_take(ring, atomic_load(&ring->head));
}

/* One that was used before, and was made by this one's user: other users may not open it. */
static bool has_free_ring(const struct sink *sink, int lines)
{
    struct stat own, other;
    return sink->ring && !atomic_load(&sink->is_used) && fstat(sink->file, &own) == 0 &&
           fstat(lines, &other) == 0 && own.st_uid == other.st_uid;
}

/* A ring is used again by the same reader, else a sink without a ring is taken. */
static struct sink *find_sink(int lines)
{
    for (size_t i = 0; i < OUTPUT_SINKS; i++) {
        if (has_free_ring(&sinks[i], lines)) {
            return &sinks[i];
        }
    }
    for (size_t i = 0; i < OUTPUT_SINKS; i++) {
        if (!sinks[i].ring) {
            return &sinks[i];
        }
    }
    return NULL;
}

/* A command that comes back with the same memory gets its ring again, emptied. */
int output_add(int pipe, int lines)
{
    struct sink *sink = find_sink(lines);
    bool is_new = sink && !sink->ring;
    if (is_new) {
        sink->ring = line_ring_join(lines, NULL);
    }
    if (!sink || !sink->ring) {
        close(pipe);
        close(lines);
        return -1;
    }
    if (is_new) {
        *sink = (struct sink){.ring = sink->ring, .file = lines, .pipe = pipe};
    } else {
        close(lines);
        sink->pipe = reopen(sink->pipe, pipe);
        empty_ring(sink->ring);
    }
    sink->is_own = is_new;
    atomic_store_explicit(&sink->is_used, true, memory_order_release);
    atomic_store(&uses_sinks, true);
    return (int)(sink - sinks);
}

int output_ring(int sink)
{
    return sinks[sink].is_own ? -1 : sinks[sink].file;
}

/* Its ring stays mapped: a thread may be putting a line into it. */
void output_remove(int sink)
{
    if (atomic_exchange(&sinks[sink].is_used, false)) {
        close_softly(sinks[sink].pipe);
    }
}

/* Waits until the deadline, unlike output_line(): for the thread that serves commands. */
bool output_line_to(int sink, const char *bytes, size_t size, struct deadline until)
{
    enum { ROOM_PACE_MS = 1 };
    const struct sink *to = &sinks[sink];
    if (!atomic_load_explicit(&to->is_used, memory_order_acquire)) {
        return false;
    }
    bool put = put_in_ring(to, bytes, size);
    while (!put && deadline_left(until) != 0) {
        process_pause(ROOM_PACE_MS);
        put = put_in_ring(to, bytes, size);
    }
    if (!put) {
        shared_counters_lose(status_slot(), 1, EAGAIN);
    }
    return put;
}

bool output_is_over(void)
{
    return atomic_load_explicit(&is_over, memory_order_relaxed);
}

void output_pause(void)
{
    atomic_store(&is_over, true);
}

void output_end(void)
{
    output_pause();
    for (int i = 0; i < OUTPUT_SINKS; i++) {
        output_remove(i);
    }
    if (is_given) {
        close_softly(given);
    }
}

void output_resume(void)
{
    atomic_store(&is_over, false);
}

void output_flush(bool waits)
{
    line_buffer_end(waits);
}

void output_forget(void)
{
    line_buffer_forget();
}

/* Only here rings are unmapped. */
void output_close(void)
{
    line_buffer_close();
    for (int i = 0; i < OUTPUT_SINKS; i++) {
        output_remove(i);
        if (sinks[i].ring) {
            line_ring_unmap(sinks[i].ring);
            close(sinks[i].file);
            close(sinks[i].pipe);
            sinks[i].ring = NULL;
        }
    }
    if (given >= 0) {
        close(given);
        given = -1;
        is_given = false;
        descriptor = STDERR_FILENO;
    }
    atomic_store(&is_over, false);
}
