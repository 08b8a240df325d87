/* Local sockets of Linux. See local_socket.h. All calls are non-blocking with a deadline (poll()),
 * and a message that comes in parts is put together here; descriptors come with its first part. */
#include "host/local_socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "host/memory.h"
#include "host/path.h"

static bool set_address(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!local_socket_can_have(path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(address->sun_path, path, strlen(path) + 1);
    return true;
}

/* 108 bytes on Linux (unix(7)), the final NUL included. */
bool local_socket_can_have(const char *path)
{
    return strlen(path) < sizeof((struct sockaddr_un *)NULL)->sun_path;
}

bool local_socket_owner(const char *path, user_id *owner)
{
    struct stat info;
    bool found = stat(path, &info) == 0;
    *owner = found ? info.st_uid : 0;
    return found;
}

/* ECONNREFUSED: the file is there, and no process listens at it. A connection that succeeds is
 * closed at once. */
bool local_socket_is_abandoned(const char *path)
{
    struct sockaddr_un address;
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool abandoned = file >= 0 && set_address(&address, path) &&
                     connect(file, (const struct sockaddr *)&address, sizeof address) != 0 &&
                     errno == ECONNREFUSED;
    if (file >= 0) {
        close(file);
    }
    return abandoned;
}

void local_socket_remove(const char *path)
{
    unlink(path);
}

/* In a folder that all may write to, a name may be replaced by a link at any time: then the link is
 * removed. */
static void sweep_socket(int folder, const char *name, user_id owner)
{
    struct stat info;
    char *own = process_file_path(folder);
    char *path = own ? format_text("%s/%s", own, name) : NULL;
    if (path && fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(info.st_mode) &&
        (info.st_uid == process_user() || info.st_uid == owner) &&
        local_socket_is_abandoned(path)) {
        unlinkat(folder, name, 0);
    }
    free(path);
    free(own);
}

void local_socket_sweep(const char *folder, const char *begin, const char *end, user_id owner)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0 && ends_with(entry->d_name, end)) {
            sweep_socket(dirfd(entries), entry->d_name, owner);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

int local_socket_open(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* bind() makes the file with the umask's rights, chmod() makes them the user's alone; until then a
 * connection is refused by the check of the peer. */
bool local_socket_listen(int file, const char *path)
{
    struct sockaddr_un address;
    return set_address(&address, path) &&
           bind(file, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(file, 1) == 0 && chmod(path, S_IRUSR | S_IWUSR) == 0;
}

int local_socket_accept(int listening)
{
    return accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* The kernel's own record of who connected or listens, which the other side cannot choose. */
bool local_socket_peer(int file, struct local_socket_peer *peer)
{
    struct ucred about;
    socklen_t size = sizeof about;
    bool known = getsockopt(file, SOL_SOCKET, SO_PEERCRED, &about, &size) == 0;
    *peer = known ? (struct local_socket_peer){about.pid, about.uid}
                  : (struct local_socket_peer){.process = 0};
    return known;
}

/* ---- calls with a deadline ---- */

/* After a failed call: whether to try again, now or when the socket is ready. The socket is tested
 * before the clock: the other side may have continued while we were stopped. */
static bool is_worth_another(int file, short events, struct deadline until)
{
    if (errno == EINTR) {
        return true;
    }
    if (errno != EAGAIN) {
        return false;
    }
    int ready = poll(&(struct pollfd){.fd = file, .events = events}, 1, deadline_left(until));
    if (ready == 0) {
        errno = ETIMEDOUT;
    }
    return ready > 0 || (ready < 0 && errno == EINTR);
}

/* No event signals that a listening process has room for a connection. */
static bool has_room_soon(struct deadline until)
{
    enum { PAUSE = 10 /* ms */ };
    bool waits = errno == EAGAIN;
    if (waits && deadline_left(until) == 0) {
        errno = ETIMEDOUT;
        return false;
    }
    if (waits) {
        process_pause(PAUSE);
    }
    return waits || errno == EINTR;
}

/* A local connection succeeds or fails at once, except that the queue of the listening side may be
 * full (EAGAIN). */
bool local_socket_connect(int file, const char *path, struct deadline until)
{
    struct sockaddr_un address;
    bool connected = false;
    if (!set_address(&address, path)) {
        return false;
    }
    do {
        connected = connect(file, (const struct sockaddr *)&address, sizeof address) == 0;
    } while (!connected && has_room_soon(until));
    return connected;
}

/* MSG_NOSIGNAL: a side that has gone is an error here, and not the end of the process. */
bool local_socket_send(int file, const void *bytes, size_t size, struct deadline until)
{
    const uint8_t *at = bytes;
    while (size != 0) {
        ssize_t sent = send(file, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && !is_worth_another(file, POLLOUT, until)) {
            return false;
        }
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* All of it or nothing: an end in between is ECONNRESET. */
bool local_socket_receive(int file, void *bytes, size_t size, struct deadline until)
{
    uint8_t *at = bytes;
    while (size != 0) {
        ssize_t got = recv(file, at, size, MSG_DONTWAIT);
        if (got == 0) {
            errno = ECONNRESET;
        }
        if (got == 0 || (got < 0 && !is_worth_another(file, POLLIN, until))) {
            return false;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* ---- descriptors ---- */

/* Receives descriptors: the system fills the aligned buffer, so there may be more than announced.
 * Surplus ones are closed. */
static void take_descriptors(const struct cmsghdr *head, int descriptors[LOCAL_SOCKET_DESCRIPTORS])
{
    size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
        int file;
        memcpy(&file, CMSG_DATA(head) + i * sizeof file, sizeof file);
        if (i < LOCAL_SOCKET_DESCRIPTORS) {
            descriptors[i] = file;
        } else {
            close(file);
        }
    }
}

union control_data {
    char bytes[CMSG_SPACE(LOCAL_SOCKET_DESCRIPTORS * sizeof(int))];
    struct cmsghdr head;
};

/* Descriptors are sent with the first byte; what sendmsg() did not take of the text follows without
 * them. */
bool local_socket_send_files(int file, const void *bytes, size_t size,
                             const int descriptors[LOCAL_SOCKET_DESCRIPTORS], struct deadline until)
{
    union control_data beside = {.bytes = {0}};
    size_t count = 0;
    while (count < LOCAL_SOCKET_DESCRIPTORS && descriptors[count] >= 0) {
        count++;
    }
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    /* C libraries differ in the type of message sizes; all of them can hold this one */
    unsigned space = (unsigned)CMSG_SPACE(count * sizeof(int));
    unsigned length = (unsigned)CMSG_LEN(count * sizeof(int));
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = beside.bytes, .msg_controllen = space};
    beside.head.cmsg_level = SOL_SOCKET;
    beside.head.cmsg_type = SCM_RIGHTS;
    beside.head.cmsg_len = length;
    memcpy(CMSG_DATA(&beside.head), descriptors, count * sizeof(int));
    ssize_t sent;
    do {
        sent = sendmsg(file, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && is_worth_another(file, POLLOUT, until));
    return sent >= 0 &&
           local_socket_send(file, (const uint8_t *)bytes + sent, size - (size_t)sent, until);
}

/* MSG_CMSG_CLOEXEC: a program that is started meanwhile must not inherit the descriptors. */
bool local_socket_receive_files(int file, void *bytes, size_t size,
                                int descriptors[LOCAL_SOCKET_DESCRIPTORS], struct deadline until)
{
    union control_data beside;
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = beside.bytes,
                             .msg_controllen = sizeof beside.bytes};
    ssize_t got;
    do {
        got = recvmsg(file, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (got < 0 && is_worth_another(file, POLLIN, until));
    int error = got == 0 ? ECONNRESET : errno;
    struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS; i++) {
        descriptors[i] = -1;
    }
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        take_descriptors(head, descriptors);
    }
    errno = error;
    return got > 0 && local_socket_receive(file, (uint8_t *)bytes + got, size - (size_t)got, until);
}

/* Only this direction ends, so the reply can still be read. */
void local_socket_end_sending(int file)
{
    shutdown(file, SHUT_WR);
}
