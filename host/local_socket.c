/* Local sockets of Linux. See local_socket.h. */
#include "host/local_socket.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

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

int local_socket_open(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

bool local_socket_listen(int file, const char *path)
{
    struct sockaddr_un address;
    return set_address(&address, path) &&
           bind(file, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(file, 1) == 0;
}

int local_socket_accept(int listening)
{
    return accept4(listening, NULL, NULL, SOCK_CLOEXEC);
}

bool local_socket_connect(int file, const char *path)
{
    struct sockaddr_un address;
    return set_address(&address, path) &&
           connect(file, (const struct sockaddr *)&address, sizeof address) == 0;
}

bool local_socket_is_of(int file, process_id process)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == process;
}

void local_socket_limit_receiving(int file, unsigned seconds)
{
    struct timeval limit = {.tv_sec = (time_t)seconds};
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

void local_socket_limit_sending(int file, unsigned seconds)
{
    struct timeval limit = {.tv_sec = (time_t)seconds};
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool local_socket_send(int file, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size != 0) {
        ssize_t sent = send(file, at, size, MSG_NOSIGNAL);
        if (sent < 0) {
            return false;
        }
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool local_socket_receive(int file, void *bytes, size_t size)
{
    uint8_t *at = bytes;
    while (size != 0) {
        ssize_t got = recv(file, at, size, 0);
        if (got <= 0) {
            errno = got == 0 ? ECONNRESET : errno;
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* ---- descriptors ---- */

union control_data {
    char bytes[CMSG_SPACE(LOCAL_SOCKET_DESCRIPTORS * sizeof(int))];
    struct cmsghdr aligned;
};

bool local_socket_send_files(int file, const void *bytes, size_t size,
                             const int descriptors[LOCAL_SOCKET_DESCRIPTORS])
{
    union control_data beside = {.bytes = {0}};
    size_t count = 0;
    while (count < LOCAL_SOCKET_DESCRIPTORS && descriptors[count] >= 0) {
        count++;
    }
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = beside.bytes,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), descriptors, count * sizeof(int));
    return sendmsg(file, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

bool local_socket_receive_files(int file, void *bytes, size_t size,
                                int descriptors[LOCAL_SOCKET_DESCRIPTORS])
{
    union control_data beside;
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = beside.bytes,
                             .msg_controllen = sizeof beside.bytes};
    ssize_t got;
    while ((got = recvmsg(file, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS; i++) {
        descriptors[i] = -1;
    }
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        memcpy(descriptors, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    }
    errno = got < 0 ? errno : EPROTO;
    return got == (ssize_t)size;
}

void local_socket_end_sending(int file)
{
    shutdown(file, SHUT_WR);
}
