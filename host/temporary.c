/* Temporary files and folders. See temporary.h. The names of those that exist are in a table that a
 * signal handler can read, so that it removes them too. */
#include "host/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/held_signals.h"
#include "host/memory.h"
#include "host/message.h"
#include "host/path.h"
#include "host/temporary_system.h"

/* ---- interruption: temporary files are removed ---- */

/* Files and folders to remove on a signal. Changed only while signals are held. */
static char *volatile *unfinished;
static size_t unfinished_room;

/* In a signal handler: only system calls, and no memory is freed. An entry that is a folder is not
 * unlinked, so its tree is removed. */
void unfinished_remove(void)
{
    signals_hold_for_good();
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i] && unlink(unfinished[i]) != 0) {
            temporary_remove_tree(unfinished[i]);
        }
    }
}

/* At a normal end files have been renamed or removed by their owners. */
void unfinished_folders_remove(void)
{
    struct held_signals held = signals_hold();
    for (size_t i = 0; i < unfinished_room; i++) {
        if (unfinished[i]) {
            temporary_remove_tree(unfinished[i]);
        }
    }
    signals_release(&held);
}

/* By the address of the path, not by its text: the table borrows it. */
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

/* Makes room for one more before that is created. While signals are held, so a handler sees either
 * the old table or the new one. */
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

/* Creates what a path names, which it may complete: 0 or a descriptor; -1 with errno set. */
typedef int make_path(char *path, const void *user);

/* Registers a new file in one step with creating it, while signals are held. */
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

enum { RANDOM_LETTERS = 6 };

/* Completes the name; false with errno set. */
static bool complete(char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *end = name + strlen(name) - RANDOM_LETTERS;
    uint8_t random[RANDOM_LETTERS];
    bool good = random_bytes(random, sizeof random);
    for (size_t i = 0; good && i < RANDOM_LETTERS; i++) {
        end[i] = letters[random[i] % (sizeof letters - 1)];
    }
    return good;
}

/* Tries names until one is free. */
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
    return temporary_create(name, *(const mode_t *)mode);
}

static int make_link(char *name, const void *path)
{
    return link(path, name);
}

static int make_folder(char *name, const void *user)
{
    (void)user;
    return mkdir(name, S_IRWXU);
}

/* ---- in the system's temporary folder ---- */

/* The file is no longer temporary: it was renamed, or belongs to a journal. */
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

/* In TMPDIR, for this user alone. */
char *temporary_make(const char *name)
{
    const mode_t mode = S_IRUSR | S_IWUSR;
    char *folder = temporary_place_of_files();
    char *path = folder ? format_text("%s/%sXXXXXX", folder, name) : NULL;
    free(folder);
    if (!path) {
        return NULL;
    }
    int file = make_beside(path, make_open, &mode);
    if (file < 0) {
        report_message("%s: cannot write: %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    close(file);
    return path;
}

/* ---- beside other files ---- */

static const char beside_name[] = ".ilpatch.XXXXXX";

char *temporary_beside(const char *place)
{
    char *folder = path_directory(place);
    char *path = path_join(folder, beside_name);
    free(folder);
    return path;
}

/* By its beginning, so that damaged names are recognised as well. */
bool temporary_is_own_name(const char *name)
{
    return strncmp(name, beside_name, sizeof beside_name - 1 - RANDOM_LETTERS) == 0;
}

bool temporary_is_name(const char *name)
{
    return strlen(name) == sizeof beside_name - 1 && temporary_is_own_name(name);
}

/* Another run's sweep may come between creating and locking: then it is created again. */
int temporary_open(char *name, mode_t mode)
{
    int file;
    while ((file = make_beside(name, make_open, &mode)) >= 0 && !temporary_claim(file)) {
        close(file);
        temporary_keep(name);
    }
    return file;
}

/* A second name of a file, as a temporary one. */
bool temporary_link(const char *path, char *name)
{
    return make_beside(name, make_link, path) == 0;
}

/* Applies `one` to all temporary names in a folder. */
static void sweep(const char *folder, temporary_sweep *one)
{
    struct folder *names = folder_open(folder);
    const char *name;
    while (names && (name = folder_next(names)) != NULL) {
        char *path = temporary_is_name(name) ? path_join(folder, name) : NULL;
        if (path) {
            one(names, path, name);
        }
        free(path);
    }
    folder_close(names);
}

void temporaries_sweep(const char *folder)
{
    sweep(folder, temporary_sweep_file);
}

/* ---- folders in the system's temporary folder ---- */

/* A folder without a lock may be swept by another run between its making and its locking: then
 * another one is made. */
bool temporary_folder_make_in(struct temporary_folder *folder, const char *parent)
{
    *folder = (struct temporary_folder){.path = path_join(parent, beside_name), .lock = -1};
    if (!folder->path) {
        return false;
    }
    sweep(parent, temporary_sweep_folder);
    int made;
    do {
        made = make_beside(folder->path, make_folder, NULL);
        folder->lock = made < 0 ? -1 : temporary_lock_folder(folder->path);
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
    char *parent = temporary_place_of_folders();
    bool made = parent && temporary_folder_make_in(folder, parent);
    if (!made && parent) {
        report_message("%s: cannot write: %s", parent, strerror(errno));
    }
    free(parent);
    return made;
}

void temporary_folder_remove(struct temporary_folder *folder)
{
    if (folder->path) {
        temporary_remove_locked(folder->path, folder->lock);
        temporary_keep(folder->path);
        free(folder->path);
    }
    *folder = (struct temporary_folder){.lock = -1};
}
