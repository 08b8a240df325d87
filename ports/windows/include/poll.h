/* Waiting for nothing but time. */
#ifndef PORT_POLL_H
#define PORT_POLL_H

struct pollfd;
int poll(struct pollfd *files, unsigned long count, int milliseconds);

#endif
