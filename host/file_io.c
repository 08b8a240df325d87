/* Files, read whole and written atomically. See file_io.h. */
#include "host/file_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_map.h"

bool file_map_open(struct ilp_bytes *bytes, const char *path)
{
    *bytes = (struct ilp_bytes){NULL, 0};
    /* a pipe would wait for a writer */
    int fd = -1;
    do {
        fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    } while (fd < 0 && path && errno == EINTR);
    struct stat info;
    if (fd < 0) {
        errno = path ? errno : ENOMEM;
        return false;
    }
    bool ok = fstat(fd, &info) == 0;
    if (ok && !S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
        ok = false;
    }
    if (ok && info.st_size != 0) {
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

/* ---- interruption: temporary files do not stay behind ---- */

/* Files and folders that a signal removes. They change only while signals are blocked. */
static char *volatile *unfinished;
static size_t unfinished_room;

/* A folder and all that is in it; nothing, if it is a file. Safe in signal handlers: opendir() and
 * nftw() are not. */
static void remove_tree(int parent, const char *name)
{
    _Alignas(struct dirent64) char entries[2048];
    ssize_t size = -1;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (folder >= 0 && (size = getdents64(folder, entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            bool own = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
            if (!own && unlinkat(folder, entry->d_name, 0) != 0) {
                remove_tree(folder, entry->d_name);
            }
            at += entry->d_reclen;
        }
    }
    if (folder >= 0) {
        close(folder);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
}

void unfinished_remove(void)
{
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i] && unlink(unfinished[i]) != 0) {
            remove_tree(AT_FDCWD, unfinished[i]);
        }
    }
}

void unfinished_folders_remove(void)
{
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i]) {
            remove_tree(AT_FDCWD, unfinished[i]);
        }
    }
}

struct held_signals signals_hold(void)
{
    struct held_signals held;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &held.mask);
    return held;
}

void signals_release(const struct held_signals *held)
{
    sigprocmask(SIG_SETMASK, &held->mask, NULL);
}

static bool replace_unfinished(const char *old, char *new)
{
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i] == old) {
            unfinished[i] = new;
            return true;
        }
    }
    return false;
}

/* Makes room for one more before it is made. */
static bool unfinished_has_room(void)
{
    for (size_t i = 0; i < unfinished_room; i++) {
        if (!unfinished[i]) {
            return true;
        }
    }
    size_t room = 2 * unfinished_room + 8;
    char *volatile *items = grow_items((void *)unfinished, room, sizeof *items);
    if (!items) {
        errno = ENOMEM;
        return false;
    }
    for (size_t i = unfinished_room; i < room; i++) {
        items[i] = NULL;
    }
    unfinished = items;
    unfinished_room = room;
    return true;
}

/* A new file under a name that ends in XXXXXX. */
static int make_unfinished(char *path)
{
    struct held_signals held = signals_hold();
    int fd = unfinished_has_room() ? mkostemp(path, O_CLOEXEC) : -1;
    int error = errno;
    if (fd >= 0) {
        replace_unfinished(NULL, path);
    }
    signals_release(&held);
    errno = error;
    return fd;
}

/* ---- temporary files beside others ---- */

/* Gives it the owner and permissions of `like`, or else these permissions. */
static bool output_like(struct output *output, const char *like, unsigned permissions)
{
    struct stat info;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = (mode_t)permissions & ~mask;
    if (like && stat(like, &info) == 0) {
        mode = info.st_mode & 07777;
        if (fchown(output->fd, info.st_uid, info.st_gid) != 0) { /* only root may give files away */
            mode &= 01777;
        }
    }
    if (fchmod(output->fd, mode) != 0) {
        output->error = errno;
    }
    return output->error == 0;
}

#define TEMPORARY_NAME ".ilpatch.XXXXXX"

/* A name for one in the folder of `place`, to be completed. */
static char *temporary_beside(const char *place)
{
    char *folder = path_directory(place);
    char *path = path_join(folder, TEMPORARY_NAME);
    free(folder);
    return path;
}

static bool is_temporary_name(const char *name)
{
    return strlen(name) == sizeof TEMPORARY_NAME - 1 &&
           strncmp(name, TEMPORARY_NAME, sizeof TEMPORARY_NAME - 1 - 6) == 0;
}

