/* See file_copy.h. */
#include "host/file_copy.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/path.h"

#define PIECE_BYTES ((size_t)64 * 1024)

static bool hold_the_same(FILE *left, FILE *right)
{
    uint8_t pieces[2][PIECE_BYTES / 4];
    size_t sizes[2];
    bool same;
    do {
        sizes[0] = fread(pieces[0], 1, sizeof pieces[0], left);
        sizes[1] = fread(pieces[1], 1, sizeof pieces[1], right);
        same = sizes[0] == sizes[1] && memcmp(pieces[0], pieces[1], sizes[0]) == 0;
    } while (same && sizes[0] == sizeof pieces[0]);
    return same && !ferror(left) && !ferror(right);
}

bool file_holds_same(const char *path, const char *other)
{
    FILE *left = fopen(path, "re");
    FILE *right = left ? fopen(other, "re") : NULL;
    bool same = right && hold_the_same(left, right);
    if (right) {
        fclose(right);
    }
    if (left) {
        fclose(left);
    }
    return same;
}

/* False: it cannot be read; what cannot be written is noted in the output. */
static bool copy_pieces(int file, struct output *output)
{
    uint8_t piece[PIECE_BYTES];
    ssize_t size;
    while ((size = read(file, piece, sizeof piece)) != 0) {
        if (size < 0 && errno != EINTR) {
            return false;
        }
        if (size > 0 && !output_bytes(output, (struct ilp_bytes){piece, (size_t)size})) {
            break;
        }
    }
    return true;
}

static enum copied copy(int file, const struct timespec times[2], struct output *output)
{
    enum copied copied = COPIED;
    if (output->error == 0 && !copy_pieces(file, output)) {
        copied = COPIED_NOT_READ;
    } else if (output->error == 0 && futimens(output->fd, times) != 0) {
        output->error = errno;
    }
    int error = errno;
    if (copied == COPIED && output->error == 0 && output_commit(output)) {
        return COPIED;
    }
    if (copied == COPIED) {
        copied = COPIED_NOT_WRITTEN;
        error = output->error;
    }
    output_abandon(output);
    errno = error;
    return copied;
}

enum copied file_copy(const char *path, const char *from, const char *place)
{
    struct stat info;
    struct output output;
    if (file_exists(place) && file_holds_same(from, place)) {
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
