/* Locks folders with flock(), which the system releases however the process ends. See
 * folder_lock.h. A folder is known by device and inode, so two paths to one folder share a lock,
 * and a run does not wait for itself. */
#include "host/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/memory.h"

/* A lock of this run. */
struct folder_users {
    dev_t device;
    ino_t inode;
    int lock;
    unsigned users; /* 0: the slot is free */
};

static struct folder_users *locked;
static size_t locked_count;

static struct folder_users *find(const struct stat *info)
{
    for (size_t i = 0; i < locked_count; i++) {
        if (locked[i].users != 0 && locked[i].device == info->st_dev &&
            locked[i].inode == info->st_ino) {
            return &locked[i];
        }
    }
    return NULL;
}

/* NULL: no memory. */
static struct folder_users *find_room(void)
{
    for (size_t i = 0; i < locked_count; i++) {
        if (locked[i].users == 0) {
            return &locked[i];
        }
    }
    struct folder_users *more = grow_items(locked, locked_count + 1, sizeof *more);
    if (!more) {
        errno = ENOMEM;
        return NULL;
    }
    locked = more;
    locked[locked_count] = (struct folder_users){.users = 0};
    return &locked[locked_count++];
}

/* flock() has no time limit of its own. Other errors than EWOULDBLOCK mean a file system without
 * locks: then work goes on without one. */
static bool wait_for(int folder)
{
    enum {
        LOCK_PAUSE = 50,
        LOCK_TRIES = 10 * 1000 / LOCK_PAUSE
    }; /* milliseconds: ten seconds in total */
    for (unsigned i = 0; flock(folder, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            break;
        }
        if (i == LOCK_TRIES) {
            errno = EWOULDBLOCK;
            return false;
        }
        poll(NULL, 0, LOCK_PAUSE);
    }
    return true;
}

static int fail(int folder)
{
    int error = errno;
    if (folder >= 0) {
        close(folder);
    }
    errno = error;
    return -1;
}

/* One process may use a folder more than once: the first use locks it, the last one unlocks. */
int folder_lock(const char *path, bool *first)
{
    struct stat info;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || fstat(folder, &info) != 0) {
        return fail(folder);
    }
    struct folder_users *same = find(&info);
    *first = !same;
    if (same) {
        close(folder);
        same->users++;
        return same->lock;
    }
    struct folder_users *own = find_room();
    if (!own || !wait_for(folder)) {
        return fail(folder);
    }
    *own = (struct folder_users){info.st_dev, info.st_ino, folder, 1};
    return folder;
}

/* Closing the descriptor ends flock()'s lock. */
void folder_unlock(int lock)
{
    for (size_t i = 0; i < locked_count; i++) {
        if (locked[i].users != 0 && locked[i].lock == lock && --locked[i].users == 0) {
            close(lock);
        }
    }
}
