/* Both sides of the control connection. See control.h. */
#include "host/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/local_socket.h"
#include "host/tool.h"

#define FOLDER_PREFIX "ilpatch-attach-"
#define SOCKET_NAME   "control"

enum { PATIENCE = 300 * 1000 }; /* ms, as diagnostics.c has it for the whole command */

static const char magic[8] = "ilpatch2";

/* What is sent; descriptors go beside it, the second and the third one if there are any. */
struct greeting {
    char magic[sizeof magic];
    uint8_t follows;
    uint8_t has_values;
    uint8_t has_lines;
};

static void close_file(int *file)
{
    if (*file >= 0) {
        close(*file);
        *file = -1;
    }
}

/* ---- the command ---- */

/* A killed command leaves its folder. Nobody listens on its socket any more. All goes by
 * descriptors: in a folder that all may write to, somebody may replace a name by a link at any
 * time. */
static void sweep_folder(int parent, const char *name, user_id owner)
{
    struct stat info;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char *own = process_file_path(folder);
    char *path = own ? format_text("%s/" SOCKET_NAME, own) : NULL;
    if (folder >= 0 && fstat(folder, &info) == 0 &&
        (info.st_uid == process_user() || info.st_uid == owner) && path &&
        local_socket_is_abandoned(path)) {
        unlinkat(folder, SOCKET_NAME, 0);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    free(path);
    free(own);
    close_file(&folder);
}

static void sweep(const char *folder, user_id owner)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, FOLDER_PREFIX, sizeof FOLDER_PREFIX - 1) == 0) {
            sweep_folder(dirfd(entries), entry->d_name, owner);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

/* The folder may be in one that another user can write to, who has put something else under its
 * name by now: the socket is made by its descriptor. */
static bool listen_in_folder(const struct control *control, user_id owner)
{
    struct stat info;
    char *own = process_file_path(control->in_folder);
    char *path = own ? format_text("%s/" SOCKET_NAME, own) : NULL;
    bool is_ours = path && fstat(control->in_folder, &info) == 0 && info.st_uid == process_user();
    bool listens = is_ours && local_socket_listen(control->listening, path) &&
                   (owner == process_user() || (fchownat(control->in_folder, SOCKET_NAME, owner,
                                                         (gid_t)-1, AT_SYMLINK_NOFOLLOW) == 0 &&
                                                fchown(control->in_folder, owner, (gid_t)-1) == 0));
    int error = is_ours ? errno : EPERM;
    free(path);
    free(own);
    errno = error;
    return listens;
}

bool control_listen(struct control *control, const char *folder, user_id owner)
{
    *control = (struct control){.owner = owner, .in_folder = -1, .listening = -1, .file = -1};
    sweep(folder, owner);
    char *made = format_text("%s/" FOLDER_PREFIX "XXXXXX", folder);
    if (!made || !mkdtemp(made)) {
        free(made);
        return false;
    }
    control->folder = made;
    control->path = format_text("%s/" SOCKET_NAME, made);
    control->in_folder = open(made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    control->listening = local_socket_open();
    return control->path && control->in_folder >= 0 && control->listening >= 0 &&
           listen_in_folder(control, owner);
}

static bool greet(int file, const struct control_hello *hello)
{
    struct greeting greeting = {.follows = hello->follows,
                                .has_values = hello->values >= 0,
                                .has_lines = hello->lines >= 0};
    memcpy(greeting.magic, magic, sizeof magic);
    return local_socket_send_files(file, &greeting, sizeof greeting,
                                   (const int[]){hello->status, hello->values, hello->lines},
                                   deadline_after(PATIENCE));
}

static void stop_listening(struct control *control)
{
    close_file(&control->listening);
    if (control->in_folder >= 0) {
        unlinkat(control->in_folder, SOCKET_NAME, 0);
    }
    if (control->folder) {
        rmdir(control->folder);
    }
    close_file(&control->in_folder);
    free(control->path);
    free(control->folder);
    control->path = control->folder = NULL;
}

static bool is_from(int file, process_id process, user_id user)
{
    struct local_socket_peer peer;
    return local_socket_peer(file, &peer) && peer.process == process && peer.user == user;
}

void control_greet(struct control *control, process_id process, const struct control_hello *hello,
                   int other)
{
    struct pollfd files[] = {{.fd = control->listening, .events = POLLIN},
                             {.fd = other, .events = POLLIN}};
    int ready;
    const struct deadline until = deadline_after(PATIENCE);
    while (control->file < 0 &&
           ((ready = poll(files, 2, deadline_left(until))) > 0 || (ready < 0 && errno == EINTR))) {
        if (ready > 0 && files[0].revents == 0) {
            break;
        }
        int file = ready > 0 ? local_socket_accept(control->listening) : -1;
        if (file >= 0 && is_from(file, process, control->owner) && greet(file, hello)) {
            control->file = file;
        } else if (file >= 0) {
            close(file);
        }
    }
    if (control->file >= 0) {    /* else the runtime has refused, and may be asked again */
        stop_listening(control); /* from here on a kill leaves nothing */
    }
}

bool control_start(struct control *control)
{
    return control->file >= 0 && control_write(control->file, CONTROL_START) &&
           control_read(control->file) == CONTROL_STARTED;
}

void control_close(struct control *control)
{
    stop_listening(control);
    close_file(&control->file);
}

/* ---- the profiler ---- */

/* A program may run without standard streams; ours must not become one of them. */
static int above_standard(int file)
{
    int above = file >= 0 && file <= STDERR_FILENO ? fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                                   : file;
    if (above != file) {
        close(file);
    }
    return above;
}

static bool receive_hello(int file, struct control_hello *hello, struct deadline until)
{
    struct greeting greeting;
    int descriptors[LOCAL_SOCKET_DESCRIPTORS];
    bool whole = local_socket_receive_files(file, &greeting, sizeof greeting, descriptors, until);
    int error = errno;
    *hello = (struct control_hello){above_standard(descriptors[0]), above_standard(descriptors[1]),
                                    above_standard(descriptors[2]), whole && greeting.follows != 0};
    errno = error;
    return whole && memcmp(greeting.magic, magic, sizeof magic) == 0 && hello->status >= 0 &&
           (greeting.has_values != 0) == (hello->values >= 0) &&
           (greeting.has_lines != 0) == (hello->lines >= 0);
}

/* What the command says is obeyed: it may be this process's user, who could do all of that anyway,
 * or root. */
static bool is_obeyed(int file)
{
    struct local_socket_peer peer;
    bool obeyed = local_socket_peer(file, &peer) && (peer.user == process_user() || peer.user == 0);
    if (!obeyed) {
        errno = EPERM;
    }
    return obeyed;
}

int control_connect(const char *path, struct control_hello *hello)
{
    *hello = (struct control_hello){-1, -1, -1, false};
    int file = above_standard(local_socket_open());
    if (file < 0) {
        return -1;
    }
    const struct deadline until = deadline_after(PATIENCE);
    if (!local_socket_connect(file, path, until) || !is_obeyed(file) ||
        !receive_hello(file, hello, until)) {
        int error = errno;
        close_file(&hello->status);
        close_file(&hello->values);
        close_file(&hello->lines);
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

int control_read(int file)
{
    char word;
    return local_socket_receive(file, &word, 1, DEADLINE_NONE) ? (unsigned char)word : -1;
}

bool control_write(int file, char word)
{
    return local_socket_send(file, &word, 1, DEADLINE_NONE);
}
