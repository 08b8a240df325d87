/* Files are opened by paths of UTF-8, and others may then read, write, rename and remove them,
 * as on Linux. */
#ifndef PORT_FCNTL_H
#define PORT_FCNTL_H

#include_next <fcntl.h>
#include <stdint.h>
#include <sys/types.h>

#define O_CLOEXEC       O_NOINHERIT
#define O_NONBLOCK      0
#define O_NOFOLLOW      0
#define O_NOCTTY        0
#define O_DIRECTORY     0x01000000
#define F_GETFD         1
#define F_GETFL         3
#define F_SETFL         4
#define F_DUPFD_CLOEXEC 1030
#define FD_CLOEXEC      1
#ifndef O_ACCMODE
#define O_ACCMODE (O_RDONLY | O_WRONLY | O_RDWR)
#endif

int port_open(const char *path, int flags, ...);
int fcntl(int file, int command, ...);
int posix_fallocate(int file, int64_t offset, int64_t size);

#define open(...) port_open(__VA_ARGS__)

#endif
