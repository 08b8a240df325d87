/* Copies files, with their times and permissions. See file_copy.h. A copy is made like any output,
 * beside its place and then renamed, and not at all if the same bytes are there. */
#include "host/file_copy.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)64 * 1024)

/* Reads up to one piece; returns its size, or -1. */
static ssize_t read_piece(int file, uint8_t piece[PIECE_BYTES])
{
    size_t count = 0;
    ssize_t size = 1;
    while (size != 0 && count < PIECE_BYTES) {
        size = read(file, piece + count, PIECE_BYTES - count);
        if (size < 0 && errno != EINTR) {
            return -1;
        }
        count += size > 0 ? (size_t)size : 0;
    }
    return (ssize_t)count;
}

/* In pieces, without mapping: a file of the folder may become shorter while it is read. */
static bool hold_the_same(int left, int right)
{
    uint8_t pieces[2][PIECE_BYTES];
    ssize_t size;
    bool same;
    do {
        size = read_piece(left, pieces[0]);
        same = size >= 0 && read_piece(right, pieces[1]) == size &&
               memcmp(pieces[0], pieces[1], (size_t)size) == 0;
    } while (same && size != 0);
    return same;
}

bool file_holds_same(const char *path, const char *other)
{
    int left = file_open_to_read(path);
    int right = left >= 0 ? file_open_to_read(other) : -1;
    bool same = right >= 0 && hold_the_same(left, right);
    if (right >= 0) {
        close(right);
    }
    if (left >= 0) {
        close(left);
    }
    return same;
}

/* False: it cannot be read; write errors are recorded in the output. */
static bool copy_pieces(int file, struct output *output)
{
    uint8_t piece[PIECE_BYTES];
    ssize_t size;
    do {
        size = read_piece(file, piece);
    } while (size > 0 && output_bytes(output, (struct ilp_bytes){piece, (size_t)size}));
    return size >= 0;
}

/* errno has the reason for every result but COPIED. An output that is not committed leaves no
 * file. */
static enum copied copy(int file, const struct timespec times[2], struct output *output)
{
    if (output->error == 0 && !copy_pieces(file, output)) {
        int error = errno;
        output_abandon(output);
        errno = error;
        return COPIED_NOT_READ;
    }
    if (output->error == 0 && futimens(output->fd, times) != 0) {
        output->error = errno;
    }
    enum copied copied = output_commit(output) ? COPIED : COPIED_NOT_WRITTEN;
    errno = output->error;
    return copied;
}

/* Permissions, owner and times are those of `path`, the bytes those of `from`: they differ for a
 * file whose original is kept. */
enum copied file_copy(const char *path, const char *from, const char *place)
{
    struct stat info;
    struct output output;
    if (file_holds_same(place, from)) {
        return COPIED;
    }
    int file = stat(path, &info) == 0 ? file_open_to_read(from) : -1;
    if (file < 0) {
        return COPIED_NOT_READ;
    }
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    output_begin(&output, place, path);
    enum copied copied = copy(file, times, &output);
    int error = errno;
    close(file);
    errno = error;
    return copied;
}

/* A link that is right already is not made again: its folder may not be writable. */
bool link_copy(const char *path, const char *place)
{
    char target[PATH_MAX];
    char there[PATH_MAX];
    ssize_t size = readlink(path, target, sizeof target - 1);
    if (size < 0) {
        return false;
    }
    target[size] = '\0';
    ssize_t length = readlink(place, there, sizeof there);
    if (length == size && memcmp(target, there, (size_t)size) == 0) {
        return true;
    }
    return (length < 0 || unlink(place) == 0) && symlink(target, place) == 0;
}
