/* Waiting for time, and for pipes that can be read: what is written to is always ready. */
#ifndef PORT_POLL_H
#define PORT_POLL_H

struct pollfd {
    int fd;
    short events;
    short revents;
};

enum { POLLIN = 1, POLLOUT = 4 };

int poll(struct pollfd *files, unsigned long count, int milliseconds);

#endif
