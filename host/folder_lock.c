/* See folder_lock.h. */
#include "host/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

int folder_lock(const char *path)
{
    enum {
        LOCK_PAUSE = 50,
        LOCK_TRIES = 10 * 1000 / LOCK_PAUSE
    }; /* milliseconds: ten seconds in all */
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned i = 0; lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            break;
        }
        if (i == LOCK_TRIES) {
            close(lock);
            errno = EWOULDBLOCK;
            return -1;
        }
        poll(NULL, 0, LOCK_PAUSE);
    }
    return lock;
}

void folder_unlock(int lock)
{
    close(lock);
}
