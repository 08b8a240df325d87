/* One run at a time in a folder: a lock file that is opened without sharing. See folder_lock.h. */
#include "host/folder_lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <windows.h>

#include "host/memory.h"

/* The locks of this run. */
struct folder_users {
    uint64_t device;
    uint64_t inode;
    HANDLE lock;
    unsigned users; /* 0: the entry is free */
};

static struct folder_users *locked;
static size_t locked_count;

/* The folder's entry, or a free one; NULL: all are in use. */
static struct folder_users *find(const struct stat *info, bool used)
{
    for (size_t i = 0; i < locked_count; i++) {
        bool same = locked[i].device == info->st_dev && locked[i].inode == info->st_ino;
        if (used ? locked[i].users != 0 && same : locked[i].users == 0) {
            return &locked[i];
        }
    }
    return NULL;
}

static struct folder_users *find_room(void)
{
    struct folder_users *room = find(&(struct stat){.st_dev = 0}, false);
    struct folder_users *more = room ? locked : grow_items(locked, locked_count + 1, sizeof *more);
    if (!more) {
        errno = ENOMEM;
        return NULL;
    }
    locked = more;
    if (!room) {
        room = &locked[locked_count++];
        room->users = 0;
    }
    return room;
}

/* Among the temporary files of the user, so runs of other users are not excluded: folders that
 * several change are rare. It is removed with its handle, even if the process is killed. */
static HANDLE open_lock(const struct stat *info)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 64];
    DWORD size = GetTempPathW(MAX_PATH + 1, folder);
    swprintf(path, sizeof path / sizeof *path, L"%lsilpatch-%llx-%llx.lock",
             size != 0 ? folder : L"", (unsigned long long)info->st_dev,
             (unsigned long long)info->st_ino);
    return CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                       FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
}

static HANDLE wait_for(const struct stat *info)
{
    enum { PAUSE = 50, TRIES = 10 * 1000 / PAUSE }; /* milliseconds: ten seconds in all */
    HANDLE lock = open_lock(info);
    for (unsigned i = 0; lock == INVALID_HANDLE_VALUE && i < TRIES; i++) {
        Sleep(PAUSE);
        lock = open_lock(info);
    }
    errno = EWOULDBLOCK;
    return lock;
}

int folder_lock(const char *path, bool *first)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return -1;
    }
    struct folder_users *own = find(&info, true);
    *first = !own;
    if (own) {
        own->users++;
        return (int)(own - locked);
    }
    own = find_room();
    HANDLE lock = own ? wait_for(&info) : INVALID_HANDLE_VALUE;
    if (lock == INVALID_HANDLE_VALUE) {
        return -1;
    }
    *own = (struct folder_users){info.st_dev, info.st_ino, lock, 1};
    return (int)(own - locked);
}

void folder_unlock(int lock)
{
    if (lock >= 0 && --locked[lock].users == 0) {
        CloseHandle(locked[lock].lock);
    }
}
