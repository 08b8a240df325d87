/* Local sockets (AF_UNIX): connections between processes of one machine, by path. The caller closes
 * descriptors. Failures set errno. */
#ifndef LOCAL_SOCKET_H
#define LOCAL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "host/deadline.h"
#include "host/process.h"

enum { LOCAL_SOCKET_DESCRIPTORS = 3 }; /* maximum per message */

/* Whether a path is short enough for a socket. */
bool local_socket_can_have(const char *path);

/* The owner of the socket at `path`; false: there is none. */
bool local_socket_owner(const char *path, user_id *owner);

/* Whether the socket at `path` has no listening process any more. */
bool local_socket_is_abandoned(const char *path);

/* Removes the name of a socket; the second function removes sockets in a folder, by the start and
 * end of their names, that no process listens on, of this user or of `owner`: left by killed
 * processes. */
void local_socket_remove(const char *path);
void local_socket_sweep(const char *folder, const char *begin, const char *end, user_id owner);

/* A socket that is not connected; -1: see errno. Only calls with a deadline wait. */
int local_socket_open(void);

/* Only this user and root may connect. */
bool local_socket_listen(int file, const char *path);
int local_socket_accept(int listening);

/* The other end of a connection: the process that connected, or the one that listened, and its user
 * at that time. */
struct local_socket_peer {
    process_id process;
    user_id user;
};
bool local_socket_peer(int file, struct local_socket_peer *peer);

/* These wait until a deadline (ETIMEDOUT). Signals do not end them, nor does stopping and
 * continuing either side. */
bool local_socket_connect(int file, const char *path, struct deadline until);

/* Sends all bytes, or false. A closed connection raises no signal. */
bool local_socket_send(int file, const void *bytes, size_t size, struct deadline until);
bool local_socket_receive(int file, void *bytes, size_t size, struct deadline until);

/* One message with those of our descriptors that are not -1; the other process gets descriptors of
 * its own. */
bool local_socket_send_files(int file, const void *bytes, size_t size,
                             const int descriptors[LOCAL_SOCKET_DESCRIPTORS],
                             struct deadline until);
bool local_socket_receive_files(int file, void *bytes, size_t size,
                                int descriptors[LOCAL_SOCKET_DESCRIPTORS], struct deadline until);

/* The other end reads to the end of what was sent, and may still send. Safe in signal handlers. */
void local_socket_end_sending(int file);

#endif
