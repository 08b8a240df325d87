/* Recovers lines from rings. See left_lines.h.
 *
 *   ring of one process:   ... written | taken, being written to the file | lines | free ...
 *
 * A process that ended normally has emptied its ring. One that was killed left lines there, and
 * these are written to the same file by this command, in turn with the processes that still run
 * (host/line_output.h). */
#include "tools/launch/left_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/deadline.h"
#include "host/line_output.h"
#include "host/line_ring.h"
#include "host/process.h"
#include "host/profiler_environment.h"
#include "host/shared_counters.h"
#include "tools/tool.h"

enum { PATIENCE_MS = 2000, PAUSE_MS = 5 }; /* for stopped processes */

/* Opens the file that the process wrote to, not another one that has its name now. Readable, if
 * possible, to compare what is in it; a pipe or a file without that right is opened for writing
 * only. Device and inode were noted by the process when it opened the file. */
static int open_output(const struct line_ring *ring, const char *output)
{
    enum { ADDING = O_APPEND | O_NOCTTY | O_CLOEXEC | O_NONBLOCK };
    struct stat info;
    char *path = need(path_of_process(output, line_ring_process(ring)));
    int file = open(path, O_RDWR | ADDING);
    file = file < 0 && errno == EACCES ? open(path, O_WRONLY | ADDING) : file;
    free(path);
    if (file >= 0 &&
        (fstat(file, &info) != 0 || info.st_dev != ring->device || info.st_ino != ring->inode)) {
        close(file);
        errno = ESTALE;
        return -1;
    }
    return file;
}

/* `file` is -1 if it could not be opened, with errno. */
static struct lost_lines add(int file, const char *bytes, size_t size)
{
    struct lost_lines lost = {0};
    ssize_t written = 0;
    while (file >= 0 && size != 0 && ((written = write(file, bytes, size)) > 0 || errno == EINTR)) {
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    lost.error = size != 0 ? errno : 0;
    for (size_t i = 0; i < size; i++) {
        lost.count += bytes[i] == '\n';
    }
    return lost;
}

/* To what write_rest() writes. */
static int unfinished;

static void write_rest(const char *bytes, size_t size)
{
    add(unfinished, bytes, size);
}

/* A turn at a regular file: the others that still run may write to it, too. */
static void begin_turn(struct line_output *turn, int file, char *room, struct line_ring *first,
                       char *rings)
{
    struct stat info;
    bool takes_turns = rings && fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    unfinished = file;
    *turn = (struct line_output){.file = file,
                                 .write = write_rest,
                                 .rings = rings,
                                 .first = takes_turns ? first : NULL,
                                 .room = room};
    line_output_lock(turn);
}

/* A line that is half in the file already is completed: by begin_turn(), or here, if there was no
 * lock. The ring's position is given back whether the lines were written or lost, so that they are
 * counted once. */
static struct lost_lines write_left(struct line_ring *ring, const char *output,
                                    struct line_ring *first, char *rings)
{
    struct line_output turn = {.locked = false};
    uint64_t position = atomic_load(&ring->taken);
    char *bytes = need(malloc(LINE_RING_ROOM));
    int file = open_output(ring, output);
    if (file >= 0) { /* else errno says why */
        begin_turn(&turn, file, bytes, first, rings);
    }
    size_t size = line_ring_read(ring, &position, bytes, LINE_RING_ROOM, LINE_RING_LEFT);
    size_t before = file >= 0 ? line_output_written(file, ring, bytes, size) : 0;
    struct lost_lines lost = add(file, bytes + before, size - before);
    line_ring_take(ring, position);
    line_output_unlock(&turn);
    if (file >= 0) {
        close(file);
    }
    free(bytes);
    return lost;
}

/* Waits, since a running process writes its lines itself. One deadline for all rings. */
static void await_end(const struct line_ring *ring, struct deadline until)
{
    while (!line_ring_is_empty(ring) && line_ring_is_used(ring) && deadline_left(until) != 0) {
        process_pause(PAUSE_MS);
    }
}

/* Maps the rings that processes have used and closes them; returns their number. Rings are used in
 * order, so the first without a process ends the list. A process that sees `closed` writes at once
 * from then on. */
static unsigned close_rings(int file, struct line_ring *rings[LINE_RINGS])
{
    unsigned count = line_rings_count(file);
    for (unsigned i = 0; i < count; i++) {
        rings[i] = line_ring_map(file, i);
        if (rings[i] && line_ring_process(rings[i]) == 0) {
            line_ring_unmap(rings[i]);
            return i;
        }
        if (rings[i]) {
            atomic_store(&rings[i]->closed, 1);
        }
    }
    return count;
}

/* All rings are closed before the first one is awaited, so that the processes empty theirs side by
 * side. */
struct lost_lines left_lines_write(int rings, const char *output)
{
    struct lost_lines all = {0};
    struct line_ring *ring[LINE_RINGS];
    unsigned count = close_rings(rings, ring);
    char *name = shared_counters_name(rings);
    const struct deadline until = deadline_after(PATIENCE_MS);
    for (unsigned i = 0; i < count; i++) {
        if (!ring[i]) {
            continue;
        }
        await_end(ring[i], until);
        if (!line_ring_is_empty(ring[i]) && !line_ring_is_used(ring[i])) {
            struct lost_lines lost = write_left(ring[i], output, ring[0], name);
            all.count += lost.count;
            all.error = lost.count != 0 ? lost.error : all.error;
        }
    }
    for (unsigned i = 0; i < count; i++) { /* not before: the first one has the turns */
        if (ring[i]) {
            line_ring_unmap(ring[i]);
        }
    }
    free(name);
    return all;
}
