/* Paths, and files by path. See path.h. NULL, after a lack of memory, is allowed wherever a path
 * is, and gives NULL or false: callers check once, at the end. */
#include "host/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/memory.h"

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "." for a name alone, "/" for what is in the root. */
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

char *path_join(const char *directory, const char *name)
{
    return directory && name ? format_text("%s/%s", directory, name) : NULL;
}

/* The path itself if it is not below: so callers can compare pointers. */
const char *path_below(const char *folder, const char *path)
{
    size_t size = folder ? strlen(folder) : 0;
    return size != 0 && strncmp(path, folder, size) == 0 && path[size] == '/' ? path + size : path;
}

/* The end of all links, for a path that is a link; any other path stays as it was given, which is
 * how messages should show it. */
char *path_through_link(const char *path)
{
    struct stat info;
    char *real = path && lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? realpath(path, NULL)
                                                                          : NULL;
    return real ? real : copy_text(path);
}

/* The folder in which a rename would replace the file. */
char *path_home(const char *path)
{
    char *real = path_through_link(path);
    char *directory = path_directory(real);
    free(real);
    return directory;
}

/* One step: owned; NULL: it is not a link. */
static char *link_target(const char *path)
{
    char target[PATH_MAX];
    ssize_t size = readlink(path, target, sizeof target - 1);
    if (size <= 0) {
        return NULL;
    }
    target[size] = '\0';
    char *folder = path_directory(path);
    char *next = path_is_absolute(target) ? copy_text(target) : path_join(folder, target);
    free(folder);
    return next;
}

/* A link to a link, and so on, as far as the kernel would follow. */
char *path_link_end(const char *path)
{
    enum { LINKS = 40 }; /* the kernel's limit */
    char *end = copy_text(path);
    for (unsigned i = 0; end && i < LINKS; i++) {
        char *next = link_target(end);
        if (!next) {
            break;
        }
        free(end);
        end = next;
    }
    return end;
}

/* For a path that does not exist, below the current folder. */
char *path_full(const char *path)
{
    char *full = path ? realpath(path, NULL) : NULL;
    char *here = full || !path || path_is_absolute(path) ? NULL : getcwd(NULL, 0);
    if (!full) {
        full = here ? path_join(here, path) : copy_text(path);
    }
    free(here);
    return full;
}

bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool file_exists(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0;
}

/* Only if the system says so: a file that may not be looked at is not absent. */
bool file_is_absent(const char *path)
{
    struct stat info;
    return path && stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool file_remove(const char *path)
{
    return unlink(path) == 0;
}

bool path_is_directory(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* That nothing is there is an answer; ENOTDIR is that of BUNDLE/FILE, too (file_view.h). */
bool path_shows_directory(const char *path, int *error)
{
    struct stat info = {.st_mode = 0};
    *error = stat(path, &info) == 0 || errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    return S_ISDIR(info.st_mode);
}

bool path_is_other_than_directory(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* errno is set for the caller's message. */
bool path_is_file_or_free(const char *path)
{
    struct stat info;
    bool other = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    errno = other && S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
    return !other;
}

static bool folder_is_writable(const char *path)
{
    char *folder = path_home(path);
    bool writable = folder && access(folder, W_OK | X_OK) == 0;
    int error = folder ? errno : ENOMEM;
    free(folder);
    errno = error;
    return writable;
}

/* For files that are appended to: an existing file itself, otherwise its folder. */
bool path_is_writable(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0) {
        errno = EISDIR;
        return !S_ISDIR(info.st_mode) && access(path, W_OK) == 0;
    }
    return errno == ENOENT && folder_is_writable(path);
}

/* For files that are replaced by a rename: the folder must be writable as well. */
bool path_is_replaceable(const char *path)
{
    return path_is_file_or_free(path) && path_is_writable(path) && folder_is_writable(path);
}

bool file_is_same(const char *path, const char *other)
{
    struct stat a;
    struct stat b;
    return path && other && stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool file_is_at(int file, const char *path)
{
    struct stat a;
    struct stat b;
    return path && fstat(file, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino && a.st_ino != 0; /* on Windows a pipe has no number */
}

/* Two paths of a file that need not be there: then the folders and names are compared. */
bool file_is_same_place(const char *path, const char *other)
{
    if (!path || !other) {
        return false;
    }
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
