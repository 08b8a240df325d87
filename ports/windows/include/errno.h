/* Numbers of errors that Windows has no name for. */
#ifndef PORT_ERRNO_H
#define PORT_ERRNO_H

#include_next <errno.h>

#define EKEYREJECTED 1001
#define ESTALE       1002

#endif
