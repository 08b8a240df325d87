/* Opens files under our own names. See own_file.h. Checks are made on the open descriptor and not
 * on the path, which may be another file a moment later. */
#include "host/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_map.h"
#include "host/process.h"

/* A file of an earlier process: not a link, and owned by this user. */
static bool is_left_over(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == process_user();
}

int own_file_above_standard(int file)
{
    int above = file >= 0 && file <= STDERR_FILENO ? fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                                   : file;
    int error = errno;
    if (above != file) {
        close(file);
    }
    errno = error;
    return above;
}

/* O_EXCL: the file is made here or not at all. A left-over file is removed first, so another
 * process that still has it open keeps its own. */
int own_file_make(const char *path, unsigned permissions)
{
    enum { MAKE_ONLY = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
    int file = open(path, MAKE_ONLY, (mode_t)permissions);
    if (file < 0 && errno == EEXIST) {
        if (is_left_over(path) && unlink(path) == 0) {
            file = open(path, MAKE_ONLY, (mode_t)permissions);
        } else {
            errno = EEXIST;
        }
    }
    return own_file_above_standard(file);
}

/* A second name may be a link that another user has made to one of this user's files. */
static bool is_ours_alone(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == process_user() &&
           info.st_nlink == 1;
}

int own_file_open(const char *path)
{
    /* a planted pipe or device must not block */
    int file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 && !is_ours_alone(file)) {
        close(file);
        errno = EPERM;
        return -1;
    }
    return own_file_above_standard(file);
}

bool own_file_is(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_uid == process_user() || info.st_uid == 0);
}

int own_file_in_memory(const char *name, struct ilp_bytes bytes)
{
    int file = file_in_memory(name);
    if (file >= 0 && (fchmod(file, S_IRUSR | S_IWUSR) != 0 || !write_all(file, bytes) ||
                      !file_in_memory_keeps_size(file))) {
        int error = errno;
        close(file);
        errno = error;
        file = -1;
    }
    return file;
}

/* Only a file of this user or of root, with the size that its maker gave it: one that another
 * process shortens would end this one by SIGBUS. */
const void *own_file_map(const char *path, size_t *size)
{
    struct stat info;
    const void *bytes = NULL;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    if (own_file_is(file) && file_in_memory_has_kept_size(file) && fstat(file, &info) == 0) {
        *size = (size_t)info.st_size;
        bytes = *size != 0 ? file_map_whole(file, *size) : NULL;
    }
    close(file);
    return bytes;
}

bool own_file_begin_output(struct output *output, const char *path)
{
    return output_begin_as(output, path, path, S_IRUSR | S_IWUSR);
}
