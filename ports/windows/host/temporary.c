/* Temporary files and folders. See temporary.h.
 *
 * That a run has one of them is seen by a handle that is open: it can then not be opened by another
 * one that allows no other. */
#include "host/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

#include <bcrypt.h>

#include "base/wide_path.h"
#include "host/folder.h"
#include "host/memory.h"
#include "host/message.h"
#include "host/path.h"

/* Files and folders that an interrupt removes; as its handler runs in a thread of its own, a lock
 * is enough. */
static char **unfinished;
static size_t unfinished_room;
static CRITICAL_SECTION held_by_one;
static INIT_ONCE held_by_one_made = INIT_ONCE_STATIC_INIT;

static const char lock_name[] = ".ilpatch.in-use";

static BOOL CALLBACK make_lock(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once;
    (void)parameter;
    (void)context;
    InitializeCriticalSection(&held_by_one);
    return TRUE;
}

struct held_signals signals_hold(void)
{
    InitOnceExecuteOnce(&held_by_one_made, make_lock, NULL, NULL);
    EnterCriticalSection(&held_by_one);
    return (struct held_signals){0};
}

void signals_release(const struct held_signals *held)
{
    (void)held;
    LeaveCriticalSection(&held_by_one);
}

/* A folder and all that is in it, its lock last; nothing, if it is a file. */
static void remove_tree(const char *path)
{
    struct stat info;
    struct folder *folder = lstat(path, &info) == 0 && S_ISDIR(info.st_mode) ? folder_open(path)
                                                                             : NULL;
    const char *name;
    if (!folder) {
        return;
    }
    while ((name = folder_next(folder)) != NULL) {
        char *inner = strcmp(name, lock_name) != 0 ? path_join(path, name) : NULL;
        if (inner && unlink(inner) != 0) {
            remove_tree(inner);
        }
        free(inner);
    }
    folder_close(folder);
    char *lock = path_join(path, lock_name);
    if (lock) {
        unlink(lock);
    }
    free(lock);
    rmdir(path);
}

void unfinished_remove(void)
{
    signals_hold(); /* for ever */
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i] && unlink(unfinished[i]) != 0) {
            remove_tree(unfinished[i]);
        }
    }
}

void unfinished_folders_remove(void)
{
    struct held_signals held = signals_hold();
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i]) {
            remove_tree(unfinished[i]);
        }
    }
    signals_release(&held);
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
    char **items = grow_items(unfinished, room, sizeof *items);
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

/* Makes what a path names: 0 or a descriptor; -1 with errno set. */
typedef int make_path(const char *path, const char *other);

/* Notes what is made as unfinished, so that no interrupt comes between. */
static int make_unfinished(char *path, make_path *make, const char *other)
{
    struct held_signals held = signals_hold();
    int made = unfinished_has_room() ? make(path, other) : -1;
    int error = errno;
    if (made >= 0) {
        replace_unfinished(NULL, path);
    }
    signals_release(&held);
    errno = error;
    return made;
}

enum { RANDOM_LETTERS = 6 };

/* Completes the name; false with errno set. */
static bool complete(char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *end = name + strlen(name) - RANDOM_LETTERS;
    UCHAR random[RANDOM_LETTERS];
    bool good = BCryptGenRandom(NULL, random, sizeof random, BCRYPT_USE_SYSTEM_PREFERRED_RNG) >= 0;
    for (size_t i = 0; good && i < RANDOM_LETTERS; i++) {
        end[i] = letters[random[i] % (sizeof letters - 1)];
    }
    return good;
}

/* Names are tried until one is free. */
static int make_beside(char *name, make_path *make, const char *other)
{
    int made;
    do {
        made = complete(name) ? make_unfinished(name, make, other) : -1;
    } while (made < 0 && errno == EEXIST);
    return made;
}

static int make_file(const char *path, const char *other)
{
    (void)other;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
}

static int make_folder(const char *path, const char *other)
{
    (void)other;
    return mkdir(path, 0700);
}

static int make_link(const char *path, const char *other)
{
    return link(other, path);
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

/* TMPDIR as elsewhere, or what Windows has for it. Owned. */
static char *temporary_place(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder && folder[0] != '\0') {
        return path_full(folder);
    }
    wchar_t wide[MAX_PATH + 1];
    DWORD count = GetTempPathW(MAX_PATH + 1, wide);
    return narrow_path(wide, count > 1 ? count - 1 : 0); /* it ends with a backslash */
}

char *temporary_make(const char *name)
{
    char *full = temporary_place();
    char *path = full ? format_text("%s/%sXXXXXX", full, name) : NULL;
    free(full);
    int file = path ? make_beside(path, make_file, NULL) : -1;
    if (file < 0 && path) {
        tell("%s: cannot write: %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    if (file >= 0) {
        close(file);
    }
    return path;
}

/* ---- beside others ---- */

static const char beside_name[] = ".ilpatch.XXXXXX";

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

int temporary_open(char *name, mode_t mode)
{
    (void)mode;
    return make_beside(name, make_file, NULL);
}

bool temporary_link(const char *path, char *name)
{
    return make_beside(name, make_link, path) == 0;
}

/* Whether no handle of the file is open; it is removed then, if it is to be. */
static bool is_left(const char *path, bool remove)
{
    wchar_t *wide = wide_path(path);
    HANDLE file = wide ? CreateFileW(wide, DELETE, 0, NULL, OPEN_EXISTING,
                                     FILE_FLAG_OPEN_REPARSE_POINT |
                                         (remove ? FILE_FLAG_DELETE_ON_CLOSE : 0),
                                     NULL)
                       : INVALID_HANDLE_VALUE;
    free(wide);
    if (file != INVALID_HANDLE_VALUE) {
        CloseHandle(file);
    }
    return file != INVALID_HANDLE_VALUE;
}

static void sweep_file(const char *path)
{
    is_left(path, true);
}

/* All that is of such a name in a folder. */
static void sweep(const char *folder, void (*one)(const char *path))
{
    struct folder *names = folder_open(folder);
    const char *name;
    while (names && (name = folder_next(names)) != NULL) {
        char *path = temporary_is_name(name) ? path_join(folder, name) : NULL;
        if (path) {
            one(path);
        }
        free(path);
    }
    folder_close(names);
}

void temporaries_sweep(const char *folder)
{
    sweep(folder, sweep_file);
}

/* ---- folders among the system's temporary ones ---- */

/* One that no run has locked. A folder that is just being made is empty, and goes as long as it
 * is. */
static void sweep_folder(const char *path)
{
    char *lock = path_join(path, lock_name);
    if (lock && file_is_absent(lock)) {
        rmdir(path);
    } else if (lock && is_left(lock, false)) {
        remove_tree(path);
    }
    free(lock);
}

static int lock_folder(const char *path)
{
    char *name = path_join(path, lock_name);
    int lock = name ? make_file(name, NULL) : -1;
    free(name);
    return lock;
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
    char *parent = temporary_place();
    bool made = parent && temporary_folder_make_in(folder, parent);
    if (!made) {
        tell("%s: cannot write: %s", parent ? parent : "temporary folder", strerror(errno));
    }
    free(parent);
    return made;
}

void temporary_folder_remove(struct temporary_folder *folder)
{
    if (folder->path) {
        close(folder->lock);
        remove_tree(folder->path);
        temporary_keep(folder->path);
        free(folder->path);
    }
    *folder = (struct temporary_folder){.lock = -1};
}