/* Another run that sweeps the folder may come between making it and the lock: then it is made once
 * more. */
static int make_locked(char *path)
{
    for (;;) {
        struct stat info;
        int fd = make_unfinished(path);
        if (fd < 0) {
            return -1;
        }
        flock(fd, LOCK_EX); /* where there are no locks, nobody sweeps */
        if (fstat(fd, &info) != 0 || info.st_nlink != 0) {
            return fd;
        }
        close(fd);
        replace_unfinished(path, NULL);
        memcpy(path + strlen(path) - 6, "XXXXXX", 6);
    }
}

static bool link_unfinished(const char *path, char *name)
{
    char *pattern = name + strlen(name) - 6;
    struct held_signals held = signals_hold();
    bool linked = false;
    bool again = unfinished_has_room();
    while (!linked && again) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
        uint8_t random[6];
        again = getrandom(random, sizeof random, 0) == (ssize_t)sizeof random;
        for (size_t i = 0; i < 6; i++) {
            pattern[i] = letters[random[i] % (sizeof letters - 1)];
        }
        linked = again && link(path, name) == 0;
        again = again && errno == EEXIST;
    }
    int error = errno;
    if (linked) {
        replace_unfinished(NULL, name);
    }
    signals_release(&held);
    errno = error;
    return linked;
}

static bool copy_unfinished(const char *path, char *name, bool lasting, int *error)
{
    struct ilp_bytes bytes;
    struct output output = {.fd = -1};
    if (!file_map_open(&bytes, path)) {
        *error = errno;
        return false;
    }
    memcpy(name + strlen(name) - 6, "XXXXXX", 6);
    output.fd = make_locked(name);
    output.error = output.fd < 0 ? errno : 0;
    bool ok = output.fd >= 0 && output_like(&output, path, 0600) && output_bytes(&output, bytes) &&
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

char *temporary_second_name(const char *path, const char *place, bool lasting, int *error)
{
    char *name = temporary_beside(place);
    *error = name ? 0 : ENOMEM;
    if (name && !link_unfinished(path, name) && !copy_unfinished(path, name, lasting, error)) {
        free(name);
        return NULL;
    }
    return name;
}

static void sweep_one(int folder, const char *name)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            unlinkat(folder, name, 0);
        }
        close(fd);
    }
}

