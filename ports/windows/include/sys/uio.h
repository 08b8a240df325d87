/* Several pieces of memory at once. */
#ifndef PORT_SYS_UIO_H
#define PORT_SYS_UIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

/* In one write, as there. */
ssize_t writev(int file, const struct iovec *parts, int count);
ssize_t pwritev(int file, const struct iovec *parts, int count, int64_t offset);

/* Of this process alone: one piece into one. */
ssize_t process_vm_readv(int process, const struct iovec *to, unsigned long to_count,
                         const struct iovec *from, unsigned long from_count, unsigned long flags);

#endif
