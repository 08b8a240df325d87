/* Local sockets (AF_UNIX): connections between processes of one machine, by a path. Descriptors are
 * closed by the caller. What fails leaves errno. */
#ifndef LOCAL_SOCKET_H
#define LOCAL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "host/deadline.h"
#include "host/process.h"

enum { LOCAL_SOCKET_DESCRIPTORS = 3 }; /* go with one message at most */

/* Whether a path is short enough for a socket. */
bool local_socket_can_have(const char *path);

/* Whose the socket at `path` is; false: there is none. */
bool local_socket_owner(const char *path, user_id *owner);

/* Whether there is a socket at `path` on which no process listens any more. */
bool local_socket_is_abandoned(const char *path);

/* Removes the name of a socket; and, in a folder, names that begin and end so of sockets on which
 * no process listens any more, of this user or of `owner`: a process that is killed leaves its
 * own. */
void local_socket_remove(const char *path);
void local_socket_sweep(const char *folder, const char *begin, const char *end, user_id owner);

/* A socket that is not connected; -1: there is none. No call waits but those that say how long. */
int local_socket_open(void);

/* Only this user and root may connect. */
bool local_socket_listen(int file, const char *path);
int local_socket_accept(int listening);

/* Who is at the other end of a connection: the process that connected, or the one that listened,
 * and its user at that time. */
struct local_socket_peer {
    process_id process;
    user_id user;
};
bool local_socket_peer(int file, struct local_socket_peer *peer);

/* These wait until a deadline (ETIMEDOUT). Signals do not end them, nor does being stopped and
 * continued, on either side. */
bool local_socket_connect(int file, const char *path, struct deadline until);

/* All bytes, or false. A connection that the other side has closed is no signal. */
bool local_socket_send(int file, const void *bytes, size_t size, struct deadline until);
bool local_socket_receive(int file, void *bytes, size_t size, struct deadline until);

/* One message with descriptors of our own, so many that are not -1, which become descriptors of the
 * other process. */
bool local_socket_send_files(int file, const void *bytes, size_t size,
                             const int descriptors[LOCAL_SOCKET_DESCRIPTORS],
                             struct deadline until);
bool local_socket_receive_files(int file, void *bytes, size_t size,
                                int descriptors[LOCAL_SOCKET_DESCRIPTORS], struct deadline until);

/* The other end reads to the end of what was sent, and may still send. Safe in signal handlers. */
void local_socket_end_sending(int file);

#endif
