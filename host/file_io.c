/* Reads whole files, and writes files atomically. See file_io.h.
 *
 *   output_begin   .ilpatch.XXXXXX beside the file, with its permissions
 *   write ...      the first failure sticks (output->error)
 *   commit         rename over the file: a reader sees the old file or the new one
 *   abandon        the temporary file is removed; so it is by the next run after a kill */
#include "host/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "host/file_map.h"
#include "host/path.h"
#include "host/temporary.h"

static int refuse(int fd, int error)
{
    close(fd);
    errno = error;
    return -1;
}

/* Refuses pipes, where opening would wait for a writer. *info is the file's; -1: see errno. */
static int open_regular(const char *path, struct stat *info)
{
    int fd;
    do {
        fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    } while (fd < 0 && path && errno == EINTR);
    if (fd < 0) {
        errno = path ? errno : ENOMEM;
        return -1;
    }
    if (fstat(fd, info) != 0) {
        return refuse(fd, errno);
    }
    return S_ISREG(info->st_mode) ? fd : refuse(fd, S_ISDIR(info->st_mode) ? EISDIR : ENOTSUP);
}

int file_open_to_read(const char *path)
{
    struct stat info;
    return open_regular(path, &info);
}

/* An empty file has no map, and is no failure: the bytes are NULL and 0. */
bool file_map_open(struct ilp_bytes *bytes, const char *path)
{
    *bytes = (struct ilp_bytes){NULL, 0};
    struct stat info;
    int fd = open_regular(path, &info);
    if (fd < 0) {
        return false;
    }
    bool ok = true;
    if (info.st_size != 0) {
        const void *mapped = file_map_whole(fd, (size_t)info.st_size);
        ok = mapped != NULL;
        if (ok) {
            *bytes = (struct ilp_bytes){mapped, (size_t)info.st_size};
        }
    }
    int error = errno;
    close(fd);
    errno = error;
    return ok;
}

void file_map_close(struct ilp_bytes *bytes)
{
    if (bytes->size != 0) {
        file_unmap(bytes->data, bytes->size);
    }
    *bytes = (struct ilp_bytes){NULL, 0};
}

bool file_holds(const char *path, struct ilp_bytes bytes)
{
    struct ilp_bytes there;
    if (!file_map_open(&there, path)) {
        return false;
    }
    bool same = ilpi_bytes_equal(there, bytes);
    file_map_close(&there);
    return same;
}

/* 0 for a file that cannot be read: the caller treats it as one of unknown kind. */
size_t file_read_start(const char *path, void *bytes, size_t size)
{
    int fd = file_open_to_read(path);
    ssize_t read = fd >= 0 ? pread(fd, bytes, size, 0) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return read > 0 ? (size_t)read : 0;
}