void temporaries_sweep(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (is_temporary_name(entry->d_name)) {
            sweep_one(dirfd(entries), entry->d_name);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

char *temporary_make(const char *name)
{
    const char *folder = getenv("TMPDIR");
    char *full = path_full(folder && folder[0] != '\0' ? folder : "/tmp");
    char *path = full ? format_text("%s/%sXXXXXX", full, name) : NULL;
    free(full);
    if (!path) {
        return NULL;
    }
    int file = make_unfinished(path);
    if (file < 0) {
        tell("%s: cannot write: %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    close(file);
    return path;
}

char *temporary_folder_make(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = format_text("%s/ilpatch.XXXXXX", parent && parent[0] == '/' ? parent : "/tmp");
    if (!path) {
        return NULL;
    }
    struct held_signals held = signals_hold();
    bool made = unfinished_has_room() && mkdtemp(path) != NULL;
    int error = errno;
    if (made) {
        replace_unfinished(NULL, path);
    }
    signals_release(&held);
    if (!made) {
        tell("%s: cannot write: %s", path, strerror(error));
        free(path);
        return NULL;
    }
    return path;
}

void temporary_folder_remove(char *path)
{
    remove_tree(AT_FDCWD, path);
    temporary_keep(path);
    free(path);
}

void temporary_keep(char *path)
{
    replace_unfinished(path, NULL);
}

void temporary_remove(char *path)
{
    unlink(path);
    temporary_keep(path);
}

/* ---- output ---- */

static void output_free(struct output *output)
{
    if (output->temporary) {
        replace_unfinished(output->temporary, NULL);
    }
    free(output->path);
    free(output->temporary);
    *output = (struct output){.fd = -1, .error = output->error};
}

/* A rename would replace /dev/null as well. */
static bool is_file_or_nothing(const char *path)
{
    struct stat info;
    bool other = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    errno = other && S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
    return !other;
}

/* Whatever mode the file will have, it starts private: it may replace one that others may not
 * read. */
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
    if (!is_file_or_nothing(path)) {
        output->error = errno;
        return false;
    }
    output->fd = make_locked(output->temporary);
    if (output->fd < 0) {
        output->error = errno;
        return false;
    }
    return output_like(output, like, permissions);
}

bool output_begin(struct output *output, const char *path, const char *like)
{
    return output_begin_as(output, path, like, 0666);
}

bool output_bytes(struct output *output, struct ilp_bytes bytes)
{
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

bool output_sync(struct output *output)
{
    if (output->error == 0 && !sync_all(output->fd)) {
        output->error = errno;
    }
    return output->error == 0;
}

bool folder_sync(const char *path)
{
    int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool synced = fd >= 0 && (sync_all(fd) || errno == EINVAL); /* some file systems cannot */
    int error = path ? errno : ENOMEM;
    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    return synced;
}

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

bool file_keep_as(const char *path, const char *second, int *error)
{
    *error = 0;
    if (link(path, second) == 0) {
        return true;
    }
    *error = errno;
    if (errno == EEXIST) {
        return false;
    }
    struct ilp_bytes bytes;
    if (!file_map_open(&bytes, path)) {
        return false;
    }
    bool ok = file_write(second, bytes, path, error);
    file_map_close(&bytes);
    return ok;
}

/* ---- paths ---- */

static bool folder_is_writable(const char *path)
{
    char *real = path_through_link(path);
    char *folder = path_directory(real);
    bool writable = folder && access(folder, W_OK | X_OK) == 0;
    int error = folder ? errno : ENOMEM;
    free(folder);
    free(real);
    errno = error;
    return writable;
}

bool path_is_writable(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0) {
        errno = EISDIR;
        return !S_ISDIR(info.st_mode) && access(path, W_OK) == 0;
    }
    return folder_is_writable(path);
}

bool path_is_replaceable(const char *path)
{
    return is_file_or_nothing(path) && path_is_writable(path) && folder_is_writable(path);
}

enum exit_code output_check(const char *path)
{
    if (!path || path_is_replaceable(path)) {
        return EXIT_DONE;
    }
    tell("%s: cannot write: %s", path, strerror(errno));
    return EXIT_CANNOT_WRITE;
}

bool file_exists(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0;
}

bool file_remove(const char *path)
{
    return unlink(path) == 0;
}

bool file_is_absent(const char *path)
{
    struct stat info;
    return path && stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool path_is_readable(const char *path)
{
    int error = errno;
    bool readable = path && access(path, R_OK) == 0;
    errno = error;
    return readable;
}

bool path_is_directory(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_same(const char *path, const char *other)
{
    struct stat a;
    struct stat b;
    return path && other && stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool file_is_same_place(const char *path, const char *other)
{
    char *paths[] = {path_full(path), path_full(other)};
    char *folders[] = {path_directory(path), path_directory(other)};
    bool same =
        (paths[0] && paths[1] && strcmp(paths[0], paths[1]) == 0) || file_is_same(path, other) ||
        (strcmp(path_name(path), path_name(other)) == 0 && file_is_same(folders[0], folders[1]));
    for (size_t i = 0; i < 2; i++) {
        free(paths[i]);
        free(folders[i]);
    }
    return same;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *path_directory(const char *path)
{
    const char *name = path ? path_name(path) : NULL;
    if (!path) {
        return NULL;
    }
    if (name == path) {
        return copy_text(".");
    }
    size_t size = (size_t)(name - path);
    return copy_part(path, size > 1 ? size - 1 : 1);
}

char *path_through_link(const char *path)
{
    struct stat info;
    char *real = path && lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? realpath(path, NULL)
                                                                          : NULL;
    return real ? real : copy_text(path);
}

char *path_join(const char *directory, const char *name)
{
    return directory && name ? format_text("%s/%s", directory, name) : NULL;
}

bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

char *path_full(const char *path)
{
    char *full = path ? realpath(path, NULL) : NULL;
    char *here = full || !path || path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (!full) {
        full = here ? path_join(here, path) : copy_text(path);
    }
    free(here);
    return full;
}
