/* Turns of several processes at one file. See line_output.h. */
#include "host/line_output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_lock.h"
#include "host/process.h"

enum { LOCK_WAIT_MS = 500 };

/* Byte by byte: others may have written there without the lock, and another file may have the name
 * by now. */
static size_t same_bytes(int file, uint64_t offset, const char *bytes, size_t size)
{
    char part[4096];
    size_t same = 0;
    ssize_t got = 1;
    while (same < size && got > 0) {
        got = pread(file, part, sizeof part, (off_t)(offset + same));
        ssize_t at = 0;
        while (at < got && same < size && part[at] == bytes[same]) {
            at++;
            same++;
        }
        got = at == got ? got : 0;
    }
    return same;
}

/* The offset is known only of what was about to be written, which is at the start of the ring. */
size_t line_output_written(int file, const struct line_ring *ring, const char *bytes, size_t size)
{
    uint64_t noted = atomic_load(&ring->length);
    if (atomic_load(&ring->written) != atomic_load(&ring->taken)) {
        return 0;
    }
    return same_bytes(file, atomic_load(&ring->offset), bytes, noted < size ? (size_t)noted : size);
}

/* The output is open for writing only. */
static int open_to_read(int file)
{
    char *path = process_file_path(file);
    int opened = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    free(path);
    return opened;
}

/* With the lock. Whatever is not as it would be after a kill is left as it is. */
static void complete(struct line_output *output, struct line_ring *ring)
{
    struct stat info;
    uint64_t position = atomic_load(&ring->taken), offset = atomic_load(&ring->offset);
    size_t size = line_ring_read(ring, &position, output->room, LINE_RING_LONGEST, LINE_RING_LEFT);
    uint64_t noted = atomic_load(&ring->length);
    int file = noted <= size ? open_to_read(output->file) : -1;
    if (file < 0) {
        return;
    }
    if (fstat(file, &info) == 0 && ring->device == info.st_dev && ring->inode == info.st_ino &&
        (uint64_t)info.st_size >= offset && (uint64_t)info.st_size - offset < noted) {
        size_t begun = (size_t)info.st_size - offset;
        if (line_output_written(file, ring, output->room, size) == begun) {
            output->write(output->room + begun, (size_t)noted - begun);
        }
    }
    close(file);
}

/* The note goes last: this process may be killed here, too. */
static void complete_other(struct line_output *output)
{
    uint32_t writer = atomic_load(&output->first->writer);
    int rings = writer != 0 ? line_rings_open(output->rings) : -1;
    struct line_ring *ring = rings >= 0 ? line_ring_map(rings, writer - 1) : NULL;
    if (ring) {
        complete(output, ring);
        line_ring_unmap(ring);
    }
    if (rings >= 0) {
        close(rings);
    }
    atomic_store(&output->first->writer, 0);
}

void line_output_lock(struct line_output *output)
{
    unsigned waits = output->hurries ? 0 : LOCK_WAIT_MS;
    enum file_lock lock = output->first ? file_lock_try(output->file) : FILE_HAS_NO_LOCKS;
    for (; lock == FILE_LOCKED_BY_ANOTHER && waits != 0; waits--) {
        process_pause(1);
        lock = file_lock_try(output->file);
    }
    output->hurries = lock == FILE_LOCKED_BY_ANOTHER;
    output->locked = lock == FILE_LOCKED;
    if (output->locked) {
        complete_other(output);
    }
}

void line_output_unlock(struct line_output *output)
{
    if (output->locked) {
        atomic_store(&output->first->writer, 0);
        file_lock_release(output->file);
        output->locked = false;
    }
}

/* The order matters for a kill between two of these: `written` makes the others count. */
void line_output_note(const struct line_output *output, struct line_ring *ring, unsigned number,
                      size_t size)
{
    struct stat info;
    if (fstat(output->file, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    atomic_store(&ring->written, LINE_RING_UNWRITTEN);
    atomic_store(&ring->offset, (uint64_t)info.st_size);
    atomic_store(&ring->length, size);
    atomic_store(&ring->written, atomic_load(&ring->taken));
    if (output->locked) {
        atomic_store(&output->first->writer, number + 1);
    }
}
