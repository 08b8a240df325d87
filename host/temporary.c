/* Temporary files and folders. See temporary.h. */
#include "host/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/folder.h"
#include "host/memory.h"
#include "host/message.h"
#include "host/path.h"

/* ---- interruption: temporary files are removed ---- */

/* Files and folders that a signal removes. They change only while signals are held. */
static char *volatile *unfinished;
static size_t unfinished_room;

/* Whether a thread holds signals, or one has ended the program. It is a lock that a handler may
 * take: that runs in a thread which does not hold them. */
static atomic_flag held_by_one = ATOMIC_FLAG_INIT;
static _Thread_local unsigned hold_depth;

/* In a folder among the system's temporary ones: locked as long as its run lives. Of the form of
 * other temporary names, so that whoever sweeps the folder itself finds it locked. */
static const char lock_name[] = ".ilpatch.in-use";

/* A folder and all that is in it, its lock last; nothing, if it is a file. Safe in signal handlers:
 * opendir() and nftw() are not. */
static void remove_tree(int parent, const char *name)
{
    _Alignas(struct dirent64) char entries[2048];
    ssize_t size = -1;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (folder >= 0 && (size = getdents64(folder, (void *)entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            bool stays = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                         strcmp(entry->d_name, lock_name) == 0;
            if (!stays && unlinkat(folder, entry->d_name, 0) != 0) {
                remove_tree(folder, entry->d_name);
            }
            at += entry->d_reclen;
        }
    }
    if (folder >= 0) {
        unlinkat(folder, lock_name, 0);
        close(folder);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
}

static void wait_for_hold(void)
{
    while (atomic_flag_test_and_set_explicit(&held_by_one, memory_order_acquire)) {
        sched_yield();
    }
}

/* No other thread makes a file after this. */
void unfinished_remove(void)
{
    wait_for_hold();
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i] && unlink(unfinished[i]) != 0) {
            remove_tree(AT_FDCWD, unfinished[i]);
        }
    }
}

void unfinished_folders_remove(void)
{
    struct held_signals held = signals_hold();
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i]) {
            remove_tree(AT_FDCWD, unfinished[i]);
        }
    }
    signals_release(&held);
}

struct held_signals signals_hold(void)
{
    struct held_signals held;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &held.mask);
    if (hold_depth++ == 0) {
        wait_for_hold();
    }
    return held;
}

