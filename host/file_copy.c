/* See file_copy.h. */
#include "host/file_copy.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_copy(const char *path, struct ilp_bytes bytes, const char *place)
{
    struct stat info;
    struct output output;
    if (file_holds(place, bytes)) {
        return true;
    }
    if (stat(path, &info) != 0) {
        return false;
    }
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    bool good = output_begin(&output, place, path) && output_bytes(&output, bytes);
    if (good && futimens(output.fd, times) != 0) {
        output.error = errno;
        good = false;
    }
    if (good) {
        good = output_commit(&output);
    } else {
        output_abandon(&output);
    }
    errno = output.error;
    return good;
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
