/* Temporary files and folders on Windows: a live run keeps them open, so that an exclusive open of
 * them fails. See temporary_system.h. */
#include "host/temporary_system.h"

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
#include "host/memory.h"
#include "host/path.h"

/* ---- files ---- */

/* TMPDIR as on POSIX, or GetTempPath(). Owned. */
char *temporary_place_of_files(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder && folder[0] != '\0') {
        return path_full(folder);
    }
    wchar_t wide[MAX_PATH + 1];
    DWORD count = GetTempPathW(MAX_PATH + 1, wide);
    return narrow_path(wide, count > 1 ? count - 1 : 0); /* it ends with a backslash */
}

char *temporary_place_of_folders(void)
{
    return temporary_place_of_files();
}

bool random_bytes(void *bytes, size_t size)
{
    return BCryptGenRandom(NULL, bytes, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG) >= 0;
}

int temporary_create(const char *path, mode_t mode)
{
    (void)mode;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
}

bool temporary_claim(int file)
{
    (void)file;
    return true;
}

/* Whether the file is not open anywhere; if so, it is removed on request. */
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

void temporary_sweep_file(struct folder *folder, const char *path, const char *name)
{
    (void)folder;
    (void)name;
    is_left(path, true);
}

/* ---- folders ---- */

void temporary_remove_tree(const char *path)
{
    struct stat info;
    struct folder *folder = lstat(path, &info) == 0 && S_ISDIR(info.st_mode) ? folder_open(path)
                                                                             : NULL;
    const char *name;
    if (!folder) {
        return;
    }
    while ((name = folder_next(folder)) != NULL) {
        char *inner = strcmp(name, TEMPORARY_LOCK) != 0 ? path_join(path, name) : NULL;
        if (inner && unlink(inner) != 0) {
            temporary_remove_tree(inner);
        }
        free(inner);
    }
    folder_close(folder);
    char *lock = path_join(path, TEMPORARY_LOCK);
    if (lock) {
        unlink(lock);
    }
    free(lock);
    rmdir(path);
}

/* Open files cannot be removed. */
void temporary_remove_locked(const char *path, int lock)
{
    close(lock);
    temporary_remove_tree(path);
}

int temporary_lock_folder(const char *path)
{
    char *name = path_join(path, TEMPORARY_LOCK);
    int lock = name ? temporary_create(name, S_IRUSR | S_IWUSR) : -1;
    free(name);
    return lock;
}

/* Removes one that no run has locked. A folder that is just being created is empty, and is not
 * locked yet. */
void temporary_sweep_folder(struct folder *folder, const char *path, const char *name)
{
    (void)folder;
    (void)name;
    char *lock = path_join(path, TEMPORARY_LOCK);
    if (lock && file_is_absent(lock)) {
        rmdir(path);
    } else if (lock && is_left(lock, false)) {
        temporary_remove_tree(path);
    }
    free(lock);
}
