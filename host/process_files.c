/* Opens files in another process's view. See process_files.h. openat2() with RESOLVE_IN_ROOT or,
 * where the kernel lacks it, component by component. */
#include "host/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/memory.h"
#include "host/path.h"

/* For systems without openat2() (Linux before 5.6): follows no links at all. */
static int walk(int root, const char *path, int flags)
{
    int at = dup(root);
    char *rest = copy_text(path);
    char *state = NULL;
    for (char *part = rest ? strtok_r(rest, "/", &state) : NULL; part && at >= 0;) {
        char *next = strtok_r(NULL, "/", &state);
        bool leaves = strcmp(part, "..") == 0;
        int file = leaves ? -1
                          : openat(at, part,
                                   O_NOFOLLOW | O_CLOEXEC | (next ? O_PATH | O_DIRECTORY : flags));
        int error = leaves ? EACCES : errno;
        close(at);
        at = file;
        errno = error;
        part = next;
    }
    free(rest);
    return at;
}

/* The process may have put links into its folders that lead elsewhere; with RESOLVE_IN_ROOT they
 * end in its root, as for the process itself. */
static int open_in_root(int root, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)flags | (unsigned)O_CLOEXEC,
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long file = -1;
    int tries = 0;
    do { /* EAGAIN: a concurrent rename */
        file = syscall(SYS_openat2, root, path, &how, sizeof how);
    } while (file < 0 && errno == EAGAIN && ++tries < 100);
    return file < 0 && errno == ENOSYS ? walk(root, path, flags) : (int)file;
}

static int open_root(process_id process)
{
    char *path = process_entry(process, "root");
    int root = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    free(path);
    return root;
}

static int open_for(process_id process, const char *path, int flags)
{
    int root = open_root(process);
    int file = root < 0 ? -1 : open_in_root(root, path, flags);
    int error = errno;
    if (root >= 0) {
        close(root);
    }
    errno = error;
    return file;
}

/* Regular files only: opening a pipe would wait, and a device may do anything. */
int process_open_file(process_id process, const char *path)
{
    struct stat info;
    int file = open_for(process, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))) {
        close(file);
        errno = EINVAL;
        return -1;
    }
    return file;
}

int process_open_folder(process_id process, const char *path)
{
    return open_for(process, path, O_PATH | O_DIRECTORY);
}

char *process_program_file(process_id process)
{
    return process_entry(process, "exe");
}

static bool is_same(const char *ours, process_id process, const char *theirs)
{
    struct stat a, b;
    char *path = process_entry(process, theirs);
    bool same = path && stat(ours, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
                a.st_ino == b.st_ino;
    free(path);
    return same;
}

/* The same mount namespace and the same root: then paths mean the same here. */
bool process_has_our_files(process_id process)
{
    return is_same("/proc/self/ns/mnt", process, "ns/mnt") && is_same("/", process, "root/");
}

/* ---- its view ---- */

static bool have_same_bytes(int ours, int theirs)
{
    char a[4096], b[sizeof a];
    ssize_t got;
    off_t at = 0;
    do {
        got = pread(ours, a, sizeof a, at);
        if (got < 0 || pread(theirs, b, sizeof b, at) != got || memcmp(a, b, (size_t)got) != 0) {
            return false;
        }
        at += got;
    } while (got > 0);
    return true;
}

/* A process may have another root, so the path is opened through it. A copy with the same bytes
 * counts: containers have copies. */
bool process_sees_file(process_id process, const char *path)
{
    struct stat a, b;
    int ours = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int theirs = process_open_file(process, path);
    bool known = ours >= 0 && theirs >= 0 && fstat(ours, &a) == 0 && fstat(theirs, &b) == 0;
    bool sees = known && ((a.st_dev == b.st_dev && a.st_ino == b.st_ino) ||
                          (a.st_size == b.st_size && have_same_bytes(ours, theirs)));
    if (ours >= 0) {
        close(ours);
    }
    if (theirs >= 0) {
        close(theirs);
    }
    return sees;
}

bool process_sees_folder(process_id process, const char *path)
{
    int theirs = process_open_folder(process, path);
    bool sees = theirs >= 0 && file_is_at(theirs, path);
    if (theirs >= 0) {
        close(theirs);
    }
    return sees;
}

struct folder_traits folder_traits(int folder)
{
    struct statvfs info;
    if (fstatvfs(folder, &info) != 0) {
        return (struct folder_traits){false, false};
    }
    return (struct folder_traits){(info.f_flag & ST_RDONLY) != 0, (info.f_flag & ST_NOEXEC) != 0};
}

/* The group first: with another user's rights it could not be changed. */
bool process_act_as(user_id user, user_id group)
{
    return setegid(group) == 0 && seteuid(user) == 0;
}

/* In the opposite order, for the same reason. */
void process_act_as_self(void)
{
    (void)!seteuid(getuid());
    (void)!setegid(getgid());
}

bool process_give_file(const char *path, user_id user)
{
    return user == process_user() || lchown(path, user, (gid_t)-1) == 0;
}
