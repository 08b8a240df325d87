/* Both sides of the control connection. See control.h. */
#include "host/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "host/tool.h"

#define FOLDER_PREFIX "ilpatch-attach-"
#define SOCKET_NAME "control"

enum { PATIENCE = 300 * 1000 }; /* ms, as diagnostics.c has it for the whole command */

static const char magic[8] = "ilpatch1";

/* What is sent; descriptors go beside it, the second one if there is one. */
struct greeting {
    char magic[sizeof magic];
    uint8_t follows;
    uint8_t has_values;
};

static bool set_address(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(address->sun_path, path, strlen(path) + 1);
    return true;
}

static void close_file(int *file)
{
    if (*file >= 0) {
        close(*file);
        *file = -1;
    }
}

/* ---- the command ---- */

/* A killed command leaves its folder. Nobody listens on its socket any more. All goes by descriptors: in a folder that all may
 * write to, somebody may replace a name by a link at any time. */
static void sweep_folder(int parent, const char *name, uid_t owner)
{
    struct stat info;
    struct sockaddr_un address;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    char *path = format_text("/proc/self/fd/%d/" SOCKET_NAME, folder);
    if (folder >= 0 && file >= 0 && fstat(folder, &info) == 0 && (info.st_uid == geteuid() || info.st_uid == owner) &&
        set_address(&address, path) && connect(file, (const struct sockaddr *)&address, sizeof address) != 0 &&
        errno == ECONNREFUSED) {
        unlinkat(folder, SOCKET_NAME, 0);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    free(path);
    close_file(&file);
    close_file(&folder);
}

static void sweep(const char *folder, uid_t owner)
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

bool control_listen(struct control *control, const char *folder, uid_t owner)
{
    struct sockaddr_un address;
    *control = (struct control){.in_folder = -1, .listening = -1, .file = -1};
    sweep(folder, owner);
    char *made = format_text("%s/" FOLDER_PREFIX "XXXXXX", folder);
    if (!mkdtemp(made)) {
        free(made);
        return false;
    }
    control->folder = made;
    control->path = format_text("%s/" SOCKET_NAME, made);
    control->in_folder = open(made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    control->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return control->in_folder >= 0 && control->listening >= 0 && set_address(&address, control->path) &&
           bind(control->listening, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(control->listening, 1) == 0 &&
           (owner == geteuid() ||
            (lchown(control->path, owner, (gid_t)-1) == 0 && lchown(control->folder, owner, (gid_t)-1) == 0));
}

static bool is_of_process(int file, pid_t process)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == process;
}

static bool greet(int file, const struct control_hello *hello)
{
    struct greeting greeting = {.follows = hello->follows, .has_values = hello->values >= 0};
    memcpy(greeting.magic, magic, sizeof magic);
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr aligned;
    } beside = {.bytes = {0}};
    const int descriptors[2] = {hello->status, hello->values};
    size_t size = (greeting.has_values ? 2 : 1) * sizeof(int);
    struct iovec part = {&greeting, sizeof greeting};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = beside.bytes, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(head), descriptors, size);
    return sendmsg(file, &message, MSG_NOSIGNAL) == (ssize_t)sizeof greeting;
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

void control_greet(struct control *control, pid_t process, const struct control_hello *hello, int other)
{
    struct pollfd files[] = {{.fd = control->listening, .events = POLLIN}, {.fd = other, .events = POLLIN}};
    int ready;
    while (control->file < 0 && ((ready = poll(files, 2, PATIENCE)) > 0 || (ready < 0 && errno == EINTR))) {
        if (ready > 0 && files[0].revents == 0) {
            break;
        }
        int file = ready > 0 ? accept4(control->listening, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (file >= 0 && is_of_process(file, process) && greet(file, hello)) {
            control->file = file;
        } else if (file >= 0) {
            close(file);
        }
    }
    if (control->file >= 0) { /* else the runtime has refused, and may be asked again */
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
    int above = file >= 0 && file <= STDERR_FILENO ? fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : file;
    if (above != file) {
        close(file);
    }
    return above;
}

static bool receive_hello(int file, struct control_hello *hello)
{
    struct greeting greeting;
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr aligned;
    } beside;
    struct iovec part = {&greeting, sizeof greeting};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = beside.bytes, .msg_controllen = sizeof beside.bytes};
    ssize_t got;
    while ((got = recvmsg(file, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    int descriptors[2] = {-1, -1};
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        memcpy(descriptors, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    }
    bool whole = got == (ssize_t)sizeof greeting;
    int error = got < 0 ? errno : EPROTO;
    *hello = (struct control_hello){above_standard(descriptors[0]), above_standard(descriptors[1]),
                                    whole && greeting.follows != 0};
    errno = error;
    return whole && memcmp(greeting.magic, magic, sizeof magic) == 0 && hello->status >= 0 &&
           (greeting.has_values != 0) == (hello->values >= 0);
}

int control_connect(const char *path, struct control_hello *hello)
{
    struct sockaddr_un address;
    struct timeval patience = {.tv_sec = PATIENCE / 1000};
    *hello = (struct control_hello){-1, -1, false};
    int file = set_address(&address, path) ? above_standard(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) : -1;
    if (file < 0) {
        return -1;
    }
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(file, (const struct sockaddr *)&address, sizeof address) != 0 || !receive_hello(file, hello)) {
        int error = errno;
        close_file(&hello->status);
        close_file(&hello->values);
        close(file);
        errno = error;
        return -1;
    }
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0}, sizeof patience);
    return file;
}

int control_read(int file)
{
    char word;
    ssize_t got;
    while ((got = recv(file, &word, 1, 0)) < 0 && errno == EINTR) {
    }
    return got == 1 ? (unsigned char)word : -1;
}

bool control_write(int file, char word)
{
    return send(file, &word, 1, MSG_NOSIGNAL) == 1;
}