bool file_can_be_written(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* write() may take less than all, and may be interrupted. */
bool write_all(int fd, struct ilp_bytes bytes)
{
    while (bytes.size != 0) {
        ssize_t written = write(fd, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes.data += written > 0 ? written : 0;
        bytes.size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* A stream keeps no errno of an earlier failed write; another write fails for the same reason. */
int stream_error(FILE *stream)
{
    bool failed = ferror(stream) != 0;
    if (failed) {
        fputc('\n', stream);
    }
    return fflush(stream) != 0 ? errno : failed ? EIO : 0;
}

/* ---- output ---- */

/* The file is private until it is complete, since it may replace one that others may not read.
 * Without `like` the system applies the umask, which a program's threads share. */
static bool output_open(struct output *output, const char *like, unsigned permissions)
{
    struct stat info;
    bool alike = like && stat(like, &info) == 0;
    output->fd = temporary_open(output->temporary, alike ? 0600 : permissions);
    if (output->fd < 0) {
        output->error = errno;
        return false;
    }
    if (alike) {
        bool given = fchown(output->fd, info.st_uid, info.st_gid) == 0;
        mode_t bits = given ? 07777 : 01777; /* only root can change the owner */
        output->error = fchmod(output->fd, info.st_mode & bits) == 0 ? 0 : errno;
    }
    return output->error == 0;
}

/* For file systems without hard links: a copy of the file, under a temporary name. */
static bool copy_unfinished(const char *path, char *name, bool lasting, int *error)
{
    struct ilp_bytes bytes;
    struct output output = {.temporary = name, .fd = -1};
    if (!file_map_open(&bytes, path)) {
        *error = errno;
        return false;
    }
    bool ok = output_open(&output, path, 0600) && output_bytes(&output, bytes) &&
              (!lasting || output_sync(&output));
    *error = output.error;
    file_map_close(&bytes);
    if (output.fd >= 0) {
        close(output.fd);
    }
    if (!ok && output.fd >= 0) {
        temporary_remove(name);
    }
    return ok;
}

/* A hard link costs nothing and has the same bytes for sure; a copy is the fallback. */
char *temporary_second_name(const char *path, const char *place, bool lasting, int *error)
{
    char *name = temporary_beside(place);
    *error = name ? 0 : ENOMEM;
    if (name && !temporary_link(path, name) && !copy_unfinished(path, name, lasting, error)) {
        free(name);
        return NULL;
    }
    return name;
}

/* The name is no longer among the unfinished ones, whether the file was renamed or removed. */
static void output_free(struct output *output)
{
    if (output->temporary) {
        temporary_keep(output->temporary);
    }
    free(output->path);
    free(output->temporary);
    *output = (struct output){.fd = -1, .error = output->error};
}

/* Through a link to the file that it means; a device or a folder at the place is refused. */
bool output_begin_as(struct output *output, const char *path, const char *like,
                     unsigned permissions)
{
    /* a rename would replace the link */
    *output = (struct output){.path = path_through_link(path), .fd = -1};
    output->temporary = temporary_beside(output->path);
    if (!output->temporary) {
        output->error = ENOMEM;
        return false;
    }
    if (!path_is_file_or_free(path)) {
        output->error = errno;
        return false;
    }
    return output_open(output, like, permissions);
}

bool output_begin(struct output *output, const char *path, const char *like)
{
    return output_begin_as(output, path, like, 0666);
}

bool output_bytes(struct output *output, struct ilp_bytes bytes)
{
    output->synced = false;
    if (output->error == 0 && !write_all(output->fd, bytes)) {
        output->error = errno;
    }
    return output->error == 0;
}

static ilp_status write_to_output(void *user, const void *bytes, size_t size)
{
    return output_bytes(user, (struct ilp_bytes){bytes, size}) ? ILP_OK : ILP_E_CALLBACK;
}

struct ilp_sink output_sink(struct output *output)
{
    return (struct ilp_sink){output, write_to_output};
}

void output_abandon(struct output *output)
{
    if (output->fd >= 0) {
        close(output->fd);
        unlink(output->temporary);
    }
    output_free(output);
}

static bool sync_all(int fd)
{
    while (fsync(fd) != 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Once for the bytes written until now. */
bool output_sync(struct output *output)
{
    if (output->error == 0 && !output->synced) {
        output->synced = sync_all(output->fd);
        output->error = output->synced ? 0 : errno;
    }
    return output->error == 0;
}

bool folder_sync(const char *path)
{
    int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    /* not supported by some file systems */
    bool synced = fd >= 0 && (sync_all(fd) || errno == EINVAL);
    int error = path ? errno : ENOMEM;
    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    return synced;
}

/* Durable files are synchronized before the rename: otherwise a crash could leave the new name with
 * no contents. */
bool output_commit(struct output *output)
{
    if (output->durable) {
        output_sync(output);
    }
    if (output->error == 0 && rename(output->temporary, output->path) != 0) {
        output->error = errno;
    }
    if (output->error != 0) {
        output_abandon(output);
        return false;
    }
    close(output->fd);
    output_free(output);
    return true;
}

/* Only a file that replaces another one is synchronized: a new one can be made again. */
bool file_write(const char *path, struct ilp_bytes bytes, const char *like, int *error)
{
    struct output output;
    bool ok = output_begin(&output, path, like) && output_bytes(&output, bytes);
    output.durable = file_exists(path);
    if (ok) {
        ok = output_commit(&output);
    } else {
        output_abandon(&output);
    }
    *error = output.error;
    return ok;
}