void signals_release(const struct held_signals *held)
{
    if (--hold_depth == 0) {
        atomic_flag_clear_explicit(&held_by_one, memory_order_release);
    }
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
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

/* Makes what a path names, which it may complete: 0 or a descriptor; -1 with errno set. */
typedef int make_path(char *path, const void *user);

/* Notes what is made as unfinished, so that no signal comes between. */
static int make_unfinished(char *path, make_path *make, const void *user)
{
    struct held_signals held = signals_hold();
    int made = unfinished_has_room() ? make(path, user) : -1;
    int error = errno;
    if (made >= 0) {
        replace_unfinished(NULL, path);
    }
    signals_release(&held);
    errno = error;
    return made;
}

/* ---- among the system's temporary ones ---- */

void temporary_keep(char *path)
{
    struct held_signals held = signals_hold();
    replace_unfinished(path, NULL);
    signals_release(&held);
}

void temporary_remove(char *path)
{
    unlink(path);
    temporary_keep(path);
}

static int make_file(char *path, const void *user)
{
    (void)user;
    return mkostemp(path, O_CLOEXEC);
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
    int file = make_unfinished(path, make_file, NULL);
    if (file < 0) {
        tell("%s: cannot write: %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    close(file);
    return path;
}

/* ---- beside others ---- */

static const char beside_name[] = ".ilpatch.XXXXXX";

enum { RANDOM_LETTERS = 6 };

char *temporary_beside(const char *place)
{
    char *folder = path_directory(place);
    char *path = path_join(folder, beside_name);
    free(folder);
    return path;
}

bool temporary_is_own_name(const char *name)
{
    return strncmp(name, beside_name, sizeof beside_name - 1 - RANDOM_LETTERS) == 0;
}

bool temporary_is_name(const char *name)
{
    return strlen(name) == sizeof beside_name - 1 && temporary_is_own_name(name);
}

/* Completes the name; false with errno set. */
static bool complete(char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *end = name + strlen(name) - RANDOM_LETTERS;
    uint8_t random[RANDOM_LETTERS];
    bool good = getrandom(random, sizeof random, 0) == (ssize_t)sizeof random;
    for (size_t i = 0; good && i < RANDOM_LETTERS; i++) {
        end[i] = letters[random[i] % (sizeof letters - 1)];
    }
    return good;
}

/* Names are tried until one is free. */
static int make_beside(char *name, make_path *make, const void *user)
{
    int made;
    do {
        made = complete(name) ? make_unfinished(name, make, user) : -1;
    } while (made < 0 && (errno == EEXIST || errno == EINTR));
    return made;
}

static int make_open(char *name, const void *mode)
{
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, *(const mode_t *)mode);
}

static int make_link(char *name, const void *path)
{
    return link(path, name);
}

/* Another run that sweeps the folder may come between making it and the lock: then it is made once
 * more. */
int temporary_open(char *name, mode_t mode)
{
    for (;;) {
        struct stat info;
        int fd = make_beside(name, make_open, &mode);
        if (fd < 0) {
            return -1;
        }
        flock(fd, LOCK_EX); /* where there are no locks, no run sweeps */
        if (fstat(fd, &info) != 0 || info.st_nlink != 0) {
            return fd;
        }
        close(fd);
        temporary_keep(name);
    }
}

bool temporary_link(const char *path, char *name)
{
    return make_beside(name, make_link, path) == 0;
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

/* All that is of such a name in a folder. */
static void sweep(const char *folder, void (*one)(int folder, const char *name))
{
    struct folder *names = folder_open(folder);
    const char *name;
    while (names && (name = folder_next(names)) != NULL) {
        if (temporary_is_name(name)) {
            one(folder_fd(names), name);
        }
    }
    folder_close(names);
}

void temporaries_sweep(const char *folder)
{
    sweep(folder, sweep_one);
}

/* ---- folders among the system's temporary ones ---- */

static int make_folder(char *name, const void *user)
{
    (void)user;
    return mkdir(name, S_IRWXU);
}

/* Whether the file is the one of that name in the folder. */
static bool is_there(int folder, const char *name, int file)
{
    struct stat there;
    struct stat info;
    return fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(file, &info) == 0 &&
           there.st_dev == info.st_dev && there.st_ino == info.st_ino;
}

/* A descriptor that locks the folder; -1 with errno set. Another run that sweeps may have been
 * faster: ENOENT. */
static int lock_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int lock = folder < 0 ? -1
                          : openat(folder, lock_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                                   S_IRUSR | S_IWUSR);
    int error = errno;
    if (lock >= 0) {
        flock(lock, LOCK_EX);
        if (!is_there(folder, lock_name, lock)) {
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

/* One of this user that no run has locked. A folder that is just being made is empty, and goes as
 * long as it is. */
static void sweep_folder(int parent, const char *name)
{
    struct stat info;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && fstat(folder, &info) == 0 && info.st_uid == geteuid()) {
        int lock = openat(folder, lock_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
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

bool temporary_folder_make_in(struct temporary_folder *folder, const char *parent)
{
    *folder = (struct temporary_folder){.path = path_join(parent, beside_name), .lock = -1};
    if (!folder->path) {
        return false;
    }
    sweep(parent, sweep_folder);
    int made;
    do {
        made = make_beside(folder->path, make_folder, NULL);
        folder->lock = made < 0 ? -1 : lock_folder(folder->path);
        if (made >= 0 && folder->lock < 0) {
            int error = errno;
            rmdir(folder->path);
            temporary_keep(folder->path);
            errno = error;
        }
    } while (made >= 0 && folder->lock < 0 && errno == ENOENT);
    if (folder->lock < 0) {
        int error = errno;
        free(folder->path);
        folder->path = NULL;
        errno = error;
        return false;
    }
    return true;
}

bool temporary_folder_make(struct temporary_folder *folder)
{
    const char *parent = getenv("TMPDIR");
    parent = parent && parent[0] == '/' ? parent : "/tmp";
    bool made = temporary_folder_make_in(folder, parent);
    if (!made) {
        tell("%s: cannot write: %s", parent, strerror(errno));
    }
    return made;
}

void temporary_folder_remove(struct temporary_folder *folder)
{
    if (folder->path) {
        remove_tree(AT_FDCWD, folder->path);
        temporary_keep(folder->path);
        free(folder->path);
        close(folder->lock);
    }
    *folder = (struct temporary_folder){.lock = -1};
}
