/* Temporary files and folders on POSIX systems: a living run has locked them (flock()). See
 * temporary_system.h. */
#include "host/temporary_system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/memory.h"
#include "host/path.h"

/* ---- files ---- */

char *temporary_place_of_files(void)
{
    const char *folder = getenv("TMPDIR");
    return path_full(folder && folder[0] != '\0' ? folder : "/tmp");
}

char *temporary_place_of_folders(void)
{
    const char *folder = getenv("TMPDIR");
    return copy_text(folder && folder[0] == '/' ? folder : "/tmp");
}

/* Names that cannot be guessed: in a folder for all, another user could make them first. */
bool random_bytes(void *bytes, size_t size)
{
    return getrandom(bytes, size, 0) == (ssize_t)size;
}

int temporary_create(const char *path, mode_t mode)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
}

/* Without locks, no run sweeps. */
bool temporary_claim(int file)
{
    struct stat info;
    flock(file, LOCK_EX);
    return fstat(file, &info) != 0 || info.st_nlink != 0;
}

/* A run that lives has locked its file, so one that can be locked is left over. */
void temporary_sweep_file(struct folder *folder, const char *path, const char *name)
{
    (void)path;
    struct stat info;
    int fd = openat(folder_fd(folder), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            unlinkat(folder_fd(folder), name, 0);
        }
        close(fd);
    }
}

/* ---- folders ---- */

/* Without opendir() and nftw(), which are not safe in signal handlers. Recursion is as deep as the
 * folders that were made. The lock is removed last, so that no run takes the folder for unlocked
 * while it has contents. */
static void remove_tree(int parent, const char *name)
{
    _Alignas(struct dirent64) char entries[2048];
    ssize_t size = -1;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (folder >= 0 && (size = getdents64(folder, (void *)entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            bool stays = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                         strcmp(entry->d_name, TEMPORARY_LOCK) == 0;
            if (!stays && unlinkat(folder, entry->d_name, 0) != 0) {
                remove_tree(folder, entry->d_name);
            }
            at += entry->d_reclen;
        }
    }
    if (folder >= 0) {
        unlinkat(folder, TEMPORARY_LOCK, 0);
        close(folder);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
}

void temporary_remove_tree(const char *path)
{
    remove_tree(AT_FDCWD, path);
}

void temporary_remove_locked(const char *path, int lock)
{
    temporary_remove_tree(path);
    close(lock);
}

/* Whether the file is still the one of that name in the folder. */
static bool is_there(int folder, const char *name, int file)
{
    struct stat there;
    struct stat info;
    return fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(file, &info) == 0 &&
           there.st_dev == info.st_dev && there.st_ino == info.st_ino;
}

/* Locked, and then looked at again: between opening and locking another process may have swept the
 * folder away. */
int temporary_lock_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int lock = folder < 0 ? -1
                          : openat(folder, TEMPORARY_LOCK, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                                   S_IRUSR | S_IWUSR);
    int error = errno;
    if (lock >= 0) {
        flock(lock, LOCK_EX);
        if (!is_there(folder, TEMPORARY_LOCK, lock)) {
            close(lock);
            lock = -1;
            error = ENOENT;
        }
    }
    if (folder >= 0) {
        close(folder);
    }
    errno = error;
    return lock;
}

/* Sweeps one of this user's folders that is not locked. A folder that is just being made is empty,
 * and may be removed. */
void temporary_sweep_folder(struct folder *outer, const char *path, const char *name)
{
    struct stat info;
    int parent = folder_fd(outer);
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    (void)path;
    if (folder >= 0 && fstat(folder, &info) == 0 && info.st_uid == geteuid()) {
        int lock = openat(folder, TEMPORARY_LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (lock < 0) {
            unlinkat(parent, name, AT_REMOVEDIR);
        } else if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
            remove_tree(parent, name);
        }
        if (lock >= 0) {
            close(lock);
        }
    }
    if (folder >= 0) {
        close(folder);
    }
}
