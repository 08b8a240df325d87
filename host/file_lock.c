/* Locks of files on POSIX systems: of fcntl(), which are the process's, and not flock()'s, which a
 * copy of the process would keep. See file_lock.h. */
#include "host/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

static bool set(int file, short kind)
{
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET};
    return fcntl(file, F_SETLK, &lock) == 0;
}

enum file_lock file_lock_try(int file)
{
    if (set(file, F_WRLCK)) {
        return FILE_LOCKED;
    }
    return errno == EAGAIN || errno == EACCES ? FILE_LOCKED_BY_ANOTHER : FILE_HAS_NO_LOCKS;
}

void file_lock_release(int file)
{
    set(file, F_UNLCK);
}
